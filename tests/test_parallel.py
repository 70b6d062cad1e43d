"""Jobs on executors: the same bytes from threads, processes and a cluster; what dies is told."""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import children
import pytest
import walks
from deadlines import soon
from errands import die_on_three, fail_on_three, pid_after, square

import catena
from catena._core import run_playouts
from catena.parallel import run_jobs

FAST_BUILD = not catena.build_info()["debug"]
# Workers start slowly where a sanitizer or a loaded machine slows down all.
PATIENCE = 120
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


@pytest.fixture(autouse=True)
def _deadline() -> Iterator[None]:
    """Fail rather than hang, which is what a lost job would lead to."""
    with soon(PATIENCE):
        yield


@pytest.fixture
def small_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of 256 games after a first one, so that short runs have many of them."""
    # By name, since catena.playouts is the function.
    module = importlib.import_module("catena.playouts")
    monkeypatch.setattr(module, "PILOT_SECONDS", 0.0)  # so games count as of one second each
    monkeypatch.setattr(module, "JOB_SECONDS", 256.0)


# --- Executors ------------------------------------------------------------------------------------


class Held(Executor):
    """Runs nothing; a test settles the futures itself."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []
        self.calls: list[tuple[Any, ...]] = []

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        assert not kwargs
        self.calls.append((function, *args))
        self.futures.append(Future())
        return self.futures[-1]


class Refusing(Executor):
    """Takes ``room`` jobs, which never run, and no more."""

    def __init__(self, room: int = 0) -> None:
        self.room = room
        self.futures: list[Future[Any]] = []

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if len(self.futures) == self.room:
            raise BlockingIOError("no room")
        self.futures.append(Future())
        return self.futures[-1]


class Backwards(Executor):
    """Runs a known number of jobs in another thread, the last first."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.waiting: list[tuple[Future[Any], Any, tuple[Any, ...]]] = []

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, function, args))
        if len(self.waiting) == self.jobs:
            threading.Thread(target=self.run).start()
        return future

    def run(self) -> None:
        for future, function, args in reversed(self.waiting):
            future.set_result(function(*args))
            time.sleep(0.002)


class Merging(Executor):
    """Runs equal jobs once and gives the one future for all of them, as a cluster may."""

    def __init__(self) -> None:
        self.known: dict[bytes, Future[Any]] = {}

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        name = pickle.dumps((function, args))
        if name not in self.known:
            self.known[name] = Future()
            self.known[name].set_result(function(*args))
        return self.known[name]


class Packing(Executor):
    """Runs at once what comes out of a pickle of the job; keeps the pickles."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.sent.append(pickle.dumps((function, args)))
        function, args = pickle.loads(self.sent[-1])
        future: Future[Any] = Future()
        future.set_result(pickle.loads(pickle.dumps(function(*args))))
        return future


def processes(method: str, workers: int = 2, **options: Any) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context(method), **options)


METHODS = [m for m in ("spawn", "forkserver") if m in multiprocessing.get_all_start_methods()]


@pytest.fixture(scope="module", params=["threads", *METHODS])
def pool(request: pytest.FixtureRequest) -> Iterator[Executor]:
    executor: Executor
    executor = ThreadPoolExecutor(2) if request.param == "threads" else processes(request.param)
    with executor:
        yield executor


def as_bytes(found: catena.Playouts) -> bytes:
    return found.margin.tobytes() + found.winner.tobytes() + found.plies.tobytes()


def mid_game(board: catena.Board, plies: int = 5) -> catena.Board:
    board = board.copy()
    for _ in walks.walk(board, random.Random(board.position), plies):
        pass
    return board


# --- The same bytes from everywhere ---------------------------------------------------------------


