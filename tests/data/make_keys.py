"""Write the keys in ``keys.csv`` anew; its positions stay.

Stored keys outlive a release, so this is for a release that breaks them and says so.
"""

import csv
from pathlib import Path

import catena

FILE = Path(__file__).parent / "keys.csv"


def main() -> None:
    with FILE.open(encoding="utf-8", newline="") as file:
        positions = [row["position"] for row in csv.DictReader(file)]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["position", "key"])
        for position in positions:
            writer.writerow([position, f"{catena.Board.from_position(position).key:016x}"])


if __name__ == "__main__":
    main()
