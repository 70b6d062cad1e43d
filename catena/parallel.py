"""Jobs on any ``concurrent.futures`` executor: threads, processes, a cluster.

A job is a call of a module-level function with small picklable arguments whose result depends on
these alone.  So it doesn't matter where it runs, in which order, or whether an executor merges
equal jobs.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
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
    submit = executor.submit
    sent: list[tuple[Any, ...]] = []
    futures: list[Future[Result]] = []
    again: set[int] = set()
    # Told by callbacks, which a cancelled job makes too.  concurrent.futures.wait would hold the
    # locks of all futures at moments in which Ctrl-C would leave them locked.
    ended: SimpleQueue[int] = SimpleQueue()

    def send(index: int) -> Future[Result]:
        future = submit(function, *sent[index])
        future.add_done_callback(lambda _: ended.put(index))
        return future

    try:
        for index, job in enumerate(jobs):
            sent.append(job)
            futures.append(send(index))
        left = len(futures)
        while left:
            index = ended.get()
            error = futures[index].exception()
            if error is None:
                left -= 1
                if finished is not None:
                    finished(index)
                continue
            if index in again or not isinstance(error, Exception):
                raise error
            again.add(index)
            try:
                futures[index] = send(index)
            except Exception:
                raise error from None
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return [future.result() for future in futures]
