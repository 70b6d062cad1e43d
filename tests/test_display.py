"""The diagram of str(board) and the picture for notebooks."""

from __future__ import annotations

import random
import re
from xml.etree import ElementTree

import pytest
import walks

import catena
from catena import BLACK, WHITE, Board
from catena.display import diagram, status, svg

SVG = "{http://www.w3.org/2000/svg}"


def drawing(text: str) -> str:
    """A drawing in a test, without the margin of the source."""
    return "\n".join(line[4:] for line in text.strip("\n").split("\n"))


def boards() -> list[Board]:
    """Boards of several sizes in the middle and at the end of random games of each kind."""
    result = []
    for seed, (size, plies) in enumerate([(2, 3), (2, 300), (4, 20), (6, 40), (10, 90), (10, 400)]):
        for board in walks.starts((size,)):
            for _ in walks.walk(board, random.Random(seed), plies):
                pass
            result.append(board)
    return result


# --- the diagram --------------------------------------------------------------------------------


def test_the_empty_board() -> None:
    assert str(Board()) == drawing("""
             A B C D E F
          1 + + + + + + G
         2 + + + + + + + H
        3 + + + + + + + + I
       4 + + + + + + + + + J
      5 + + + + + + + + + + K
     6 + + + + + + + + + + +
      7 + + + + + + + + + +
       8 + + + + + + + + +
        9 + + + + + + + +
        10 + + + + + + +
         11 + + + + + +

    X Black   O White   + open   . closed
    komi game, standard scoring, komi 0: Black (first player) to move
    Black 0, White 0; button: free
""")


def test_the_first_worked_example_of_the_rules() -> None:
    board = Board(komi=7)
    # The lints C5-D5-E5 and G5-H6-H7, in colours as they come.
    board.play("C5 D5 E5 G5 H6 H7")
    # C4, D4, D6, E6, H5 and I7 would close rings, G6 touches three stones, I6 would branch at H6.
    assert str(board) == drawing("""
             A B C D E F
          1 + + + + + + G
         2 + + + + + + + H
        3 + + + + + + + + I
       4 + + . . + + + + + J
      5 + + X O X + O . + + K
     6 + + + . . + . X . + +
      7 + + + + + + O . + +
       8 + + + + + + + + +
        9 + + + + + + + +
        10 + + + + + + +
         11 + + + + + +

    X Black   O White   + open   . closed
    komi game, standard scoring, komi 7: Black (first player) to move
    Black 3, White 10; button: free
""")


def test_a_finished_game_has_only_closed_cells() -> None:
    board = Board(2)
    board.play("A1 C2 A2 C3 B3")  # five stones around the middle: three black, so all black
    assert str(board) == drawing("""
         A B
      1 X . C
     2 X . X
      3 X X

    X Black   O White   + open   . closed
    komi game, standard scoring, komi 0: over, Black wins
    Black 5, White 0.5; button: White
""")


@pytest.mark.parametrize("board", boards(), ids=walks.setup_of)
def test_the_diagram_shows_every_cell_in_its_place(board: Board) -> None:
    size = board.size
    rows = str(board).split("\n")[: 2 * size]
    marks = {1: "X", 2: "O"}
    stones = board.stones()
    over, playing = board.is_over, board.phase == "play"
    columns: dict[tuple[int, int], int] = {}
    for cell, (c, r) in enumerate(walks.places(size)):
        name = walks.name(size, cell)
        # Two characters to the right for each column, one to the left for each row.
        x = 2 * c - r + size + 2
        columns[c, r] = x
        mark = rows[r + 1][x]
        if stones[cell]:
            assert mark == marks[stones[cell]], name
        elif over:
            assert mark == "."
        elif playing:
            assert mark == ("+" if board.why_illegal(cell) in (None, "strands") else "."), name
        else:
            assert mark == "+"
    for r in range(2 * size - 1):
        assert rows[r + 1].split()[0] == str(r + 1)
        assert rows[r + 1][: columns[max(0, r - size + 1), r]].rstrip().endswith(str(r + 1))
    for c in range(2 * size - 1):
        top = max(0, c - size + 1)
        assert rows[top][columns[c, top] + 1] == chr(ord("A") + c)
    assert str(board).isascii()
    assert all(line == line.rstrip() for line in str(board).split("\n"))


