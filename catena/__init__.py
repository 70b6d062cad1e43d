"""Catena, a fast engine for the board game of that name: a Board, and functions on boards."""

from catena._checkout import folders_with_build as _folders_with_build

__path__ = _folders_with_build(__path__)

from catena import _core, display, notation
from catena._core import (
    BLACK,
    EMPTY,
    WHITE,
    Board,
    IllegalMoveError,
    Lint,
    build_info,
    divide,
    move_permutation,
    neighbours,
    perft,
)
from catena.notation import NotationError, cell_name, move_name, parse_cell, parse_move

__version__ = "0.1.0"

__all__ = [
    "BLACK",
    "EMPTY",
    "WHITE",
    "Board",
    "IllegalMoveError",
    "Lint",
    "NotationError",
    "build_info",
    "cell_name",
    "divide",
    "move_name",
    "move_permutation",
    "neighbours",
    "parse_cell",
    "parse_move",
    "perft",
]

# The core knows no text: methods like Board.position and Board.__str__ call what it is given here.
_core._set_text(notation.parse_move, notation.write_position, notation.read_position)
_core._set_display(display.diagram, display.svg)
