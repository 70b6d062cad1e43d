"""Random playouts: many games from one position, and what they say about it."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from catena._core import BLACK, MAX_PLAYOUTS, WHITE, Board, run_playouts

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from numpy.typing import NDArray

__all__ = ["Playouts", "playouts"]

# A job of this length costs little to send and leaves work for every worker.
JOB_SECONDS = 0.1
# Games are timed for as long as this, in pieces that grow from the first.
PILOT_SECONDS = 0.01
FIRST_PIECE = 64


class Playouts:
    """The results of random playouts, one entry per game.

    ``margin``: int32, Black's score minus White's in half points; with longest scoring 1, 0 or -1.
    ``winner``: int8, BLACK, WHITE or EMPTY for a draw.  ``plies``: int16, the moves made.
    """

    __slots__ = ("margin", "plies", "winner")

    def __init__(self, margin: NDArray[np.int32], plies: NDArray[np.int16]) -> None:
        self.margin = margin
        self.plies = plies
        self.winner = np.where(margin > 0, BLACK, (margin < 0) * WHITE).astype(np.int8)

    def __len__(self) -> int:
        return len(self.margin)

    def __repr__(self) -> str:
        return (
            f"<Playouts: {len(self)} games, black {self.black_wins}, white {self.white_wins}, "
            f"draws {self.draws}, mean margin {self.mean:.2f} half points>"
        )

    @property
    def black_wins(self) -> int:
        """The games that Black won."""
        return int(np.count_nonzero(self.margin > 0))

    @property
    def white_wins(self) -> int:
        """The games that White won."""
        return int(np.count_nonzero(self.margin < 0))

    @property
    def draws(self) -> int:
        """The games that nobody won."""
        return len(self) - self.black_wins - self.white_wins

    @property
    def mean(self) -> float:
        """The mean of ``margin``, in its unit."""
        return float(self.margin.mean())

    @property
    def standard_error(self) -> float:
        """The standard error of ``mean``, in its unit; nan for a single game."""
        if len(self) < 2:
            return float("nan")
        return float(self.margin.std(ddof=1) / np.sqrt(len(self)))


def playouts(
    board: Board,
    count: int,
    *,
    seed: int,
    executor: Executor | None = None,
    finished: Callable[[int], None] | None = None,
) -> Playouts:
    """Play ``count`` games from ``board`` to their end, every legal move as likely as the others.

    Playout i draws its moves from a xoshiro256** generator whose state is the first four outputs of
    splitmix64 started at mix(mix(seed) + i), mix being the finaliser of splitmix64; the next move
    is legal move number k, k drawn by Lemire's method from the upper 32 bits of each output.  So it
    depends on (seed, i) alone, not on threads, machines or ``count``.

    Runs without the GIL; with an ``executor`` (``concurrent.futures``) in jobs of about a tenth of
    a second.  ``finished`` is called with the number of games that are done, now and then and at
    the end.

    On a finished board every playout has 0 plies and the board's result.

    :raises ValueError: if ``count`` is not 1 to 2**30 or ``seed`` not 0 to 2**64 - 1.
    """
    if executor is None and finished is None:
        return Playouts(*run_playouts(board, seed, 0, count))
    from catena.parallel import run_jobs

    if isinstance(board, Board):
        board = board.copy()  # the caller's may move on while jobs wait
    parts, seconds = _pilot(board, count, seed)
    done = sum(len(margin) for margin, _ in parts)
    size = max(1, int(JOB_SECONDS / seconds))
    jobs: list[tuple[Any, ...]] = [
        (board, seed, first, min(size, count - first)) for first in range(done, count, size)
    ]

    def add(index: int) -> None:
        nonlocal done
        done += jobs[index][3]
        if finished is not None:
            finished(done)

    if finished is not None:
        finished(done)
    parts += run_jobs(run_playouts, jobs, executor, add)
    margins, plies = zip(*parts, strict=True)
    return Playouts(np.concatenate(margins), np.concatenate(plies))


def _pilot(
    board: Board, count: int, seed: int
) -> tuple[list[tuple[NDArray[np.int32], NDArray[np.int16]]], float]:
    """Play the first games here to time them: (their results, seconds for each)."""
    parts = [run_playouts(board, seed, 0, min(count, 1))]  # refuses all but a bad count
    if count > MAX_PLAYOUTS:
        raise ValueError(f"count must be 1 to {MAX_PLAYOUTS}, got {count}")
    done, piece, seconds, each = 1, FIRST_PIECE, 0.0, 1.0
    while done < count and seconds < PILOT_SECONDS:
        piece = min(piece, count - done)
        start = perf_counter()
        parts.append(run_playouts(board, seed, done, piece))
        seconds = max(perf_counter() - start, 1e-9)
        done, each, piece = done + piece, seconds / piece, 4 * piece
    return parts, each
