"""What calls from Python cost, in empty calls: the table of the Python boundary.

The floor is an empty method of a compiled class that takes one int.  Every case and the floor take
turns in short slices of processor time, and in each round a case is divided by the floor of that
round.  Calls are written out one after the other, so that no loop is timed, and go through all
legal moves of a position from the middle of a game.
"""

import argparse
import sys
import time
import timeit
from typing import Any, NamedTuple

import numpy as np
from report import Spread, console, mark, print_facts, print_json, spread, ticks
from rich.table import Table

import catena
from catena._core import _Floor

FLOOR = "floor: an empty call"
BYTES = 4096  # of a board without its history, at most
GROWTH = 1.25  # times as long push and pop take on size 10 as on size 6, at most


class Case(NamedTuple):
    """Code to time: ``code`` does one call, or the pair, with ``{m}`` in place of a move."""

    name: str
    code: str
    floor: str = FLOOR  # the case it is divided by
    floors: int = 1  # how many of those
    target: float | None = None


CASES = [
    Case(FLOOR, "floor.empty({m})"),
    Case("push and pop", "board.push({m}); board.pop()", floors=2, target=3),
    Case("is_legal(move)", "board.is_legal({m})", target=2),
    Case("turn", "board.turn", target=2),
    Case("key", "board.key", target=2),
    Case("legal_mask(out)", "board.legal_mask(mask)", target=12),
    Case("stones(out)", "board.stones(stones)", target=12),
    Case("copy()", "board.copy()", target=5),
    Case("copy() without history", "fresh.copy()", target=5),
    Case("list(range(n)) of as many ints", "list(range(count))"),
    Case(
        "legal_moves()", "board.legal_moves()", floor="list(range(n)) of as many ints", target=1.5
    ),
    Case("is_over", "board.is_over"),
    Case("legal_count", "board.legal_count"),
    Case("grid(out)", "board.grid(grid)"),
    Case("scores", "board.scores"),
    Case("lints()", "board.lints()"),
]


