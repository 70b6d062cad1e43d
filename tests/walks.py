"""Random games, board geometry and position text, worked out apart from the engine's own code."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import catena

GAMES = ("komi", "no-komi", "double")
SCORINGS = ("standard", "longest", "squares")
COMBOS = tuple((game, scoring) for game in GAMES for scoring in SCORINGS)

Place = tuple[int, int]


@cache
def places(size: int) -> tuple[Place, ...]:
    """All (column, row) of a board, in the order in which cells are numbered."""
    width = 2 * size - 1
    return tuple((c, r) for c in range(width) for r in range(width) if abs(c - r) <= size - 1)


def around(place: Place) -> list[Place]:
    """The six places next to one, those off the board included."""
    c, r = place
    return [(c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1), (c + 1, r + 1), (c - 1, r - 1)]


def image_of(size: int, place: Place, symmetry: int) -> Place:
    """As ``transform`` says: from 6 on a reflection in the diagonal through A1, then turns by 60
    degrees; they carry the neighbour in the next column on to that in the next column and row."""
    x, y = place[0] - size + 1, place[1] - size + 1
    if symmetry >= 6:
        x, y = y, x
    for _ in range(symmetry % 6):
        x, y = x - y, x
    return x + size - 1, y + size - 1


@cache
def neighbour_lists(size: int) -> tuple[tuple[int, ...], ...]:
    """For each cell the cells next to it, ascending."""
    index = {place: cell for cell, place in enumerate(places(size))}
    near = ([index[p] for p in around(place) if p in index] for place in places(size))
    return tuple(tuple(sorted(cells)) for cells in near)


def name(size: int, cell: int) -> str:
    """The name of a cell, ``A1``."""
    c, r = places(size)[cell]
    return f"{chr(ord('A') + c)}{r + 1}"


def rows_text(size: int, stones: Mapping[int, str]) -> str:
    """The ROWS field for stones given as cell -> ``b`` or ``w``."""
    index = {place: cell for cell, place in enumerate(places(size))}
    rows = []
    for r in range(2 * size - 1):
        row, empty = "", 0
        for c in range(2 * size - 1):
            if (c, r) not in index:
                continue
            stone = stones.get(index[c, r])
            if stone is None:
                empty += 1
            else:
                row += (str(empty) if empty else "") + stone
                empty = 0
        rows.append(row + (str(empty) if empty else ""))
    return "/".join(rows)


def position_text(
    size: int,
    stones: Mapping[int, str],
    *,
    game: str = "komi",
    scoring: str = "standard",
    komi: str = "0",
    turn: str = "b",
    button: str = "-",
    black: str = "1",
) -> str:
    """A whole position text."""
    rows = rows_text(size, stones)
    return f"{size} {game} {scoring} {komi} {rows} {turn} {button} {black}"


def stones_of(board: catena.Board) -> dict[int, str]:
    """The stones of a board as cell -> ``b`` or ``w``."""
    letters = {catena.BLACK: "b", catena.WHITE: "w"}
    return {cell: letters[s] for cell, s in enumerate(board.stones().tolist()) if s}


def starts(
    sizes: Iterable[int] = (6,), combos: Iterable[tuple[str, str]] = COMBOS
) -> list[catena.Board]:
    """New boards: every size with every combination, the komi game with and without its naming."""
    return [
        catena.Board(size, game=game, scoring=scoring, komi=komi)
        for size in sizes
        for game, scoring in combos
        for komi in ((0, None) if game == "komi" else (0,))
    ]


def setup_of(board: catena.Board) -> str:
    """The set-up of a board, to name a test by."""
    return f"{board.size}-{board.game}-{board.scoring}-{board.komi}"


def walk(board: catena.Board, rng: random.Random, plies: int = 10_000) -> Iterator[int]:
    """Play random legal moves on ``board``; yields each after it was made.

    A uniform choice takes the button in nearly every game; here one game in three never does.
    """
    never = rng.random() < 1 / 3
    for _ in range(plies):
        moves = board.legal_moves()
        if never and len(moves) > 1 and moves[-1] == board.num_cells:
            moves.pop()
        if not moves:
            return
        move = rng.choice(moves)
        board.push(move)
        yield move


def snapshot(board: catena.Board) -> tuple[object, ...]:
    """All that must not change when a call is refused."""
    return (
        board.position,
        board.key,
        board.ply,
        tuple(board.history),
        tuple(board.legal_moves()),
        board.phase,
        board.turn,
        board.seat,
        board.button,
        board.stones_due,
        tuple(board.lints()),
    )
