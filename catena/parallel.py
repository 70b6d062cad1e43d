"""Jobs on any ``concurrent.futures`` executor: threads, processes, a cluster.

A job is a call of a module-level function with small picklable arguments whose result depends on
these alone.  So it doesn't matter where it runs, in which order, or whether an executor merges
equal jobs.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

__all__ = ["run_jobs"]

Result = TypeVar("Result")


def run_jobs(
    function: Callable[..., Result],
    jobs: Iterable[tuple[Any, ...]],
    executor: Executor | None,
    finished: Callable[[int], None] | None = None,
) -> list[Result]:
    """Return ``function(*job)`` for each job, in the order of the jobs.

    Without an executor they run here, one after the other.  ``finished`` is called in this thread
    with the index of each job that is done.  On an executor a job that fails is sent once more:
    clusters can lose a result together with the worker that had it.

    :raises Exception: the first that a job raises twice or the executor raises; jobs not yet begun
        are cancelled.
    """
    if executor is None:
        results = []
        for index, job in enumerate(jobs):
            results.append(function(*job))
            if finished is not None:
                finished(index)
        return results
    sent: list[tuple[Any, ...]] = []
    futures: list[Future[Result]] = []
    again: set[int] = set()
    # Told by callbacks, which a cancelled job makes too.  concurrent.futures.wait would hold the
    # locks of all futures at moments in which Ctrl-C would leave them locked.
    ended: SimpleQueue[int] = SimpleQueue()
    try:
        for index, job in enumerate(jobs):
            sent.append(job)
            futures.append(executor.submit(function, *job))
            futures[index].add_done_callback(partial(_tell, ended, index))
        left = len(futures)
        while left:
            index = ended.get()
            try:
                futures[index].result()
            except Exception as error:
                if index in again or futures[index].cancelled():
                    raise
                again.add(index)
                try:
                    futures[index] = executor.submit(function, *sent[index])
                except Exception:
                    raise error from None
                futures[index].add_done_callback(partial(_tell, ended, index))
            else:
                left -= 1
                if finished is not None:
                    finished(index)
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return [future.result() for future in futures]


def _tell(ended: SimpleQueue[int], index: int, _: Future[Any]) -> None:
    ended.put(index)
