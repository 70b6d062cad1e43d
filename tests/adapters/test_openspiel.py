"""Catena as an OpenSpiel game: under OpenSpiel's own suites, and what those leave out."""
# ruff: noqa: E402 - what needs OpenSpiel is imported once it is known to be there

from __future__ import annotations

import ast
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import children
import numpy as np
import pytest
import reference
import walks

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra `openspiel`")

from absl import flags
from open_spiel.python.algorithms import generate_playthrough, minimax
from open_spiel.python.observation import make_observation
from open_spiel.python.tests import games_sim_test

import catena
import catena.adapters.openspiel

PLAYTHROUGHS = sorted((Path(__file__).parents[1] / "data" / "playthroughs").glob("*.txt"))
SETUPS = [f"catena(size=3,game={game},scoring={scoring})" for game, scoring in walks.COMBOS]
SETUPS += ["catena", "catena(size=2,komi=-1)", "catena(size=3,komi=-1,scoring=squares)"]


def test_it_is_registered() -> None:
    assert "catena" in pyspiel.registered_names()
    game = pyspiel.load_game("catena")
    assert game.get_parameters() == {"size": 6, "game": "komi", "scoring": "standard", "komi": 0}
    assert game.num_players() == 2
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1, 1, 0)


# --- OpenSpiel's suites -------------------------------------------------------------------------


@pytest.mark.parametrize("setup", SETUPS)
def test_random_sim_test(setup: str) -> None:
    game = pyspiel.load_game(setup)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("setup", SETUPS)
def test_games_sim_test(setup: str) -> None:
    games_sim_test.GamesSimTest().sim_game(
        pyspiel.load_game(setup), check_pyspiel_serialization=True, check_pickle_serialization=True
    )


def test_api_test() -> None:
    # Its tests come from load_tests, which unittest looks for in __main__: run as a module, with
    # alter_sys, it finds them; imported and run, it would find no test and call that a success.
    code = (
        "import runpy, sys, catena.adapters.openspiel\n"
        "sys.argv[1:] = ['--test_only_games=catena$']\n"
        "runpy.run_module('open_spiel.integration_tests.api_test', None, '__main__', True)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env=children.HERE_TOO, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    ran = re.search(r"^Ran (\d+) tests", done.stderr, re.MULTILINE)
    assert ran, done.stderr
    assert int(ran[1]) >= 5
    assert "EnforceAPIPartialTree_catena_Test" in done.stdout + done.stderr


# --- golden playthroughs ------------------------------------------------------------------------


def test_there_are_playthroughs_of_every_game_and_scoring() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PLAYTHROUGHS)
    for word in walks.GAMES + walks.SCORINGS:
        assert re.search(rf"^GetParameters.*={word}[,}}]", text, re.MULTILINE), word
    assert "komi=-1" in text


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_playthrough_is_as_it_was(path: Path) -> None:
    if not flags.FLAGS.is_parsed():
        flags.FLAGS.mark_as_parsed()  # replay reads one of them
    expected, actual = generate_playthrough.replay(str(path))
    assert actual.splitlines() == expected.splitlines()


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_playthrough_agrees_with_the_reference(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    (setup,) = (line.split(" = ")[1] for line in lines if line.startswith("GetParameters()"))
    parameters = dict(pair.split("=") for pair in setup[1:-1].split(","))
    komi = int(parameters["komi"])
    slow = reference.Position(
        int(parameters["size"]),
        game=parameters["game"],
        scoring=parameters["scoring"],
        komi=None if komi < 0 else komi,
    )
    seen = set()
    for line in lines:
        if line.startswith("action: "):
            slow.push(int(line[8:]))
            continue
        name, _, value = line.partition("() = ")
        seen.add(name)
        if name == "LegalActions":
            assert ast.literal_eval(value) == slow.legal_moves()
        elif name == "CurrentPlayer":
            # OpenSpiel's kTerminalPlayerId is -4.
            assert value == str(-4 if slow.seat is None else slow.seat)
        elif name == "IsTerminal":
            assert value == str(slow.is_over)
        elif name == "Returns":
            assert ast.literal_eval(value) == returns_of(slow)
    assert slow.is_over
    assert seen >= {"LegalActions", "CurrentPlayer", "IsTerminal", "Returns"}


def returns_of(slow: reference.Position) -> list[int]:
    """What each seat gets, from the scores of the reference."""
    if not slow.is_over:
        return [0, 0]
    black, white = slow.scores
    black_gets = (black > white) - (black < white)
    return [-black_gets, black_gets] if slow.black_seat else [black_gets, -black_gets]


# --- players ------------------------------------------------------------------------------------


def values(slow: reference.Position, table: dict[object, int]) -> int:
    """The value of a position for the first player, by searching all of it."""
    if slow.is_over:
        return returns_of(slow)[0]
    place = (tuple(slow.stones()), slow.phase, slow.turn, slow.button, slow.komi, slow.black_seat)
    if place not in table:
        better = max if slow.seat == 0 else min
        results = []
        for move in slow.legal_moves():
            slow.push(move)
            results.append(values(slow, table))
            slow.pop()
        table[place] = better(results)
    return table[place]


SOLVED = ["catena(size=2)", "catena(size=2,game=no-komi)", "catena(size=2,komi=1)"]


@pytest.mark.parametrize("setup", SOLVED)
def test_alpha_beta_and_mcts_find_the_value(setup: str) -> None:
    game = pyspiel.load_game(setup)
    parameters = game.get_parameters()
    slow = reference.Position(2, game=parameters["game"], komi=parameters["komi"])
    value = values(slow, {})

    found, _ = minimax.alpha_beta_search(game, maximizing_player_id=0)
    assert found == value

    # MCTSBot.step crashes on games written in Python (OpenSpiel 2.0.2); mcts_search does not.
    evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 20_000, 100, True, 7, False)
    root = bot.mcts_search(game.new_initial_state())
    assert root.outcome == [value, -value]


