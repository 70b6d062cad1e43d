"""Random playouts: a twin of the generator on the reference, exact chances, bad input."""

from __future__ import annotations

import json
import math
import os
import pickle
import random
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.util import find_spec
from itertools import pairwise

import children
import numpy as np
import pytest
import walks
from reference import BLACK, EMPTY, WHITE, Position, Snapshot

import catena
from catena._core import run_playouts

FAST_BUILD = not catena.build_info()["debug"]
# Games of a chance test; the chi-square of fewer sees less.
SAMPLES = 200_000 if FAST_BUILD else 20_000


# --- A twin of the generator ----------------------------------------------------------------------

WORD = 2**64 - 1


def mixed(x: int) -> int:
    """The finaliser of splitmix64."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def splitmix64(start: int) -> Iterator[int]:
    while True:
        start = start + 0x9E3779B97F4A7C15 & WORD
        yield mixed(start)


def turned_left(x: int, by: int) -> int:
    return (x << by | x >> 64 - by) & WORD


def xoshiro256starstar(state: list[int]) -> Iterator[int]:
    a, b, c, d = state
    while True:
        yield turned_left(b * 5 & WORD, 7) * 9 & WORD
        shifted = b << 17 & WORD
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = turned_left(d, 45)


class Chooser:
    """The choices of one playout."""

    def __init__(self, seed: int, index: int) -> None:
        seeds = splitmix64(mixed(mixed(seed) + index & WORD))
        self.outputs = xoshiro256starstar([next(seeds) for _ in range(4)])
        self.rejected = 0

    def below(self, n: int) -> int:
        """A number from 0 to n - 1: a draw is refused if one of n equal shares would be larger."""
        while True:
            product = (next(self.outputs) >> 32) * n
            if product % 2**32 >= 2**32 % n:
                return product >> 32
            self.rejected += 1


def test_the_twin_against_published_outputs() -> None:
    """The first outputs that the authors' programs and other libraries' tests give."""
    numbers = splitmix64(1234567)
    assert [next(numbers) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    numbers = xoshiro256starstar([1, 2, 3, 4])
    assert [next(numbers) for _ in range(10)] == [
        11520,
        0,
        1509978240,
        1215971899390074240,
        1216172134540287360,
        607988272756665600,
        16172922978634559625,
        8476171486693032832,
        10595114339597558777,
        2904607092377533576,
    ]


# --- Games of the twin ----------------------------------------------------------------------------


def play_on(game: Position | catena.Board, seed: int, index: int) -> Chooser:
    """Make the moves of a playout on a game: each time legal move number k, k from the chooser."""
    chooser = Chooser(seed, index)
    while moves := game.legal_moves():
        game.push(moves[chooser.below(len(moves))])
    return chooser


def margin_of(game: Position | catena.Board) -> int:
    """Black minus White in half points; with longest scoring who won."""
    if game.scoring == "longest":
        return {BLACK: 1, WHITE: -1, None: 0}[game.winner]
    black, white = game.scores
    assert (2 * (black - white)).is_integer()
    return int(2 * (black - white))


def result_of(game: Position | catena.Board, plies_before: int) -> tuple[int, int, int]:
    assert game.is_over
    return margin_of(game), game.winner or EMPTY, game.ply - plies_before


def results(board: catena.Board, count: int, seed: int) -> list[tuple[int, int, int]]:
    """What ``playouts`` tells of each game: margin, winner, plies."""
    found = catena.playouts(board, count, seed=seed)
    return list(
        zip(found.margin.tolist(), found.winner.tolist(), found.plies.tolist(), strict=True)
    )


def stages(slow: Position, rng: random.Random, parts: tuple[float, ...]) -> Iterator[Position]:
    """Positions of a random game at the given parts of its length; its two last ones as well."""
    game = slow.copy()
    never_the_button = rng.random() < 1 / 2
    while moves := game.legal_moves():
        if never_the_button and len(moves) > 1 and moves[-1] == game.num_cells:
            moves.pop()
        game.push(rng.choice(moves))
    plies = {int(part * game.ply) for part in parts} | {max(game.ply - 2, 0), game.ply - 1}
    for ply in sorted(plies):
        early = slow.copy()
        for move in game.history[:ply]:
            early.push(move)
        yield early


def events(history: list[int], start: Position) -> Counter[str]:
    """What happens in a game that has corners to it."""
    seen: Counter[str] = Counter()
    game = start.copy()
    for move in history:
        now, legal = game._now, game.legal_moves()
        seen["strand"] += game.phase == "play" and len(legal) < game.open_count
        game.push(move)
        after = game._now
        for lint in after.claims.keys() - now.claims.keys():
            placed = now.stones | (
                {} if move >= game.num_cells else {walks.places(game.size)[move]: now.turn}
            )
            black = sum(placed[cell] == BLACK for cell in lint)
            if 2 * black == len(lint):
                bound = after.is_bound(lint)
                seen["tie of a bound lint" if bound else "tie at the end"] += 1
                # Shut in from outside, or by a stone of its own.
                seen["tie of a lint shut in"] += lint in now.lints
            seen["claim at the end"] += not after.is_bound(lint)
        seen["claims at once"] += len(after.claims.keys() - now.claims.keys()) > 1
        seen["button taken"] += move == game.num_cells
    if game.game != "double" and game.num_cells not in history and start.button is None:
        seen["button awarded"] += 1
    seen["a cell open at the end"] += game.open_count > 0
    seen["black won"] += game.winner == BLACK
    seen["white won"] += game.winner == WHITE
    return seen


def set_ups(sizes: tuple[int, ...]) -> list[catena.Board]:
    """New boards; the komi games with a komi, without one and with its naming."""
    boards = walks.starts(sizes)
    return boards + [
        catena.Board(size, scoring=scoring, komi=komi)
        for size in sizes
        for scoring, komi in (("standard", 3), ("longest", 2), ("squares", 17))
    ]


def twin_of(board: catena.Board) -> Position:
    return Position(board.size, game=board.game, scoring=board.scoring, komi=board.komi)


# Games by size for each set-up: whole games, and games from each position of a random game.
REPLAYED = {2: (20, 10), 3: (6, 4), 4: (3, 2), 6: (1, 1), 8: (1, 1)}


@pytest.mark.parametrize("board", set_ups((2, 3, 4, 6)), ids=walks.setup_of)
def test_games_replayed_by_the_reference(board: catena.Board) -> None:
    compare_with_the_reference(board)


@pytest.mark.slow
@pytest.mark.parametrize("board", set_ups((8,)), ids=walks.setup_of)
def test_large_games_replayed_by_the_reference(board: catena.Board) -> None:
    compare_with_the_reference(board)


def compare_with_the_reference(board: catena.Board) -> None:
    whole, partial = REPLAYED[board.size]
    rng = random.Random(board.position)
    slow = twin_of(board)
    compare_games(slow, board, rng.getrandbits(64), whole)
    for early in stages(slow, rng, (0.1, 0.3, 0.5, 0.7, 0.85) if board.size < 6 else (0.2, 0.6)):
        here = board.copy()
        for move in early.history:
            here.push(move)
        compare_games(early, here, rng.getrandbits(64), partial)


def compare_games(slow: Position, board: catena.Board, seed: int, count: int) -> None:
    wanted, finals = [], []
    for index in range(count):
        game = slow.copy()
        play_on(game, seed, index)
        wanted.append(result_of(game, slow.ply))
        finals.append(game)
    assert results(board, count, seed) == wanted, board.position
    from_text = catena.Board.from_position(board.position)
    # A board from text knows only its own moves, so it may number the setup moves in another way,
    # never the games.
    assert results(from_text, count, seed) == wanted, board.position
    last = board.playout(seed)
    assert last.history == finals[0].history
    assert last.position == finals[0].position
    assert last.stones().tolist() == finals[0].stones()
    assert last.lints() == finals[0].lints()
    assert (last.scores, last.winner) == (finals[0].scores, finals[0].winner)
    assert last.returns == finals[0].returns


@pytest.mark.parametrize("board", set_ups(tuple(range(2, 11))), ids=walks.setup_of)
def test_games_replayed_on_boards(board: catena.Board) -> None:
    """The twin's choices made by push, on all sizes; the reference holds Board to the rules."""
    rng = random.Random(board.position)
    seed = rng.getrandbits(64)
    wanted = []
    for index in range(12):
        game = board.copy()
        play_on(game, seed, index)
        wanted.append(result_of(game, 0))
        if index == 0:
            last = board.playout(seed)
            assert (last, last.history, last.key) == (game, game.history, game.key)
    assert results(board, 12, seed) == wanted

    for _ in walks.walk(board := board.copy(), rng):
        if rng.random() > 12 / board.num_cells:
            continue
        seed = rng.getrandbits(64)
        game = board.copy()
        play_on(game, seed, 0)
        assert results(board, 1, seed) == [result_of(game, board.ply)], board.position
        assert board.playout(seed).history == game.history


