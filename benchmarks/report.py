"""What the scripts of this folder share: facts about a run, spreads, and output."""

import json
import shlex
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from catena import bench


class Spread(NamedTuple):
    """The median of some values, and the quartiles around it."""

    low: float
    median: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.2f} [{self.low:.2f}-{self.high:.2f}]"


def spread(values: Sequence[float]) -> Spread:
    if len(values) < 2:
        return Spread(values[0], values[0], values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(low, median, high)


def facts() -> dict[str, str]:
    """What a figure depends on, for the head of a report."""
    script, *arguments = sys.argv
    command = shlex.join(["python", f"benchmarks/{Path(script).name}", *arguments])
    return {"date": time.strftime("%Y-%m-%d"), "command": command, **bench.machine()}


def console() -> Console:
    """A console as wide as the tables need where the output goes into a file."""
    return Console(width=None if sys.stdout.isatty() else 132, highlight=False)


def print_facts(out: Console) -> None:
    for name, fact in facts().items():
        out.print(f"{name}: {fact}", markup=False, soft_wrap=True)


def as_dict(row: Any) -> dict[str, Any]:
    """Make a named tuple, spreads in it included, ready for JSON."""
    return {k: v._asdict() if isinstance(v, Spread) else v for k, v in row._asdict().items()}


def print_json(results: dict[str, Any]) -> None:
    print(json.dumps({"facts": facts(), **results}, indent=2))


def mark(value: float, target: float, *, at_most: bool) -> str:
    """``value`` for a table, coloured and worded by whether it keeps to ``target``."""
    kept = value <= target if at_most else value >= target
    return f"[green]{value:.2f} ok[/]" if kept else f"[bold red]{value:.2f} MISSED[/]"


def number_range(text: str) -> list[int]:
    """Read ``6``, ``3-10`` or ``6,8,10``, as an option's type."""
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    if not numbers:
        raise ValueError(text)
    return numbers


def ticks(items: Iterable[Any], what: str) -> Iterable[Any]:
    """Go through ``items``, telling on a terminal which round is running."""
    items = list(items)
    for index, item in enumerate(items, 1):
        if sys.stderr.isatty():
            print(f"\r{what} {index} of {len(items)} ", end="", file=sys.stderr, flush=True)
        yield item
    if sys.stderr.isatty():
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)
