"""The command `catena`: what it prints, how it refuses, and how it behaves in a pipe."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import children
import pytest
import walks
from typer.testing import CliRunner

import catena
from catena import bench, cli, counting, plot
from catena.signature import signature

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


@pytest.fixture
def short_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cuts counts that take a moment only."""
    monkeypatch.setattr(counting, "PILOT_SECONDS", 0.0)
    monkeypatch.setattr(counting, "LONGEST_JOB", 1e-4)
    monkeypatch.setattr(counting, "JOB_SECONDS", 1e-4)


@pytest.mark.usefixtures("short_jobs")
@pytest.mark.parametrize("workers", ["1", "2", "5"])
def test_perft_with_workers(run: Run, workers: str) -> None:
    arguments = ["perft", "--size", "3", "--depth", "5", "--json", "--workers", workers]
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    (one,) = json.loads(out)["runs"]
    known = [int(count) for count in COUNTS["perft"]["3"]]
    assert [count["nodes"] for count in one["counts"]] == known[1:6]
    _, out, _ = run(*arguments, "--divide")
    (one,) = json.loads(out)["runs"]
    assert sum(one["divide"].values()) == known[5]
    assert len(one["divide"]) == 20


def test_progress_is_shown_on_a_terminal_only(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("perft", "--size", "3", "--depth", "6", "--json")
    assert plain[2] == ""
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes Rich take the error stream for a terminal
    quick = run("perft", "--size", "2", "--depth", "3", "--json")
    assert quick[2] == ""
    monkeypatch.setattr(cli, "BAR_AFTER", 0.0)
    _, _, games = run("playout", "--size", "3", "--count", "2000")
    assert "playouts" in games
    assert "100%" in games
    shown = run("perft", "--size", "3", "--depth", "6", "--json")
    assert "size 3" in shown[2]
    assert "100%" in shown[2]

    def nodes(out: str) -> list[int]:
        return [count["nodes"] for count in json.loads(out)["runs"][0]["counts"]]

    assert nodes(shown[1]) == nodes(plain[1]) == [int(n) for n in COUNTS["perft"]["3"][1:7]]


def test_an_overflow_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def perft(board: catena.Board, depth: int, **_: object) -> int:
        raise OverflowError("the count needs more than 64 bits")

    monkeypatch.setattr(counting, "perft", perft)
    code, out, err = run("perft", "--json")
    assert (code, out) == (2, "")
    assert err == "catena: Invalid value for --depth: the count needs more than 64 bits\n"


# --- playout ------------------------------------------------------------------------------------


def test_playout(run: Run) -> None:
    code, out, err = run("playout", "--size", "4", "--seed", "7", "--count", "3000")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"position: {catena.Board(4).position}"
    assert re.match(
        r"3,000 playouts, seed 7: [\d.]+ s, [\d,]+ a second, [\d.]+ ns a ply$", lines[1]
    )
    result = catena.playouts(catena.Board(4), 3000, seed=7)
    table = {label: (int(games.replace(",", "")), part) for label, games, part in rows(out)}
    assert list(table) == ["Black wins", "White wins", "draw"]
    assert [games for games, _ in table.values()] == [result.black_wins, result.white_wins, 0]
    assert sum(games for games, _ in table.values()) == 3000
    assert table["Black wins"][1] == f"{result.black_wins / 30:.2f}%"
    mean, error = result.mean / 2, result.standard_error / 2
    summary = f"mean margin, Black minus White: {mean:+.3f} points, standard error {error:.3f}"
    assert lines[-2] == summary
    plies = result.plies
    assert lines[-1] == f"plies: {plies.mean():.1f} on average, {plies.min()} to {plies.max()}"


def test_playout_of_a_finished_game(run: Run) -> None:
    # Five black stones; nobody took the button, so White has it, who did not move last.
    position = "2 komi standard 0 b1/b1b/bb w - 1"
    _, out, _ = run("playout", "--position", position, "--count", "9")
    assert [row[:2] for row in rows(out)] == [
        ["Black wins", "9"],
        ["White wins", "0"],
        ["draw", "0"],
    ]
    assert "mean margin, Black minus White: +4.500 points, standard error 0.000\n" in out
    assert out.endswith("plies: 0.0 on average, 0 to 0\n")
    _, out, _ = run(
        "playout", "--position", position.replace("standard", "longest"), "--count", "1"
    )
    assert "\n1 playout, seed 0: " in out
    assert "mean margin, Black minus White: +1.000 wins\n" in out


def test_playout_json(run: Run) -> None:
    position = "2 komi squares 3 b1/b1b/bb w - 1"
    code, out, err = run("playout", "--position", position, "--count", "4", "--seed", "5", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result.pop("seconds") > 0
    assert result.pop("per_second") > 0
    assert result == {
        "catena": catena.__version__,
        "position": "2 komi squares 3 b1/b1b/bb w w 1",
        "count": 4,
        "seed": 5,
        "black_wins": 4,
        "white_wins": 0,
        "draws": 0,
        # 25 for the lint of five; half a point for the button and a komi of three for White.
        "margin": {"unit": "half points", "mean": 43.0, "standard_error": 0.0},
        "plies": {"mean": 0.0, "min": 0, "max": 0},
    }
    _, out, _ = run("playout", "--count", "1", "--scoring", "longest", "--json")
    margin = json.loads(out)["margin"]
    assert margin["unit"] == "wins"
    assert margin["standard_error"] is None


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_playout_of_each_game_with_and_without_workers(run: Run, game: str, scoring: str) -> None:
    arguments = ["playout", "--size", "3", "--game", game, "--scoring", scoring, "--json"]
    results = []
    for workers in ([], ["--workers", "2"]):
        _, out, _ = run(*arguments, "--count", "1000", *workers)
        result = json.loads(out)
        assert result["position"] == catena.Board(3, game=game, scoring=scoring).position
        results.append({name: result[name] for name in ("black_wins", "draws", "margin", "plies")})
    assert results[0] == results[1]
    assert (results[0]["draws"] > 0) <= (game == "double")


def test_playout_komi(run: Run) -> None:
    _, out, _ = run("playout", "--size", "2", "--komi", "15", "--count", "100", "--json")
    result = json.loads(out)
    assert result["position"] == "2 komi standard 15 2/3/2 b - 1"
    assert result["white_wins"] == 100  # 15 is more than all cells and the button
    _, out, _ = run("playout", "--size", "2", "--komi", "?", "--count", "100", "--json")
    result = json.loads(out)
    assert result["position"] == "2 komi standard ? 2/3/2 komi - 1"
    assert result["plies"]["max"] == 8  # the komi, the colours, five stones and the button


# --- bench --------------------------------------------------------------------------------------


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the benchmark measure each size once, not for a while."""
    monkeypatch.setattr(bench, "SECONDS", 0.0)
    monkeypatch.setattr(bench, "QUICK_SECONDS", 0.0)
    if catena.build_info()["debug"]:
        monkeypatch.setattr(bench, "DEPTHS", dict.fromkeys(bench.DEPTHS, 3))


def tables(out: str) -> tuple[list[list[str]], list[list[str]]]:
    """The rows of the two tables that the benchmark prints."""
    perft, title, playouts = out.partition("random playouts")
    assert title
    return rows(perft), rows(playouts)


@pytest.mark.usefixtures("once")
def test_bench(run: Run) -> None:
    code, out, err = run("bench")
    assert (code, err) == (0, "")
    header = out[: out.index("perft  ")]
    assert {line.split(":")[0] for line in header.splitlines()} == {
        "machine",
        "system",
        "python",
        "build",
    }
    assert catena.build_info()["compiler"] in header
    perft, playouts = tables(out)
    for table in perft, playouts:
        assert [row[0] for row in table] == [str(size) for size in range(2, 11)]
        cells = [row[1] for row in table]
        assert cells == ["7", "19", "37", "61", "91", "127", "169", "217", "271"]
    assert {row[4] for row in perft} == {"ok"}
    for row in perft:
        if row[0] != "9":
            assert row[3].replace(",", "") == COUNTS["perft"][row[0]][int(row[2])]
    for row in playouts:
        assert int(row[1]) / 4 < float(row[2]) < int(row[1])  # plies and cells
        per_second, ns = float(row[3].replace(",", "")), float(row[4])
        assert per_second * float(row[2]) * ns == pytest.approx(1e9, rel=0.05)
    assert out.endswith(f"\nsignature: {signature():016x}\n")


@pytest.mark.usefixtures("once")
@pytest.mark.parametrize(
    ("text", "sizes"),
    [("2", [2]), ("4,2", [2, 4]), ("2-4", [2, 3, 4]), ("3-4,2,4", [2, 3, 4]), (" 2 , 3", [2, 3])],
)
def test_bench_of_some_sizes(run: Run, text: str, sizes: list[int]) -> None:
    _, out, _ = run("bench", "--quick", "--sizes", text)
    perft, playouts = tables(out)
    assert [int(row[0]) for row in perft] == [int(row[0]) for row in playouts] == sizes


@pytest.mark.usefixtures("once")
def test_a_quick_bench_checks_a_count_that_it_has_time_for(run: Run) -> None:
    _, out, _ = run("bench", "--quick", "--sizes", "6")
    ((_, _, depth, nodes, check, *_),) = tables(out)[0]
    assert int(depth) == bench.DEPTHS[6] - 1
    assert nodes.replace(",", "") == COUNTS["perft"]["6"][int(depth)]
    assert check == "ok"


@pytest.mark.usefixtures("once")
@pytest.mark.parametrize("quick", [[], ["--quick"]])
def test_bench_fails_loudly_on_a_wrong_count(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, quick: list[str]
) -> None:
    monkeypatch.setattr(bench, "DEPTHS", {2: 3, 4: 3})
    monkeypatch.setitem(bench.KNOWN, 4, (1, 38, 1407, 50293))
    path = tmp_path / "run.json"
    code, out, err = run("bench", "--sizes", "2,4", "--json", str(path), *quick)
    assert code == 1
    assert [row[4] for row in tables(out)[0]] == ["ok", "WRONG"]
    expected = "depth 2: 1406 is not 1407" if quick else "depth 3: 50292 is not 50293"
    assert err == f"catena: WRONG COUNT: size 4, {expected}\n"
    assert out.splitlines()[-1].startswith("signature: ")
    assert [one["size"] for one in json.loads(path.read_text())["sizes"]] == [2, 4]


@pytest.mark.usefixtures("once")
def test_bench_json(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    code, out, err = run("bench", "--quick", "--sizes", "2-3", "--json", str(path))
    assert (code, err) == (0, "")
    result = json.loads(path.read_text())
    assert result["catena"] == catena.__version__
    assert result["quick"] is True
    assert result["loops"] == catena.build_info()["loops"]
    assert f"machine: {result['machine']}\n" in out
    assert f"build: {result['build']}\n" in out
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", result["date"])
    assert out.endswith(f"signature: {result['signature']}\n")
    two, three = result["sizes"]
    assert (two["size"], two["cells"], three["size"], three["cells"]) == (2, 7, 3, 19)
    for one in two, three:
        perft, games = one["perft"], one["playouts"]
        assert perft["nodes"] == perft["known"] == bench.KNOWN[one["size"]][perft["depth"]]
        assert perft["nodes_per_second"] * perft["ns_per_node"] == pytest.approx(1e9, rel=0.01)
        made = games["playouts_per_second"] * games["plies"]
        assert made * games["ns_per_ply"] == pytest.approx(1e9, rel=0.01)
        for part in perft, games:
            assert part["samples"] >= 1
            assert part["spread"] >= 0


def test_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    right = bench.measure(2, seconds=0.05)
    assert right.is_right
    assert right.perft.samples > 1
    assert right.playouts.samples > 1
    assert right.perft.per_second > 0
    # Five stones at most, four at least, and the button or not.
    assert 4 <= right.plies <= 6
    monkeypatch.setitem(bench.KNOWN, 2, (1, 8, 56, 300, 1002, 2520, 3601))
    wrong = bench.measure(2, seconds=0.05)
    assert not wrong.is_right
    assert wrong.perft.samples == 1  # the whole run, once


def test_a_rate_is_the_median_and_the_median_distance_from_it() -> None:
    rate = bench._rate([10.0, 12.0, 9.0, 500.0, 11.0])
    assert rate == bench.Rate(11.0, pytest.approx(1 / 11), 5)
    assert rate.per_second == pytest.approx(1e9 / 11)


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


# --- plot ---------------------------------------------------------------------------------------


def write_run(path: Path, **changes: object) -> str:
    """Write a benchmark of two sizes, by hand; returns the path."""
    sizes = [
        {
            "size": size,
            "cells": cells,
            "perft": {"nodes_per_second": 9e9, "spread": 0.1},
            "playouts": {"playouts_per_second": speed, "ns_per_ply": 30.0, "spread": 0.0},
        }
        for size, cells, speed in ((10, 271, 150_000), (6, 91, 700_000))
    ]
    facts = {
        "catena": "0.1.0",
        "benchmark": 1,
        "date": "2026-01-02T03:04:05+00:00",
        "quick": False,
        "machine": "Z80",
        "loops": "baseline",
        "sizes": sizes,
    }
    path.write_text(json.dumps(facts | changes))
    return str(path)


def test_reading_a_run(tmp_path: Path) -> None:
    run = plot.read_run(Path(write_run(tmp_path / "run.json", quick=True)), "old")
    assert run.label == "old"
    assert run.origin == "catena 0.1.0, baseline loops, quick run, Z80, 2026-01-02"
    assert run.points == [
        plot.Point(6, 91, 7e5, 30.0, 0.0, 9e9, 0.1),
        plot.Point(10, 271, 1.5e5, 30.0, 0.0, 9e9, 0.1),
    ]


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")],
)
def test_plot(run: Run, tmp_path: Path, suffix: str, start: bytes) -> None:
    pytest.importorskip("matplotlib")
    output = tmp_path / f"speed.{suffix}"
    code, out, err = run(
        "plot",
        write_run(tmp_path / "one.json"),
        write_run(tmp_path / "two.json"),
        "--output",
        str(output),
    )
    assert (code, out, err) == (0, f"wrote {output}\n", "")
    assert output.read_bytes().startswith(start)


@pytest.mark.usefixtures("once")
def test_plot_of_what_bench_writes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    assert run("bench", "--quick", "--sizes", "2,5", "--json", "run.json")[0] == 0
    assert run("plot", "run.json") == (0, "wrote speed.png\n", "")
    assert (tmp_path / "speed.png").stat().st_size > 10_000


def test_plot_of_files_of_one_name(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[plot.Run] = []
    monkeypatch.setattr(plot, "draw", lambda runs, output: drawn.extend(runs))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    paths = [write_run(tmp_path / name / "run.json") for name in ("a", "b")]
    assert run("plot", *paths)[0] == 0
    assert [one.label for one in drawn] == paths


def test_a_picture_of_several_runs_tells_them_apart(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    runs = [
        plot.read_run(Path(write_run(tmp_path / f"{name}.json", machine=name.upper())), name)
        for name in ("before", "after")
    ]
    figure = plot.picture(runs)
    legend = figure.axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["before", "after"]
    (notes,) = figure.texts
    assert "after: catena 0.1.0, baseline loops, AFTER, 2026-01-02" in notes.get_text()
    for axes in figure.axes:
        assert [label.get_text() for label in axes.get_xticklabels()] == ["6\n91", "10\n271"]
        assert len(axes.containers) == 2  # curves with bars
    assert figure.axes[1].get_ylim()[0] == 0
    figure.canvas.draw()
    for axes in figure.axes:
        low, high = axes.get_ylim()
        assert sum(low <= mark <= high for mark in axes.get_yticks()) >= 1
    assert plot.picture(runs[:1]).axes[0].get_legend() is None


BAD_RUNS: list[tuple[dict[str, Any], str]] = [
    ({"benchmark": 2}, "not written by `catena bench --json` of this version"),
    ({"sizes": []}, "no size in it"),
    ({"sizes": None}, "damaged"),
    ({"sizes": [{"size": 6}]}, "damaged benchmark (KeyError: 'playouts')"),
    ({"machine": None}, "damaged"),
    ({"date": None}, "damaged"),
]


@pytest.mark.parametrize(("changes", "message"), BAD_RUNS)
def test_plot_of_a_bad_run(run: Run, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = write_run(tmp_path / "run.json", **changes)
    code, out, err = run("plot", path, "--output", str(tmp_path / "speed.png"))
    assert (code, out) == (2, "")
    assert err.startswith(f"catena: {path}: ")
    assert err.count("\n") == 1
    assert message in err
    assert not (tmp_path / "speed.png").exists()


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("playouts", "playouts_per_second", 0),
        ("playouts", "ns_per_ply", -1),
        ("playouts", "ns_per_ply", float("nan")),
        ("playouts", "spread", -0.5),
        ("perft", "nodes_per_second", float("inf")),
        ("perft", "nodes_per_second", "fast"),
        ("perft", "spread", None),
    ],
)
def test_plot_of_bad_numbers(run: Run, tmp_path: Path, part: str, name: str, value: Any) -> None:
    path = tmp_path / "run.json"
    facts = json.loads(Path(write_run(path)).read_text())
    facts["sizes"][0][part][name] = value
    path.write_text(json.dumps(facts))
    code, out, err = run("plot", str(path), "--output", str(tmp_path / "speed.png"))
    assert (code, out) == (2, "")
    assert err.startswith(f"catena: {path}: damaged benchmark")
    assert err.count("\n") == 1


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"\xff\xfe", b"null"])
def test_plot_of_another_file(run: Run, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(content)
    code, out, err = run("plot", str(path))
    assert (code, out) == (2, "")
    assert re.fullmatch(rf"catena: {re.escape(str(path))}: not (JSON|written by .*)\n", err)


def test_files_that_are_not_there(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "none.json"
    code, out, err = run("plot", str(missing))
    assert (code, out) == (2, "")
    assert re.fullmatch(rf"catena: {re.escape(str(missing))}: .+\n", err)
    pytest.importorskip("matplotlib")
    path = write_run(tmp_path / "run.json")
    output = tmp_path / "none" / "speed.png"
    code, out, err = run("plot", path, "--output", str(output))
    assert (code, out) == (2, "")
    assert re.fullmatch(rf"catena: can't write {re.escape(str(output))}: .+\n", err)


def test_bench_refuses_a_file_before_it_measures(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(*_: object, **__: object) -> None:
        pytest.fail("too late")

    monkeypatch.setattr(bench, "measure", measure)
    code, out, err = run("bench", "--json", str(tmp_path))
    assert (code, out) == (2, "")
    assert err == f"catena: Invalid value for --json: {tmp_path} is a folder\n"
    code, out, err = run("bench", "--json", str(tmp_path / "none" / "run.json"))
    assert (code, out) == (2, "")
    assert err == f"catena: Invalid value for --json: there is no folder {tmp_path / 'none'}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.usefixtures("once")
def test_bench_on_a_full_disk(run: Run) -> None:
    code, _, err = run("bench", "--quick", "--sizes", "2", "--json", "/dev/full")
    assert code == 2
    assert re.fullmatch(r"catena: can't write /dev/full: .+\n", err)


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
    for command in ("perft", "playout", "bench", "plot", "show"):
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
        (["perft", "--workers", "0"], "--workers"),
        (["perft", "--workers", "two"], "--workers"),
        (["perft", "--workers", "2", "--dask", "localhost:8786"], "exclude"),
        (["playout", "3"], "3"),
        (["playout", "--size", "1"], "--size"),
        (["playout", "--game", "chess"], "'komi', 'no-komi', 'double'"),
        (["playout", "--scoring", "most"], "'standard', 'longest', 'squares'"),
        (["playout", "--komi", "16"], "komi must be 0 to 15"),
        (["playout", "--komi", "-1"], "komi"),
        (["playout", "--komi", "six"], "--komi: 'six' is neither a number nor ?"),
        (["playout", "--komi", "1", "--game", "double"], "komi"),
        (["playout", "--komi", "?", "--game", "no-komi"], "komi"),
        (["playout", "--count", "0"], "--count"),
        (["playout", "--count", "-5"], "--count"),
        (["playout", "--count", str(2**30 + 1)], "--count"),
        (["playout", "--count", "many"], "--count"),
        (["playout", "--seed", "-1"], "--seed"),
        (["playout", "--seed", str(2**64)], "--seed"),
        (["playout", "--seed", "x"], "--seed"),
        (["playout", "--workers", "0"], "--workers"),
        (["playout", "--workers", "9999"], "--workers"),
        (["playout", "--workers", "2", "--dask", "localhost:8786"], "exclude"),
        (["playout", "--position", "2 komi"], "--position: SCORING: missing"),
        (["playout", "--position", "2 komi standard 0 2/3/2 b - 1", "--komi", "1"], "itself"),
        (["playout", "--position", "2 komi standard 0 2/3/2 b - 1", "--size", "2"], "itself"),
        (["bench", "3"], "3"),
        (["bench", "--sizes", "1"], "--sizes: '1' is not within 2-10"),
        (["bench", "--sizes", "2-11"], "--sizes: '2-11' is not within 2-10"),
        (["bench", "--sizes", "4-3"], "--sizes: '4-3' is not within 2-10"),
        (["bench", "--sizes", ""], "--sizes: '' is no size"),
        (["bench", "--sizes", "2,,3"], "--sizes: '' is no size"),
        (["bench", "--sizes", "2-"], "--sizes: '2-' is no size"),
        (["bench", "--sizes", "2-3-4"], "--sizes: '2-3-4' is no size"),
        (["bench", "--sizes", "all"], "--sizes: 'all' is no size"),
        (["bench", "--json"], "--json"),
        (["plot"], "FILE"),
        (["plot", "run.json", "--output", "speed"], "--output: speed must end in one of .png"),
        (["plot", "run.json", "--output", "speed.jpg"], "--output: speed.jpg must end in one of"),
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


READY = """
import sys
from catena import cli
print("ready", flush=True)
sys.exit(cli.run())
"""


def interrupt(*arguments: str) -> tuple[int, str, str]:
    """Start a command line, send it Ctrl-C after a second, and return how it ends."""
    end = children.interrupt(READY, *arguments, after=1.0)
    return end.status, end.out, end.err


@posix
@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
@pytest.mark.parametrize("as_json", [False, True])
def test_ctrl_c(as_json: bool, workers: list[str]) -> None:
    # More sequences than anybody can wait for; the first depths are done at once.
    arguments = ["perft", "--size", "6", "--depth", "12", *["--json"] * as_json]
    status, out, err = interrupt(*arguments, *workers)
    assert (status, err) == (130, "catena: interrupted\n")
    if as_json:
        assert out == ""
    else:
        assert [row[2] for row in rows(out)][:3] == ["92", "8,372", "752,580"]


@posix
@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_ctrl_c_of_playouts(workers: list[str]) -> None:
    count = str(2**28)
    assert interrupt("playout", "--count", count, *workers) == (130, "", "catena: interrupted\n")


@pytest.mark.parametrize("library", ["typer", "rich"])
def test_without_the_libraries_of_the_command_line(library: str) -> None:
    code = (
        f"import sys; sys.modules[{library!r}] = None; "
        "from catena.__main__ import main; sys.exit(main())"
    )
    status, out, err = finish(start(sys.executable, "-c", code, "bench"))
    assert (status, out) == (2, "")
    assert err == (f"catena: the command line needs {library}: pip install 'catena-engine[cli]'\n")


@pytest.mark.parametrize(
    ("library", "extra", "arguments", "user"),
    [
        ("matplotlib", "plot", "plot FILE", "plot"),
        ("distributed", "dask", "perft --dask localhost:8786", "--dask"),
        ("dask", "dask", "playout --dask localhost:8786", "--dask"),
    ],
)
def test_without_the_library_of_an_extra(
    tmp_path: Path, library: str, extra: str, arguments: str, user: str
) -> None:
    if library == "dask":
        pytest.importorskip("distributed", reason="else that is what is missing first")
    words = arguments.replace("FILE", write_run(tmp_path / "run.json")).split()
    code = (
        f"import sys; sys.modules[{library!r}] = None; from catena import cli; sys.exit(cli.run())"
    )
    status, out, err = finish(start(sys.executable, "-c", code, *words))
    assert (status, out) == (2, "")
    assert err == f"catena: {user} needs {library}: pip install 'catena-engine[{extra}]'\n"


# --- a Dask cluster -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Starts a scheduler and two worker processes here; gives the scheduler's address."""
    pytest.importorskip("distributed", reason="needs the extra dask")
    folder = tmp_path_factory.mktemp("dask")
    told = folder / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    commands = [
        [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"],
        [
            *dask,
            "worker",
            "--host",
            "127.0.0.1",
            "--nworkers",
            "2",
            "--nthreads",
            "1",
            "--no-dashboard",
        ],
    ]
    with (folder / "log").open("w") as log:
        processes = [
            subprocess.Popen(
                [*command, "--scheduler-file", str(told)],
                cwd=folder,
                env=children.HERE_TOO,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            for command in commands
        ]
    try:
        end = time.monotonic() + 60
        while not told.exists() and time.monotonic() < end:
            time.sleep(0.1)
        yield json.loads(told.read_text())["address"]
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(timeout=60)


def with_dask(*lines: list[str], before: str = "pass") -> tuple[list[int], str, str]:
    """Run command lines in a process of their own, since Dask leaves threads and settings behind.

    Returns the exit codes, the output and the errors of all.  One process, as Dask loads slowly.
    """
    code = (
        f"import json, sys; from catena import cli, counting; {before}; "
        "print(json.dumps([cli.run(line) for line in json.loads(sys.argv[1])]))"
    )
    status, out, err = finish(start(sys.executable, "-c", code, json.dumps(lines)))
    assert status == 0, err
    out, codes = out[: out.rindex("[")], out[out.rindex("[") :]
    return json.loads(codes), out, err


def test_a_cluster_gives_the_same(run: Run, cluster: str) -> None:
    perft = ["perft", "--size", "4", "--depth", "5", "--json"]
    playout = ["playout", "--size", "3", "--count", "20000", "--json"]
    codes, out, err = with_dask(
        [*perft, "--dask", cluster],
        [*playout, "--dask", cluster],
        before="counting.LONGEST_JOB = counting.JOB_SECONDS = 0.005",
    )
    assert (codes, err) == ([0, 0], "")
    first, end = json.JSONDecoder().raw_decode(out)
    known = [int(count) for count in COUNTS["perft"]["4"]]
    assert [count["nodes"] for count in first["runs"][0]["counts"]] == known[1:6]
    far, here = json.loads(out[end:]), json.loads(run(*playout)[1])
    for result in far, here:
        del result["seconds"], result["per_second"]
    assert far == here


def test_a_failure_on_the_cluster_is_one_line(cluster: str) -> None:
    broken = "cli.playouts = lambda *_, executor, **__: executor.submit(int, 'x').result()"
    codes, out, err = with_dask(["playout", "--dask", cluster], before=broken)
    assert (codes, out) == ([2], "")
    assert err.startswith("catena: the cluster failed: ValueError: invalid literal")
    assert err.count("\n") == 1


def test_a_cluster_that_is_not_there() -> None:
    pytest.importorskip("distributed", reason="needs the extra dask")
    messages = {
        "nowhere": "missing port",
        "": "missing port",
        "carrier://pigeon:3": "'carrier'",
        "127.0.0.1:x": "invalid literal",
        "127.0.0.1:9": "Timed out",
    }
    lines = [["perft", "--dask", address] for address in messages]
    codes, out, err = with_dask(*lines, before="cli.DASK_TIMEOUT = 1")
    assert (codes, out) == ([2] * len(messages), "")
    for line, message in zip(err.splitlines(), messages.values(), strict=True):
        assert line.startswith("catena: Invalid value for --dask: ")
        assert message in line