@pytest.mark.usefixtures("small_jobs")
@pytest.mark.parametrize("board", walks.starts((2, 6)), ids=walks.setup_of)
def test_playouts_are_the_same_on_every_executor(pool: Executor, board: catena.Board) -> None:
    for here in (board, mid_game(board)):
        wanted = catena.playouts(here, 1500, seed=2**64 - 1)
        found = catena.playouts(here, 1500, seed=2**64 - 1, executor=pool)
        assert as_bytes(found) == as_bytes(wanted)
        for array in (found.margin, found.plies, found.winner):
            assert array.flags.c_contiguous
            assert array.flags.writeable
        dtypes = found.margin.dtype, found.winner.dtype, found.plies.dtype
        assert dtypes == (wanted.margin.dtype, wanted.winner.dtype, wanted.plies.dtype)


def test_jobs_of_the_usual_length(pool: Executor) -> None:
    board = mid_game(catena.Board(10, scoring="longest"))
    count = 40_000 if FAST_BUILD else 2_000
    wanted = as_bytes(catena.playouts(board, count, seed=4))
    assert as_bytes(catena.playouts(board, count, seed=4, executor=pool)) == wanted


@pytest.mark.usefixtures("small_jobs")
@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 258, 512, 513, 514, 1000])
def test_counts_around_the_size_of_a_job(pool: Executor, count: int) -> None:
    board = catena.Board(3)
    wanted = as_bytes(catena.playouts(board, count, seed=count))
    assert as_bytes(catena.playouts(board, count, seed=count, executor=pool)) == wanted
    calls: list[int] = []
    found = catena.playouts(board, count, seed=count, finished=calls.append)
    assert as_bytes(found) == wanted
    assert calls == [*range(1, count, 256), count]


@pytest.mark.usefixtures("small_jobs")
def test_a_finished_board(pool: Executor) -> None:
    board = catena.Board(4)
    for _ in walks.walk(board, random.Random(5)):
        pass
    found = catena.playouts(board, 1000, seed=1, executor=pool)
    black, white = board.scores
    assert set(found.margin.tolist()) == {2 * (black - white)}
    assert set(found.winner.tolist()) == {board.winner}
    assert set(found.plies.tolist()) == {0}


@pytest.mark.usefixtures("small_jobs")
@pytest.mark.parametrize("where", ["backwards", "merging", "packing"])
def test_playouts_on_odd_executors(where: str) -> None:
    board = mid_game(catena.Board(5, game="no-komi"))
    odd: Executor = {"backwards": Backwards(8), "merging": Merging(), "packing": Packing()}[where]
    found = catena.playouts(board, 2000, seed=1, executor=odd)
    assert as_bytes(found) == as_bytes(catena.playouts(board, 2000, seed=1))


@pytest.mark.usefixtures("small_jobs")
def test_jobs_are_small_and_carry_their_own_seeds() -> None:
    packing = Packing()
    board = mid_game(catena.Board(10), 40)
    catena.playouts(board, 2560, seed=2**63, executor=packing)
    assert len(packing.sent) == 10
    assert len(set(packing.sent)) == 10
    assert max(map(len, packing.sent)) < 8_000


@pytest.mark.usefixtures("small_jobs")
def test_a_board_that_moves_on_meanwhile() -> None:
    """The games are those of the position at the call, whatever a callback or thread does to it."""
    wanted = as_bytes(catena.playouts(catena.Board(3), 3000, seed=1))
    board = catena.Board(3)

    def move_on(games: int) -> None:
        if not board.is_over:
            board.push(board.legal_moves()[0])

    found = catena.playouts(board, 3000, seed=1, finished=move_on)
    assert board.ply > 3
    assert as_bytes(found) == wanted
    board = catena.Board(3)
    with ThreadPoolExecutor(1) as threads:
        found = catena.playouts(board, 3000, seed=1, executor=threads, finished=move_on)
    assert as_bytes(found) == wanted


# --- run_jobs -------------------------------------------------------------------------------------


def test_results_come_in_the_order_of_the_jobs(pool: Executor) -> None:
    jobs = [(number,) for number in range(40)]
    done: list[int] = []
    assert run_jobs(square, jobs, pool, done.append) == [n * n for n in range(40)]
    assert sorted(done) == list(range(40))
    done.clear()
    assert run_jobs(square, iter(jobs), None, done.append) == [n * n for n in range(40)]
    assert done == list(range(40))


