"""Self-play: games that a policy plays against itself."""

from collections.abc import Callable
from operator import index as as_int
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex

from catena._core import Board, IllegalMoveError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.random import Generator

__all__ = ["Game", "Policy", "selfplay"]

Policy = Callable[[Board, "Generator"], SupportsIndex | str]

MAX_GAMES = 1 << 30
# A job of this length costs little to send and leaves work for every worker.
JOB_SECONDS = 0.2
# Games are timed for as long as this; one that takes longer than a job is given up and is a job.
PILOT_SECONDS = 0.05


class Game(NamedTuple):
    """A game that :func:`selfplay` has played.

    ``moves`` are the moves made from the starting position on, ``scores`` those of Black and White,
    ``returns`` 1.0, -1.0 or 0.0 for the first and the second seat, and ``winner`` is BLACK, WHITE
    or, for a draw, None.
    """

    moves: tuple[int, ...]
    scores: tuple[float, float]
    returns: tuple[float, float]
    winner: int | None


def selfplay(
    board: Board,
    games: SupportsIndex,
    *,
    policy: Policy,
    seed: SupportsIndex,
    executor: "Executor | None" = None,
    finished: Callable[[int], None] | None = None,
) -> list[Game]:
    """Play ``games`` games from ``board``, every move chosen by ``policy(board, rng)``.

    The policy gets a copy of the board, with its history, to search on as it likes, and returns a
    legal move, an int or its text.  Whatever it draws must come from ``rng``, game i's own NumPy
    generator: ``PCG64(SeedSequence(seed, spawn_key=(i,)))``.  A policy that keeps nothing from one
    call to the next makes game i depend on (seed, i) alone, not on threads, machines or ``games``.
    (PCG64's bits never change; how NumPy makes numbers of them may, from one release to another.)

    With an ``executor`` (``concurrent.futures``) the games run in jobs of about a fifth of a
    second, or of one game if that takes longer.  Each job carries the policy, so for other
    processes it must pickle and should be small.  ``finished`` is called with the number of games
    that are done, now and then.

    The games come back in order.  On a finished board they have no moves and the board's result.

    :raises IllegalMoveError: for a move that the rules refuse, naming game and ply.
    :raises Exception: what the policy raises, with a note that names game and ply.
    :raises ValueError: if ``games`` is not 1 to 2**30 or ``seed`` not 0 to 2**64 - 1.
    """
    if not isinstance(board, Board):
        raise TypeError(f"board must be a Board, not {type(board).__name__}")
    if not callable(policy):
        raise TypeError(f"policy must be callable, not {type(policy).__name__}")
    count = _checked(games, "games", 1, MAX_GAMES)
    number = _checked(seed, "seed", 0, 2**64 - 1)
    start = board.copy()  # threads read it for as long as this runs, and the caller may go on
    if executor is None:
        played = []
        for i in range(count):
            played.append(_play_game(start, policy, number, i))
            if finished is not None:
                finished(i + 1)
        return played
    return _play_in_jobs(start, policy, number, count, executor, finished)


def play_games(board: Board, policy: Policy, seed: int, first: int, count: int) -> list[Game]:
    """Play the games ``first`` to ``first + count - 1`` of a seed: the work of one job."""
    return [_play_game(board, policy, seed, i) for i in range(first, first + count)]


def _checked(value: SupportsIndex, name: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    number = as_int(value)
    if not least <= number <= most:
        raise ValueError(f"{name} must be {least} to {most}, got {number}")
    return number


def _play_game(start: Board, policy: Policy, seed: int, i: int) -> Game:
    board = start.copy()
    rng = _generator(seed, i)
    while not board.is_over:
        _make_move(board, policy, rng, i)
    return _record(start, board)


def _generator(seed: int, i: int) -> "Generator":
    # Imported late, like concurrent.futures below: `import catena` loads neither.
    from numpy.random import PCG64, Generator, SeedSequence

    return Generator(PCG64(SeedSequence(seed, spawn_key=(i,))))


def _make_move(board: Board, policy: Policy, rng: "Generator", i: int) -> None:
    try:
        move = policy(board.copy(), rng)
    except Exception as error:
        error.add_note(f"raised by the policy in game {i} at ply {board.ply}")
        raise
    try:
        board.push(move)
    except IllegalMoveError as error:
        message = f"{error}; chosen by the policy in game {i}"
        raise IllegalMoveError(message, error.move, error.reason) from None
    except TypeError as error:
        raise TypeError(f"{error}: from the policy in game {i} at ply {board.ply}") from None


def _record(start: Board, board: Board) -> Game:
    return Game(tuple(board.history[start.ply :]), board.scores, board.returns, board.winner)


# ---- jobs ----


def _play_in_jobs(
    board: Board,
    policy: Policy,
    seed: int,
    count: int,
    executor: "Executor",
    finished: Callable[[int], None] | None,
) -> list[Game]:
    from catena.parallel import run_jobs

    games, seconds = _pilot(board, policy, seed, count)
    size = max(1, int(JOB_SECONDS / seconds))
    jobs = [
        (board, policy, seed, first, min(size, count - first))
        for first in range(len(games), count, size)
    ]
    done = len(games)

    def add(job: int) -> None:
        nonlocal done
        done += jobs[job][4]
        if finished is not None:
            finished(done)

    if finished is not None and games:
        finished(done)
    for part in run_jobs(play_games, jobs, executor, add):
        games += part
    return games


def _pilot(board: Board, policy: Policy, seed: int, count: int) -> tuple[list[Game], float]:
    """Play the first games here to time them: (those that were finished, seconds for each).

    Long games are no work for the caller's thread while the workers have none.
    """
    games: list[Game] = []
    begin = perf_counter()
    seconds = 0.0
    while len(games) < count and seconds < PILOT_SECONDS:
        game, rng = board.copy(), _generator(seed, len(games))
        while not game.is_over:
            _make_move(game, policy, rng, len(games))
            seconds = perf_counter() - begin
            if seconds > JOB_SECONDS:
                break
        if not game.is_over:
            break
        games.append(_record(board, game))
        seconds = perf_counter() - begin
    return games, max(seconds, 1e-9) / max(len(games), 1)
