"""Playouts on one thread and on several: how much faster several are, in one run.

Needs a machine on which nothing else runs.  The processor time of a playout tells, on a busy
machine too, whether threads stand in one another's way: it should be the same with one and several.
"""

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter, process_time
from typing import NamedTuple

from report import (
    Spread,
    as_dict,
    console,
    mark,
    number_range,
    print_facts,
    print_json,
    spread,
    ticks,
)
from rich.table import Table

import catena

TARGET = 0.9  # of the ideal speed-up, at least: 1.8 with two threads


class Timed(NamedTuple):
    wall: float
    processor: float


def timed(size: int, count: int, executor: ThreadPoolExecutor | None) -> Timed:
    board = catena.Board(size)
    start, busy = perf_counter(), process_time()
    result = catena.playouts(board, count, seed=7, executor=executor)
    seconds = Timed(perf_counter() - start, process_time() - busy)
    # Playout i depends on the seed and i alone, whoever plays it.
    alone = catena.playouts(board, 100, seed=7)
    assert len(result) == count
    assert (result.margin[:100] == alone.margin).all()
    assert (result.plies[:100] == alone.plies).all()
    return seconds


class Row(NamedTuple):
    size: int
    playouts: int
    one_thread_seconds: Spread
    threads_seconds: Spread
    ratio: Spread
    processor_ratio: Spread


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=number_range, default="6,10", help="6,10 if not given")
    parser.add_argument("--threads", type=int, default=2, help="how many (2)")
    parser.add_argument("--rounds", type=int, default=3, help="of both (3)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=4.0,
        help="of a run on one thread (4); a job takes about 0.1",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    options = parser.parse_args()
    threads = options.threads
    if options.rounds < 1 or options.seconds <= 0 or threads < 1:
        parser.error("--rounds and --threads must be at least 1 and --seconds more than 0")
    rows = []
    with ThreadPoolExecutor(threads) as executor:
        for size in options.sizes:
            timed(size, 1000, executor)
            count = max(100, round(5000 * options.seconds / timed(size, 5000, None).processor))
            one, many = [], []
            for _ in ticks(range(options.rounds), f"size {size}, round"):
                one.append(timed(size, count, None))
                many.append(timed(size, count, executor))
            pairs = list(zip(one, many, strict=True))
            rows.append(
                Row(
                    size,
                    count,
                    spread([t.wall for t in one]),
                    spread([t.wall for t in many]),
                    spread([a.wall / b.wall for a, b in pairs]),
                    spread([b.processor / a.processor for a, b in pairs]),
                )
            )
    if options.json:
        print_json({"threads": threads, "rows": [as_dict(row) for row in rows]})
        return
    out = console()
    print_facts(out)
    target = TARGET * threads
    table = Table(title=f"playouts, 1 and {threads} threads", title_justify="left")
    columns = ("size", "playouts", "1 thread, s", f"{threads} threads, s", "times as fast")
    for name in (*columns, "quartiles", "target", "processor time of a playout, times"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            str(row.size),
            f"{row.playouts:,}",
            f"{row.one_thread_seconds.median:.3f}",
            f"{row.threads_seconds.median:.3f}",
            mark(row.ratio.median, target, at_most=False),
            f"{row.ratio.low:.2f}-{row.ratio.high:.2f}",
            f">= {target:g}",
            str(row.processor_ratio),
        )
    out.print(table)
    if threads > (os.cpu_count() or 1):
        out.print(f"this machine has {os.cpu_count()} logical cores: the target can't be met")


if __name__ == "__main__":
    main()
