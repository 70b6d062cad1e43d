"""Calls of Board, beside the floor: an empty method of a compiled class that takes one int.

Positions are from the middle of a game. Where a benchmark goes through all legal moves, so does the
floor's in its group; the number of calls is in the saved run's extra_info.
"""

import operator

import numpy as np
import pytest

import catena
from catena._core import _Floor

SIZES = [6, 7, 8, 9, 10]
sizes = pytest.mark.parametrize("size", SIZES)


# --- push and pop -------------------------------------------------------------------------------


@pytest.mark.benchmark(group="push and pop, every legal move")
@sizes
def test_push_pop(benchmark, middle, size):
    board = middle(size)
    moves = board.legal_moves()
    before, ply = board.key, board.ply

    def every_move():
        for move in moves:
            board.push(move)
            board.pop()

    benchmark.extra_info["calls"] = 2 * len(moves)
    benchmark(every_move)
    assert (board.key, board.ply, board.legal_moves()) == (before, ply, moves)


@pytest.mark.benchmark(group="push and pop, every legal move")
@sizes
def test_floor_of_push_pop(benchmark, middle, size):
    moves = middle(size).legal_moves()
    floor = _Floor()

    def every_move():
        for move in moves:
            floor.empty(move)
            floor.empty(move)

    benchmark.extra_info["calls"] = 2 * len(moves)
    assert benchmark(every_move) is None


@pytest.mark.benchmark(group="a whole game: pushes, then pops")
@pytest.mark.parametrize("size", [3, 6, 10])
def test_whole_game(benchmark, size):
    moves = catena.Board(size).playout(1).history
    board = catena.Board(size)
    start = board.key

    def there_and_back():
        for move in moves:
            board.push(move)
        over = board.is_over
        for _ in moves:
            board.pop()
        return over

    benchmark.extra_info["calls"] = 2 * len(moves)
    assert benchmark(there_and_back)
    assert (board.key, board.ply) == (start, 0)


# --- one call that answers a question -----------------------------------------------------------


@pytest.mark.benchmark(group="one small answer")
def test_floor(benchmark):
    assert benchmark(_Floor().empty, 7) is None


@pytest.mark.benchmark(group="one small answer")
@pytest.mark.parametrize("size", [6, 10])
def test_is_legal(benchmark, middle, size):
    board = middle(size)
    assert benchmark(board.is_legal, board.legal_moves()[-2])


@pytest.mark.benchmark(group="one small answer")
@pytest.mark.parametrize("size", [6, 10])
def test_is_legal_of_closed_cell(benchmark, middle, size):
    board = middle(size)
    closed = int(np.flatnonzero(board.legal_mask() == 0)[0])
    assert not benchmark(board.is_legal, closed)


@pytest.mark.benchmark(group="one small answer")
@pytest.mark.parametrize("size", [6, 10])
def test_turn(benchmark, middle, size):
    board = middle(size)
    assert benchmark(operator.attrgetter("turn"), board) in (catena.BLACK, catena.WHITE)


@pytest.mark.benchmark(group="one small answer")
@pytest.mark.parametrize("size", [6, 10])
def test_key(benchmark, middle, size):
    board = middle(size)
    assert benchmark(operator.attrgetter("key"), board) == board._key_from_scratch()


@pytest.mark.benchmark(group="one small answer")
@pytest.mark.parametrize("size", [6, 10])
def test_scores(benchmark, middle, size):
    board = middle(size)
    black, white = benchmark(operator.attrgetter("scores"), board)
    # In play nobody has to hold the button, and claimed stones have changed colour already.
    halves = {None: (0, 0), catena.BLACK: (0.5, 0), catena.WHITE: (0, 0.5)}[board.button]
    stones = board.stones()
    assert (black, white) == (
        np.count_nonzero(stones == catena.BLACK) + halves[0],
        np.count_nonzero(stones == catena.WHITE) + halves[1],
    )


# --- legal moves, masks, stones -----------------------------------------------------------------


@pytest.mark.benchmark(group="list of legal moves")
@sizes
def test_legal_moves(benchmark, middle, size):
    board = middle(size)
    moves = benchmark(board.legal_moves)
    benchmark.extra_info["moves"] = len(moves)
    assert moves == [m for m in range(board.num_moves) if board.is_legal(m)]


@pytest.mark.benchmark(group="list of legal moves")
@sizes
def test_floor_of_legal_moves(benchmark, middle, size):
    """A list of as many ints, the fastest way that Python has."""
    count = middle(size).legal_count
    assert len(benchmark(lambda: list(range(count)))) == count


@pytest.mark.benchmark(group="mask of legal moves")
@sizes
def test_legal_mask_out(benchmark, middle, size):
    board = middle(size)
    out = np.empty(board.num_moves, np.uint8)
    mask = benchmark(board.legal_mask, out)
    assert mask is out
    assert np.flatnonzero(mask).tolist() == board.legal_moves()


@pytest.mark.benchmark(group="mask of legal moves")
@sizes
def test_legal_mask_new(benchmark, middle, size):
    board = middle(size)
    assert np.flatnonzero(benchmark(board.legal_mask)).tolist() == board.legal_moves()


@pytest.mark.benchmark(group="stones")
@sizes
def test_stones_out(benchmark, middle, size):
    board = middle(size)
    out = np.empty(board.num_cells, np.int8)
    stones = benchmark(board.stones, out)
    assert stones is out
    assert np.flatnonzero(stones).tolist() == sorted(
        c for lint in board.lints() for c in lint.cells
    )


@pytest.mark.benchmark(group="grid")
@sizes
def test_grid_out(benchmark, middle, size):
    board = middle(size)
    out = np.empty((2 * size - 1, 2 * size - 1), np.int8)
    grid = benchmark(board.grid, out)
    # Cells are numbered column by column, and so are the entries of a (column, row) array.
    assert grid[grid >= 0].tolist() == board.stones().tolist()


@pytest.mark.benchmark(group="lints")
@pytest.mark.parametrize("size", [6, 10])
def test_lints(benchmark, middle, size):
    board = middle(size)
    lints = benchmark(board.lints)
    assert sum(len(lint.cells) for lint in lints) == np.count_nonzero(board.stones())


# --- copies -------------------------------------------------------------------------------------


@pytest.mark.benchmark(group="copy")
@sizes
def test_copy_with_history(benchmark, middle, size):
    board = middle(size)
    twin = benchmark(board.copy)
    assert twin == board
    assert twin.history == board.history


@pytest.mark.benchmark(group="copy")
@sizes
def test_copy_without_history(benchmark, middle, size):
    board = catena.Board.from_position(middle(size).position)
    assert benchmark(board.copy) == board


@pytest.mark.benchmark(group="==")
@pytest.mark.parametrize("size", [6, 10])
def test_equal(benchmark, middle, size):
    board = middle(size)
    assert benchmark(operator.eq, board, board.copy())


@pytest.mark.benchmark(group="new board")
@pytest.mark.parametrize("size", [2, 6, 10])
def test_new(benchmark, size):
    assert benchmark(catena.Board, size).legal_count == 3 * size * (size - 1) + 2
