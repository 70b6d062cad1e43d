"""The core's hot loops beside a C++ program that does nothing else: ratios of speed.

yardstick.cpp is built with -O3 -march=native.  It, the core with the loops that this machine gets,
and the core with its portable loops (CATENA_BASELINE=1) take turns in short slices on one core of
the machine, each in a process of its own.  A slice of the core is divided by the yardstick's slice
next to it, by processor time, so that other work on the machine does little harm.

Both play placements only: the core's board is empty, with the button taken.  Both count the same
subtrees; that the counts are equal is checked, and so are the means of the playouts' lengths and
margins.
"""

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from report import (
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

HERE = Path(__file__).parent
FLAGS = ["-O3", "-march=native"]
TARGET = 0.9  # of the yardstick's speed, at least
GROWTH = 2.2  # times as much a stone costs on size 10 as on size 5, at most
ROW = re.compile(r"([\d.]+) playouts/s .* mean length ([\d.]+)  mean margin (-?[\d.]+)")
STONES = 250_000  # placed by the core for a count of instructions
YARDSTICK = "yardstick"
JOBS = ("playouts", "perft")


# --- the core's side, in a process of its own ----------------------------------------------------


def stones_only(size: int) -> catena.Board:
    """The empty board with the button in White's hands: all moves are placements."""
    fields = catena.Board(size).position.split()
    fields[6] = "w"
    return catena.Board.from_position(" ".join(fields))


def play(board: catena.Board, count: int, seed: int) -> dict[str, float]:
    os.getppid()  # a mark for callgrind, as in yardstick_slices.cpp
    start = process_time()
    result = catena.playouts(board, count, seed=seed)
    seconds = process_time() - start
    os.getppid()
    margins = (result.margin + 1) / 2  # in stones, without White's half point for the button
    return {
        "games": count,
        "stones": int(result.plies.sum()),
        "margin": float(margins.sum()),
        "length_squares": float((result.plies.astype(float) ** 2).sum()),
        "margin_squares": float((margins**2).sum()),
        "seconds": seconds,
    }


def count(board: catena.Board, depth: int, first: int, stride: int, times: int) -> dict[str, float]:
    cells = [(first + k * stride) % board.num_cells for k in range(times)]
    nodes = 0
    os.getppid()
    start = process_time()
    for cell in cells:
        board.push(cell)
        nodes += catena.perft(board, depth - 1)
        board.pop()
    seconds = process_time() - start
    os.getppid()
    return {"nodes": nodes, "seconds": seconds}


def serve() -> None:
    """Answer one command a line from standard input, as yardstick_slices.cpp does, in JSON."""
    print(json.dumps(catena.build_info()), flush=True)
    boards = {size: stones_only(size) for size in range(3, 11)}
    for line in sys.stdin:
        job, size, *numbers = line.split()
        work = play if job == "playouts" else count
        print(json.dumps(work(boards[int(size)], *map(int, numbers))), flush=True)


# --- the run ------------------------------------------------------------------------------------


class Process:
    """A program that answers commands, one a line."""

    def __init__(self, command: list[str], **environment: str) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )

    def ask(self, *words: object) -> str:
        assert self.process.stdin
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.read()

    def read(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args} ended with code {self.process.wait()}")
        return line

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


class Slice(NamedTuple):
    """What was done and in which processor time; of playouts also the sums that are checked."""

    units: float  # stones or nodes
    seconds: float
    games: float = 0.0
    margin: float = 0.0
    length_squares: float = 0.0
    margin_squares: float = 0.0

    @property
    def speed(self) -> float:
        return self.units / self.seconds


