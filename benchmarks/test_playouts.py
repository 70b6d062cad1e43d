"""Random playouts. The first game of a run is played again by the general engine, move by move."""

import pytest

import catena

COUNT = 1000
SEED = 20


def check(result, board):
    """The run's size, and its first game: length, margin and winner."""
    assert len(result) == COUNT
    end = board.playout(SEED)
    assert end.ply - board.ply == result.plies[0]
    assert result.winner[0] == (end.winner or catena.EMPTY)
    if board.scoring == "longest":
        return
    black, white = end.scores
    assert result.margin[0] == 2 * (black - white)


@pytest.mark.benchmark(group=f"{COUNT} playouts, empty board")
@pytest.mark.parametrize("size", [2, 3, 5, 6, 7, 8, 9, 10])
def test_playouts(benchmark, size):
    board = catena.Board(size)
    result = benchmark(catena.playouts, board, COUNT, seed=SEED)
    benchmark.extra_info["moves"] = int(result.plies.sum())
    check(result, board)


@pytest.mark.benchmark(group=f"{COUNT} playouts, empty board of size 6")
@pytest.mark.parametrize("scoring", ["standard", "longest", "squares"])
@pytest.mark.parametrize("game", ["komi", "no-komi", "double"])
def test_playouts_of_game(benchmark, game, scoring):
    board = catena.Board(6, game=game, scoring=scoring)
    check(benchmark(catena.playouts, board, COUNT, seed=SEED), board)


@pytest.mark.benchmark(group=f"{COUNT} playouts, the middle of a game")
@pytest.mark.parametrize("size", [6, 10])
def test_playouts_from_the_middle(benchmark, middle, size):
    board = middle(size)
    check(benchmark(catena.playouts, board, COUNT, seed=SEED), board)


@pytest.mark.benchmark(group="one game, played on move by move")
@pytest.mark.parametrize("size", [6, 10])
def test_board_playout(benchmark, size):
    board = catena.Board(size)
    end = benchmark(board.playout, SEED)
    assert end.is_over
    assert end.ply == catena.playouts(board, 1, seed=SEED).plies[0]
