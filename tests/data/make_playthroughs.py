"""Write the files in ``playthroughs/`` anew, each with the game and the moves that it has.

They show what OpenSpiel sees of Catena; read the differences before keeping them.
"""

from pathlib import Path

from absl import flags
from open_spiel.python.algorithms import generate_playthrough

import catena.adapters.openspiel  # noqa: F401 - registers the game

FOLDER = Path(__file__).parent / "playthroughs"


def main() -> None:
    flags.FLAGS.mark_as_parsed()
    for path in sorted(FOLDER.glob("*.txt")):
        _, text = generate_playthrough.replay(str(path))
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
