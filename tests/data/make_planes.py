"""Write the files in ``planes/``: planes of some positions, by the reference.

Run ``python tests/data/make_planes.py`` from the checkout; the engine under test has no part in it.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import planes  # noqa: E402


def main() -> None:
    for name in planes.CASES:
        file = HERE / "planes" / f"{name}.txt"
        file.write_text(planes.text_of(*planes.played(name)), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
