"""Write ``walks.perft``: counts of positions in the middle and at the end of games.

The positions come from random games of the reference, and the reference counts them, with no help
from the engine under test. Run ``python tests/data/make_perft.py`` from the checkout to write the
file anew; the same seed gives the same file.
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import reference  # noqa: E402

SEED = 20
# The reference takes about a millisecond for a position, and perft(d) visits perft(d - 1) of them.
WORK = 700
PLACES = (
    ("start", lambda length: 0),
    ("third", lambda length: length // 3),
    ("half", lambda length: length // 2),
    ("late", lambda length: length - 5),
    ("last", lambda length: length - 2),
)


def games() -> Iterator[tuple[str, reference.Position]]:
    """Positions of random games with names, sizes 2 to 10 and all games and scorings."""
    rng = random.Random(SEED)
    setups = []
    for size in range(2, 11):
        for game in reference.GAMES:
            setups.append((size, game, rng.choice(reference.SCORINGS), 0))
        setups.append((size, "komi", rng.choice(reference.SCORINGS), None))
    for size, game, scoring, komi in setups:
        played = reference.Position(size, game=game, scoring=scoring, komi=komi)
        never = rng.random() < 0.5
        while not played.is_over:
            moves = played.legal_moves()
            if never and len(moves) > 1:
                moves = [move for move in moves if move != played.num_cells]
            played.push(rng.choice(moves))
        line = list(played.history)
        label = f"{size}-{game if komi == 0 else 'unnamed'}-{scoring}"
        seen = set()
        for place, ply in PLACES:
            plies = max(0, ply(len(line)))
            if plies in seen:
                continue
            seen.add(plies)
            position = reference.Position(size, game=game, scoring=scoring, komi=komi)
            for move in line[:plies]:
                position.push(move)
            yield f"{label}-{place}", position


def main() -> None:
    lines = [
        "# Counts by tests/reference.py: positions of its own random games, seed "
        f"{SEED}; see make_perft.py",
        "",
    ]
    for name, position in games():
        lines += [f"id {name}", f"pos {position.position}"]
        depth, nodes = 0, 1
        while nodes <= WORK and depth < 6:
            depth += 1
            before, nodes = nodes, reference.perft(position, depth)
            lines.append(f"perft {depth} {nodes}")
            if nodes in (0, before):
                break
        lines.append("")
        print(name, depth, nodes, flush=True)
    (HERE / "walks.perft").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
