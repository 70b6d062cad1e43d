"""A picture of a board as an array of pixels, drawn with NumPy alone."""

from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from catena import Board
from catena._core import cell_column_row
from catena.display import (
    BOUND_INK,
    CLOSED_FILL,
    EDGE,
    OPEN_FILL,
    PAPER,
    STONE_FILLS,
    UNBOUND_INK,
)

__all__ = ["picture"]

# All lengths are in pixels of a canvas that is twice as wide and high as the picture.
HALF_WIDTH, ROW_HEIGHT = 40, 69  # of a hexagon standing on a corner; the distance of two rows
MARGIN = 60  # from the centres of the outer cells
STONE, RIM, BOUND_RIM, LINE = 28, 2, 5, 7  # radii, and widths of the rims
PLANE_OPEN = 2  # of Board.observe

Mask = NDArray[np.bool_]


def picture(board: Board) -> NDArray[np.uint8]:
    """Return the board as uint8[height, width, 3], the colours as in the SVG of notebooks.

    Closed cells are darker than open ones.  A line joins the stones of a lint; the line of a bound
    lint and the rims of its stones are red.  There is no text in it.
    """
    size, stones = board.size, board.stones().tolist()
    opened = board.observe()[PLANE_OPEN]
    places = [cell_column_row(size, cell) for cell in range(board.num_cells)]
    centres = [
        (MARGIN + HALF_WIDTH * (2 * column - row + size - 1), MARGIN + ROW_HEIGHT * row)
        for column, row in places
    ]
    width, height = (max(ends) + MARGIN for ends in zip(*centres, strict=True))
    canvas = np.empty((height + height % 2, width + width % 2, 3), np.uint8)
    canvas[:] = _colour(PAPER)

    for cell, centre in enumerate(centres):
        is_open = stones[cell] or opened[places[cell]]
        _stamp(canvas, centre, _hexagon(HALF_WIDTH), EDGE)
        _stamp(canvas, centre, _hexagon(HALF_WIDTH - 2), OPEN_FILL if is_open else CLOSED_FILL)
    for lint in board.lints():
        ink, rim = (BOUND_INK, BOUND_RIM) if lint.bound else (UNBOUND_INK, RIM)
        points = np.array([centres[cell] for cell in lint.cells])
        for start, end in pairwise(points):
            for share in np.linspace(0, 1, 12):
                x, y = np.rint(start + share * (end - start)).astype(int)
                _stamp(canvas, (x, y), _disc(LINE), ink)
        for cell in lint.cells:
            _stamp(canvas, centres[cell], _disc(STONE), ink)
            _stamp(canvas, centres[cell], _disc(STONE - rim), STONE_FILLS[stones[cell]])

    # The mean of each square of four pixels smooths the edges.
    wide = canvas.astype(np.uint16)
    fours = wide[::2, ::2] + wide[::2, 1::2] + wide[1::2, ::2] + wide[1::2, 1::2]
    return (fours // 4).astype(np.uint8)


def _stamp(canvas: NDArray[np.uint8], centre: tuple[int, int], mask: Mask, colour: str) -> None:
    """Colour the pixels of a square mask laid on ``centre``, an (x, y) in the canvas."""
    reach, (x, y) = len(mask) // 2, centre
    canvas[y - reach : y + reach + 1, x - reach : x + reach + 1][mask] = _colour(colour)


@cache
def _colour(text: str) -> tuple[int, int, int]:
    """Return red, green and blue of ``#rgb`` or ``#rrggbb``."""
    digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
    red, green, blue = bytes.fromhex(digits)
    return red, green, blue


@cache
def _disc(radius: int) -> Mask:
    y, x = np.ogrid[-radius : radius + 1, -radius : radius + 1]
    return np.asarray(x * x + y * y <= radius * radius)


@cache
def _hexagon(half_width: int) -> Mask:
    """Return a hexagon on a corner: three pairs of sides, each ``half_width`` from the centre."""
    reach = half_width * 7 // 6 + 1  # the corners are 2 / sqrt(3) as far away
    y, x = np.ogrid[-reach : reach + 1, -reach : reach + 1]
    inside = [np.abs(x * np.cos(a) + y * np.sin(a)) <= half_width for a in np.pi / 3 * np.arange(3)]
    return np.asarray(inside[0] & inside[1] & inside[2])
