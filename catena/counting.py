"""perft and divide, also in jobs on an executor: the core's counts, cut at the first moves."""

from collections.abc import Callable, Iterator
from itertools import islice
from operator import index
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex

from catena import _core
from catena._core import MAX_CLOSED, Board

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["count_after", "divide", "perft"]

Moves = tuple[int, ...]
Finished = Callable[[float], None]

MAX_COUNT = 2**64 - 1

# A job shorter than these costs little to send, leaves work for every worker, and ends soon after
# Ctrl-C, which can't stop a count in another thread.
JOB_SECONDS = 0.2
LONGEST_JOB = 0.5
# How long a count must take to tell the time of deeper ones, and the games that tell their number.
PILOT_SECONDS = 0.0005
PILOT_GAMES = 64
# Jobs handed to an executor at a time: a deep count has more of them than memory.
BATCH = 4096


def perft(
    board: Board,
    depth: SupportsIndex,
    *,
    executor: "Executor | None" = None,
    finished: Finished | None = None,
) -> int:
    """Count the sequences of exactly ``depth`` legal moves; games over earlier do not count.

    Runs without the GIL; Ctrl-C stops it.  With an ``executor`` (``concurrent.futures``) a long
    count runs in jobs of about a fifth of a second.  ``finished`` is called with the part that is
    done, 0.0 to 1.0, now and then and at the end.

    :raises ValueError: if ``depth`` is negative.
    :raises OverflowError: if the count does not fit in 64 bits.
    """
    if executor is None and finished is None:
        return _core.perft(board, depth)
    plies = _checked(_core.perft, board, depth)
    factor, root = 1, board.copy()
    while plies and _is_setup(root):
        factor, plies = factor * root.legal_count, plies - 1
        root.push(root.legal_moves()[0])
    _refuse_overflow(root, plies, factor)
    times = _times(root, plies)
    if times is None:
        total = factor * _core.perft(root, plies)
    else:
        total = 0
        for _, count in _count_in_jobs(root, plies, times, executor, finished):
            total = _fitting(total + factor * count)
    if finished is not None:
        finished(1.0)
    return _fitting(total)


def divide(
    board: Board,
    depth: SupportsIndex,
    *,
    executor: "Executor | None" = None,
    finished: Finished | None = None,
) -> dict[int, int]:
    """Split :func:`perft` by the first move: a dict from each legal move to its count.

    ``executor`` and ``finished`` are as for :func:`perft`.

    :raises ValueError: if ``depth`` is less than 1.
    :raises OverflowError: if a count does not fit in 64 bits.
    """
    if executor is None and finished is None:
        return _core.divide(board, depth)
    plies = _checked(_core.divide, board, depth)
    board = board.copy()  # the caller's may move on while threads work
    moves = board.legal_moves()
    if moves:
        child = board.copy()
        child.push(moves[0])
        if _is_setup(board):
            below = perft(child, plies - 1, executor=executor, finished=finished)
            return dict.fromkeys(moves, below)
        _refuse_overflow(child, plies - 1, 1)
    times = _times(board, plies)
    if times is None:
        counts = _core.divide(board, plies)
    else:
        counts = dict.fromkeys(moves, 0)
        for move, count in _count_in_jobs(board, plies, times, executor, finished):
            counts[move] = _fitting(counts[move] + count)
    if finished is not None:
        finished(1.0)
    return counts


def count_after(board: Board, paths: tuple[Moves, ...], depth: int) -> list[int]:
    """Return what perft counts after each of the ``paths`` from ``board``: the work of one job."""
    scratch, counts = board.copy(), []
    for path in paths:
        for move in path:
            scratch.push(move)
        counts.append(_core.perft(scratch, depth))
        for _ in path:
            scratch.pop()
    return counts


def _checked(
    count: Callable[[Board, SupportsIndex], object], board: Board, depth: SupportsIndex
) -> int:
    """Return the depth as an int; what ``count``, of the core, refuses raises what it raises."""
    _core.perft(board, 0)
    count(_finished_board(), depth)
    # All are alike past the longest game, the button, the komi and the choice of colours included.
    return min(index(depth), board.num_cells + 4)


def _finished_board() -> Board:
    board = Board(2)
    for cell in (0, 1, 4, 6, 5):  # around the middle, but for B1
        board.push(cell)
    return board


