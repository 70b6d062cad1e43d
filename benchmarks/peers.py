"""Catena beside what people would use instead: the same jobs, in one run, taking turns.

Needs the extra `peers`.  A library that can't be imported is named and left out.  All of it runs in
one process, and Havannah on one size of board only: OpenSpiel keeps the geometry of its boards in
one table for all games.
"""

import argparse
import importlib.metadata
import itertools
import random
import sys
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from report import Spread, as_dict, console, facts, print_facts, print_json, spread, ticks
from rich.markup import escape
from rich.table import Table

import catena
from catena.bench import KNOWN

Work = Callable[[int], float]  # does a job so many times and returns how many units that was

SEED = 11
PLIES = 20  # random moves before the position that is copied, listed and so on
WALK = 60  # moves of a random walk, at most
ROLLOUTS = 1000  # of one search
BATCH = 256  # positions observed at once
CATENA = "Catena"


class Job(NamedTuple):
    """One row of the table: what is done, and the unit that is counted."""

    title: str
    unit: str
    is_rate: bool  # units a second, or nanoseconds a unit
    note: str
    target: float | None = None  # times as fast as OpenSpiel's Havannah


JOBS = {
    "games": Job(
        "random games in the library",
        "games/s",
        True,
        "OpenSpiel: rollouts of the root by RandomRolloutEvaluator in one simulation of MCTSBot. "
        "A random game of Havannah is longer than one of Catena, see the next row.",
        10,
    ),
    "game moves": Job(
        "the same, by moves",
        "moves/s",
        True,
        "Mean lengths: {lengths}; of Havannah from 200 random games played from Python.",
    ),
    "perft": Job(
        "perft in the library",
        "nodes/s",
        True,
        "Catena counts the last two moves without making them, many at once, chessmg the last one. "
        "Catena has 92 moves at the start and chess 20, so that more of its nodes are counted at a "
        "time; a chess move is more work to find.",
    ),
    "python perft": Job(
        "perft written in Python",
        "nodes/s",
        True,
        "List the moves, make one, count below it, take it back; the last ply is counted by the "
        "cheapest call that the library has. A library without a way to take a move back makes it "
        "on a copy. Sequences of 3 moves, of 4 in Reversi, where there are few.",
    ),
    "push pop": Job(
        "make a move, take it back",
        "ns",
        False,
        f"Every legal move of a position after {PLIES} random ones. OpenSpiel's Havannah and "
        "rust-reversi can't take a move back: they make it on a copy. chessmg keeps positions as "
        "text and reads the one before.",
    ),
    "copy": Job(
        "copy a position",
        "ns",
        False,
        f"After {PLIES} random moves. rust-reversi's position is two words and a side, without "
        "history; those of Catena, OpenSpiel, python-chess and cshogi have one, which Catena's "
        "copies share.",
    ),
    "moves": Job(
        "list of legal moves",
        "ns",
        False,
        "Of the same positions; their numbers of moves: {moves}.",
    ),
    "mask": Job(
        "mask of legal moves",
        "ns",
        False,
        "Catena fills an array that it is given; the others make a new list.",
    ),
    "observe": Job(
        "observation into a NumPy array",
        "ns",
        False,
        "Catena: observe(out), 18 planes of 11 x 11. OpenSpiel: set_from of its Python observer, 3 "
        "planes.",
        10,
    ),
    "observe batch": Job(
        "the same, many positions",
        "ns",
        False,
        f"A position of {BATCH}: Catena's Batch.observe(out). OpenSpiel has a call for each.",
        10,
    ),
    "observe list": Job(
        "the same, from a list",
        "ns",
        False,
        "Catena: observe(out). OpenSpiel: numpy.asarray(state.observation_tensor(player)).",
        10,
    ),
    "walk": Job(
        "random games from Python",
        "moves/s",
        True,
        f"List the moves, choose one, make it, until there is none; at most {WALK} moves. All draw "
        "from the same generator of Python's.",
    ),
}


class Peer(NamedTuple):
    """A library: its name and distribution, what it plays, and its jobs."""

    name: str
    distribution: str
    plays: str
    load: Callable[[], "Loaded"]
    needs: str = ""


class Loaded(NamedTuple):
    """What a library does here, and what has to be known to read its figures."""

    jobs: dict[str, Work]
    moves: int  # in the list of legal moves
    length: float = 0.0  # mean, of the random games that the library plays itself


# --- what several libraries share ---------------------------------------------------------------