def changed(slow: Position, rng: random.Random) -> Position:
    """The position with what a position text can say otherwise: side to move, button, colours of
    lints that are not claimed, stones due, komi; mostly one that no game reaches."""
    now = slow._now
    stones = dict(now.stones)
    for cell in stones:
        if not any(cell in lint for lint in now.claims):
            stones[cell] = rng.choice((BLACK, WHITE))
    button, due, komi = None, 1, 0
    if slow.game == "double":
        # Any number of stones may be on the board, so draws are possible.
        due = rng.choice((1, 2))
    else:
        button = rng.choice((None, BLACK, WHITE))
    if slow.game == "komi":
        komi = rng.choice((0, 1, 15))
    odd = slow.copy()
    odd._now = replace(
        now,
        stones=stones,
        turn=rng.choice((BLACK, WHITE)),
        button=button,
        stones_due=due,
        komi=komi,
    )
    return odd


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_games_from_positions_that_no_game_reaches(game: str, scoring: str) -> None:
    rng = random.Random(scoring + game)
    draws = 0
    for size, positions in ((2, 30), (3, 10), (4, 3)):
        for _ in range(positions):
            (slow, *_) = stages(Position(size, game=game, scoring=scoring), rng, (rng.random(),))
            if slow.phase != "play" or not slow.history:
                continue
            slow = changed(slow, rng)
            # A turn of two stones for which there is no room is the end, which is no such position.
            if not slow.legal_moves():
                continue
            board = catena.Board.from_position(slow.position)
            assert board.legal_moves() == slow.legal_moves()
            seed = rng.getrandbits(64)
            wanted = []
            for index in range(4):
                played = slow.copy()
                play_on(played, seed, index)
                wanted.append(result_of(played, slow.ply))
            assert results(board, 4, seed) == wanted, board.position
            draws += [winner for _, winner, _ in wanted].count(EMPTY)
    assert (draws > 0) == (game == "double")


