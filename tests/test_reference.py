"""The reference against exact counts, and its shortcuts against the plain words of the rules.

The counts are from ``data/counts.json``, which no code of this project made.
"""

import json
import random
from functools import cache
from math import factorial
from pathlib import Path

import pytest
from reference import (
    BLACK,
    WHITE,
    Position,
    all_groups,
    board_cells,
    group_of,
    is_lint,
    is_open,
    perft,
    touched,
)


@cache
def counts() -> dict[str, dict[str, list[str]]]:
    path = Path(__file__).parent / "data" / "counts.json"
    return json.loads(path.read_text(encoding="utf-8"))


def exact(table: str, size: int, depth: int) -> int:
    """An entry of a table; beyond the whole lists of sizes 2 and 3 all counts are 0."""
    numbers = counts()[table][str(size)]
    return int(numbers[depth]) if depth < len(numbers) else 0


def complete_games(position: Position) -> int:
    """The number of ways to play on to the end."""
    if position.is_over:
        return 1
    total = 0
    for move in position.legal_moves():
        position.push(move)
        total += complete_games(position)
        position.pop()
    return total


# Whole on size 2, where no game has more than five stones and the button.
DEPTHS = [(2, depth) for depth in range(8)] + [(3, depth) for depth in range(5)] + [(4, 3), (6, 2)]


@pytest.mark.parametrize(("size", "depth"), DEPTHS)
def test_perft_of_the_komi_game(size: int, depth: int) -> None:
    assert perft(Position(size), depth) == exact("perft", size, depth)


def test_perft_with_the_naming_of_the_komi() -> None:
    """16 numbers and 2 colours, then the game as it is."""
    for depth in range(6):
        assert perft(Position(2, komi=None), 2 + depth) == 32 * exact("perft", 2, depth)
    assert perft(Position(2, komi=None), 1) == 16
    assert perft(Position(2, komi=None, scoring="squares"), 1) == 1001


@pytest.mark.parametrize(("size", "deepest"), [(2, 7), (3, 4)])
def test_perft_of_the_double_game(size: int, deepest: int) -> None:
    """Every order of the stones, but a first stone of a turn never fills the board.

    After an odd number of stones a turn is complete, and any order of them can be played; after an
    even number the last stone is the first of its turn, which the maximal sets rule out.
    """
    for depth in range(1, deepest + 1):
        orders = exact("placements", size, depth)
        if depth % 2 == 0:
            orders -= factorial(depth) * exact("maximal_sets", size, depth)
        assert perft(Position(size, game="double"), depth) == orders


def test_perft_of_the_no_komi_game() -> None:
    """A stone, one of two colours, then stones with the button between or after them.

    Of k stones the first comes before the button. The button goes before one of the k - 1 others,
    or after the last if the game is not over.
    """
    assert perft(Position(2, game="no-komi"), 1) == 7
    assert perft(Position(2, game="no-komi"), 2) == 14
    for moves in range(2, 8):
        stones = moves - 1
        with_button = (stones - 1) * exact("placements", 2, stones)
        with_button += exact("placements", 2, stones) - factorial(stones) * exact(
            "maximal_sets", 2, stones
        )
        expected = 2 * (exact("placements", 2, moves) + with_button)
        assert perft(Position(2, game="no-komi"), moves + 1) == expected


def test_complete_games_of_size_2() -> None:
    assert complete_games(Position(2)) == int(counts()["complete_games"]["2"])


def test_games_without_the_button() -> None:
    """Orders of the maximal sets: 3! x 9 + 5! x 6."""
    expected = int(counts()["complete_games_without_button"]["2"])
    assert expected == 774
    position = Position(2)
    position.push("button")
    # With the button gone, only stones are left to play.
    assert complete_games(position) == expected


@pytest.mark.parametrize("size", [2, 3])
def test_number_of_legal_and_maximal_sets(size: int) -> None:
    """Grown cell by cell: every legal set is a smaller one and a cell."""
    level = {frozenset[tuple[int, int]]()}
    for stones in range(6):
        assert len(level) == exact("legal_sets", size, stones)
        openings = {
            cells: [c for c in board_cells(size) if is_open(size, cells, c)] for cells in level
        }
        full = sum(not cells for cells in openings.values())
        assert full == exact("maximal_sets", size, stones)
        level = {cells | {cell} for cells, fitting in openings.items() for cell in fitting}


@pytest.mark.parametrize("size", [2, 3, 4])
def test_open_cells_leave_every_group_a_lint(size: int) -> None:
    """``is_open`` looks at one group; the rule speaks of all."""
    rng = random.Random(size)
    for _ in range(30):
        occupied: set[tuple[int, int]] = set()
        while True:
            fitting = []
            for cell in board_cells(size):
                after = frozenset(occupied | {cell})
                literal = cell not in occupied and all(
                    is_lint(size, group) for group in all_groups(size, after)
                )
                assert is_open(size, occupied, cell) == literal
                if literal:
                    fitting.append(cell)
            if not fitting:
                break
            occupied.add(rng.choice(fitting))


def test_a_reason_is_given_where_a_move_is_not_legal_and_nowhere_else() -> None:
    """Reasons are told from what a cell touches, legal moves from the lints after the move."""
    for index, game in enumerate(["komi", "no-komi", "double"] * 10):
        rng = random.Random(index)
        position = Position(2 + index % 4, game=game)
        while not position.is_over:
            legal = position.legal_moves()
            every = range(position.num_moves)
            assert [move for move in every if position.why_illegal(move) is None] == legal
            position.push(rng.choice(legal))


def test_is_lint() -> None:
    """A ring of six around a cell, a branch, and the chains that each lacks a stone of."""
    ring = [(1, 1), (1, 2), (2, 3), (3, 3), (3, 2), (2, 1)]
    assert not is_lint(3, frozenset(ring))
    assert all(is_lint(3, frozenset(ring) - {cell}) for cell in ring)
    middle, *arms = branch = [(2, 2), (2, 1), (1, 2), (3, 3)]
    assert not is_lint(3, frozenset(branch))
    assert all(is_lint(3, frozenset(branch) - {arm}) for arm in arms)
    assert len(touched(3, arms, middle)) == 3
    assert not is_lint(3, frozenset([(0, 0), (0, 1), (1, 1)]))  # three that touch one another
    assert is_lint(3, frozenset([(0, 0)]))
    assert group_of(3, [(0, 0), (1, 1), (3, 3)], (0, 0)) == {(0, 0), (1, 1)}


def test_pop_and_copy() -> None:
    rng = random.Random(5)
    for game in ("komi", "no-komi", "double"):
        position = Position(3, game=game)
        trail = []
        while not position.is_over:
            trail.append((position.position, position.lints(), position.history.copy()))
            position.push(rng.choice(position.legal_moves()))
        twin = position.copy()
        last = position.position
        for before in reversed(trail):
            assert position.history[-1] == position.pop()
            assert (position.position, position.lints(), position.history) == before
        assert twin.position == last
        assert twin.winner in (BLACK, WHITE)
        with pytest.raises(IndexError):
            position.pop()
