"""The planes of ``Board.observe``: by the reference, in files, by hand, and from both sides."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import planes
import pytest
import walks
from planes import NAMES
from reference import BLACK, WHITE, Position

import catena

GOLDEN = Path(__file__).parent / "data" / "planes"
NUMBER = {name: number for number, name in enumerate(NAMES)}


def assert_planes(found: np.ndarray, wanted: np.ndarray, what: object) -> None:
    assert found.dtype == np.float32
    assert found.shape == wanted.shape
    differ = [NAMES[plane] for plane in range(len(NAMES)) if (found[plane] != wanted[plane]).any()]
    assert differ == [], what
    assert not np.signbit(found[found == 0]).any(), what


# --- Against the reference ------------------------------------------------------------------------


def games(sizes: tuple[int, ...]) -> list[catena.Board]:
    return walks.starts(sizes) + [
        catena.Board(size, scoring=scoring, komi=komi)
        for size in sizes
        for scoring, komi in (("standard", 1), ("longest", 15), ("squares", 1000))
    ]


def lockstep(board: catena.Board, rng: random.Random) -> Iterator[Position]:
    """Play a random game on ``board`` and on the reference, which is given after every move."""
    slow = Position(board.size, game=board.game, scoring=board.scoring, komi=board.komi)
    yield slow
    for move in walks.walk(board, rng):
        slow.push(move)
        yield slow


def compare(board: catena.Board, slow: Position) -> None:
    for seat in (0, 1):
        wanted = planes.array_of(slow.size, planes.planes_of(slow, seat))
        assert_planes(board.observe(seat=seat), wanted, (slow.position, seat))
    wanted = planes.array_of(slow.size, planes.planes_of(slow))
    assert_planes(board.observe(), wanted, slow.position)


@pytest.mark.parametrize("start", games((2, 3, 4)), ids=walks.setup_of)
def test_whole_games_by_the_reference(start: catena.Board) -> None:
    rng = random.Random(f"{start.position} planes")
    for _ in range({2: 4, 3: 3, 4: 1}[start.size]):
        board = start.copy()
        for slow in lockstep(board, rng):
            compare(board, slow)


LARGER = games((6,)) + [catena.Board(9, game=game) for game in walks.GAMES]


@pytest.mark.parametrize("start", LARGER, ids=walks.setup_of)
def test_moments_of_larger_games_by_the_reference(start: catena.Board) -> None:
    rng = random.Random(f"{start.position} moments")
    board = start.copy()
    list(walks.walk(board, rng))
    history = board.history
    plies = {0, 1, 2, 3, len(history) // 2, len(history) - 2, len(history)}
    plies |= {rng.randrange(len(history)) for _ in range(2)}
    board = start.copy()
    slow = Position(board.size, game=board.game, scoring=board.scoring, komi=board.komi)
    for ply in range(len(history) + 1):
        if ply in plies:
            compare(board, slow)
        if ply < len(history):
            board.push(history[ply])
            slow.push(history[ply])
    assert board.is_over


def test_such_games_show_all_planes() -> None:
    """Each with a value that isn't 0, and without."""
    seen: Counter[tuple[str, bool]] = Counter()
    rng = random.Random(1)
    for board in games((3, 4)):
        for slow in lockstep(board, rng):
            for name, plane in planes.planes_of(slow).items():
                seen[name, any(plane.values())] += 1
    for name in NAMES:
        # A game has one of these at most, any other plane shows for longer.
        enough = 6 if name in ("phase komi", "phase colour") else 30
        assert seen[name, True] >= enough, name
        assert seen[name, False] >= enough or name == "board", name


