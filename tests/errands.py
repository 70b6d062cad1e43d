"""Jobs for the tests of executors, in a module that a new process can import by its name."""

from __future__ import annotations

import os
import time


def square(number: int) -> int:
    return number * number


def pid_after(seconds: float, number: int) -> int:
    """The process that ran the job; ``number`` makes jobs differ."""
    time.sleep(seconds)
    return os.getpid()


def fail(number: int) -> int:
    raise LookupError(f"job {number}")


def fail_on_three(number: int) -> int:
    return fail(number) if number == 3 else number


def die_on_three(number: int) -> int:
    if number == 3:
        os._exit(9)
    return number