def test_the_replayed_games_have_the_corners() -> None:
    """Comparing games proves little about ties, strands and the button if none occurs."""
    seen: Counter[str] = Counter()
    for board in set_ups((2, 3)):
        slow = twin_of(board)
        seed = random.Random(board.position).getrandbits(64)
        wanted = []
        for index in range(25 if board.size == 2 else 12):
            game = slow.copy()
            play_on(game, seed, index)
            wanted.append(result_of(game, 0))
            seen += events(game.history, slow)
        assert results(board, len(wanted), seed) == wanted
    for event in (
        "strand",
        "tie of a bound lint",
        "tie of a lint shut in",
        "tie at the end",
        "claim at the end",
        "claims at once",
        "button taken",
        "button awarded",
        "a cell open at the end",
        "black won",
        "white won",
    ):
        assert seen[event], (event, seen)


@pytest.mark.parametrize("board", walks.starts((2, 3, 5)), ids=walks.setup_of)
def test_button_held_or_free(board: catena.Board) -> None:
    """Who holds the button, or that it is free, makes its difference and no other."""
    if board.game == "double":
        return
    board = board.copy()
    rng = random.Random(board.position)
    if board.komi is None:
        board.play("komi:4 white")
    board.push(rng.randrange(board.num_cells))
    if board.phase == "colour":
        board.push("black")
    free = board.position.split()
    assert free[6] == "-"
    held = {}
    for side in "bw":
        free[6] = side
        here = catena.Board.from_position(" ".join(free))
        held[side] = results(here, 300, 5)
        game = here.copy()
        play_on(game, 5, 299)
        assert held[side][299] == result_of(game, 0)
        assert board.num_cells not in here.playout(5).history
    # With the button gone the games are the same; so are their lengths, and the margins are a
    # whole point apart.
    assert [r[2] for r in held["b"]] == [r[2] for r in held["w"]]
    if board.scoring != "longest":
        assert [r[0] for r in held["b"]] == [r[0] + 2 for r in held["w"]]


# --- The seed and the number of the game ----------------------------------------------------------


# (board, seed, index, moves to choose from) such that the very first draw must be refused: one in
# ten million, found by search.
REFUSED = [
    (catena.Board(3, scoring="squares", komi=None), 1, 2002997, 1001),
    (catena.Board(10), 1, 5939236, 272),
    (catena.Board(10, game="no-komi"), 1, 1405626, 271),
    (catena.Board(10, game="double"), 1, 1405626, 271),
]


@pytest.mark.parametrize(("board", "seed", "index", "choices"), REFUSED)
def test_a_draw_that_is_refused(board: catena.Board, seed: int, index: int, choices: int) -> None:
    assert board.legal_count == choices
    first = Chooser(seed, index)
    first.below(choices)
    assert first.rejected == 1
    game = board.copy()
    play_on(game, seed, index)
    margin, plies = run_playouts(board, seed, index, 1)
    assert (margin[0], plies[0]) == (margin_of(game), game.ply)


def as_bytes(found: catena.Playouts) -> bytes:
    return found.margin.tobytes() + found.winner.tobytes() + found.plies.tobytes()


@pytest.mark.parametrize("board", walks.starts((2, 4, 6)), ids=walks.setup_of)
def test_a_game_does_not_depend_on_the_count(board: catena.Board) -> None:
    longest = catena.playouts(board, 2500, seed=77)
    # Signals are looked at every 1,024 games.
    for count in (1, 2, 3, 255, 256, 257, 1023, 1024, 1025, 2048, 2049):
        fewer = catena.playouts(board, count, seed=77)
        assert (len(fewer), fewer.margin.shape) == (count, (count,))
        assert np.array_equal(fewer.margin, longest.margin[:count])
        assert np.array_equal(fewer.winner, longest.winner[:count])
        assert np.array_equal(fewer.plies, longest.plies[:count])


@pytest.mark.parametrize("board", walks.starts((3, 10)), ids=walks.setup_of)
def test_any_cut_gives_the_same_games(board: catena.Board) -> None:
    whole = catena.playouts(board, 2100, seed=5)
    cuts = [0, 1, 2, 10, 700, 1023, 1024, 1025, 2099, 2100]
    for first, last in pairwise(cuts):
        margin, plies = run_playouts(board, 5, first, last - first)
        assert np.array_equal(margin, whole.margin[first:last])
        assert np.array_equal(plies, whole.plies[first:last])