class Core:
    def __init__(self, baseline: bool) -> None:
        command = [sys.executable, __file__, "--serve"]
        self.process = Process(command, CATENA_BASELINE=str(int(baseline)))
        self.loops = json.loads(self.process.read())["loops"]
        self.name = f"core {self.loops}"
        self.games: dict[int, int] = {}  # in a slice, by size
        self.seed = 0

    def playouts(self, size: int, seconds: float) -> Slice:
        if size not in self.games:
            self.games[size] = 500
            for _ in range(2):  # the first slice is cold
                trial = self.playouts(size, seconds)
                self.games[size] = max(1, round(trial.games * seconds / trial.seconds))
        self.seed += 1
        answer = json.loads(self.process.ask("playouts", size, self.games[size], self.seed))
        return Slice(answer.pop("stones"), **answer)

    def perft(self, size: int, *numbers: int) -> Slice:
        answer = json.loads(self.process.ask("perft", size, *numbers))
        return Slice(answer["nodes"], answer["seconds"])


class Yardstick:
    name = YARDSTICK

    def __init__(self, program: Path) -> None:
        self.process = Process([str(program)])

    def playouts(self, size: int, seconds: float) -> Slice:
        row = ROW.search(self.process.ask("playouts", size, seconds))
        assert row
        per_second, length, margin = map(float, row.groups())
        wall, busy = map(float, self.process.read().split()[1:])
        games = per_second * wall
        return Slice(games * length, busy, games, games * margin)

    def perft(self, size: int, *numbers: int) -> Slice:
        nodes, seconds = self.process.ask("perft", size, *numbers).split()[1:]
        return Slice(int(nodes), float(seconds))


def build(folder: Path) -> Path:
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        raise SystemExit("no C++ compiler found; name one in CXX")
    program = folder / "yardstick"
    source = str(HERE / "yardstick_slices.cpp")
    done = subprocess.run(
        [compiler, *FLAGS, "-o", str(program), source], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr + f"{compiler} can't build the yardstick")
    return program


def depth_of(size: int) -> int:
    return 5 if size <= 5 else 4


def stride_of(size: int) -> int:
    """A step that visits every cell of the board, neighbours in time far apart."""
    cells = catena.Board(size).num_cells
    stride = round(0.382 * cells)
    while math.gcd(stride, cells) != 1:
        stride += 1
    return stride


def plan_perft(yardstick: Yardstick, size: int, seconds: float) -> int:
    """How many subtrees the yardstick counts in a slice."""
    stride = stride_of(size)
    yardstick.perft(size, depth_of(size), 0, stride, 1)
    trial = yardstick.perft(size, depth_of(size), 0, stride, 3)
    return max(1, round(3 * seconds / trial.seconds))


Slices = dict[tuple[str, int, str], list[Slice]]  # by job, size and engine


def run(engines: list[Any], sizes: list[int], rounds: int, seconds: float) -> Slices:
    yardstick = engines[0]
    slices: Slices = {(job, n, e.name): [] for job in JOBS for n in sizes for e in engines}
    times = {size: plan_perft(yardstick, size, seconds) for size in sizes}
    for turn in ticks(range(rounds), "round"):
        for size in sizes:
            where = (depth_of(size), turn * times[size], stride_of(size), times[size])
            # The yardstick goes first in one round and last in the next.
            for engine in engines if turn % 2 == 0 else engines[::-1]:
                slices["playouts", size, engine.name].append(engine.playouts(size, seconds))
            for engine in engines if turn % 2 == 0 else engines[::-1]:
                slices["perft", size, engine.name].append(engine.perft(size, *where))
            counts = {e.name: slices["perft", size, e.name][-1].units for e in engines}
            if len(set(counts.values())) != 1:
                raise SystemExit(f"perft differs on size {size}: {counts}")
    for size in sizes:
        for engine in engines[1:]:
            check_means(slices, size, engine.name)
    return slices


