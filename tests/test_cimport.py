"""A Cython package built against the installed catena gets the same answers in C."""

import random
from pathlib import Path
from types import ModuleType

import children
import pytest
import walks

import catena

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    source = Path(__file__).parent / "cimport_probe"
    module, _ = children.build_client(source, "catena_probe", tmp_path_factory.mktemp("probe"))
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