@pytest.mark.parametrize("first", [2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63])
def test_far_games(first: int) -> None:
    board = catena.Board(3, game="no-komi")
    margin, plies = run_playouts(board, 8, first, 3)
    for k in range(3):
        game = board.copy()
        play_on(game, 8, first + k)
        assert (margin[k], plies[k]) == (margin_of(game), game.ply)


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1])
def test_seeds_over_the_whole_range(seed: int) -> None:
    board = catena.Board(4, scoring="squares")
    wanted = []
    for index in range(3):
        game = board.copy()
        play_on(game, seed, index)
        wanted.append(result_of(game, 0))
    assert results(board, 3, seed) == wanted
    assert board.playout(seed).ply == wanted[0][2]


def test_any_kind_of_int() -> None:
    class Number:
        def __index__(self) -> int:
            return 9

    board = catena.Board(3)
    wanted = as_bytes(catena.playouts(board, 9, seed=9))
    for nine in (np.int8(9), np.int64(9), np.uint64(9), Number()):
        assert as_bytes(catena.playouts(board, nine, seed=nine)) == wanted
        assert board.playout(nine) == board.playout(9)


def test_seeds_and_numbers_give_different_games() -> None:
    """Neighbouring seeds and numbers share no games, and their results don't go together."""
    board = catena.Board(6)
    rows = np.array([catena.playouts(board, 400, seed=seed).margin for seed in range(50)])
    assert len({row.tobytes() for row in rows}) == 50
    assert len({tuple(board.playout(seed).history) for seed in range(500)}) == 500
    # Under seed s + 1 game i is not game i + 1 under seed s.
    for shift in range(1, 20):
        assert not np.array_equal(rows[0][shift:], rows[1][:-shift])
    scaled = (rows - rows.mean()) / rows.std()
    for lag in (1, 2, 3, 4):
        # A mean of products of independent numbers; its standard deviation is 1 / sqrt(n).
        by_number = scaled[:, lag:] * scaled[:, :-lag]
        by_seed = scaled[lag:] * scaled[:-lag]
        for products in (by_number, by_seed):
            assert abs(products.mean()) < 4 / math.sqrt(products.size)


# --- Every legal move as likely as the others -----------------------------------------------------

Chances = dict[Hashable, Fraction]


def strangeness(counts: Mapping[Hashable, int], chances: Mapping[Hashable, Fraction]) -> float:
    """How far counts are from chances: the chi-square as a number of standard deviations.

    Rare outcomes are taken together until 10 are expected of them. The cube root of a chi-square
    over its degrees of freedom is close to normal (Wilson and Hilferty, 1931).
    """
    assert sum(chances.values()) == 1
    assert set(counts) <= set(chances)
    total = sum(counts.values())
    bins: list[tuple[float, int]] = []
    expected, count = 0.0, 0
    for outcome, chance in sorted(chances.items(), key=lambda item: item[1]):
        expected += float(total * chance)
        count += counts.get(outcome, 0)
        if expected >= 10:
            bins.append((expected, count))
            expected, count = 0.0, 0
    if expected:
        bins[-1] = bins[-1][0] + expected, bins[-1][1] + count
    freedom = len(bins) - 1
    chi_square = sum((count - expected) ** 2 / expected for expected, count in bins)
    spread = 2 / (9 * freedom)
    return float(((chi_square / freedom) ** (1 / 3) - 1 + spread) / math.sqrt(spread))


def after(text_moves: str, **set_up: object) -> tuple[catena.Board, Position]:
    """A board and its twin after some moves."""
    board, slow = catena.Board(**set_up), Position(**set_up)  # type: ignore[arg-type]
    for move in text_moves.split():
        board.push(move)
        slow.push(move)
    return board, slow


TWO_MOVES = [
    ("", {"size": 2}),
    ("", {"size": 2, "komi": None}),
    ("", {"size": 2, "scoring": "squares", "komi": None}),
    ("komi:15", {"size": 2, "komi": None}),
    ("", {"size": 2, "game": "no-komi"}),
    ("B2", {"size": 2, "game": "no-komi"}),
    ("B2 black", {"size": 2, "game": "no-komi"}),
    ("", {"size": 2, "game": "double"}),
    ("A1", {"size": 2, "game": "double"}),
    ("A1 C3", {"size": 2, "game": "double"}),
    ("button", {"size": 2}),
    ("A1", {"size": 2, "scoring": "longest"}),
    ("A1 B3 E5 D2", {"size": 3}),
    ("C3 A2 C1 E3 E5", {"size": 3, "game": "double"}),
    ("", {"size": 3}),
]


