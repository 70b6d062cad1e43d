"""perft and divide in jobs: the same counts and errors on every executor as without one."""

from __future__ import annotations

import json
import math
import multiprocessing
import pickle
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import pairwise
from pathlib import Path
from typing import Any

import children
import pytest
import walks

import catena
from catena import _core, counting

COUNTS = json.loads((Path(__file__).parent / "data" / "counts.json").read_text(encoding="utf-8"))
OVERFLOW = "the count does not fit in 64 bits"


class Inline(Executor):
    """Runs each job when it is submitted, as a pickle would bring it to another process."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        job = pickle.dumps((function, args, kwargs))
        self.sizes.append(len(job))
        future: Future[Any] = Future()
        function, args, kwargs = pickle.loads(job)
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.fixture
def short_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cuts every count at its last move but one, and a few such parts make a job."""
    monkeypatch.setattr(counting, "PILOT_SECONDS", 0.0)
    monkeypatch.setattr(counting, "LONGEST_JOB", 0.0)
    monkeypatch.setattr(counting, "JOB_SECONDS", 1e-4)
    monkeypatch.setattr(counting, "PILOT_GAMES", 8)
    monkeypatch.setattr(counting, "BATCH", 50)


@pytest.fixture(scope="module", params=["none", "inline", "threads", "spawn", "forkserver"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor | None]:
    if request.param == "none":
        yield None
    elif request.param == "inline":
        yield Inline()
    elif request.param == "threads":
        with ThreadPoolExecutor(2) as pool:
            yield pool
    elif request.param in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context(request.param)
        with ProcessPoolExecutor(2, mp_context=context) as processes:
            yield processes
    else:
        pytest.skip(f"no {request.param} on this system")


def ignore(_: float) -> None:
    """Stands for a progress bar: with one, counts are cut into jobs even without an executor."""


# --- the counts ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("short_jobs")
@pytest.mark.parametrize("size", [2, 3, 6])
def test_known_counts(executor: Executor | None, size: int) -> None:
    board = catena.Board(size)
    for depth, known in list(enumerate(COUNTS["perft"][str(size)]))[: 3 if size == 6 else 5]:
        count = catena.perft(board, depth, executor=executor, finished=ignore)
        assert count == int(known)
        if depth:
            parts = catena.divide(board, depth, executor=executor, finished=ignore)
            assert sum(parts.values()) == int(known)
            assert list(parts) == list(range(board.num_cells + 1))


@pytest.mark.usefixtures("short_jobs")
@pytest.mark.parametrize("board", walks.starts((2, 3)), ids=walks.setup_of)
def test_each_game_counts_as_without_an_executor(board: catena.Board) -> None:
    inline = Inline()
    for depth in range(11 if board.size == 2 else 5):
        assert counting.perft(board, depth, executor=inline) == _core.perft(board, depth)
        if depth:
            parts = counting.divide(board, depth, executor=inline)
            assert parts == _core.divide(board, depth)
            assert list(parts) == board.legal_moves()
    assert inline.sizes


@pytest.mark.usefixtures("short_jobs")
@pytest.mark.parametrize("board", walks.starts((4,)), ids=walks.setup_of)
def test_each_position_counts_as_without_an_executor(board: catena.Board) -> None:
    rng = random.Random(5)
    inline = Inline()
    for _ in walks.walk(board, rng):
        before = walks.snapshot(board)
        depth = 2 if board.legal_count > 12 else 3
        assert counting.perft(board, depth, executor=inline) == _core.perft(board, depth)
        assert counting.divide(board, depth, executor=inline) == _core.divide(board, depth)
        assert walks.snapshot(board) == before
    assert counting.divide(board, 3, executor=inline) == {}


def test_long_jobs(executor: Executor | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if _core.build_info()["debug"]:
        pytest.skip("takes long on a debug build")
    # As they are but for the time, so that less than a second of work is enough for some jobs.
    monkeypatch.setattr(counting, "LONGEST_JOB", 0.05)
    monkeypatch.setattr(counting, "JOB_SECONDS", 0.02)
    known = int(COUNTS["perft"]["4"][6])
    done: list[float] = []
    assert catena.perft(catena.Board(4), 6, executor=executor, finished=done.append) == known
    assert len(done) > 1
    if isinstance(executor, Inline):
        assert max(executor.sizes) < 20_000


@pytest.mark.usefixtures("short_jobs")
def test_the_setup_is_not_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    # Sixteen komis and two colours lead to the same sequences.
    monkeypatch.setattr(counting, "JOB_SECONDS", 0.0)  # one path a job
    play, setup = Inline(), Inline()
    known = [int(count) for count in COUNTS["perft"]["3"]]
    assert counting.perft(catena.Board(3), 3, executor=play) == known[3]
    board = catena.Board(3, komi=None)
    assert counting.perft(board, 5, executor=setup) == 32 * known[3]
    assert len(setup.sizes) == len(play.sizes) == known[2]
    parts = counting.divide(board, 5, executor=setup)
    assert parts == dict.fromkeys(board.legal_moves(), 2 * known[3])
    # The no-komi game: 19 cells, the colours, 18 cells or the button, and the last move.
    board, inline = catena.Board(3, game="no-komi"), Inline()
    assert counting.perft(board, 4, executor=inline) == _core.perft(board, 4)
    assert len(inline.sizes) == 19 * 19


@pytest.mark.usefixtures("short_jobs")
def test_finished_tells_the_part_done(executor: Executor | None) -> None:
    for depth in range(5):
        done: list[float] = []
        counting.perft(catena.Board(3), depth, executor=executor, finished=done.append)
        assert done == sorted(done)
        assert done[0] > 0
        assert done[-1] == 1.0
        assert len(done) > 2 or depth < 4
    done = []
    counting.divide(catena.Board(3), 4, executor=executor, finished=done.append)
    assert done == sorted(done)
    assert done[-1] == 1.0
    steps = [after - before for before, after in pairwise(done)]
    assert max(steps) < 0.5


@pytest.mark.usefixtures("short_jobs")
@pytest.mark.parametrize("name", ["perft", "divide"])
def test_a_board_that_moves_on_meanwhile(name: str) -> None:
    board = catena.Board(3)
    expected = getattr(_core, name)(board, 4)

    def move_on(_: float) -> None:
        if board.ply:
            board.pop()
        else:
            board.push(0)

    with ThreadPoolExecutor(2) as pool:
        found = getattr(counting, name)(board, 4, executor=pool, finished=move_on)
    assert found == expected


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["perft", "divide"])
@pytest.mark.parametrize("depth", [-1, -(10**30), True, 2.0, "2", None])
def test_bad_depths_raise_what_the_core_raises(name: str, depth: Any) -> None:
    with pytest.raises((ValueError, TypeError)) as expected:
        getattr(_core, name)(catena.Board(2), depth)
    with pytest.raises(expected.type) as raised:
        getattr(counting, name)(catena.Board(2), depth, executor=Inline())
    assert str(raised.value) == str(expected.value)


def test_divide_needs_a_move() -> None:
    with pytest.raises(ValueError, match="depth must be >= 1, got 0"):
        counting.divide(catena.Board(2), 0, executor=Inline())


@pytest.mark.parametrize("name", ["perft", "divide"])
@pytest.mark.parametrize("board", [None, "2", 2])
def test_what_is_no_board(name: str, board: Any) -> None:
    with pytest.raises(TypeError, match="board"):
        getattr(counting, name)(board, 1, executor=Inline())


def test_depths_past_the_longest_game() -> None:
    for depth in (8, 100, 10**30):
        assert counting.perft(catena.Board(2), depth, executor=Inline()) == 0
        assert counting.divide(catena.Board(2), depth, finished=ignore) == dict.fromkeys(
            range(8), 0
        )


@pytest.mark.parametrize(
    "board",
    [
        catena.Board(10),
        catena.Board(10, komi=None),
        catena.Board(10, game="no-komi"),
        catena.Board(10, game="double"),
    ],
    ids=walks.setup_of,
)
def test_a_count_sure_to_overflow_is_refused_at_once(board: catena.Board) -> None:
    start = time.monotonic()
    for name in ("perft", "divide"):
        with pytest.raises(OverflowError, match=OVERFLOW):
            getattr(counting, name)(board, 40, executor=Inline())
    assert time.monotonic() - start < 30


def test_a_placement_closes_no_more_cells_than_the_bound_allows() -> None:
    rng = random.Random(1)
    worst = 0
    for _ in range(300):
        board = catena.Board(rng.randint(3, 7))
        board.push("button")
        before = board.legal_count
        for _ in walks.walk(board, rng):
            worst = max(worst, before - board.legal_count)
            before = board.legal_count
    assert 4 < worst <= _core.MAX_CLOSED


@pytest.mark.parametrize("board", walks.starts((2, 3, 6)), ids=walks.setup_of)
def test_no_count_is_refused_that_fits(board: catena.Board) -> None:
    # All sequences of placements there are, legal or not, and the button anywhere.
    n = board.num_cells
    for depth in range(8):
        if 32 * math.perm(n + 1, min(depth, n)) < 2**64:
            counting._refuse_overflow(board, depth, 1)


@pytest.mark.usefixtures("short_jobs")
def test_a_sum_past_64_bits_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def many(board: catena.Board, paths: tuple[tuple[int, ...], ...], depth: int) -> list[int]:
        return [2**61 for _ in paths]

    monkeypatch.setattr(counting, "count_after", many)
    board = catena.Board(2)  # eight first moves of one path each
    assert counting.divide(board, 2, finished=ignore) == dict.fromkeys(range(8), 2**61)
    with pytest.raises(OverflowError, match=OVERFLOW):
        counting.perft(board, 2, finished=ignore)
    with pytest.raises(OverflowError, match=OVERFLOW):
        counting.divide(board, 4, finished=ignore)


class Refusing(Executor):
    """Takes no job."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise RuntimeError("no more jobs")


@pytest.mark.usefixtures("short_jobs")
def test_an_executor_that_fails() -> None:
    with pytest.raises(RuntimeError, match="no more jobs"):
        counting.perft(catena.Board(3), 4, executor=Refusing())
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="shutdown"):
        counting.divide(catena.Board(3), 4, executor=pool)


def die(*_: object) -> None:
    """Ends a worker as a crash would."""
    import os

    os._exit(1)


@pytest.mark.usefixtures("short_jobs")
def test_a_lost_worker_is_an_error() -> None:
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, mp_context=context, initializer=die)
    with pool, pytest.raises(BrokenProcessPool):
        counting.perft(catena.Board(3), 4, executor=pool)


@children.needs_sigint
@pytest.mark.parametrize("arguments", ["executor=pool", "finished=print"])
def test_ctrl_c(arguments: str) -> None:
    end = children.interrupt(
        f"""
        import catena
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(2) as pool:
            print("ready", flush=True)
            try:
                catena.perft(catena.Board(6), 13, {arguments})
            except KeyboardInterrupt:
                print("stopped", flush=True)
        """,
        after=1.0,
    )
    assert end.status == 0
    assert end.out.splitlines()[-1] == "stopped"