def test_results_that_come_backwards() -> None:
    done: list[int] = []
    jobs = [(number,) for number in range(20)]
    assert run_jobs(square, jobs, Backwards(20), done.append) == [n * n for n in range(20)]
    assert sorted(done) == list(range(20))
    assert done != sorted(done)


def test_the_callback_runs_in_the_callers_thread(pool: Executor) -> None:
    seen = set()
    run_jobs(square, [(n,) for n in range(9)], pool, lambda _: seen.add(threading.get_ident()))
    assert seen == {threading.get_ident()}


def test_no_jobs_at_all(pool: Executor) -> None:
    done: list[int] = []
    assert run_jobs(square, [], pool, done.append) == []
    assert run_jobs(square, [], None, done.append) == []
    assert done == []


@pytest.mark.parametrize("where", ["here", "pool", "merging"])
def test_equal_jobs_have_a_result_each(pool: Executor, where: str) -> None:
    executor = {"here": None, "pool": pool, "merging": Merging()}[where]
    jobs = [(3,), (4,), (3,), (3,), (5,), (4,)]
    done: list[int] = []
    assert run_jobs(square, jobs, executor, done.append) == [9, 16, 9, 9, 25, 16]
    assert sorted(done) == list(range(6))


def test_processes_do_run_the_jobs(pool: Executor) -> None:
    pids = set(run_jobs(pid_after, [(0.01, n) for n in range(20)], pool))
    if isinstance(pool, ThreadPoolExecutor):
        assert pids == {os.getpid()}
    else:
        assert os.getpid() not in pids
        assert pids


# --- What fails reaches the caller ----------------------------------------------------------------


def test_a_job_that_raises(pool: Executor) -> None:
    with pytest.raises(LookupError, match="job 3"):
        run_jobs(fail_on_three, [(n,) for n in range(10)], pool)
    with pytest.raises(LookupError, match="job 3"):
        run_jobs(fail_on_three, [(n,) for n in range(10)], None)
    # The executor is as good as before.
    assert run_jobs(square, [(5,)], pool) == [25]


def test_an_error_of_the_engine_keeps_its_kind(pool: Executor) -> None:
    board = catena.Board(2)
    with pytest.raises(ValueError, match="count"):
        run_jobs(run_playouts, [(board, 1, 0, 5), (board, 1, 0, 0)], pool)


def test_bad_arguments_are_refused_before_a_job_is_sent() -> None:
    board = catena.Board(2)
    for board_, count, seed, error in [
        (board, 0, 1, ValueError),
        (board, -3, 1, ValueError),
        (board, 2**30 + 1, 1, ValueError),
        (board, True, 1, TypeError),
        (board, 3.0, 1, TypeError),
        (board, "3", 1, TypeError),
        (board, 500, -1, ValueError),
        (board, 500, 2**64, ValueError),
        (board, 500, None, TypeError),
        (None, 500, 1, TypeError),
    ]:
        held = Refusing()
        with pytest.raises(error):
            catena.playouts(board_, count, seed=seed, executor=held)


def settle_later(
    held: Held | Refusing, jobs: int, settle: Callable[[], object]
) -> threading.Thread:
    """Start a thread that calls ``settle`` when ``held`` has been given as many jobs."""

    def wait() -> None:
        while len(held.futures) < jobs:
            time.sleep(0.001)
        settle()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_the_rest_is_cancelled_when_a_job_raises_twice() -> None:
    held = Held()

    def settle() -> None:
        held.futures[2].set_result(4)
        held.futures[5].set_exception(LookupError("five"))

    threads = [
        settle_later(held, 8, settle),
        settle_later(held, 9, lambda: held.futures[8].set_exception(LookupError("five again"))),
    ]
    done: list[int] = []
    with soon(20), pytest.raises(LookupError, match="five again"):
        run_jobs(square, [(n,) for n in range(8)], held, done.append)
    for thread in threads:
        thread.join()
    assert held.calls[8] == (square, 5)
    ended = {2, 5, 8}
    assert [future.cancelled() for future in held.futures] == [n not in ended for n in range(9)]
    assert set(done) <= {2}


