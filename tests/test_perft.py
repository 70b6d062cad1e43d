"""perft and divide: known counts, counts of the reference, identities, bad depths, Ctrl-C."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import children
import pytest
import walks
from deadlines import soon

import catena

DATA = Path(__file__).parent / "data"
COUNTS = json.loads((DATA / "counts.json").read_text(encoding="utf-8"))

# The last ply is counted without being played, so the work of perft(d) is about perft(d - 1).
FAST_BUILD = not catena._core.build_info()["debug"]
WORK = 200_000_000 if FAST_BUILD else 300_000
SLOW_WORK = 2_000_000_000 if FAST_BUILD else 3_000_000


def check(board: catena.Board, depth: int, nodes: int) -> None:
    """Compare one count and print the parts of it when it is wrong."""
    got = catena.perft(board, depth)
    if got != nodes:
        lines = [f"perft({depth}) is {got}, not {nodes}, in {board.position}"]
        if depth:
            parts = catena.divide(board, depth).items()
            lines += [f"  {move:>4} {count}" for move, count in parts]
        pytest.fail("\n".join(lines))


# --- known counts ---------------------------------------------------------------------------


def known() -> Iterator[object]:
    for size, counts in COUNTS["perft"].items():
        for depth, nodes in enumerate(counts):
            work = int(counts[depth - 1]) if depth else 1
            marks = [] if work <= WORK else [pytest.mark.slow]
            if work <= SLOW_WORK:
                yield pytest.param(
                    int(size), depth, int(nodes), id=f"size{size}-depth{depth}", marks=marks
                )


@pytest.mark.parametrize(("size", "depth", "nodes"), list(known()))
def test_known_counts(size: int, depth: int, nodes: int) -> None:
    check(catena.Board(size), depth, nodes)


@pytest.mark.parametrize("scoring", walks.SCORINGS)
def test_the_scoring_does_not_change_the_count(scoring: str) -> None:
    board = catena.Board(3, scoring=scoring)
    for depth in range(6):
        check(board, depth, int(COUNTS["perft"]["3"][depth]))


def test_complete_games_of_size_2() -> None:
    """Every complete game of the smallest board, by Python's own walk over push and pop."""
    board = catena.Board(2)
    button = board.num_cells

    def games(with_button: bool) -> int:
        if board.is_over:
            return 1
        total = 0
        for move in board.legal_moves():
            if move != button or with_button:
                board.push(move)
                total += games(with_button)
                board.pop()
        return total

    assert games(True) == int(COUNTS["complete_games"]["2"])
    assert games(False) == int(COUNTS["complete_games_without_button"]["2"])


# --- sets enumerated here -------------------------------------------------------------------


@cache
def sets_of_lints(size: int, deepest: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """I and M of RULES for 0 to ``deepest`` cells: sets whose groups are all lints, and those
    among them that can't grow.  Sets are built in ascending order of cells; since every subset
    of such a set is one too, nothing is missed."""
    near = walks.neighbour_lists(size)
    cells = range(len(near))

    def fits(chosen: frozenset[int], cell: int) -> bool:
        touched = [n for n in near[cell] if n in chosen]
        if len(touched) > 2:
            return False
        if any(sum(n in chosen for n in near[t]) > 1 for t in touched):
            return False
        if len(touched) == 2:  # a ring, if one end leads to the other
            seen, todo = {touched[0]}, [touched[0]]
            while todo:
                for n in near[todo.pop()]:
                    if n in chosen and n not in seen:
                        seen.add(n)
                        todo.append(n)
            return touched[1] not in seen
        return True

    total, full = [0] * (deepest + 1), [0] * (deepest + 1)

    def grow(chosen: frozenset[int], first: int) -> None:
        total[len(chosen)] += 1
        full[len(chosen)] += not any(fits(chosen, c) for c in cells if c not in chosen)
        if len(chosen) < deepest:
            for cell in range(first, len(near)):
                if fits(chosen, cell):
                    grow(chosen | {cell}, cell + 1)

    grow(frozenset(), 0)
    return tuple(total), tuple(full)


@pytest.mark.parametrize(("size", "deepest"), [(2, 7), (3, 14), (4, 4)])
def test_the_enumeration_agrees_with_the_known_sets(size: int, deepest: int) -> None:
    total, full = sets_of_lints(size, deepest)
    for found, table in ((total, "legal_sets"), (full, "maximal_sets")):
        wanted = [int(n) for n in COUNTS[table].get(str(size), ())][: deepest + 1]
        assert list(found[: len(wanted)]) == wanted
        if len(wanted) <= deepest and wanted:
            assert not any(found[len(wanted) :])


@pytest.mark.parametrize(
    ("size", "deepest", "depths"), [(2, 7, 9), (3, 14, 9 if FAST_BUILD else 6), (4, 4, 5)]
)
def test_identity_with_the_button(size: int, deepest: int, depths: int) -> None:
    """perft(d) = d! I(d) + (d-1) (d-1)! I(d-1) + (d-1)! (I(d-1) - M(d-1)).

    A sequence of d moves has d stones, or d - 1 stones and the button before the last of them,
    or the button last, which needs a game that isn't over.
    """
    total, full = sets_of_lints(size, deepest)

    def at(table: tuple[int, ...], d: int) -> int:
        return table[d] if d < len(table) else 0

    board = catena.Board(size)
    check(board, 0, 1)
    for d in range(1, depths):
        f = math.factorial
        nodes = (
            f(d) * at(total, d)
            + (d - 1) * f(d - 1) * at(total, d - 1)
            + f(d - 1) * (at(total, d - 1) - at(full, d - 1))
        )
        check(board, d, nodes)


@pytest.mark.parametrize(("size", "deepest"), [(2, 7), (3, 6), (4, 4)])
def test_stones_only_once_the_button_is_gone(size: int, deepest: int) -> None:
    """After the button d! I(d) sequences are left, which the table calls placements."""
    total, _ = sets_of_lints(size, deepest)
    board = catena.Board(size)
    board.push("button")
    placements = COUNTS["placements"][str(size)]
    for d in range(deepest + 1):
        check(board, d, math.factorial(d) * total[d])
        if d < len(placements):
            check(board, d, int(placements[d]))


# --- other games ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scoring", "komis"), [("standard", 16), ("longest", 16), ("squares", 1001)]
)
def test_naming_the_komi_and_the_colour_multiply_the_count(scoring: str, komis: int) -> None:
    board = catena.Board(3, scoring=scoring, komi=None)
    check(board, 0, 1)
    check(board, 1, komis)
    for depth in range(4):
        check(board, depth + 2, komis * 2 * int(COUNTS["perft"]["3"][depth]))


