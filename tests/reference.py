"""A second engine for Catena, literal and slow, against which the tests hold the fast one.

It shares nothing with the package ``catena``. Every function quotes the sentence of the rules it
carries out, so that it can be checked sentence by sentence. Groups are found by flood fill on sets
of cells, a position is a whole snapshot, and ``pop`` goes back to the snapshot before. The only
care for time: the groups and the open cells of a set of stones, and whether a group is a lint, are
remembered for the sets asked about last.

A cell is a pair (column, row), both from 0; on the surface it is its number, counted column by
column. Pairs sort in the order of their numbers.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import NamedTuple, Self

Cell = tuple[int, int]

EMPTY, BLACK, WHITE = 0, 1, 2
GAMES = ("komi", "no-komi", "double")
SCORINGS = ("standard", "longest", "squares")
LETTER = {BLACK: "b", WHITE: "w"}


def opponent(side: int) -> int:
    return WHITE if side == BLACK else BLACK


# --- The board ------------------------------------------------------------------------------------


@cache
def board_cells(size: int) -> tuple[Cell, ...]:
    """All cells, in the order of their numbers.

    "With 0-based column c and row r, the board is all (c, r) with 0 <= c, r <= 2n-2 and
    |c - r| <= n-1."
    """
    width = 2 * size - 1
    return tuple((c, r) for c in range(width) for r in range(width) if abs(c - r) <= size - 1)


@cache
def neighbour_table(size: int) -> dict[Cell, tuple[Cell, ...]]:
    """The neighbours of every cell.

    "The six neighbours of (c, r) are (c±1, r), (c, r±1), (c+1, r+1) and (c-1, r-1)."
    """
    cells = set(board_cells(size))
    table = {}
    for c, r in cells:
        six = [(c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1), (c + 1, r + 1), (c - 1, r - 1)]
        table[c, r] = tuple(cell for cell in six if cell in cells)
    return table


def neighbours(size: int, cell: Cell) -> tuple[Cell, ...]:
    return neighbour_table(size)[cell]


@cache
def number_table(size: int) -> dict[Cell, int]:
    """The number of every cell: A1 = 0, A2 = 1, and so on, column by column."""
    return {cell: number for number, cell in enumerate(board_cells(size))}


def cell_name(cell: Cell) -> str:
    """The name: "A cell is named by a column letter and a row number: A1"."""
    column, row = cell
    return "ABCDEFGHIJKLMNOPQRS"[column] + str(row + 1)


# --- Groups and lints -----------------------------------------------------------------------------


def touched(size: int, occupied: Collection[Cell], cell: Cell) -> list[Cell]:
    """The stones next to a cell."""
    return [other for other in neighbours(size, cell) if other in occupied]


def group_of(size: int, occupied: Collection[Cell], cell: Cell) -> frozenset[Cell]:
    """The group of the stone on ``cell``.

    "group: all stones joined through neighbouring stones, whatever their colour."
    """
    group = {cell}
    waiting = [cell]
    while waiting:
        for other in touched(size, occupied, waiting.pop()):
            if other not in group:
                group.add(other)
                waiting.append(other)
    return frozenset(group)


@lru_cache(maxsize=1_000)
def all_groups(size: int, occupied: frozenset[Cell]) -> frozenset[frozenset[Cell]]:
    """All groups."""
    groups: set[frozenset[Cell]] = set()
    for cell in occupied:
        if not any(cell in group for group in groups):
            groups.add(group_of(size, occupied, cell))
    return frozenset(groups)


@lru_cache(maxsize=200_000)
def is_lint(size: int, group: frozenset[Cell]) -> bool:
    """Whether a group is a lint.

    "lint (a ribbon): a group that is one single chain: every stone touches at most two other
    stones and the chain does not close into a ring. A single stone is a lint. Three stones that
    touch one another are a ring."

    A chain that closes into a ring has no end: each of its stones touches exactly two others.
    """
    touching = [len(touched(size, group, cell)) for cell in group]
    return max(touching) <= 2 and min(touching) < 2


def is_open(
    size: int,
    occupied: Collection[Cell],
    cell: Cell,
    group_at: dict[Cell, frozenset[Cell]] | None = None,
) -> bool:
    """Whether a stone can be placed on a cell.

    "place a stone of one's own colour on an empty cell, provided that every group is still a lint
    afterwards. [...] Whether a cell is open does not depend on anyone's colour."

    Only the group of the new stone changes, so it is the one to look at: the stone and the groups
    it touches. Where it touches three stones or more there is no need to look further. A caller
    that asks about many cells can hand over the groups, found once.
    """
    if cell in occupied:
        return False
    stones = touched(size, occupied, cell)
    if len(stones) > 2:
        return False
    if group_at is None:
        joined = [group_of(size, occupied, stone) for stone in stones]
    else:
        joined = [group_at[stone] for stone in stones]
    return is_lint(size, frozenset({cell}).union(*joined))


@lru_cache(maxsize=1_000)
def all_open_cells(size: int, occupied: frozenset[Cell]) -> frozenset[Cell]:
    """All open cells: "Whether a cell is open depends on the set of occupied cells only"."""
    group_at = {cell: group for group in all_groups(size, occupied) for cell in group}
    return frozenset(c for c in board_cells(size) if is_open(size, occupied, c, group_at))


def is_bound(size: int, occupied: frozenset[Cell], lint: frozenset[Cell]) -> bool:
    """Whether a lint is bound.

    "bound: a lint is bound when it can't be lengthened: no stone can be placed next to it."
    """
    open_cells = all_open_cells(size, occupied)
    return not any(other in open_cells for cell in lint for other in neighbours(size, cell))


def in_chain_order(size: int, lint: frozenset[Cell]) -> list[Cell]:
    """The cells of a lint from one end to the other, starting at the end with the lower number."""
    chain = [min(cell for cell in lint if len(touched(size, lint, cell)) < 2)]
    while len(chain) < len(lint):
        chain += [cell for cell in touched(size, lint, chain[-1]) if cell not in chain]
    return chain


# --- A position -----------------------------------------------------------------------------------


class Lint(NamedTuple):
    """A lint as the surface shows it: numbers of its cells, stones of each colour, owner."""

    cells: tuple[int, ...]
    black: int
    white: int
    bound: bool
    owner: int | None


@dataclass(frozen=True)
class Snapshot:
    """All that a move can change. ``turn`` is the side that would be next even when over."""

    size: int
    phase: str
    turn: int
    stones_due: int
    stones: dict[Cell, int]
    claims: dict[frozenset[Cell], int]
    button: int | None
    komi: int | None
    black_seat: int

    @cached_property
    def occupied(self) -> frozenset[Cell]:
        return frozenset(self.stones)

    @property
    def lints(self) -> frozenset[frozenset[Cell]]:
        """Every group on the board is a lint: the rules allow no other."""
        return all_groups(self.size, self.occupied)

    @property
    def open_cells(self) -> frozenset[Cell]:
        return all_open_cells(self.size, self.occupied)

    def is_bound(self, lint: frozenset[Cell]) -> bool:
        return is_bound(self.size, self.occupied, lint)

    @cached_property
    def shown_lints(self) -> tuple[Lint, ...]:
        """The lints with all that the surface tells of them, by their first cell."""
        numbers = number_table(self.size)
        shown = []
        for lint in self.lints:
            shown.append(
                Lint(
                    cells=tuple(numbers[cell] for cell in in_chain_order(self.size, lint)),
                    black=sum(self.stones[cell] == BLACK for cell in lint),
                    white=sum(self.stones[cell] == WHITE for cell in lint),
                    bound=self.is_bound(lint),
                    owner=self.claims.get(lint),
                )
            )
        return tuple(sorted(shown))

    def leaves_a_cell(self, cell: Cell) -> bool:
        """Whether another stone can be placed after one on ``cell``."""
        occupied = self.occupied | {cell}
        # All cells are looked at, those open now first, where one is soon found.
        in_turn = [*self.open_cells, *board_cells(self.size)]
        return any(is_open(self.size, occupied, other) for other in in_turn)

    @cached_property
    def cells_for_a_stone(self) -> frozenset[Cell]:
        """The cells where the next stone may go.

        "A turn is two stones or none: the first stone of a turn may only go where it leaves at
        least one cell for the second."
        """
        if self.stones_due == 2:
            return frozenset(cell for cell in self.open_cells if self.leaves_a_cell(cell))
        return self.open_cells

    def claim(self, lint: frozenset[Cell], placer: int) -> "Snapshot":
        """The lint claimed.

        "claimed by the colour with the most stones in it: the other colour's stones in it are
        replaced. With as many of each colour, it goes to the opponent of the player who placed
        the stone."
        """
        black = sum(self.stones[cell] == BLACK for cell in lint)
        white = sum(self.stones[cell] == WHITE for cell in lint)
        owner = opponent(placer) if black == white else BLACK if black > white else WHITE
        return replace(
            self,
            stones={**self.stones, **dict.fromkeys(lint, owner)},
            claims={**self.claims, lint: owner},
        )

    def place(self, cell: Cell) -> "Snapshot":
        """A stone of the side to move on a cell, and the claims that follow; the turn stays.

        "After each placement, every lint that has just become bound (the one just lengthened, or
        others that the new stone has shut in; there can be several) is claimed [...] A bound lint
        never changes again."
        """
        after = replace(self, stones={**self.stones, cell: self.turn})
        for lint in after.lints:
            if after.is_bound(lint) and lint not in self.claims:
                after = after.claim(lint, self.turn)
        return after


# --- Scoring --------------------------------------------------------------------------------------


def standard_scores(now: Snapshot) -> tuple[float, float]:
    """Rule: "standard (default): the stones of one's colour on the board, plus half a point for the
    button, plus the komi for White."
    """
    black = sum(side == BLACK for side in now.stones.values())
    white = sum(side == WHITE for side in now.stones.values())
    return black + button_points(now, BLACK), white + button_points(now, WHITE) + (now.komi or 0)


def squares_scores(now: Snapshot) -> tuple[float, float]:
    """Rule: "squares: each lint counts the square of its number of stones for its owner; button and
    komi as in the standard scoring."
    """
    black = sum(len(lint) ** 2 for lint, owner in now.claims.items() if owner == BLACK)
    white = sum(len(lint) ** 2 for lint, owner in now.claims.items() if owner == WHITE)
    return black + button_points(now, BLACK), white + button_points(now, WHITE) + (now.komi or 0)


def button_points(now: Snapshot, side: int) -> float:
    """Rule: "button: a token worth half a point at the end"."""
    return 0.5 if now.button == side else 0.0


def longest_scores(now: Snapshot) -> tuple[float, float]:
    """Rule: "longest: pairs of lints of equal length and opposite colour are removed until there
    are none [...] The komi is first added to the length of White's longest lint (one of them, if
    several are longest). If White owns no lint, the komi is added to nothing. A player's score is
    the length of the longest lint they have left, 0 if none."
    """
    black = [len(lint) for lint, owner in now.claims.items() if owner == BLACK]
    white = [len(lint) for lint, owner in now.claims.items() if owner == WHITE]
    if white:
        longest = max(white)
        white.remove(longest)
        white.append(longest + (now.komi or 0))
    for length in list(black):
        if length in white:
            black.remove(length)
            white.remove(length)
    return float(max(black, default=0)), float(max(white, default=0))


# --- The game -------------------------------------------------------------------------------------


class IllegalMoveError(ValueError):
    """A move that the rules refuse."""


class Position:
    """A game of Catena: the part of ``catena.Board``'s surface that the tests compare."""

    def __init__(
        self,
        size: int = 6,
        *,
        game: str = "komi",
        scoring: str = "standard",
        komi: int | None = 0,
    ) -> None:
        """The start of a game.

        "Black and White move in turn, Black first." With the komi game and no komi the game starts
        in the phase "komi"; all others start in play, the first player (seat 0) Black. "Black
        places one stone in the first turn" of the double game.
        """
        if size not in range(2, 11) or game not in GAMES or scoring not in SCORINGS:
            raise ValueError("no such board")
        self.size = size
        self.game = game
        self.scoring = scoring
        self.num_cells = len(board_cells(size))
        self._highest_komi = 1000 if scoring == "squares" else 15
        self._names_komi = game == "komi" and komi is None
        allowed = range(self._highest_komi + 1) if game == "komi" else (0,)
        if not self._names_komi and komi not in allowed:
            raise ValueError("no such komi")
        self.history: list[int] = []
        self._past: list[Snapshot] = []
        self._now = Snapshot(
            size=size,
            phase="komi" if self._names_komi else "play",
            turn=BLACK,
            stones_due=1,
            stones={},
            claims={},
            button=None,
            komi=komi,
            black_seat=0,
        )

    # --- What stands on the board

    def stones(self) -> list[int]:
        """What is on each cell: EMPTY, BLACK or WHITE."""
        return [self._now.stones.get(cell, EMPTY) for cell in board_cells(self.size)]

    def lints(self) -> list[Lint]:
        """All lints, by their first cell."""
        return list(self._now.shown_lints)

    def lint_at(self, cell: int) -> Lint | None:
        """The lint that holds a cell, None for an empty one."""
        if cell not in range(self.num_cells):
            raise ValueError(f"no cell {cell}")
        return next((lint for lint in self.lints() if cell in lint.cells), None)

    # --- Whose move it is

    @property
    def num_moves(self) -> int:
        """Cells, button and two colours; the numbers of the komi where it is named in the game."""
        return self.num_cells + 3 + (self._highest_komi + 1 if self._names_komi else 0)

    @property
    def komi(self) -> int | None:
        return self._now.komi

    @property
    def phase(self) -> str:
        return self._now.phase

    @property
    def is_over(self) -> bool:
        return self._now.phase == "over"

    @property
    def turn(self) -> int | None:
        return self._now.turn if self._now.phase == "play" else None

    @property
    def seat(self) -> int | None:
        """The seat to move.

        "Before play the first player names the komi [...]; then the second player chooses a
        colour."
        """
        if self._now.phase == "play":
            return self._now.black_seat if self._now.turn == BLACK else 1 - self._now.black_seat
        return {"komi": 0, "colour": 1, "over": None}[self._now.phase]

    @property
    def black_seat(self) -> int:
        return self._now.black_seat

    @property
    def stones_due(self) -> int:
        return self._now.stones_due

    @property
    def button(self) -> int | None:
        return self._now.button

    @property
    def ply(self) -> int:
        return len(self.history)

    # --- Moves

    def legal_moves(self) -> list[int]:
        """The moves of the phase, in ascending order.

        "A turn is one of: place a stone [...]; take the button, once a game, if neither player has
        it. There is no passing." "taking the button is not possible in a finished game". "no-komi.
        The first player places a black stone (a stone, not the button)." "double. [...] no komi and
        no button."
        """
        now = self._now
        if now.phase == "over":
            return []
        if now.phase == "komi":
            return [self.num_cells + 3 + komi for komi in range(self._highest_komi + 1)]
        if now.phase == "colour":
            return [self.num_cells + 1, self.num_cells + 2]
        moves = sorted(number_table(self.size)[cell] for cell in now.cells_for_a_stone)
        if self._has_button() and now.button is None:
            moves.append(self.num_cells)
        return moves

    @property
    def legal_count(self) -> int:
        return len(self.legal_moves())

    @property
    def open_count(self) -> int:
        """The number of open cells, those that would strand included."""
        return len(self._now.open_cells)

    def is_legal(self, move: int | str) -> bool:
        return self.move_number(move) in self.legal_moves()

    def _has_button(self) -> bool:
        """Whether a button is there to be taken, or was."""
        if self.game == "no-komi" and not self._now.stones:
            return False
        return self.game != "double"

    def why_illegal(self, move: int | str) -> str | None:
        """The first reason that applies, None for a legal move."""
        now = self._now
        number = self.move_number(move)
        if now.phase == "over":
            return "over"
        if number is None or number not in range(self.num_moves):
            return "unknown-move"
        if now.phase != self._phase_of_move(number):
            return "phase"
        if now.phase != "play":
            return None
        if number == self.num_cells:
            if not self._has_button():
                return "no-button"
            return "button-taken" if now.button is not None else None
        cell = board_cells(self.size)[number]
        if cell in now.stones:
            return "occupied"
        stones = touched(self.size, now.stones, cell)
        if len(stones) >= 3:
            return "crowded"
        if len(stones) == 2 and stones[1] in group_of(self.size, now.stones, stones[0]):
            return "ring"
        if any(len(touched(self.size, now.stones, stone)) == 2 for stone in stones):
            return "branch"
        if now.stones_due == 2 and not now.leaves_a_cell(cell):
            return "strands"
        return None

    def _phase_of_move(self, number: int) -> str:
        if number <= self.num_cells:
            return "play"
        return "colour" if number <= self.num_cells + 2 else "komi"

    def push(self, move: int | str) -> None:
        """Make a move, by its number or its text."""
        reason = self.why_illegal(move)
        if reason is not None:
            raise IllegalMoveError(f"{move} at ply {self.ply}: {reason}")
        number = self.move_number(move)
        assert number is not None
        if self._now.phase == "komi":
            after = replace(self._now, phase="colour", komi=number - self.num_cells - 3)
        elif self._now.phase == "colour":
            after = self._choose_colour(BLACK if number == self.num_cells + 1 else WHITE)
        elif number == self.num_cells:
            # "Black and White move in turn": taking the button is a turn.
            after = replace(self._now, button=self._now.turn, turn=opponent(self._now.turn))
        else:
            after = self._place(board_cells(self.size)[number])
        self._past.append(self._now)
        self.history.append(number)
        self._now = after

    def _choose_colour(self, side: int) -> Snapshot:
        """The second player (seat 1) takes a side.

        Komi game: "Then Black moves first." No-komi game: "White moves next, whoever White is."
        """
        return replace(
            self._now,
            phase="play",
            black_seat=1 if side == BLACK else 0,
            turn=BLACK if self.game == "komi" else WHITE,
        )

    def _place(self, cell: Cell) -> Snapshot:
        """A stone placed: claims, then the next turn, then perhaps the end."""
        placer = self._now.turn
        opens_no_komi = self.game == "no-komi" and not self._now.stones
        after = self._now.place(cell)
        if opens_no_komi:
            # "The first player places a black stone. Then the second player chooses a colour."
            return replace(after, phase="colour")
        if self._now.stones_due == 2:
            return replace(after, stones_due=1)
        # "after that every turn is two stones, one after the other."
        after = replace(after, turn=opponent(placer), stones_due=2 if self.game == "double" else 1)
        return after if after.cells_for_a_stone else self._end(after, placer)

    def _end(self, after: Snapshot, placer: int) -> Snapshot:
        """The end of the game.

        "The game ends when no stone can be placed, whether or not the button is still there. A
        button nobody took goes to the player who did not place the last stone."

        Double game: "When the player to move can't place two stones, the game ends; every lint not
        yet bound is then claimed by its majority, and one with as many of each goes to the opponent
        of the player who made the last move."
        """
        after = replace(after, phase="over")
        if self.game == "double":
            for lint in after.lints:
                if lint not in after.claims:
                    after = after.claim(lint, placer)
        elif after.button is None:
            after = replace(after, button=opponent(placer))
        return after

    def pop(self) -> int:
        """Take back the last move."""
        self._now = self._past.pop()
        return self.history.pop()

    def copy(self) -> Self:
        # Snapshots never change, so the copy can hold the same ones.
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.history = list(self.history)
        twin._past = list(self._past)
        return twin

    # --- The result

    @property
    def scores(self) -> tuple[float, float]:
        """Points of Black and of White, of the position as it stands."""
        if self.scoring == "standard":
            return standard_scores(self._now)
        return squares_scores(self._now) if self.scoring == "squares" else longest_scores(self._now)

    @property
    def winner(self) -> int | None:
        """The side that won, None before the end and for a draw.

        "The higher score wins. Draws can only happen in the double game: there is no button (with
        longest scoring: when no lint is left)." Longest: "If none is left, the holder of the button
        wins."
        """
        if not self.is_over:
            return None
        black, white = self.scores
        if black == white:
            return self._now.button if self.scoring == "longest" else None
        return BLACK if black > white else WHITE

    @property
    def returns(self) -> tuple[float, float]:
        """Won 1, lost -1, drawn 0 for the first and the second seat, and 0 before the end."""
        if self.winner is None:
            return 0.0, 0.0
        winning_seat = self.black_seat if self.winner == BLACK else 1 - self.black_seat
        return (1.0, -1.0) if winning_seat == 0 else (-1.0, 1.0)

    # --- Text

    def move_number(self, move: int | str) -> int | None:
        """The number of a move given by number or text, None for text that names no move."""
        if not isinstance(move, str):
            return move
        text = move.lower()
        words = {"button": 0, "black": 1, "white": 2}
        if text in words:
            return self.num_cells + words[text]
        if re.fullmatch("komi:(0|[1-9][0-9]*)", text):
            return self.num_cells + 3 + int(text.removeprefix("komi:"))
        for cell, number in number_table(self.size).items():
            if cell_name(cell).lower() == text:
                return number
        return None

    def move_text(self, number: int) -> str:
        """The text of a move."""
        if number < self.num_cells:
            return cell_name(board_cells(self.size)[number])
        if number < self.num_cells + 3:
            return ("button", "black", "white")[number - self.num_cells]
        return f"komi:{number - self.num_cells - 3}"

    @property
    def position(self) -> str:
        """One line: size, game, scoring, komi, rows, turn, button, seat of Black."""
        now = self._now
        rows = []
        for row in range(2 * self.size - 1):
            text = "".join(
                LETTER.get(now.stones.get(cell, EMPTY), ".")
                for cell in board_cells(self.size)
                if cell[1] == row
            )
            rows.append(re.sub(r"\.+", lambda empty: str(len(empty.group())), text))
        if now.phase in ("komi", "colour"):
            turn = now.phase
        elif self.game == "double" and now.stones_due == 1 and now.stones:
            turn = LETTER[now.turn] + "1"
        else:
            turn = LETTER[now.turn]
        fields = (
            self.size,
            self.game,
            self.scoring,
            "?" if now.komi is None else now.komi,
            "/".join(rows),
            turn,
            "-" if now.button is None else LETTER[now.button],
            now.black_seat + 1,
        )
        return " ".join(map(str, fields))


def perft(position: Position, depth: int) -> int:
    """The number of sequences of exactly ``depth`` legal moves."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(position.legal_moves())
    count = 0
    for move in position.legal_moves():
        position.push(move)
        count += perft(position, depth - 1)
        position.pop()
    return count
