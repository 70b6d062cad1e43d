"""Text for cells, moves and positions: names to numbers and back.

Cells and moves are read in either case; a position has one spelling only.  Its fields, one space
between them, are::

    SIZE GAME SCORING KOMI ROWS TURN BUTTON BLACK
    6 komi standard 0 6/7/8/9/10/11/10/9/8/7/6 b - 1
"""

import re
from collections.abc import Callable, Collection
from functools import cache
from operator import index, itemgetter
from typing import Any, Literal

from catena._core import (
    BLACK,
    EMPTY,
    GAMES,
    SCORINGS,
    WHITE,
    Board,
    PositionFault,
    board_from_fields,
    cell_column_row,
)

__all__ = [
    "NotationError",
    "cell_name",
    "column_letter",
    "move_name",
    "parse_cell",
    "parse_move",
    "read_position",
    "rows_of_cells",
    "write_position",
]

FIELDS = ("SIZE", "GAME", "SCORING", "KOMI", "ROWS", "TURN", "BUTTON", "BLACK")
SIZE, GAME, SCORING, KOMI, ROWS, TURN, BUTTON, BLACK_SEAT = range(8)

SIZES = {str(size): size for size in range(2, 11)}
SIDES = {"b": BLACK, "w": WHITE, "-": EMPTY}
LETTERS = {BLACK: "b", WHITE: "w", EMPTY: "-"}
# The phase and the side to move that TURN tells.
TURNS: dict[str, tuple[Literal["komi", "colour", "play"], int]] = {
    "b": ("play", BLACK),
    "w": ("play", WHITE),
    "b1": ("play", BLACK),
    "w1": ("play", WHITE),
    "komi": ("komi", EMPTY),
    "colour": ("colour", EMPTY),
}
# The spellings of the fields that have a fixed set of them.
VALUES: dict[int, Collection[str]] = {
    SIZE: SIZES,
    GAME: GAMES,
    SCORING: SCORINGS,
    TURN: TURNS,
    BUTTON: SIDES,
    BLACK_SEAT: ("1", "2"),
}

# Runs of empty cells with their spelling, the longest first: so neither is ever replaced in part.
RUNS = tuple(("." * length, str(length)) for length in range(19, 0, -1))
_STONES = bytes.maketrans(bytes([EMPTY, BLACK, WHITE]), b".bw")
_SIDES = bytes.maketrans(b".bw", bytes([EMPTY, BLACK, WHITE]))
_SEPARATOR = b"/"
# What the rows may begin with: matching stops at the first character that is wrong.
_ROWS = re.compile(r"(?:[bw/]+|(?:1[0-9]|[1-9])(?![0-9]))*+")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")


class NotationError(ValueError):
    """Text that is no cell, move or position; the message says where and why."""


# --- cells --------------------------------------------------------------------------------------


