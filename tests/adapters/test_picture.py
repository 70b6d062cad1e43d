"""The picture that environments render, looked at pixel by pixel."""

import numpy as np
import pytest

import catena
from catena.adapters.picture import picture

# Side by side cells are 40 pixels apart, rows 34.5; the outer centres are 30 from the edge.
LEFT, STEP, ROW = 30, 40, 34.5


def pixel(image: np.ndarray, size: int, column: int, row: int, right: int = 0) -> tuple[int, ...]:
    """The colour at the centre of a cell, or so many pixels to the right of it."""
    x = LEFT + STEP * (column - row / 2 + (size - 1) / 2)
    y = LEFT + ROW * row
    return tuple(image[int(y), int(x) + right].tolist())


@pytest.mark.parametrize("size", range(2, 11))
def test_it_is_as_large_as_the_board(size: int) -> None:
    image = picture(catena.Board(size))
    rows = 2 * size - 1
    assert image.dtype == np.uint8
    assert image.shape[2] == 3
    assert abs(image.shape[0] - (2 * LEFT + ROW * (rows - 1))) <= 1
    assert abs(image.shape[1] - (2 * LEFT + STEP * (rows - 1))) <= 1
    assert image.flags.c_contiguous


def test_colours_of_stones_and_cells() -> None:
    board = catena.Board(3)
    board.play("A1 E5 B1")
    image = picture(board)
    black, white = pixel(image, 3, 0, 0), pixel(image, 3, 4, 4)
    assert max(black) < 60
    assert min(white) > 200
    assert pixel(image, 3, 1, 0) == black
    # B2 touches both stones of a lint and is closed, C3 is open: darker and lighter.
    closed, opened = pixel(image, 3, 1, 1), pixel(image, 3, 2, 2)
    assert board.why_illegal("B2") == "ring"
    assert board.is_legal("C3")
    assert sum(closed) < sum(opened)
    # Half way from A1 to B1 runs the line of their lint; outside the board is paper.
    assert pixel(image, 3, 0, 0, right=STEP // 2) not in (black, closed, opened)
    assert tuple(image[0, 0].tolist()) == (255, 255, 255)


def test_a_bound_lint_is_red() -> None:
    # A ring of five stones around the centre can't close and shuts itself in.
    board = catena.Board.from_position("2 komi standard 0 bb/b1b/b1 w - 1")
    (lint,) = board.lints()
    assert lint.bound
    image = picture(board)
    red, green, blue = pixel(image, 2, 0, 0, right=STEP // 2)
    assert red > 2 * green
    assert red > 2 * blue
