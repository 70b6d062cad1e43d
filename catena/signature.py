"""One number for what the engine does: it changes when a count or a playout does."""

from collections.abc import Iterator
from hashlib import blake2b

from catena._core import GAMES, SCORINGS, Board, perft, run_playouts

__all__ = ["signature", "signature_lines"]

SEED = 1
# Games from each start: many on the default board, fewer on the others, which take other code
# for sets of other widths.
COUNT, COUNT_ELSEWHERE = 1000, 100
# Of perft; on the smallest boards deep enough for games that end.
SMALL, DEPTH_IF_SMALL, DEPTH = (2, 3), 5, 3


def signature() -> int:
    """Return a 64-bit number over perft counts and playouts of every size, game and scoring.

    It is the same on every machine and with all the hot loops; it changes with the rules, the
    numbering of moves and the generator of the playouts.  It is blake2b with a digest of 8 bytes,
    the first one the highest, of the ASCII text of :func:`signature_lines`, a line feed after each.
    """
    text = "".join(f"{line}\n" for line in signature_lines())
    return int.from_bytes(blake2b(text.encode("ascii"), digest_size=8).digest(), "big")


def signature_lines() -> Iterator[str]:
    """Yield the lines of text that :func:`signature` is made of.

    For each size and game ``perft POSITION: DEPTH COUNT``.  Then for each size, game and scoring
    ``playouts POSITION: SEED GAME GAME ...``, each GAME a ``MARGIN/PLIES`` of one playout.  Sizes
    ascend; games and scorings come in the core's order, the komi game twice: with komi 0 and with
    the komi to be named.
    """
    for size in range(2, 11):
        depth = DEPTH_IF_SMALL if size in SMALL else DEPTH
        for board in _starts(size, SCORINGS[:1]):
            yield f"perft {board.position}: {depth} {perft(board, depth)}"
    for size in range(2, 11):
        count = COUNT if size == 6 else COUNT_ELSEWHERE
        for board in _starts(size, SCORINGS):
            margin, plies = run_playouts(board, SEED, 0, count)
            games = (f"{m}/{p}" for m, p in zip(margin.tolist(), plies.tolist(), strict=True))
            yield f"playouts {board.position}: {SEED} {' '.join(games)}"


def _starts(size: int, scorings: tuple[str, ...]) -> Iterator[Board]:
    for game in GAMES:
        for scoring in scorings:
            for komi in (0, None) if game == "komi" else (0,):
                yield Board(size, game=game, scoring=scoring, komi=komi)