def test_no_komi_after_the_first_stone() -> None:
    """The first move is a stone, the second one of two colours; then it is the komi game with one
    stone placed, whose count is perft less what starts with the button."""
    perft, placements = ([int(n) for n in COUNTS[t]["3"]] for t in ("perft", "placements"))
    board = catena.Board(3, game="no-komi")
    check(board, 0, 1)
    check(board, 1, 19)
    for d in range(1, 6):
        check(board, d + 1, 2 * (perft[d] - placements[d - 1]))


def perft_files() -> Iterator[object]:
    for path in sorted(DATA.glob("*.perft")):
        name, board_text = "", ""
        for line in path.read_text(encoding="utf-8").splitlines():
            word, _, rest = line.partition(" ")
            if word == "id":
                name = rest
            elif word == "pos":
                board_text = rest
            elif word == "perft":
                depth, nodes = map(int, rest.split())
                yield pytest.param(board_text, depth, nodes, id=f"{path.stem}-{name}-{depth}")
            else:
                assert not line or line.startswith("#"), f"{path.name}: {line}"


@pytest.mark.parametrize(("text", "depth", "nodes"), list(perft_files()))
def test_perft_files(text: str, depth: int, nodes: int) -> None:
    check(catena.Board.from_position(text), depth, nodes)


# --- perft against walks --------------------------------------------------------------------