def test_a_job_that_fails_once_is_sent_again() -> None:
    """As on a cluster that loses a result together with the worker that had it."""
    held = Held()

    def settle() -> None:
        held.futures[0].set_exception(ValueError("not enough values to unpack"))
        held.futures[1].set_result(1)

    threads = [
        settle_later(held, 2, settle),
        settle_later(held, 3, lambda: held.futures[2].set_result(0)),
    ]
    done: list[int] = []
    with soon(20):
        assert run_jobs(square, [(0,), (1,)], held, done.append) == [0, 1]
    for thread in threads:
        thread.join()
    assert sorted(done) == [0, 1]
    assert len(held.calls) == 3


def test_an_error_is_told_when_its_job_cannot_be_sent_again() -> None:
    refusing = Refusing(1)
    thread = settle_later(refusing, 1, lambda: refusing.futures[0].set_exception(LookupError("a")))
    with soon(20), pytest.raises(LookupError, match="a"):
        run_jobs(square, [(0,)], refusing)
    thread.join()


def test_the_rest_is_cancelled_when_a_job_is_refused() -> None:
    refusing = Refusing(3)
    with pytest.raises(BlockingIOError):
        run_jobs(square, [(n,) for n in range(8)], refusing)
    assert len(refusing.futures) == 3
    assert all(future.cancelled() for future in refusing.futures)


def test_the_rest_is_cancelled_when_the_jobs_end_in_an_error() -> None:
    def jobs() -> Iterator[tuple[int]]:
        yield (1,)
        yield (2,)
        raise LookupError("no third")

    held = Held()
    with pytest.raises(LookupError, match="no third"):
        run_jobs(square, jobs(), held)
    assert [future.cancelled() for future in held.futures] == [True, True]


def test_the_rest_is_cancelled_when_the_callback_raises(pool: Executor) -> None:
    def finished(index: int) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        run_jobs(square, [(n,) for n in range(8)], pool, finished)
    held = Held()

    thread = settle_later(held, 4, lambda: held.futures[1].set_result(1))
    with pytest.raises(LookupError, match="enough"):
        run_jobs(square, [(n,) for n in range(4)], held, finished)
    thread.join()
    assert [future.cancelled() for future in held.futures] == [True, False, True, True]


def test_a_job_cancelled_by_others() -> None:
    """A cancelled job has no result, so the run can't have one; and it must not wait for it."""
    held = Held()

    thread = settle_later(held, 3, lambda: held.futures[1].cancel())
    with soon(20), pytest.raises(CancelledError):
        run_jobs(square, [(n,) for n in range(3)], held)
    thread.join()
    assert all(future.cancelled() for future in held.futures)


@pytest.mark.skipif(sys.platform == "win32", reason="no signal can be sent to a thread there")
def test_the_rest_is_cancelled_on_ctrl_c() -> None:
    held = Held()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt() -> None:
        while len(held.futures) < 4:
            time.sleep(0.001)
        time.sleep(0.05)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with soon(20), pytest.raises(KeyboardInterrupt):
            run_jobs(square, [(n,) for n in range(4)], held)
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert all(future.cancelled() for future in held.futures)


# --- Executors that are gone or die ---------------------------------------------------------------


@pytest.mark.parametrize("kind", ["threads", *METHODS])
def test_an_executor_shut_down_before(kind: str) -> None:
    executor: Executor = ThreadPoolExecutor(1) if kind == "threads" else processes(kind, 1)
    executor.shutdown()
    with pytest.raises(RuntimeError, match="shutdown"):
        catena.playouts(catena.Board(10), 100_000, seed=1, executor=executor)
    with pytest.raises(RuntimeError, match="shutdown"):
        run_jobs(square, [(1,)], executor)


