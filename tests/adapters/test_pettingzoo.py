"""Catena as a PettingZoo environment: under PettingZoo's own tests, and what those leave out."""

from __future__ import annotations

import copy
import importlib
import logging
import pickle
import random
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import walks

pytest.importorskip("pettingzoo", reason="needs the extra `pettingzoo`")

# Its tests import an environment of its own in a way that it warns about.
with warnings.catch_warnings(action="ignore"):
    from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test

from pettingzoo import AECEnv

import catena
from catena.adapters import pettingzoo as catena_v0

SETUPS: list[dict[str, Any]] = [
    {"size": 3, "game": game, "scoring": scoring} for game, scoring in walks.COMBOS
]
SETUPS += [{}, {"size": 2, "komi": None}, {"size": 3, "komi": None, "scoring": "squares"}]
BY_SETUP = pytest.mark.parametrize("setup", SETUPS, ids=str)


def actions_of(env: AECEnv, rng: random.Random) -> Iterator[int]:
    """Play a game of random actions; yields each before it is made."""
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
            continue
        action = rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
        yield action
        env.step(action)


# --- PettingZoo's tests -------------------------------------------------------------------------


# It warns about dictionaries in every environment that is not on its own list of names, and of
# planes of width 3 it thinks that they are the colours of a picture.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:The observation contains negative numbers")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")  # of a finished game
@pytest.mark.parametrize("make", [catena_v0.env, catena_v0.raw_env])
@BY_SETUP
def test_api_test(make: Callable[..., AECEnv], setup: dict[str, Any]) -> None:
    api_test(make(**setup), num_cycles=100)


@BY_SETUP
def test_seed_test(setup: dict[str, Any]) -> None:
    seed_test(lambda: catena_v0.env(**setup), num_cycles=100)


@pytest.mark.parametrize("size", [2, 6, 10])
def test_render_test(size: int, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda **mode: catena_v0.env(size=size, **mode))


def test_performance_benchmark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # By its own clock it runs for five seconds; this clock goes faster.
    ticks = iter(range(1000))
    module = importlib.import_module("pettingzoo.test.performance_benchmark")
    clock = types.SimpleNamespace(time=lambda: next(ticks) / 40)
    monkeypatch.setattr(module, "time", clock)
    performance_benchmark(catena_v0.env(size=3))
    assert "Finished performance benchmark" in capsys.readouterr().out


# --- games --------------------------------------------------------------------------------------


@BY_SETUP
def test_a_game_is_the_game_of_a_board(setup: dict[str, Any]) -> None:
    env, board = catena_v0.env(**setup), catena.Board(**setup)
    for seed in range(3):
        env.reset()
        board = catena.Board(**setup)
        for action in actions_of(env, random.Random(seed)):
            assert env.agent_selection == f"player_{board.seat}"
            for seat, agent in enumerate(env.possible_agents):
                observation = env.observe(agent)
                mask = np.flatnonzero(observation["action_mask"]).tolist()
                assert mask == (board.legal_moves() if seat == board.seat else [])
                assert np.array_equal(observation["observation"], board.observe(seat=seat))
                assert env.observation_space(agent).contains(observation)
            board.push(action)
        assert board.is_over


def test_rewards_come_at_the_end_by_seat() -> None:
    # Seven cells can't outweigh a komi of 15: whoever has White wins.
    for colour, rewards in ((8, [1, -1]), (9, [-1, 1])):  # the second player is Black, White
        env = catena_v0.env(size=2, komi=None)
        env.reset()
        env.step(10 + 15)
        env.step(colour)
        for _ in actions_of(env, random.Random(1)):
            assert list(env.rewards.values()) == [0, 0]
            assert not any(env.terminations.values())
        # What agents got is gone with them: they have made their last step.
        assert env.agents == []

        env.reset()
        for action in (25, colour, *catena_v0.raw_env(size=2).board.playout(3).history):
            env.step(action)
        assert env.terminations == {"player_0": True, "player_1": True}
        assert env.truncations == {"player_0": False, "player_1": False}
        assert [env.rewards[agent] for agent in env.possible_agents] == rewards
        for agent in env.agent_iter():
            _, reward, termination, _, _ = env.last()
            assert (reward, termination) == (rewards[env.possible_agents.index(agent)], True)
            env.step(None)


def test_an_agent_may_move_twice() -> None:
    env = catena_v0.env(size=3, game="double")
    env.reset()
    agents = []
    for agent in env.agent_iter(5):
        agents.append(agent[-1])
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[-1]))
    assert agents == ["0", "1", "1", "0", "0"]


def test_reset_starts_anew() -> None:
    env = catena_v0.env(size=2)
    env.reset()
    first = env.last()[0]
    for _ in actions_of(env, random.Random(2)):
        pass
    env.reset(seed=5, options={"anything": 1})
    assert env.agents == ["player_0", "player_1"]
    assert env.agent_selection == "player_0"
    for name, array in env.last()[0].items():
        assert np.array_equal(array, first[name])


