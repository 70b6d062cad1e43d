"""Jobs on any ``concurrent.futures`` executor: threads, processes, a cluster.

A job is a call of a module-level function with small picklable arguments whose result depends on
these alone.  So it doesn't matter where it runs, in which order, or whether an executor merges
equal jobs.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any, TypeVar

__all__ = ["run_jobs"]

Result = TypeVar("Result")

SECONDS_BETWEEN_LOOKS = 0.5


def run_jobs(
    function: Callable[..., Result],
    jobs: Iterable[tuple[Any, ...]],
    executor: Executor | None,
    finished: Callable[[int], None] | None = None,
) -> list[Result]:
    """Return ``function(*job)`` for each job, in the order of the jobs.

    Without an executor they run here, one after the other.  ``finished`` is called in this thread
    with the index of each job that is done.

    :raises Exception: the first that a job or the executor raises; jobs not yet begun are
        cancelled.
    """
    if executor is None:
        results = []
        for index, job in enumerate(jobs):
            results.append(function(*job))
            if finished is not None:
                finished(index)
        return results
    futures: list[Future[Result]] = []
    try:
        futures.extend(executor.submit(function, *job) for job in jobs)
        _wait_for_all(futures, finished)
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return [future.result() for future in futures]


def _wait_for_all(futures: list[Future[Result]], finished: Callable[[int], None] | None) -> None:
    """Return when all are done; raise what the first that failed raised."""
    # An executor may answer equal jobs with one future.
    jobs_of: dict[Future[Result], list[int]] = {}
    for index, future in enumerate(futures):
        jobs_of.setdefault(future, []).append(index)
    pending = set(futures)
    while pending:
        done, pending = wait(pending, timeout=SECONDS_BETWEEN_LOOKS, return_when=FIRST_COMPLETED)
        # A job that a shutdown cancelled before it began wakes no waiter.
        done |= {future for future in pending if future.cancelled()}
        pending -= done
        for future in done:
            future.result()
            if finished is not None:
                for index in jobs_of[future]:
                    finished(index)
