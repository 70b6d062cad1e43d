"""What Board gives back is of the very type that its stubs say: True is no seat."""

import random

import pytest
import walks

import catena

INTS = ("size", "num_cells", "num_moves", "black_seat", "stones_due", "ply", "legal_count", "key")
INTS_OR_NONE = ("komi", "turn", "seat", "button", "winner")


def check_types(board: catena.Board) -> None:
    for name in INTS:
        assert type(getattr(board, name)) is int, name
    for name in INTS_OR_NONE:
        assert type(getattr(board, name)) in (int, type(None)), name
    for name in ("game", "scoring", "phase", "position"):
        assert type(getattr(board, name)) is str, name
    assert type(board.is_over) is bool
    assert type(board.is_legal(0)) is bool
    assert {type(score) for score in (*board.scores, *board.returns)} == {float}
    assert {type(move) for move in (*board.legal_moves(), *board.history)} <= {int}
    for lint in board.lints():
        assert type(lint) is catena.Lint
        assert {type(number) for number in (*lint.cells, lint.black, lint.white)} == {int}
        assert type(lint.bound) is bool
        assert lint.owner is None or type(lint.owner) is int


@pytest.mark.parametrize("game", walks.GAMES)
@pytest.mark.parametrize("scoring", walks.SCORINGS)
def test_types_at_every_ply(game: str, scoring: str) -> None:
    board = catena.Board(3, game=game, scoring=scoring, komi=None if game == "komi" else 0)
    check_types(board)
    for _ in walks.walk(board, random.Random(5)):
        check_types(board)
    assert board.is_over
    assert type(board.pop()) is int


@pytest.mark.parametrize("kind", [catena.Board, catena.Batch])
@pytest.mark.parametrize("wrong", [None, 5, object, [1, 2, 3], "board"], ids=str)
def test_methods_of_a_class_take_no_other_object_for_self(kind: type, wrong: object) -> None:
    names = [name for name in dir(kind) if not name.startswith("__") or name == "__reduce__"]
    methods = [getattr(kind, name) for name in names if callable(getattr(kind, name))]
    assert len(methods) > 5
    for method in methods:
        if method is not getattr(catena.Board, "from_position", None):
            with pytest.raises(TypeError):
                method(wrong)