def test_an_observation_is_seen_from_the_agents_side() -> None:
    env = catena_v0.env(size=3)
    env.reset()
    for action in (0, 18, 3):  # Black A1, White E5, Black B1
        env.step(action)
    seen = {agent: env.observe(agent)["observation"] for agent in env.agents}
    blacks, whites = [[0, 0], [1, 0]], [[4, 4]]
    assert np.argwhere(seen["player_0"][0]).tolist() == blacks
    assert np.argwhere(seen["player_0"][1]).tolist() == whites
    assert np.argwhere(seen["player_1"][0]).tolist() == whites
    assert np.argwhere(seen["player_1"][1]).tolist() == blacks


def test_observations_are_kept() -> None:
    env = catena_v0.env(size=2)
    env.reset()
    first = env.last()[0]
    kept = copy.deepcopy(first)
    assert (first["observation"].dtype, first["action_mask"].dtype) == (np.float32, np.int8)
    env.step(3)
    env.last()
    for name, array in kept.items():
        assert np.array_equal(first[name], array)


def test_action_space() -> None:
    space = catena_v0.env(size=2).action_space("player_0")
    assert space.n == 10  # 7 cells, the button, two colours
    assert catena_v0.env(size=2, komi=None).action_space("player_1").n == 26
    for number in (0, 9, np.int64(9), np.int32(0)):
        assert space.contains(number)
    for other in (-1, 10, np.int64(10), 2**70, 1.0, "A1", None, np.array([1])):
        assert not space.contains(other)
    space.seed(1)
    assert space.sample(np.array([0, 0, 1, 0, 0, 0, 0, 0, 0, 0], np.int8)) == 2


# --- wrong actions ------------------------------------------------------------------------------


def test_an_illegal_action_loses(caplog: pytest.LogCaptureFixture) -> None:
    env = catena_v0.env(size=2)
    env.reset()
    env.step(3)
    with caplog.at_level(logging.WARNING):
        env.step(3)  # the second player, on the stone of the first
    assert "Illegal move" in caplog.text
    assert env.rewards == {"player_0": 0, "player_1": -1}
    assert all(env.terminations.values())
    for _ in env.agent_iter():
        env.step(None)
    assert env.agents == []
    env.reset()
    env.step(3)
    assert not any(env.terminations.values())


def test_an_illegal_action_on_the_bare_environment_changes_nothing() -> None:
    env = catena_v0.raw_env(size=2)
    env.reset()
    env.step(3)
    before = env.board.position
    for action in (3, 99, -1):
        with pytest.raises(catena.IllegalMoveError):
            env.step(action)
    for action in (None, 1.5, True):
        with pytest.raises(TypeError):
            env.step(action)
    assert env.board.position == before
    assert env.agent_selection == "player_1"


def test_an_action_outside_the_space_is_an_error() -> None:
    env = catena_v0.env(size=2)
    env.reset()
    for action in (10, -1, None, "A1"):
        with pytest.raises(AssertionError, match="action is not in action space"):
            env.step(action)


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="size must be 2 to 10"):
        catena_v0.env(size=11)
    with pytest.raises(ValueError, match="game must be one of"):
        catena_v0.env(game="go")
    with pytest.raises(ValueError, match="render_mode must be one of"):
        catena_v0.env(render_mode="svg")
    with pytest.raises(TypeError):
        catena_v0.env(screen_scaling=9)


# --- pictures and copies ------------------------------------------------------------------------


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    board = catena.Board(3)
    board.push(4)
    for mode in ("ansi", "rgb_array", "human"):
        env = catena_v0.env(size=3, render_mode=mode)
        env.reset()
        env.step(4)
        picture = env.render()
        out = capsys.readouterr().out
        if mode == "ansi":
            assert picture == str(board)
        elif mode == "rgb_array":
            assert picture.shape[2] == 3
            assert picture.dtype == np.uint8
        else:
            # At the start, after the move, and when it was asked for.
            assert picture is None
            assert out.count("X Black") == 3
            assert out.endswith(f"{board}\n\n")
        assert (mode == "human") == bool(out)
        env.close()


def test_rendering_without_a_mode_warns() -> None:
    env = catena_v0.env(size=3)
    env.reset()
    with pytest.warns(UserWarning, match="no render_mode"):
        assert env.render() is None


def test_a_pickled_environment_is_a_new_one_with_the_same_parameters() -> None:
    env = catena_v0.raw_env(3, game="no-komi", scoring="longest", render_mode="ansi")
    env.reset()
    env.step(2)
    other = pickle.loads(pickle.dumps(env))
    other.reset()
    assert other.board == catena.Board(3, game="no-komi", scoring="longest")
    assert other.render_mode == "ansi"
    assert str(other) == "catena_v0"
