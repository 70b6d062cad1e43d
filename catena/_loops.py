"""The choice of the hot loops, perft and playouts: the core's own or a build for newer machines."""

import os

from catena import _core

__all__ = ["use_best_loops"]


def use_best_loops() -> None:
    """Hand the core the fastest loops that this machine runs.

    CATENA_BASELINE=1 in the environment keeps the core's own.  So does a build with
    CATENA_NATIVE=1, whose loops are made for this machine already, and a platform for which there
    are no others.
    """
    if os.environ.get("CATENA_BASELINE") == "1" or _core.build_info()["native"]:
        return
    if not _core._cpu_has_bmi2():
        return
    try:
        from catena import _loops_bmi2
    except ModuleNotFoundError:
        return
    _core._set_loops(_loops_bmi2.LOOPS, "bmi2")
