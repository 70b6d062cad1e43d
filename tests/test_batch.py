"""Batch: many boards that agree with single boards on every point, and what a batch refuses."""

from __future__ import annotations

import array
import copy
import pickle
import random
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import children
import numpy as np
import pytest
import walks
from test_memory import assert_flat, needs_statm, not_sanitized
from test_playouts import Chooser

import catena
from catena._core import run_playouts

FAST_BUILD = not catena.build_info()["debug"]
PHASES = ("komi", "colour", "play", "over")


def set_ups(sizes: Sequence[int] | range) -> list[catena.Board]:
    """New boards; the komi games with a komi, without one and with its naming."""
    return walks.starts(sizes) + [
        catena.Board(size, scoring=scoring, komi=komi)
        for size in sizes
        for scoring, komi in (("standard", 3), ("longest", 15), ("squares", 1000))
    ]


def batch_of(start: catena.Board, count: int, **options: bool) -> catena.Batch:
    """A batch whose boards start like ``start``."""
    return catena.Batch(
        count,
        start.size,
        game=start.game,
        scoring=start.scoring,
        komi=start.komi,
        **options,
    )


def stages(start: catena.Board, count: int, rng: random.Random) -> list[catena.Board]:
    """Boards in different moments of random games, the start and the end among them."""
    boards = [start.copy() for _ in range(count)]
    for number, board in enumerate(boards):
        if number == 0:
            continue
        history: list[int] = list(walks.walk(board.copy(), rng))
        length = len(history)
        # Often near the end, where the rare things are.
        plies = (
            length if number == 1 else rng.choice((length - 1, length - 2, rng.randrange(length)))
        )
        for move in history[: max(plies, 0)]:
            board.push(move)
    return boards


def holding(boards: list[catena.Board], **options: bool) -> catena.Batch:
    """A batch that holds these boards; the first of them tells the set-up."""
    batch = batch_of(boards[0], len(boards), **options)
    for i, board in enumerate(boards):
        batch.set_board(i, board)
    return batch


def int32(moves: list[int]) -> np.ndarray:
    return np.array(moves, np.int32)


# --- Comparing ------------------------------------------------------------------------------------


def assert_array(found: np.ndarray, wanted: list[Any], dtype: Any) -> None:
    assert isinstance(found, np.ndarray)
    assert found.dtype == dtype
    assert found.shape == np.shape(wanted)
    assert found.tolist() == wanted


def assert_same(batch: catena.Batch, boards: list[catena.Board]) -> None:
    """All that the batch tells is what the boards tell one by one."""
    assert len(batch) == len(boards)
    for name in ("size", "game", "scoring", "num_cells", "num_moves"):
        assert getattr(batch, name) == getattr(boards[0], name)
    masks = []
    for board in boards:
        mask = [0] * board.num_moves
        for move in board.legal_moves():
            mask[move] = 1
        masks.append(mask)
    assert_array(batch.legal_mask(), masks, np.uint8)
    assert_array(batch.turn, [board.turn or catena.EMPTY for board in boards], np.int8)
    seats = [-1 if board.seat is None else board.seat for board in boards]
    assert_array(batch.seat, seats, np.int8)
    assert_array(batch.phase, [PHASES.index(board.phase) for board in boards], np.int8)
    assert_array(batch.over, [board.is_over for board in boards], np.bool_)
    assert_array(batch.scores, [list(board.scores) for board in boards], np.float64)
    assert_array(batch.returns, [list(board.returns) for board in boards], np.float64)
    assert_array(batch.key, [board.key for board in boards], np.uint64)
    assert_array(batch.legal_count, [len(board.legal_moves()) for board in boards], np.int32)
    view = batch.observe()
    assert view.dtype == np.float32
    assert (view == np.stack([board.observe() for board in boards])).all()
    for i, board in enumerate(boards):
        single = batch.board(i)
        assert single == board
        assert single.position == board.position
        assert single.num_moves == board.num_moves
        assert single.lints() == board.lints()
        assert (single.ply, single.history) == (0, [])
        single._check()


def everything(batch: catena.Batch) -> tuple[object, ...]:
    """All that must not change when a call is refused."""
    return (
        batch.key.tobytes(),
        batch.legal_mask().tobytes(),
        batch.observe().tobytes(),
        batch.scores.tobytes(),
        batch.phase.tobytes(),
        [batch.board(i).position for i in range(len(batch))],
    )


# --- Moves ----------------------------------------------------------------------------------------


class Mover:
    """Chooses moves as ``walks.walk`` does: one board in three never takes the button."""

    def __init__(self, rng: random.Random, count: int) -> None:
        self.rng = rng
        self.never = [rng.random() < 1 / 3 for _ in range(count)]

    def move(self, i: int, board: catena.Board) -> int:
        moves = board.legal_moves()
        if self.never[i] and len(moves) > 1 and moves[-1] == board.num_cells:
            moves.pop()
        return self.rng.choice(moves)

    def no_move(self) -> int:
        """What stands where no move is looked at."""
        return self.rng.choice((-1, 0, 5, 10**6, -(2**31), 2**31 - 1))


def as_mask(chosen: list[bool], rng: random.Random) -> np.ndarray:
    if rng.random() < 0.5:
        return np.array(chosen)
    return np.array([rng.choice((1, 2, 128, 255)) if one else 0 for one in chosen], np.uint8)