def test_positions_from_text() -> None:
    """Buttons and seats in combinations that are rare in games, and either side to move."""
    rows = "3/b3/3w1/2w1/2b"
    for turn in "bw":
        for button in "-bw":
            for black in "12":
                text = f"3 komi standard 6 {rows} {turn} {button} {black}"
                board = catena.Board.from_position(text)
                side = BLACK if turn == "b" else WHITE
                for seat in (None, 0, 1):
                    found = board.observe(seat=seat)
                    own = side
                    if seat is not None:
                        own = BLACK if seat == board.black_seat else WHITE
                    middle = found[:, 2, 2].tolist()
                    assert middle[NUMBER["button free"]] == (button == "-")
                    assert middle[NUMBER["button own"]] == (button == "-bw"[own])
                    assert middle[NUMBER["button opposing"]] == (button == "-bw"[3 - own])
                    assert middle[NUMBER["own is Black"]] == (own == BLACK)
                    komi = np.float32(0.4) if own == WHITE else np.float32(-0.4)
                    assert middle[NUMBER["komi"]] == komi
                    stones = np.argwhere(found[NUMBER["own stones"]]).tolist()
                    blacks, whites = [[0, 1], [4, 4]], [[3, 2], [3, 3]]
                    assert stones == (blacks if own == BLACK else whites)


def test_a_board_from_text_shows_the_same() -> None:
    rng = random.Random(12)
    for board in games((2, 3, 5)):
        for _ in walks.walk(board, rng):
            other = catena.Board.from_position(board.position)
            for seat in (None, 0, 1):
                assert (other.observe(seat=seat) == board.observe(seat=seat)).all()


# --- Files ----------------------------------------------------------------------------------------


def test_there_is_a_file_for_every_case() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(planes.CASES)


@pytest.mark.parametrize("name", planes.CASES)
def test_files(name: str) -> None:
    text = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    facts, views = planes.read(text)
    board = catena.Board.from_position(facts["start"])
    board.play(facts["moves"])
    assert board.position == facts["position"]
    from_text = catena.Board.from_position(facts["position"])
    assert set(views) == {0, 1}
    for seat, wanted in views.items():
        assert_planes(board.observe(seat=seat), wanted, seat)
        assert_planes(from_text.observe(seat=seat), wanted, seat)
    default = int(facts["without a seat"].removeprefix("seat "))
    assert_planes(board.observe(), views[default], "without a seat")
    # A file that its script would write otherwise has drifted from the reference.
    assert text == planes.text_of(*planes.played(name))


# --- By hand --------------------------------------------------------------------------------------

# X is Black, who plays in the second seat, O White, + an open cell, . a closed one.  The lint on
# column A is bound: each cell next to it touches two of its stones, or three stones in all.
#
#        A B C
#     1  X . X  D
#    2  X . O .  E
#   3  X . + + +
#    4  . O + X
#     5  O . +
ASYMMETRIC = "3 komi standard 3 b1b/b1w1/b4/1w1b/w2 w w 2"


def at(*names: str) -> list[list[int]]:
    """The places of cells given by their names."""
    return sorted([ord(name[0]) - ord("A"), int(name[1:]) - 1] for name in names)


def shown(view: np.ndarray, name: str) -> dict[float, list[list[int]]]:
    """The values of a plane that aren't 0 and where they are."""
    plane = view[NUMBER[name]]
    return {value: np.argwhere(plane == value).tolist() for value in set(plane[plane != 0])}