@pytest.mark.parametrize(("moves", "set_up"), TWO_MOVES)
def test_the_first_two_moves_are_uniform(moves: str, set_up: dict[str, object]) -> None:
    board, slow = after(moves, **set_up)
    chances: Chances = {}
    for first in slow.legal_moves():
        slow.push(first)
        for second in slow.legal_moves() or [None]:
            one_of = len(slow.legal_moves()) or 1
            chances[first, second] = Fraction(1, board.legal_count * one_of)
        slow.pop()
    counts: Counter[Hashable] = Counter()
    firsts: Counter[Hashable] = Counter()
    games = 30_000 if FAST_BUILD else 3_000
    for seed in range(games):
        history = board.playout(seed).history[board.ply :]
        counts[history[0], history[1] if len(history) > 1 else None] += 1
        firsts[history[0]] += 1
    assert abs(strangeness(counts, chances)) < 4
    uniform: Chances = dict.fromkeys(slow.legal_moves(), Fraction(1, board.legal_count))
    assert abs(strangeness(firsts, uniform)) < 4


@pytest.mark.parametrize("size", [2, 3])
def test_every_first_move_of_one_seed_is_uniform(size: int) -> None:
    """Over the numbers of the games rather than over seeds, by the twin."""
    moves = catena.Board(size).legal_count
    counts = Counter[Hashable](Chooser(12345, index).below(moves) for index in range(20_000))
    uniform: Chances = {move: Fraction(1, moves) for move in range(moves)}
    assert abs(strangeness(counts, uniform)) < 4


Ends = list[tuple[Snapshot, int, Fraction]]


def all_ends(slow: Position, button_weight: int = 1) -> Ends:
    """All ends of random games with the number of moves made and their chances, summed over paths.

    ``button_weight`` is for unfair games: how many times as likely as a stone the button is.
    """
    ends: Ends = []
    layer = {slow.position: (slow.copy(), Fraction(1))}
    plies = 0
    while layer:
        following: dict[str, tuple[Position, Fraction]] = {}
        for game, chance in layer.values():
            moves = game.legal_moves()
            if not moves:
                ends.append((game._now, plies, chance))
                continue
            weights = [button_weight if move == game.num_cells else 1 for move in moves]
            for move, weight in zip(moves, weights, strict=True):
                child = game.copy()
                child.push(move)
                share = chance * Fraction(weight, sum(weights))
                text = child.position
                before = following[text][1] if text in following else Fraction(0)
                following[text] = child, before + share
        layer = following
        plies += 1
    return ends


@cache
def ends_of_size_2(game: str, button_weight: int = 1) -> Ends:
    """The moves of a game depend neither on the scoring nor on the komi, so one tree serves all."""
    return all_ends(Position(2, game=game), button_weight)


def chances_of(ends: Ends, slow: Position, komis: range, plies_before: int = 0) -> Chances:
    """The chances of (margin, plies) with the scoring of ``slow`` and each komi as likely."""
    chances: Chances = {}
    game = slow.copy()
    for end, plies, chance in ends:
        for komi in komis:
            # Each komi but the first of these two scorings only moves the margin.
            if komi == komis[0] or slow.scoring == "longest":
                game._now = replace(end, komi=komi)
                margin = margin_of(game)
            else:
                margin -= 2
            outcome = margin, plies + plies_before
            chances[outcome] = chances.get(outcome, Fraction(0)) + chance / len(komis)
    return chances


def check_chances(board: catena.Board, chances: Chances, seed: int) -> None:
    """Hold many games to exact chances: the joint law of results and lengths, means, wins."""
    found = catena.playouts(board, SAMPLES, seed=seed)
    counts: Counter[Hashable] = Counter(
        zip(found.margin.tolist(), found.plies.tolist(), strict=True)
    )
    if len(chances) == 1:
        assert set(counts) == set(chances)
        return
    assert abs(strangeness(counts, chances)) < 4

    def check_mean(value: Callable[[int, int], int], sample: float) -> None:
        mean = sum(value(*outcome) * chance for outcome, chance in chances.items())
        square = sum(value(*outcome) ** 2 * chance for outcome, chance in chances.items())
        error = math.sqrt(float(square - mean**2) / SAMPLES)
        assert abs(sample - float(mean)) <= 4 * error + 1e-12

    check_mean(lambda margin, plies: margin, found.mean)
    check_mean(lambda margin, plies: plies, float(found.plies.mean()))
    check_mean(lambda margin, plies: margin > 0, found.black_wins / SAMPLES)
    check_mean(lambda margin, plies: margin < 0, found.white_wins / SAMPLES)
    check_mean(lambda margin, plies: margin == 0, found.draws / SAMPLES)


@pytest.mark.parametrize("board", set_ups((2,)), ids=walks.setup_of)
def test_results_against_all_games_of_size_2(board: catena.Board) -> None:
    slow = twin_of(board)
    ends = ends_of_size_2(board.game)
    if board.komi is None:
        komis = range(1001 if board.scoring == "squares" else 16)
        check_chances(board, chances_of(ends, slow, komis, 2), 1)
    else:
        check_chances(board, chances_of(ends, slow, range(board.komi, board.komi + 1)), 1)


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_results_against_all_ends_of_late_positions(game: str, scoring: str) -> None:
    rng = random.Random(game + scoring)
    for size in (3, 4, 5):
        slow = Position(size, game=game, scoring=scoring)
        board = catena.Board(size, game=game, scoring=scoring)
        for _ in walks.walk(board, rng):
            pass
        while board.is_over or board.legal_count <= 4:
            board.pop()
        for move in board.history:
            slow.push(move)
        check_chances(board, chances_of(all_ends(slow), slow, range(1)), rng.getrandbits(64))