@pytest.mark.parametrize("start", set_ups(range(2, 11)), ids=walks.setup_of)
def test_steps_agree_with_single_boards(start: catena.Board) -> None:
    """From the start to the end of all games, all boards at once or some of them."""
    rng = random.Random(f"{start.position} {start.scoring} steps")
    count = 5 if start.size <= 5 else 3
    batch, boards = batch_of(start, count), [start.copy() for _ in range(count)]
    mover = Mover(rng, count)
    assert_same(batch, boards)
    often = 1.0 if start.size <= 3 else 15 / start.num_cells
    while not all(board.is_over for board in boards):
        chosen = [not board.is_over and rng.random() < 0.8 for board in boards]
        moves = [
            mover.move(i, board) if chosen[i] else mover.no_move() for i, board in enumerate(boards)
        ]
        batch.step(int32(moves), None if all(chosen) else as_mask(chosen, rng))
        for board, move, one in zip(boards, moves, chosen, strict=True):
            if one:
                board.push(move)
        if rng.random() < often or any(board.is_over for board in boards):
            assert_same(batch, boards)
            # At the end of large games much is the same again.
            often /= 1 if start.size <= 3 else 1.2
    assert_same(batch, boards)


@pytest.mark.parametrize("start", set_ups((2, 3, 4, 6, 10)), ids=walks.setup_of)
def test_random_steps_are_the_first_draws_of_playouts(start: catena.Board) -> None:
    rng = random.Random(f"{start.position} {start.scoring} draws")
    boards = stages(start, 6, rng)
    batch = holding(boards)
    for _ in range(4 if start.size > 4 else 12):
        seed = rng.choice((rng.getrandbits(64), rng.randrange(5), 2**64 - 1))
        batch.step_random(seed)
        for i, board in enumerate(boards):
            moves = board.legal_moves()
            if moves:
                board.push(moves[Chooser(seed, i).below(len(moves))])
        assert_same(batch, boards)


def test_a_random_step_is_the_first_move_of_board_playout() -> None:
    for start in set_ups((2, 4)):
        batch = batch_of(start, 1)
        for seed in range(5):
            batch.reset()
            batch.step_random(seed)
            (move,) = start.playout(seed).history[:1]
            board = start.copy()
            board.push(move)
            assert batch.board(0) == board


@pytest.mark.parametrize("start", set_ups((2, 5)), ids=walks.setup_of)
def test_reset(start: catena.Board) -> None:
    rng = random.Random(f"{start.position} {start.scoring} reset")
    boards = stages(start, 7, rng)
    batch = holding(boards)
    for mask in ([False] * 7, [True, False, True, False, False, True, False]):
        for form in (np.array(mask), np.array(mask, np.uint8) * 3, np.array(mask)):
            batch.reset(form)
            boards = [start.copy() if one else b for one, b in zip(mask, boards, strict=True)]
            assert_same(batch, boards)
        batch.step_random(3)
        for i, board in enumerate(boards):
            if moves := board.legal_moves():
                board.push(moves[Chooser(3, i).below(len(moves))])
    batch.reset()
    assert_same(batch, [start] * 7)


@pytest.mark.parametrize("start", set_ups((2, 3, 6)), ids=walks.setup_of)
def test_playouts(start: catena.Board) -> None:
    rng = random.Random(f"{start.position} {start.scoring} playouts")
    boards = stages(start, 5, rng)
    batch = holding(boards)
    before = everything(batch)
    for per_board, seed in ((1, 0), (7, rng.getrandbits(64)), (3, 2**64 - 1)):
        found = batch.playouts(per_board, seed=seed)
        assert found.dtype == np.int32
        assert found.shape == (5, per_board)
        for i, board in enumerate(boards):
            wanted, _ = run_playouts(board, seed, i * per_board, per_board)
            assert found[i].tolist() == wanted.tolist()
    assert everything(batch) == before


def test_playouts_of_a_finished_board_are_its_result() -> None:
    board = catena.Board(3, komi=2)
    list(walks.walk(board, random.Random(1)))
    batch = catena.Batch(2, 3, komi=2)
    batch.set_board(1, board)
    black, white = board.scores
    assert set(batch.playouts(20, seed=5)[1].tolist()) == {int(2 * (black - white))}


# --- Boards that are over -------------------------------------------------------------------------


@pytest.mark.parametrize("start", set_ups((2, 3)), ids=walks.setup_of)
def test_a_finished_board_takes_no_move(start: catena.Board) -> None:
    rng = random.Random(start.position)
    boards = stages(start, 3, rng)
    assert boards[1].is_over
    batch = holding(boards)
    before = everything(batch)
    for move in range(-1, start.num_moves + 1):
        with pytest.raises(catena.IllegalMoveError, match="board 1: over") as error:
            batch.step(int32([boards[0].legal_moves()[0], move, 0]), np.array([1, 1, 0], np.uint8))
        assert (error.value.move, error.value.reason) == (move, "over")
    assert everything(batch) == before
    batch.step(int32([boards[0].legal_moves()[0], 0, 0]), np.array([True, False, False]))
    boards[0].push(boards[0].legal_moves()[0])
    assert_same(batch, boards)
    # Random steps pass it over.
    batch.step_random(1)
    assert batch.board(1) == boards[1]


@pytest.mark.parametrize("by_chance", [False, True], ids=["step", "step_random"])
@pytest.mark.parametrize("start", set_ups((2, 3, 4)), ids=walks.setup_of)
def test_auto_reset(start: catena.Board, by_chance: bool) -> None:
    """A finished board keeps its result until the next step, which puts it back to the start."""
    rng = random.Random(f"{start.position} {start.scoring} auto {by_chance}")
    count = 4
    batch, boards = batch_of(start, count, auto_reset=True), [start.copy() for _ in range(count)]
    assert batch.auto_reset
    mover = Mover(rng, count)
    resets = 0
    while resets < 2 * count:
        chosen = [by_chance or rng.random() < 0.8 for _ in boards]
        over = [board.is_over for board in boards]
        seed = rng.getrandbits(64)
        moves = []
        for i, board in enumerate(boards):
            if over[i] or not chosen[i]:
                moves.append(mover.no_move())
            elif by_chance:
                legal = board.legal_moves()
                moves.append(legal[Chooser(seed, i).below(len(legal))])
            else:
                moves.append(mover.move(i, board))
        if by_chance:
            batch.step_random(seed)
        else:
            batch.step(int32(moves), None if all(chosen) else as_mask(chosen, rng))
        for i, move in enumerate(moves):
            if not chosen[i]:
                continue
            if over[i]:
                boards[i] = start.copy()
                resets += 1
            else:
                boards[i].push(move)
        assert_same(batch, boards)