def test_an_asymmetric_position_from_both_sides() -> None:
    board = catena.Board.from_position(ASYMMETRIC)
    black, white = board.observe(seat=1), board.observe(seat=0)
    assert (board.observe() == white).all()

    column_a = at("A1", "A2", "A3")
    blacks, whites = at("A1", "A2", "A3", "C1", "E4"), at("C2", "C4", "C5")
    everywhere = [list(place) for place in walks.places(3)]
    f = np.float32
    wanted: dict[str, tuple[dict[Any, Any], dict[Any, Any]]] = {
        "own stones": ({1: blacks}, {1: whites}),
        "opposing stones": ({1: whites}, {1: blacks}),
        "open cells": ({1: at("C3", "D3", "D4", "E3", "E5")},) * 2,
        "ends of lints without owner": ({1: at("C1", "C2", "C4", "C5", "E4")},) * 2,
        "own claimed lints": ({1: column_a}, {}),
        "opposing claimed lints": ({}, {1: column_a}),
        "length of the lint": (
            {f(3 / 19): column_a, f(2 / 19): at("C1", "C2", "C4", "C5"), f(1 / 19): at("E4")},
        )
        * 2,
        # C1 and C2 are one of each.
        "lead in the lint": (
            {1: at("A1", "A2", "A3", "E4"), -1: at("C4", "C5")},
            {-1: at("A1", "A2", "A3", "E4"), 1: at("C4", "C5")},
        ),
        "board": ({1: everywhere},) * 2,
        "button free": ({}, {}),
        "button own": ({}, {1: everywhere}),
        "button opposing": ({1: everywhere}, {}),
        "komi": ({f(-0.2): everywhere}, {f(0.2): everywhere}),
        "two stones due": ({}, {}),
        "phase komi": ({}, {}),
        "phase colour": ({}, {}),
        "phase play": ({1: everywhere},) * 2,
        "own is Black": ({1: everywhere}, {}),
    }
    assert list(wanted) == list(NAMES)
    for name, (to_black, to_white) in wanted.items():
        assert shown(black, name) == to_black, name
        assert shown(white, name) == to_white, name


def test_before_the_colours_are_chosen_the_first_seat_counts_as_black() -> None:
    board = catena.Board(2, komi=None)
    for move, phase, seat in (("komi:6", "komi", 0), ("white", "colour", 1)):
        for viewer in (0, 1):
            found = board.observe(seat=viewer)[:, 1, 1].tolist()
            assert found[NUMBER["own is Black"]] == (viewer == 0)
            assert found[NUMBER[f"phase {phase}"]] == 1
            assert found[NUMBER["phase play"]] == 0
            assert found[NUMBER["button free"]] == 1
            komi = 0 if phase == "komi" else 0.4
            assert found[NUMBER["komi"]] == np.float32(-komi if viewer == 0 else komi)
            assert (board.observe()[:, 1, 1].tolist() == found) == (viewer == seat)
        board.push(move)
    assert (board.observe() == board.observe(seat=0)).all()

    board = catena.Board(2, game="no-komi")
    board.push("B2")
    # The black stone is the first player's, and the second one is to choose.
    assert board.observe()[NUMBER["opposing stones"], 1, 1] == 1
    assert board.observe(seat=0)[NUMBER["own stones"], 1, 1] == 1
    board.push("black")
    # Now it is the second player's, and the first one is to move.
    assert board.observe()[NUMBER["opposing stones"], 1, 1] == 1
    assert board.observe(seat=1)[NUMBER["own stones"], 1, 1] == 1


def test_two_stones_due() -> None:
    board = catena.Board(4, game="double")
    for move, due in (("D4", 0), ("A1", 1), ("G7", 0), ("A4", 1), ("G4", 0)):
        assert (board.observe()[NUMBER["two stones due"]] == due * board.observe()[8]).all()
        board.push(move)


def test_a_finished_double_game_shows_no_open_cells_and_no_ends() -> None:
    """Its open cells are no use to anyone, and its unbound lints have been claimed."""
    board = catena.Board.from_position("2 double standard 0 bw/2b/w1 b - 1")
    assert board.is_over
    view = board.observe()
    assert not view[NUMBER["open cells"]].any()
    assert not view[NUMBER["ends of lints without owner"]].any()
    assert not view[NUMBER["two stones due"]].any()


# --- The two sides --------------------------------------------------------------------------------


