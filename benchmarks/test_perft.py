"""perft and divide. The counts are exact ones from elsewhere, see catena/bench.py."""

import pytest

import catena
from catena.bench import KNOWN

# Deep enough for the walk to be most of the time, small boards included.
DEPTHS = {2: 5, 3: 6, 4: 5, 5: 4, 6: 4, 7: 3, 8: 3, 9: 3, 10: 3}


@pytest.mark.benchmark(group="perft, empty board")
@pytest.mark.parametrize("size", DEPTHS)
def test_perft(benchmark, size):
    board = catena.Board(size)
    depth = DEPTHS[size]
    benchmark.extra_info["nodes"] = KNOWN[size][depth]
    assert benchmark(catena.perft, board, depth) == KNOWN[size][depth]


@pytest.mark.benchmark(group="perft, empty board, other games")
@pytest.mark.parametrize("game", ["no-komi", "double"])
def test_perft_of_game(benchmark, game):
    board = catena.Board(6, game=game)
    # Double: ordered triples of cells, but for those of the 150 triangles, which are rings.
    # No-komi: a stone, then one of two colours, then another stone or the button.
    expected = {"double": 91 * 90 * 89 - 6 * 150, "no-komi": 91 * 2 * (90 + 1)}[game]
    assert benchmark(catena.perft, board, 3) == expected


@pytest.mark.benchmark(group="perft(3), the middle of a game")
@pytest.mark.parametrize("size", [6, 8, 10])
def test_perft_in_the_middle(benchmark, middle, size):
    board = middle(size)
    count = benchmark(catena.perft, board, 3)
    counted = 0
    for move in board.legal_moves():
        board.push(move)
        for reply in board.legal_moves():
            board.push(reply)
            counted += board.legal_count
            board.pop()
        board.pop()
    assert count == counted


@pytest.mark.benchmark(group="divide")
@pytest.mark.parametrize("size", [6, 10])
def test_divide(benchmark, size):
    counts = benchmark(catena.divide, catena.Board(size), 3)
    assert sum(counts.values()) == KNOWN[size][3]
    assert len(counts) == KNOWN[size][1]