def by_push_and_pop(board: catena.Board, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for move in board.legal_moves():
        board.push(move)
        total += by_push_and_pop(board, depth - 1)
        board.pop()
    return total


def by_copies(board: catena.Board, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for move in board.legal_moves():
        child = board.copy()
        child.push(move)
        total += by_copies(child, depth - 1)
    return total


@pytest.mark.parametrize("board", walks.starts((2, 3, 5)), ids=walks.setup_of)
def test_three_walks_agree(board: catena.Board) -> None:
    rng = random.Random(board.position)
    long_game = list(walks.walk(board.copy(), rng))
    for plies in {0, 1, 2, len(long_game) // 2, len(long_game) - 3, len(long_game) - 1}:
        here = board.copy()
        for move in long_game[: max(plies, 0)]:
            here.push(move)
        for depth in range(4):
            if here.legal_count**depth <= 4_000:
                count = catena.perft(here, depth)
                assert count == by_push_and_pop(here, depth) == by_copies(here, depth)


@pytest.mark.parametrize("size", range(2, 11))
@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_two_moves_at_every_ply(size: int, game: str, scoring: str) -> None:
    """The last two are counted without playing them, those that touch no stone all at once."""
    board, rng = catena.Board(size, game=game, scoring=scoring), random.Random(size)
    for _ in walks.walk(board, rng):
        two, three = 0, 0
        is_small = board.phase == "play" and board.legal_count < 16
        for move in board.legal_moves():
            board.push(move)
            two += board.legal_count
            three += catena.perft(board, 2) if is_small else 0
            board.pop()
        assert catena.perft(board, 2) == two
        assert not is_small or catena.perft(board, 3) == three


@pytest.mark.parametrize("board", walks.starts((2, 3, 6)), ids=walks.setup_of)
def test_divide_is_perft_of_each_child(board: catena.Board) -> None:
    board, rng = board.copy(), random.Random(board.position)
    for _ in walks.walk(board, rng, 4):
        for depth in (1, 2, 3):
            if board.legal_count**depth > 200_000:
                continue
            parts = catena.divide(board, depth)
            assert list(parts) == board.legal_moves()
            assert sum(parts.values()) == catena.perft(board, depth)
            for move, count in parts.items():
                child = board.copy()
                child.push(move)
                assert count == catena.perft(child, depth - 1)


def test_the_board_is_left_as_it_was() -> None:
    board = catena.Board()
    board.play("D6 E6 button A1")
    before = walks.snapshot(board)
    catena.perft(board, 3)
    catena.divide(board, 2)
    assert walks.snapshot(board) == before


# --- the end of the game --------------------------------------------------------------------


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_a_finished_game(game: str, scoring: str) -> None:
    board = catena.Board(3, game=game, scoring=scoring)
    for _ in walks.walk(board, random.Random(1)):
        pass
    assert board.is_over
    assert catena.perft(board, 0) == 1
    assert catena.perft(board, 1) == 0
    assert catena.perft(board, 1_000) == 0
    assert catena.divide(board, 1) == {}


def test_deeper_than_the_longest_game() -> None:
    # Five stones and the button are the longest game on the smallest board.
    for depth in (7, 8, 9, 30, 1_000, 2**31, 2**40):
        assert catena.perft(catena.Board(2), depth) == 0
    assert set(catena.divide(catena.Board(2), 9).values()) == {0}
    assert catena.perft(catena.Board(10), 10_000) == 0


@pytest.mark.parametrize("size", range(2, 11))
def test_more_moves_than_cells_and_button(size: int) -> None:
    """No game is so long, which needs no walk to see: nought at once, and no overflow."""
    board = catena.Board(size)
    for depth in (board.num_cells + 2, board.num_cells + 10, 3 * board.num_cells):
        with soon(5):
            assert catena.perft(board, depth) == 0
    with soon(5):
        assert set(catena.divide(board, board.num_cells + 3).values()) == {0}
    unnamed = catena.Board(size, komi=None)
    with soon(5):
        assert catena.perft(unnamed, unnamed.num_cells + 4) == 0


# --- bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [-1, -2, -(2**31), -(2**63), -(2**70)])
def test_negative_depth(depth: int) -> None:
    board = catena.Board(2)
    with pytest.raises(ValueError, match="depth"):
        catena.perft(board, depth)
    with pytest.raises(ValueError, match="depth"):
        catena.divide(board, depth)


def test_divide_needs_a_move() -> None:
    with pytest.raises(ValueError, match="depth"):
        catena.divide(catena.Board(2), 0)


def test_a_depth_beyond_the_machine_word() -> None:
    assert catena.perft(catena.Board(2), 2**70) == 0


@pytest.mark.parametrize("depth", ["3", 3.0, None, b"3", [3], True])
def test_a_depth_that_is_no_number(depth: object) -> None:
    board = catena.Board(2)
    with pytest.raises(TypeError):
        catena.perft(board, depth)
    with pytest.raises(TypeError):
        catena.divide(board, depth)


@pytest.mark.parametrize("board", [None, 6, "6", object(), catena.Board])
def test_what_is_no_board(board: object) -> None:
    with pytest.raises(TypeError):
        catena.perft(board, 2)
    with pytest.raises(TypeError):
        catena.divide(board, 2)


@pytest.mark.parametrize(("size", "depth"), [(10, 9), (10, 12), (10, 40), (9, 10), (8, 10)])
def test_a_count_beyond_64_bits_is_refused_at_once(size: int, depth: int) -> None:
    board = catena.Board(size)
    with soon(5), pytest.raises(OverflowError, match="64"):
        catena.perft(board, depth)
    with soon(5), pytest.raises(OverflowError, match="64"):
        catena.divide(board, depth + 1)
    assert board == catena.Board(size)


def test_overflow_behind_the_set_up() -> None:
    board = catena.Board(10, komi=None)
    with soon(5), pytest.raises(OverflowError, match="64"):
        catena.perft(board, 11)
    assert board == catena.Board(10, komi=None)
    board = catena.Board(10, game="no-komi")
    with soon(5), pytest.raises(OverflowError, match="64"):
        catena.perft(board, 12)


@children.needs_sigint
@pytest.mark.parametrize("function", ["perft", "divide"])
def test_ctrl_c_stops_a_long_count(function: str) -> None:
    end = children.interrupt(
        f"""
        import catena
        board = catena.Board(5)
        board.play("A1 B2 button C5")
        before = board.position, board.key, board.history, board.legal_moves()
        print("ready", flush=True)
        try:
            catena.{function}(board, 9)
        except KeyboardInterrupt:
            after = board.position, board.key, board.history, board.legal_moves()
            print("stopped", after == before, catena.perft(board, 1) == board.legal_count)
        """
    )
    assert end.out == "stopped True True\n", end.err
    assert end.seconds < 3