@cache
def rows_of_cells(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the cells of each row, row 1 first and by column: the order of position text."""
    rows: list[list[int]] = [[] for _ in range(2 * size - 1)]
    for cell in range(3 * size * (size - 1) + 1):
        rows[cell_column_row(size, cell)[1]].append(cell)
    return tuple(map(tuple, rows))


def column_letter(column: int) -> str:
    """Return the letter of a column, counted from 0."""
    return chr(ord("A") + column)


@cache
def _cell_names(size: int) -> tuple[str, ...]:
    places = (cell_column_row(size, cell) for cell in range(3 * size * (size - 1) + 1))
    return tuple(f"{column_letter(column)}{row + 1}" for column, row in places)


@cache
def _cell_numbers(size: int) -> dict[str, int]:
    return {name.lower(): cell for cell, name in enumerate(_cell_names(size))}


def cell_name(size: int, cell: int) -> str:
    """Return the name of a cell on the board of ``size`` cells a side, ``D6`` say.

    :raises ValueError: for a size other than 2 to 10, or a cell off the board.
    """
    names = _cell_names(_board_size(size))
    return _entry(names, cell, f"the cells of size {size}")


def parse_cell(size: int, text: str) -> int:
    """Return the cell that ``text`` names, in either case, on the board of ``size`` cells a side.

    :raises NotationError: if no cell there has that name.
    :raises ValueError: for a size other than 2 to 10.
    """
    cells = _cell_numbers(_board_size(size))
    cell = cells.get(_lower(text, "a cell's name"))
    if cell is None:
        last = _cell_names(size)[-1]
        raise NotationError(f"{_short(text)} is no cell of the board of size {size} (A1 to {last})")
    return cell


# --- moves --------------------------------------------------------------------------------------


@cache
def _move_names(size: int, num_moves: int) -> tuple[str, ...]:
    names = (*_cell_names(size), "button", "black", "white")
    return names + tuple(f"komi:{komi}" for komi in range(num_moves - len(names)))


@cache
def _move_numbers(size: int, num_moves: int) -> dict[str, int]:
    return {name.lower(): move for move, name in enumerate(_move_names(size, num_moves))}


def move_name(board: Board, move: int) -> str:
    """Return the text of a move of the numbering of ``board``: ``D6``, ``button``, ``komi:7`` say.

    The move need not be legal now.

    :raises ValueError: for a number outside 0 to ``board.num_moves - 1``.
    """
    names = _move_names(board.size, board.num_moves)
    return _entry(names, move, "this board's moves")


def parse_move(board: Board, text: str) -> int:
    """Return the move that ``text`` names, in either case, in the numbering of ``board``.

    The move need not be legal now.

    :raises NotationError: if it is no move of that numbering.
    """
    move = _move_numbers(board.size, board.num_moves).get(_lower(text, "a move's text"))
    if move is None:
        raise NotationError(f"{_short(text)} is no move of this board (size {board.size})")
    return move


# --- positions ----------------------------------------------------------------------------------


@cache
def _into_rows(size: int) -> Callable[[bytes], tuple[Any, ...]]:
    """Return a picker of row order with separators, out of cell order plus one separator."""
    order: list[int] = []
    for cells in rows_of_cells(size):
        order += [*cells, 3 * size * (size - 1) + 1]
    return itemgetter(*order[:-1])


@cache
def _into_cells(size: int) -> Callable[[bytes], tuple[Any, ...]]:
    """Return a picker of cell order out of cells in row order."""
    order = [cell for cells in rows_of_cells(size) for cell in cells]
    return itemgetter(*sorted(range(len(order)), key=order.__getitem__))


def write_position(board: Board) -> str:
    """Return the one line of text for the position of ``board``, its only spelling."""
    size, phase, komi = board.size, board.phase, board.komi
    stones = board.stones().tobytes().translate(_STONES)
    rows = bytes(_into_rows(size)(stones + _SEPARATOR)).decode("ascii")
    for run, number in RUNS:
        rows = rows.replace(run, number)
    if phase in ("komi", "colour"):
        turn = phase
    else:
        turn = LETTERS[board._next_side]
        halfway = board.game == "double" and phase == "play" and board.stones_due == 1
        if halfway and stones.strip(b"."):  # the first turn is one stone, none of it placed
            turn += "1"
    button = LETTERS[board.button or EMPTY]
    return (
        f"{size} {board.game} {board.scoring} {'?' if komi is None else komi} "
        f"{rows} {turn} {button} {board.black_seat + 1}"
    )


def read_position(text: str) -> Board:
    """Return a board with the position that one line of text tells.

    :raises NotationError: if it is no position; the message names the field and the place in it.
    """
    if not isinstance(text, str):
        raise TypeError(f"a position is a str, not {type(text).__name__}")
    fields = text.split(" ", len(FIELDS))
    for field, value in enumerate(fields[: len(FIELDS)]):
        if not value:
            raise _refusal(fields, field, "empty; fields stand one space apart")
    if len(fields) < len(FIELDS):
        missing, last = FIELDS[len(fields)], FIELDS[len(fields) - 1]
        raise NotationError(f"{missing}: missing, the text ends after {last}")
    if len(fields) > len(FIELDS):
        raise NotationError(f"BLACK: trailing text after this last field: {_short(fields[-1])}")
    _check_values(fields)
    size, game, scoring, turn = SIZES[fields[SIZE]], fields[GAME], fields[SCORING], fields[TURN]
    stones = _read_rows(size, fields[ROWS])
    _check_situation(fields, stones)
    phase, side = TURNS[turn]
    one_due = game != "double" or turn.endswith("1") or not any(stones)
    try:
        return board_from_fields(
            size,
            game,
            scoring,
            None if fields[KOMI] == "?" else int(fields[KOMI]),
            stones,
            phase,
            side,
            1 if one_due else 2,
            SIDES[fields[BUTTON]],
            int(fields[BLACK_SEAT]) - 1,
        )
    except PositionFault as fault:
        raise NotationError(_fault_message(size, turn, fault)) from None


def _check_values(fields: list[str]) -> None:
    """Check each field but ROWS by itself, and the komi against game and turn."""
    for field, values in VALUES.items():
        if fields[field] not in values:
            raise _refusal(fields, field, f"{_short(fields[field])} is none of {', '.join(values)}")
    game, komi, turn = fields[GAME], fields[KOMI], fields[TURN]
    if game != "komi":
        if komi != "0":
            raise _refusal(fields, KOMI, f"{_short(komi)} is not 0, which it is in the {game} game")
    elif komi == "?" or turn == "komi":
        if komi != "?" or turn != "komi":
            raise _refusal(fields, KOMI, f"{_short(komi)}: it is ? while the turn is komi")
    else:
        most = 1000 if fields[SCORING] == "squares" else 15
        if not _NUMBER.fullmatch(komi) or int(komi) > most:
            raise _refusal(fields, KOMI, f"{_short(komi)} is no number from 0 to {most}")


def _read_rows(size: int, text: str) -> bytes:
    """Return the stones in cell order, a side each, from the field ROWS."""
    wanted = rows_of_cells(size)
    matched = _ROWS.match(text)
    end = matched.end() if matched else 0
    if end < len(text):
        what = "is no stone, / or number up to 19, the longest row"
        row, place = text.count("/", 0, end) + 1, end - text.rfind("/", 0, end)
        raise NotationError(f"ROWS: row {row}, character {place}: {text[end]!a} {what}")
    for run, number in RUNS:
        text = text.replace(number, run)
    rows = text.split("/")
    if len(rows) != len(wanted):
        raise NotationError(f"ROWS: {len(rows)} rows, not {len(wanted)} (size {size})")
    for i, (row_cells, expected) in enumerate(zip(rows, wanted, strict=True), 1):
        if len(row_cells) != len(expected):
            raise NotationError(f"ROWS: row {i} holds {len(row_cells)} cells, not {len(expected)}")
    cells = "".join(rows).encode("ascii").translate(_SIDES)
    return bytes(_into_cells(size)(cells))


def _check_situation(fields: list[str], stones: bytes) -> None:
    """Check turn, button and seat against the game and the stones."""
    game, turn, empty = fields[GAME], fields[TURN], not any(stones)
    setup, second = turn in ("komi", "colour"), turn in ("b1", "w1")
    double = game == "double"
    # Nobody has chosen a colour yet; in the double game nobody does.
    opening = setup or double or (game == "no-komi" and empty)
    when = "in the double game" if double else "before the colours are chosen"
    wrong = (
        (turn == "komi" and game != "komi", TURN, f"no komi is named in the {game} game"),
        (turn == "colour" and double, TURN, f"no colour is chosen {when}"),
        (second and not double, TURN, f"{turn} is for the double game; a turn here is one move"),
        (second and empty, TURN, f"{turn} wants a stone of this turn, but the board is empty"),
        (setup and game == "komi" and not empty, ROWS, f"not empty, though the turn is {turn}"),
        (
            turn == "colour" and game == "no-komi" and sorted(stones)[-2:] != [EMPTY, BLACK],
            ROWS,
            "not one black stone and no other, though the turn is colour",
        ),
        (
            turn == "w" and game != "komi" and empty,
            TURN,
            f"w on the empty board, though Black begins the {game} game",
        ),
        (fields[BUTTON] != "-" and opening, BUTTON, f"not -, though nobody can have it {when}"),
        (fields[BLACK_SEAT] != "1" and opening, BLACK_SEAT, f"not 1, which it is {when}"),
    )
    for is_wrong, field, what in wrong:
        if is_wrong:
            raise _refusal(fields, field, what)


def _fault_message(size: int, turn: str, fault: PositionFault) -> str:
    """Say what the rules have against the stones."""
    if fault.reason == "no-room":
        return f"TURN: {turn} leaves no open cell for the second stone of the turn"
    name = cell_name(size, fault.cell)
    if fault.reason == "colours":
        return f"ROWS: the lint at {name} is bound but has stones of both colours"
    why = {"crowded": "a stone touches three others", "ring": "it closes into a ring"}[fault.reason]
    return f"ROWS: the group at {name} is no lint ({why})"


# --- checks -------------------------------------------------------------------------------------


def _refusal(fields: list[str], field: int, what: str) -> NotationError:
    place = sum(len(value) + 1 for value in fields[:field]) + 1
    return NotationError(f"{FIELDS[field]}: {what} (character {place})")


def _short(value: object) -> str:
    """Quote a value for a message: one printable line, however long the value is."""
    if isinstance(value, int) and value.bit_length() > 64:
        return "a number of more than 64 bits"
    text = ascii(value[:30] if isinstance(value, str) else value)
    return f"{text}..." if isinstance(value, str) and len(value) > 30 else text


def _lower(text: str, what: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{what} is a str, not {type(text).__name__}")
    # Some letters beyond ASCII become ASCII ones in lower case (the kelvin sign a k): not here.
    return text.lower() if text.isascii() else ""


def _whole(value: int, what: str) -> int:
    if isinstance(value, bool):
        raise TypeError(f"{what} is an int, not bool")
    return index(value)


def _entry(names: tuple[str, ...], number: int, what: str) -> str:
    number = _whole(number, "a cell or move")
    if not 0 <= number < len(names):
        raise ValueError(f"{_short(number)} is not among {what}, 0 to {len(names) - 1}")
    return names[number]


def _board_size(size: int) -> int:
    size = _whole(size, "a size")
    if not 2 <= size <= 10:
        raise ValueError(f"size must be 2 to 10, got {_short(size)}")
    return size
