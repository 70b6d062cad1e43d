"""A Cython package built against the installed catena gets the same answers in C."""

import importlib.machinery
import importlib.util
import random
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import walks

import catena

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    pytest.importorskip("Cython", reason="the probe is compiled by Cython")
    pytest.importorskip("setuptools", "77", reason="the probe is built by setuptools")
    source = tmp_path_factory.mktemp("probe") / "source"
    shutil.copytree(Path(__file__).parent / "cimport_probe", source)
    built = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--build-lib", "lib", "--build-temp", "temp"],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
        env=walks.HERE_TOO,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = (source / "lib").glob("catena_probe*")
    loader = importlib.machinery.ExtensionFileLoader("catena_probe", str(path))
    spec = importlib.util.spec_from_file_location("catena_probe", path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_a_copied_state_says_what_the_board_says(probe: ModuleType) -> None:
    rng = random.Random(1)
    for board in walks.starts(range(2, 11)):
        for _ in walks.walk(board, rng):
            facts = probe.facts(board)
            stones = [cell for cell, stone in enumerate(board.stones().tolist()) if stone]
            assert facts == {
                "size": board.size,
                "num_cells": board.num_cells,
                "num_moves": board.num_moves,
                "key": board.key,
                "legal_count": board.legal_count,
                "legal_moves": board.legal_moves(),
                "stones": stones,
                "scores": board.scores,
                "winner": board.winner,
            }


def test_moves_pushed_in_c(probe: ModuleType) -> None:
    rng = random.Random(2)
    for start in walks.starts(range(2, 11)):
        board = start.copy()
        seen = []
        for _ in walks.walk(board, rng):
            seen.append((board.key, board.legal_count))
        assert probe.pushed(start, board.history) == seen
        assert start.ply == 0
        start._check()


def test_an_illegal_move_is_seen_in_c(probe: ModuleType) -> None:
    with pytest.raises(ValueError, match="not legal"):
        probe.pushed(catena.Board(), [3, 3])


def test_perft_in_c(probe: ModuleType) -> None:
    for board in walks.starts((2, 3, 6)):
        for depth in range(4):
            if board.legal_count**depth < 3_000_000:
                assert probe.perft(board, depth) == catena.perft(board, depth)


def test_states_started_in_c(probe: ModuleType) -> None:
    for size in (2, 6, 10):
        for game, scoring in walks.COMBOS:
            board = catena.Board(size, game=game, scoring=scoring)
            codes = walks.GAMES.index(game), walks.SCORINGS.index(scoring)
            assert probe.started(size, *codes, 0) == (board.key, board.legal_count)
    unnamed = catena.Board(6, komi=None)
    assert probe.started(6, 0, 0, -1) == (unnamed.key, unnamed.legal_count)


def test_structs_are_small(probe: ModuleType) -> None:
    state, undo, records = probe.sizes()
    assert state <= 4096
    assert all(0 < records[size] <= undo for size in records)
    assert sorted(records.values()) == list(records.values())
