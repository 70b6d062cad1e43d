"""Catena, a fast engine for the board game of that name: a Board, and functions on boards."""

from catena._checkout import folders_with_build as _folders_with_build

__path__ = _folders_with_build(__path__)

from catena import _core, _loops, display, notation
from catena._core import (
    BLACK,
    EMPTY,
    NUM_PLANES,
    WHITE,
    Batch,
    Board,
    IllegalMoveError,
    Lint,
    build_info,
    canonical,
    cell_permutation,
    inverse_symmetry,
    move_permutation,
    neighbours,
)
from catena.counting import divide, perft
from catena.notation import NotationError, cell_name, move_name, parse_cell, parse_move
from catena.playouts import Playouts, playouts
from catena.selfplay import Game, selfplay

__version__ = "0.1.0"

# fmt: off
__all__ = [
    "BLACK", "EMPTY", "NUM_PLANES", "WHITE", "Batch", "Board", "Game",
    "IllegalMoveError", "Lint", "NotationError", "Playouts", "build_info", "canonical",
    "cell_name", "cell_permutation", "divide", "inverse_symmetry", "move_name",
    "move_permutation", "neighbours", "parse_cell", "parse_move", "perft", "playouts",
    "selfplay",
]
# fmt: on

# The core knows no text: methods like Board.position and Board.__str__ call what it is given here.
_core._set_text(notation.parse_move, notation.write_position, notation.read_position)
_core._set_display(display.diagram, display.svg)
_loops.use_best_loops()
