"""The twelve symmetries of the board, and the exchange of the colours."""

from __future__ import annotations

import itertools
import random
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


@pytest.mark.parametrize("bad", [-1, 12, 13, 255, 256, 2**16, 2**32, 2**64, -(2**70)])
def test_symmetries_that_are_not_there(bad: int) -> None:
    with pytest.raises(ValueError, match="11"):
        catena.Board().transform(bad)
    with pytest.raises(ValueError, match="11"):
        catena.move_permutation(6, bad)


@pytest.mark.parametrize("bad", ["1", 1.0, None, b"1", [1]])
def test_symmetries_of_other_types(bad: Any) -> None:
    with pytest.raises(TypeError):
        catena.Board().transform(bad)
    with pytest.raises(TypeError):
        catena.move_permutation(6, bad)


@pytest.mark.parametrize("size", [1, 11, 0, -1, 2**40])
def test_permutations_of_sizes_that_are_not_there(size: int) -> None:
    with pytest.raises(ValueError, match="10"):
        catena.move_permutation(size, 0)


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
