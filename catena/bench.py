"""Timed counts: perft runs that report progress, and the benchmark whose counts are known."""

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from catena._core import Board, build_info, perft

__all__ = [
    "DEPTHS",
    "KNOWN",
    "Measurement",
    "Report",
    "Timing",
    "ladder",
    "machine",
    "measure",
    "timed_divide",
    "timed_perft",
]

Report = Callable[[float], None]
Part = tuple[float, float]  # of the work, from and to

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
DEPTHS = {2: 6, 3: 7, 4: 6, 5: 5, 6: 4, 7: 4, 8: 4, 9: 4, 10: 4}


class Timing(NamedTuple):
    """Sequences counted, which perft calls nodes, and the seconds it took."""

    nodes: int
    seconds: float

    @property
    def per_second(self) -> float:
        """Nodes counted in a second."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0


class Measurement(NamedTuple):
    """One size of the benchmark: the median of ``runs`` timings, and what the count should be."""

    size: int
    cells: int
    depth: int
    timing: Timing
    runs: int
    known: int

    @property
    def is_right(self) -> bool:
        """Whether the count is the known one."""
        return self.timing.nodes == self.known


def timed_perft(board: Board, depth: int, report: Report | None = None) -> Timing:
    """Count as ``perft`` does, calling ``report`` with the part done, 0.0 to 1.0, on deep runs."""
    cuts = _cuts(depth) if report else 0
    board = board.copy()
    start = time.perf_counter()
    count = _count_in_parts(board, depth, cuts, (0.0, 1.0), report)
    return Timing(count, time.perf_counter() - start)


def timed_divide(
    board: Board, depth: int, report: Report | None = None
) -> tuple[dict[int, int], Timing]:
    """Count as ``divide`` does, calling ``report`` with the part done, 0.0 to 1.0."""
    cuts = max(1, _cuts(depth)) if report else 1
    board, counts = board.copy(), {}
    start = time.perf_counter()
    for move, part in _parts(board, (0.0, 1.0)):
        counts[move] = _count_in_parts(board, depth - 1, cuts - 1, part, report)
    return counts, Timing(sum(counts.values()), time.perf_counter() - start)


def ladder(board: Board, depth: int, report: Report | None = None) -> Iterator[tuple[int, Timing]]:
    """Time each depth from 1 up to ``depth``; past the longest game only the last one."""
    for step in range(min(1, depth), depth + 1):
        timing = timed_perft(board, step, report)
        yield step, timing
        if timing.nodes == 0 and step < depth:
            yield depth, Timing(0, 0.0)
            return


def _cuts(depth: int) -> int:
    """At how many first moves to cut a run: its parts are long enough for cuts to cost nothing."""
    return 0 if depth < 4 else 1 if depth < 6 else 2


def _parts(board: Board, whole: Part) -> Iterator[tuple[int, Part]]:
    """Make each legal move in turn, and take it back; the part done goes up evenly."""
    start, end = whole
    moves = board.legal_moves()
    step = (end - start) / max(1, len(moves))
    for i, move in enumerate(moves):
        board.push(move)
        yield move, (start + i * step, start + (i + 1) * step)
        board.pop()


def _count_in_parts(board: Board, depth: int, cuts: int, part: Part, report: Report | None) -> int:
    if cuts == 0:
        count = perft(board, depth)
    else:
        count = 0
        for _, smaller in _parts(board, part):
            count += _count_in_parts(board, depth - 1, cuts - 1, smaller, report)
    if report:
        report(part[1])
    return count


def measure(size: int, seconds: float = 0.25) -> Measurement:
    """Time the benchmark's run on one size again and again for about ``seconds``.

    A wrong count ends the runs at once and is the one reported.
    """
    board, depth = Board(size), DEPTHS[size]
    known = KNOWN[size][depth]
    timings: list[Timing] = []
    end = time.perf_counter() + seconds
    while not timings or (time.perf_counter() < end and timings[-1].nodes == known):
        timings.append(timed_perft(board, depth))
    timing = timings[-1]
    if timing.nodes == known:
        timing = Timing(known, statistics.median(timing.seconds for timing in timings))
    return Measurement(size, board.num_cells, depth, timing, len(timings), known)


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
