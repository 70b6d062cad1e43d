"""Self-play: games replayed on the reference, the same on all executors; policies that fail."""

from __future__ import annotations

import pickle
import random
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import numpy as np
import policies
import pytest
import walks
from reference import Position

import catena
from catena.selfplay import Game

EXECUTORS = ("none", "threads", "spawn", "forkserver")
Executors = dict[str, Executor | None]


@pytest.fixture(scope="module")
def executors() -> Iterator[Executors]:
    """Those that no test breaks."""
    with (
        ThreadPoolExecutor(2) as threads,
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as spawn,
        ProcessPoolExecutor(2, mp_context=get_context("forkserver")) as forkserver,
    ):
        yield {"none": None, "threads": threads, "spawn": spawn, "forkserver": forkserver}


def replayed(start: Position, policy: object, seed: int, i: int) -> Game:
    """Game i of a seed, played on the reference."""
    game = start.copy()
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed).spawn(i + 1)[i]))
    while not game.is_over:
        game.push(policy(game, rng))
    return Game(tuple(game.history[start.ply :]), game.scores, game.returns, game.winner)


# --- The games ------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", walks.starts((2, 4)), ids=walks.setup_of)
def test_games_replayed_on_the_reference(board: catena.Board) -> None:
    komi = board.komi if board.phase == "play" else None
    start = Position(board.size, game=board.game, scoring=board.scoring, komi=komi)
    for policy in (policies.uniform, policies.Weighted(3.0)):
        games = catena.selfplay(board, 4, policy=policy, seed=11)
        assert games == [replayed(start, policy, 11, i) for i in range(4)]
    assert board.ply == 0


def test_games_from_a_position_with_a_history() -> None:
    board, start = catena.Board(4, game="double"), Position(4, game="double")
    for move in list(walks.walk(board, random.Random(3), 5)):
        start.push(move)
    before = walks.snapshot(board)
    seen = []

    def watching(board: catena.Board, rng: np.random.Generator) -> int:
        seen.append(board.history)
        return policies.uniform(board, rng)

    games = catena.selfplay(board, 2, policy=watching, seed=2**64 - 1)
    assert games == [replayed(start, policies.uniform, 2**64 - 1, i) for i in range(2)]
    played = [list(game.moves[:n]) for game in games for n in range(len(game.moves))]
    assert seen == [board.history + moves for moves in played]
    assert walks.snapshot(board) == before


def test_a_policy_may_spoil_its_board_and_answer_in_words() -> None:
    board = catena.Board(5, komi=None)
    board.play("komi:3 white D4")
    games = catena.selfplay(board, 5, policy=policies.uniform, seed=1)
    assert catena.selfplay(board, 5, policy=policies.careless, seed=1) == games
    assert catena.selfplay(board, 5, policy=policies.in_words, seed=1) == games
    assert all(type(move) is int for game in games for move in game.moves)


def test_seeds_and_numbers_give_different_games() -> None:
    board = catena.Board()
    # The last two seeds are several words long: words of seed and number must not run together.
    seeds = (0, 1, 2**32, 2**64 - 1)
    games = [
        game
        for seed in seeds
        for game in catena.selfplay(board, 3, policy=policies.uniform, seed=seed)
    ]
    assert len({game.moves for game in games}) == len(games)


def test_a_finished_board_has_its_own_result(executors: Executors) -> None:
    board = catena.Board(2)
    for _ in walks.walk(board, random.Random(1)):
        pass

    def never(board: catena.Board, rng: np.random.Generator) -> int:
        raise AssertionError("asked for a move in a finished game")

    result = Game((), board.scores, board.returns, board.winner)
    for kind in ("none", "threads"):
        games = catena.selfplay(board, 3, policy=never, seed=1, executor=executors[kind])
        assert games == [result] * 3


# --- Executors ------------------------------------------------------------------------------------


def test_the_same_bytes_on_every_executor(executors: Executors) -> None:
    board = catena.Board(4, game="no-komi", scoring="longest")
    policy = policies.Weighted(2.0)
    found = []
    for executor in executors.values():
        counts: list[int] = []
        games = catena.selfplay(
            board, 1_500, policy=policy, seed=5, executor=executor, finished=counts.append
        )
        found.append(repr(games).encode())
        assert counts == sorted(counts)
        assert counts[-1] == 1_500
        assert len(counts) > 1
    assert len(set(found)) == 1
    assert catena.selfplay(board, 7, policy=policy, seed=5) == games[:7]


def test_long_games_are_left_to_the_workers() -> None:
    board = catena.Board(3)
    here = threading.get_ident()
    plies_here = 0

    def watching(board: catena.Board, rng: np.random.Generator) -> int:
        nonlocal plies_here
        plies_here += threading.get_ident() == here
        return policies.slow(board, rng)

    counts: list[int] = []
    with ThreadPoolExecutor(4) as executor:
        games = catena.selfplay(
            board, 4, policy=watching, seed=9, executor=executor, finished=counts.append
        )
    assert games == catena.selfplay(board, 4, policy=policies.uniform, seed=9)
    assert counts == [1, 2, 3, 4]
    assert 0 < plies_here <= 5 < min(len(game.moves) for game in games)


