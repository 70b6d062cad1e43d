"""Pictures of benchmark runs: speed and cost over the sizes of the board, with Matplotlib."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from catena.bench import FORMAT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["SUFFIXES", "Point", "Run", "draw", "picture", "read_run"]

SUFFIXES = (".png", ".svg", ".pdf")
# Okabe and Ito's colours, which colour-blind people tell apart; the yellow is too faint for a line.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = "osD^vP*"
INK, FAINT = "#333333", "#777777"


class Point(NamedTuple):
    """The speeds on one size; a spread is that part of the value before it."""

    size: int
    cells: int
    playouts_per_second: float
    ns_per_ply: float
    playouts_spread: float
    nodes_per_second: float
    perft_spread: float


class Run(NamedTuple):
    """One run of the benchmark."""

    label: str
    origin: str  # version, loops, machine and date
    points: list[Point]


def read_run(path: Path, label: str) -> Run:
    """Read what ``catena bench --json`` wrote; the picture will call the run ``label``.

    :raises OSError: if the file can't be read.
    :raises ValueError: if it holds anything else; the message tells what is wrong.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise ValueError("not JSON") from None
    if not isinstance(data, dict) or data.get("benchmark") != FORMAT:
        raise ValueError("not written by `catena bench --json` of this version")
    try:
        points = sorted(map(_point, data["sizes"]))
        loops = f"{data['loops']} loops{', quick run' if data['quick'] else ''}"
        facts = (f"catena {data['catena']}", loops, data["machine"], data["date"][:10])
        origin = ", ".join(facts)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"damaged benchmark ({type(error).__name__}: {error})") from None
    if not points:
        raise ValueError("no size in it")
    return Run(label, origin, points)


def _point(entry: dict[str, Any]) -> Point:
    playouts, perft = entry["playouts"], entry["perft"]
    point = Point(
        int(entry["size"]),
        int(entry["cells"]),
        float(playouts["playouts_per_second"]),
        float(playouts["ns_per_ply"]),
        float(playouts["spread"]),
        float(perft["nodes_per_second"]),
        float(perft["spread"]),
    )
    speeds = (point.playouts_per_second, point.ns_per_ply, point.nodes_per_second)
    if not all(0 < speed < float("inf") for speed in speeds):
        raise ValueError(f"size {point.size}: speeds must be positive")
    if not all(
        0 <= spread < float("inf") for spread in (point.playouts_spread, point.perft_spread)
    ):
        raise ValueError(f"size {point.size}: spreads can't be negative")
    return point


def draw(runs: Sequence[Run], output: Path) -> None:
    """Write the :func:`picture` of some runs into a file whose suffix tells its kind.

    :raises ModuleNotFoundError: if Matplotlib is missing.
    :raises OSError: if the file can't be written.
    """
    picture(runs).savefig(output, dpi=150)


def picture(runs: Sequence[Run]) -> "Figure":
    """Draw the curves of all runs side by side: playouts, what a ply of them costs, and perft.

    :raises ModuleNotFoundError: if Matplotlib is missing.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, LogLocator

    notes = [f"{run.label}: {run.origin}" if len(runs) > 1 else run.origin for run in runs]
    notes.append("Points are medians; half of the timings lie within the bars.")
    under = 0.2 * len(notes)
    height = 4.1 + under  # inches, as everything here
    figure = Figure(figsize=(12.5, height))
    axes = figure.subplots(1, 3)
    figure.subplots_adjust(
        left=0.055,
        right=0.985,
        top=1 - 0.45 / height,
        bottom=(0.75 + under) / height,
        wspace=0.2,
    )
    playouts, cost, perft = axes
    playouts.set_title("Random playouts a second")
    cost.set_title("Nanoseconds a ply of a playout")
    perft.set_title("perft: sequences counted a second")
    _curves(playouts, runs, lambda p: p.playouts_per_second, lambda p: p.playouts_spread)
    _curves(cost, runs, lambda p: p.ns_per_ply, lambda p: p.playouts_spread)
    _curves(perft, runs, lambda p: p.nodes_per_second, lambda p: p.perft_spread)
    cost.set_ylim(bottom=0)
    for speed in (playouts, perft):
        speed.set_yscale("log")
        # Room for at least one of the marks 1, 2, 5, 10, ..., however flat the curves are.
        low, high = speed.dataLim.intervaly
        speed.set_ylim(low / 1.6, high * 1.6)
        speed.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        speed.yaxis.set_major_formatter(EngFormatter())
        speed.yaxis.minorticks_off()
    cells = {point.size: point.cells for run in runs for point in run.points}
    for one in axes:
        _dress(one, cells)
    if len(runs) > 1:
        playouts.legend(frameon=False)
    figure.text(
        0.055,
        0.12 / height,
        "\n".join(notes),
        color=FAINT,
        fontsize=8.5,
        linespacing=1.4,
        va="bottom",
    )
    return figure


def _curves(
    axes: "Axes",
    runs: Sequence[Run],
    value: Callable[[Point], float],
    spread: Callable[[Point], float],
) -> None:
    """Draw one curve a run: the values with their spreads over the sizes."""
    for index, run in enumerate(runs):
        values = [value(point) for point in run.points]
        spreads = [spread(point) for point in run.points]
        # As long downwards as upwards on a logarithmic axis, and never down to 0.
        below = [v - v / (1 + s) for v, s in zip(values, spreads, strict=True)]
        above = [v * s for v, s in zip(values, spreads, strict=True)]
        axes.errorbar(
            [point.size for point in run.points],
            values,
            yerr=[below, above],
            color=COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            markersize=5,
            linewidth=1.6,
            elinewidth=1,
            capsize=2.5,
            label=run.label,
        )


def _dress(axes: "Axes", cells: dict[int, int]) -> None:
    sizes = sorted(cells)
    axes.set_xticks(sizes, [f"{size}\n{cells[size]}" for size in sizes], color=INK)
    axes.set_xlabel("cells a side, and on the board", color=INK)
    axes.set_xlim(sizes[0] - 0.5, sizes[-1] + 0.5)
    axes.tick_params(axis="y", colors=INK)
    axes.title.set_color(INK)
    axes.grid(axis="y", which="major", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#999999")