@pytest.mark.usefixtures("small_jobs")
@pytest.mark.parametrize("kind", ["threads", *METHODS])
def test_an_executor_shut_down_meanwhile(kind: str) -> None:
    """Its cancelled jobs are told as such; without cancelling it does what it was given."""
    board = catena.Board(6)
    wanted = as_bytes(catena.playouts(board, 6000, seed=1))
    make: Callable[[], Executor] = (
        (lambda: ThreadPoolExecutor(1)) if kind == "threads" else (lambda: processes(kind, 1))
    )
    with make() as executor:

        def stop(games: int) -> None:
            if games > 1:  # the first was played here
                executor.shutdown(wait=False)

        found = catena.playouts(board, 6000, seed=1, executor=executor, finished=stop)
        assert as_bytes(found) == wanted
    with make() as executor:

        def stop_at_once(number: int) -> None:
            executor.shutdown(wait=False, cancel_futures=True)

        # Long enough that most wait when the first is done.
        jobs = [(0.05, number) for number in range(40)]
        with soon(20), pytest.raises(CancelledError):
            run_jobs(pid_after, jobs, executor, stop_at_once)


@pytest.mark.parametrize("method", METHODS)
def test_a_worker_that_dies_in_a_job(method: str) -> None:
    with processes(method) as executor:
        with pytest.raises(BrokenProcessPool):
            run_jobs(die_on_three, [(n,) for n in range(10)], executor)
        # It stays broken and says so.
        with pytest.raises(BrokenExecutor):
            run_jobs(square, [(1,)], executor)
        with pytest.raises(BrokenExecutor):
            catena.playouts(catena.Board(10), 100_000, seed=1, executor=executor)


@pytest.mark.parametrize("method", METHODS)
def test_a_worker_that_dies_at_its_start(method: str) -> None:
    with (
        processes(method, 1, initializer=os._exit, initargs=(7,)) as executor,
        pytest.raises(BrokenProcessPool),
    ):
        catena.playouts(catena.Board(10), 100_000, seed=1, executor=executor)


@pytest.mark.usefixtures("small_jobs")
@pytest.mark.parametrize("method", METHODS)
def test_a_worker_killed_in_the_middle(method: str) -> None:
    killed: list[int] = []
    with processes(method, 1) as executor:
        pid = executor.submit(os.getpid).result()

        def kill(games: int) -> None:
            if games > 1 and not killed:  # the first was played here
                os.kill(pid, KILL)
                killed.append(games)

        with pytest.raises(BrokenProcessPool):
            catena.playouts(catena.Board(10), 100_000, seed=1, executor=executor, finished=kill)
    assert killed


@children.needs_sigint
@pytest.mark.parametrize("kind", ["threads", "spawn"])
def test_ctrl_c_stops_a_run_on_an_executor(kind: str, tmp_path: Path) -> None:
    program = tmp_path / "run.py"
    program.write_text(
        textwrap.dedent(
            f"""
            import signal
            from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
            from multiprocessing import get_context
            import catena

            def main():
                signal.signal(signal.SIGINT, signal.default_int_handler)
                if {kind!r} == "threads":
                    pool = ThreadPoolExecutor(2)
                else:
                    pool = ProcessPoolExecutor(2, get_context("spawn"))
                calls = []
                def finished(games):
                    if not calls:
                        print("ready", flush=True)
                    calls.append(games)
                with pool:
                    try:
                        catena.playouts(
                            catena.Board(10), 2**24, seed=1, executor=pool, finished=finished
                        )
                    except KeyboardInterrupt:
                        print("stopped", flush=True)

            if __name__ == "__main__":
                main()
            """
        )
    )
    end = children.interrupt(program, after=0.0)
    assert end.out == "stopped\n", end.err
    # The run would take minutes; jobs that have begun are waited for.
    assert end.seconds < 15