@pytest.mark.parametrize("start", walks.starts((2, 5)), ids=walks.setup_of)
def test_masks_of_ones_for_boards_that_are_over(start: catena.Board) -> None:
    batch, plain = batch_of(start, 40, ones_when_over=True), batch_of(start, 40)
    mask, rng = batch.legal_mask(), np.random.default_rng(1)
    assert batch.ones_when_over
    assert not plain.ones_when_over
    while not plain.over.all():
        zeros = plain.legal_mask()
        moves = np.argmax(zeros * rng.random(zeros.shape), axis=1).astype(np.int32)
        playing = ~plain.over
        batch.step(moves, where=playing)
        plain.step(moves, where=playing)
        assert batch.legal_mask(mask) is mask
        assert batch.copy().legal_mask().tobytes() == mask.tobytes()
        over = plain.over
        assert (mask[over] == 1).all()
        assert (mask[~over] == plain.legal_mask()[~over]).all()
        assert not plain.legal_mask()[over].any()
        assert (batch.legal_count == plain.legal_count).all()
    with pytest.raises(catena.IllegalMoveError, match="over"):
        batch.step(moves)


def test_auto_reset_is_off_unless_asked_for() -> None:
    assert catena.Batch(1).auto_reset is False
    assert catena.Batch(1, auto_reset=False).auto_reset is False
    assert catena.Batch(1, auto_reset=True).auto_reset is True


def test_a_refused_step_resets_nothing() -> None:
    start = catena.Board(3)
    boards = stages(start, 4, random.Random(8))
    boards[3] = start.copy()
    batch = holding(boards, auto_reset=True)
    before = everything(batch)
    with pytest.raises(catena.IllegalMoveError, match="board 3: unknown-move"):
        batch.step(int32([0, 0, 0, -1]), np.array([1, 1, 0, 1], np.uint8))
    assert everything(batch) == before
    assert batch.board(1).is_over
    batch.step(int32([0, 0, 0, 1]), np.array([1, 1, 0, 1], np.uint8))
    assert batch.board(1) == start


# --- Bad moves ------------------------------------------------------------------------------------


def assert_refused(batch: catena.Batch, boards: list[catena.Board], at: int, move: int) -> str:
    """A step with a bad move on one board, good ones on those before and after it."""
    moves = [(board.legal_moves() or [0])[0] for board in boards]
    chosen = [not board.is_over for board in boards]
    moves[at], chosen[at] = move, True
    with pytest.raises(catena.IllegalMoveError) as error:
        batch.step(int32(moves), np.array(chosen))
    reason = boards[at].why_illegal(move)
    assert reason is not None
    assert (error.value.move, error.value.reason) == (move, reason)
    assert str(error.value) == f"illegal move {move} on board {at}: {reason}"
    return reason


def test_a_bad_move_anywhere_is_named_and_nothing_changes() -> None:
    seen: Counter[str] = Counter()
    rng = random.Random(16)
    for start in set_ups((2, 4)):
        boards = stages(start, 6, rng)
        batch = holding(boards)
        before = everything(batch)
        for at, board in enumerate(boards):
            moves = {-(2**31), -1, 10**6, 2**31 - 1, *range(board.num_cells + 6)}
            moves |= {board.num_moves - 1, board.num_moves, board.num_moves + 1}
            moves |= {2**8, 2**16, 2**16 + 1, -(2**16)}
            for move in sorted(moves - set(board.legal_moves())):
                seen[assert_refused(batch, boards, at, move)] += 1
        assert everything(batch) == before
        assert_same(batch, boards)
    # In a late turn of the double game some cells strand the second stone.
    for seed in range(60):
        boards = stages(catena.Board(4, game="double"), 4, random.Random(seed))
        batch = holding(boards)
        before = everything(batch)
        for at, board in enumerate(boards):
            for move in range(board.num_cells):
                if board.why_illegal(move) == "strands":
                    seen[assert_refused(batch, boards, at, move)] += 1
        assert everything(batch) == before
    reasons = ["over", "phase", "unknown-move", "button-taken", "no-button", "occupied"]
    assert set(seen) == {*reasons, "crowded", "ring", "branch", "strands"}


def test_the_first_bad_move_is_the_one_named() -> None:
    batch = catena.Batch(4)
    with pytest.raises(catena.IllegalMoveError, match=r"^illegal move 91000 on board 1: unknown"):
        batch.step(int32([0, 91_000, -5, 92]))
    with pytest.raises(catena.IllegalMoveError, match=r"^illegal move -5 on board 2: unknown"):
        batch.step(int32([0, 91_000, -5, 92]), np.array([True, False, True, True]))
    with pytest.raises(catena.IllegalMoveError, match=r"^illegal move 92 on board 3: phase"):
        batch.step(int32([0, 1, 2, 92]))
    assert_same(batch, [catena.Board()] * 4)


def test_a_bad_move_on_the_last_of_many_boards() -> None:
    batch = catena.Batch(3000, 2)
    keys = batch.key
    moves = np.zeros(3000, np.int32)
    moves[-1] = 7 + 1
    with pytest.raises(catena.IllegalMoveError, match="move 8 on board 2999: phase"):
        batch.step(moves)
    assert (batch.key == keys).all()


def test_the_error_can_be_pickled() -> None:
    with pytest.raises(catena.IllegalMoveError) as error:
        catena.Batch(1).step(int32([-1]))
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.move, again.reason) == (str(error.value), -1, "unknown-move")


# --- Boards in and out ----------------------------------------------------------------------------


