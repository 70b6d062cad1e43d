"""The command line `catena`: it reads arguments and prints; the work is done elsewhere."""

import json
import os
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import catena
from catena import Board, bench, plot
from catena.bench import Measurement, Report, Timing
from catena.display import SIDE_NAMES, diagram
from catena.notation import cell_name, move_name
from catena.playouts import Playouts, playouts
from catena.signature import signature

# Exit codes, besides 0: a wrong count, an error in the arguments, Ctrl-C, nobody left who reads.
WRONG, USAGE, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141
BAR_AFTER = 0.5  # seconds a run lasts before its progress is shown
DASK_TIMEOUT = 10  # seconds for reaching a cluster

app = typer.Typer(
    help="Catena, the board game: perft counts, random playouts, speed, and positions drawn.",
    epilog="Example: catena bench",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Refusal(Exception):
    """What the user asked for can't be done; the message is one line."""

    def format_message(self) -> str:
        """Return what errors of Typer return by this name."""
        return str(self)


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
        # Ours, and Typer's own about the arguments.
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        return _complain(message(), USAGE)
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


# --- options of several commands -----------------------------------------------------------------

SizeOption = Annotated[
    int | None, typer.Option(min=2, max=10, help="Cells a side; 6 if not given.")
]
GameOption = Annotated[str | None, typer.Option(help="komi (if not given), no-komi or double.")]
ScoringOption = Annotated[
    str | None, typer.Option(help="standard (if not given), longest or squares.")
]
PositionOption = Annotated[
    str | None, typer.Option(metavar="TEXT", help="Start from this position.")
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Work in so many threads.")
]
DaskOption = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Work on the Dask cluster there.")
]


def _read(text: str, where: str) -> Board:
    try:
        return Board.from_position(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=where) from None


@contextmanager
def _executor(workers: int | None, dask: str | None) -> Iterator[Executor | None]:
    """Give an executor for what --workers or --dask asks for, None for this thread alone.

    Threads do for workers: perft and playouts run without the GIL.
    """
    if workers is not None and dask is not None:
        raise typer.BadParameter("--workers and --dask exclude each other")
    if dask is not None:
        with _dask_executor(dask) as executor:
            yield executor
    elif workers is not None and workers > 1:
        with ThreadPoolExecutor(workers) as executor:
            yield executor
    else:
        yield None


@contextmanager
def _dask_executor(address: str) -> Iterator[Executor]:
    try:
        distributed = import_module("distributed")
    except ModuleNotFoundError as missing:
        if missing.name not in ("distributed", "dask"):
            raise
        raise Refusal(f"--dask needs {missing.name}: pip install 'catena-engine[dask]'") from None
    try:
        # A client that got a bad address would try to close the connection it never had.
        distributed.comm.get_address_host_port(address)
        client = distributed.Client(address, timeout=DASK_TIMEOUT, set_as_default=False)
    except (OSError, ValueError, OverflowError) as error:
        raise typer.BadParameter(str(error), param_hint="--dask") from None
    with client:
        try:
            yield client.get_executor()
        except Exception as error:
            # Whatever ends the cluster's work comes as one of many classes, ours and Typer's apart.
            if isinstance(error, OverflowError) or hasattr(error, "format_message"):
                raise
            raise Refusal(f"the cluster failed: {type(error).__name__}: {error}") from error


# --- perft --------------------------------------------------------------------------------------


class Run(NamedTuple):
    """What was counted on one board: a timing for each depth, and the counts by first move."""

    board: Board
    timings: list[tuple[int, Timing]]
    divided: dict[int, int]


@app.command(epilog="Examples: catena perft --size 7 --depth 3, catena perft --depth 2 --divide")
def perft(
    size: SizeOption = None,
    all_sizes: Annotated[bool, typer.Option("--all-sizes", help="Every size, 2 to 10.")] = False,
    depth: Annotated[int, typer.Option(min=0, help="Moves in a sequence.")] = 4,
    game: GameOption = None,
    scoring: ScoringOption = None,
    position: PositionOption = None,
    divide: Annotated[bool, typer.Option("--divide", help="Count by first move.")] = False,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, not tables.")] = False,
) -> None:
    """Count the sequences of exactly so many legal moves, for each depth up to the one given."""
    if divide and depth == 0:
        raise typer.BadParameter("--divide needs a depth of at least 1")
    runs: list[Run] = []
    boards = _boards(size, all_sizes, game, scoring, position)
    try:
        with _executor(workers, dask) as executor:
            for board in boards:
                runs.append(Run(board, [], {}))
                with _progress(f"size {board.size}") as report:
                    _count_into(runs[-1], depth, divide, report, executor)
    except OverflowError as error:
        raise typer.BadParameter(str(error), param_hint="--depth") from None
    except KeyboardInterrupt:
        if not as_json:  # JSON is whole or not there
            _print_runs(runs)
        raise
    if as_json:
        _print_json({"runs": [*map(_as_json, runs)]})
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


