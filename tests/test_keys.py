"""The key: incremental against recount, what it covers, no collisions, and some pinned for ever."""

from __future__ import annotations

import csv
import hashlib
import itertools
import random
from pathlib import Path

import numpy as np
import pytest
import walks

import catena

DATA = Path(__file__).parent / "data"
FAST_BUILD = not catena._core.build_info()["debug"]


@pytest.mark.parametrize("size", range(2, 11))
def test_incremental_equals_from_scratch(size: int) -> None:
    rng = random.Random(size)
    for board in walks.starts((size,)):
        keys = [board.key]
        assert board.key == board._key_from_scratch()
        for _ in walks.walk(board, rng):
            keys.append(board.key)
            assert board.key == board._key_from_scratch()
            assert 0 <= board.key < 2**64
        while board.ply:
            assert board.key == keys.pop()
            board.pop()
            assert board.key == board._key_from_scratch()


def mixed(x: int) -> int:
    """The finaliser of splitmix64."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def test_recomputed_from_its_description() -> None:
    """The constants are splitmix64's output from a seed, so any program can work out a key.

    The stones of Black take the first 271 outputs, those of White the next; the rest of a position
    is packed into one number, field by field, and mixed.
    """
    golden = 0x9E3779B97F4A7C15
    constants = [
        mixed((int.from_bytes(b"Catena") + i * golden) % 2**64) for i in range(1, 2 * 271 + 1)
    ]
    rng = random.Random(1)
    for board in walks.starts((2, 5, 6, 10)):
        for _ in walks.walk(board, rng):
            key = 0
            for cell, letter in walks.stones_of(board).items():
                key ^= constants[cell + (271 if letter == "w" else 0)]
            turn = board.position.split(" ")[5][0]
            packed = 0
            for bits, value in (
                (8, board.size),
                (2, walks.GAMES.index(board.game)),
                (2, walks.SCORINGS.index(board.scoring)),
                (12, 0 if board.komi is None else board.komi + 1),
                (2, ("komi", "colour", "play", "over").index(board.phase)),
                (2, 0 if board.phase in ("komi", "colour") else "?bw".index(turn)),
                (2, board.stones_due),
                (2, board.button or 0),
                (1, board.black_seat),
            ):
                packed = packed << bits | value
            assert board.key == key ^ mixed((packed + golden) % 2**64)


def test_a_position_read_from_text_has_the_key_of_the_one_played() -> None:
    rng = random.Random(3)
    for board in walks.starts((2, 4, 6)):
        for _ in walks.walk(board, rng):
            assert catena.Board.from_position(board.position).key == board.key


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_another_order_of_the_same_moves(game: str, scoring: str) -> None:
    """Exchange two moves of one side, or of any two plies; where the board comes out equal, so
    must the key; where it doesn't (a claim went the other way), so must the key."""
    rng = random.Random(f"{game} {scoring}")
    same = other = 0
    for _ in range(400):
        size = rng.choice((2, 3, 4, 6))
        board = catena.Board(size, game=game, scoring=scoring)
        list(walks.walk(board, rng, rng.randrange(2, 25)))
        moves = board.history
        for _ in range(6):
            mixed = moves[:]
            i, j = rng.randrange(len(mixed)), rng.randrange(len(mixed))
            mixed[i], mixed[j] = mixed[j], mixed[i]
            again = catena.Board(size, game=game, scoring=scoring)
            for move in mixed:
                if not again.is_legal(move):
                    break
                again.push(move)
            if again.ply < len(moves):
                continue
            equal = again.position == board.position
            assert (again == board) is equal
            assert (again.key == board.key) is equal
            if mixed != moves:
                same += equal
                other += not equal
    assert same > 50
    assert other > 50


def test_a_claim_changes_the_key() -> None:
    """The same placements, the tied lint of the smallest board closed by one side or the other."""
    seen: dict[str, int] = {}
    for order in itertools.permutations(range(7), 3):
        board = catena.Board(2)
        for move in order:
            if not board.is_legal(move):
                break
            board.push(move)
        seen[board.position] = board.key
    assert len(set(seen.values())) == len(seen)


def test_every_part_of_a_position_matters() -> None:
    """All combinations of the fields that go together: as many keys as texts."""
    texts = set()
    rows = walks.rows_text(3, {0: "b", 4: "w", 10: "b"})
    recoloured = walks.rows_text(3, {0: "b", 4: "b", 10: "b"})
    moved = walks.rows_text(3, {0: "b", 4: "w", 11: "b"})
    fewer = walks.rows_text(3, {0: "b", 4: "w"})
    # The same stones by number on a larger board, and by row and column.
    larger = walks.rows_text(4, {0: "b", 4: "w", 10: "b"})
    placed = walks.rows_text(4, {0: "b", 5: "w", 12: "b"})
    sheets = [(3, rows), (3, recoloured), (3, moved), (3, fewer), (4, larger), (4, placed)]
    for (size, stones), scoring, black in itertools.product(sheets, walks.SCORINGS, "12"):
        for turn, button in itertools.product("bw", "-bw"):
            for komi in ("0", "1", "15"):
                texts.add(f"{size} komi {scoring} {komi} {stones} {turn} {button} {black}")
            texts.add(f"{size} no-komi {scoring} 0 {stones} {turn} {button} {black}")
    for (size, stones), scoring in itertools.product(sheets, walks.SCORINGS):
        for turn in ("b", "w", "b1", "w1"):
            texts.add(f"{size} double {scoring} 0 {stones} {turn} - 1")
    for komi in (16, 255, 256, 257, 1000):
        texts.add(f"3 komi squares {komi} {rows} b - 1")
    for size in range(2, 11):
        for scoring in walks.SCORINGS:
            empty = walks.rows_text(size, {})
            one = walks.rows_text(size, {0: "b"})
            texts.add(f"{size} komi {scoring} ? {empty} komi - 1")
            texts |= {f"{size} komi {scoring} {komi} {empty} colour - 1" for komi in (0, 7, 15)}
            texts |= {
                f"{size} komi {scoring} {komi} {empty} b - {s}" for komi in (0, 7) for s in "12"
            }
            texts.add(f"{size} no-komi {scoring} 0 {empty} b - 1")
            texts.add(f"{size} no-komi {scoring} 0 {one} colour - 1")
            texts |= {f"{size} no-komi {scoring} 0 {one} w - {seat}" for seat in "12"}
            texts.add(f"{size} double {scoring} 0 {empty} b - 1")
    boards = {text: catena.Board.from_position(text) for text in sorted(texts)}
    assert len(boards) > 1_000
    assert all(board.position == text for text, board in boards.items())
    assert len({board.key for board in boards.values()}) == len(boards)