def test_mcts_plays_the_default_board() -> None:
    game = pyspiel.load_game("catena")
    state = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 20, 10, True, 7, False)
    for _ in range(4):
        action = bot.mcts_search(state).best_child().action
        assert action in state.legal_actions()
        state.apply_action(action)
    assert state.board.ply == 4


# --- states -------------------------------------------------------------------------------------


def test_actions_have_the_texts_of_moves() -> None:
    state = pyspiel.load_game("catena(size=2,komi=-1)").new_initial_state()
    texts = [state.action_to_string(action) for action in state.legal_actions()]
    assert texts == [f"komi:{komi}" for komi in range(16)]
    state.apply_action(state.string_to_action("komi:3"))
    assert [state.action_to_string(action) for action in state.legal_actions()] == [
        "black",
        "white",
    ]
    state.apply_action(state.string_to_action("white"))
    # Seven cells, column by column, then the button.
    assert [state.action_to_string(action) for action in state.legal_actions()] == [
        *("A1", "A2", "B1", "B2", "B3", "C2", "C3"),
        "button",
    ]
    state.apply_action(state.string_to_action("button"))
    assert state.history() == [10 + 3, 9, 7]
    assert state.history_str() == "13, 9, 7"


def test_a_player_may_move_twice() -> None:
    state = pyspiel.load_game("catena(size=3,game=double)").new_initial_state()
    players = []
    for _ in range(5):
        players.append(state.current_player())
        state.apply_action(state.legal_actions()[-1])
    assert players == [0, 1, 1, 0, 0]
    assert all(type(player) is int for player in players)


