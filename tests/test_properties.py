"""Random walks, bad input of every kind, and facts that hold in every game."""

from __future__ import annotations

import random
import string
from functools import cache
from typing import Any

import numpy as np
import pytest
import walks
from hypothesis import example, given, settings
from hypothesis import strategies as st

import catena

# On debug and sanitizer builds and on busy machines an example takes as long as it takes.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

REASONS = {
    "over",
    "phase",
    "unknown-move",
    "button-taken",
    "no-button",
    "occupied",
    "crowded",
    "ring",
    "branch",
    "strands",
}

set_ups = st.sampled_from(walks.COMBOS)


@st.composite
def boards(draw: st.DrawFn, largest: int = 10) -> catena.Board:
    """A board after some moves of a random game, the start and the end included."""
    game, scoring = draw(set_ups)
    komi = draw(st.sampled_from([0, 7, 15, None])) if game == "komi" else 0
    board = catena.Board(draw(st.integers(2, largest)), game=game, scoring=scoring, komi=komi)
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    plies = draw(st.one_of(st.integers(0, 12), st.integers(0, 300)))
    for _ in walks.walk(board, rng, plies):
        pass
    return board


# --- walks ----------------------------------------------------------------------------------


@given(
    size=st.integers(2, 6),
    combo=set_ups,
    named=st.booleans(),
    picks=st.lists(st.integers(-3, 1_000), max_size=60),
)
def test_pushes_and_pops_mixed(
    size: int, combo: tuple[str, str], named: bool, picks: list[int]
) -> None:
    """Negative picks take a move back, others make one; the trail says what must come back."""
    game, scoring = combo
    komi = None if named and game == "komi" else 0
    board = catena.Board(size, game=game, scoring=scoring, komi=komi)
    trail: list[tuple[object, ...]] = []
    for pick in picks:
        if pick < 0:
            if trail:
                before = trail.pop()
                assert board.pop() == before[-1]
                assert walks.snapshot(board) == before[:-1]
            else:
                with pytest.raises(IndexError):
                    board.pop()
        else:
            legal = board.legal_moves()
            if not legal:
                continue
            move = legal[pick % len(legal)]
            trail.append((*walks.snapshot(board), move))
            board.push(move)
        board._check()
        assert board.ply == len(trail)
        assert board.history == [step[-1] for step in trail]
    again = catena.Board(size, game=game, scoring=scoring, komi=komi)
    for step in trail:
        again.push(step[-1])
    assert walks.snapshot(again) == walks.snapshot(board)


@given(board=boards())
def test_the_ways_to_ask_for_legal_moves_agree(board: catena.Board) -> None:
    legal = board.legal_moves()
    assert legal == sorted(set(legal))
    assert all(type(m) is int for m in legal)
    assert board.legal_count == len(legal)
    assert board.is_over == (not legal)
    mask = board.legal_mask()
    assert np.flatnonzero(mask).tolist() == legal
    assert set(mask.tolist()) <= {0, 1}
    for move in range(-2, board.num_moves + 3):
        reason = board.why_illegal(move)
        assert board.is_legal(move) is (move in legal) is (reason is None)
        assert reason is None or reason in REASONS


