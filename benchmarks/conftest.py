"""The positions of the benchmarks that pytest runs; pytest.ini has their settings."""

from collections.abc import Callable

import pytest

import catena


@pytest.fixture(scope="session")
def middle() -> Callable[..., catena.Board]:
    """Makes a position from the middle of a random game, the same in every run."""

    def make(size: int, **setup: str) -> catena.Board:
        board = catena.Board(size, **setup)
        history = board.playout(1).history
        for move in history[: len(history) // 2]:
            board.push(move)
        return board

    return make