@pytest.mark.parametrize(("colour", "returns"), [("black", [1, -1]), ("white", [-1, 1])])
def test_returns_are_by_seat(colour: str, returns: list[float]) -> None:
    # Seven cells can't outweigh a komi of 15: whoever has White wins.
    state = pyspiel.load_game("catena(size=2,komi=-1)").new_initial_state()
    for text in ("komi:15", colour):
        state.apply_action(state.string_to_action(text))
    rng = random.Random(5)
    while not state.is_terminal():
        assert state.returns() == [0, 0]
        assert state.rewards() == [0, 0]
        state.apply_action(rng.choice(state.legal_actions()))
    assert state.returns() == returns
    assert state.rewards() == returns
    assert state.current_player() == pyspiel.PlayerId.TERMINAL
    assert state.legal_actions() == []


def test_legal_actions_of_a_player() -> None:
    game = pyspiel.load_game("catena(size=2)")
    state = game.new_initial_state()
    assert state.legal_actions() == state.legal_actions(0) == list(range(8))
    assert state.legal_actions(1) == []
    # The question as OpenSpiel's own code asks it.
    assert pyspiel.State.legal_actions(state) == list(range(8))
    assert pyspiel.State.legal_actions(state, 1) == []
    assert state.legal_actions_mask() == [1] * 8 + [0] * 2
    with pytest.raises(pyspiel.SpielError, match="pseudo-player"):
        state.legal_actions(-4)


def test_an_illegal_action_changes_nothing() -> None:
    state = pyspiel.load_game("catena(size=2)").new_initial_state()
    state.apply_action(0)
    before = str(state)
    for action, reason in ((0, "occupied"), (8, "phase"), (10, "unknown-move"), (-2, "unknown")):
        with pytest.raises(catena.IllegalMoveError, match=reason):
            state.apply_action(action)
    assert str(state) == before
    assert state.history() == [0]


def test_a_clone_is_independent() -> None:
    state = pyspiel.load_game("catena(size=3)").new_initial_state()
    state.apply_action(4)
    assert list(vars(state)) == ["board"]  # a clone deep-copies each attribute
    clone = state.clone()
    assert (clone.board, clone.history()) == (state.board, [4])
    clone.apply_action(0)
    assert state.history() == state.board.history == [4]
    assert clone.history() == clone.board.history == [4, 0]
    assert state.child(0).board == clone.board


@pytest.mark.parametrize("setup", SETUPS)
def test_states_survive_serialisation(setup: str) -> None:
    game = pyspiel.load_game(setup)
    state, rng = game.new_initial_state(), random.Random(3)
    while True:
        text = pyspiel.serialize_game_and_state(game, state)
        loaded_game, loaded = pyspiel.deserialize_game_and_state(text)
        assert str(loaded_game) == str(game)
        for other in (loaded, pickle.loads(pickle.dumps(state))):
            assert other.board == state.board
            assert other.board.history == state.board.history
            assert other.history() == state.history()
            assert other.legal_actions() == state.legal_actions()
        if state.is_terminal():
            break
        state.apply_action(rng.choice(state.legal_actions()))


def test_text_tells_states_apart() -> None:
    # Equal boards, equal scores, the same winner: only who had White differs.
    texts = set()
    for colour in ("black", "white"):
        state = pyspiel.load_game("catena(size=2,komi=-1)").new_initial_state()
        for text in ("komi:15", colour, "A1", "C3", "A2", "C2"):
            state.apply_action(state.string_to_action(text))
        while not state.is_terminal():
            state.apply_action(state.legal_actions()[0])
        texts.add(str(state))
    assert len(texts) == 2