def middle(size: int) -> catena.Board:
    """A position from the middle of a random game, with the history that led to it."""
    board = catena.Board(size)
    history = board.playout(1).history
    for move in history[: len(history) // 2]:
        board.push(move)
    return board


def timer(case: Case, board: catena.Board) -> tuple[timeit.Timer, int]:
    """What times one case, and how many calls are in it."""
    moves = board.legal_moves()
    names: dict[str, Any] = {
        "board": board,
        "fresh": catena.Board.from_position(board.position),
        "floor": _Floor(),
        "mask": np.empty(board.num_moves, np.uint8),
        "stones": np.empty(board.num_cells, np.int8),
        "grid": np.empty((2 * board.size - 1, 2 * board.size - 1), np.int8),
        "count": board.legal_count,
    }
    setup = "\n".join(f"{name} = _{name}" for name in names)  # locals are faster than globals
    code = "\n".join(case.code.format(m=move) for move in moves)
    given = {f"_{name}": value for name, value in names.items()}
    # By processor time: it stands still while other processes have the core.
    return timeit.Timer(code, setup, time.process_time, given), len(moves)


def check(board: catena.Board) -> None:
    """What is timed gives what it should."""
    mask = board.legal_mask()
    moves = board.legal_moves()
    assert moves == np.flatnonzero(mask).tolist()
    assert all(board.is_legal(m) for m in moves)
    assert len(moves) == board.legal_count
    assert np.count_nonzero(board.stones()) == sum(len(lint.cells) for lint in board.lints())
    twin = board.copy()
    assert twin == board
    assert twin.key == board.key
    for move in moves:
        board.push(move)
        board.pop()
        assert board == twin


class Timed(NamedTuple):
    """One case: its nanoseconds, round by round, and its ratios to the floor."""

    case: Case
    size: int
    nanoseconds: list[float]
    ratios: list[float]


def measure(plan: list[tuple[Case, int]], rounds: int, seconds: float) -> list[Timed]:
    boards = {size: middle(size) for _, size in plan}
    for board in boards.values():
        check(board)
    timers = [timer(case, boards[size]) for case, size in plan]
    numbers = []
    for clock, _ in timers:
        clock.timeit(20)
        numbers.append(max(1, round(seconds / max(clock.timeit(20) / 20, 1e-9))))
    times: list[list[float]] = [[] for _ in plan]
    for _ in ticks(range(rounds), "round"):
        for row, (clock, calls), number in zip(times, timers, numbers, strict=True):
            row.append(clock.timeit(number) / number / calls * 1e9)
    where = {(case.name, size): index for index, (case, size) in enumerate(plan)}
    results = []
    for (case, size), row in zip(plan, times, strict=True):
        floor = times[where[case.floor, size]]
        ratios = [a / (case.floors * b) for a, b in zip(row, floor, strict=True)]
        results.append(Timed(case, size, row, ratios))
    return results


def ratio_of_least(timed: Timed, results: list[Timed]) -> float:
    """The fastest round over the floor's fastest: what a quiet machine would show."""
    floor = next(t for t in results if t.case.name == timed.case.floor and t.size == timed.size)
    return min(timed.nanoseconds) / (timed.case.floors * min(floor.nanoseconds))


def table_of_costs(results: list[Timed], size: int) -> Table:
    table = Table(title=f"size {size}, the middle of a game", title_justify="left")
    for name in ("call", "ns, least", "ns, median", "unit", "ratio of least", "ratio, median"):
        table.add_column(name, justify="left" if name in ("call", "unit") else "right")
    table.add_column("target", justify="right")
    for timed in results:
        if timed.size != size:
            continue
        case = timed.case
        is_floor = case.floor == FLOOR and case.name == FLOOR
        unit = "empty call" if case.floor == FLOOR else case.floor
        unit = f"{case.floors} x {unit}" if case.floors > 1 else unit
        least = ratio_of_least(timed, results)
        judged = mark(least, case.target, at_most=True) if case.target else f"{least:.2f}"
        table.add_row(
            case.name,
            f"{min(timed.nanoseconds):.1f}",
            f"{spread(timed.nanoseconds).median:.1f}",
            "" if is_floor else unit,
            judged,
            str(spread(timed.ratios)),
            f"<= {case.target:g}" if case.target else "",
        )
    return table


def growth(results: list[Timed]) -> Spread:
    """How many times as long push and pop take on size 10 as on size 6, round by round."""
    small, large = (
        next(t for t in results if t.case.name == "push and pop" and t.size == size)
        for size in (6, 10)
    )
    return spread([b / a for a, b in zip(small.nanoseconds, large.nanoseconds, strict=True)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21, help="of slices (21)")
    parser.add_argument("--seconds", type=float, default=0.01, help="of a slice (0.01)")
    parser.add_argument("--json", action="store_true", help="print JSON, not tables")
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds must be at least 1 and --seconds more than 0")
    results = measure(
        [(case, size) for size in (6, 10) for case in CASES], options.rounds, options.seconds
    )
    grown = growth(results)
    sizes = {f"size {size}": sys.getsizeof(catena.Board(size)) for size in (6, 10)}
    if options.json:
        rows = [
            {
                "call": t.case.name,
                "size": t.size,
                "least_ns": min(t.nanoseconds),
                "ns": spread(t.nanoseconds)._asdict(),
                "unit": t.case.floor,
                "units": t.case.floors,
                "ratio_of_least": ratio_of_least(t, results),
                "ratio": spread(t.ratios)._asdict(),
                "target": t.case.target,
            }
            for t in results
        ]
        print_json({"rows": rows, "growth": grown._asdict(), "board_bytes": sizes})
        return
    out = console()
    print_facts(out)
    for size in (6, 10):
        out.print(table_of_costs(results, size))
    verdict = mark(grown.median, GROWTH, at_most=True)
    out.print(f"push and pop take {verdict} times as long on size 10 as on 6; target {GROWTH}")
    verdict = mark(max(sizes.values()), BYTES, at_most=True)
    out.print(f"bytes of a board without history: {verdict}; target {BYTES}")


if __name__ == "__main__":
    main()