def calls(function: Callable[[], object]) -> Work:
    """Work that is one call of ``function``, counted as one unit."""

    def work(times: int) -> float:
        for _ in range(times):
            function()
        return times

    return work


def counts(function: Callable[[], int], expected: int) -> Work:
    """Work that counts ``expected`` nodes; the count is checked each time."""

    def work(times: int) -> float:
        for _ in range(times):
            count = function()
            if count != expected:
                raise SystemExit(f"perft is {count}, not {expected}")
        return times * expected

    return work


def pairs(moves: list[Any], make: Callable[[Any], object], take_back: Callable[[], object]) -> Work:
    """Work that makes each move and takes it back; the unit is one such pair."""

    def work(times: int) -> float:
        for _ in range(times):
            for move in moves:
                make(move)
                take_back()
        return times * len(moves)

    return work


def on_copies(
    moves: list[Any], copy: Callable[[], Any], make: Callable[[Any, Any], object]
) -> Work:
    """The same where moves can't be taken back: each is made on a copy."""

    def work(times: int) -> float:
        for _ in range(times):
            for move in moves:
                make(copy(), move)
        return times * len(moves)

    return work


def walks(
    new: Callable[[], Any], list_moves: Callable[[Any], Any], make: Callable[[Any, Any], object]
) -> Work:
    """Work that plays random games from Python; the unit is a move."""
    draw = random.Random(SEED).random

    def work(times: int) -> float:
        made = 0
        for _ in range(times):
            board = new()
            for _ in range(WALK):
                moves = list_moves(board)
                if not moves:
                    break
                make(board, moves[int(draw() * len(moves))])
                made += 1
        return made

    return work


def after_random_moves(board: Any, list_moves: Callable[[Any], Any], make: Any) -> Any:
    """``board`` after PLIES random moves; fewer if the game ends before."""
    draw = random.Random(SEED).random
    for _ in range(PLIES):
        moves = list_moves(board)
        make(board, moves[int(draw() * len(moves))])
    return board


# --- the libraries ------------------------------------------------------------------------------


def load_catena() -> Loaded:
    Board = catena.Board  # noqa: N806
    start = Board()
    board = after_random_moves(Board(), Board.legal_moves, Board.push)
    moves = board.legal_moves()
    mask = np.empty(board.num_moves, np.uint8)
    planes = board.observe()
    seeds = itertools.count(1)

    def games(times: int) -> float:
        return len(catena.playouts(start, ROLLOUTS * times, seed=next(seeds)))

    batch = catena.Batch(BATCH)
    for index in range(BATCH):
        batch.set_board(index, board)
    many = batch.observe()
    assert (many[-1] == board.observe()).all()

    def observe_batch(times: int) -> float:
        for _ in range(times):
            batch.observe(many)
        return BATCH * times

    def perft(board: catena.Board, depth: int) -> int:
        if depth == 1:
            return board.legal_count
        count = 0
        for move in board.legal_moves():
            board.push(move)
            count += perft(board, depth - 1)
            board.pop()
        return count

    jobs = {
        "games": games,
        "perft": counts(lambda: catena.perft(start, 4), KNOWN[6][4]),
        "python perft": counts(lambda: perft(start, 3), KNOWN[6][3]),
        "push pop": pairs(moves, board.push, board.pop),
        "copy": calls(board.copy),
        "moves": calls(board.legal_moves),
        "mask": calls(lambda: board.legal_mask(mask)),
        "observe": calls(lambda: board.observe(planes)),
        "observe batch": observe_batch,
        "observe list": calls(lambda: board.observe(planes)),
        "walk": walks(Board, Board.legal_moves, Board.push),
    }
    length = float(catena.playouts(start, 10_000, seed=SEED).plies.mean())
    return Loaded(jobs, len(moves), length)