def _count_into(
    run: Run, depth: int, divide: bool, report: Report | None, executor: Executor | None
) -> None:
    if divide:
        counts, timing = bench.timed_divide(run.board, depth, report, executor)
        run.divided.update(counts)
        run.timings.append((depth, timing))
        return
    for step in bench.ladder(run.board, depth, report, executor):
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


# --- playout ------------------------------------------------------------------------------------


@app.command(epilog="Example: catena playout --size 8 --count 100000 --workers 2")
def playout(
    size: SizeOption = None,
    game: GameOption = None,
    scoring: ScoringOption = None,
    komi: Annotated[
        str | None, typer.Option(help="0 (if not given) or more; ? to have it named in play.")
    ] = None,
    position: PositionOption = None,
    count: Annotated[int, typer.Option(min=1, max=2**30, help="Games to play.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, max=2**64 - 1, help="Other seed, other games.")] = 0,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, not tables.")] = False,
) -> None:
    """Play random games to their end, every legal move as likely as the others."""
    board = _start(size, game, scoring, komi, position)
    with _executor(workers, dask) as executor, _progress("playouts") as report:
        start = time.perf_counter()
        finished = (lambda games: report(games / count)) if report else None
        result = playouts(board, count, seed=seed, executor=executor, finished=finished)
        seconds = time.perf_counter() - start
    if as_json:
        _print_json(_playouts_as_json(board, seed, result, seconds))
    else:
        _print_playouts(board, seed, result, seconds)


def _start(
    size: int | None, game: str | None, scoring: str | None, komi: str | None, position: str | None
) -> Board:
    if position is not None:
        if any(option is not None for option in (size, game, scoring, komi)):
            raise typer.BadParameter("--position tells size, game, scoring and komi itself")
        return _read(position, "--position")
    try:
        number = None if komi == "?" else int(komi or "0")
    except ValueError:
        raise typer.BadParameter(
            f"{komi!r} is neither a number nor ?", param_hint="--komi"
        ) from None
    try:
        return Board(size or 6, game=game or "komi", scoring=scoring or "standard", komi=number)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _playouts_as_json(board: Board, seed: int, result: Playouts, seconds: float) -> dict[str, Any]:
    return {
        "position": board.position,
        "count": len(result),
        "seed": seed,
        "black_wins": result.black_wins,
        "white_wins": result.white_wins,
        "draws": result.draws,
        "margin": {
            "unit": "wins" if board.scoring == "longest" else "half points",
            "mean": result.mean,
            "standard_error": result.standard_error if len(result) > 1 else None,
        },
        "plies": {
            "mean": float(result.plies.mean()),
            "min": int(result.plies.min()),
            "max": int(result.plies.max()),
        },
        "seconds": seconds,
        "per_second": round(len(result) / seconds),
    }


def _print_playouts(board: Board, seed: int, result: Playouts, seconds: float) -> None:
    count = len(result)
    print(f"position: {board.position}")
    plies = int(result.plies.sum(dtype="int64"))
    cost = f", {seconds * 1e9 / plies:.1f} ns a ply" if plies else ""
    what = f"{count:,} playout{'s' if count > 1 else ''}, seed {seed}"
    print(f"{what}: {seconds:.3f} s, {count / seconds:,.0f} a second{cost}")
    table = _table("result", "games", "part")
    for label, games in (
        ("Black wins", result.black_wins),
        ("White wins", result.white_wins),
        ("draw", result.draws),
    ):
        table.add_row(label, f"{games:,}", f"{games / count:.2%}")
    _console().print(table)
    # Margins of the longest scoring are wins, of the others half points.
    unit, scale = ("wins", 1.0) if board.scoring == "longest" else ("points", 0.5)
    error = f", standard error {result.standard_error * scale:.3f}" if count > 1 else ""
    print(f"mean margin, Black minus White: {result.mean * scale:+.3f} {unit}{error}")
    shortest, longest = result.plies.min(), result.plies.max()
    print(f"plies: {result.plies.mean():.1f} on average, {shortest} to {longest}")


# --- bench --------------------------------------------------------------------------------------


