"""What the adapters cost, beside games of OpenSpiel and PettingZoo themselves, in one run.

Needs the extras openspiel and pettingzoo, and pygame for PettingZoo's own game; a framework that is
not installed is named and left out.  The candidates take turns in each round, and a ratio is made
within a round: what disturbs the machine then disturbs both sides.
"""

import argparse
import random
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from report import Spread, console, mark, print_facts, print_json, spread, ticks
from rich.table import Table

import catena

GAMES = 40  # of each candidate in a round
REPEATS = 15  # of each game where single steps are timed
LENGTH = 45  # moves in a game of the empty game: about as many as in one of Catena

HAVANNAH = "havannah(board_size=6)"  # the same 91 cells

Measure = Callable[[], float]  # one round; microseconds a move


class Comparison(NamedTuple):
    """Candidates measured in turns: the first is ours, the second what the target speaks of."""

    title: str
    target: float | None  # how many times the second's time may be of the first's, at least
    candidates: dict[str, Measure]


class Part(NamedTuple):
    """One thing that a move costs: of ours, of a game that does nothing, and of Board alone."""

    name: str
    catena: Measure
    empty: Measure | None
    board: Measure | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="of all candidates (7)")
    parser.add_argument("--json", action="store_true", help="print JSON, not tables")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    comparisons: list[Comparison] = []
    parts: list[Part] = []
    missing = []
    for name, add in (("OpenSpiel", add_openspiel), ("PettingZoo", add_pettingzoo)):
        try:
            add(comparisons, parts)
        except ImportError as error:
            missing.append(f"{name} is left out: {error}")

    results = {c.title: measured(c, options.rounds) for c in comparisons}
    where = {part.name: least(part, options.rounds) for part in parts}
    if options.json:
        plain = {
            title: {name: {k: v._asdict() for k, v in row._asdict().items()} for name, row in rows}
            for title, rows in ((title, found.items()) for title, found in results.items())
        }
        print_json({"comparisons": plain, "parts": where, "missing": missing})
        return
    out = console()
    print_facts(out)
    for line in missing:
        out.print(line)
    for comparison in comparisons:
        out.print(table_of(comparison, results[comparison.title]))
    if parts:
        out.print(table_of_parts(where))


# --- OpenSpiel ----------------------------------------------------------------------------------


def add_openspiel(comparisons: list[Comparison], parts: list[Part]) -> None:
    """Add random games driven from Python, and what each part of a move costs."""
    import open_spiel.python.games.tic_tac_toe  # noqa: F401 - registers python_tic_tac_toe
    import pyspiel

    import catena.adapters.openspiel

    game, empty = pyspiel.load_game("catena"), empty_game(pyspiel)
    others = [pyspiel.load_game(name) for name in ("python_tic_tac_toe", HAVANNAH)]
    comparisons.append(
        Comparison(
            f"OpenSpiel {version('open_spiel')}: random games driven from Python",
            2,
            {
                "catena": lambda: random_games(game),
                "python_tic_tac_toe": lambda: random_games(others[0]),
                "a game in Python that does nothing": lambda: random_games(empty),
                f"{HAVANNAH}, in C++": lambda: random_games(others[1]),
                "catena.Board without OpenSpiel": random_boards,
            },
        )
    )
    rng = random.Random(5)
    histories = [catena.Board().playout(seed).history for seed in range(GAMES)]
    state, still = game.new_initial_state(), empty.new_initial_state()
    board, moves, ask = state.board, state.legal_actions(), pyspiel.State.legal_actions
    parts += [
        Part("state.is_terminal()", each(state.is_terminal), each(still.is_terminal), None),
        Part(
            "state.legal_actions()",
            each(state.legal_actions),
            each(still.legal_actions),
            each(board.legal_moves),
        ),
        Part("  asked from C++", each(lambda: ask(state)), each(lambda: ask(still)), None),
        Part("random.choice(actions)", each(lambda: rng.choice(moves)), None, None),
        Part(
            "state.apply_action(action)",
            lambda: replay(game.new_initial_state, "apply_action", histories),
            lambda: replay(empty.new_initial_state, "apply_action", histories),
            lambda: replay(game.start.copy, "push", histories),
        ),
        Part("state.clone()", each(state.clone), each(still.clone), each(board.copy)),
        Part("game.new_initial_state()", each(game.new_initial_state), None, each(catena.Board)),
    ]


def random_games(game: Any) -> float:
    """Play random games as a Python program does; microseconds a move."""
    rng, moves = random.Random(1), 0
    start = time.thread_time()
    for _ in range(GAMES):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
    return (time.thread_time() - start) / moves * 1e6


def random_boards() -> float:
    """Play random games on Board; microseconds a move."""
    rng, moves = random.Random(1), 0
    start = time.thread_time()
    for _ in range(GAMES):
        board = catena.Board()
        while not board.is_over:
            board.push(rng.choice(board.legal_moves()))
            moves += 1
    return (time.thread_time() - start) / moves * 1e6


def replay(make: Callable[[], Any], method: str, histories: Sequence[Sequence[int]]) -> float:
    """Play given games with one method; microseconds a move."""
    start = time.thread_time()
    for history in histories:
        play = getattr(make(), method)
        for move in history:
            play(move)
    return (time.thread_time() - start) / sum(map(len, histories)) * 1e6


def each(function: Callable[[], Any], batch: int = 500, batches: int = 20) -> Measure:
    """Measure a call without arguments: the least of several batches."""

    def measure() -> float:
        times = []
        for _ in range(batches):
            start = time.perf_counter()
            for _ in range(batch):
                function()
            times.append(time.perf_counter() - start)
        return min(times) / batch * 1e6

    return measure


