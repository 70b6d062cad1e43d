"""The planes of ``Board.observe`` by the reference, literally, and their form as readable text.

A plane is a dict from the places where it isn't 0 to exact fractions.
"""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import reference
from reference import BLACK, WHITE, Cell, Position

Plane = dict[Cell, Fraction]

# In the order of the planes. The first DRAWN differ from cell to cell, the others have one value
# on the whole board.
NAMES = (
    "own stones",
    "opposing stones",
    "open cells",
    "ends of lints without owner",
    "own claimed lints",
    "opposing claimed lints",
    "length of the lint",
    "lead in the lint",
    "board",
    "button free",
    "button own",
    "button opposing",
    "komi",
    "two stones due",
    "phase komi",
    "phase colour",
    "phase play",
    "own is Black",
)
DRAWN = 8


def next_seat(slow: Position) -> int:
    """The seat to move or, once the game is over, the one whose turn would be next."""
    if slow.seat is not None:
        return slow.seat
    return slow.black_seat if slow._now.turn == BLACK else 1 - slow.black_seat


def planes_of(slow: Position, seat: int | None = None) -> dict[str, Plane]:
    """All planes, as ``seat`` or else the seat to move sees them."""
    now = slow._now
    cells = reference.board_cells(slow.size)
    viewer = next_seat(slow) if seat is None else seat
    # The first seat counts as Black until the colours are chosen.
    own = BLACK if viewer == slow.black_seat else WHITE
    opposing = reference.opponent(own)
    lint_at = {cell: lint for lint in now.lints for cell in lint}

    def stones(lint: frozenset[Cell], side: int) -> int:
        return sum(now.stones[cell] == side for cell in lint)

    def claimed(side: int) -> Plane:
        return {cell: Fraction(1) for cell, at in lint_at.items() if now.claims.get(at) == side}

    def marked(wanted: bool) -> Plane:
        return dict.fromkeys(cells, Fraction(1)) if wanted else {}

    komi = Fraction(now.komi or 0, 1000 if slow.scoring == "squares" else 15)
    button_is_free = now.button is None and slow.game != "double"
    planes = (
        {cell: Fraction(1) for cell, side in now.stones.items() if side == own},
        {cell: Fraction(1) for cell, side in now.stones.items() if side == opposing},
        {} if slow.is_over else dict.fromkeys(now.open_cells, Fraction(1)),
        {
            cell: Fraction(1)
            for cell, lint in lint_at.items()
            if lint not in now.claims and len(reference.touched(slow.size, lint, cell)) < 2
        },
        claimed(own),
        claimed(opposing),
        {cell: Fraction(len(lint), len(cells)) for cell, lint in lint_at.items()},
        {
            cell: Fraction(stones(lint, own) - stones(lint, opposing), len(lint))
            for cell, lint in lint_at.items()
        },
        marked(True),
        marked(button_is_free),
        marked(now.button == own),
        marked(now.button == opposing),
        dict.fromkeys(cells, komi if own == WHITE else -komi),
        marked(slow.phase == "play" and now.stones_due == 2),
        marked(slow.phase == "komi"),
        marked(slow.phase == "colour"),
        marked(slow.phase == "play"),
        marked(own == BLACK),
    )
    return dict(zip(NAMES, planes, strict=True))


def array_of(size: int, planes: dict[str, Plane]) -> np.ndarray:
    """The planes as ``observe`` gives them."""
    width = 2 * size - 1
    array = np.zeros((len(NAMES), width, width), np.float32)
    for plane, name in zip(array, NAMES, strict=True):
        for (column, row), value in planes[name].items():
            plane[column, row] = value
    return array


# --- As text --------------------------------------------------------------------------------------

# Half the room of a cell: the widest value is like -9/19.
HALF = 3


def drawn(size: int, plane: Plane) -> list[str]:
    """Row 1 on top, each row half a cell beside the row above it, as in a board's diagram."""
    lines = []
    for row in range(2 * size - 1):
        line = [" "] * HALF * (4 * size)
        for column, r in reference.board_cells(size):
            if r == row:
                value = str(plane.get((column, row), "."))
                at = HALF * (2 * column - row + size - 1)
                line[at : at + 2 * HALF] = value.rjust(2 * HALF)
        lines.append("".join(line).rstrip())
    return lines