@given(board=boards())
def test_facts_of_one_position(board: catena.Board) -> None:
    board._check()
    n = board.num_cells
    assert n == 3 * board.size * (board.size - 1) + 1
    assert board.phase in ("komi", "colour", "play", "over")
    assert board.is_over == (board.phase == "over")
    assert (board.turn is None) == (board.phase != "play")
    assert (board.seat is None) == board.is_over
    if board.turn is not None:
        black = board.turn == catena.BLACK
        assert board.seat == (board.black_seat if black else 1 - board.black_seat)
    if not board.is_over:
        assert board.winner is None
        assert board.returns == (0.0, 0.0)
    else:
        black_score, white_score = board.scores
        assert sum(board.returns) == 0
        if board.winner is None:
            assert board.returns == (0.0, 0.0)
            assert board.game == "double"
        else:
            won = board.black_seat if board.winner == catena.BLACK else 1 - board.black_seat
            assert board.returns[won] == 1.0
            if black_score != white_score:
                assert (black_score > white_score) == (board.winner == catena.BLACK)
        assert (board.button is None) == (board.game == "double")
    assert board.stones_due in ((1, 2) if board.game == "double" else (1,))
    lints = board.lints()
    stones = board.stones().tolist()
    covered = [cell for lint in lints for cell in lint.cells]
    assert sorted(covered) == [cell for cell in range(n) if stones[cell]]
    assert [lint.cells[0] for lint in lints] == sorted(lint.cells[0] for lint in lints)
    near = walks.neighbour_lists(board.size)
    for lint in lints:
        for at, cell in enumerate(lint.cells):
            ties = [lint.cells[i] for i in (at - 1, at + 1) if 0 <= i < len(lint.cells)]
            assert sorted(ties) == [c for c in near[cell] if stones[c]]
            assert board.lint_at(cell) == lint
        assert lint.cells[0] <= lint.cells[-1]
        assert lint.black == sum(stones[c] == catena.BLACK for c in lint.cells)
        assert lint.white == sum(stones[c] == catena.WHITE for c in lint.cells)
        assert lint.bound <= (lint.owner is not None)
        if lint.owner is not None:
            assert {stones[c] for c in lint.cells} == {lint.owner}
    for cell in range(n):
        if not stones[cell]:
            assert board.lint_at(cell) is None


@given(board=boards())
def test_at_the_end_every_lint_has_its_owner(board: catena.Board) -> None:
    for _ in walks.walk(board, random.Random(board.key)):
        board._check()
    assert board.is_over
    for lint in board.lints():
        assert lint.owner in (catena.BLACK, catena.WHITE)
        assert lint.owner == (catena.BLACK if lint.black else catena.WHITE)
        assert 0 in (lint.black, lint.white)
        if board.game != "double":
            assert lint.bound


@given(board=boards())
def test_a_closed_cell_stays_closed(board: catena.Board) -> None:
    """And a bound lint stays as it is.  The one cell that may open again is one that would strand
    the second stone of a double turn: it wasn't closed."""
    rng = random.Random(board.key)
    geometry = ("occupied", "crowded", "ring", "branch")
    closed: set[int] = set()
    bound: set[Any] = set()
    for _ in walks.walk(board, rng):
        if board.is_over:
            break
        now = {c for c in range(board.num_cells) if board.why_illegal(c) in geometry}
        assert closed <= now
        closed = now
        shut = {lint for lint in board.lints() if lint.bound}
        assert bound <= shut
        bound = shut


@given(board=boards(), seed=st.integers(0, 2**32 - 1), colour=st.sampled_from("bw"))
def test_every_subset_of_a_position_is_a_position(
    board: catena.Board, seed: int, colour: str
) -> None:
    """One colour, so that no bound lint has two."""
    rng = random.Random(seed)
    cells = [cell for cell, stone in enumerate(board.stones().tolist()) if stone]
    few = {cell: colour for cell in cells if rng.random() < 0.7}
    all_of_it = catena.Board.from_position(
        walks.position_text(board.size, dict.fromkeys(cells, colour))
    )
    part = catena.Board.from_position(walks.position_text(board.size, few))
    part._check()
    assert walks.stones_of(part) == few
    open_cells = [m for m in all_of_it.legal_moves() if m < board.num_cells]
    assert set(open_cells) <= set(part.legal_moves())
    if board.phase == "play" and board.game != "double":
        assert open_cells == [m for m in board.legal_moves() if m < board.num_cells]


# --- what is no move ------------------------------------------------------------------------