@pytest.mark.parametrize("game", ["komi", "no-komi"])
def test_an_unfair_button_would_be_seen(game: str) -> None:
    """The test above has to tell games in which the button is chosen as a stone is from others."""
    board = catena.Board(2, game=game)
    found = catena.playouts(board, SAMPLES, seed=1)
    counts: Counter[Hashable] = Counter(
        zip(found.margin.tolist(), found.plies.tolist(), strict=True)
    )
    slow = twin_of(board)
    unfair = chances_of(ends_of_size_2(game, button_weight=2), slow, range(1))
    assert strangeness(counts, unfair) > 10


def test_the_colours_do_not_touch_the_result() -> None:
    """The choice of colours is a move, and who sits where changes nothing of Black and White."""
    board = catena.Board(4, komi=None)
    seats = Counter(board.playout(seed).black_seat for seed in range(2000))
    assert abs(seats[0] - 1000) < 4 * math.sqrt(2000) / 2
    board.play("komi:6")
    chosen = []
    for colour in ("black", "white"):
        here = board.copy()
        here.push(colour)
        chosen.append(as_bytes(catena.playouts(here, 500, seed=2)))
    assert chosen[0] == chosen[1]


# --- Finished boards ------------------------------------------------------------------------------


@pytest.mark.parametrize("board", walks.starts((2, 3, 4, 10)), ids=walks.setup_of)
def test_a_finished_board_has_its_own_result(board: catena.Board) -> None:
    rng = random.Random(board.position)
    for _ in range(6):
        game = board.copy()
        for _ in walks.walk(game, rng):
            pass
        before = walks.snapshot(game)
        for finished in (game, catena.Board.from_position(game.position)):
            assert (
                results(finished, 3, rng.getrandbits(64))
                == [(margin_of(game), game.winner or EMPTY, 0)] * 3
            )
        last = game.playout(rng.getrandbits(64))
        assert walks.snapshot(last) == walks.snapshot(game) == before
        assert last is not game


def test_a_double_game_that_ends_with_a_cell_open() -> None:
    """Its open cell is no move, and its lints are claimed although one could grow."""
    rng = random.Random(4)
    met = 0
    for _ in range(200):
        slow = Position(3, game="double")
        while moves := slow.legal_moves():
            slow.push(rng.choice(moves))
        if not slow.open_count:
            continue
        met += 1
        board = catena.Board(3, game="double")
        for move in slow.history:
            board.push(move)
        assert results(board, 2, met) == [(margin_of(slow), slow.winner or EMPTY, 0)] * 2
        if met == 5:
            return
    pytest.fail("too few such games")


@pytest.mark.parametrize("board", walks.starts((2, 5)), ids=walks.setup_of)
def test_one_move_before_the_end(board: catena.Board) -> None:
    """The one or more last moves are all that varies."""
    rng = random.Random(board.position)
    game = board.copy()
    for _ in walks.walk(game, rng):
        pass
    game.pop()
    outcomes = set()
    slow = twin_of(board)
    for move in game.history:
        slow.push(move)
    for end, plies, _ in all_ends(slow):
        slow._now = end
        outcomes.add((margin_of(slow), slow.winner or EMPTY, plies))
    assert set(results(game, 500, 3)) == outcomes


# --- The board is left alone ----------------------------------------------------------------------


@pytest.mark.parametrize("board", walks.starts((6,)), ids=walks.setup_of)
def test_the_board_is_left_as_it_was(board: catena.Board) -> None:
    board = board.copy()
    for _ in walks.walk(board, random.Random(1), 20):
        pass
    before = walks.snapshot(board)
    catena.playouts(board, 50, seed=1)
    last = board.playout(1)
    assert walks.snapshot(board) == before
    assert last.history[: board.ply] == board.history
    assert last.ply == len(last.history) > board.ply
    while last.ply > board.ply:
        last.pop()
    assert walks.snapshot(last) == before


