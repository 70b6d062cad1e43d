"""What a step of many boards costs beside a move of a random playout, in one run.

The boards of a batch are taken from all stages of random games.  A step with legal_mask() on each
board may take 1.6 times as long as a playout takes for a move, and the time that it takes to write
as many bytes as the masks have.
"""

import argparse
from collections.abc import Callable
from time import process_time
from typing import NamedTuple

import numpy as np
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

TARGET = 1.6  # playout moves that a step with its mask may cost, besides writing the bytes
STEPS = 40  # of a round


class Row(NamedTuple):
    """Nanoseconds for each board, and what a step with its mask takes of what it may take."""

    size: int
    boards: int
    playout_move: Spread
    bytes_written: Spread
    step: Spread
    step_and_mask: Spread
    mask: Spread
    observe: Spread
    ratio: Spread


def all_stages(size: int, boards: int) -> catena.Batch:
    """Boards from the first to the last moves of random games."""
    batch = catena.Batch(boards, size, auto_reset=True)
    for seed in range(batch.num_cells):
        batch.step_random(seed)
    return batch


def random_moves(batch: catena.Batch) -> list[np.ndarray]:
    """Legal moves for each of the next steps; ``batch`` makes them."""
    rng = np.random.default_rng(1)
    steps = []
    for _ in range(STEPS):
        mask = batch.legal_mask()
        moves = np.argmax(rng.random(mask.shape) * mask, axis=1).astype(np.int32)
        assert (mask[np.arange(len(moves)), moves] | batch.over).all()
        batch.step(moves)
        steps.append(moves)
    return steps


def timed(function: Callable[[], int]) -> float:
    """Nanoseconds of one of the things that ``function`` does and returns the number of."""
    start = process_time()
    number = function()
    return (process_time() - start) / number * 1e9


def measure(size: int, boards: int, rounds: int) -> Row:
    start = all_stages(size, boards)
    end = start.copy()
    steps = random_moves(end)
    mask, planes = start.legal_mask(), start.observe()
    one = catena.Board(size)

    def playouts() -> int:
        return int(catena.playouts(one, 2000, seed=3).plies.sum())

    def write() -> int:
        for _ in steps:
            mask.fill(1)
        return boards * STEPS

    def step() -> int:
        for moves in steps:
            batch.step(moves)
        return boards * STEPS

    def step_and_mask() -> int:
        for moves in steps:
            batch.step(moves)
            batch.legal_mask(mask)
        return boards * STEPS

    def masks() -> int:
        for _ in steps:
            batch.legal_mask(mask)
        return boards * STEPS

    def observe() -> int:
        batch.observe(planes)
        return boards

    times: list[list[float]] = []
    for _ in ticks(range(rounds), f"size {size}, round"):
        row = [timed(playouts), timed(write)]
        batch = start.copy()
        row.append(timed(step))
        assert (batch.key == end.key).all()
        batch = start.copy()
        row.append(timed(step_and_mask))
        assert (batch.key == end.key).all()
        times.append([*row, timed(masks), timed(observe)])
    ratios = [both / (TARGET * move + written) for move, written, _, both, *_ in times]
    return Row(
        size, boards, *(spread(column) for column in zip(*times, strict=True)), spread(ratios)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=number_range, default="6,10", help="6,10 if not given")
    parser.add_argument("--boards", type=int, default=1024, help="in the batch (1024)")
    parser.add_argument("--rounds", type=int, default=21, help="of each (21)")
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    options = parser.parse_args()
    if options.rounds < 1 or options.boards < 1:
        parser.error("--rounds and --boards must be at least 1")
    rows = [measure(size, options.boards, options.rounds) for size in options.sizes]
    if options.json:
        print_json({"target": TARGET, "rows": [as_dict(row) for row in rows]})
        return
    out = console()
    print_facts(out)
    table = Table(
        title=f"nanoseconds for a board, {options.boards:,} boards in a batch", title_justify="left"
    )
    columns = ("size", "playout, a move", "writing the mask's bytes", "step", "step + legal_mask")
    for name in (*columns, "of what it may", "quartiles", "legal_mask", "observe"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            str(row.size),
            f"{row.playout_move.median:.1f}",
            f"{row.bytes_written.median:.1f}",
            f"{row.step.median:.1f}",
            f"{row.step_and_mask.median:.1f}",
            mark(row.ratio.median, 1.0, at_most=True),
            f"{row.ratio.low:.2f}-{row.ratio.high:.2f}",
            f"{row.mask.median:.1f}",
            f"{row.observe.median:.0f}",
        )
    out.print(table)
    out.print(f"a step with its mask may take {TARGET} playout moves, and the bytes")


if __name__ == "__main__":
    main()