def load_openspiel() -> Loaded:
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game("havannah(board_size=6)")
    start = game.new_initial_state()
    State = type(start)  # noqa: N806
    state = after_random_moves(game.new_initial_state(), State.legal_actions, State.apply_action)
    actions = state.legal_actions()
    observation = make_observation(game)
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=ROLLOUTS, seed=SEED)
    bot = pyspiel.MCTSBot(
        game, evaluator, uct_c=2.0, max_simulations=1, max_memory_mb=100, solve=False, seed=SEED,
        verbose=False,
    )  # fmt: skip

    def games(times: int) -> float:
        # The only simulation ends at the root, so that it rolls out the root and nothing else.
        for _ in range(times):
            root = bot.mcts_search(start)
        assert root.explore_count == 1
        return times * ROLLOUTS

    draw, lengths = random.Random(SEED).random, 0
    for _ in range(200):
        other = game.new_initial_state()
        while not other.is_terminal():
            moves = other.legal_actions()
            other.apply_action(moves[int(draw() * len(moves))])
        lengths += other.move_number()

    def perft(state: Any, depth: int) -> int:
        actions = state.legal_actions()
        if depth == 1:
            return len(actions)
        count = 0
        for action in actions:
            child = state.clone()
            child.apply_action(action)
            count += perft(child, depth - 1)
        return count

    jobs = {
        "games": games,
        # No game ends within three moves, and no cell is ever closed.
        "python perft": counts(lambda: perft(start, 3), 91 * 90 * 89),
        "push pop": on_copies(actions, state.clone, State.apply_action),
        "copy": calls(state.clone),
        "moves": calls(state.legal_actions),
        "mask": calls(state.legal_actions_mask),
        "observe": calls(lambda: observation.set_from(state, 0)),
        "observe batch": calls(lambda: observation.set_from(state, 0)),
        "observe list": calls(lambda: np.asarray(state.observation_tensor(0), np.float32)),
        "walk": walks(game.new_initial_state, State.legal_actions, State.apply_action),
    }
    return Loaded(jobs, len(actions), lengths / 200)


def load_reversi() -> Loaded:
    from rust_reversi import Board

    def list_moves(board: Any) -> list[int]:
        moves = board.get_legal_moves_vec()
        while not moves and not board.is_game_over():
            board.do_pass()
            moves = board.get_legal_moves_vec()
        return moves

    board = after_random_moves(Board(), list_moves, Board.do_move)
    moves = list_moves(board)

    def perft(board: Any, depth: int) -> int:
        if depth == 1:
            return board.get_legal_moves().bit_count()
        count = 0
        for child in board.get_child_boards():  # nobody has to pass so early
            count += perft(child, depth - 1)
        return count

    start = Board()
    jobs = {
        "python perft": counts(lambda: perft(start, 4), 244),
        "push pop": on_copies(moves, board.clone, Board.do_move),
        "copy": calls(board.clone),
        "moves": calls(board.get_legal_moves_vec),
        "mask": calls(board.get_legal_moves_tf),
        "walk": walks(Board, list_moves, Board.do_move),
    }
    return Loaded(jobs, len(moves))


def jobs_of(board_type: Any, count_last: Callable[[Any], int], known: int) -> Loaded:
    """The jobs of python-chess, and of cshogi, whose boards are called alike.

    ``count_last`` counts the moves of a position; ``known`` is what perft(3) has to give.
    """

    def list_moves(board: Any) -> list[Any]:
        return list(board.legal_moves)

    board = after_random_moves(board_type(), list_moves, board_type.push)
    moves = list_moves(board)

    def perft(board: Any, depth: int) -> int:
        if depth == 1:
            return count_last(board)
        count = 0
        for move in board.legal_moves:
            board.push(move)
            count += perft(board, depth - 1)
            board.pop()
        return count

    start = board_type()
    jobs = {
        "python perft": counts(lambda: perft(start, 3), known),
        "push pop": pairs(moves, board.push, board.pop),
        "copy": calls(board.copy),
        "moves": calls(lambda: list(board.legal_moves)),
        "walk": walks(board_type, list_moves, board_type.push),
    }
    return Loaded(jobs, len(moves))


def load_chess() -> Loaded:
    from chess import Board

    return jobs_of(Board, lambda board: board.legal_moves.count(), 8902)


def load_bulletchess() -> Loaded:
    from bulletchess import Board, utils

    board = after_random_moves(Board(), Board.legal_moves, Board.apply)
    moves = board.legal_moves()

    def perft(board: Any, depth: int) -> int:
        if depth == 1:
            return utils.count_moves(board)
        count = 0
        for move in board.legal_moves():
            board.apply(move)
            count += perft(board, depth - 1)
            board.undo()
        return count

    start = Board()
    jobs = {
        "perft": counts(lambda: utils.perft(start, 4), 197281),
        "python perft": counts(lambda: perft(start, 3), 8902),
        "push pop": pairs(moves, board.apply, board.undo),
        "copy": calls(board.copy),
        "moves": calls(board.legal_moves),
        "walk": walks(Board, Board.legal_moves, Board.apply),
    }
    return Loaded(jobs, len(moves))