not_moves = st.one_of(
    st.booleans(),
    st.floats(),
    st.none(),
    st.binary(max_size=8),
    st.complex_numbers(),
    st.lists(st.integers(0, 90), max_size=2),
    st.tuples(st.integers(0, 90)),
    st.sampled_from([np.float64(3), np.bool_(True), np.array([1, 2]), object(), int, ...]),
)


@given(board=boards(), move=not_moves)
@example(board=catena.Board(), move=True)
@example(board=catena.Board(), move=np.bool_(True))
@example(board=catena.Board(), move=0.0)
def test_other_types_are_type_errors(board: catena.Board, move: Any) -> None:
    before = walks.snapshot(board)
    for function in (board.push, board.is_legal, board.why_illegal):
        with pytest.raises(TypeError):
            function(move)
        assert walks.snapshot(board) == before
    board._check()


far_numbers = st.one_of(
    st.integers(),
    st.integers(-5, 1_300),
    st.sampled_from([2**k + d for k in (8, 15, 16, 31, 32, 63, 64, 70) for d in (-1, 0, 1)]),
    st.sampled_from([-(2**k) + d for k in (8, 15, 16, 31, 32, 63, 64, 70) for d in (-1, 0, 1)]),
)


@given(board=boards(), move=far_numbers)
def test_any_integer(board: catena.Board, move: int) -> None:
    before = walks.snapshot(board)
    legal = move in board.legal_moves()
    assert board.is_legal(move) is legal
    reason = board.why_illegal(move)
    assert (reason is None) is legal
    if not 0 <= move < board.num_moves:
        assert reason == ("over" if board.is_over else "unknown-move")
    if legal:
        board.push(move)
        assert board.history[-1] == move
        assert board.pop() == move
    else:
        with pytest.raises(catena.IllegalMoveError) as caught:
            board.push(move)
        error = caught.value
        assert isinstance(error, ValueError)
        assert error.move == move
        assert error.reason == reason
        for part in (str(move), str(reason), str(board.ply)):
            assert part in str(error)
    assert walks.snapshot(board) == before
    board._check()


@given(board=boards(), data=st.data())
def test_numpy_integers_are_moves(board: catena.Board, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([np.int8, np.uint8, np.int16, np.int32, np.uint64, np.intp]))
    info = np.iinfo(kind)
    number = data.draw(st.integers(max(info.min, -3), min(info.max, board.num_moves + 2)))
    move = kind(number)
    assert board.is_legal(move) is board.is_legal(number)
    assert board.why_illegal(move) == board.why_illegal(number)
    if board.is_legal(number):
        board.push(move)
        assert board.history[-1] == number
        assert type(board.history[-1]) is int
    else:
        with pytest.raises(catena.IllegalMoveError):
            board.push(move)


