"""Position text, move text, diagrams and pickles: what is written and read."""

import operator
import pickle

import pytest

import catena

SIZES = [2, 6, 7, 8, 9, 10]
sizes = pytest.mark.parametrize("size", SIZES)


@pytest.mark.benchmark(group="position to text")
@sizes
def test_write(benchmark, middle, size):
    board = middle(size)
    text = benchmark(operator.attrgetter("position"), board)
    assert catena.Board.from_position(text) == board


@pytest.mark.benchmark(group="text to position")
@sizes
def test_read(benchmark, middle, size):
    board = middle(size)
    read = benchmark(catena.Board.from_position, board.position)
    assert read == board
    assert read.key == board.key


@pytest.mark.benchmark(group="a game from the text of its moves")
@pytest.mark.parametrize("size", [6, 10])
def test_play(benchmark, size):
    end = catena.Board(size).playout(1)
    text = " ".join(catena.move_name(end, move) for move in end.history)

    def from_text():
        board = catena.Board(size)
        board.play(text)
        return board

    assert benchmark(from_text) == end


@pytest.mark.benchmark(group="diagram")
@pytest.mark.parametrize("size", [6, 10])
def test_diagram(benchmark, middle, size):
    board = middle(size)
    assert "to move" in benchmark(str, board)


@pytest.mark.benchmark(group="pickle, with the history")
@sizes
def test_dump(benchmark, middle, size):
    board = middle(size)
    data = benchmark(pickle.dumps, board)
    benchmark.extra_info["bytes"] = len(data)
    assert pickle.loads(data) == board


@pytest.mark.benchmark(group="pickle back, with the history")
@sizes
def test_load(benchmark, middle, size):
    board = middle(size)
    read = benchmark(pickle.loads, pickle.dumps(board))
    assert read == board
    assert read.history == board.history


@pytest.mark.benchmark(group="pickle, from text")
@pytest.mark.parametrize("size", [6, 10])
def test_dump_without_history(benchmark, middle, size):
    board = catena.Board.from_position(middle(size).position)
    assert pickle.loads(benchmark(pickle.dumps, board)) == board