def load_chessmg() -> Loaded:
    from chessmg import ChessPosition

    position = after_random_moves(
        ChessPosition(), ChessPosition.legal_moves, ChessPosition.make_move
    )
    moves = position.legal_moves()
    start = ChessPosition()
    jobs = {
        "perft": counts(lambda: start.perft(4), 197281),
        "push pop": pairs(moves, position.make_move, position.undo_move),
        "copy": calls(position.copy),
        "moves": calls(position.legal_moves),
        "walk": walks(ChessPosition, ChessPosition.legal_moves, ChessPosition.make_move),
    }
    return Loaded(jobs, len(moves))


def load_cshogi() -> Loaded:
    from cshogi import Board

    return jobs_of(Board, lambda board: len(board.legal_moves), 25470)


OPENSPIEL = "OpenSpiel"
PEERS = [
    Peer(OPENSPIEL, "open_spiel", "Havannah on the same 91 cells, C++", load_openspiel),
    Peer("rust-reversi", "rust-reversi", "Reversi, Rust", load_reversi),
    Peer("python-chess", "chess", "chess, Python", load_chess),
    Peer("bulletchess", "bulletchess", "chess, C", load_bulletchess, "Python 3.13"),
    Peer("chessmg", "chessmg", "chess, C++ and Python", load_chessmg),
    Peer("cshogi", "cshogi", "shogi, Cython and C++", load_cshogi),
]


# --- the run ------------------------------------------------------------------------------------


class Result(NamedTuple):
    """A job done by Catena and by a peer, and how many times as fast Catena was."""

    job: str
    peer: str
    catena: Spread
    other: Spread
    ratio: Spread


def seconds_per_unit(work: Work, times: int) -> float:
    start = process_time()
    units = work(times)
    return (process_time() - start) / units


def times_for(work: Work, seconds: float) -> int:
    """How often a job fits into a slice of so many seconds."""
    times = 1
    while True:
        start = process_time()
        work(times)
        took = process_time() - start
        if took > seconds / 4:
            return max(1, round(times * seconds / took))
        times *= 4


def compare(job: str, works: dict[str, Work], rounds: int, seconds: float) -> Iterator[Result]:
    """Let all libraries do a job in turn, Catena in each round."""
    times = {name: times_for(work, seconds) for name, work in works.items()}
    took: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds):
        names = list(works)
        for name in names if turn % 2 == 0 else names[::-1]:
            took[name].append(seconds_per_unit(works[name], times[name]))
    own = took.pop(CATENA)
    for name, others in took.items():
        ratios = [other / ours for ours, other in zip(own, others, strict=True)]
        yield Result(job, name, figure(job, own), figure(job, others), spread(ratios))


def figure(job: str, seconds: list[float]) -> Spread:
    return spread([1 / s if JOBS[job].is_rate else s * 1e9 for s in seconds])


def by_moves(result: Result, loaded: dict[str, Loaded]) -> Result:
    """Random games counted by their moves."""
    ours, others = loaded[CATENA].length, loaded[result.peer].length
    return Result(
        "game moves",
        result.peer,
        Spread(*(value * ours for value in result.catena)),
        Spread(*(value * others for value in result.other)),
        Spread(*(value * ours / others for value in result.ratio)),
    )


def load(wanted: list[str] | None) -> tuple[dict[str, Loaded], list[str]]:
    """The libraries that are here, and what to say of each."""
    loaded = {CATENA: load_catena()}
    said = []
    for peer in PEERS:
        if wanted is not None and peer.name.lower() not in wanted:
            continue
        try:
            loaded[peer.name] = peer.load()
        except ImportError as error:
            needs = f" (needs {peer.needs})" if peer.needs else ""
            said.append(f"{peer.name}: left out, {error}{needs}")
            continue
        version = importlib.metadata.version(peer.distribution)
        said.append(f"{peer.name} {version}: {peer.plays}")
    return loaded, said


def measure(loaded: dict[str, Loaded], rounds: int, seconds: float) -> list[Result]:
    results: list[Result] = []
    for job in ticks(JOBS, "job"):
        works = {name: library.jobs[job] for name, library in loaded.items() if job in library.jobs}
        if len(works) > 1:
            results += compare(job, works, rounds, seconds)
        if job == "games":
            results += [by_moves(result, loaded) for result in results]
    return results


# --- output -------------------------------------------------------------------------------------


