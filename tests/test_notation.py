"""Text of cells, moves and positions: what is written, what is read, what is refused and how."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import walks
from hypothesis import given
from hypothesis import strategies as st

import catena
from catena import BLACK, WHITE, Board, NotationError

EMPTY_BOARD = "6 komi standard 0 6/7/8/9/10/11/10/9/8/7/6 b - 1"
SIZES = range(2, 11)


def short(value: object) -> str | None:
    """A name for a test out of a text that may be very long."""
    return value[:40] if isinstance(value, str) else None


# --- cells --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "name", "cell"),
    [
        # Columns A to K of the default board hold 6, 7, 8, 9, 10, 11, 10, ... cells.
        (6, "A1", 0),
        (6, "A6", 5),
        (6, "B1", 6),
        (6, "D6", 6 + 7 + 8 + 5),
        (6, "F11", 6 + 7 + 8 + 9 + 10 + 10),
        (6, "G2", 51),
        (6, "K6", 85),
        (6, "K11", 90),
        (2, "A1", 0),
        (2, "C3", 6),
        (10, "S19", 270),
        (10, "J19", 10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 18),
    ],
)
def test_cells_have_names(size: int, name: str, cell: int) -> None:
    assert catena.cell_name(size, cell) == name
    assert catena.parse_cell(size, name) == cell
    assert catena.parse_cell(size, name.lower()) == cell


@pytest.mark.parametrize("size", SIZES)
def test_every_cell_name(size: int) -> None:
    names = [walks.name(size, cell) for cell in range(len(walks.places(size)))]
    assert [catena.cell_name(size, cell) for cell in range(len(names))] == names
    assert [catena.parse_cell(size, name) for name in names] == list(range(len(names)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "1",
        "A0",
        "A7",  # column A ends at A6
        "G1",  # column G begins at G2
        "L11",
        "A01",
        "A+1",
        "A-1",
        "A 1",
        " A1",
        "A1 ",
        "A1\n",
        "A1\0",
        "AA1",
        "1A",
        "A1B2",
        "button",
        "A\N{ARABIC-INDIC DIGIT THREE}",
        "A\N{SUPERSCRIPT TWO}",
        "\N{CYRILLIC CAPITAL LETTER A}1",
        "\N{KELVIN SIGN}6",  # k in lower case
        "\N{LATIN SMALL LETTER DOTLESS I}6",  # I in upper case
        "\N{FULLWIDTH LATIN CAPITAL LETTER A}1",
        "\ud800",
        "A" * 1_000_000,
        "A" + "1" * 1_000_000,
    ],
    ids=short,
)
def test_what_is_no_cell(text: str) -> None:
    with pytest.raises(NotationError, match="no cell of the board of size 6") as caught:
        catena.parse_cell(6, text)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()
    assert str(caught.value).isascii()


@pytest.mark.parametrize("cell", [-1, 91, 10**40, -(10**40)])
def test_what_has_no_name(cell: int) -> None:
    with pytest.raises(ValueError, match="not among the cells of size 6, 0 to 90"):
        catena.cell_name(6, cell)


@pytest.mark.parametrize("value", [None, 1.0, True, b"A1", "A1", [0]])
def test_types_of_cells(value: Any) -> None:
    with pytest.raises(TypeError):
        catena.cell_name(6, value)
    if not isinstance(value, str):
        with pytest.raises(TypeError):
            catena.parse_cell(6, value)
        with pytest.raises(TypeError):
            catena.parse_move(Board(), value)
        with pytest.raises(TypeError):
            Board.from_position(value)


@pytest.mark.parametrize("size", [1, 11, 0, -6, 10**40])
def test_sizes_of_no_board(size: int) -> None:
    with pytest.raises(ValueError, match="size must be 2 to 10"):
        catena.cell_name(size, 0)
    with pytest.raises(ValueError, match="size must be 2 to 10"):
        catena.parse_cell(size, "A1")


@pytest.mark.parametrize("size", [None, 6.0, True, "6"])
def test_types_of_sizes(size: Any) -> None:
    with pytest.raises(TypeError):
        catena.cell_name(size, 0)
    with pytest.raises(TypeError):
        catena.parse_cell(size, "A1")


def test_numpy_integers() -> None:
    assert catena.cell_name(np.int8(6), np.int64(26)) == "D6"
    assert catena.move_name(Board(), np.uint16(91)) == "button"


# --- moves --------------------------------------------------------------------------------------


def test_move_names() -> None:
    board = Board()  # 91 cells
    for move, text in [(26, "D6"), (91, "button"), (92, "black"), (93, "white")]:
        assert catena.move_name(board, move) == text
        for spelling in (text, text.upper(), text.lower(), text.title()):
            assert catena.parse_move(board, spelling) == move


@pytest.mark.parametrize(
    ("scoring", "most"), [("standard", 15), ("longest", 15), ("squares", 1000)]
)
def test_komi_moves(scoring: str, most: int) -> None:
    board = Board(komi=None, scoring=scoring)
    assert catena.move_name(board, 94) == "komi:0"
    assert catena.move_name(board, 94 + most) == f"komi:{most}"
    assert catena.parse_move(board, f"KOMI:{most}") == 94 + most
    with pytest.raises(NotationError):
        catena.parse_move(board, f"komi:{most + 1}")
    with pytest.raises(NotationError):
        catena.parse_move(Board(scoring=scoring), "komi:0")  # its numbering has no komi
    with pytest.raises(ValueError, match="0 to 93"):
        catena.move_name(Board(scoring=scoring), 94)


@pytest.mark.parametrize("board", walks.starts(SIZES), ids=walks.setup_of)
def test_every_move_name(board: Board) -> None:
    names = [catena.move_name(board, move) for move in range(board.num_moves)]
    assert [catena.parse_move(board, name) for name in names] == list(range(board.num_moves))
    assert [catena.parse_move(board, name.upper()) for name in names] == list(range(len(names)))
    for move in (-1, board.num_moves):
        with pytest.raises(ValueError, match="not among this board's moves"):
            catena.move_name(board, move)


@pytest.mark.parametrize(
    "text",
    [
        *("", "pass", "buttons", " button", "white\n", "A7", "94", "D6 D7"),
        *("komi", "komi:", "komi:07", "komi:+7", "komi: 7", "komi:-1", "komi:16"),
        *("komi:\N{SUPERSCRIPT TWO}", "\N{KELVIN SIGN}omi:7"),
    ],
)
def test_what_is_no_move(text: str) -> None:
    with pytest.raises(NotationError, match="no move of this board"):
        catena.parse_move(Board(komi=None), text)


# --- positions: written -------------------------------------------------------------------------


def test_the_empty_board() -> None:
    assert Board().position == EMPTY_BOARD
    assert Board.from_position(EMPTY_BOARD) == Board()


def test_a_few_moves() -> None:
    board = Board(2, scoring="squares", komi=1000)
    # Rows of this board: A1 B1, A2 B2 C2, B3 C3.
    board.play("B2 button C3")
    assert board.position == "2 komi squares 1000 2/1b1/1b w w 1"


def test_the_setup_of_the_komi_game() -> None:
    board = Board(2, komi=None, scoring="longest")
    assert board.position == "2 komi longest ? 2/3/2 komi - 1"
    board.push("komi:7")
    assert board.position == "2 komi longest 7 2/3/2 colour - 1"
    board.push("black")
    assert board.position == "2 komi longest 7 2/3/2 b - 2"


def test_the_setup_of_the_no_komi_game() -> None:
    board = Board(2, game="no-komi")
    assert board.position == "2 no-komi standard 0 2/3/2 b - 1"
    board.push("A1")
    assert board.position == "2 no-komi standard 0 b1/3/2 colour - 1"
    board.push("white")
    assert board.position == "2 no-komi standard 0 b1/3/2 w - 1"
    board.push("button")
    assert board.position == "2 no-komi standard 0 b1/3/2 b w 1"


def test_the_turns_of_the_double_game() -> None:
    board = Board(3, game="double")
    turns = [board.position.split()[5]]
    for move in ["A1", "C5", "E3", "E5", "A3"]:
        board.push(move)
        turns.append(board.position.split()[5])
    assert turns == ["b", "w", "w1", "b", "b1", "w"]


def test_rows_are_longest_runs() -> None:
    board = Board(10)
    board.push("J10")  # the middle cell; its row has 19 cells
    assert board.position.split()[4].split("/")[9] == "9b9"
    assert board.position.split()[4].split("/")[8] == "18"


# --- positions: there and back ------------------------------------------------------------------


def expected_text(board: Board, last_turn: int | None) -> str:
    """The text of a board from what it says of itself; at the end ``last_turn`` would be next."""
    letters = {BLACK: "b", WHITE: "w"}
    turn = {"komi": "komi", "colour": "colour"}.get(board.phase)
    if turn is None:
        turn = letters[board.turn or last_turn or 0]
        if board.game == "double" and board.stones_due == 1 and board.phase == "play" and board.ply:
            turn += "1"
    return walks.position_text(
        board.size,
        walks.stones_of(board),
        game=board.game,
        scoring=board.scoring,
        komi="?" if board.komi is None else str(board.komi),
        turn=turn,
        button=letters[board.button] if board.button else "-",
        black=str(board.black_seat + 1),
    )


@pytest.mark.parametrize("board", walks.starts((2, 3, 4, 6, 10)), ids=walks.setup_of)
def test_there_and_back_through_a_game(board: Board) -> None:
    rng = random.Random(walks.setup_of(board))
    while True:
        # Whoever doesn't make the last move would be next; in the double game it ends a whole turn.
        next_side = None
        if board.is_over:
            move = board.pop()
            next_side = WHITE if board.turn == BLACK else BLACK
            board.push(move)
        text = board.position
        assert text == expected_text(board, next_side)
        again = Board.from_position(text)
        assert again == board
        assert again.key == board.key
        assert again.position == text
        assert again.legal_moves() == board.legal_moves()
        assert (again.scores, again.winner) == (board.scores, board.winner)
        assert (again.ply, again.history) == (0, [])
        again._check()
        if board.is_over:
            return
        board.push(rng.choice(board.legal_moves()))


# On size 2 the five stones A1 A2 B3 C3 C2 leave the middle crowded, and B1 would close the ring.


def test_a_finished_position_awards_the_button() -> None:
    board = Board.from_position("2 komi standard 0 b1/b1b/bb w - 1")
    assert board.is_over
    assert board.button == WHITE  # Black placed the last stone
    assert board.scores == (5.0, 0.5)
    assert board.winner == BLACK
    assert board.position == "2 komi standard 0 b1/b1b/bb w w 1"
    taken = Board.from_position("2 komi standard 0 b1/b1b/bb w b 1")
    assert taken.button == BLACK
    assert taken.position == "2 komi standard 0 b1/b1b/bb w b 1"
    assert taken != board


@pytest.mark.parametrize(
    ("rows", "turn", "after", "owner"),
    [
        # The chain A1 A2 B3 C3 could still grow at either end, but not by two stones.
        ("b1/w2/bb", "b", "b1/b2/bb", BLACK),
        ("b1/w2/bw", "b", "b1/b2/bb", BLACK),  # two each, and White made the last move
        ("b1/w2/bw", "w", "w1/w2/ww", WHITE),
    ],
)
def test_a_finished_double_position_is_claimed(
    rows: str, turn: str, after: str, owner: int
) -> None:
    board = Board.from_position(f"2 double standard 0 {rows} {turn} - 1")
    assert board.is_over
    assert board.winner == owner
    (lint,) = board.lints()
    assert (lint.owner, lint.bound) == (owner, False)
    assert board.position == f"2 double standard 0 {after} {turn} - 1"
    assert Board.from_position(board.position) == board


def test_positions_of_no_game_are_fine() -> None:
    # Nine black stones to none, in a game that can't have gone so.
    board = Board.from_position("3 komi standard 0 b1b/4/b1b1b/4/b1b w - 2")
    assert board.turn == WHITE
    assert board.seat == 0
    assert board.scores == (7.0, 0.0)
    assert Board.from_position("2 double standard 0 w1/3/2 b1 - 1").stones_due == 1
    assert Board.from_position("2 double standard 0 w1/3/2 b - 1").stones_due == 2
    assert Board.from_position("2 double standard 0 2/3/2 b - 1").stones_due == 1


# --- positions: refused -------------------------------------------------------------------------


def with_field(field: int, value: str) -> str:
    fields = EMPTY_BOARD.split(" ")
    fields[field] = value
    return " ".join(fields)


SIZE, GAME, SCORING, KOMI, ROWS, TURN, BUTTON, BLACK_SEAT = range(8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # the line
        ("", r"^SIZE: empty"),
        (" ", r"^SIZE: empty"),
        (" " + EMPTY_BOARD, r"^SIZE: empty"),
        ("6", r"^GAME: missing, the text ends after SIZE$"),
        ("6 ", r"^GAME: empty"),
        ("6  komi", r"^GAME: empty.*\(character 3\)$"),
        ("6 komi standard 0 6/7/8/9/10/11/10/9/8/7/6 b -", r"^BLACK: missing"),
        (EMPTY_BOARD + " ", r"^BLACK: trailing text"),
        (EMPTY_BOARD + " 1", r"^BLACK: trailing text.*'1'"),
        (EMPTY_BOARD + "\n", r"^BLACK: '1\\n' is none of 1, 2"),
        (EMPTY_BOARD.replace(" ", "\t"), r"^GAME: missing"),
        (EMPTY_BOARD.upper(), r"^GAME: 'KOMI' is none of komi, no-komi, double \(character 3\)$"),
        # one field
        *((with_field(SIZE, size), r"^SIZE: ") for size in ("1", "11", "06", "+6", "6.0", "six")),
        (with_field(SIZE, "\N{ARABIC-INDIC DIGIT SIX}"), r"^SIZE: '\\u0666' is none of 2, 3"),
        (with_field(SIZE, "6" * 100_000), r"^SIZE: '6+'\.\.\. is none of"),
        (with_field(GAME, "chess"), r"^GAME: 'chess' is none of komi, no-komi, double"),
        (with_field(GAME, "no_komi"), r"^GAME: "),
        (with_field(SCORING, "Squares"), r"^SCORING: 'Squares'.*\(character 8\)$"),
        *((with_field(KOMI, komi), r"^KOMI: .* 0 to 15") for komi in ("16", "-1", "07", "+7")),
        *((with_field(KOMI, komi), r"^KOMI: .* 0 to 15") for komi in ("7.5", "1_0", "x", "??")),
        (with_field(KOMI, "\N{SUPERSCRIPT TWO}"), r"^KOMI: '\\xb2'"),
        (with_field(KOMI, "1" * 100_000), r"^KOMI: "),
        (with_field(TURN, "black"), r"^TURN: 'black' is none of b, w, b1, w1, komi, colour"),
        (with_field(TURN, "b2"), r"^TURN: "),
        (with_field(BUTTON, "0"), r"^BUTTON: '0' is none of b, w, -"),
        (with_field(BLACK_SEAT, "0"), r"^BLACK: '0' is none of 1, 2"),
        # the rows
        (with_field(ROWS, "6/7/8/9/10/11/10/9/8/7"), r"^ROWS: 10 rows, not 11 "),
        (with_field(ROWS, "6/7/8/9/10/11/10/9/8/7/6/"), r"^ROWS: 12 rows, not 11 "),
        (with_field(ROWS, "/" * 1_000_000), r"^ROWS: 1000001 rows, not 11 "),
        (with_field(ROWS, "6/7/7/9/10/11/10/9/8/7/6"), r"^ROWS: row 3 holds 7 cells, not 8$"),
        (with_field(ROWS, "6/7/8/9/10/11/10/9/8/7/7"), r"^ROWS: row 11 holds 7 cells, not 6$"),
        (with_field(ROWS, "6//8/9/10/11/10/9/8/7/6"), r"^ROWS: row 2 holds 0 cells, not 7$"),
        (with_field(ROWS, "6/11/8/9/10/11/10/9/8/7/6"), r"^ROWS: row 2 holds 11 cells, not 7$"),
        (with_field(ROWS, "6/b7/8/9/10/11/10/9/8/7/6"), r"^ROWS: row 2 holds 8 cells, not 7$"),
        (
            with_field(ROWS, "b" * 1_000_000 + "/7/8/9/10/11/10/9/8/7/6"),
            r"^ROWS: row 1 holds 1000000",
        ),
        (with_field(ROWS, "6/07/8/9/10/11/10/9/8/7/6"), r"^ROWS: row 2, character 1: '0' "),
        (with_field(ROWS, "6/7/b0b6/9/10/11/10/9/8/7/6"), r"^ROWS: row 3, character 2: '0' "),
        (with_field(ROWS, "6/7/8/9/10/11/10/9/8/7/5B"), r"^ROWS: row 11, character 2: 'B' "),
        (with_field(ROWS, "6/7/8/9/10/11/10/9/8/7/5."), r"^ROWS: row 11, character 2: '.' "),
        (with_field(ROWS, "20/7/8/9/10/11/10/9/8/7/6"), r"^ROWS: row 1, character 1: '2' "),
        (with_field(ROWS, "6/7/b111/9/10/11/10/9/8/7/6"), r"^ROWS: row 3, character 2: '1' "),
        (with_field(ROWS, "9" * 1_000_000), r"^ROWS: row 1, character 1: '9' "),
        (
            with_field(ROWS, "6/7/8/9/10/1\N{SUPERSCRIPT ONE}/10"),
            r"^ROWS: row 6, character 2: '\\xb9'",
        ),
        (with_field(ROWS, "6/7\0"), r"^ROWS: row 2, character 2: '\\x00'"),
        (with_field(ROWS, "\ud800"), r"^ROWS: row 1, character 1: '\\ud800'"),
        # the stones
        (
            "2 komi standard 0 b1/1bb/b1 w - 1",
            r"^ROWS: the group at [ABC][123] is no lint \(a stone",
        ),
        (
            "2 komi standard 0 bb/1b1/2 w - 1",
            r"^ROWS: the group at [AB][12] is no lint \(it closes",
        ),
        (
            "2 komi standard 0 bw/b1w/bw w - 1",
            r"^ROWS: the group at [ABC][123] is no lint \(it clo",
        ),
        ("2 komi standard 0 b1/b1b/bw w - 1", r"^ROWS: the lint at [ABC][123] is bound but"),
        ("2 komi standard 0 b1/b1b/bw w b 2", r"^ROWS: the lint at [ABC][123] is bound but"),
        ("2 double standard 0 b1/w1b/bb w - 1", r"^ROWS: the lint at [ABC][123] is bound but"),
        # fields that don't fit together
        (with_field(KOMI, "?"), r"^KOMI: '\?'"),
        (with_field(TURN, "komi"), r"^KOMI: '0'"),
        ("2 komi standard ? 2/3/2 colour - 1", r"^KOMI: '\?'"),
        ("2 komi standard ? b1/3/2 komi - 1", r"^ROWS: not empty"),
        ("2 komi standard 3 b1/3/2 colour - 1", r"^ROWS: not empty"),
        ("2 komi standard ? 2/3/2 komi b 1", r"^BUTTON: "),
        ("2 komi standard 0 2/3/2 colour w 1", r"^BUTTON: "),
        ("2 komi standard ? 2/3/2 komi - 2", r"^BLACK: "),
        ("2 komi standard 0 2/3/2 colour - 2", r"^BLACK: "),
        ("2 komi standard 0 b1/3/2 b1 - 1", r"^TURN: b1 is for the double game"),
        ("2 komi squares 1001 2/3/2 b - 1", r"^KOMI: '1001' .* 0 to 1000"),
        ("2 no-komi standard 1 2/3/2 b - 1", r"^KOMI: '1' is not 0"),
        ("2 no-komi standard ? 2/3/2 b - 1", r"^KOMI: '\?' is not 0"),
        ("2 no-komi standard 0 2/3/2 komi - 1", r"^TURN: no komi is named"),
        ("2 no-komi standard 0 2/3/2 w - 1", r"^TURN: w on the empty board"),
        ("2 no-komi standard 0 2/3/2 colour - 1", r"^ROWS: not one black stone"),
        ("2 no-komi standard 0 w1/3/2 colour - 1", r"^ROWS: not one black stone"),
        ("2 no-komi standard 0 b1/3/1b colour - 1", r"^ROWS: not one black stone"),
        ("2 no-komi standard 0 2/3/2 b b 1", r"^BUTTON: "),
        ("2 no-komi standard 0 2/3/2 b - 2", r"^BLACK: "),
        ("2 no-komi standard 0 b1/3/2 colour - 2", r"^BLACK: "),
        ("2 no-komi standard 0 b1/3/2 w1 - 1", r"^TURN: w1 is for the double game"),
        ("2 double standard 7 2/3/2 b - 1", r"^KOMI: '7' is not 0"),
        ("2 double standard 0 b1/3/2 w b 1", r"^BUTTON: .*in the double game"),
        ("2 double standard 0 b1/3/2 w - 2", r"^BLACK: .*in the double game"),
        ("2 double standard 0 b1/3/2 komi - 1", r"^TURN: no komi"),
        ("2 double standard 0 b1/3/2 colour - 1", r"^TURN: no colour"),
        ("2 double standard 0 2/3/2 w - 1", r"^TURN: w on the empty board"),
        ("2 double standard 0 2/3/2 b1 - 1", r"^TURN: b1 wants a stone"),
        ("2 double standard 0 b1/b1b/bb b1 - 1", r"^TURN: b1 leaves no open cell"),
    ],
    ids=short,
)
def test_refusals_name_field_and_place(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message) as caught:
        Board.from_position(text)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()
    assert str(caught.value).isascii()


FIELD_NAMED = r"^(SIZE|GAME|SCORING|KOMI|ROWS|TURN|BUTTON|BLACK): "

# --- positions: anything ------------------------------------------------------------------------


@st.composite
def damaged_positions(draw: st.DrawFn) -> str:
    """The text of a position of a random game with up to three places changed."""
    game, scoring = draw(st.sampled_from(walks.COMBOS))
    komi = draw(st.sampled_from([0, None])) if game == "komi" else 0
    board = Board(draw(st.integers(2, 4)), game=game, scoring=scoring, komi=komi)
    rng = random.Random(draw(st.integers(0, 2**32)))
    for _ in walks.walk(board, rng, draw(st.integers(0, 40))):
        pass
    text = board.position
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 2))
        text = (
            text[:place] + draw(st.text("bw0123456789/ -?komi", max_size=2)) + text[place + cut :]
        )
    return text


@given(st.one_of(st.text(), damaged_positions()))
def test_any_text_is_a_board_or_refused(text: str) -> None:
    try:
        board = Board.from_position(text)
    except NotationError:
        with pytest.raises(NotationError, match=FIELD_NAMED):
            Board.from_position(text)
        return
    # One spelling, but for what the end of a game adds: the button awarded, lints claimed.
    if not board.is_over:
        assert board.position == text
    assert Board.from_position(board.position) == board
    board._check()