MANY_JOBS = """
import os, signal, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from catena.parallel import run_jobs

def job(number):
    time.sleep(0.002)

def interrupt(index):
    if not begun:
        begun.append(index)
        stop = lambda: os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(float(sys.argv[1]), stop).start()

begun = []
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with ThreadPoolExecutor(2) as pool:
        run_jobs(job, [(number,) for number in range(6000)], pool, interrupt)
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no process can send itself SIGINT there")
@pytest.mark.parametrize("delay", [0.05, 0.13, 0.22, 0.37])
def test_ctrl_c_among_many_jobs(delay: float) -> None:
    """concurrent.futures.wait takes the locks of all jobs in turn; Ctrl-C there leaves them taken,
    and the executor's threads stand still for ever."""
    child = subprocess.run(
        [sys.executable, "-c", MANY_JOBS, str(delay)],
        capture_output=True,
        text=True,
        env=children.HERE_TOO,
        timeout=40,
    )
    assert child.stdout == "stopped\n", child.stderr


# --- A cluster ------------------------------------------------------------------------------------


@contextmanager
def dask_client(folder: Path, workers: int) -> Iterator[Any]:
    """A client of a Dask scheduler here and worker processes on this machine, on loopback only."""
    # Imported here: what of the tests needs no cluster runs without the extra.
    import dask
    from distributed import Client, LocalCluster

    with (
        # How long Dask tries to reach a worker that was killed; 30 s if not told.
        dask.config.set({"distributed.comm.timeouts.connect": "10s"}),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            # None would leave the scheduler's web server on a fixed port, which may be taken, and
            # the workers' of older releases open to other machines.
            dashboard_address=None,
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            worker_dashboard_address="127.0.0.1:0",
            local_directory=str(folder),
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(workers, timeout=PATIENCE)
        yield client


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with dask_client(tmp_path_factory.mktemp("dask"), 2) as client:
        yield client


def test_the_cluster_is_two_processes_on_loopback(client: Any) -> None:
    workers = client.nthreads()
    assert len(workers) == 2
    assert client.cluster.scheduler_address.startswith("tcp://127.0.0.1:")
    assert all(address.startswith("tcp://127.0.0.1:") for address in workers)
    pids = set(run_jobs(pid_after, [(0.05, n) for n in range(12)], client.get_executor()))
    assert len(pids) == 2
    assert os.getpid() not in pids
    # Nothing here or in the children listens to other machines.
    import psutil

    here = psutil.Process()
    listening = set()
    for process in (here, *here.children(recursive=True)):
        # Its name before psutil 6 was connections.
        look = getattr(process, "net_connections", None) or process.connections
        for connection in look(kind="inet"):
            if connection.status == psutil.CONN_LISTEN:
                listening.add(connection.laddr.ip)
    assert listening == {"127.0.0.1"}


@pytest.mark.usefixtures("small_jobs")
@pytest.mark.parametrize("board", walks.starts((2, 6)), ids=walks.setup_of)
def test_playouts_are_the_same_on_a_cluster(client: Any, board: catena.Board) -> None:
    for here in (board, mid_game(board)):
        wanted = as_bytes(catena.playouts(here, 1100, seed=9))
        with client.get_executor() as executor:
            assert as_bytes(catena.playouts(here, 1100, seed=9, executor=executor)) == wanted


def test_jobs_of_the_usual_length_on_a_cluster(client: Any) -> None:
    board = mid_game(catena.Board(10, scoring="squares"))
    count = 40_000 if FAST_BUILD else 2_000
    calls: list[int] = []
    with client.get_executor() as executor:
        found = catena.playouts(board, count, seed=4, executor=executor, finished=calls.append)
    assert as_bytes(found) == as_bytes(catena.playouts(board, count, seed=4))
    assert calls == sorted(set(calls))
    assert calls[-1] == count


def test_the_cluster_merges_equal_jobs(client: Any) -> None:
    """Its submit takes functions for pure: equal calls are one task, however many ask for it."""
    with client.get_executor() as executor:
        pids = run_jobs(pid_after, [(0.2, 77)] * 6, executor)
        assert len(pids) == 6
        assert len(set(pids)) == 1
        done: list[int] = []
        jobs = [(3,), (4,), (3,), (3,), (5,), (4,)]
        assert run_jobs(square, jobs, executor, done.append) == [9, 16, 9, 9, 25, 16]
        assert sorted(done) == list(range(6))


@pytest.mark.usefixtures("small_jobs")
def test_boards_that_differ_are_not_merged(client: Any) -> None:
    """Boards alike but for one field, asked for at once, so that a merged task would show."""
    boards = [
        *(catena.Board(4, komi=komi) for komi in (0, 1, 15, None)),
        catena.Board(4, scoring="longest"),
        catena.Board(4, game="double"),
    ]
    for moves in ("A1", "A2", "A1 button", "A1 B2", "A1 C2"):
        boards.append(catena.Board(4))
        boards[-1].play(moves)
    with client.get_executor() as executor:
        found = run_jobs(run_playouts, [(board, 5, 0, 300) for board in boards], executor)
    for board, (margin, plies) in zip(boards, found, strict=True):
        wanted = catena.playouts(board, 300, seed=5)
        assert margin.tobytes() == wanted.margin.tobytes()
        assert plies.tobytes() == wanted.plies.tobytes()


def test_a_job_that_raises_on_a_cluster(client: Any) -> None:
    with client.get_executor() as executor:
        with pytest.raises(LookupError, match="job 3"):
            run_jobs(fail_on_three, [(n,) for n in range(10)], executor)
        board = catena.Board(2)
        with pytest.raises(ValueError, match="count"):
            run_jobs(run_playouts, [(board, 1, 0, 5), (board, 1, 0, 0)], executor)
        assert run_jobs(square, [(6,)], executor) == [36]


def test_a_cluster_executor_shut_down_before(client: Any) -> None:
    executor = client.get_executor()
    executor.shutdown()
    with pytest.raises(RuntimeError, match="shutdown"):
        catena.playouts(catena.Board(10), 100_000, seed=1, executor=executor)


@pytest.mark.usefixtures("small_jobs")
def test_a_cluster_worker_killed_in_the_middle(client: Any) -> None:
    """The scheduler gives its jobs to others, so the result is the same.

    Once in about twenty kills Dask's executor takes a result that was lost with the worker, and
    computed anew while it was being fetched, for the parts of an exception; the job is sent again.
    """
    board = catena.Board(8)
    count = 40_000 if FAST_BUILD else 6_000
    wanted = as_bytes(catena.playouts(board, count, seed=3))
    pids = list(client.run(os.getpid).values())
    killed: list[int] = []

    def kill(games: int) -> None:
        if games > 1 and not killed:  # the first was played here
            os.kill(pids[0], KILL)
            killed.append(games)

    with client.get_executor() as executor:
        found = catena.playouts(board, count, seed=3, executor=executor, finished=kill)
    assert as_bytes(found) == wanted
    assert killed


def test_a_job_that_kills_its_cluster_worker(client: Any) -> None:
    """A task that took a worker with it too often is given up, by an error with that name."""
    from distributed import KilledWorker

    client.wait_for_workers(1, timeout=PATIENCE)
    # Each death costs a start of a worker; the scheduler, which runs in this process, allows three.
    client.cluster.scheduler.allowed_failures = 0
    with client.get_executor() as executor, pytest.raises(KilledWorker):
        run_jobs(die_on_three, [(3,)], executor)


@pytest.mark.usefixtures("small_jobs")
def test_a_cluster_that_goes_away(tmp_path: Path) -> None:
    with dask_client(tmp_path, 1) as client:
        executor = client.get_executor()

        def close(games: int) -> None:
            if games > 1:  # the first was played here
                client.cluster.close()

        # ValueError is what Dask's executor makes of a result whose task it has lost track of.
        with pytest.raises((CancelledError, OSError, RuntimeError, ValueError)):
            catena.playouts(catena.Board(10), 100_000, seed=1, executor=executor, finished=close)
