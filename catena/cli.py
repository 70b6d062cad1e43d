"""The command line `catena`: it reads arguments and prints; the work is done elsewhere."""

import json
import os
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import catena
from catena import Board, bench
from catena.bench import Report, Timing
from catena.display import SIDE_NAMES, diagram
from catena.notation import cell_name, move_name

# Exit codes, besides 0: a wrong count, an error in the arguments, Ctrl-C, nobody left who reads.
WRONG, USAGE, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141
BAR_AFTER = 0.5  # seconds a run lasts before its progress is shown

app = typer.Typer(
    help="Catena, the board game: perft counts, speed, and positions drawn.",
    epilog="Example: catena bench",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, that of the process if none is given, and return its exit code."""
    try:
        code = app(arguments, prog_name="catena", standalone_mode=False)
        if sys.stdout:
            sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # Typer and Rich turn a broken pipe into SystemExit; other exits come back as a number.
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:
        _drop_output()
        return _complain(f"can't write: {error.strerror}", USAGE)
    except Exception as error:
        # Errors in the arguments, whose class is Typer's or, before Typer 0.26, Click's.
        if not hasattr(error, "format_message"):
            raise
        return _complain(error.format_message(), USAGE)
    if code == INTERRUPTED:
        return _complain("interrupted", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _drop_output() -> None:
    """Let nothing that is still to be written fail when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str, code: int) -> int:
    print(f"catena: {' '.join(message.split())}", file=sys.stderr)
    return code


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"catena {catena.__version__}")
        for name, value in catena.build_info().items():
            print(f"{name}: {value}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and the facts of the build.",
        ),
    ] = False,
) -> None:
    """Print the help where no command is given."""
    if context.invoked_subcommand is None:
        print(context.get_help())


# --- perft --------------------------------------------------------------------------------------


class Run(NamedTuple):
    """What was counted on one board: a timing for each depth, and the counts by first move."""

    board: Board
    timings: list[tuple[int, Timing]]
    divided: dict[int, int]


@app.command(epilog="Examples: catena perft --size 7 --depth 3, catena perft --depth 2 --divide")
def perft(
    size: Annotated[
        int | None, typer.Option(min=2, max=10, help="Cells a side; 6 if not given.")
    ] = None,
    all_sizes: Annotated[bool, typer.Option("--all-sizes", help="Every size, 2 to 10.")] = False,
    depth: Annotated[int, typer.Option(min=0, help="Moves in a sequence.")] = 4,
    game: Annotated[
        str | None, typer.Option(help="komi (if not given), no-komi or double.")
    ] = None,
    scoring: Annotated[
        str | None, typer.Option(help="standard (if not given), longest or squares.")
    ] = None,
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Start from this position.")
    ] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Count by first move.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, not tables.")] = False,
) -> None:
    """Count the sequences of exactly so many legal moves, for each depth up to the one given."""
    if divide and depth == 0:
        raise typer.BadParameter("--divide needs a depth of at least 1")
    runs: list[Run] = []
    try:
        for board in _boards(size, all_sizes, game, scoring, position):
            runs.append(Run(board, [], {}))
            with _progress(f"size {board.size}") as report:
                _count_into(runs[-1], depth, divide, report)
    except OverflowError as error:
        raise typer.BadParameter(str(error), param_hint="--depth") from None
    except KeyboardInterrupt:
        if not as_json:  # JSON is whole or not there
            _print_runs(runs)
        raise
    if as_json:
        print(json.dumps({"catena": catena.__version__, "runs": [*map(_as_json, runs)]}, indent=2))
    else:
        _print_runs(runs)


def _boards(
    size: int | None, all_sizes: bool, game: str | None, scoring: str | None, position: str | None
) -> list[Board]:
    if all_sizes and size is not None:
        raise typer.BadParameter("--size and --all-sizes exclude each other")
    if position is not None:
        if all_sizes or size is not None or game is not None or scoring is not None:
            raise typer.BadParameter("--position tells size, game and scoring itself")
        return [_read(position, "--position")]
    sizes = range(2, 11) if all_sizes else [6 if size is None else size]
    try:
        return [Board(n, game=game or "komi", scoring=scoring or "standard") for n in sizes]
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _read(text: str, where: str) -> Board:
    try:
        return Board.from_position(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=where) from None