def test_a_game_can_start_at_a_position() -> None:
    game = pyspiel.load_game("catena(size=3,game=no-komi)")
    text = "3 no-komi standard 0 bw1/4/5/4/3 b - 2"
    state = game.new_initial_state(text)
    assert state.board.position == text
    assert state.current_player() == 1
    assert state.history() == []
    state.apply_action(state.string_to_action("C3"))
    clone = state.clone()
    assert (clone.board, clone.history()) == (state.board, [9])
    loaded = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1]
    assert loaded.board == state.board

    named = pyspiel.load_game("catena(size=2,komi=-1)")
    assert named.new_initial_state("2 komi standard 9 2/3/2 colour - 1").board.komi == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "missing"),
        ("4 komi standard 0 4/5/6/7/6/5/4 b - 1", "size must be 3"),
        ("3 double standard 0 3/4/5/4/3 b - 1", "game must be 'komi'"),
        ("3 komi longest 0 3/4/5/4/3 b - 1", "scoring must be 'standard'"),
        ("3 komi standard 1 3/4/5/4/3 b - 1", "komi must be 0"),
    ],
)
def test_positions_of_other_set_ups_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pyspiel.load_game("catena(size=3)").new_initial_state(text)


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ("catena(size=1)", "size must be 2 to 10"),
        ("catena(game=go)", "game must be one of"),
        ("catena(scoring=points)", "scoring must be one of"),
        ("catena(komi=16)", "komi must be 0 to 15"),
        ("catena(komi=-2)", "komi must be 0 to 15"),
        ("catena(game=double,komi=-1)", "komi must be 0"),
    ],
)
def test_wrong_parameters_are_refused(setup: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pyspiel.load_game(setup)


def test_no_game_is_longer_than_said() -> None:
    for setup in SETUPS:
        game, rng = pyspiel.load_game(setup), random.Random(1)
        for _ in range(5):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
            assert 0 < state.move_number() <= game.max_game_length()


# --- observers ----------------------------------------------------------------------------------


def asymmetric() -> Iterator[tuple[pyspiel.State, int]]:
    """A position that looks different from each side, with the seat that has Black."""
    game = pyspiel.load_game("catena(size=3,komi=-1)")
    for colour, black in (("white", 0), ("black", 1)):
        state = game.new_initial_state()
        for text in ("komi:3", colour, "A1", "E5", "B1"):
            state.apply_action(state.string_to_action(text))
        yield state, black


def test_an_observation_is_seen_from_the_players_side() -> None:
    for state, black in asymmetric():
        observation = make_observation(state.get_game())
        planes = observation.dict["observation"]
        assert planes.shape == (catena.NUM_PLANES, 5, 5)
        for player in (0, 1):
            observation.set_from(state, player)
            mine, theirs = np.argwhere(planes[0]).tolist(), np.argwhere(planes[1]).tolist()
            # By column and row: Black has A1 and B1, White has E5.
            blacks, whites = [[0, 0], [1, 0]], [[4, 4]]
            assert (mine, theirs) == ((blacks, whites) if player == black else (whites, blacks))
            # The same by the older interface.
            assert state.observation_tensor(player) == observation.tensor.tolist()
        assert state.get_game().observation_tensor_shape() == list(planes.shape)


def test_a_tensor_and_its_planes_share_memory() -> None:
    observation = make_observation(pyspiel.load_game("catena(size=2)"))
    assert np.shares_memory(observation.tensor, observation.dict["observation"])
    assert observation.tensor.dtype == np.float32


def test_observations_of_a_finished_game() -> None:
    state = pyspiel.load_game("catena(size=2)").new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    for player in (0, 1):
        assert len(state.observation_tensor(player)) == catena.NUM_PLANES * 9


def test_strings_of_observers() -> None:
    state = pyspiel.load_game("catena(size=2)").new_initial_state()
    state.apply_action(2)
    state.apply_action(7)
    for player in (0, 1):
        assert state.observation_string(player) == "2 komi standard 0 1b/3/2 b w 1"
        assert state.information_state_string(player) == "2, 7"
    private = pyspiel.IIGObservationType(
        public_info=False, perfect_recall=False, private_info=pyspiel.PrivateInfoType.SINGLE_PLAYER
    )
    assert make_observation(state.get_game(), private).string_from(state, 0) == ""
    with pytest.raises(ValueError, match="no parameters"):
        make_observation(state.get_game(), params={"planes": 3})