def test_an_executor_that_is_shut_down() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(RuntimeError, match="shutdown"):
        catena.selfplay(catena.Board(), 10**5, policy=policies.uniform, seed=1, executor=executor)


def test_a_worker_that_dies() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        board, policy = catena.Board(3), policies.InOtherProcesses()
        with pytest.raises(BrokenProcessPool):
            catena.selfplay(board, 3, policy=policy, seed=1, executor=executor)


def test_a_policy_that_does_not_pickle(executors: Executors) -> None:
    def here_only(board: catena.Board, rng: np.random.Generator) -> int:
        return policies.uniform(board, rng)

    with pytest.raises((AttributeError, pickle.PicklingError), match="here_only"):
        catena.selfplay(
            catena.Board(), 10**5, policy=here_only, seed=1, executor=executors["spawn"]
        )


# --- Policies that fail ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EXECUTORS)
def test_what_a_policy_raises_reaches_the_caller(executors: Executors, kind: str) -> None:
    policy = policies.AtPly(KeyError("lost"))
    with pytest.raises(KeyError, match="lost") as caught:
        catena.selfplay(catena.Board(), 2, policy=policy, seed=1, executor=executors[kind])
    (note,) = caught.value.__notes__
    assert note in [f"raised by the policy in game {i} at ply 6" for i in range(2)]


def test_an_illegal_move_inside_a_policy_is_the_policys_own() -> None:
    def wrong(board: catena.Board, rng: np.random.Generator) -> int:
        board.push("Z9")
        return 0

    with pytest.raises(
        catena.IllegalMoveError, match=r"unknown-move\nraised by the policy in game 0 at ply 0$"
    ):
        catena.selfplay(catena.Board(), 2, policy=wrong, seed=1)


@pytest.mark.parametrize("kind", EXECUTORS)
@pytest.mark.parametrize(
    ("move", "reason"), [(92, "phase"), (-1, "unknown-move"), ("Z9", "unknown-move")]
)
def test_illegal_moves_reach_the_caller(
    executors: Executors, kind: str, move: int | str, reason: str
) -> None:
    with pytest.raises(catena.IllegalMoveError) as caught:
        catena.selfplay(
            catena.Board(), 2, policy=policies.AtPly(move), seed=1, executor=executors[kind]
        )
    assert str(caught.value).startswith(
        f"illegal move {move!r} at ply 6: {reason}; chosen by the policy in game "
    )
    assert (caught.value.move, caught.value.reason) == (move, reason)


@pytest.mark.parametrize("kind", ["none", "threads"])
@pytest.mark.parametrize("move", [None, 1.0, True, (3,), np.float64(3)])
def test_what_is_no_move(executors: Executors, kind: str, move: object) -> None:
    with pytest.raises(TypeError, match=r"in game \d at ply 6$"):
        catena.selfplay(
            catena.Board(), 2, policy=policies.AtPly(move), seed=1, executor=executors[kind]
        )


# --- Bad arguments --------------------------------------------------------------------------------


@pytest.mark.parametrize("games", [0, -1, 2**30 + 1, 2**100])
def test_games_out_of_range(games: int) -> None:
    with pytest.raises(ValueError, match=f"games must be 1 to 1073741824, got {games}"):
        catena.selfplay(catena.Board(), games, policy=policies.uniform, seed=1)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range(seed: int) -> None:
    with pytest.raises(ValueError, match=f"seed must be 0 to {2**64 - 1}, got {seed}"):
        catena.selfplay(catena.Board(), 1, policy=policies.uniform, seed=seed)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, float("nan")])
def test_games_and_seed_are_ints(value: object) -> None:
    with pytest.raises(TypeError, match="games must be an int"):
        catena.selfplay(catena.Board(), value, policy=policies.uniform, seed=1)
    with pytest.raises(TypeError, match="seed must be an int"):
        catena.selfplay(catena.Board(), 1, policy=policies.uniform, seed=value)


def test_any_kind_of_int() -> None:
    games = catena.selfplay(catena.Board(3), 2, policy=policies.uniform, seed=7)
    kinds = {"games": np.int64(2), "seed": np.uint8(7)}
    assert catena.selfplay(catena.Board(3), policy=policies.uniform, **kinds) == games


def test_what_is_no_board_or_policy() -> None:
    with pytest.raises(TypeError, match="board must be a Board, not NoneType"):
        catena.selfplay(None, 1, policy=policies.uniform, seed=1)
    with pytest.raises(TypeError, match="policy must be callable, not int"):
        catena.selfplay(catena.Board(), 1, policy=3, seed=1)


def test_games_pickle() -> None:
    games = catena.selfplay(catena.Board(3), 2, policy=policies.uniform, seed=7)
    assert pickle.loads(pickle.dumps(games)) == games
    assert all(type(game) is catena.Game for game in pickle.loads(pickle.dumps(games)))