class Index:
    """Any object with ``__index__`` counts as a number."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def __index__(self) -> int:
        if isinstance(self.result, Exception):
            raise self.result
        return self.result  # type: ignore[no-any-return]


def test_objects_with_index() -> None:
    board = catena.Board()
    assert board.is_legal(Index(5))
    board.push(Index(5))
    assert board.history == [5]
    assert board.why_illegal(Index(5)) == "occupied"
    before = walks.snapshot(board)
    for function in (board.push, board.is_legal, board.why_illegal):
        with pytest.raises(KeyError, match="from within"):
            function(Index(KeyError("from within")))
        with pytest.raises(TypeError):
            function(Index("5"))
    assert walks.snapshot(board) == before


def known_texts(board: catena.Board) -> dict[str, int]:
    return all_texts(board.size, board.num_moves)


@cache
def all_texts(size: int, num_moves: int) -> dict[str, int]:
    n = len(walks.places(size))
    known = {walks.name(size, cell): cell for cell in range(n)}
    known |= {"button": n, "black": n + 1, "white": n + 2}
    known |= {f"komi:{k}": n + 3 + k for k in range(num_moves - n - 3)}
    return known


@cache
def all_texts_in_lower_case(size: int, num_moves: int) -> dict[str, int]:
    return {text.lower(): move for text, move in all_texts(size, num_moves).items()}


@given(board=boards())
def test_every_move_has_its_text(board: catena.Board) -> None:
    before = walks.snapshot(board)
    for text, move in known_texts(board).items():
        for spelling in (text, text.lower(), text.upper()):
            assert board.why_illegal(spelling) == board.why_illegal(move)
            assert board.is_legal(spelling) is board.is_legal(move)
            if board.is_legal(move):
                board.push(spelling)
                assert board.pop() == move
    assert walks.snapshot(board) == before


near_texts = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="ABCDEFGHIJKabk0123456789: -+_.", max_size=6),
    st.builds("{}{}".format, st.sampled_from(string.ascii_letters), st.integers(-2, 40)),
    st.builds("komi:{}".format, st.integers(-3, 1_100)),
    st.sampled_from(
        ["", " ", "A1 ", " A1", "A 1", "A01", "A+1", "A1\0", "A\u0661", "\uff21\uff11"]
    ),
    st.sampled_from(
        ["komi:", "komi:+1", "komi: 1", "komi:01", "komi:1_0", "komi:\u0661", "komi:1.0"]
    ),
    st.sampled_from(
        ["butto", "buttons", "button\n", "BLACK", "White", "wh\u0131te", "\ud800", "5", "0"]
    ),
)


@given(board=boards(), text=near_texts)
def test_any_text(board: catena.Board, text: str) -> None:
    """A text that is no move's is a move nobody knows, whatever it looks like."""
    before = walks.snapshot(board)
    exact = all_texts_in_lower_case(board.size, board.num_moves)
    # str.lower() folds letters beyond ASCII to ASCII ones (the Kelvin sign is one).
    move = exact.get(text.lower()) if text.isascii() else None
    if move is None:
        wanted = "over" if board.is_over else "unknown-move"
        assert board.why_illegal(text) == wanted
        assert board.is_legal(text) is False
        with pytest.raises(catena.IllegalMoveError) as caught:
            board.push(text)
        assert caught.value.move == text
        assert caught.value.reason == wanted
    else:
        assert board.why_illegal(text) == board.why_illegal(move)
    assert walks.snapshot(board) == before


def test_a_refused_text_is_shown_on_one_line() -> None:
    for text in ("A1\nB2", "x" * 10_000, "\ud800", "\0"):
        with pytest.raises(catena.IllegalMoveError) as caught:
            catena.Board().push(text)
        message = str(caught.value)
        assert "\n" not in message
        assert "unknown-move" in message
        message.encode()


@given(board=boards(largest=6), picks=st.lists(st.integers(0, 500), max_size=12))
def test_play_is_all_or_nothing(board: catena.Board, picks: list[int]) -> None:
    before = walks.snapshot(board)
    texts = list(known_texts(board))
    chosen = [texts[pick % len(texts)] for pick in picks]
    trial = board.copy()
    fine = True
    for text in chosen:
        if not trial.is_legal(text):
            fine = False
            break
        trial.push(text)
    if fine:
        board.play(" ".join(chosen))
        assert walks.snapshot(board) == walks.snapshot(trial)
    else:
        with pytest.raises(catena.IllegalMoveError):
            board.play(" ".join(chosen))
        assert walks.snapshot(board) == before


@pytest.mark.parametrize("text", [None, 5, b"A1", ["A1"], True])
def test_play_takes_text_only(text: Any) -> None:
    board = catena.Board()
    with pytest.raises(TypeError):
        board.play(text)
    assert board.ply == 0


def test_play_spaces() -> None:
    board = catena.Board()
    board.play("")
    board.play("   ")
    assert board.ply == 0
    board.play("  A1   B2 ")
    assert board.history == [0, 7]