def test_how_the_board_came_about_does_not_matter() -> None:
    named = catena.Board(komi=None)
    named.play("komi:7 black")
    plain = catena.Board(komi=7)
    plain_other = catena.Board.from_position(plain.position)
    assert named.position.endswith(" 2"), "the second player took Black"
    named = catena.Board(komi=None)
    named.play("komi:7 white")
    assert named.key == plain.key == plain_other.key
    assert named == plain == plain_other
    popped = catena.Board(komi=7)
    popped.play("A1 B2 button")
    for _ in range(3):
        popped.pop()
    assert popped.key == plain.key


def test_single_bits_look_random() -> None:
    """Over positions one stone apart each bit of the key changes about every other time."""
    board = catena.Board(10)
    keys = []
    for cell in range(board.num_cells):
        board.push(cell)
        keys.append(board.key)
        board.pop()
    bits = np.array([[key >> bit & 1 for bit in range(64)] for key in keys])
    share = bits.mean(axis=0)
    # 271 fair coins: 0.5 with a deviation of 0.03.
    assert (abs(share - 0.5) < 0.15).all()


def distinct_positions(wanted: int) -> None:
    """Walk until so many distinct positions were seen; keys and positions must pair off."""
    rng = random.Random(6)
    keys: list[int] = []
    prints = bytearray()
    starts = walks.starts((6, 5, 10, 4, 7, 8, 9, 3))
    setups = [f"{b.size}{b.game}{b.scoring}".encode() for b in starts]
    count = 0
    while count < 1.05 * wanted:
        which = rng.randrange(len(starts))
        setup = setups[which]
        board = starts[which].copy()
        moves = board.legal_moves()
        while moves:
            # A move drawn outside walks.walk, which would be the larger part of the time.
            board.push(moves[int(rng.random() * len(moves))])
            stones = board.stones().tobytes()
            situation = f"{board.phase}{board.turn}{board.button}{board.stones_due}{board.komi}"
            situation += str(board.black_seat)
            if board.is_over:
                # The text of a finished position still tells whose turn would be next.
                situation = board.position
            print_of_it = hashlib.blake2b(stones + situation.encode() + setup, digest_size=16)
            prints += print_of_it.digest()
            keys.append(board.key)
            count += 1
            moves = board.legal_moves()
    table = np.empty((count, 3), np.uint64)
    table[:, 0] = keys
    table[:, 1:] = np.frombuffer(prints, np.uint64).reshape(-1, 2)
    table = np.unique(table, axis=0)
    assert len(table) >= wanted
    assert len(np.unique(table[:, 0])) == len(table), "two positions have one key"
    assert len(np.unique(table[:, 1:], axis=0)) == len(table), "a position has two keys"


def test_no_collision_among_many() -> None:
    distinct_positions(200_000 if FAST_BUILD else 20_000)


@pytest.mark.slow
def test_no_collision_among_a_million() -> None:
    distinct_positions(1_000_000)


def test_no_collision_among_neighbours() -> None:
    """Near positions, where a weak generator of constants shows first: all pairs of stones."""
    board = catena.Board(10)
    seen = {board.key}
    count = 1
    for first in board.legal_moves():
        board.push(first)
        seen.add(board.key)
        count += 1
        for second in board.legal_moves():
            board.push(second)
            seen.add(board.key)
            count += 1
            board.pop()
        board.pop()
    # Black on one cell and White on another is one order only, so all positions differ; so do
    # those with the button, taken first or second.
    assert len(seen) == count


def pinned() -> list[tuple[str, str]]:
    with (DATA / "keys.csv").open(encoding="utf-8", newline="") as file:
        return [(row["position"], row["key"]) for row in csv.DictReader(file)]


@pytest.mark.parametrize(("text", "key"), pinned())
def test_pinned(text: str, key: str) -> None:
    """Users store keys: one that changes is a breaking release."""
    assert f"{catena.Board.from_position(text).key:016x}" == key


def test_pinned_keys_cover_all_kinds() -> None:
    texts = [text for text, _ in pinned()]
    assert len(set(texts)) == len(texts) >= 60
    boards = [catena.Board.from_position(text) for text in texts]
    assert {b.size for b in boards} == set(range(2, 11))
    assert {(b.game, b.scoring) for b in boards} == set(walks.COMBOS)
    assert {b.phase for b in boards} == {"komi", "colour", "play", "over"}
    assert {b.stones_due for b in boards} == {1, 2}
    assert {b.black_seat for b in boards} == {0, 1}
    assert {b.button for b in boards} == {None, catena.BLACK, catena.WHITE}