def _is_setup(board: Board) -> bool:
    """Whether the next move, the komi or the colours, makes no difference to what can follow."""
    return board.phase in ("komi", "colour")


def _fitting(count: int) -> int:
    if count > MAX_COUNT:
        raise OverflowError("the count does not fit in 64 bits")
    return count


def _refuse_overflow(board: Board, plies: int, factor: int) -> None:
    """Raise before hours of counting if 64 bits are sure to be too few, as the core does."""
    board, least = board.copy(), factor
    # The no-komi game's first stone closes its own cell only, wherever it is placed.
    is_opening = board.game == "no-komi" and not board.stones().any()
    while plies and (is_opening or _is_setup(board)):
        least, plies, is_opening = least * board.legal_count, plies - 1, False
        board.push(board.legal_moves()[0])
    left = board.legal_count - 1  # the button may be one of them
    while plies and left > MAX_CLOSED:
        least, plies, left = _fitting(least * left), plies - 1, left - MAX_CLOSED


# ---- jobs ----


class _Path(NamedTuple):
    """Some first moves."""

    moves: Moves
    weight: int  # how many paths, this one included, have the same sequences after them
    share: float  # of the whole work


def _times(board: Board, plies: int) -> list[float] | None:
    """Estimate the seconds to count on after 0, 1, ... moves; None if it isn't worth cutting.

    The time of a count goes with the number of its sequences up to the last move but one.  That is
    estimated from random games (Knuth, 1975), and the time of each from a less deep count.
    """
    for pilot in range(1, plies):
        start = perf_counter()
        count = _core.perft(board, pilot)
        seconds = perf_counter() - start
        if count == 0:
            return None
        if seconds >= PILOT_SECONDS:
            break
    else:
        return None
    widths = _mean_widths(board, plies)
    seconds /= sum(widths[:pilot])
    times = []
    for ply, width in enumerate(widths):
        times.append(seconds * sum(widths[ply:]) / width if width else 0.0)
    return times if times[0] > LONGEST_JOB else None


def _mean_widths(board: Board, plies: int) -> list[float]:
    """Estimate perft(0), ..., perft(plies - 1), all moves of the set-up counted as one."""
    sums = [0.0] * plies
    for seed in range(PILOT_GAMES):
        game, width = board.copy(), 1.0
        moves = iter(board.playout(seed).history[board.ply :])
        for ply in range(plies):
            sums[ply] += width
            move = next(moves, None)
            if move is None:
                break
            width *= 1 if _is_setup(game) else game.legal_count
            game.push(move)
    return [total / PILOT_GAMES for total in sums]


def _count_in_jobs(
    board: Board,
    plies: int,
    times: list[float],
    executor: "Executor | None",
    finished: Finished | None,
) -> Iterator[tuple[int, int]]:
    """Yield pairs of a first move and a count: some of the sequences that begin with it."""
    from catena.parallel import run_jobs

    cut = next(c for c in range(1, plies) if times[c] <= LONGEST_JOB or c == plies - 1)
    in_a_job = max(1, int(JOB_SECONDS / max(times[cut], 1e-9)))
    paths = _paths(board.copy(), cut, _Path((), 1, 1.0))
    chunks = iter(lambda: tuple(islice(paths, in_a_job)), ())
    done = 0.0
    while batch := list(islice(chunks, BATCH)):

        def report(job: int, batch: list[tuple[_Path, ...]] = batch) -> None:
            nonlocal done
            done += sum(path.share for path in batch[job])
            if finished is not None:
                finished(min(done, 1.0))

        jobs = [(board, tuple(path.moves for path in chunk), plies - cut) for chunk in batch]
        results = run_jobs(count_after, jobs, executor, report)
        for chunk, counts in zip(batch, results, strict=True):
            for path, count in zip(chunk, counts, strict=True):
                yield path.moves[0], path.weight * count


def _paths(board: Board, cut: int, path: _Path) -> Iterator[_Path]:
    """Yield the paths of ``cut`` moves after ``path``; ``board`` is scratch."""
    if cut == 0:
        yield path
        return
    moves, weight = board.legal_moves(), path.weight
    if _is_setup(board):
        moves, weight = moves[:1], weight * len(moves)
    for move in moves:
        board.push(move)
        yield from _paths(
            board, cut - 1, _Path((*path.moves, move), weight, path.share / len(moves))
        )
        board.pop()
