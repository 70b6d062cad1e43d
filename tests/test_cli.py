"""The command `catena`: what it prints, how it refuses, and how it behaves in a pipe."""

from __future__ import annotations

import functools
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
import walks
from typer.testing import CliRunner

import catena
from catena import bench, cli

COUNTS = json.loads((Path(__file__).parent / "data" / "counts.json").read_text())
COMMAND = [sys.executable, "-m", "catena"]
ESCAPE = "\x1b["
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command line in this process; gives exit code, output and errors."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)

    def run_it(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(arguments)
        out, err = capfd.readouterr()
        return code, out, err

    return run_it


def rows(table: str) -> list[list[str]]:
    """The cells of the lines of a printed table."""
    lines = [line for line in table.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]


# --- perft --------------------------------------------------------------------------------------


def test_perft_prints_each_depth(run: Run) -> None:
    code, out, err = run("perft", "--size", "3", "--depth", "5")
    assert (code, err) == (0, "")
    counts = [row[:3] for row in rows(out)]
    assert counts == [
        ["3", str(depth), f"{int(COUNTS['perft']['3'][depth]):,}"] for depth in range(1, 6)
    ]


def test_perft_of_the_default_board() -> None:
    result = CliRunner().invoke(cli.app, ["perft"])
    assert result.exit_code == 0
    assert [row[:3] for row in rows(result.stdout)][-1] == ["6", "4", "66,741,432"]


def test_perft_of_depth_0(run: Run) -> None:
    _, out, _ = run("perft", "--depth", "0")
    assert [row[:3] for row in rows(out)] == [["6", "0", "1"]]


def test_perft_of_all_sizes(run: Run) -> None:
    code, out, _ = run("perft", "--all-sizes", "--depth", "2", "--json")
    assert code == 0
    found = {str(one["size"]): one["counts"] for one in json.loads(out)["runs"]}
    assert list(found) == [str(size) for size in range(2, 11)]
    for size, known in COUNTS["perft"].items():
        assert [c["nodes"] for c in found[size]] == [int(known[1]), int(known[2])]


def test_perft_past_the_longest_game(run: Run) -> None:
    # Five stones and the button at most: the table ends with the first depth of no game and this.
    _, out, _ = run("perft", "--size", "2", "--depth", "10" + "0" * 30)
    assert [row[2] for row in rows(out)] == ["8", "56", "300", "1,002", "2,520", "3,600", "0", "0"]


def test_perft_json(run: Run) -> None:
    code, out, err = run("perft", "--size", "2", "--depth", "3", "--divide", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["catena"] == catena.__version__
    (one,) = result["runs"]
    assert (one["size"], one["game"], one["scoring"]) == (2, "komi", "standard")
    assert one["position"] == "2 komi standard 0 2/3/2 b - 1"
    (count,) = one["counts"]
    assert (count["depth"], count["nodes"]) == (3, 300)
    assert count["seconds"] > 0
    assert count["per_second"] > 0
    assert list(one["divide"]) == ["A1", "A2", "B1", "B2", "B3", "C2", "C3", "button"]
    assert sum(one["divide"].values()) == 300
    # With the button gone, 7 * 6 pairs of placements are left.
    assert one["divide"]["button"] == 42


def test_perft_divide_as_a_table(run: Run) -> None:
    _, out, _ = run("perft", "--size", "2", "--depth", "2", "--divide")
    table = rows(out)
    one_move = ("A1", "A2", "B1", "B2", "B3", "C2", "C3", "button")
    assert table[:8] == [[name, "7"] for name in one_move]
    assert table[8][:3] == ["2", "2", "56"]


def test_perft_of_a_position(run: Run) -> None:
    # A1, C3, B1 and C2 are open beside the lint A2-B3; B2 would close a ring.  The button is taken.
    position = "2 komi standard 0 2/w2/b1 b b 1"
    _, out, _ = run("perft", "--position", position, "--depth", "1", "--json")
    (one,) = json.loads(out)["runs"]
    assert one["position"] == position
    assert one["counts"][0]["nodes"] == 4


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_perft_of_each_game(run: Run, game: str, scoring: str) -> None:
    arguments = ["perft", "--size", "2", "--depth", "3", "--game", game, "--scoring", scoring]
    _, out, _ = run(*arguments, "--json")
    (one,) = json.loads(out)["runs"]
    assert (one["game"], one["scoring"]) == (game, scoring)
    first = {"komi": 8, "no-komi": 7, "double": 7}[game]
    second = {"komi": 56, "no-komi": 14, "double": 42}[game]
    assert [count["nodes"] for count in one["counts"]][:2] == [first, second]


def test_counts_in_parts_are_those_of_perft() -> None:
    for depth in range(9):
        board = catena.Board(2)
        done: list[float] = []
        timing = bench.timed_perft(board, depth, done.append)
        assert timing.nodes == catena.perft(board, depth)
        assert done == sorted(done)
        assert done[-1] == pytest.approx(1.0)
        if depth:
            counts, total = bench.timed_divide(board, depth, done.append)
            assert counts == catena.divide(board, depth)
            assert total.nodes == timing.nodes
        assert board == catena.Board(2)


def test_progress_is_shown_on_a_terminal_only(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("perft", "--size", "3", "--depth", "6", "--json")
    assert plain[2] == ""
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes Rich take the error stream for a terminal
    quick = run("perft", "--size", "2", "--depth", "3", "--json")
    assert quick[2] == ""
    monkeypatch.setattr(cli, "BAR_AFTER", 0.0)
    shown = run("perft", "--size", "3", "--depth", "6", "--json")
    assert "size 3" in shown[2]
    assert "100%" in shown[2]

    def nodes(out: str) -> list[int]:
        return [count["nodes"] for count in json.loads(out)["runs"][0]["counts"]]

    assert nodes(shown[1]) == nodes(plain[1]) == [int(n) for n in COUNTS["perft"]["3"][1:7]]


def test_an_overflow_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def perft(board: catena.Board, depth: int) -> int:
        raise OverflowError("the count needs more than 64 bits")

    monkeypatch.setattr(bench, "perft", perft)
    code, out, err = run("perft", "--json")
    assert (code, out) == (2, "")
    assert err == "catena: Invalid value for --depth: the count needs more than 64 bits\n"


# --- bench --------------------------------------------------------------------------------------


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the benchmark run each size once, not for its quarter of a second."""
    monkeypatch.setattr(bench, "measure", functools.partial(bench.measure, seconds=0.0))


@pytest.mark.usefixtures("once")
def test_bench(run: Run) -> None:
    code, out, err = run("bench")
    assert (code, err) == (0, "")
    header = out[: out.index("┏")]
    assert {line.split(":")[0] for line in header.splitlines()} == {
        "machine",
        "system",
        "python",
        "build",
    }
    assert catena.build_info()["compiler"] in header
    table = rows(out)
    assert [row[0] for row in table] == [str(size) for size in range(2, 11)]
    assert [row[1] for row in table] == ["7", "19", "37", "61", "91", "127", "169", "217", "271"]
    assert {row[4] for row in table} == {"ok"}
    for row in table:
        if row[0] != "9":
            assert row[3].replace(",", "") == COUNTS["perft"][row[0]][int(row[2])]


@pytest.mark.usefixtures("once")
def test_bench_fails_loudly_on_a_wrong_count(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "DEPTHS", {2: 3, 4: 2})
    monkeypatch.setitem(bench.KNOWN, 4, (1, 38, 1407))
    code, out, err = run("bench")
    assert code == 1
    assert [row[4] for row in rows(out)] == ["ok", "WRONG"]
    assert err == "catena: WRONG COUNT: size 4, depth 2: 1406 is not 1407\n"


def test_measuring_takes_the_median_of_right_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    right = bench.measure(2, seconds=0.05)
    assert right.is_right
    assert right.runs > 1
    assert right.timing.per_second > 0
    monkeypatch.setitem(bench.KNOWN, 2, (1, 8, 56, 300, 1002, 2520, 3601))
    wrong = bench.measure(2, seconds=10.0)
    assert not wrong.is_right
    assert wrong.runs == 1


@pytest.mark.parametrize("size", sorted(map(int, COUNTS["perft"])))
def test_known_counts(size: int) -> None:
    known = COUNTS["perft"][str(size)]
    assert [str(count) for count in bench.KNOWN[size]] == known[: len(bench.KNOWN[size])]
    assert len(bench.KNOWN[size]) > bench.DEPTHS[size]


@pytest.mark.parametrize("size", [*range(4, 9), 9, 10])
def test_known_counts_of_four_moves_by_counting_sets(size: int) -> None:
    """Size 9 is not in counts.json: here the sets are counted by what keeps them from being lints.

    Among sets of up to four cells that is a triangle, or three cells around a fourth that are not
    next to each other.  Two triangles in one set share an edge.
    """
    near = [set(cells) for cells in walks.neighbour_lists(size)]
    n = len(near)
    edges = [(a, b) for a in range(n) for b in near[a] if a < b]
    triangles = sum(len(near[a] & near[b]) for a, b in edges) // 3
    pairs_of_triangles = sum(len(near[a] & near[b]) == 2 for a, b in edges)
    claws = sum(
        b not in near[a] and c not in near[a] and c not in near[b]
        for centre in range(n)
        for a, b, c in combinations(near[centre], 3)
    )
    sets = [
        1,
        n,
        math.comb(n, 2),
        math.comb(n, 3) - triangles,
        math.comb(n, 4) - triangles * (n - 3) + pairs_of_triangles - claws,
    ]
    # RULES of counting, with no set of so few cells that can't grow: the button in each place.
    for d in range(1, 5):
        f = math.factorial
        expected = f(d) * sets[d] + (d - 1) * f(d - 1) * sets[d - 1] + f(d - 1) * sets[d - 1]
        assert bench.KNOWN[size][d] == expected


# --- show, --version, --help --------------------------------------------------------------------


def test_show_the_empty_board(run: Run) -> None:
    code, out, err = run("show")
    assert (code, err) == (0, "")
    assert out.startswith(str(catena.Board()) + "\n")
    assert "legal moves (92): A1 A2 A3" in out
    assert out.rstrip().endswith("K11 button")
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("separate", [True, False])
def test_show_a_position(run: Run, separate: bool) -> None:
    text = "2 komi standard 3 b1/1b1/2 w w 2"
    code, out, _ = run("show", *(text.split() if separate else [text]))
    assert code == 0
    assert str(catena.Board.from_position(text)) in out
    assert "lint A1-B2: 2 black, 0 white, not bound\n" in out
    assert out.endswith("\nlegal moves (3): B3 C2 C3\n")


def test_show_lists_lints(run: Run) -> None:
    _, out, _ = run("show", "3 komi standard 0 bb1/4/w3w/b3/3 b - 1")
    assert "lint A1-B1: 2 black, 0 white, not bound\n" in out
    assert "lint A3-B4: 1 black, 1 white, not bound\n" in out
    assert "lint E3: 0 black, 1 white, not bound\n" in out
    _, out, _ = run("show", "2 komi standard 0 b1/b1b/bb w - 1")
    assert "lint A1-A2-B3-C3-C2: 5 black, 0 white, bound, Black's\n" in out
    assert "legal moves (0): none, the game is over\n" in out


def test_show_of_the_setup(run: Run) -> None:
    _, out, _ = run("show", "2 komi standard ? 2/3/2 komi - 1")
    assert "legal moves (16): komi:0 komi:1" in out
    _, out, _ = run("show", "2 komi standard 4 2/3/2 colour - 1")
    assert "legal moves (2): black white\n" in out


def test_version(run: Run) -> None:
    code, out, err = run("--version")
    assert (code, err) == (0, "")
    first, *facts = out.splitlines()
    assert first == f"catena {catena.__version__}"
    assert [fact.split(":")[0] for fact in facts] == list(catena.build_info())


def test_help(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    for command in ("perft", "bench", "show"):
        assert command in out
        one_code, one_help, _ = run(command, "--help")
        assert one_code == 0
        assert f"catena {command}" in one_help.partition("Example")[2]
    assert run()[:2] == (0, out)  # no command at all


# --- wrong arguments ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], "chess"),
        (["--sise"], "--sise"),
        (["perft", "--sise", "3"], "--sise"),
        (["perft", "--size", "1"], "--size"),
        (["perft", "--size", "11"], "--size"),
        (["perft", "--size", "six"], "--size"),
        (["perft", "--size"], "--size"),
        (["perft", "--depth", "-1"], "--depth"),
        (["perft", "--depth", "1.5"], "--depth"),
        (["perft", "3"], "3"),
        (["perft", "--game", "chess"], "'komi', 'no-komi', 'double'"),
        (["perft", "--scoring", "most"], "'standard', 'longest', 'squares'"),
        (["perft", "--divide", "--depth", "0"], "depth of at least 1"),
        (["perft", "--all-sizes", "--size", "3"], "exclude"),
        (["perft", "--position", "2 komi"], "--position: SCORING: missing"),
        (["perft", "--position", ""], "--position: SIZE: empty"),
        (["perft", "--position", "2 komi standard 0 2/3/2 b - 1", "--size", "2"], "itself"),
        (["perft", "--position", "2 komi standard 0 2/3/2 b - 1", "--game", "komi"], "itself"),
        (["perft", "--position", "2 komi standard 0 2/3/2 b - 1", "--all-sizes"], "itself"),
        (["bench", "3"], "3"),
        (["show", "2 komi standard 0 2/4/2 b - 1"], "ROWS: row 2 holds 4 cells, not 3"),
        (["show", "2", "komi"], "SCORING: missing"),
        (["show", ""], "SIZE: empty"),
        (["show", "\ud800 komi standard 0 2/3/2 b - 1"], "SIZE: '\\ud800'"),
    ],
)
def test_a_wrong_argument_is_one_line_on_stderr(
    run: Run, arguments: list[str], message: str
) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("catena: ")
    assert err.count("\n") == 1
    assert message in err


# --- real processes -----------------------------------------------------------------------------

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX pipes and signals")


def start(*command: str, **variables: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "COLUMNS": "80", **variables}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment)


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_python_m_catena() -> None:
    assert finish(start(*COMMAND, "perft", "--size", "x"))[0] == 2
    code, out, err = finish(start(*COMMAND, "show", "2 komi standard 0 2/3/2 b - 1"))
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["A", "B"]


@posix
@pytest.mark.parametrize(
    "arguments",
    ["show", "perft --depth 1", "perft --depth 1 --json", "bench", "--version", "--help"],
)
def test_nobody_reads(arguments: str) -> None:
    process = start(*COMMAND, *arguments.split())
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=60) == 141  # what a shell tells of a program that SIGPIPE ended
    assert process.stderr is not None
    with process.stderr as errors:
        assert errors.read() == ""


@posix
def test_piping_into_head() -> None:
    command = f"'{sys.executable}' -m catena show | head -n 1"
    code, out, err = finish(start("sh", "-c", command))
    assert (code, out.split(), err) == (0, list("ABCDEF"), "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line() -> None:
    command = f"'{sys.executable}' -m catena show > /dev/full"
    code, _, err = finish(start("sh", "-c", command))
    assert code == 2
    assert re.fullmatch(r"catena: can't write: .*\n", err)


def test_no_color() -> None:
    colours = re.compile(r"\x1b\[(?:\d+;)*[349]\d")
    _, coloured, _ = finish(start(*COMMAND, "--help", FORCE_COLOR="1"))
    assert colours.search(coloured)
    _, plain, _ = finish(start(*COMMAND, "--help", FORCE_COLOR="1", NO_COLOR="1"))
    assert not colours.search(plain)
    _, piped, _ = finish(start(*COMMAND, "perft", "--depth", "1", "--size", "2"))
    assert ESCAPE not in piped


def test_a_narrow_alphabet() -> None:
    code, out, _ = finish(start(*COMMAND, "perft", "--depth", "1", PYTHONIOENCODING="ascii"))
    assert code == 0
    assert out.isascii()


@posix
@pytest.mark.parametrize("as_json", [False, True])
def test_ctrl_c(as_json: bool) -> None:
    code = "import sys; from catena import cli; print('ready', flush=True); sys.exit(cli.run())"
    # More sequences than anybody can wait for; the first depths are done at once.
    arguments = ["perft", "--size", "6", "--depth", "12", *["--json"] * as_json]
    process = start(sys.executable, "-c", code, *arguments)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    status, out, err = finish(process)
    assert (status, err) == (130, "catena: interrupted\n")
    if as_json:
        assert out == ""
    else:
        assert [row[2] for row in rows(out)][:3] == ["92", "8,372", "752,580"]


@pytest.mark.parametrize("library", ["typer", "rich"])
def test_without_the_libraries_of_the_command_line(library: str) -> None:
    code = (
        f"import sys; sys.modules[{library!r}] = None; "
        "from catena.__main__ import main; sys.exit(main())"
    )
    status, out, err = finish(start(sys.executable, "-c", code, "bench"))
    assert (status, out) == (2, "")
    assert err == (f"catena: the command line needs {library}: pip install 'catena-engine[cli]'\n")