def test_a_board_out_of_the_batch_is_independent() -> None:
    batch = catena.Batch(2, 4)
    board = batch.board(1)
    board.push("D4")
    assert_same(batch, [catena.Board(4)] * 2)
    batch.step(int32([0, 1]))
    assert board.position == "4 komi standard 0 4/5/6/3b3/6/5/4 w - 1"
    assert board.history == [board.num_cells // 2]


def test_a_board_put_in_is_independent() -> None:
    batch, board = catena.Batch(3, 4), catena.Board(4)
    board.play("D4 A1 button")
    batch.set_board(1, board)
    before = walks.snapshot(board)
    batch.step(int32([0, 36, 0]))
    assert walks.snapshot(board) == before
    board.pop()
    wanted = catena.Board(4)
    wanted.play("D4 A1 button G7")
    assert batch.board(1) == wanted
    batch.set_board(np.int64(2), batch.board(np.uint8(1)))
    assert batch.board(2) == wanted
    assert batch.board(0).position == "4 komi standard 0 b3/5/6/7/6/5/4 w - 1"


def test_positions_from_text_go_in() -> None:
    for text in (
        "3 no-komi longest 0 b1b/b1w1/b4/1w1b/w2 w w 2",
        "3 no-komi longest 0 3/4/2b2/4/3 colour - 1",
        "3 no-komi longest 0 3/4/5/4/3 b - 1",
    ):
        board = catena.Board.from_position(text)
        batch = catena.Batch(1, 3, game="no-komi", scoring="longest")
        batch.set_board(0, board)
        assert_same(batch, [board])


def test_another_komi_goes_in_and_a_reset_brings_back_the_own() -> None:
    batch = catena.Batch(2, 3, komi=7)
    batch.set_board(1, catena.Board(3, komi=2))
    assert_same(batch, [catena.Board(3, komi=7), catena.Board(3, komi=2)])
    batch.reset()
    assert_same(batch, [catena.Board(3, komi=7)] * 2)


OTHER_SET_UPS = [
    ({}, {"size": 4}),
    ({}, {"game": "no-komi"}),
    ({}, {"game": "double"}),
    ({}, {"scoring": "longest"}),
    ({"scoring": "longest"}, {"scoring": "squares"}),
    ({}, {"komi": None}),
    ({"komi": None}, {}),
    ({"scoring": "squares", "komi": None}, {"komi": None}),
]


@pytest.mark.parametrize(("own", "other"), OTHER_SET_UPS)
def test_a_board_of_another_set_up_is_refused(own: dict[str, Any], other: dict[str, Any]) -> None:
    batch = catena.Batch(2, **({"size": 3} | own))
    board = catena.Board(**({"size": 3} | other))
    before = everything(batch)
    with pytest.raises(ValueError, match=rf"{board.num_moves} moves\b.*\b{batch.num_moves} moves"):
        batch.set_board(0, board)
    assert everything(batch) == before


def test_a_text_in_play_is_no_board_of_a_batch_that_names_the_komi() -> None:
    """It lacks the moves that name the komi, so its mask would be too short."""
    batch = catena.Batch(1, 3, komi=None)
    board = catena.Board(3, komi=None)
    board.play("komi:3 black")
    batch.set_board(0, board)
    assert_same(batch, [board])
    with pytest.raises(ValueError, match=r"22 moves\b.*\b38 moves"):
        catena.Batch(1, 3, komi=None).set_board(0, catena.Board.from_position(board.position))


@pytest.mark.parametrize("board", [None, 3, "D4", object(), catena.Board, catena.Batch(1)])
def test_what_is_no_board(board: Any) -> None:
    with pytest.raises(TypeError):
        catena.Batch(2).set_board(0, board)


@pytest.mark.parametrize("i", [-1, 3, 4, -3, 2**31, 2**32, 2**63, 2**64, -(2**64), 2**64 + 1])
def test_boards_that_are_not_there(i: int) -> None:
    batch = catena.Batch(3, 3)
    with pytest.raises(IndexError, match=f"0 to 2, got {i}$"):
        batch.board(i)
    with pytest.raises(IndexError, match=f"0 to 2, got {i}$"):
        batch.set_board(i, catena.Board(3))
    assert_same(batch, [catena.Board(3)] * 3)


@pytest.mark.parametrize("i", [True, None, 1.0, float("nan"), "1", [1], slice(1)])
def test_indices_of_other_types(i: Any) -> None:
    batch = catena.Batch(3, 3)
    with pytest.raises(TypeError):
        batch.board(i)
    with pytest.raises(TypeError):
        batch.set_board(i, catena.Board(3))


COPIES: dict[str, Callable[[catena.Batch], catena.Batch]] = {
    "copy": lambda batch: batch.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("start", set_ups((3,)), ids=walks.setup_of)
def test_copies(start: catena.Board, way: str) -> None:
    boards = stages(start, 4, random.Random(2))
    for auto_reset in (False, True):
        batch = holding(boards, auto_reset=auto_reset)
        twin = COPIES[way](batch)
        assert twin is not batch
        assert twin.auto_reset is auto_reset
        assert twin.ones_when_over is False
        assert_same(twin, boards)
        twin.step_random(4)
        assert_same(batch, boards)
        moved = everything(twin)
        batch.reset()
        assert everything(twin) == moved
        # It starts where the first one started.
        twin.reset()
        assert_same(twin, [start] * 4)


def test_a_copy_outlives_its_source() -> None:
    batch = catena.Batch(50, 7)
    batch.step_random(1)
    twin, before = batch.copy(), everything(batch)
    del batch
    for _ in range(20):
        catena.Batch(50, 7).step_random(2)
    assert everything(twin) == before


# --- Arrays of the caller -------------------------------------------------------------------------


def test_out_is_filled_whole_and_given_back() -> None:
    for start in set_ups((2, 4)):
        boards = stages(start, 3, random.Random(6))
        batch = holding(boards)
        for method, dtype, poison in (
            (batch.legal_mask, np.uint8, 77),
            (batch.observe, np.float32, np.nan),
        ):
            wanted = method()
            rim = np.full(wanted.size + 2, poison, dtype)
            out = rim[1:-1].reshape(wanted.shape)
            assert method(out) is out
            assert method(out=out) is out
            assert (out == wanted).all()
            assert rim[[0, -1]].tobytes() == np.full(2, poison, dtype).tobytes()
            # Without a buffer each call gives an array of its own.
            assert not np.shares_memory(method(), method())


def test_strides_of_an_axis_of_one_board_do_not_matter() -> None:
    batch = catena.Batch(1, 3)
    masks = np.full((2, batch.num_moves), 9, np.uint8)
    assert (batch.legal_mask(masks[::2]) == batch.legal_mask()).all()
    assert (masks[1] == 9).all()
    batch.step(np.array([4, 500], np.int32)[::2])
    assert batch.board(0).stones()[4] == catena.BLACK


def test_buffers_that_are_no_arrays_of_numpy() -> None:
    batch = catena.Batch(3, 2)
    batch.step(array.array("i", [0, 1, 2]))
    batch.step(memoryview(int32([6, 6, 7])), b"\1\1\1")
    batch.reset(bytearray([0, 0, 1]))
    boards = [catena.Board(2) for _ in range(3)]
    boards[0].play("A1 C3")
    boards[1].play("A2 C3")
    assert_same(batch, boards)
    moves = int32([3, 3, 3])
    moves.flags.writeable = False
    mask = np.zeros(3, bool)
    mask.flags.writeable = False
    batch.step(moves, mask)
    batch.reset(mask)
    assert_same(batch, boards)


def test_every_buffer_is_released() -> None:
    """A bytearray can't be resized while somebody holds its buffer."""
    batch = catena.Batch(4, 2)
    raw = {
        "moves": bytearray(int32([0, 1, 2, 3]).tobytes()),
        "bad": bytearray(int32([-1, 1, 2, 3]).tobytes()),
        "where": bytearray(b"\0\1\0\1"),
        "mask": bytearray(4 * batch.num_moves),
        "planes": bytearray(batch.observe().nbytes),
    }
    moves, bad = (memoryview(raw[name]).cast("i") for name in ("moves", "bad"))
    mask = memoryview(raw["mask"]).cast("B", (4, batch.num_moves))
    planes = memoryview(raw["planes"]).cast("f", batch.observe().shape)
    batch.step(moves, raw["where"])
    batch.reset(raw["where"])
    batch.legal_mask(mask)
    batch.observe(planes)
    with pytest.raises(catena.IllegalMoveError):
        batch.step(bad)
    with pytest.raises(ValueError, match="where"):
        batch.step(moves, raw["planes"])
    with pytest.raises(ValueError, match="moves"):
        batch.step(planes, raw["where"])
    with pytest.raises(TypeError):
        batch.step(moves, [1, 1, 1, 1])
    with pytest.raises(ValueError, match="mask"):
        batch.reset(raw["planes"])
    with pytest.raises(ValueError, match="out"):
        batch.legal_mask(planes)
    with pytest.raises(ValueError, match="out"):
        batch.observe(mask)
    for view in (moves, bad, mask, planes):
        view.release()
    for buffer in raw.values():
        buffer.append(0)


def read_only(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


def unaligned(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    raw = bytearray(int(np.prod(shape)) * np.dtype(dtype).itemsize + 1)
    return np.ndarray(shape, dtype, raw, offset=1)


INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
OTHERS = ["float16", "float32", "float64", "longdouble", "complex64", "object", "S1", "U1"]


def bad_arrays(shape: tuple[int, ...], dtype: Any) -> Iterator[tuple[str, Any]]:
    """What is no array of a shape and dtype of more than one byte or board."""
    own = np.dtype(dtype)
    for other in INTEGERS + OTHERS:
        if np.dtype(other) != own:
            yield other, np.zeros(shape, other)
    yield "nan", np.full(shape, np.nan)
    yield "infinity", np.full(shape, np.inf, np.float16)
    yield "records", np.zeros(shape, [("a", own)])
    if own.itemsize > 1:
        yield "the other byte order", np.zeros(shape, own.newbyteorder())
        yield "unaligned", unaligned(shape, own)
    yield "no axis", np.zeros((), own)
    yield "empty", np.zeros((0, *shape[1:]), own)
    yield "one board less", np.zeros((shape[0] - 1, *shape[1:]), own)
    yield "one board more", np.zeros((shape[0] + 1, *shape[1:]), own)
    yield "one board", np.zeros((1, *shape[1:]), own)
    yield "an axis more", np.zeros((*shape, 1), own)
    yield "an axis more in front", np.zeros((1, *shape), own)
    if len(shape) > 1:
        yield "an axis less", np.zeros(shape[0], own)
        yield "flat", np.zeros(int(np.prod(shape)), own)
        yield "another order of axes", np.zeros(shape[::-1], own)
        yield "Fortran order", np.zeros(shape, own, order="F")
        yield "a row too long", np.zeros((*shape[:-1], shape[-1] + 1), own)
        yield "a part of rows", np.zeros((*shape[:-1], shape[-1] + 1), own)[..., :-1]
    yield "every second", np.zeros((2 * shape[0], *shape[1:]), own)[::2]
    yield "backwards", np.zeros(shape, own)[::-1]
    yield "one for all", np.broadcast_to(np.zeros((), own), shape)
    yield "bytes", bytes(3)


COUNT = 4
NO_BUFFERS = [[0] * COUNT, (0,) * COUNT, 0, 1.5, "move", object(), range(COUNT), {}]


def error_of(call: Callable[[], object]) -> Exception | None:
    try:
        call()
    except Exception as error:
        return error
    return None


def call_with(batch: catena.Batch, argument: str, value: Any) -> None:
    good = int32([0] * COUNT)
    calls: dict[str, Callable[[], object]] = {
        "moves": lambda: batch.step(value),
        "where": lambda: batch.step(good, value),
        "mask": lambda: batch.reset(value),
        "out of legal_mask": lambda: batch.legal_mask(value),
        "out of observe": lambda: batch.observe(value),
    }
    calls[argument]()


ARGUMENTS: dict[str, tuple[tuple[int, ...], Any]] = {
    "moves": ((COUNT,), np.int32),
    "where": ((COUNT,), np.uint8),
    "mask": ((COUNT,), np.uint8),
    "out of legal_mask": ((COUNT, 22), np.uint8),
    "out of observe": ((COUNT, 18, 5, 5), np.float32),
}


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_bad_arrays(argument: str) -> None:
    shape, dtype = ARGUMENTS[argument]
    batch = catena.Batch(COUNT, 3)
    batch.step_random(1)
    before = everything(batch)
    bad = dict(bad_arrays(shape, dtype))
    if argument in ("where", "mask"):
        bad["bools in steps"] = np.zeros(2 * COUNT, bool)[::2]
        bad["too few bools"] = np.zeros(COUNT - 1, bool)
        del bad["bool"]
    if argument.startswith("out"):
        bad["read-only"] = read_only(np.zeros(shape, dtype))
    for kind, value in bad.items():
        contents = value if isinstance(value, bytes) else value.tobytes()
        error = error_of(lambda: call_with(batch, argument, value))  # noqa: B023
        assert isinstance(error, ValueError), kind
        assert str(error).startswith(argument.split()[0] + " "), kind
        if kind == "read-only":
            assert "read-only" in str(error)
        assert (value if isinstance(value, bytes) else value.tobytes()) == contents
    assert everything(batch) == before


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_what_is_no_buffer(argument: str) -> None:
    batch = catena.Batch(COUNT, 3)
    before = everything(batch)
    for value in NO_BUFFERS + ([None] if argument == "moves" else []):
        with pytest.raises(TypeError):
            call_with(batch, argument, value)
    assert everything(batch) == before


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_both_shapes_are_named(argument: str) -> None:
    shape, dtype = ARGUMENTS[argument]
    longer = (shape[0] + 1, *shape[1:])
    with pytest.raises(ValueError) as error:
        call_with(catena.Batch(COUNT, 3), argument, np.zeros(longer, dtype))
    assert str(shape) in str(error.value)
    assert str(longer) in str(error.value)


# --- Other bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, -1, -5, 2**24 + 1, 2**31, 2**32, 2**63, 2**64, -(2**64)])
def test_a_count_out_of_range(count: int) -> None:
    with pytest.raises(ValueError, match=f"count must be 1 to 16777216, got {count}"):
        catena.Batch(count)


@pytest.mark.parametrize("count", [True, False, None, 3.0, float("nan"), "3", [3], int32([3])])
def test_a_count_that_is_no_int(count: Any) -> None:
    with pytest.raises(TypeError):
        catena.Batch(count)


def test_a_count_of_numpy() -> None:
    assert len(catena.Batch(np.int64(3))) == 3


@pytest.mark.parametrize(
    ("set_up", "error", "allowed"),
    [
        ({"size": 1}, ValueError, "2 to 10"),
        ({"size": 11}, ValueError, "2 to 10"),
        ({"size": 2**64}, ValueError, "2 to 10"),
        ({"size": 6.0}, TypeError, "size"),
        ({"size": True}, TypeError, "size"),
        ({"game": "chess"}, ValueError, "'no-komi'"),
        ({"game": None}, ValueError, "'no-komi'"),
        ({"scoring": "most"}, ValueError, "'squares'"),
        ({"komi": -1}, ValueError, "0 to 15"),
        ({"komi": 16}, ValueError, "0 to 15"),
        ({"komi": 1001, "scoring": "squares"}, ValueError, "0 to 1000"),
        ({"komi": 1, "game": "double"}, ValueError, "0"),
        ({"komi": None, "game": "no-komi"}, ValueError, "0"),
        ({"komi": 0.5}, TypeError, "komi"),
        ({"komi": float("nan")}, TypeError, "komi"),
        ({"seed": 1}, TypeError, "seed"),
    ],
)
def test_bad_set_ups(set_up: dict[str, Any], error: type[Exception], allowed: str) -> None:
    with pytest.raises(error, match=allowed):
        catena.Batch(2, **set_up)


def test_the_set_up_goes_by_keyword() -> None:
    make: Any = catena.Batch
    with pytest.raises(TypeError):
        make()
    with pytest.raises(TypeError):
        make(2, 6, "komi")
    with pytest.raises(TypeError):
        make(2).playouts(1, 2)


@pytest.mark.parametrize("seed", [-1, 2**64, 2**200, -(2**63)])
def test_a_seed_outside_64_bits(seed: int) -> None:
    batch = catena.Batch(2, 3)
    for call in (lambda: batch.step_random(seed), lambda: batch.playouts(1, seed=seed)):
        with pytest.raises(ValueError, match="seed must be 0 to 18446744073709551615"):
            call()
    assert_same(batch, [catena.Board(3)] * 2)


@pytest.mark.parametrize("seed", [True, None, 1.0, float("nan"), "1", [1], b"1"])
def test_a_seed_that_is_no_int(seed: Any) -> None:
    batch = catena.Batch(2, 3)
    for call in (lambda: batch.step_random(seed), lambda: batch.playouts(1, seed=seed)):
        with pytest.raises(TypeError, match="seed"):
            call()
    assert_same(batch, [catena.Board(3)] * 2)


@pytest.mark.parametrize("per_board", [0, -1, 2**29 + 1, 2**31, 2**32, 2**64, -(2**63)])
def test_playouts_out_of_range(per_board: int) -> None:
    with pytest.raises(ValueError, match=f"per_board must be 1 to 536870912, got {per_board}"):
        catena.Batch(2, 3).playouts(per_board, seed=1)


@pytest.mark.parametrize("per_board", [True, None, 1.0, float("nan"), "1", [1]])
def test_playouts_that_are_no_int(per_board: Any) -> None:
    with pytest.raises(TypeError, match="per_board"):
        catena.Batch(2, 3).playouts(per_board, seed=1)


def test_a_batch_can_not_be_pickled() -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="can't be pickled"):
            pickle.dumps(catena.Batch(2), protocol)


def test_a_batch_is_set_up_once() -> None:
    batch = catena.Batch(3, 4, auto_reset=True)
    batch.step(int32([0, 1, 2]))
    before = everything(batch)
    for arguments in ((3,), (3, 4), (10**6,), (0,)):
        with pytest.raises((TypeError, ValueError)):
            batch.__init__(*arguments)  # type: ignore[misc]
        assert (len(batch), batch.size, batch.auto_reset) == (3, 4, True)
        assert everything(batch) == before


def test_a_failed_set_up_can_be_followed_by_another() -> None:
    batch = catena.Batch.__new__(catena.Batch)
    for bad in ((0,), (3, 11), (2**70,)):
        with pytest.raises(ValueError):
            batch.__init__(*bad)  # type: ignore[misc]
    batch.__init__(2, 3)  # type: ignore[misc]
    assert_same(batch, [catena.Board(3)] * 2)


HALF_BUILT = """
    import numpy as np
    import catena

    batch = catena.Batch.__new__(catena.Batch)
    none = np.zeros(0, np.int32)
    calls = {
        "step": lambda: batch.step(none),
        "step where": lambda: batch.step(none, np.zeros(0, bool)),
        "step_random": lambda: batch.step_random(1),
        "reset": lambda: batch.reset(),
        "legal_mask": lambda: batch.legal_mask(),
        "observe": lambda: batch.observe(),
        "copy": lambda: batch.copy(),
        "board": lambda: batch.board(0),
        "set_board": lambda: batch.set_board(0, catena.Board(2)),
        "playouts": lambda: batch.playouts(1, seed=1),
    }
    for name, call in calls.items():
        print(name, end=": ", flush=True)
        try:
            call()
        except (RuntimeError, IndexError, ValueError) as error:
            print(type(error).__name__)
    names = "turn seat phase over scores returns key legal_count size game scoring num_cells"
    names += " num_moves auto_reset ones_when_over __len__ __repr__"
    for name in names.split():
        print(name, flush=True)
        try:
            value = getattr(batch, name)
            assert not isinstance(value, np.ndarray) or value.size == 0
            if callable(value):
                value()
        except RuntimeError:
            pass
    del batch
    print("done")
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        env=children.HERE_TOO,
        timeout=120,
    )


def test_a_batch_that_was_never_set_up_crashes_nothing() -> None:
    done = python(HALF_BUILT)
    assert done.stdout.endswith("done\n"), done.stdout + done.stderr
    assert done.returncode == 0
    calls = dict(line.split(": ") for line in done.stdout.splitlines() if ": " in line)
    assert set(calls.values()) <= {"RuntimeError", "IndexError", "ValueError"}
    assert len(calls) == 10


def test_what_a_batch_has_not() -> None:
    batch: Any = catena.Batch(2, 3)
    with pytest.raises(TypeError):
        hash(batch)
    with pytest.raises(TypeError):
        iter(batch)
    with pytest.raises(TypeError):
        type("Own", (catena.Batch,), {})
    for name in ("size", "game", "turn", "key", "over", "auto_reset", "states", "anything"):
        with pytest.raises(AttributeError):
            setattr(batch, name, 1)


def test_repr() -> None:
    batch = catena.Batch(12, 4, game="double", scoring="longest")
    assert repr(batch).startswith("<Batch: 12 boards, size 4, game 'double', scoring 'longest'")


# --- Threads --------------------------------------------------------------------------------------


READS = ["turn", "seat", "phase", "over", "scores", "returns", "key", "legal_count"]


def calls_on(batch: catena.Batch) -> dict[str, Callable[[], object]]:
    """Every way into the boards of a batch."""
    board = batch.board(0)
    calls: dict[str, Callable[[], object]] = {
        "step": lambda: batch.step(np.zeros(len(batch), np.int32)),
        "step_random": lambda: batch.step_random(1),
        "reset": lambda: batch.reset(),
        "legal_mask": lambda: batch.legal_mask(),
        "observe": lambda: batch.observe(),
        "board": lambda: batch.board(0),
        "set_board": lambda: batch.set_board(0, board),
        "copy": lambda: batch.copy(),
        "playouts": lambda: batch.playouts(1, seed=1),
    }
    return calls | {name: (lambda name=name: getattr(batch, name)) for name in READS}


def is_busy(call: Callable[[], object]) -> bool:
    """Whether the call was refused since another thread is in the batch."""
    error = error_of(call)
    assert error is None or isinstance(error, RuntimeError)
    return error is not None


def test_a_second_thread_is_kept_out() -> None:
    """Every call while another thread is in a long one raises RuntimeError and changes nothing."""
    batch = catena.Batch(1, 10)
    before = everything(batch)
    calls = calls_on(batch)
    games = 20_000 if FAST_BUILD else 2_000
    for _ in range(6):
        found: list[np.ndarray] = []

        def play(games: int = games, found: list[np.ndarray] = found) -> None:
            while not found:
                try:
                    found.append(batch.playouts(games, seed=1))
                except RuntimeError:
                    continue  # the other thread was in it

        thread = threading.Thread(target=play)
        thread.start()
        while not found and not is_busy(calls["legal_mask"]):
            pass
        let_in = [name for name, call in calls.items() if not is_busy(call)]
        in_time = is_busy(calls["legal_mask"])
        thread.join()
        if in_time:
            assert let_in == []
            assert everything(batch) == before
            wanted, _ = run_playouts(catena.Board(10), 1, 0, games)
            assert (found[0] == wanted).all()
            return
        # The games were over before all calls were tried.
        batch.reset()
        games *= 2
    pytest.fail("the calls were never tried in time")


def test_threads_on_one_batch_are_served_one_after_another() -> None:
    """Each call is whole or refused: all boards have as many stones as steps went through."""
    batch = catena.Batch(3000 if FAST_BUILD else 300, 10, game="double")
    made = [0, 0, 0]
    rounds = 25
    start = threading.Barrier(3)

    def step(name: int) -> None:
        start.wait()
        for number in range(rounds):
            try:
                batch.step_random(name * 1000 + number)
            except RuntimeError:
                continue
            made[name] += 1

    ends = 0, 1, len(batch) // 2, len(batch) - 1

    def stones(seen: catena.Batch, i: int) -> int:
        return np.count_nonzero(seen.board(i).stones())

    looks: list[set[int]] = []

    def look() -> None:
        while any(thread.is_alive() for thread in threads[:3]):
            try:
                seen = batch.copy()
            except RuntimeError:
                continue
            looks.append({stones(seen, i) for i in ends})

    threads = [threading.Thread(target=step, args=(name,)) for name in range(3)]
    threads.append(threading.Thread(target=look))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(made) >= rounds / 2
    assert {stones(batch, i) for i in range(len(batch))} == {sum(made)}
    for i in ends:
        batch.board(i)._check()
    assert {len(look) for look in looks} <= {1}


def another_thread_flips(values: np.ndarray, at: int, to: tuple[int, int]) -> Callable[[], None]:
    """Start to write two values in turn; returns the end of it."""
    done = threading.Event()

    def flip() -> None:
        while not done.is_set():
            values[at] = to[0]
            values[at] = to[1]

    thread = threading.Thread(target=flip)
    thread.start()

    def end() -> None:
        done.set()
        thread.join()

    return end


@pytest.mark.parametrize("argument", ["moves", "where"])
def test_arrays_that_change_during_a_step(argument: str) -> None:
    """What was checked is what is made: else a move that is none gets in after the check."""
    batch = catena.Batch(10_000 if FAST_BUILD else 500, 10)
    moves = np.zeros(len(batch), np.int32)
    where = np.ones(len(batch), bool)
    if argument == "moves":
        end = another_thread_flips(moves, -1, (5000, 0))
    else:
        moves[-1] = 5000
        end = another_thread_flips(where, -1, (True, False))
    outcomes: Counter[str] = Counter()
    try:
        for _ in range(40):
            batch.reset()
            refused = error_of(lambda: batch.step(moves, where)) is not None
            first, last = batch.board(0), batch.board(len(batch) - 1)
            outcomes[last.phase] += 1
            assert refused == (not first.stones().any())
    finally:
        end()
    assert set(outcomes) == {"play"}


def test_threads_on_batches_of_their_own() -> None:
    def play(number: int) -> bytes:
        batch = catena.Batch(64, 6)
        for seed in range(60):
            batch.step_random(number * 100 + seed)
        return batch.observe().tobytes() + batch.playouts(2, seed=number).tobytes()

    wanted = [play(number) for number in range(4)]
    found: dict[int, bytes] = {}
    threads = [
        threading.Thread(target=lambda number=number: found.update({number: play(number)}))
        for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(4)] == wanted


def test_an_error_leaves_the_batch_free() -> None:
    batch = catena.Batch(2, 3)
    with pytest.raises(catena.IllegalMoveError):
        batch.step(int32([0, -1]))
    batch.step(int32([0, 1]))
    with pytest.raises(TypeError):
        batch.playouts(1.5, seed=1)  # type: ignore[arg-type]
    batch.step_random(1)


@children.needs_sigint
def test_ctrl_c_stops_long_playouts() -> None:
    end = children.interrupt(
        """
        import catena
        batch = catena.Batch(1, 10)
        print("ready", flush=True)
        try:
            batch.playouts(2**26, seed=1)
        except KeyboardInterrupt:
            print("stopped", batch.board(0) == catena.Board(10))
        """
    )
    assert end.out == "stopped True\n", end.err
    assert end.seconds < 3


# --- Memory ---------------------------------------------------------------------------------------


@needs_statm
@not_sanitized
def test_a_loop_of_steps_leaves_memory_flat() -> None:
    batch = catena.Batch(16, 3, auto_reset=True)
    mask, view = batch.legal_mask(), batch.observe()
    board = catena.Board(3)

    def work(times: int) -> None:
        for number in range(times):
            batch.legal_mask(mask)
            batch.step(mask.argmax(axis=1).astype(np.int32))
            batch.step_random(number)
            batch.observe(view)
            for name in READS:
                getattr(batch, name)
            batch.reset(batch.over)
            batch.set_board(number % 16, board)
            batch.board(number % 16)
            batch.playouts(1, seed=number)

    assert_flat(work, 4_000)


@needs_statm
@not_sanitized
def test_batches_come_and_go() -> None:
    def work(times: int) -> None:
        for number in range(times):
            batch = catena.Batch(1 + number % 40, 10)
            batch.copy().step_random(1)

    assert_flat(work, 3_000)


@needs_statm
@not_sanitized
def test_refusals_leave_memory_flat() -> None:
    batch = catena.Batch(4, 3)
    bad = [
        lambda: batch.step(int32([0, 0, 0, -1])),
        lambda: batch.step(np.zeros(4)),
        lambda: batch.step(int32([0] * 4), np.zeros(3, bool)),
        lambda: batch.legal_mask(np.zeros((4, 1), np.uint8)),
        lambda: batch.observe([]),  # type: ignore[arg-type]
        lambda: batch.reset(int32([0] * 4)),  # type: ignore[arg-type]
        lambda: batch.board(4),
        lambda: batch.set_board(0, catena.Board(4)),
        lambda: catena.Batch(0),
    ]

    def work(times: int) -> None:
        for number in range(times):
            with pytest.raises((ValueError, TypeError, IndexError)):
                bad[number % len(bad)]()

    assert_flat(work, 9_000)