def _count_into(run: Run, depth: int, divide: bool, report: Report | None) -> None:
    if divide:
        counts, timing = bench.timed_divide(run.board, depth, report)
        run.divided.update(counts)
        run.timings.append((depth, timing))
        return
    for step in bench.ladder(run.board, depth, report):
        run.timings.append(step)


def _as_json(run: Run) -> dict[str, Any]:
    board = run.board
    facts: dict[str, Any] = {
        "size": board.size,
        "game": board.game,
        "scoring": board.scoring,
        "position": board.position,
        "counts": [
            {"depth": depth, **timing._asdict(), "per_second": round(timing.per_second)}
            for depth, timing in run.timings
        ],
    }
    if run.divided:
        facts["divide"] = {move_name(board, move): n for move, n in run.divided.items()}
    return facts


def _print_runs(runs: list[Run]) -> None:
    console = _console()
    table = _table("size", "depth", "nodes", "seconds", "million/s")
    for run in runs:
        if run.divided:
            moves = _table("move", "nodes")
            for move, count in run.divided.items():
                moves.add_row(move_name(run.board, move), f"{count:,}")
            console.print(moves)
        for depth, timing in run.timings:
            table.add_row(
                str(run.board.size),
                str(depth),
                f"{timing.nodes:,}",
                f"{timing.seconds:.6f}",
                _speed(timing),
            )
        table.add_section()
    console.print(table)


# --- bench --------------------------------------------------------------------------------------


@app.command(name="bench", epilog="Example: catena bench")
def run_bench() -> None:
    """Time perft on every board size and check each count; exit code 1 if one is wrong."""
    for name, fact in bench.machine().items():
        print(f"{name}: {fact}", flush=True)
    table = _table("size", "cells", "depth", "nodes", "check", "seconds", "runs", "million/s")
    wrong: list[str] = []
    with _progress("bench") as report:
        for done, size in enumerate(bench.DEPTHS, 1):
            m = bench.measure(size)
            if not m.is_right:
                wrong.append(f"size {size}, depth {m.depth}: {m.timing.nodes} is not {m.known}")
            table.add_row(
                str(size),
                str(m.cells),
                str(m.depth),
                f"{m.timing.nodes:,}",
                "[green]ok[/]" if m.is_right else "[bold red]WRONG[/]",
                f"{m.timing.seconds:.6f}",
                str(m.runs),
                _speed(m.timing),
            )
            if report:
                report(done / len(bench.DEPTHS))
    _console().print(table)
    for message in wrong:
        _complain(f"WRONG COUNT: {message}", WRONG)
    if wrong:
        raise typer.Exit(WRONG)


# --- show ---------------------------------------------------------------------------------------


@app.command(epilog="Example: catena show 2 komi standard 0 b1/3/1w b - 1")
def show(
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT]", help="Position text; the empty default board if none."),
    ] = None,
) -> None:
    """Draw a position, and list its lints and the legal moves."""
    board = _read(" ".join(text), "TEXT") if text else Board()
    print(diagram(board))
    print()
    for lint in board.lints():
        cells = "-".join(cell_name(board.size, cell) for cell in lint.cells)
        owner = f", {SIDE_NAMES[lint.owner]}'s" if lint.owner else ""
        bound = "bound" if lint.bound else "not bound"
        print(f"lint {cells}: {lint.black} black, {lint.white} white, {bound}{owner}")
    moves = [move_name(board, move) for move in board.legal_moves()]
    listing = f"legal moves ({len(moves)}): {' '.join(moves) or 'none, the game is over'}"
    print(textwrap.fill(listing, _console().width, subsequent_indent="  ", break_on_hyphens=False))


# --- printing -----------------------------------------------------------------------------------


def _console() -> Console:
    return Console(highlight=False)


def _table(*columns: str) -> Table:
    table = Table()
    for column in columns:
        table.add_column(column, justify="left" if column in ("move", "check") else "right")
    return table


def _speed(timing: Timing) -> str:
    return f"{timing.per_second / 1e6:,.1f}"


@contextmanager
def _progress(label: str) -> Iterator[Report | None]:
    """Give a function that shows the part done, on a terminal and once the run turns out long."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    bar = Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
    task = bar.add_task(label, total=1.0)
    start = time.monotonic()

    def report(done: float) -> None:
        if not bar.live.is_started and time.monotonic() - start > BAR_AFTER:
            bar.start()
        bar.update(task, completed=done)

    try:
        yield report
    finally:
        if bar.live.is_started:
            bar.stop()
