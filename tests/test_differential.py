"""Random games, in which the board must agree with the reference at every ply and on the way back.

Game ``i`` is the same in every run. The set-ups go round by the number of the game, so that every
size meets every game and scoring, with and without the naming of the komi.
"""

import random
from collections import Counter
from functools import cache
from typing import Any

import pytest
from reference import BLACK, WHITE, Position

import catena

# (game, scoring, whether the komi and the colours are moves)
SET_UPS = [
    (game, scoring, named)
    for game in ("komi", "no-komi", "double")
    for scoring in ("standard", "longest", "squares")
    for named in ((False, True) if game == "komi" else (False,))
]
SIZES = range(2, 11)
# Of every twenty games after the first rounds. A game of size 10 takes as long as 40 of size 3.
WEIGHTED_SIZES = (2,) * 4 + (3,) * 6 + (4,) * 5 + (5,) * 3 + (6,) * 2

# The first ROUNDS games are every set-up on every size, once with uniform choice and once with
# choice that seeks joins and claims.
ROUNDS = 2 * len(SIZES) * len(SET_UPS)
# Games in which the rarest of the events below occur, found among the 20,000.
WITH_STRANDS = (621, 659, 681, 742, 875, 958)
WITH_NO_LINT_LEFT = (811, 1435, 2191, 2654, 2923, 3063, 3122)
WITH_THREE_BOUND = (723, 3547, 4166)
WITH_KOMI_TO_ONE_OF_SEVERAL = (614, 2871, 15303, 18998)
ORDINARY = (
    *range(500),
    *WITH_STRANDS,
    *WITH_NO_LINT_LEFT,
    *WITH_THREE_BOUND,
    *WITH_KOMI_TO_ONE_OF_SEVERAL,
)
SLOW = range(20_000)