def text_of(slow: Position, moves: str) -> str:
    """A file of ``data/planes``: a position as both seats see it."""
    start = Position(
        slow.size,
        game=slow.game,
        scoring=slow.scoring,
        komi=None if slow._names_komi else slow.komi,
    )
    lines = [
        "# The planes of Board.observe by tests/reference.py; see make_planes.py. The dot is 0.",
        f"start: {start.position}",
        f"moves: {moves}",
        f"position: {slow.position}",
        f"without a seat: seat {next_seat(slow)}",
    ]
    for seat in (0, 1):
        lines += ["", f"=== seat {seat} ==="]
        planes = planes_of(slow, seat)
        for name in NAMES[:DRAWN]:
            lines += ["", name, *drawn(slow.size, planes[name])]
        lines.append("")
        for name in NAMES[DRAWN:]:
            (value,) = {planes[name].get(cell, 0) for cell in reference.board_cells(slow.size)}
            lines.append(f"{name}: {value}")
    return "\n".join(lines) + "\n"


def read(text: str) -> tuple[dict[str, str], dict[int, np.ndarray]]:
    """The lines ``name: value`` above the views, and the planes that each seat sees."""
    head, *parts = re.split(r"^=== seat ([01]) ===$", text, flags=re.MULTILINE)
    facts = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
    size = int(facts["start"].split(" ")[0])
    cells = reference.board_cells(size)
    views = {}
    for seat, part in zip(parts[::2], parts[1::2], strict=True):
        planes: dict[str, Plane] = {}
        lines = iter(part.splitlines())
        for line in lines:
            name, colon, value = line.partition(": ")
            if colon:
                planes[name] = dict.fromkeys(cells, Fraction(value))
            elif name:
                rows = [next(lines).split() for _ in range(2 * size - 1)]
                by_row = sorted(cells, key=lambda cell: cell[::-1])
                values = [value for row in rows for value in row]
                planes[name] = {
                    cell: Fraction(value if value != "." else 0)
                    for cell, value in zip(by_row, values, strict=True)
                }
        views[int(seat)] = array_of(size, planes)
    return facts, views


# --- The positions of the files -------------------------------------------------------------------

# File -> the set-up, and the moves that lead to the position.
CASES: dict[str, tuple[int, str, str, int | None, str]] = {
    "naming": (2, "komi", "standard", None, ""),
    "choosing": (2, "komi", "standard", None, "komi:4"),
    "button-taken": (
        *(4, "komi", "standard", None),
        "komi:5 black D1 F5 D6 E4 C2 D4 B2 B4 A1 D5 D2 button A4 C6 G4",
    ),
    "large-komi": (
        *(4, "komi", "squares", None),
        "komi:664 white D3 D5 C4 B1 B2 D1 button F3 D7 D2 E7 F6 B5 B3 E5",
    ),
    "over": (3, "komi", "longest", 4, "E5 A2 D4 C2 C5 A1 B4 E3 C1 B3"),
    "no-komi-choosing": (3, "no-komi", "longest", 0, "D3"),
    "no-komi": (
        *(4, "no-komi", "longest", 0),
        "F4 white D3 B5 C4 A1 E5 D7 D5 F7 A4 D2 G7 A3 F5 C6 B2 G4",
    ),
    "double-one-due": (3, "double", "standard", 0, "B1 E4"),
    "double-strands": (
        *(4, "double", "standard", 0),
        "E7 G5 A1 F5 A2 E4 C5 G4 E6 D5 F3 C3 A4 B5 B3 B1 D7 D2 G7",
    ),
    "double-over": (3, "double", "squares", 0, "B2 A3 C4 A2 D3 D5 E5 E3 C2"),
}


def played(name: str) -> tuple[Position, str]:
    """A position of CASES and its moves."""
    size, game, scoring, komi, moves = CASES[name]
    slow = Position(size, game=game, scoring=scoring, komi=komi)
    for move in moves.split():
        slow.push(move)
    return slow, moves