def test_two_threads_on_one_board() -> None:
    board = catena.Board(7)
    wanted = as_bytes(catena.playouts(board, 3000, seed=1))
    found = {}

    def play(name: int) -> None:
        found[name] = as_bytes(catena.playouts(board, 3000, seed=1))

    threads = [threading.Thread(target=play, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(3), wanted)


def test_other_threads_run_meanwhile() -> None:
    """Without the GIL given back this thread would stand still until the games are done."""
    board = catena.Board(10)
    done = threading.Event()

    def play() -> None:
        catena.playouts(board, 40_000 if FAST_BUILD else 4_000, seed=1)
        done.set()

    begin = last = time.monotonic()
    longest = 0.0
    thread = threading.Thread(target=play)
    thread.start()
    while not done.is_set():
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    thread.join()
    assert longest < (time.monotonic() - begin) / 2


# --- What the result tells ------------------------------------------------------------------------


@pytest.mark.parametrize("board", set_ups((3, 6)), ids=walks.setup_of)
def test_arrays_and_summaries(board: catena.Board) -> None:
    found = catena.playouts(board, 500, seed=3)
    assert isinstance(found, catena.Playouts)
    for array, dtype in (
        (found.margin, np.int32),
        (found.winner, np.int8),
        (found.plies, np.int16),
    ):
        assert isinstance(array, np.ndarray)
        assert (array.dtype, array.shape) == (np.dtype(dtype), (500,))
        assert array.flags.c_contiguous
    margins = found.margin.tolist()
    winners = [BLACK if m > 0 else WHITE if m < 0 else EMPTY for m in margins]
    assert found.winner.tolist() == winners
    assert len(found) == 500
    assert found.black_wins == winners.count(BLACK)
    assert found.white_wins == winners.count(WHITE)
    assert found.draws == winners.count(EMPTY)
    assert 0 < found.black_wins < 500
    assert found.mean == pytest.approx(statistics.fmean(margins), rel=1e-12, abs=1e-12)
    error = statistics.stdev(margins) / math.sqrt(500)
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    for number in (found.black_wins, found.white_wins, found.draws):
        assert type(number) is int
    for number in (found.mean, found.standard_error):
        assert type(number) is float
    text = repr(found)
    for part in ("500 games", f"black {found.black_wins}", f"white {found.white_wins}"):
        assert part in text
    assert f"draws {found.draws}" in text
    assert f"{found.mean:.2f} half points" in text

    if board.scoring == "longest":
        assert set(margins) <= {-1, 0, 1}
    else:  # a button, or none in the double game
        assert {m % 2 for m in margins} == {0 if board.game == "double" else 1}
    if board.game != "double":
        assert found.draws == 0


def test_the_summary_by_hand() -> None:
    found = catena.Playouts(
        np.array([3, -1, 0, 7, 1], np.int32), np.array([4, 5, 6, 5, 5], np.int16)
    )
    assert found.winner.tolist() == [BLACK, WHITE, EMPTY, BLACK, BLACK]
    assert (len(found), found.black_wins, found.white_wins, found.draws) == (5, 3, 1, 1)
    # Deviations from the mean 2: 1, -3, -2, 5, -1, squares 40, over 4 is 10, over 5 is 2.
    assert found.mean == 2.0
    assert found.standard_error == pytest.approx(math.sqrt(2))


def test_one_game() -> None:
    found = catena.playouts(catena.Board(4), 1, seed=3)
    assert len(found) == 1
    assert found.mean == found.margin[0]
    assert math.isnan(found.standard_error)
    assert found.black_wins + found.white_wins == 1
    assert "1 games" in repr(found)


def test_results_pickle() -> None:
    found = catena.playouts(catena.Board(3), 20, seed=3)
    assert as_bytes(pickle.loads(pickle.dumps(found))) == as_bytes(found)


def test_widest_margin() -> None:
    """Squares of a large board with the highest komi need more than 16 bits."""
    board = catena.Board(10, scoring="squares", komi=1000)
    found = catena.playouts(board, 200, seed=1)
    plain = catena.playouts(catena.Board(10, scoring="squares"), 200, seed=1)
    assert (found.margin == plain.margin - 2000).all()


# --- Bad input ------------------------------------------------------------------------------------


def refuse(games: int) -> None:
    pytest.fail(f"{games} games were played")


WAYS = pytest.mark.parametrize("way", [{}, {"finished": refuse}], ids=["plain", "finished"])


@WAYS
@pytest.mark.parametrize("count", [0, -1, -5, -(2**31), -(2**63), -(2**70), 2**30 + 1])
def test_a_count_out_of_range(count: int, way: dict[str, object]) -> None:
    board = catena.Board(2)
    before = walks.snapshot(board)
    with pytest.raises(ValueError, match=rf"count .*{count}"):
        catena.playouts(board, count, seed=1, **way)  # type: ignore[arg-type]
    assert walks.snapshot(board) == before


@pytest.mark.parametrize("count", [2**31, 2**32, 2**32 + 1, 2**63, 2**64 + 1, 2**70])
def test_a_count_beyond_the_machine_word(count: int) -> None:
    with pytest.raises(ValueError, match="count"):
        catena.playouts(catena.Board(2), count, seed=1)


@WAYS
@pytest.mark.parametrize("count", [True, False, "3", 3.0, math.nan, None, b"3", [3], 3j])
def test_a_count_that_is_no_int(count: object, way: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        catena.playouts(catena.Board(2), count, seed=1, **way)  # type: ignore[arg-type]


@WAYS
@pytest.mark.parametrize("seed", [-1, -(2**63), 2**64, 2**64 + 1, 2**200])
def test_a_seed_outside_64_bits(seed: int, way: dict[str, object]) -> None:
    board = catena.Board(2)
    with pytest.raises(ValueError, match=rf"seed .*{seed}"):
        catena.playouts(board, 3, seed=seed, **way)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=rf"seed .*{seed}"):
        board.playout(seed)
    assert board == catena.Board(2)


@WAYS
@pytest.mark.parametrize("seed", [True, False, "3", 3.0, math.nan, None, b"3", [3]])
def test_a_seed_that_is_no_int(seed: object, way: dict[str, object]) -> None:
    board = catena.Board(2)
    with pytest.raises(TypeError, match="seed"):
        catena.playouts(board, 3, seed=seed, **way)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="seed"):
        board.playout(seed)  # type: ignore[arg-type]


