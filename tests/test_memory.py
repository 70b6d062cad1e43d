"""Memory stays flat, measured as the process's resident pages: the engine's own memory comes from
malloc, which Python's own tracing doesn't see."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import walks

import catena

STATM = Path("/proc/self/statm")
INFO = catena._core.build_info()
# A leak of one word in each of 100,000 calls would be 800 KB; the allocator's own unrest is less.
ALLOWED = 600_000

needs_statm = pytest.mark.skipif(
    not STATM.exists(), reason="resident pages are read from /proc/self/statm, which isn't there"
)
not_sanitized = pytest.mark.skipif(
    bool(INFO.get("sanitize")), reason="the sanitizer keeps freed memory aside on purpose"
)
pytestmark = [needs_statm, not_sanitized]

SCALE = 20 if INFO["debug"] else 1


def resident() -> int:
    gc.collect()
    return int(STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def assert_flat(work: Callable[[int], None], times: int) -> None:
    """Warm up, then let no more than the noise be added by many more rounds; another chance is
    given, since a leak grows each time and noise doesn't."""
    times //= SCALE
    work(max(1, times // 4))
    growths = []
    for _ in range(4):
        before = resident()
        work(times)
        growths.append(resident() - before)
        if growths[-1] <= ALLOWED:
            return
    pytest.fail(f"resident bytes grew by {growths} in {times} rounds each")


def test_size_of_a_board() -> None:
    assert sys.getsizeof(catena.Board()) <= 4096
    assert sys.getsizeof(catena.Board(10)) <= 4096


def test_a_million_pushes_and_pops() -> None:
    board = catena.Board()

    def work(times: int) -> None:
        push, pop = board.push, board.pop
        for i in range(times):
            push(i % 91)
            pop()

    assert_flat(work, 1_000_000)
    assert board == catena.Board()


def test_whole_games_up_and_down() -> None:
    games = []
    for size in (4, 10):
        board = catena.Board(size)
        while not board.is_over:
            board.push(board.legal_moves()[-1])
        games.append(board)

    def work(times: int) -> None:
        for _ in range(times):
            for board in games:
                moves = board.history
                for _ in moves:
                    board.pop()
                for move in moves:
                    board.push(move)

    assert_flat(work, 1_500)


def test_copies() -> None:
    board = catena.Board(10)
    for move in board.legal_moves()[::40]:
        board.push(move)

    def work(times: int) -> None:
        for _ in range(times):
            twin = board.copy()
            twin.push("button")

    assert_flat(work, 100_000)


def test_new_boards() -> None:
    def work(times: int) -> None:
        for i in range(times):
            catena.Board(2 + i % 9).push(0)

    assert_flat(work, 100_000)


def test_position_texts() -> None:
    board = catena.Board()
    board.play("D6 E6 button A1 K11")

    def work(times: int) -> None:
        for _ in range(times):
            assert catena.Board.from_position(board.position) == board

    assert_flat(work, 20_000)


def test_pickles() -> None:
    board = catena.Board()
    board.play("D6 E6 button A1 K11")

    def work(times: int) -> None:
        for _ in range(times):
            pickle.loads(pickle.dumps(board))

    assert_flat(work, 20_000)


def test_results_of_all_kinds() -> None:
    board = catena.Board()
    board.play("D6 E6 button A1 K11 C5 B5")
    other = catena.Board()

    def work(times: int) -> None:
        for i in range(times):
            board.legal_moves(), board.lints(), board.history, board.stones(), board.grid()
            board.legal_mask(), board.lint_at(i % 91), board.scores, board.returns, board.key
            board.why_illegal(i % 100), board.transform(i % 12), board == other, repr(board)
            catena.divide(board, 1), catena.perft(board, 1)

    assert_flat(work, 20_000)


def refusals() -> dict[str, Callable[[], object]]:
    board = catena.Board()
    board.push("A1")
    fresh = catena.Board()
    bad_out = fresh.legal_moves()
    return {
        "occupied": lambda: board.push(0),
        "unknown number": lambda: board.push(2**80),
        "unknown text": lambda: board.push("Z99"),
        "other type": lambda: board.push(1.5),
        "play": lambda: board.play("B1 B2 A1"),
        "pop": lambda: fresh.pop(),
        "size": lambda: catena.Board(11),
        "game": lambda: catena.Board(game="chess"),
        "komi": lambda: catena.Board(komi=99),
        "out": lambda: board.stones(bad_out),
        "text": lambda: catena.Board.from_position("6 komi standard 0 6/7/8 b - 1"),
        "group": lambda: catena.Board.from_position("2 komi standard 0 bb/bb1/2 b - 1"),
        "depth": lambda: catena.perft(board, -1),
        "overflow": lambda: catena.perft(catena.Board(10), 9),
        "symmetry": lambda: board.transform(12),
        "cell": lambda: board.lint_at(91),
    }


@pytest.mark.parametrize("name", refusals())
def test_refusals(name: str) -> None:
    call = refusals()[name]

    def work(times: int) -> None:
        for _ in range(times):
            try:
                call()
            except (ValueError, TypeError, IndexError, OverflowError):
                continue
            pytest.fail("it was taken")

    assert_flat(work, 15_000)


def test_games_of_all_kinds() -> None:
    import random

    def work(times: int) -> None:
        rng = random.Random(5)
        for _ in range(times):
            for board in walks.starts((2, 3, 5)):
                list(walks.walk(board, rng))

    assert_flat(work, 40)