def check_means(slices: Slices, size: int, name: str) -> None:
    """The two play by the same rules: the means of length and margin agree within their errors."""
    ours, theirs = slices["playouts", size, name], slices["playouts", size, YARDSTICK]
    games, other = sum(s.games for s in ours), sum(s.games for s in theirs)
    for what, total, squares, others in (
        ("length", "units", "length_squares", sum(s.units for s in theirs)),
        ("margin", "margin", "margin_squares", sum(s.margin for s in theirs)),
    ):
        mean = sum(getattr(s, total) for s in ours) / games
        variance = sum(getattr(s, squares) for s in ours) / games - mean**2
        error = math.sqrt(variance * (1 / games + 1 / other))
        rounding = 0.005 / math.sqrt(len(theirs))  # the yardstick prints two places
        if abs(mean - others / other) > 5 * (error + rounding):
            raise SystemExit(
                f"size {size}: mean {what} {mean:.3f}, the yardstick's {others / other:.3f}"
            )


def ratios(slices: Slices, job: str, size: int, name: str) -> list[float]:
    pairs = zip(slices[job, size, name], slices[job, size, YARDSTICK], strict=True)
    return [ours.speed / theirs.speed for ours, theirs in pairs]


# --- instruction counts -------------------------------------------------------------------------


def instructions(
    command: list[str], lines: list[str], folder: Path, **environment: str
) -> list[int]:
    """How many instructions each command of ``lines`` takes between its marks."""
    with tempfile.TemporaryDirectory(dir=folder) as out:
        subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                "--dump-before=getppid",
                f"--callgrind-out-file={out}/counts",
                *command,
            ],
            input="\n".join(lines) + "\n",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | environment,
            check=True,
        )
        totals = []
        # Parts are numbered from 1; the even ones end at the second mark of a command.
        for number in range(2, 2 * len(lines) + 1, 2):
            text = Path(f"{out}/counts.{number}").read_text(encoding="utf-8")
            totals.append(int(re.findall(r"^totals: (\d+)", text, re.MULTILINE)[-1]))
        return totals