def number(value: float) -> str:
    """Three digits that count, with a letter for thousands, millions, ..."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if letter == 'k' else size):.3g}{letter}"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def cells(result: Result) -> tuple[str, ...]:
    job, ratio = JOBS[result.job], result.ratio
    digits = 1 if ratio.median < 20 else 0
    return (
        job.title,
        result.peer,
        f"{number(result.catena.median)} {job.unit}",
        f"{number(result.other.median)} {job.unit}",
        f"{ratio.median:.{digits}f}",
        f"{ratio.low:.{digits}f}-{ratio.high:.{digits}f}",
    )


HEADER = ("job", "beside", "Catena", "the other", "times as fast", "quartiles")


def notes(results: list[Result], loaded: dict[str, Loaded]) -> list[str]:
    """What the figures don't show, for each job that has been measured."""
    used = dict.fromkeys(result.job for result in results)
    return [f"{JOBS[job].title}: {note(job, loaded)}" for job in used]


def note(job: str, loaded: dict[str, Loaded]) -> str:
    return JOBS[job].note.format(
        moves=", ".join(f"{name} {library.moves}" for name, library in loaded.items()),
        lengths=", ".join(f"{name} {lib.length:.1f}" for name, lib in loaded.items() if lib.length),
    )


GENERAL = (
    "Different games are different work: a ratio between games tells what a program on top would "
    "feel, not whose code is better. Medians of {rounds} rounds, processor time, one thread; the "
    "loops in Python around the calls are counted."
)


def missed(results: list[Result]) -> list[str]:
    return [
        f"MISSED: {JOBS[r.job].title}, {r.ratio.median:.1f} times {r.peer}, target {target:g}"
        for r in results
        if r.peer == OPENSPIEL and (target := JOBS[r.job].target) and r.ratio.median < target
    ]


def print_markdown(
    results: list[Result], loaded: dict[str, Loaded], said: list[str], rounds: int
) -> None:
    for name, fact in facts().items():
        print(f"- {name}: {fact}")
    for line in said:
        print(f"- {line}")
    print()
    print("| " + " | ".join(HEADER) + " |")
    print("|---|---|---:|---:|---:|---:|")
    for result in results:
        print("| " + " | ".join(cells(result)) + " |")
    print()
    for note in [GENERAL.format(rounds=rounds), *notes(results, loaded)]:
        print(f"- {note}")


def print_table(
    results: list[Result], loaded: dict[str, Loaded], said: list[str], rounds: int
) -> None:
    out = console()
    print_facts(out)
    for line in said:
        out.print(escape(line), style="yellow" if "left out" in line else "")
    table = Table(title=f"{CATENA}, size 6, beside others", title_justify="left")
    for index, name in enumerate(HEADER):
        table.add_column(name, justify="left" if index < 2 else "right")
    previous = None
    for result in results:
        if previous not in (None, result.job):
            table.add_section()
        title, *rest = cells(result)
        table.add_row("" if previous == result.job else title, *rest)
        previous = result.job
    out.print(table)
    for note in [GENERAL.format(rounds=rounds), *notes(results, loaded)]:
        out.print(f"- {escape(note)}")
    for line in missed(results):
        out.print(line, style="bold red")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9, help="of slices (9)")
    parser.add_argument("--seconds", type=float, default=0.05, help="of a slice (0.05)")
    parser.add_argument("--only", metavar="NAMES", help="these libraries, commas between")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON, not a table")
    output.add_argument("--markdown", action="store_true", help="print a table for a README")
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds must be at least 1 and --seconds more than 0")
    wanted = options.only.lower().split(",") if options.only else None
    if wanted and not set(wanted) <= {peer.name.lower() for peer in PEERS}:
        parser.error(f"--only takes {', '.join(peer.name.lower() for peer in PEERS)}")
    loaded, said = load(wanted)
    if len(loaded) == 1:
        for line in said:
            print(line, file=sys.stderr)
        raise SystemExit("no peer is installed: pip install -e '.[peers]'")
    results = measure(loaded, options.rounds, options.seconds)
    if options.json:
        rows = [as_dict(row) for row in results]
        for row in rows:
            row["unit"], row["note"] = JOBS[row["job"]].unit, note(row["job"], loaded)
        print_json({"libraries": said, "rounds": options.rounds, "rows": rows})
    elif options.markdown:
        print_markdown(results, loaded, said, options.rounds)
    else:
        print_table(results, loaded, said, options.rounds)


if __name__ == "__main__":
    main()
