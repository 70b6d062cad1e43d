"""The signature: pinned here and in the changelog, the same with all hot loops, as documented."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path

import children
import pytest
import walks

import catena
from catena.signature import signature, signature_lines

HERE = Path(__file__).parent
COUNTS = json.loads((HERE / "data" / "counts.json").read_text(encoding="utf-8"))

# A change here is one that users must know of: rules, numbering of moves, or playouts.
PINNED = 0x59AFE6A537C5C031


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return list(signature_lines())


def test_pinned() -> None:
    assert signature() == PINNED


def test_the_changelog_tells_it() -> None:
    text = (HERE.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    told = re.findall(r"`([0-9a-f]{16})`", text)
    assert told, "no signature in the changelog"
    assert int(told[0], 16) == PINNED  # the newest comes first


@pytest.mark.parametrize("baseline", ["", "1"])
def test_the_same_with_all_hot_loops(baseline: str) -> None:
    code = (
        "import catena; from catena.signature import signature; "
        "print(catena.build_info()['loops'], signature())"
    )
    out = subprocess.run(
        [sys.executable, "-c", code],
        env={**children.HERE_TOO, "CATENA_BASELINE": baseline},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    loops, number = out.split()
    assert int(number) == PINNED
    native = catena.build_info()["native"]
    assert loops in (("native",) if native else ("baseline",) if baseline else ("baseline", "bmi2"))


def test_the_hash(lines: list[str]) -> None:
    text = b"".join(line.encode("ascii") + b"\n" for line in lines)
    assert blake2b(text, digest_size=8).digest() == PINNED.to_bytes(8, "big")


def test_it_holds_known_counts(lines: list[str]) -> None:
    counts = [line.split() for line in lines if line.startswith("perft ")]
    assert len(counts) == 9 * 4  # sizes; three games and the naming of the komi
    found = {words[1]: words for words in counts if words[2] == "komi" and words[4] == "0"}
    for size, known in COUNTS["perft"].items():
        depth, count = found[size][-2:]
        assert count == known[int(depth)]


def test_it_holds_playouts_of_each_size_game_and_scoring(lines: list[str]) -> None:
    positions = set()
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind != "playouts":
            continue
        position, _, games = rest.partition(": ")
        positions.add(position)
        seed, first, *others = games.split()
        board = catena.Board.from_position(position)
        assert len(others) + 1 == (1000 if board.size == 6 else 100)
        # The first game once more, move by move.
        final = board.playout(int(seed))
        black, white = final.scores
        margin = round(2 * (black - white))
        if board.scoring == "longest":
            margin = {catena.BLACK: 1, catena.WHITE: -1, None: 0}[final.winner]
        assert first == f"{margin}/{final.ply}"
    assert positions == {board.position for board in walks.starts(range(2, 11))}
