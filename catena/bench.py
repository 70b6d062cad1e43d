"""Timed runs: perft that reports progress, and the benchmark of perft and playouts."""

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from datetime import datetime
from itertools import cycle
from typing import Any, NamedTuple

from catena import counting
from catena._core import Board, build_info, run_playouts

__all__ = [
    "DEPTHS",
    "KNOWN",
    "QUICK_SECONDS",
    "SECONDS",
    "Measurement",
    "Rate",
    "Report",
    "Timing",
    "as_json",
    "ladder",
    "machine",
    "measure",
    "timed_divide",
    "timed_perft",
]

Report = Callable[[float], None]

FORMAT = 1  # of the JSON; plot refuses any other

# perft(0), perft(1), ... of the empty board in the default game, by size.  Exact counts from a
# transfer-matrix count of the legal sets (I, and M of them that can't grow) by the identity
#     perft(d) = d! I(d) + (d-1) (d-1)! I(d-1) + (d-1)! (I(d-1) - M(d-1));
# for size 9 the sets of up to 4 cells were enumerated one by one instead.
KNOWN: dict[int, tuple[int, ...]] = {
    2: (1, 8, 56, 300, 1002, 2520, 3600),
    3: (1, 20, 380, 6696, 106872, 1507080, 18277200, 185199840),
    4: (1, 38, 1406, 50292, 1727016, 56536680, 1751690160),
    5: (1, 62, 3782, 226344, 13253736, 757253160),
    6: (1, 92, 8372, 752580, 66741432, 5831762520),
    7: (1, 128, 16256, 2046960, 255386976),
    8: (1, 170, 28730, 4824876, 804874512),
    9: (1, 218, 47306, 10215792, 2194914336),
    10: (1, 272, 73712, 19899324, 5350571376),
}
# The depth of each size's run: deep enough to time, short enough for a few seconds in all.
DEPTHS = {2: 6, 3: 6, 4: 5, 5: 5, 6: 4, 7: 4, 8: 4, 9: 4, 10: 4}
# Seconds for each of perft and playouts on a size.
SECONDS, QUICK_SECONDS = 0.15, 0.04
# A sample should be shorter than the turns that a busy machine gives its programs, or every one
# holds some of their time and the median is not that of an idle machine.  So perft is timed by
# first move, and playouts so many at a time, divided by the square of the size.
GAMES = 5000
SEED = 1