@pytest.mark.parametrize("start", games((2, 4, 7)), ids=walks.setup_of)
def test_the_other_seat_sees_the_same_the_other_way_round(start: catena.Board) -> None:
    swapped = {name: name for name in NAMES}
    for own, opposing in (
        ("own stones", "opposing stones"),
        ("own claimed lints", "opposing claimed lints"),
        ("button own", "button opposing"),
    ):
        swapped[own], swapped[opposing] = opposing, own
    order = [NUMBER[swapped[name]] for name in NAMES]
    board, rng = start.copy(), random.Random(start.position)
    for _ in walks.walk(board, rng):
        first, second = board.observe(seat=0), board.observe(seat=1)
        mirrored = first[order]
        for name in ("lead in the lint", "komi"):
            mirrored[NUMBER[name]] *= -1
        mirrored[NUMBER["own is Black"]] = first[NUMBER["board"]] - first[NUMBER["own is Black"]]
        assert (second == mirrored).all()
        if board.seat is not None:
            assert (board.observe() == (first, second)[board.seat]).all()


def test_values_have_their_bounds() -> None:
    for board in games((2, 3, 6, 10)):
        for _ in walks.walk(board, random.Random(board.position)):
            view = board.observe()
            assert view.min() >= -1
            assert view.max() <= 1
            off_board = np.ones(view.shape[1:], bool)
            off_board[tuple(zip(*walks.places(board.size), strict=True))] = False
            assert not view[:, off_board].any()


# --- Symmetries -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_transform_commutes_with_observe(game: str, scoring: str) -> None:
    rng = random.Random(f"{game} {scoring} turned")
    for size in (2, 3, 5, 8):
        board = catena.Board(size, game=game, scoring=scoring, komi=None if game == "komi" else 0)
        for _ in walks.walk(board, rng):
            if rng.random() > 24 / board.num_cells:
                continue
            for seat in (None, 0, 1):
                view = board.observe(seat=seat)
                symmetry = rng.randrange(12)
                wanted = np.zeros_like(view)
                for place in walks.places(size):
                    to = walks.image_of(size, place, symmetry)
                    wanted[:, to[0], to[1]] = view[:, place[0], place[1]]
                assert_planes(board.transform(symmetry).observe(seat=seat), wanted, symmetry)


def test_all_twelve_views_of_a_position() -> None:
    board = catena.Board.from_position(ASYMMETRIC)
    view, views = board.observe(), set()
    for symmetry in range(12):
        wanted = np.zeros_like(view)
        for place in walks.places(3):
            to = walks.image_of(3, place, symmetry)
            wanted[:, to[0], to[1]] = view[:, place[0], place[1]]
        found = board.transform(symmetry).observe()
        assert_planes(found, wanted, symmetry)
        views.add(found.tobytes())
    assert len(views) == 12


# --- Buffers and bad input ------------------------------------------------------------------------


def test_the_number_of_planes() -> None:
    assert len(NAMES) == catena.NUM_PLANES
    for size in range(2, 11):
        view = catena.Board(size).observe()
        assert view.shape == (catena.NUM_PLANES, 2 * size - 1, 2 * size - 1)
        assert view.dtype == np.float32
        assert view.flags.c_contiguous


@pytest.mark.parametrize("size", range(2, 11))
def test_out_is_filled_whole_and_given_back(size: int) -> None:
    board = catena.Board(size)
    list(walks.walk(board, random.Random(size), 9))
    rim = np.full(catena.NUM_PLANES * (2 * size - 1) ** 2 + 2, np.nan, np.float32)
    out = rim[1:-1].reshape(catena.NUM_PLANES, 2 * size - 1, 2 * size - 1)
    assert board.observe(out) is out
    assert (out == board.observe()).all()
    assert board.observe(out=out, seat=1) is out
    assert (out == board.observe(seat=1)).all()
    assert np.isnan(rim[[0, -1]]).all()


def test_each_call_gives_an_array_of_its_own() -> None:
    board = catena.Board(3)
    first = board.observe()
    first[:] = 7
    assert (board.observe()[8] <= 1).all()