# --- the constructor ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "size", [1, 0, -1, 11, 12, 255, 256 + 6, 2**16 + 6, 2**32 + 6, 2**64 + 6, -(2**70)]
)
def test_sizes_that_are_not_there(size: int) -> None:
    with pytest.raises(ValueError, match=r"2 to 10.*|.*2\D+10") as caught:
        catena.Board(size)
    assert str(size) in str(caught.value)


@pytest.mark.parametrize(
    "size", ["6", 6.0, None, b"6", [6], (6,), 6j, True, False, np.array([6, 6])]
)
def test_sizes_of_other_types(size: Any) -> None:
    with pytest.raises(TypeError):
        catena.Board(size)


def test_a_numpy_size_and_komi() -> None:
    board = catena.Board(np.int64(4), komi=np.uint8(3))
    assert (board.size, board.komi) == (4, 3)
    assert board == catena.Board(4, komi=3)


@pytest.mark.parametrize(
    "word", ["", "Komi", "komi ", "chess", "no_komi", "doubl\u0435", "x" * 5_000]
)
def test_games_that_are_not_there(word: str) -> None:
    with pytest.raises(ValueError, match=".*".join(walks.GAMES)):
        catena.Board(game=word)


@pytest.mark.parametrize("word", ["", "Standard", "square", "shortest", "\0"])
def test_scorings_that_are_not_there(word: str) -> None:
    with pytest.raises(ValueError, match=".*".join(walks.SCORINGS)):
        catena.Board(scoring=word)


@pytest.mark.parametrize("value", [None, 0, b"komi", ["komi"], ("standard",), 1.5, object()])
def test_words_of_other_types(value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="game"):
        catena.Board(game=value)
    with pytest.raises((TypeError, ValueError), match="scoring"):
        catena.Board(scoring=value)


@pytest.mark.parametrize(
    ("game", "scoring", "komi", "limit"),
    [
        ("komi", "standard", -1, "15"),
        ("komi", "standard", 16, "15"),
        ("komi", "standard", 2**70, "15"),
        ("komi", "standard", -(2**70), "15"),
        ("komi", "standard", 2**16, "15"),
        ("komi", "longest", 16, "15"),
        ("komi", "squares", -1, "1000"),
        ("komi", "squares", 1001, "1000"),
        ("no-komi", "standard", 1, "0"),
        ("no-komi", "squares", 7, "0"),
        ("no-komi", "standard", -1, "0"),
        ("double", "standard", 1, "0"),
        ("double", "longest", 15, "0"),
        ("double", "squares", 2**64, "0"),
    ],
)
def test_komis_that_are_not_allowed(game: str, scoring: str, komi: int, limit: str) -> None:
    with pytest.raises(ValueError, match=rf"komi\b.*\b{limit}\b"):
        catena.Board(game=game, scoring=scoring, komi=komi)


@pytest.mark.parametrize("game", ["no-komi", "double"])
def test_only_the_komi_game_names_one(game: str) -> None:
    with pytest.raises((ValueError, TypeError), match="komi"):
        catena.Board(game=game, komi=None)


@pytest.mark.parametrize("komi", ["7", 7.0, 7.5, b"7", [7], True, 7j])
def test_komis_of_other_types(komi: Any) -> None:
    with pytest.raises(TypeError):
        catena.Board(komi=komi)


def test_the_largest_komis() -> None:
    assert catena.Board(komi=15).komi == 15
    assert catena.Board(scoring="longest", komi=15).komi == 15
    assert catena.Board(scoring="squares", komi=1_000).komi == 1_000
    assert catena.Board(2, komi=None).num_moves == 7 + 3 + 16
    assert catena.Board(2, scoring="squares", komi=None).num_moves == 7 + 3 + 1_001


def test_all_but_the_size_goes_by_keyword() -> None:
    with pytest.raises(TypeError):
        catena.Board(6, "komi")  # type: ignore[misc]
    with pytest.raises(TypeError):
        catena.Board(colour="red")  # type: ignore[call-arg]
    assert catena.Board(size=4) == catena.Board(4)