def empty_game(pyspiel: Any) -> Any:
    """Return a game in Python that only counts: what OpenSpiel's bindings cost by themselves."""
    kind = pyspiel.GameType(
        short_name="empty",
        long_name="Empty",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        parameter_specification={},
    )
    actions = list(range(60))  # about as many as are legal in the middle of a game of Catena

    class State(pyspiel.State):
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.left = LENGTH

        def current_player(self) -> int:
            return 0

        def is_terminal(self) -> bool:
            return self.left <= 0

        def _legal_actions(self, player: int) -> list[int]:
            return actions

        def _apply_action(self, action: int) -> None:
            self.left -= 1

    class Game(pyspiel.Game):
        def __init__(self) -> None:
            numbers = pyspiel.GameInfo(
                num_distinct_actions=200,
                max_chance_outcomes=0,
                num_players=2,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=0.0,
                max_game_length=LENGTH,
            )
            super().__init__(kind, numbers, {})

        def new_initial_state(self) -> State:
            return State(self)

    return Game()


# --- PettingZoo ---------------------------------------------------------------------------------


def add_pettingzoo(comparisons: list[Comparison], parts: list[Part]) -> None:
    """Add steps of the environments as ``env()`` wraps them, and bare."""
    del parts
    # The module that has the deprecated name would warn.
    from pettingzoo.classic.connect_four import connect_four

    import catena.adapters.pettingzoo as catena_v0

    modules = {"catena_v0": catena_v0, "connect_four_v3": connect_four}
    games = {name: [recorded(m.env(), seed) for seed in range(3)] for name, m in modules.items()}
    ways: list[tuple[str, float | None, Callable[[Any, Any], float]]] = [
        ("step(), wrapped", 3, lambda m, g: steps(m.env(), g, True)),
        ("step(), wrapped, no last() before", None, lambda m, g: steps(m.env(), g, False)),
        ("step(), raw_env", None, lambda m, g: steps(m.raw_env(), g, True)),
        ("last() and step(), wrapped", None, lambda m, g: whole_turns(m.env(), g)),
    ]
    for way, target, measure in ways:
        candidates = {
            name: partial(measure, module, games[name]) for name, module in modules.items()
        }
        title = f"PettingZoo {version('pettingzoo')}: {way}"
        comparisons.append(Comparison(title, target, candidates))


def recorded(env: Any, seed: int) -> list[int]:
    """Return the actions of a random game."""
    rng, actions = random.Random(seed), []
    env.reset()
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
            continue
        actions.append(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
        env.step(actions[-1])
    return actions


def steps(env: Any, games: Iterable[Sequence[int]], observed: bool) -> float:
    """Time the steps alone; each counts with the least time that it took in the repeats."""
    clock, total, count = time.perf_counter, 0.0, 0
    for actions in games:
        least = [float("inf")] * len(actions)
        for _ in range(REPEATS):
            env.reset()
            for i, action in enumerate(actions):
                if observed:
                    env.last()
                start = clock()
                env.step(action)
                least[i] = min(least[i], clock() - start)
        total += sum(least)
        count += len(actions)
    return total / count * 1e6


def whole_turns(env: Any, games: Iterable[Sequence[int]]) -> float:
    """Time the loop that a learner runs, without its own work."""
    start, count = time.thread_time(), 0
    for actions in games:
        for _ in range(REPEATS // 3):
            env.reset()
            for action in actions:
                env.last()
                env.step(action)
            count += len(actions)
    return (time.thread_time() - start) / count * 1e6


# --- results ------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A candidate: its time for a move, and how many times that is ours."""

    microseconds: Spread
    ratio: Spread


def measured(comparison: Comparison, rounds: int) -> dict[str, Row]:
    times: dict[str, list[float]] = {name: [] for name in comparison.candidates}
    for _ in ticks(range(rounds), "round"):
        for name, measure in comparison.candidates.items():
            times[name].append(measure())
    ours = next(iter(times.values()))
    return {
        name: Row(spread(values), spread([v / our for v, our in zip(values, ours, strict=True)]))
        for name, values in times.items()
    }


def least(part: Part, rounds: int) -> dict[str, float | None]:
    """The least time of each column: what disturbs the machine only adds to it."""
    columns = part._asdict()
    del columns["name"]
    return {
        name: min(measure() for _ in range(rounds)) if measure else None
        for name, measure in columns.items()
    }


def table_of(comparison: Comparison, rows: dict[str, Row]) -> Table:
    table = Table(title=comparison.title, title_justify="left")
    table.add_column("")
    for heading in ("us a move", "moves/s", "times ours", "target"):
        table.add_column(heading, justify="right")
    for place, (name, row) in enumerate(rows.items()):
        verdict = ""
        if place == 1 and comparison.target is not None:
            kept = mark(row.ratio.median, comparison.target, at_most=False)
            verdict = f">= {comparison.target:g}: {kept}"
        table.add_row(
            name,
            str(row.microseconds),
            f"{1e6 / row.microseconds.median:,.0f}",
            str(row.ratio),
            verdict,
        )
    return table


def table_of_parts(where: dict[str, dict[str, float | None]]) -> Table:
    title = "OpenSpiel: where the time goes, microseconds a call (first position, no history)"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for heading in ("catena", "a game that does nothing", "catena.Board alone"):
        table.add_column(heading, justify="right")
    for name, columns in where.items():
        table.add_row(name, *("" if t is None else f"{t:.2f}" for t in columns.values()))
    return table


if __name__ == "__main__":
    # PettingZoo's environments warn about newer ways of making them.
    warnings.simplefilter("ignore")
    main()