def plan(index: int) -> tuple[int, str, str, bool, bool]:
    """Size, game, scoring, whether the komi is named, and whether the choice seeks claims."""
    if index < ROUNDS:
        half, rest = divmod(index, ROUNDS // 2)
        which, set_up = divmod(rest, len(SET_UPS))
        return SIZES[which], *SET_UPS[set_up], half == 1
    rest, set_up = divmod(index - ROUNDS, len(SET_UPS))
    seeks, rest = rest % 2 == 1, rest // 2
    size = WEIGHTED_SIZES[rest * 7 % len(WEIGHTED_SIZES)]
    if index % 97 == 0:
        size = 7 + index // 97 % 4
    return size, *SET_UPS[set_up], seeks


def start(index: int) -> tuple[catena.Board, Position, random.Random]:
    size, game, scoring, named, _ = plan(index)
    rng = random.Random(index)
    komi: int | None = 0
    if named:
        komi = None
    elif game == "komi":
        highest = 1000 if scoring == "squares" else 15
        komi = rng.choice([0, 1, 2, 3, highest, rng.randint(0, highest)])
    set_up: dict[str, Any] = {"game": game, "scoring": scoring, "komi": komi}
    return catena.Board(size, **set_up), Position(size, **set_up), rng


# --- Choosing moves -------------------------------------------------------------------------------


def choose(slow: Position, rng: random.Random, seeks: bool, button: str) -> int:
    """A legal move; ``button`` says when it may be taken: "any", "first", "late" or "never"."""
    moves = slow.legal_moves()
    if slow.phase != "play":
        return rng.choice(moves)
    if moves[-1] == slow.num_cells and len(moves) > 1:
        if button == "first" or (button == "late" and len(moves) <= 4):
            return moves[-1]
        if button != "any":
            moves.pop()
    # On large boards a look ahead costs more than all the comparing.
    if not seeks or (slow.size > 5 and rng.random() < 0.9):
        return rng.choice(moves)
    few = rng.sample(moves, min(len(moves), 3))
    return max(few, key=lambda move: interest(slow, move))


def interest(slow: Position, move: int) -> int:
    """How much a move is worth trying: what leads to rare events counts most."""
    if move == slow.num_cells:
        return 0
    before, after = slow.lints(), slow.copy()
    after.push(move)
    claimed = newly_claimed(before, after)
    ties = sum(tied(before, lint, move, slow.turn) for lint in claimed)
    joins = len(after.lints()) < len(before)
    none_left = after.is_over and after.scores == (0.0, 0.0)
    return 20 * (none_left + strands(after)) + 10 * ties + 4 * len(claimed) + 2 * joins


def strands(slow: Position) -> bool:
    """Whether some open cell would leave none for the second stone, and some would not."""
    return bool(slow.legal_moves()) and slow.legal_count < slow.open_count


def newly_claimed(before: list[Any], after: Position) -> list[Any]:
    """The lints that the last placement bound."""
    claimed = {lint.cells for lint in before if lint.bound}
    return [lint for lint in after.lints() if lint.bound and lint.cells not in claimed]


def colours(before: list[Any], lint: Any, placed: int, placer: int | None) -> tuple[int, int]:
    """The stones of each colour that a lint had when it was claimed, from the lints before."""
    black = sum(old.black for old in before if set(old.cells) <= set(lint.cells))
    white = sum(old.white for old in before if set(old.cells) <= set(lint.cells))
    if placed in lint.cells:
        black += placer == BLACK
        white += placer == WHITE
    return black, white


def tied(before: list[Any], lint: Any, placed: int, placer: int | None) -> bool:
    black, white = colours(before, lint, placed, placer)
    return black == white


# --- Comparing ------------------------------------------------------------------------------------

PLAIN = (
    "size",
    "game",
    "scoring",
    "komi",
    "num_cells",
    "num_moves",
    "phase",
    "turn",
    "seat",
    "black_seat",
    "stones_due",
    "button",
    "ply",
    "history",
    "legal_count",
    "is_over",
    "scores",
    "winner",
    "returns",
    "position",
)


def assert_same(fast: catena.Board, slow: Position) -> None:
    """All that the two show at a ply, save the reasons."""
    for name in PLAIN:
        assert getattr(fast, name) == getattr(slow, name), name
    assert fast.legal_moves() == slow.legal_moves()
    assert fast.stones().tolist() == slow.stones()
    assert list(map(tuple, fast.lints())) == list(map(tuple, slow.lints()))


def assert_same_in_detail(fast: catena.Board, slow: Position, rng: random.Random) -> None:
    """The reason for every move, and the other ways to ask what ``assert_same`` asked."""
    beyond = slow.num_cells + 4
    moves = [*range(-2, beyond), slow.num_moves - 1, slow.num_moves, slow.num_moves + 1, 10**6]
    moves += rng.sample(range(beyond, beyond + 1000), 3)
    legal = set(slow.legal_moves())
    for move in moves:
        reason = slow.why_illegal(move)
        assert fast.why_illegal(move) == reason, move
        assert (reason is None) == (move in legal) == fast.is_legal(move), move
    mask = fast.legal_mask()
    assert mask.shape == (slow.num_moves,)
    assert mask.nonzero()[0].tolist() == slow.legal_moves()
    lint_at = {cell: lint for lint in slow.lints() for cell in lint.cells}
    for cell in range(slow.num_cells):
        assert fast.lint_at(cell) == lint_at.get(cell), cell


@cache
def compared_game(index: int) -> Counter[str]:
    """Play game ``index`` on both, compare at every ply and back; returns what happened in it."""
    fast, slow, rng = start(index)
    *_, seeks = plan(index)
    button = rng.choice(["any", "first", "late", "never"])
    events: Counter[str] = Counter()
    trail: list[tuple[int, str, list[int]]] = []
    # All reasons at every ply of a large board would take most of the time.
    detailed = 1.0 if slow.size <= 3 else 3 / slow.num_cells
    while True:
        fast._check()
        assert_same(fast, slow)
        if slow.is_over or rng.random() < detailed:
            assert_same_in_detail(fast, slow, rng)
        if slow.is_over:
            break
        trail.append((fast.key, fast.position, fast.legal_moves()))
        move = choose(slow, rng, seeks, button)
        before = slow.copy()  # for the events below
        text = slow.move_text(move)
        fast.push(move if rng.random() < 0.5 else text)
        slow.push(move)
        events.update(happened(before, slow, move))
    while trail:
        fast.pop()
        fast._check()
        assert (fast.key, fast.position, fast.legal_moves()) == trail.pop()
    assert fast == start(index)[0]
    return events


# --- Rare events ----------------------------------------------------------------------------------

# What must occur in the ordinary run, and how often at least. Without it a fault in such a case
# could go unseen.
RARE = {
    "tie by Black": 50,
    "tie by White": 50,
    "two bound at once": 50,
    "three bound at once": 5,
    "mover's stones to the opponent": 50,
    "mover's own stone to the opponent": 50,
    "bound from elsewhere": 50,
    "button awarded to Black": 20,
    "button awarded to White": 20,
    "button taken first": 20,
    "button taken with few cells left": 20,
    "strands": 10,
    "double ends with open cells": 20,
    "double ends with unbound lints": 20,
    "double ends with a tie": 5,
    "second player is Black": 20,
    "longest: none left": 5,
    "longest: komi where White owns none": 10,
    "longest: komi to one of several": 4,
}


def happened(before: Position, after: Position, move: int) -> list[str]:
    """The rare events of one move, told from the reference alone."""
    events = []
    if before.phase == "colour" and after.black_seat == 1:
        events.append("second player is Black")
    if after.game == "double" and strands(after):
        events.append("strands")
    if move == before.num_cells:
        if before.stones().count(0) == before.num_cells:
            events.append("button taken first")
        if before.legal_count <= 4:
            events.append("button taken with few cells left")
    if move < before.num_cells:
        events += claims(before, after, move)
    if after.scoring == "longest" and after.komi:
        black, white = (
            [len(lint.cells) for lint in after.lints() if lint.owner == side]
            for side in (BLACK, WHITE)
        )
        # The komi goes to one of them: the other pairs off with Black's.
        if white.count(max(white, default=0)) > 1 and max(white) >= max(black, default=0) in white:
            events.append("longest: komi to one of several")
    if after.is_over:
        events += ending(before, after)
    return events


def claims(before: Position, after: Position, move: int) -> list[str]:
    events = []
    placer = before.turn
    opponent = WHITE if placer == BLACK else BLACK
    old = before.lints()
    claimed = newly_claimed(old, after)
    if len(claimed) == 2:
        events.append("two bound at once")
    if len(claimed) >= 3:
        events.append("three bound at once")
    for lint in claimed:
        black, white = colours(old, lint, move, placer)
        if black == white:
            events.append("tie by Black" if placer == BLACK else "tie by White")
        if move not in lint.cells:
            events.append("bound from elsewhere")
        if lint.owner == opponent and (black if placer == BLACK else white):
            events.append("mover's stones to the opponent")
            if move in lint.cells:
                events.append("mover's own stone to the opponent")
    return events


def ending(before: Position, after: Position) -> list[str]:
    events = []
    if before.button is None and after.button is not None:
        events.append("button awarded to " + ("Black" if after.button == BLACK else "White"))
    if after.game == "double":
        unbound = [lint for lint in after.lints() if not lint.bound]
        if unbound:
            events.append("double ends with unbound lints")
            placed = after.history[-1]
            if any(tied(before.lints(), lint, placed, before.turn) for lint in unbound):
                events.append("double ends with a tie")
        if after.open_count:
            events.append("double ends with open cells")
    if after.scoring == "longest":
        if after.scores == (0.0, 0.0):
            events.append("longest: none left")
        if after.komi and all(lint.owner == BLACK for lint in after.lints()):
            events.append("longest: komi where White owns none")
    return events


# --- The tests ------------------------------------------------------------------------------------


def label(index: int) -> str:
    size, game, scoring, named, seeks = plan(index)
    return f"{index}-size{size}-{game}-{scoring}" + "-named" * named + "-seeks" * seeks


@pytest.mark.parametrize("index", ORDINARY, ids=label)
def test_board_agrees_with_the_reference(index: int) -> None:
    compared_game(index)


def test_rare_events_occur() -> None:
    events: Counter[str] = sum(map(compared_game, ORDINARY), Counter())
    assert {name: events[name] for name in RARE if events[name] < RARE[name]} == {}


def test_every_set_up_occurs_on_every_size() -> None:
    wanted = {(size, *set_up, seeks) for size in SIZES for set_up in SET_UPS for seeks in (0, 1)}
    assert wanted <= {plan(index) for index in ORDINARY}
    late = {plan(index)[0] for index in SLOW[ROUNDS:]}
    assert late == set(SIZES)


@pytest.mark.slow
@pytest.mark.parametrize("first", SLOW[:: len(SLOW) // 100])
def test_board_agrees_with_the_reference_in_twenty_thousand_games(first: int) -> None:
    for index in range(first, first + len(SLOW) // 100):
        compared_game.__wrapped__(index)