PROPERTIES = """
    size game scoring komi num_cells num_moves phase turn seat black_seat stones_due button ply
    history legal_count is_over scores winner returns key position
"""


@pytest.mark.parametrize("name", PROPERTIES.split())
def test_properties_are_read_only(name: str) -> None:
    board = catena.Board()
    before = walks.snapshot(board)
    with pytest.raises(AttributeError):
        setattr(board, name, getattr(board, name))
    with pytest.raises(AttributeError):
        delattr(board, name)
    assert walks.snapshot(board) == before


def test_no_new_attributes() -> None:
    with pytest.raises(AttributeError):
        catena.Board().note = "x"  # type: ignore[attr-defined]


def test_a_board_can_be_no_base() -> None:
    with pytest.raises(TypeError):
        type("Sub", (catena.Board,), {})


def test_history_and_lints_are_the_callers_own() -> None:
    board = catena.Board()
    board.play("A1 C3")
    board.history.clear()
    board.legal_moves().clear()
    board.lints().clear()
    assert board.history == [0, board.history[1]]
    assert len(board.lints()) == 2
    board._check()


@pytest.mark.parametrize("cell", [-1, 91, 92, 2**31, 2**64, -(2**64)])
def test_lint_at_off_the_board(cell: int) -> None:
    with pytest.raises(ValueError, match="90"):
        catena.Board().lint_at(cell)


# --- arrays ---------------------------------------------------------------------------------


def arrays(board: catena.Board) -> dict[str, tuple[Any, tuple[int, ...], Any]]:
    width = 2 * board.size - 1
    return {
        "stones": (board.stones, (board.num_cells,), np.int8),
        "grid": (board.grid, (width, width), np.int8),
        "legal_mask": (board.legal_mask, (board.num_moves,), np.uint8),
    }


@given(board=boards())
def test_arrays_given_and_filled(board: catena.Board) -> None:
    for function, shape, dtype in arrays(board).values():
        fresh = function()
        assert type(fresh) is np.ndarray
        assert (fresh.shape, fresh.dtype) == (shape, dtype)
        assert fresh.flags.writeable
        assert fresh.flags.c_contiguous
        out = np.full(shape, 77, dtype)
        assert function(out) is out
        assert (out == fresh).all()
        named = np.full(shape, 77, dtype)
        assert function(out=named) is named
        assert (named == fresh).all()
        fresh[...] = 55  # a copy, never a view of the board
        assert (function(None) == out).all()


@given(board=boards())
def test_grid_is_stones_by_column_and_row(board: catena.Board) -> None:
    stones, grid = board.stones(), board.grid()
    wanted = np.full(grid.shape, -1)
    for cell, place in enumerate(walks.places(board.size)):
        wanted[place] = stones[cell]
    assert (grid == wanted).all()
    assert set(stones.tolist()) <= {catena.EMPTY, catena.BLACK, catena.WHITE}


WHICH = ("stones", "grid", "legal_mask")


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("size", [2, 6, 10])
def test_out_of_the_wrong_shape(which: str, size: int) -> None:
    board = catena.Board(size)
    board.push(0)
    function, shape, dtype = arrays(board)[which]
    wrong = [tuple(n + d for n in shape) for d in (-1, 1)]
    wrong += [(0,) * len(shape), (shape[0], *[n + 1 for n in shape[1:]])][: len(shape)]
    for bad in wrong:
        out = np.full(bad, 77, dtype)
        with pytest.raises(ValueError, match="shape") as caught:
            function(out)
        for number in {*bad, *shape}:
            assert str(number) in str(caught.value), "both shapes are named"
        assert (out == 77).all()