# --- the lines under it -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "first", "second"),
    [
        (
            "2 komi standard ? 2/3/2 komi - 1",
            "komi game, standard scoring: first player to name the komi",
            "Black 0, White 0; button: free",
        ),
        (
            "2 komi squares 12 2/3/2 colour - 1",
            "komi game, squares scoring, komi 12: second player to choose a colour",
            "Black 0, White 12; button: free",
        ),
        (
            "2 komi standard 12 b1/3/2 w b 2",
            "komi game, standard scoring, komi 12: White (first player) to move",
            "Black 1.5, White 12; button: Black",
        ),
        (
            "2 no-komi longest 0 b1/3/2 w - 1",
            "no-komi game, longest scoring: White (second player) to move",
            "Black 0, White 0; button: free",
        ),
        (
            "2 double standard 0 2/3/2 b - 1",
            "double game, standard scoring: Black (first player) to move, one stone",
            "Black 0, White 0",
        ),
        (
            "2 double standard 0 b1/3/2 w - 1",
            "double game, standard scoring: White (second player) to move, two stones",
            "Black 1, White 0",
        ),
        (
            "2 double standard 0 b1/3/w1 w1 - 1",
            "double game, standard scoring: White (second player) to move, one stone",
            "Black 1, White 1",
        ),
        # Two lints of five, one for each side, and no cell open.  No game from the empty board ends
        # so: its first turn is one stone, the others two, and the number of stones is odd.
        (
            "3 double standard 0 bb1/2b1/ww1bb/1w2/1ww b - 1",
            "double game, standard scoring: over, a draw",
            "Black 5, White 5",
        ),
    ],
)
def test_status(position: str, first: str, second: str) -> None:
    board = Board.from_position(position)
    assert status(board) == [first, second]
    assert str(board).endswith(f"\n{first}\n{second}")


# --- the picture --------------------------------------------------------------------------------


@pytest.mark.parametrize("board", boards(), ids=walks.setup_of)
def test_the_picture_has_all_parts(board: Board) -> None:
    text = svg(board)
    assert text == board._repr_svg_() == svg(Board.from_position(board.position))
    assert len(text) < 30_000
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    # Nothing that another picture in the same notebook could meet.
    assert not any(element.get("id") or element.get("class") for element in root.iter())
    assert root.find(f".//{SVG}style") is None

    hexagons = sum((p.get("d") or "").count("M") for p in root.iter(f"{SVG}path"))
    assert hexagons == board.num_cells
    fills = [circle.get("fill") for circle in root.iter(f"{SVG}circle")]
    stones = board.stones().tolist()
    assert (fills.count("#1c1c1c"), fills.count("#fbfbfb")) == (
        stones.count(BLACK),
        stones.count(WHITE),
    )
    lines = [line.get("points") for line in root.iter(f"{SVG}polyline")]
    assert [len((line or "").split()) for line in lines] == [len(n.cells) for n in board.lints()]
    bound = [g for g in root.iter(f"{SVG}g") if g.get("stroke") == "#d1342f"]
    assert len(bound) == sum(lint.bound for lint in board.lints())

    words = [element.text for element in root.iter(f"{SVG}text")]
    coordinates = [str(r + 1) for r in range(2 * board.size - 1)]
    coordinates += [chr(ord("A") + c) for c in range(2 * board.size - 1)]
    assert sorted(filter(None, words)) == sorted(coordinates + status(board))


def test_stones_stand_on_their_cells() -> None:
    board = Board(3)
    board.play("A1 C3 B2")
    root = ElementTree.fromstring(svg(board))
    at = [
        (int(c.get("cx") or 0), int(c.get("cy") or 0), c.get("fill"))
        for c in root.iter(f"{SVG}circle")
    ]
    # A1, B2 and C3 stand in a line down and to the right, at equal distances; C3 alone is white.
    (x1, y1, black), (x2, y2, black_too), (x3, y3, white) = sorted(at)
    assert (x2 - x1, y2 - y1) == (x3 - x2, y3 - y2)
    assert x2 > x1
    assert y2 > y1
    assert black == black_too != white


def test_closed_cells_are_shaded() -> None:
    board = Board(2)
    board.play("A1 C2 A2 C3 B3")  # leaves two cells empty, both closed
    paths = [p.get("d") or "" for p in ElementTree.fromstring(svg(board)).iter(f"{SVG}path")]
    assert [path.count("M") for path in paths] == [5, 2]
    (whole,) = ElementTree.fromstring(svg(Board(2))).iter(f"{SVG}path")
    assert (whole.get("d") or "").count("M") == 7


@pytest.mark.parametrize("size", range(2, 11))
def test_everything_is_inside_the_picture(size: int) -> None:
    board = Board(size)
    for _ in walks.walk(board, random.Random(size)):
        pass
    root = ElementTree.fromstring(svg(board))
    width, height = int(root.get("width") or 0), int(root.get("height") or 0)
    assert root.get("viewBox") == f"0 0 {width} {height}"
    for element in root.iter():
        for x, y in (("x", "y"), ("cx", "cy")):
            if element.get(x) and element.tag != f"{SVG}rect":
                assert 14 < int(element.get(x) or 0) < width - 14
                assert 14 < int(element.get(y) or 0) < height - 10
    tops = re.findall(r"M(\d+) (\d+)", svg(board))
    assert len(tops) == board.num_cells
    assert all(20 <= int(x) <= width - 20 and 0 <= int(y) <= height - 46 for x, y in tops)


def test_the_functions_are_those_of_the_board() -> None:
    board = catena.Board(3)
    assert str(board) == diagram(board)
    assert board._repr_svg_() == svg(board)