def test_observe_leaves_the_board_alone() -> None:
    board = catena.Board(4, game="double")
    for _ in walks.walk(board, random.Random(4)):
        before = walks.snapshot(board)
        board.observe(seat=1)
        assert walks.snapshot(board) == before
        board._check()


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def unaligned(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    raw = bytearray(int(np.prod(shape)) * np.dtype(dtype).itemsize + 1)
    return np.ndarray(shape, dtype, raw, offset=1)


SHAPE = (18, 5, 5)
BAD_OUT: dict[str, Callable[[], Any]] = {
    "float64": lambda: np.zeros(SHAPE),
    "float16": lambda: np.zeros(SHAPE, np.float16),
    "int32": lambda: np.zeros(SHAPE, np.int32),
    "object": lambda: np.zeros(SHAPE, object),
    "the other byte order": lambda: np.zeros(SHAPE, ">f4"),
    "too few planes": lambda: np.zeros((17, 5, 5), np.float32),
    "too many planes": lambda: np.zeros((19, 5, 5), np.float32),
    "another size": lambda: np.zeros((18, 7, 7), np.float32),
    "planes last": lambda: np.zeros((5, 5, 18), np.float32),
    "flat": lambda: np.zeros(18 * 25, np.float32),
    "a batch": lambda: np.zeros((1, *SHAPE), np.float32),
    "empty": lambda: np.zeros((0, 5, 5), np.float32),
    "read-only": lambda: read_only(np.zeros(SHAPE, np.float32)),
    "Fortran order": lambda: np.zeros(SHAPE, np.float32, order="F"),
    "every second plane": lambda: np.zeros((36, 5, 5), np.float32)[::2],
    "backwards": lambda: np.zeros(SHAPE, np.float32)[:, :, ::-1],
    "one for all": lambda: np.broadcast_to(np.float32(0), SHAPE),
    "unaligned": lambda: unaligned(SHAPE, np.float32),
    "bytes": lambda: bytes(18 * 25 * 4),
    "bytearray": lambda: bytearray(18 * 25 * 4),
}


@pytest.mark.parametrize("name", BAD_OUT)
def test_bad_buffers(name: str) -> None:
    board, out = catena.Board(3), BAD_OUT[name]()
    before = bytes(out) if isinstance(out, bytes | bytearray) else out.tobytes()
    with pytest.raises(ValueError, match=r"^out "):
        board.observe(out)
    assert (bytes(out) if isinstance(out, bytes | bytearray) else out.tobytes()) == before


def test_both_shapes_are_named() -> None:
    with pytest.raises(ValueError, match=r"\(18, 5, 5\).*\(18, 7, 7\)"):
        catena.Board(3).observe(catena.Board(4).observe())


@pytest.mark.parametrize("out", [[0.0], "out", 5, 1.5, object(), catena.Board(3)])
def test_what_is_no_buffer(out: Any) -> None:
    with pytest.raises(TypeError):
        catena.Board(3).observe(out)


@pytest.mark.parametrize("seat", [-1, 2, 255, 256, 2**31, 2**32, 2**64, -(2**70)])
def test_seats_that_are_not_there(seat: int) -> None:
    out = np.full(SHAPE, 7, np.float32)
    with pytest.raises(ValueError, match="seat must be 0 to 1"):
        catena.Board(3).observe(out, seat)
    assert (out == 7).all()


@pytest.mark.parametrize("seat", [True, False, 0.0, float("nan"), "0", b"0", [0]])
def test_seats_of_other_types(seat: Any) -> None:
    with pytest.raises(TypeError):
        catena.Board(3).observe(seat=seat)


def test_numbers_of_numpy_are_seats() -> None:
    board = catena.Board(3)
    for seat in (np.int64(1), np.uint8(1)):
        assert (board.observe(seat=seat) == board.observe(seat=1)).all()