@pytest.mark.parametrize("which", WHICH)
def test_out_of_the_wrong_number_of_axes(which: str) -> None:
    function, shape, dtype = arrays(catena.Board())[which]
    for bad in ((*shape, 1), (1, *shape), (int(np.prod(shape)),) if len(shape) > 1 else (1, 1), ()):
        out = np.full(bad, 77, dtype)
        with pytest.raises(ValueError, match="out"):
            function(out)
        assert (out == 77).all()


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize(
    "dtype",
    [np.int16, np.int64, np.float32, np.float64, np.bool_, np.complex64, "S1", object, ">i2"],
)
def test_out_of_the_wrong_dtype(which: str, dtype: Any) -> None:
    function, shape, _ = arrays(catena.Board())[which]
    out = np.zeros(shape, dtype)
    before = out.copy()
    with pytest.raises((ValueError, TypeError)):
        function(out)
    assert (out == before).all()


@pytest.mark.parametrize("which", WHICH)
def test_out_of_the_other_signedness(which: str) -> None:
    function, shape, dtype = arrays(catena.Board())[which]
    out = np.full(shape, 77, np.uint8 if dtype is np.int8 else np.int8)
    with pytest.raises((ValueError, TypeError)):
        function(out)
    assert (out == 77).all()


@pytest.mark.parametrize("which", WHICH)
def test_out_that_can_not_be_written(which: str) -> None:
    board = catena.Board()
    board.push(3)
    function, shape, dtype = arrays(board)[which]
    out = np.full(shape, 77, dtype)
    out.flags.writeable = False
    with pytest.raises((ValueError, TypeError)):
        function(out)
    assert (out == 77).all()
    frozen = bytes(np.full(shape, 77, dtype).tobytes())
    with pytest.raises((ValueError, TypeError, BufferError)):
        function(frozen)


@pytest.mark.parametrize("which", WHICH)
def test_out_with_gaps(which: str) -> None:
    function, shape, dtype = arrays(catena.Board())[which]
    wide = np.full((*shape[:-1], 2 * shape[-1]), 77, dtype)
    tall = np.full((2 * shape[0], *shape[1:]), 77, dtype)
    views = [(wide, wide[..., ::2]), (tall, tall[::2])]
    back = np.full(shape, 77, dtype)
    views += [(back, back[::-1])]
    if len(shape) == 2:
        turned = np.full(shape, 77, dtype, order="F")
        views += [(turned, turned)]
    for base, view in views:
        assert view.shape == shape
        with pytest.raises(ValueError, match="contiguous"):
            function(view)
        assert (base == 77).all()


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("out", [[0] * 91, "x" * 91, 91, 1.5, object(), True, {}, np.ndarray])
def test_out_that_is_no_array(which: str, out: Any) -> None:
    board = catena.Board()
    before = walks.snapshot(board)
    with pytest.raises(TypeError):
        arrays(board)[which][0](out)
    assert walks.snapshot(board) == before


# --- Bounds ---------------------------------------------------------------------------------------


def most_stones(size: int) -> int:
    """No position of lints has more stones: each touches two others at most.

    So the sum over the stones of (neighbours - 2) is at most that over the other cells of
    (neighbours); it is least if the stones stand where there are fewest neighbours.
    """
    degrees = sorted(map(len, walks.neighbour_lists(size)))
    stones = 0
    while stones < len(degrees):
        taken, left = degrees[: stones + 1], degrees[stones + 1 :]
        if sum(degree - 2 for degree in taken) > sum(left):
            break
        stones += 1
    return stones


@pytest.mark.parametrize("size", range(2, 11))
def test_eight_bits_hold_the_stones_of_any_position(size: int) -> None:
    """The core counts the stones of a lint, and the black ones, in eight bits each."""
    assert most_stones(size) <= 255
    assert size < 10 or most_stones(size) == 174
    played = max(len(catena.Board(size).playout(seed).history) for seed in range(200))
    assert played <= most_stones(size) + 1  # the button