def count_instructions(
    program: Path, engines: list[Any], sizes: list[int], slices: Slices, folder: Path
) -> dict[tuple[str, int, str], float]:
    """Instructions for a stone and for a perft node, by job, size and engine."""
    if shutil.which("valgrind") is None:
        raise SystemExit("--instructions needs valgrind")
    result = {}
    for engine in engines:
        is_core = isinstance(engine, Core)
        lines, units = [], []
        for size in sizes:
            played = slices["playouts", size, engine.name]
            length = sum(s.units for s in played) / sum(s.games for s in played)
            # So many that what surrounds the loop counts for nothing; the yardstick plays 2000.
            games = round(STONES / length) if is_core else 2000
            lines.append(f"playouts {size} {games} 1" if is_core else f"playouts {size} 0")
            units.append(games * length)
            where = (size, depth_of(size), 0, stride_of(size), 19 if size <= 5 else 3)
            lines.append(" ".join(map(str, ("perft", *where))))
            units.append(engine.perft(*where).units)
        command = [sys.executable, __file__, "--serve"] if is_core else [str(program)]
        baseline = str(int(is_core and engine.loops == "baseline"))
        totals = instructions(command, lines, folder, CATENA_BASELINE=baseline)
        for index, (total, done) in enumerate(zip(totals, units, strict=True)):
            result[JOBS[index % 2], sizes[index // 2], engine.name] = total / done
    return result


# --- output -------------------------------------------------------------------------------------

TITLES = {
    "playouts": (
        f"playouts with scores, target {TARGET}",
        "ns/stone",
        lambda s: 1e9 / s.speed,
        "{:.1f}",
    ),
    "perft": (f"perft, target {TARGET}", "Gnodes/s", lambda s: s.speed / 1e9, "{:.2f}"),
}


def table_of_speeds(slices: Slices, job: str, sizes: list[int], names: list[str]) -> Table:
    title, unit, figure, form = TITLES[job]
    table = Table(title=title, title_justify="left")
    table.add_column("size", justify="right")
    for name in names:
        table.add_column(f"{name}\n{unit}", justify="right")
    for name in names[1:]:
        table.add_column(f"{name}\n/ yardstick", justify="right")
        table.add_column("quartiles", justify="right")
    for size in sizes:
        row = [str(size)]
        row += [form.format(spread([*map(figure, slices[job, size, n])]).median) for n in names]
        for name in names[1:]:
            s = spread(ratios(slices, job, size, name))
            # The target is for the loops that the machine gets; they come first.
            wanted = name == names[1]
            row.append(mark(s.median, TARGET, at_most=False) if wanted else f"{s.median:.2f}")
            row.append(f"{s.low:.2f}-{s.high:.2f}")
        table.add_row(*row)
    return table


def growth(slices: Slices, name: str) -> list[float]:
    """How many times as much a stone costs on size 10 as on size 5, round by round."""
    pairs = zip(slices["playouts", 5, name], slices["playouts", 10, name], strict=True)
    return [small.speed / large.speed for small, large in pairs]


def table_of_instructions(
    counts: dict[tuple[str, int, str], float], sizes: list[int], names: list[str]
) -> Table:
    table = Table(title="instructions, counted by callgrind", title_justify="left")
    table.add_column("size", justify="right")
    for unit in ("stone", "perft node"):
        for name in names:
            table.add_column(f"{name}\nper {unit}", justify="right")
    for size in sizes:
        table.add_row(
            str(size), *(f"{counts[job, size, name]:.2f}" for job in JOBS for name in names)
        )
    return table


def as_json(
    slices: Slices, counts: dict[tuple[str, int, str], float], sizes: list[int], names: list[str]
) -> list[dict[str, Any]]:
    rows = []
    for job in JOBS:
        for size in sizes:
            for name in names:
                _, unit, figure, _ = TITLES[job]
                row: dict[str, Any] = {"job": job, "size": size, "engine": name, "unit": unit}
                row["figure"] = spread([*map(figure, slices[job, size, name])])._asdict()
                if name != YARDSTICK:
                    row["ratio"] = spread(ratios(slices, job, size, name))._asdict()
                if counts:
                    row["instructions"] = counts[job, size, name]
                rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=number_range, default="3-10", help="3-10 if not given")
    parser.add_argument("--rounds", type=int, default=9, help="of slices (9)")
    parser.add_argument("--seconds", type=float, default=0.05, help="of a slice (0.05)")
    parser.add_argument("--instructions", action="store_true", help="count them too, by valgrind")
    parser.add_argument("--json", action="store_true", help="print JSON, not tables")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    sizes = options.sizes
    if not set(sizes) <= set(range(3, 11)) or options.rounds < 1 or options.seconds <= 0:
        parser.error("sizes are 3 to 10, --rounds at least 1, --seconds more than 0")
    if hasattr(os, "sched_setaffinity"):  # all of them on one core, the last that we may use
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        engines: list[Any] = [Yardstick(program), Core(baseline=False), Core(baseline=True)]
        if engines[1].loops == engines[2].loops:
            engines.pop().process.close()
        names = [engine.name for engine in engines]
        slices = run(engines, sizes, options.rounds, options.seconds)
        counts = {}
        if options.instructions:
            counts = count_instructions(program, engines, sizes, slices, Path(folder))
        for engine in engines:
            engine.process.close()
    grown = {n: spread(growth(slices, n)) for n in names if {5, 10} <= set(sizes)}
    if options.json:
        print_json(
            {
                "yardstick_flags": FLAGS,
                "rounds": options.rounds,
                "seconds": options.seconds,
                "rows": as_json(slices, counts, sizes, names),
                "growth": {name: s._asdict() for name, s in grown.items()},
            }
        )
        return
    out = console()
    print_facts(out)
    out.print(
        f"yardstick: {' '.join(FLAGS)}; {options.rounds} rounds of {options.seconds} s slices"
    )
    for job in JOBS:
        out.print(table_of_speeds(slices, job, sizes, names))
    for name, s in grown.items():
        verdict = mark(s.median, GROWTH, at_most=True)
        out.print(
            f"{name}: a stone costs {verdict} times as much on size 10 as on 5; target {GROWTH}"
        )
    if counts:
        out.print(table_of_instructions(counts, sizes, names))


if __name__ == "__main__":
    main()