@app.command(
    name="bench", epilog="Examples: catena bench, catena bench --sizes 6,8-10 --json me.json"
)
def run_bench(
    sizes: Annotated[
        str, typer.Option(metavar="SIZES", help="Sizes of boards, like 6,8,10 or 2-10.")
    ] = "2-10",
    quick: Annotated[bool, typer.Option("--quick", help="A shorter run, less exact.")] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write a file for catena plot.")
    ] = None,
) -> None:
    """Time perft and playouts on every size, and check the counts; exit code 1 if one is wrong.

    Speeds are medians; half of the timings differ from them by no more than the spread.  The
    signature is a number over counts and playouts: equal signatures, equal engines.
    """
    wanted = _sizes(sizes)
    _refuse_file(json_file)
    for name, fact in bench.machine().items():
        print(f"{name}: {fact}", flush=True)
    found: list[Measurement] = []
    with _progress("bench") as report:
        for size in wanted:
            seconds = bench.QUICK_SECONDS if quick else bench.SECONDS
            found.append(bench.measure(size, seconds, quick=quick))
            if report:
                report(len(found) / len(wanted))
        number = signature()
    if json_file:
        _write_json(json_file, bench.as_json(found, quick, number, catena.__version__))
    _print_measurements(found)
    print(f"signature: {number:016x}")
    wrong = [m for m in found if not m.is_right]
    for m in wrong:
        _complain(f"WRONG COUNT: size {m.size}, depth {m.depth}: {m.nodes} is not {m.known}", WRONG)
    if wrong:
        raise typer.Exit(WRONG)


def _sizes(text: str) -> list[int]:
    """Read sizes like ``6,8-10``."""
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        numbers = [first, last] if dash else [first]
        if not all(number.strip().isdecimal() for number in numbers):
            raise typer.BadParameter(f"{part!r} is no size", param_hint="--sizes")
        low, high = int(numbers[0]), int(numbers[-1])
        if not 2 <= low <= high <= 10:
            raise typer.BadParameter(f"{part!r} is not within 2-10", param_hint="--sizes")
        found.update(range(low, high + 1))
    return sorted(found)


def _refuse_file(path: Path | None) -> None:
    """Complain before the work, not after it, about a file that can't be written."""
    if path and path.is_dir():
        raise typer.BadParameter(f"{path} is a folder", param_hint="--json")
    if path and not path.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {path.parent}", param_hint="--json")


def _write_json(path: Path, facts: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise Refusal(f"can't write {path}: {error.strerror}") from None


def _print_measurements(found: list[Measurement]) -> None:
    console = _console()
    table = _table("size", "cells", "depth", "nodes", "check", "million/s", "spread", "timings")
    table.title = "perft"
    for m in found:
        table.add_row(
            str(m.size),
            str(m.cells),
            str(m.depth),
            f"{m.nodes:,}",
            "[green]ok[/]" if m.is_right else "[bold red]WRONG[/]",
            f"{m.perft.per_second / 1e6:,.1f}",
            f"{m.perft.spread:.1%}",
            str(m.perft.samples),
        )
    console.print(table)
    table = _table("size", "cells", "plies", "playouts/s", "ns/ply", "spread", "timings")
    table.title = "random playouts"
    for m in found:
        table.add_row(
            str(m.size),
            str(m.cells),
            f"{m.plies:.1f}",
            f"{m.playouts_per_second:,.0f}",
            f"{m.playouts.ns:.1f}",
            f"{m.playouts.spread:.1%}",
            str(m.playouts.samples),
        )
    console.print(table)


# --- plot ---------------------------------------------------------------------------------------


@app.command(name="plot", epilog="Example: catena plot before.json after.json --output speed.svg")
def run_plot(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Written by catena bench --json.")
    ],
    output: Annotated[
        Path, typer.Option(help=f"The picture; its name ends in {', '.join(plot.SUFFIXES)}.")
    ] = Path("speed.png"),
) -> None:
    """Draw the speeds of one run of the benchmark, or of several to compare, over the sizes."""
    if output.suffix.lower() not in plot.SUFFIXES:
        allowed = ", ".join(plot.SUFFIXES)
        raise typer.BadParameter(f"{output} must end in one of {allowed}", param_hint="--output")
    labels = [path.stem for path in files]
    if len(set(labels)) < len(labels):
        labels = [str(path) for path in files]
    runs = [_read_run(path, label) for path, label in zip(files, labels, strict=True)]
    try:
        plot.draw(runs, output)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "matplotlib":
            raise
        raise Refusal("plot needs matplotlib: pip install 'catena-engine[plot]'") from None
    except OSError as error:
        raise Refusal(f"can't write {output}: {error.strerror}") from None
    print(f"wrote {output}")


def _read_run(path: Path, label: str) -> plot.Run:
    try:
        return plot.read_run(path, label)
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise Refusal(f"{path}: {error}") from None


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


def _print_json(facts: dict[str, Any]) -> None:
    print(json.dumps({"catena": catena.__version__, **facts}, indent=2))


def _table(*columns: str) -> Table:
    table = Table(title_justify="left")
    for column in columns:
        is_text = column in ("move", "check", "result")
        table.add_column(column, justify="left" if is_text else "right")
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