class Timing(NamedTuple):
    """Sequences counted, which perft calls nodes, and the seconds it took."""

    nodes: int
    seconds: float

    @property
    def per_second(self) -> float:
        """Nodes counted in a second."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0


class Rate(NamedTuple):
    """What one node or ply costs, in nanoseconds: the median of ``samples`` timings.

    ``spread`` tells how far they lie from it: half of them by no more than this part of it.
    """

    ns: float
    spread: float
    samples: int

    @property
    def per_second(self) -> float:
        """Nodes or plies in a second."""
        return 1e9 / self.ns


class Measurement(NamedTuple):
    """One size of the benchmark: a perft count, what it should be, and the speeds."""

    size: int
    cells: int
    depth: int
    nodes: int
    known: int
    perft: Rate
    plies: float  # of a playout, the mean
    playouts: Rate

    @property
    def is_right(self) -> bool:
        """Whether the count is the known one."""
        return self.nodes == self.known

    @property
    def playouts_per_second(self) -> float:
        """Games played in a second."""
        return self.playouts.per_second / self.plies


def timed_perft(
    board: Board, depth: int, report: Report | None = None, executor: Executor | None = None
) -> Timing:
    """Time perft; ``report`` is called with the part done, 0.0 to 1.0."""
    start = time.perf_counter()
    count = counting.perft(board, depth, executor=executor, finished=report)
    return Timing(count, time.perf_counter() - start)


def timed_divide(
    board: Board, depth: int, report: Report | None = None, executor: Executor | None = None
) -> tuple[dict[int, int], Timing]:
    """Time divide; ``report`` is called with the part done, 0.0 to 1.0."""
    start = time.perf_counter()
    counts = counting.divide(board, depth, executor=executor, finished=report)
    return counts, Timing(sum(counts.values()), time.perf_counter() - start)


def ladder(
    board: Board, depth: int, report: Report | None = None, executor: Executor | None = None
) -> Iterator[tuple[int, Timing]]:
    """Time each depth from 1 up to ``depth``; past the longest game only the last one."""
    for step in range(min(1, depth), depth + 1):
        timing = timed_perft(board, step, report, executor)
        yield step, timing
        if timing.nodes == 0 and step < depth:
            yield depth, Timing(0, 0.0)
            return


def measure(size: int, seconds: float = SECONDS, *, quick: bool = False) -> Measurement:
    """Time perft and playouts on the empty board of a size, each for about so many seconds.

    All sequences are counted once, however long it takes, but in a ``quick`` run; that may count
    those of one move less, though it still times the others.  A wrong count ends the runs of perft.
    """
    board = Board(size)
    depth, nodes, perft = _measure_perft(board, seconds, quick)
    plies, playouts = _measure_playouts(board, seconds)
    known = KNOWN[size][depth]
    return Measurement(size, board.num_cells, depth, nodes, known, perft, plies, playouts)


def _measure_perft(board: Board, seconds: float, quick: bool) -> tuple[int, int, Rate]:
    """Return a depth, the count of a whole run to that depth, and the cost of a node."""
    depth, moves = DEPTHS[board.size], board.legal_moves()
    # On the smallest board one move is too little to time.  A short run is to see all of the board.
    parts = [[move] for i in range(8) for move in moves[i::8]] if board.size > 2 else [moves]
    samples: list[float] = []
    counted, total = 0, 0
    end = time.perf_counter() + seconds
    for part in cycle(parts):
        paths = tuple((move,) for move in part)
        start = time.perf_counter()
        nodes = sum(counting.count_after(board, paths, depth - 1))
        samples.append((time.perf_counter() - start) * 1e9 / nodes)
        total += nodes
        if len(samples) % len(parts) == 0:
            counted, total = total, 0
            if counted != KNOWN[board.size][depth]:
                break
        if time.perf_counter() >= end and (counted or quick):
            break
    if not counted:
        depth, counted = depth - 1, counting.perft(board, depth - 1)
    return depth, counted, _rate(samples)


def _measure_playouts(board: Board, seconds: float) -> tuple[float, Rate]:
    count = GAMES // board.size**2
    samples: list[float] = []
    games = total = 0
    end = time.perf_counter() + seconds
    # Never the same games again: a processor learns the branches of a short run by heart.
    while not samples or time.perf_counter() < end:
        start = time.perf_counter()
        _, plies = run_playouts(board, SEED, games, count)
        took = time.perf_counter() - start
        games, made = games + count, int(plies.sum())
        total += made
        samples.append(took * 1e9 / made)
    return total / games, _rate(samples)


def _rate(samples: list[float]) -> Rate:
    median = statistics.median(samples)
    spread = statistics.median(abs(sample - median) for sample in samples) / median
    return Rate(median, spread, len(samples))


def as_json(
    measurements: Sequence[Measurement], quick: bool, signature: int, version: str
) -> dict[str, Any]:
    """Return a run of the benchmark as what ``json.dump`` takes and ``catena plot`` reads."""
    return {
        "catena": version,
        "benchmark": FORMAT,
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "quick": quick,
        **machine(),
        "loops": build_info()["loops"],
        "sizes": [_size_as_json(m) for m in measurements],
        "signature": f"{signature:016x}",
    }


def _size_as_json(m: Measurement) -> dict[str, Any]:
    return {
        "size": m.size,
        "cells": m.cells,
        "perft": {
            "depth": m.depth,
            "nodes": m.nodes,
            "known": m.known,
            "nodes_per_second": round(m.perft.per_second),
            "ns_per_node": round(m.perft.ns, 4),
            "spread": round(m.perft.spread, 4),
            "samples": m.perft.samples,
        },
        "playouts": {
            "plies": round(m.plies, 2),
            "playouts_per_second": round(m.playouts_per_second),
            "ns_per_ply": round(m.playouts.ns, 3),
            "spread": round(m.playouts.spread, 4),
            "samples": m.playouts.samples,
        },
    }


def machine() -> dict[str, str]:
    """Return what a speed depends on: the machine, the system, Python and the build."""
    facts = {
        "machine": f"{_processor()}, {os.cpu_count()} logical cores",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    build = [f"{name} {value}" for name, value in build_info().items() if value is not False]
    return facts | {"build": "; ".join(build)}


def _processor() -> str:
    """Return the processor's model where the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.lower().startswith(("model name", "hardware")):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown machine"
