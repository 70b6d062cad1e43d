"""Deadlines for what would hang if it went wrong."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def soon(seconds: float) -> Iterator[None]:
    """Fail rather than hang; a nearer deadline may stand within.  Without alarms there, hang."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"not done in {seconds} s")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left)
