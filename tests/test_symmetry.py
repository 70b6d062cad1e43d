"""The twelve symmetries of the board, and the exchange of the colours."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import walks

import catena

SYMMETRIES = range(12)
Map = tuple[int, ...]


def maps_by_coordinates(size: int) -> set[Map]:
    """All maps of the board onto itself that keep the centre and the neighbours: a linear map takes
    (1, 0) and (0, 1) to two of the six directions whose sum, the image of (1, 1), is one too."""
    directions = walks.around((0, 0))
    index = {place: cell for cell, place in enumerate(walks.places(size))}
    centre = size - 1
    maps = set()
    for (a, b), (c, d) in itertools.product(directions, repeat=2):
        if (a + c, b + d) in directions:
            image = []
            for column, row in walks.places(size):
                x, y = column - centre, row - centre
                image.append(index[a * x + c * y + centre, b * x + d * y + centre])
            maps.add(tuple(image))
    assert len(maps) == 12
    return maps


def map_of(size: int, symmetry: int) -> Map:
    """Where ``transform`` takes each cell, found by moving one stone at a time."""
    image = []
    for cell in range(len(walks.places(size))):
        board = catena.Board(size)
        board.push(cell)
        (there,) = walks.stones_of(board.transform(symmetry))
        image.append(there)
    return tuple(image)


@pytest.fixture(scope="module")
def all_maps() -> dict[int, list[Map]]:
    return {size: [map_of(size, s) for s in SYMMETRIES] for size in range(2, 11)}


@pytest.mark.parametrize("size", range(2, 11))
def test_the_twelve_maps_of_the_hexagon(size: int, all_maps: dict[int, list[Map]]) -> None:
    maps = all_maps[size]
    assert maps[0] == tuple(range(len(maps[0])))
    assert len(set(maps)) == 12
    assert set(maps) == maps_by_coordinates(size)


@pytest.mark.parametrize("size", range(2, 11))
def test_they_are_a_group(size: int, all_maps: dict[int, list[Map]]) -> None:
    maps = all_maps[size]
    for first, second in itertools.product(maps, repeat=2):
        assert tuple(second[first[cell]] for cell in range(len(first))) in maps
    orders = []
    for one in maps:
        at, order = one, 1
        while at != maps[0]:
            at, order = tuple(one[cell] for cell in at), order + 1
        orders.append(order)
    # The dihedral group of the hexagon: six reflections and the half turn, and the rotations.
    assert sorted(orders) == [1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 6, 6]


def test_a_number_is_the_same_symmetry_on_every_size(all_maps: dict[int, list[Map]]) -> None:
    """On the six cells around the centre, which every board has."""
    for symmetry in SYMMETRIES:
        turned = set()
        for size in range(2, 11):
            index = {place: cell for cell, place in enumerate(walks.places(size))}
            places = walks.places(size)
            centre = size - 1
            image = []
            for c, r in walks.around((centre, centre)):
                to = places[all_maps[size][symmetry][index[c, r]]]
                image.append((to[0] - centre, to[1] - centre))
            turned.add(tuple(image))
        assert len(turned) == 1


@pytest.mark.parametrize("size", range(2, 11))
def test_move_permutation(size: int, all_maps: dict[int, list[Map]]) -> None:
    for symmetry in SYMMETRIES:
        moves = [int(move) for move in catena.move_permutation(size, symmetry)]
        n = len(all_maps[size][symmetry])
        assert tuple(moves[:n]) == all_maps[size][symmetry]
        # The button and the setup moves stay where they are.
        assert moves[n:] == list(range(n, len(moves)))
        assert len(moves) >= n + 3


def by_hand(size: int, symmetry: int) -> list[int]:
    index = {place: cell for cell, place in enumerate(walks.places(size))}
    return [index[walks.image_of(size, place, symmetry)] for place in walks.places(size)]


def test_the_maps_of_size_2() -> None:
    """Clockwise in a diagram: A1 B1 C2 C3 B3 A2 around B2, numbers 0 2 5 6 4 1 around 3."""
    assert catena.cell_permutation(2, 1).tolist() == [2, 0, 5, 3, 1, 6, 4]
    assert catena.cell_permutation(2, 3).tolist() == [6, 5, 4, 3, 2, 1, 0]
    # The diagonal from A1 to C3.
    assert catena.cell_permutation(2, 6).tolist() == [0, 2, 1, 3, 5, 4, 6]
    assert catena.cell_permutation(2, 7).tolist() == [2, 5, 0, 3, 6, 1, 4]


@pytest.mark.parametrize("size", range(2, 11))
def test_cell_permutation(size: int, all_maps: dict[int, list[Map]]) -> None:
    n = len(walks.places(size))
    for symmetry in SYMMETRIES:
        cells = catena.cell_permutation(size, symmetry)
        assert cells.dtype == np.int32
        assert cells.shape == (n,)
        assert cells.tolist() == by_hand(size, symmetry) == list(all_maps[size][symmetry])
        assert catena.move_permutation(size, symmetry)[:n].tolist() == cells.tolist()
        # What a caller does to the array changes no other.
        cells[:] = 0
        assert catena.cell_permutation(size, symmetry).tolist() == by_hand(size, symmetry)
        moves = catena.move_permutation(size, symmetry)
        moves[:] = 0
        assert catena.move_permutation(size, symmetry)[:n].tolist() == by_hand(size, symmetry)


@pytest.mark.parametrize("size", range(2, 11))
@pytest.mark.parametrize("permutation", [catena.cell_permutation, catena.move_permutation])
def test_laws_of_the_group(permutation: Callable[[int, int], Any], size: int) -> None:
    """One symmetry and then another is a third one: turns add up, and a reflection turns the turns
    before it the other way."""
    maps = [permutation(size, s) for s in SYMMETRIES]
    identity = np.arange(len(maps[0]))
    assert (maps[0] == identity).all()
    for first, second in itertools.product(SYMMETRIES, repeat=2):
        turns = second % 6 + (first % 6 if second < 6 else -first % 6)
        both = 6 * ((first < 6) != (second < 6)) + turns % 6
        assert (maps[second][maps[first]] == maps[both]).all()
    for symmetry in SYMMETRIES:
        inverse = catena.inverse_symmetry(symmetry)
        assert type(inverse) is int
        assert (maps[symmetry][maps[inverse]] == identity).all()
        assert (maps[inverse][maps[symmetry]] == identity).all()
        assert catena.inverse_symmetry(inverse) == symmetry
    assert [catena.inverse_symmetry(s) for s in SYMMETRIES] == [0, 5, 4, 3, 2, 1, *range(6, 12)]


@pytest.mark.parametrize("size", [2, 6, 10])
def test_move_permutation_of_boards_that_name_the_komi(size: int) -> None:
    n = len(walks.places(size))
    for symmetry in SYMMETRIES:
        for scoring in walks.SCORINGS:
            for komi in (0, None):
                board = catena.Board(size, scoring=scoring, komi=komi)
                moves = catena.move_permutation(size, symmetry, board.num_moves)
                assert moves.dtype == np.int32
                assert moves.tolist() == by_hand(size, symmetry) + list(range(n, board.num_moves))
        short = catena.move_permutation(size, symmetry)
        assert short.dtype == np.int32
        assert (short == catena.move_permutation(size, symmetry, None)).all()
        assert (short == catena.move_permutation(size, symmetry, num_moves=n + 3)).all()
        long = catena.move_permutation(np.int64(size), np.int8(symmetry), np.int64(n + 19))
        assert len(long) == n + 19


@pytest.mark.parametrize("board", walks.starts((2, 4, 6)), ids=walks.setup_of)
def test_policies_go_along(board: catena.Board) -> None:
    """A policy of the image is the policy of the board taken at the inverse's numbers: as the
    docstring says, and as a mask, the simplest policy, shows."""
    board, rng = board.copy(), random.Random(board.position)
    numbers = np.arange(board.num_moves) * 1.5
    for _ in itertools.chain([None], walks.walk(board, rng)):
        if rng.random() > 12 / board.num_cells:
            continue
        for symmetry in SYMMETRIES:
            image = board.transform(symmetry)
            inverse = catena.inverse_symmetry(symmetry)
            there = catena.move_permutation(board.size, symmetry, board.num_moves)
            back = catena.move_permutation(board.size, inverse, board.num_moves)
            assert (image.legal_mask() == board.legal_mask()[back]).all()
            assert (image.legal_mask()[there] == board.legal_mask()).all()
            assert (numbers[back][there] == numbers).all()
            for move in board.legal_moves()[:: 1 + board.num_moves // 9]:
                image.push(int(there[move]))
                board.push(move)
                assert board.transform(symmetry) == image
                board.pop()
                image.pop()


# --- the canonical key ----------------------------------------------------------------------


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_canonical_is_the_smallest_key_of_the_twelve(game: str, scoring: str) -> None:
    rng = random.Random(f"{game} {scoring} canonical")
    least = set()
    for size in (2, 3, 5, 10):
        board = catena.Board(size, game=game, scoring=scoring, komi=None if game == "komi" else 0)
        for _ in itertools.chain([None], walks.walk(board, rng)):
            if rng.random() > 16 / board.num_cells:
                continue
            before = walks.snapshot(board)
            key, symmetry = catena.canonical(board)
            assert type(key) is type(symmetry) is int
            images = [board.transform(s) for s in SYMMETRIES]
            keys = [image.key for image in images]
            assert key == min(keys)
            assert symmetry == keys.index(key)
            for image in images:
                smallest, which = catena.canonical(image)
                assert smallest == key
                assert image.transform(which) == images[symmetry]
            assert walks.snapshot(board) == before
            least.add(symmetry)
    assert len(least) > 6


@pytest.mark.parametrize(("size", "stones"), [(2, 3), (3, 3), (4, 2)])
def test_canonical_keys_tell_all_classes_apart(
    size: int, stones: int, all_maps: dict[int, list[Map]]
) -> None:
    """All positions of up to some stones, put into classes by the maps of their cells."""
    keys: dict[frozenset[tuple[int, str]], int] = {}
    n = len(walks.places(size))
    for number in range(stones + 1):
        for cells in itertools.combinations(range(n), number):
            for colours in itertools.product("bw", repeat=number):
                position = frozenset(zip(cells, colours, strict=True))
                try:
                    text = walks.position_text(size, dict(position))
                    board = catena.Board.from_position(text)
                except catena.NotationError:
                    continue
                if not board.is_over:
                    keys[position] = catena.canonical(board)[0]
    classes = {
        frozenset(
            frozenset((image[cell], colour) for cell, colour in position)
            for image in all_maps[size]
        )
        for position in keys
    }
    for members in classes:
        assert len({keys[position] for position in members}) == 1
    assert len(set(keys.values())) == len(classes)
    assert len(classes) < len(keys)


def test_canonical_keys_differ_by_all_that_the_future_depends_on() -> None:
    rows = "2b/4/1w3/4/3"
    texts = [
        f"3 {game} {scoring} {komi} {rows} {turn} {button} {black}"
        for game, scoring, komi in (
            ("komi", "standard", 0),
            ("komi", "standard", 1),
            ("komi", "longest", 0),
            ("komi", "squares", 0),
            ("no-komi", "standard", 0),
        )
        for turn in "bw"
        for button in "-bw"
        for black in "12"
    ] + [f"3 double standard 0 {rows} {turn} - 1" for turn in ("b", "w", "b1", "w1")]
    keys = {catena.canonical(catena.Board.from_position(text))[0] for text in texts}
    assert len(keys) == len(texts)


def test_the_canonical_key_of_a_symmetric_position_is_its_own() -> None:
    for size in range(2, 11):
        empty = catena.Board(size)
        assert catena.canonical(empty) == (empty.key, 0)
        empty.push(empty.num_cells // 2)
        assert catena.canonical(empty) == (empty.key, 0)


@pytest.mark.parametrize("bad", [None, 6, "6", object(), catena.Board, catena.Batch(1)])
def test_canonical_of_what_is_no_board(bad: Any) -> None:
    with pytest.raises(TypeError):
        catena.canonical(bad)


# --- games and symmetries -------------------------------------------------------------------


def mapped(lints: list[Any], image: Map) -> set[tuple[frozenset[int], int, int, bool, int | None]]:
    return {
        (frozenset(image[c] for c in lint.cells), lint.black, lint.white, lint.bound, lint.owner)
        for lint in lints
    }


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_games_commute_with_all_symmetries(
    game: str, scoring: str, all_maps: dict[int, list[Map]]
) -> None:
    rng = random.Random(f"{game} {scoring}")
    for size in (2, 3, 4, 6):
        maps = all_maps[size]
        n = len(maps[0])
        board = catena.Board(size, game=game, scoring=scoring, komi=None if game == "komi" else 0)
        images = [board.transform(s) for s in SYMMETRIES]
        total = itertools.count()
        for move in itertools.chain([None], walks.walk(board, rng)):
            whole = next(total) % 4 == 0 or board.is_over
            for symmetry, image in enumerate(maps):
                played = images[symmetry]
                if move is not None:
                    played.push(image[move] if move < n else move)
                turned = board.transform(symmetry)
                assert turned == played
                assert turned.key == played.key
                if not whole:
                    continue
                turned._check()
                legal = sorted(image[m] if m < n else m for m in board.legal_moves())
                assert turned.legal_moves() == legal
                for name in ("scores", "winner", "returns", "phase", "turn", "seat", "button"):
                    assert getattr(turned, name) == getattr(board, name)
                for name in ("size", "game", "scoring", "komi", "black_seat", "stones_due"):
                    assert getattr(turned, name) == getattr(board, name)
                stones = np.empty(n, np.int8)
                stones[list(image)] = board.stones()
                assert (turned.stones() == stones).all()
                assert mapped(turned.lints(), maps[0]) == mapped(board.lints(), image)
                for cell in range(n):
                    assert turned.why_illegal(image[cell]) == board.why_illegal(cell)


@pytest.mark.parametrize("board", walks.starts((3, 5)), ids=walks.setup_of)
def test_perft_commutes_with_all_symmetries(board: catena.Board) -> None:
    board, rng = board.copy(), random.Random(board.position)
    list(walks.walk(board, rng, 6))
    for symmetry in SYMMETRIES:
        turned = board.transform(symmetry)
        assert catena.perft(turned, 3) == catena.perft(board, 3)
        parts = catena.divide(turned, 2)
        assert sorted(parts.values()) == sorted(catena.divide(board, 2).values())


def test_the_source_is_left_alone_and_the_image_is_its_own() -> None:
    board = catena.Board()
    board.play("D6 E6 button A1")
    before = walks.snapshot(board)
    for symmetry in SYMMETRIES:
        turned = board.transform(symmetry)
        assert turned is not board
        there = walks.snapshot(turned)
        turned.push("F11" if turned.is_legal("F11") else "F10")
        assert walks.snapshot(board) == before
        turned.pop()
        assert walks.snapshot(turned) == there
    assert board.transform(0) == board


def test_transforming_there_and_back() -> None:
    rng = random.Random(9)
    for board in walks.starts((4, 6)):
        list(walks.walk(board, rng, 20))
        seen = {board.transform(s).position for s in SYMMETRIES}
        for symmetry in SYMMETRIES:
            turned = board.transform(symmetry)
            assert {turned.transform(s).position for s in SYMMETRIES} == seen
            assert any(turned.transform(s) == board for s in SYMMETRIES)


OF_A_SYMMETRY: dict[str, Callable[[Any], object]] = {
    "transform": lambda s: catena.Board().transform(s),
    "cell_permutation": lambda s: catena.cell_permutation(6, s),
    "move_permutation": lambda s: catena.move_permutation(6, s),
    "inverse_symmetry": catena.inverse_symmetry,
}


@pytest.mark.parametrize("name", OF_A_SYMMETRY)
@pytest.mark.parametrize("bad", [-1, 12, 13, 255, 256, 2**16, 2**32, 2**64, -(2**70)])
def test_symmetries_that_are_not_there(bad: int, name: str) -> None:
    with pytest.raises(ValueError, match=f"symmetry must be 0 to 11, got {bad}"):
        OF_A_SYMMETRY[name](bad)


@pytest.mark.parametrize("name", OF_A_SYMMETRY)
@pytest.mark.parametrize("bad", ["1", 1.0, float("nan"), None, b"1", [1], True, np.array([1, 2])])
def test_symmetries_of_other_types(bad: Any, name: str) -> None:
    with pytest.raises(TypeError):
        OF_A_SYMMETRY[name](bad)


@pytest.mark.parametrize("permutation", [catena.cell_permutation, catena.move_permutation])
def test_permutations_of_sizes_that_are_not_there(permutation: Callable[..., object]) -> None:
    for size in (1, 11, 0, -1, 2**40, 2**64):
        with pytest.raises(ValueError, match=f"size must be 2 to 10, got {size}"):
            permutation(size, 0)
    for other in (True, 6.0, "6", None, [6]):
        with pytest.raises(TypeError, match="size"):
            permutation(other, 0)


@pytest.mark.parametrize("bad", [0, -1, 7, 93, 95, 109, 111, 1094, 1096, 2**31, 2**64])
def test_numbers_of_moves_that_no_board_has(bad: int) -> None:
    with pytest.raises(ValueError, match=rf"\(94, 110, 1095\) on size 6, got {bad}$"):
        catena.move_permutation(6, 1, bad)


@pytest.mark.parametrize("bad", [True, 94.0, float("nan"), "94", [94]])
def test_numbers_of_moves_of_other_types(bad: Any) -> None:
    with pytest.raises(TypeError, match="num_moves"):
        catena.move_permutation(6, 1, bad)


def test_anything_with_an_index_is_an_int() -> None:
    class Own:
        def __init__(self, value: int) -> None:
            self.value = value

        def __index__(self) -> int:
            return self.value

    assert (
        catena.move_permutation(Own(6), Own(4), Own(110)) == catena.move_permutation(6, 4, 110)
    ).all()
    assert (catena.cell_permutation(Own(6), Own(4)) == catena.cell_permutation(6, 4)).all()
    assert catena.inverse_symmetry(Own(4)) == 2


# --- colours --------------------------------------------------------------------------------


def exchanged(text: str) -> str:
    """A position in play with the colours exchanged: stones, turn and button."""
    fields = text.split(" ")
    swap = str.maketrans("bw", "wb")
    for at in (4, 5, 6):
        fields[at] = fields[at].translate(swap)
    return " ".join(fields)


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_exchanging_the_colours_exchanges_the_scores(game: str, scoring: str) -> None:
    """Without komi the rules know no colour: a tied claim looks at who placed the stone."""
    rng = random.Random(f"{scoring} {game}")
    ends = set()
    for size in (2, 3, 3, 4, 4, 5, 6, 6):
        board = catena.Board(size, game=game, scoring=scoring)
        list(walks.walk(board, rng, rng.randrange(3, 6)))
        if board.phase != "play":
            continue
        twin = catena.Board.from_position(exchanged(board.position))
        for move in itertools.chain([None], walks.walk(board, rng)):
            if move is not None:
                twin.push(move)
            assert twin.legal_moves() == board.legal_moves()
            assert twin.scores == board.scores[::-1]
            sides = {catena.BLACK: catena.WHITE, catena.WHITE: catena.BLACK, None: None}
            assert twin.winner == sides[board.winner]
            assert twin.returns == tuple(board.returns[::-1])
            assert twin.turn == sides[board.turn]
            assert twin.button == sides[board.button]
            assert twin.position == exchanged(board.position)
            mine = {(x.cells, x.black, x.white, x.bound, x.owner) for x in board.lints()}
            theirs = {(x.cells, x.white, x.black, x.bound, sides[x.owner]) for x in twin.lints()}
            assert mine == theirs
        assert board.is_over
        ends.add(board.winner)
    assert ends