@WAYS
@pytest.mark.parametrize("board", [None, 6, "6", object(), catena.Board, Position(2)])
def test_what_is_no_board(board: object, way: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        catena.playouts(board, 3, seed=1, **way)  # type: ignore[arg-type]


def test_arguments_are_named() -> None:
    board = catena.Board(2)
    with pytest.raises(TypeError):
        catena.playouts(board, 3)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        catena.playouts(board, 3, 1)  # type: ignore[misc]
    with pytest.raises(TypeError):
        board.playout()  # type: ignore[call-arg]


@pytest.mark.parametrize("first", [-1, -(2**63), 2**63 + 1, 2**64, 2**70])
def test_a_first_game_out_of_range(first: int) -> None:
    with pytest.raises(ValueError, match=rf"first .*{first}"):
        run_playouts(catena.Board(2), 1, first, 3)


@pytest.mark.parametrize("first", [True, "0", 0.0, None])
def test_a_first_game_that_is_no_int(first: object) -> None:
    with pytest.raises(TypeError, match="first"):
        run_playouts(catena.Board(2), 1, first, 3)  # type: ignore[arg-type]


def test_errors_of_the_callback_reach_the_caller() -> None:
    def finished(games: int) -> None:
        raise LookupError(games)

    with pytest.raises(LookupError):
        catena.playouts(catena.Board(10), 100_000, seed=1, finished=finished)


@pytest.mark.parametrize("count", [1, 2, 100, 30_000 if FAST_BUILD else 3_000])
def test_the_callback_counts_games(count: int) -> None:
    calls: list[int] = []
    found = catena.playouts(catena.Board(10), count, seed=1, finished=calls.append)
    assert calls == sorted(set(calls))
    assert calls[-1] == count
    assert as_bytes(found) == as_bytes(catena.playouts(catena.Board(10), count, seed=1))


# --- Both builds of the loop, Ctrl-C --------------------------------------------------------------

DIGESTS = """
import hashlib, json, sys
import walks, catena
digests = {"loops": catena.build_info()["loops"]}
for board in walks.starts(range(2, 11)):
    count = 100_000 // board.num_cells // int(sys.argv[1])
    found = catena.playouts(board, count, seed=board.num_cells)
    data = found.margin.tobytes() + found.winner.tobytes() + found.plies.tobytes()
    digests[walks.setup_of(board)] = hashlib.sha256(data).hexdigest()
print(json.dumps(digests))
"""


def digests(baseline: bool) -> dict[str, str]:
    """Digests of games of every set-up, by a child that keeps the core's own loops or doesn't."""
    environment = {k: v for k, v in children.HERE_TOO.items() if k != "CATENA_BASELINE"}
    if baseline:
        environment["CATENA_BASELINE"] = "1"
    tests = os.path.dirname(os.path.abspath(__file__))
    environment["PYTHONPATH"] = environment["PYTHONPATH"] + os.pathsep + tests
    child = subprocess.run(
        [sys.executable, "-c", DIGESTS, "1" if FAST_BUILD else "20"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=200,
    )
    assert child.returncode == 0, child.stderr
    found: dict[str, str] = json.loads(child.stdout)
    return found


def test_both_code_paths_play_the_same_games() -> None:
    own, best = digests(baseline=True), digests(baseline=False)
    info = catena.build_info()
    if info["native"]:
        loops = ("native", "native")
    elif catena._core._cpu_has_bmi2() and find_spec("catena._loops_bmi2"):
        loops = ("baseline", "bmi2")
    else:
        loops = ("baseline", "baseline")
    assert (own.pop("loops"), best.pop("loops")) == loops
    assert len(own) == 9 * 12
    assert own == best


@children.needs_sigint
@pytest.mark.parametrize("how", ["", ", finished=lambda games: None"], ids=["plain", "finished"])
def test_ctrl_c_stops_long_playouts(how: str) -> None:
    end = children.interrupt(
        f"""
        import catena
        board = catena.Board(10)
        board.play("A1 B2 button C5")
        before = board.position, board.key, board.history, board.legal_moves()
        wanted = catena.playouts(board, 3, seed=1).margin.tolist()
        print("ready", flush=True)
        try:
            catena.playouts(board, 2**26, seed=1{how})
        except KeyboardInterrupt:
            after = board.position, board.key, board.history, board.legal_moves()
            again = catena.playouts(board, 3, seed=1).margin.tolist()
            print("stopped", after == before, again == wanted)
        """
    )
    assert end.out == "stopped True True\n", end.err
    assert end.seconds < 3
