"""The rules, sentence by sentence, on positions worked out by hand.

Each test names the sentence it shows and takes the smallest board that shows it. ``engine`` makes
games of the package and of the reference in turn. Boards of size 2 and 3, for reading the tests:

       A1 B1              A1 B1 C1
      A2 B2 C2           A2 B2 C2 D2
       B3 C3            A3 B3 C3 D3 E3
                         B4 C4 D4 E4
                          C5 D5 E5

A cell's neighbours are the two beside it in its row, the two above it and the two below. Letters in
pictures: b a black stone, w a white one, a dot an empty cell.
"""

import random
from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any

import pytest
from reference import BLACK, WHITE, board_cells, cell_name

import catena

Engine = Callable[..., Any]


# --- Reading a game -------------------------------------------------------------------------------


def play(game: Any, moves: str) -> Any:
    for move in moves.split():
        game.push(move)
    return game


def name(game: Any, cell: int) -> str:
    return cell_name(board_cells(game.size)[cell])


def open_to(game: Any) -> str:
    """The cells where a stone may be placed."""
    return " ".join(name(game, move) for move in game.legal_moves() if move < game.num_cells)


def picture(game: Any) -> list[str]:
    """The stones, a row of the board in each string."""
    stones = list(game.stones())
    rows = [""] * (2 * game.size - 1)
    for (_, row), stone in zip(board_cells(game.size), stones, strict=True):
        rows[row] += ".bw"[stone]
    return rows


def drawn(text: str) -> list[str]:
    """The rows of a picture in a test."""
    return ["".join(line.split()) for line in text.strip().splitlines()]


def lints(game: Any) -> dict[str, Any]:
    """The owner of each lint, None while it is unclaimed."""
    return {"-".join(name(game, cell) for cell in lint.cells): lint.owner for lint in game.lints()}


def bound(game: Any) -> list[str]:
    return ["-".join(name(game, c) for c in lint.cells) for lint in game.lints() if lint.bound]


def reasons(game: Any, cells: str) -> list[str | None]:
    return [game.why_illegal(cell) for cell in cells.split()]


# --- Board ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "cells"),
    [(2, 7), (3, 19), (4, 37), (5, 61), (6, 91), (7, 127), (8, 169), (9, 217), (10, 271)],
)
def test_a_board_of_n_cells_a_side_has_3n_n_minus_1_plus_1_cells(
    engine: Engine, size: int, cells: int
) -> None:
    game = engine(size)
    assert game.num_cells == cells
    assert game.legal_moves() == list(range(cells + 1))  # all cells, and the button
    assert len(game.stones()) == cells


def test_the_default_board_has_91_cells(engine: Engine) -> None:
    game = engine()
    assert (game.size, game.num_cells) == (6, 91)
    assert (game.game, game.scoring, game.komi) == ("komi", "standard", 0)


def test_sizes_go_from_2_to_10(engine: Engine) -> None:
    for size in (-2, 0, 1, 11):
        with pytest.raises(ValueError, match=r"."):
            engine(size)


def test_cells_are_named_by_column_and_row(engine: Engine) -> None:
    """Column A holds A1-A6, column F holds F1-F11, column K holds K6-K11."""
    game = engine()
    columns = {letter: (1, 6 + i) for i, letter in enumerate("ABCDEF")}
    columns |= {letter: (2 + i, 11) for i, letter in enumerate("GHIJK")}
    assert columns["A"] == (1, 6)
    assert columns["F"] == (1, 11)
    assert columns["K"] == (6, 11)
    number = 0
    for letter, (first, last) in columns.items():
        for row in range(14):
            cell = f"{letter}{row}"
            if first <= row <= last:
                game.push(cell)
                assert game.history == [number]  # column by column, A1 upwards
                assert game.pop() == number
                number += 1
            else:
                assert game.why_illegal(cell) == "unknown-move"
    assert number == 91
    assert game.why_illegal("L6") == "unknown-move"


def test_a_cell_has_six_neighbours(engine: Engine) -> None:
    """(c±1, r), (c, r±1), (c+1, r+1) and (c-1, r-1): around C3 = (2, 2) on size 3."""
    around = {"B3", "D3", "C2", "C4", "D4", "B2"}
    for cell in (cell_name(c) for c in board_cells(3) if c != (2, 2)):
        game = play(engine(3), f"C3 {cell}")
        assert len(game.lints()) == (1 if cell in around else 2), cell


def test_a_corner_has_three_neighbours_and_other_edge_cells_four(engine: Engine) -> None:
    touching = {"A1": "A2 B1 B2", "E5": "D4 D5 E4", "B1": "A1 B2 C1 C2", "A2": "A1 A3 B2 B3"}
    for cell, expected in touching.items():
        others = [cell_name(c) for c in board_cells(3) if cell_name(c) != cell]
        found = [o for o in others if len(play(engine(3), f"{cell} {o}").lints()) == 1]
        assert " ".join(found) == expected


# --- Words ----------------------------------------------------------------------------------------


def test_a_group_is_joined_through_neighbours_whatever_their_colour(engine: Engine) -> None:
    game = play(engine(3), "A1 B1 C5 D5")  # A1 and C5 black, B1 and D5 white
    first, second = game.lints()
    assert tuple(first) == ((0, 3), 1, 1, False, None)  # A1, B1
    assert tuple(second) == ((11, 15), 1, 1, False, None)  # C5, D5


def test_a_single_stone_is_a_lint(engine: Engine) -> None:
    (lint,) = play(engine(2), "B2").lints()
    assert tuple(lint) == ((3,), 1, 0, False, None)


def test_cells_of_a_lint_run_from_the_end_with_the_lower_number(engine: Engine) -> None:
    # The chain E3-D3-D4-E5, placed from its middle.
    #     . . .
    #    . . . .
    #   . . . D E
    #    . . D .
    #     . . E
    game = play(engine(3), "D4 D3 E5 E3")
    assert list(lints(game)) == ["E3-D3-D4-E5"]  # E3 has the lower number, 16 against 18
    assert game.lint_at(13).cells == (16, 13, 14, 18)  # D3, in the middle
    assert game.lint_at(0) is None
    for cell in (-1, 19):
        with pytest.raises(ValueError, match=r"."):
            game.lint_at(cell)


def test_three_stones_that_touch_one_another_are_a_ring(engine: Engine) -> None:
    game = play(engine(3), "A1 A2")
    # B2 touches both; B1 and A3 touch one end each; B3 touches A2 alone.
    assert reasons(game, "B2 B1 A3 B3") == ["ring", None, None, None]


def test_a_chain_does_not_close_into_a_ring(engine: Engine) -> None:
    #     . . .
    #    . b ? .        five of the six cells around C3
    #   . w . b .       ? = C2 would close them into a ring
    #    . b w .        C3 touches five
    #     . . .
    game = play(engine(3), "B2 B3 C4 D4 D3")
    assert reasons(game, "C2 C3") == ["ring", "crowded"]


def test_every_stone_touches_at_most_two_others(engine: Engine) -> None:
    #     . . .
    #    . . ? .        C3 touches B3 and D4;
    #   . w b . .       ? = C2 touches C3 alone, whose third stone it would be
    #    . . b .        C4 touches all three
    #     . . .
    game = play(engine(3), "C3 B3 D4")
    assert reasons(game, "C2 C4") == ["branch", "crowded"]


def test_a_lint_that_cannot_be_lengthened_is_bound(engine: Engine) -> None:
    #   b .
    #  . b .     every other cell touches two stones of this lint that touch each other
    #   . b
    game = play(engine(2), "B2 A1")
    assert bound(game) == []
    assert open_to(game) == "B3 C2 C3"
    game.push("C3")
    assert bound(game) == ["A1-B2-C3"]


# --- Turns ----------------------------------------------------------------------------------------


def test_black_and_white_move_in_turn_black_first(engine: Engine) -> None:
    game = engine(3)
    sides = []
    for move in ["A1", "C3", "button", "E5", "A3"]:
        sides.append((game.turn, game.seat, game.stones_due))
        game.push(move)
    assert sides == [(BLACK, 0, 1), (WHITE, 1, 1), (BLACK, 0, 1), (WHITE, 1, 1), (BLACK, 0, 1)]
    assert picture(game) == drawn("""
          b . .
         . . . .
        b . w . .
         . . . .
          . . w
    """)


def test_a_stone_may_start_lengthen_or_join(engine: Engine) -> None:
    game = play(engine(3), "A1 C1")
    assert list(lints(game)) == ["A1", "C1"]  # started
    game.push("A2")
    assert list(lints(game)) == ["A1-A2", "C1"]  # lengthened
    game.push("B1")
    assert list(lints(game)) == ["A2-A1-B1-C1"]  # joined


def test_openness_does_not_depend_on_colour(engine: Engine) -> None:
    """Any order of the same stones, so any colours, leaves the same cells open."""
    games = [play(engine(3), " ".join(p)) for p in permutations(["C3", "B3", "D4", "E3", "A1"])]
    assert {open_to(game) for game in games} == {open_to(games[0])}
    assert {tuple(bound(game)) for game in games} == {()}


def test_the_button_is_taken_once(engine: Engine) -> None:
    game = engine(2)
    assert game.button is None
    game.push("button")
    assert (game.button, game.turn, game.stones_due) == (BLACK, WHITE, 1)
    assert 7 not in game.legal_moves()
    for cell in ("B2", "A1"):  # neither side can take it again
        assert game.why_illegal("button") == "button-taken"
        with pytest.raises(ValueError, match="button-taken"):
            game.push("button")
        game.push(cell)


def test_taking_the_button_places_no_stone_and_claims_nothing(engine: Engine) -> None:
    game = play(engine(2), "A1 button")
    assert (game.button, game.turn) == (WHITE, BLACK)
    assert lints(game) == {"A1": None}
    assert open_to(game) == open_to(play(engine(2), "A1"))


def test_there_is_no_passing(engine: Engine) -> None:
    game = play(engine(2), "B2 button")
    assert game.legal_moves() == [0, 1, 2, 4, 5, 6]  # stones only: the button is gone
    assert game.why_illegal("pass") == "unknown-move"


# --- Claiming -------------------------------------------------------------------------------------


def test_the_lint_just_lengthened_goes_to_its_majority(engine: Engine) -> None:
    #   w .          b .
    #  . b .   ->   . b .     two black, one white: the white stone is replaced
    #   . b          . b
    game = play(engine(2), "B2 A1")
    assert lints(game) == {"A1-B2": None}
    assert picture(game) == ["w.", ".b.", ".."]
    game.push("C3")
    assert lints(game) == {"A1-B2-C3": BLACK}
    assert picture(game) == ["b.", ".b.", ".b"]
    assert tuple(game.lint_at(0)) == ((0, 3, 6), 3, 0, True, BLACK)


def test_a_lint_shut_in_by_a_stone_elsewhere_is_claimed(engine: Engine) -> None:
    #     . . .
    #    . . . .      C5 can grow at B4 only: C4 touches B3, D4 and C5, D5 touches C5, D4 and E5.
    #   ? b . . .     ? = A3 makes B4 touch three stones.
    #    . . b .
    #     w . w
    game = play(engine(3), "B3 C5 D4 E5")
    assert reasons(game, "B4 C4 D5") == [None, "crowded", "crowded"]
    assert bound(game) == []
    game.push("A3")
    assert reasons(game, "B4 C4 D5") == ["crowded", "crowded", "crowded"]
    assert bound(game) == ["C5"]
    assert lints(game) == {"A3-B3": None, "C5": WHITE, "D4-E5": None}


# The chain E3-D3-D4-E5 is bound as it stands: D2 touches E3 and D3, D5 touches D4 and E5, E4
# touches all four, and every other cell beside it touches two stones of it or an inner one.
#     . . .
#    . . . .
#   . . . D E
#    . . D .
#     . . E


def test_a_tie_made_by_white_goes_to_black(engine: Engine) -> None:
    game = play(engine(3), "D3 E3 E5")
    assert bound(game) == []
    game.push("D4")  # two of each
    assert lints(game) == {"E3-D3-D4-E5": BLACK}
    assert list(game.stones())[12:] == [0, BLACK, BLACK, 0, BLACK, 0, BLACK]


def test_a_tie_made_by_black_goes_to_white(engine: Engine) -> None:
    game = play(engine(3), "button D3 E3 E5 D4")
    assert game.turn == WHITE
    assert lints(game) == {"E3-D3-D4-E5": WHITE}
    assert list(game.stones())[12:] == [0, WHITE, WHITE, 0, WHITE, 0, WHITE]


# C1-C2 can grow at B2 only: C3 touches C2, B3 and D4, D3 touches C2, D4 and E4, and B1 and D2
# touch both of its stones. A1 makes B2 touch three.
#     ? . w
#    . . b .
#   . * . . .      * = B3
#    . . * *
#     . . .


def test_a_tie_in_a_lint_shut_in_goes_to_the_opponent_of_the_placer(engine: Engine) -> None:
    by_black = play(engine(3), "C2 C1 B3 button D4 E4")
    assert reasons(by_black, "B1 B2 C3 D2 D3") == ["ring", None, "crowded", "ring", "crowded"]
    by_black.push("A1")
    assert lints(by_black) == {"A1": None, "B3": None, "C1-C2": WHITE, "D4-E4": None}

    by_white = play(engine(3), "C2 C1 B3 D4 E4")
    assert bound(by_white) == []
    by_white.push("A1")
    assert lints(by_white) == {"A1": None, "B3": None, "C1-C2": BLACK, "D4-E4": None}


def test_two_lints_bound_at_once(engine: Engine) -> None:
    #     ? . .
    #    . w . .      A2 is open before: it touches A3 and B2.
    #   b . b . .     ? = A1 makes A2 touch three stones, which binds A3 and the chain A1 to C5:
    #    . w . .      B3 touches A3, B2, C3, C4; B4 touches A3, C4, C5; B1, D5 would close rings.
    #     b . .
    game = play(engine(3), "A3 B2 C3 C4 C5")
    assert reasons(game, "A2 B3 B4 D5") == [None, "crowded", "crowded", "ring"]
    assert bound(game) == []
    game.push("A1")
    # The chain has three white stones and two black.
    assert lints(game) == {"A1-B2-C3-C4-C5": WHITE, "A3": BLACK}
    assert picture(game) == drawn("""
          w . .
         . w . .
        b . w . .
         . w . .
          w . .
    """)


def test_three_lints_bound_at_once(engine: Engine) -> None:
    #     b . .
    #    . w . .      B3 touches A3 and B2, B4 touches A3 and C5: both are open before.
    #   w . . b w     ? = C4 joins C5 to E3-D3-D4 and makes B3, B4 touch three stones.
    #    . ? b .      A1-B2 has one of each: White placed, so it goes to Black. The long lint has
    #     b . .       three black stones and two white, so White hands over E3 and C4 itself.
    game = play(engine(3), "A1 B2 D3 A3 D4 E3 C5")
    assert reasons(game, "B3 B4") == [None, None]
    assert bound(game) == []
    game.push("C4")
    assert reasons(game, "B3 B4") == ["crowded", "crowded"]
    assert lints(game) == {"A1-B2": BLACK, "A3": WHITE, "C5-C4-D4-D3-E3": BLACK}
    assert picture(game) == drawn("""
          b . .
         . b . .
        w . . b b
         . b b .
          b . .
    """)


@pytest.mark.parametrize(
    ("moves", "mover", "owner"),
    [
        # White places the last stone, B3, and owns two of the five.
        #   b b
        #  . . w
        #   w b
        ("A1 button B1 C2 C3 B3", WHITE, BLACK),
        # Black takes the button instead, and three of the five are White's.
        #   b w
        #  . . b
        #   w w
        ("A1 B1 C2 C3 button B3", WHITE, WHITE),
    ],
)
def test_majority_of_five(engine: Engine, moves: str, mover: int, owner: int) -> None:
    *before, last = moves.split()
    game = play(engine(2), " ".join(before))
    assert game.turn == mover
    game.push(last)
    assert lints(game) == {"A1-B1-C2-C3-B3": owner}


def test_a_placement_may_hand_the_movers_stones_to_the_opponent(engine: Engine) -> None:
    game = play(engine(2), "A1 button B1 C2 C3")
    assert picture(game) == ["bb", "..w", ".b"]
    game.push("B3")  # White's second stone against three
    assert picture(game) == ["bb", "..b", "bb"]
    assert game.scores == (5.0, 0.5)


def test_a_placement_by_black_may_hand_blacks_stones_to_white(engine: Engine) -> None:
    #     . . .
    #    . . . .      E3-D3-D4-E5 with three white stones before Black's D4
    #   . . . w w
    #    . . ? .
    #     . . w
    game = play(engine(3), "A1 D3 A3 E3 C1 E5 D4")
    assert lints(game) == {"A1": None, "A3": None, "C1": None, "E3-D3-D4-E5": WHITE}
    assert list(game.stones())[14] == WHITE  # the stone just placed


def test_a_bound_lint_never_changes_again(engine: Engine) -> None:
    rng = random.Random(1)
    for _ in range(20):
        game = play(engine(3), "D3 E3 E5 D4")
        before = game.lint_at(13)
        while not game.is_over:
            game.push(rng.choice(game.legal_moves()))
            assert game.lint_at(13) == before


def test_a_closed_cell_stays_closed(engine: Engine) -> None:
    rng = random.Random(2)
    for _ in range(20):
        game = engine(3)
        closed: set[str] = set()
        while not game.is_over:
            game.push(rng.choice(game.legal_moves()))
            now = set(map(cell_name, board_cells(3))) - set(open_to(game).split())
            assert closed <= now
            closed = now


def test_every_subset_of_a_legal_position_is_legal(engine: Engine) -> None:
    """So the stones of a position can be placed in any order: five of the ring on size 2."""
    for order in permutations(["A1", "B1", "C2", "C3", "B3"]):
        game = play(engine(2), " ".join(order))
        assert game.is_over
        assert list(lints(game)) == ["A1-B1-C2-C3-B3"]


def test_only_the_ends_of_a_lint_can_grow(engine: Engine) -> None:
    # B3-C3-D3: all four cells that touch C3 touch an end as well and would close a ring.
    game = play(engine(3), "C3 B3 D3")
    assert reasons(game, "B2 C2 C4 D4") == ["ring"] * 4
    # Both ends grow: A2, A3 and B4 touch B3 alone; D2, E3 and E4 touch D3 alone.
    for cell in ["A2", "A3", "B4", "D2", "E3", "E4"]:
        grown = play(engine(3), f"C3 B3 D3 {cell}")
        (lint,) = grown.lints()
        assert name(grown, lint.cells[0]) == cell or name(grown, lint.cells[-1]) == cell


# --- The end --------------------------------------------------------------------------------------


def test_the_game_ends_when_no_stone_can_be_placed_button_or_not(engine: Engine) -> None:
    game = play(engine(2), "B2 A1")
    assert not game.is_over
    assert (game.winner, game.returns) == (None, (0.0, 0.0))
    game.push("C3")
    assert game.is_over
    assert (game.phase, game.turn, game.seat) == ("over", None, None)
    assert game.legal_moves() == []
    assert game.why_illegal("button") == "over"  # nobody took it, and nobody can


def test_at_the_end_every_lint_is_bound_and_claimed(engine: Engine) -> None:
    rng = random.Random(3)
    for _ in range(20):
        game = engine(3)
        while not game.is_over:
            game.push(rng.choice(game.legal_moves()))
        assert all(lint.bound and lint.owner in (BLACK, WHITE) for lint in game.lints())
        assert all(0 in (lint.black, lint.white) for lint in game.lints())


def test_the_untaken_button_goes_to_white_when_black_placed_last(engine: Engine) -> None:
    game = play(engine(2), "B2 A1 C3")
    assert game.button == WHITE
    assert game.scores == (3.0, 0.5)


# A chain of eight that fills size 3. The closed cells, each with what closes it:
#     . b w       A1 rings with B1, B2, A2 with B2, B3, B4 with B3, C4 and D5 with C4, D4;
#    . b . .      A3, C5 and E5 touch the inner stones B3, C4 and D4;
#   . w . b w     C2 touches B1, B2, C1, D3; C3 five stones; D2 touches C1, D3, E3; E4 touches
#    . b w .      D3, D4, E3.
#     . . .
EIGHT = "B1 C1 B2 B3 C4 D4 D3 E3"


def test_the_untaken_button_goes_to_black_when_white_placed_last(engine: Engine) -> None:
    game = play(engine(3), EIGHT.removesuffix(" E3"))
    assert open_to(game) == "E3"  # D2 would close a ring of C1 to D3
    game.push("E3")
    assert game.is_over
    assert game.button == BLACK
    # Four of each, and White placed the last: the lint is Black's.
    assert lints(game) == {"C1-B1-B2-B3-C4-D4-D3-E3": BLACK}
    assert game.scores == (8.5, 0.0)


def test_the_button_taken_last_before_the_end_stays_with_its_taker(engine: Engine) -> None:
    game = play(engine(2), "B2 A1 button C3")  # Black takes it, White places the last stone
    assert game.is_over
    assert game.button == BLACK
    # B2 black, A1 and C3 white.
    assert game.scores == (0.5, 3.0)


def test_the_button_taken_first(engine: Engine) -> None:
    game = play(engine(2), "button B2 A1 C3")
    assert game.is_over
    assert (game.button, game.scores, game.winner) == (BLACK, (0.5, 3.0), WHITE)


def test_the_button_is_not_awarded_again_when_it_was_taken(engine: Engine) -> None:
    game = play(engine(2), "B2 button A1 C3")  # White took it; White also placed the last stone
    assert game.is_over
    assert game.button == WHITE
    # B2 and A1 black, C3 white.
    assert game.scores == (3.0, 0.5)


def test_taking_back_the_last_stone_takes_back_the_award(engine: Engine) -> None:
    game = play(engine(2), "B2 A1 C3")
    assert game.pop() == 6
    assert (game.button, game.phase, game.turn) == (None, "play", BLACK)
    assert picture(game) == ["w.", ".b.", ".."]


# --- Game types -----------------------------------------------------------------------------------


def test_komi_is_named_then_a_colour_chosen_then_black_moves(engine: Engine) -> None:
    game = engine(2, komi=None)
    assert (game.phase, game.turn, game.seat, game.komi) == ("komi", None, 0, None)
    assert game.legal_moves() == [10 + komi for komi in range(16)]
    assert game.num_moves == 26
    game.push("komi:7")
    assert (game.phase, game.turn, game.seat, game.komi) == ("colour", None, 1, 7)
    assert game.legal_moves() == [8, 9]
    game.push("white")
    assert (game.phase, game.turn, game.seat, game.black_seat) == ("play", BLACK, 0, 0)
    assert game.legal_moves() == list(range(8))
    assert game.history == [17, 9]


def test_the_second_player_may_take_black_and_then_moves_first(engine: Engine) -> None:
    game = play(engine(2, komi=None), "komi:7 black")
    assert (game.phase, game.turn, game.seat, game.black_seat) == ("play", BLACK, 1, 1)
    game.push("B2")
    assert (game.turn, game.seat) == (WHITE, 0)
    play(game, "A1 C3")
    # Black 3, White the button and the komi: 7.5. The first player is White.
    assert (game.scores, game.winner, game.returns) == ((3.0, 7.5), WHITE, (1.0, -1.0))


def test_the_same_game_without_the_swap_goes_to_the_second_player(engine: Engine) -> None:
    game = play(engine(2, komi=None), "komi:7 white B2 A1 C3")
    assert (game.scores, game.winner, game.returns) == ((3.0, 7.5), WHITE, (-1.0, 1.0))


def test_the_highest_komi(engine: Engine) -> None:
    """A whole number from 0 to 15, 0 to 1000 with square scoring."""
    for scoring, highest in (("standard", 15), ("longest", 15), ("squares", 1000)):
        game = engine(2, scoring=scoring, komi=None)
        assert game.legal_moves() == list(range(10, 10 + highest + 1))
        assert game.why_illegal(f"komi:{highest + 1}") == "unknown-move"
        for komi in (0, highest):
            assert play(engine(2, scoring=scoring, komi=None), f"komi:{komi}").komi == komi
            assert engine(2, scoring=scoring, komi=komi).komi == komi
        for komi in (-1, highest + 1):
            with pytest.raises(ValueError, match=r"."):
                engine(2, scoring=scoring, komi=komi)


def test_only_the_komi_game_has_a_komi(engine: Engine) -> None:
    for game in ("no-komi", "double"):
        assert engine(2, game=game).komi == 0
        for komi in (1, None):
            with pytest.raises(ValueError, match=r"."):
                engine(2, game=game, komi=komi)


def test_a_game_with_a_given_komi_starts_in_play(engine: Engine) -> None:
    game = engine(2, komi=7)
    assert (game.phase, game.turn, game.seat, game.black_seat, game.ply) == ("play", BLACK, 0, 0, 0)
    assert game.num_moves == 10


def test_no_komi_opens_with_a_black_stone_not_the_button(engine: Engine) -> None:
    game = engine(2, game="no-komi")
    assert (game.phase, game.turn, game.seat) == ("play", BLACK, 0)
    assert game.legal_moves() == list(range(7))
    assert game.why_illegal("button") == "no-button"
    assert game.num_moves == 10
    game.push("B2")
    assert list(game.stones())[3] == BLACK
    assert (game.phase, game.turn, game.seat) == ("colour", None, 1)
    assert game.legal_moves() == [8, 9]


@pytest.mark.parametrize(("colour", "black_seat"), [("black", 1), ("white", 0)])
def test_no_komi_white_moves_next_whoever_white_is(
    engine: Engine, colour: str, black_seat: int
) -> None:
    game = play(engine(2, game="no-komi"), f"B2 {colour}")
    assert (game.phase, game.turn, game.black_seat) == ("play", WHITE, black_seat)
    assert game.seat == 1 - black_seat
    assert open_to(game) == "A1 A2 B1 B3 C2 C3"
    assert game.legal_moves()[-1] == 7  # the button is in play
    play(game, "A1 C3")
    # As in the komi game: Black three stones, White the button.
    assert (game.scores, game.winner) == ((3.0, 0.5), BLACK)
    assert game.returns == ((1.0, -1.0) if black_seat == 0 else (-1.0, 1.0))


def test_no_komi_button_taken_by_white_at_once(engine: Engine) -> None:
    game = play(engine(2, game="no-komi"), "B2 white button")
    assert (game.button, game.turn, game.seat) == (WHITE, BLACK, 0)


def test_double_is_one_stone_then_two_a_turn(engine: Engine) -> None:
    game = engine(3, game="double")
    turns = []
    for cell in ["A1", "A2", "A3", "C3", "D3", "E3"]:
        turns.append((game.turn, game.seat, game.stones_due))
        game.push(cell)
    assert turns == [
        (BLACK, 0, 1),
        (WHITE, 1, 2),
        (WHITE, 1, 1),
        (BLACK, 0, 2),
        (BLACK, 0, 1),
        (WHITE, 1, 2),
    ]
    assert picture(game) == drawn("""
          b . .
         w . . .
        w . b b w
         . . . .
          . . .
    """)


def test_double_has_no_button(engine: Engine) -> None:
    game = engine(2, game="double")
    for move in ("A1", "C3", "B3"):
        assert 7 not in game.legal_moves()
        assert game.why_illegal("button") == "no-button"
        game.push(move)
    assert game.button is None


def test_double_claims_after_every_stone(engine: Engine) -> None:
    # E3-D3-D4-E5 as above: Black's first stone of the turn ties it, so it is White's at once.
    game = play(engine(3, game="double"), "D3 E3 E5 D4")
    assert (game.turn, game.stones_due) == (BLACK, 1)
    assert lints(game) == {"E3-D3-D4-E5": WHITE}
    assert game.scores == (0.0, 4.0)


def test_double_ends_when_no_cell_is_left(engine: Engine) -> None:
    game = play(engine(2, game="double"), "A1 B2 C3")  # bound by White, one black and two white
    assert game.is_over
    assert lints(game) == {"A1-B2-C3": WHITE}
    assert (game.scores, game.button, game.winner) == ((0.0, 3.0), None, WHITE)


def test_double_ends_with_one_open_cell_left(engine: Engine) -> None:
    #     . . .
    #    . w b .      A chain of seven, bound: beside it A2, C3 and E4 touch three stones or more,
    #   b w . b .     B1, B4, C4, D2 and D5 touch two of it, A1, C1 and E3 an inner one. C5 touches
    #    . . w .      none and is open. But after it nothing is, so Black has no first stone.
    #     . . w
    seven = "A3 B3 B2 C2 D3 D4 E5"
    assert open_to(play(engine(3), seven)) == "C5"
    assert play(engine(3), seven + " C5").is_over
    game = play(engine(3, game="double"), seven)
    assert game.is_over
    assert game.legal_moves() == []
    assert game.why_illegal("C5") == "over"
    assert lints(game) == {"A3-B3-B2-C2-D3-D4-E5": WHITE}  # four to three
    assert (game.scores, game.winner, game.returns) == ((0.0, 7.0), WHITE, (-1.0, 1.0))


def test_double_claims_an_unbound_lint_by_majority_at_the_end(engine: Engine) -> None:
    #     . b ?
    #    . w . .      The chain of eight without C1, which is the one open cell.
    #   . w . w w
    #    . b b .
    #     . . .
    seven = "B1 B2 B3 C4 D4 D3 E3"
    assert open_to(play(engine(3), seven)) == "C1"
    game = play(engine(3, game="double"), seven)
    assert game.is_over
    (lint,) = game.lints()
    assert (lint.bound, lint.black, lint.white, lint.owner) == (False, 0, 7, WHITE)
    assert picture(game) == drawn("""
          . w .
         . w . .
        . w . w w
         . w w .
          . . .
    """)
    assert game.scores == (0.0, 7.0)
    game.pop()  # and taken back, the stones have their colours again
    assert picture(game) == drawn("""
          . b .
         . w . .
        . w . w .
         . b b .
          . . .
    """)


def test_double_tie_at_the_end_after_white_goes_to_black(engine: Engine) -> None:
    #     ? ? w
    #    . b . .      A1 lengthens the chain of six, B1 joins it to C1; after A1, B1 touches three,
    #   . w . w w     and after B1 the chain is the one of eight. Either leaves nothing.
    #    . b b .
    #     . . .
    seven = "B2 C1 B3 C4 D4 D3 E3"
    assert open_to(play(engine(3), seven)) == "A1 B1"
    game = play(engine(3, game="double"), seven)
    assert game.is_over
    assert bound(game) == []
    # Three of each in the chain; White made the last move. C1 is White's own.
    assert lints(game) == {"B2-B3-C4-D4-D3-E3": BLACK, "C1": WHITE}
    assert game.scores == (6.0, 1.0)
    for scoring, scores in (("longest", (6.0, 1.0)), ("squares", (36.0, 1.0))):
        assert play(engine(3, game="double", scoring=scoring), seven).scores == scores


def test_double_tie_at_the_end_after_black_goes_to_white(engine: Engine) -> None:
    #     ? b b
    #    b . . w      A1 joins B1 to A2; D3 and E3 join D2 to E4. Each makes one chain of all, after
    #   . w . ? ?     which the others would close a ring or touch three.
    #    . b . b
    #     . w w
    nine = "A2 B3 D2 C4 B1 D5 E5 C1 E4"
    assert open_to(play(engine(3), nine)) == "A1 D3 E3"
    game = play(engine(3, game="double"), nine)
    assert game.is_over
    assert bound(game) == []
    # Three of each in the lower chain; Black made the last move. Two to one in the upper.
    assert lints(game) == {"A2-B3-C4-D5-E5-E4": WHITE, "B1-C1-D2": BLACK}
    assert game.scores == (3.0, 6.0)


def test_double_first_stone_must_leave_a_cell_for_the_second(engine: Engine) -> None:
    #     . b b
    #    . w . 1      Black's turn. 1 = D2 joins C1 to E3, 2 = E5 lengthens at D4: each leaves the
    #   . w . x w     other. x = D3 and E4 join E3 to D4 and leave nothing: with D3 it is the chain
    #    . b w x      of eight above; with E4, C1 and E3 are its ends and D2 would close it.
    #     . . 2
    seven = "B1 B2 B3 C1 C4 D4 E3"
    assert open_to(play(engine(3), seven)) == "D2 D3 E4 E5"
    game = play(engine(3, game="double"), seven)
    assert (game.turn, game.stones_due) == (BLACK, 2)
    assert open_to(game) == "D2 E5"
    assert reasons(game, "D2 D3 E4 E5") == [None, "strands", "strands", None]
    with pytest.raises(ValueError, match="strands"):
        game.push("D3")
    game.push("D2")
    assert (game.turn, game.stones_due) == (BLACK, 1)
    assert open_to(game) == "E5"
    assert reasons(game, "D3 E4") == ["crowded", "ring"]
    game.push("E5")
    assert game.is_over
    assert [lint.bound for lint in game.lints()] == [True]
    assert game.scores == (9.0, 0.0)  # black B1, C1, C4, D2, E5 against four


def test_the_second_stone_may_leave_nothing(engine: Engine) -> None:
    game = play(engine(3, game="double"), "B1 B2 B3 C1 C4 D4 E3 E5")
    assert open_to(game) == "D2"
    assert game.why_illegal("D2") is None


# --- Scoring --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("komi", "scores", "winner"),
    [
        (0, (3.0, 0.5), BLACK),
        (2, (3.0, 2.5), BLACK),
        (3, (3.0, 3.5), WHITE),
        (15, (3.0, 15.5), WHITE),
    ],
)
def test_standard_is_stones_button_and_komi(
    engine: Engine, komi: int, scores: tuple[float, float], winner: int
) -> None:
    game = play(engine(2, komi=komi), "B2 A1 C3")  # three black stones, White gets the button
    assert (game.scores, game.winner) == (scores, winner)
    assert game.returns == ((1.0, -1.0) if winner == BLACK else (-1.0, 1.0))


@pytest.mark.parametrize(
    ("komi", "scores", "winner"),
    [
        (0, (9.0, 0.5), BLACK),
        (8, (9.0, 8.5), BLACK),
        (9, (9.0, 9.5), WHITE),
        (1000, (9.0, 1000.5), WHITE),
    ],
)
def test_squares_counts_the_square_of_each_lint(
    engine: Engine, komi: int, scores: tuple[float, float], winner: int
) -> None:
    game = play(engine(2, scoring="squares", komi=komi), "B2 A1 C3")
    assert (game.scores, game.winner) == (scores, winner)


# Two lints that fill size 3, of three and of six:
#     w . b       B1 touches A1, C1, C2; B2 touches A1, A2, C2; B3 touches A2, A3, C4; B4 touches
#    w . b .      A3, C4, C5; C3 touches C2, C4, D3, D4; D2 touches C1, C2, D3; D5 touches C4, C5,
#   w . . b .     D4; E3 touches the inner stone D3, E5 the inner stone D4; E4 rings with D3, D4.
#    . b b .
#     w . .
THREE_AND_SIX = "C1 A1 C2 A2 D3 A3 D4 C5 C4"


def test_squares_of_two_lints(engine: Engine) -> None:
    game = play(engine(3, scoring="squares", komi=10), THREE_AND_SIX)
    assert game.is_over
    assert lints(game) == {"A1-A2-A3": WHITE, "C1-C2-D3-D4-C4-C5": BLACK}
    assert game.scores == (36.0, 9.0 + 10 + 0.5)  # the button is White's: Black placed last


@pytest.mark.parametrize(
    ("komi", "scores", "winner"),
    [
        (0, (6.0, 3.0), BLACK),
        (2, (6.0, 5.0), BLACK),
        (3, (0.0, 0.0), WHITE),  # six against six: none is left, and White holds the button
        (4, (6.0, 7.0), WHITE),
        (15, (6.0, 18.0), WHITE),
    ],
)
def test_longest_adds_the_komi_before_removing_pairs(
    engine: Engine, komi: int, scores: tuple[float, float], winner: int
) -> None:
    game = play(engine(3, scoring="longest", komi=komi), THREE_AND_SIX)
    assert game.is_over
    assert game.button == WHITE
    assert (game.scores, game.winner) == (scores, winner)


# Two lints of five that fill size 3:
#     b . .       A2 touches A1, A3, B2; B1 touches A1, B2, C2; B3 touches A3, B2, B4, C4;
#    . b b .      C1 touches the inner stone C2; C5 touches B4, C4, D5; D2 touches C2, D3, E3;
#   w . . b b     C3 touches B2, C2, D3, C4; D4 touches C4, D3, D5, E5; E4 touches D3, E3, E5.
#    w w . .
#     . w w
FIVES = "A1 A3 B2 B4 C2 C4 D3 D5 E3 E5"


def test_longest_with_all_pairs_removed_goes_to_the_button(engine: Engine) -> None:
    game = play(engine(3, scoring="longest"), FIVES)
    assert game.is_over
    assert lints(game) == {"A1-B2-C2-D3-E3": BLACK, "A3-B4-C4-D5-E5": WHITE}
    # White placed last, so the button nobody took is Black's.
    assert (game.button, game.scores, game.winner) == (BLACK, (0.0, 0.0), BLACK)
    assert game.returns == (1.0, -1.0)

    # White takes the button after nine stones; Black's last stone is the fifth of White's lint.
    game = play(engine(3, scoring="longest"), FIVES.removesuffix("E5") + "button E5")
    assert lints(game) == {"A1-B2-C2-D3-E3": BLACK, "A3-B4-C4-D5-E5": WHITE}
    assert (game.button, game.scores, game.winner) == (WHITE, (0.0, 0.0), WHITE)


# Two lints of four and two single stones that fill size 3: each of the nine empty cells touches
# three stones or more.
#     b . b
#    . b b .
#   b . . . w
#    . w w .
#     w . w


@pytest.mark.parametrize(
    ("moves", "scores", "winner"),
    [
        # Black 4 1, White 4 1: both pairs go, and the button nobody took is Black's.
        ("A1 C5 B2 C4 C2 D4 C1 E5 A3 E3", (0.0, 0.0), BLACK),
        # White took the button, so E3 is Black's as well. Black 4 1 1, White 4: one pair goes.
        ("A1 C5 B2 C4 C2 D4 C1 E5 A3 button E3", (1.0, 0.0), BLACK),
        # White took the button, and E5, which Black placed last, falls to White: both pairs go.
        ("A3 E3 A1 button B2 C5 C2 C4 C1 D4 E5", (0.0, 0.0), WHITE),
    ],
)
def test_longest_removes_pairs_until_there_are_none(
    engine: Engine, moves: str, scores: tuple[float, float], winner: int
) -> None:
    game = play(engine(3, scoring="longest"), moves)
    assert game.is_over
    assert (game.scores, game.winner) == (scores, winner)


def test_longest_with_komi_after_equal_lints(engine: Engine) -> None:
    game = play(engine(3, scoring="longest", komi=1), FIVES)
    assert (game.scores, game.winner) == ((5.0, 6.0), WHITE)


def test_longest_adds_no_komi_where_white_owns_no_lint(engine: Engine) -> None:
    game = play(engine(2, scoring="longest", komi=15), "B2 A1 C3")
    assert lints(game) == {"A1-B2-C3": BLACK}
    assert (game.scores, game.winner) == ((3.0, 0.0), BLACK)


def test_longest_gives_no_points_for_the_button(engine: Engine) -> None:
    game = play(engine(2, scoring="longest", komi=15), "button B2 A1 C3")
    assert game.button == BLACK
    assert game.scores == (0.0, 18.0)


# Three pairs and three single stones that fill size 3: each of the ten empty cells touches three.
#     b . w
#    . . w .
#   w w . . b
#    . . b .
#     b . b
NINE = "D4 A3 E5 B3 A1 C1 C5 C2 E3"


@pytest.mark.parametrize(
    ("komi", "scores"),
    [
        # Black 2 1 1 1, White 2 2: one pair of twos goes, which leaves 1 against 2.
        (0, (1.0, 2.0)),
        # The komi goes to one of White's twos: 3 2, and the other goes with Black's.
        (1, (1.0, 3.0)),
        (15, (1.0, 17.0)),
    ],
)
def test_longest_adds_the_komi_to_one_of_several(
    engine: Engine, komi: int, scores: tuple[float, float]
) -> None:
    game = play(engine(3, scoring="longest", komi=komi), NINE)
    assert game.is_over
    assert lints(game) == {
        "A1": BLACK,
        "A3-B3": WHITE,
        "C1-C2": WHITE,
        "C5": BLACK,
        "D4-E5": BLACK,
        "E3": BLACK,
    }
    assert (game.scores, game.winner) == (scores, WHITE)


def test_squares_of_many_lints(engine: Engine) -> None:
    game = play(engine(3, scoring="squares"), NINE)
    assert game.scores == (1.0 + 1 + 1 + 4, 4.0 + 4 + 0.5)


def test_scores_of_a_position_as_it_stands(engine: Engine) -> None:
    """Before the end standard counts stones, longest and squares the lints claimed so far."""
    moves = "B3 C5 D4 E5 A3"  # C5, White's, is bound; A3-B3 and D4-E5 are not
    assert play(engine(3, komi=4), moves).scores == (3.0, 6.0)
    assert play(engine(3, komi=4, scoring="longest"), moves).scores == (0.0, 5.0)
    assert play(engine(3, komi=4, scoring="squares"), moves).scores == (0.0, 5.0)
    assert play(engine(3, komi=4), moves + " button").scores == (3.0, 6.5)
    assert engine(3, komi=4, scoring="longest").scores == (0.0, 0.0)
    assert engine(3, komi=None).scores == (0.0, 0.0)
    assert play(engine(3, komi=None), "komi:4").scores == (0.0, 4.0)


def test_draws_only_in_the_double_game() -> None:
    """A finished double game has an odd number of stones, so only a position text gives a draw."""
    # The two lints of five once more.
    rows = "b2/1bb1/w2bb/ww2/1ww"
    for scoring, scores in (("standard", 5.0), ("longest", 0.0), ("squares", 25.0)):
        board = catena.Board.from_position(f"3 double {scoring} 0 {rows} b - 1")
        assert board.is_over
        assert board.scores == (scores, scores)
        assert (board.winner, board.returns) == (None, (0.0, 0.0))


# --- Worked examples ------------------------------------------------------------------------------


def test_worked_example_1(engine: Engine) -> None:
    game = play(engine(), "C5 D5 E5 G5 H6 H7")
    assert list(lints(game)) == ["C5-D5-E5", "G5-H6-H7"]
    assert reasons(game, "B5 F5 D6 G6 I6") == [None, None, "ring", "crowded", "branch"]
    assert list(lints(play(game.copy(), "B5"))) == ["B5-C5-D5-E5", "G5-H6-H7"]
    assert list(lints(play(game.copy(), "F5"))) == ["C5-D5-E5-F5-G5-H6-H7"]


def test_worked_example_2(engine: Engine) -> None:
    # Column A: A2, A3, A5, A6 white, A1, A4 black. C1 and C2 are there to close B1, which the
    # stones of the example leave open: alone it would touch A1 only.
    game = play(engine(), "A1 A2 A4 A3 C7 A5 D7 A6 E7 C2 C1")
    assert reasons(game, "B1 B2 B6 B7") == ["crowded", "crowded", "crowded", None]
    assert bound(game) == []
    in_column_b = [cell for cell in open_to(game).split() if cell.startswith("B")]
    assert in_column_b == ["B7"]
    assert game.turn == WHITE
    assert picture(game)[:6] == drawn("""
             b . b . . .
            w . w . . . .
           w . . . . . . .
          b . . . . . . . .
         w . . . . . . . . .
        w . . . . . . . . . .
    """)
    game.push("C8")
    assert game.why_illegal("B7") == "crowded"
    assert bound(game) == ["A1-A2-A3-A4-A5-A6"]
    assert tuple(game.lint_at(0)) == ((0, 1, 2, 3, 4, 5), 0, 6, True, WHITE)


# --- Facts that engines use -----------------------------------------------------------------------


def test_a_placement_closes_cells_around_itself_and_around_far_ends_only(engine: Engine) -> None:
    rng = random.Random(4)
    for _ in range(6):
        game = engine(4)
        while not game.is_over:
            before = set(open_to(game).split())
            ends = {}
            for lint in game.lints():
                first, last = name(game, lint.cells[0]), name(game, lint.cells[-1])
                ends[first], ends[last] = last, first
            move = rng.choice([m for m in game.legal_moves() if m < game.num_cells])
            game.push(move)
            stone = name(game, move)
            # Its surroundings: beside it, and beside the stones it touches and makes inner.
            allowed = beside(4, stone) | {stone}
            for end in beside(4, stone) & set(ends):
                allowed |= beside(4, end) | beside(4, ends[end])
            assert before - set(open_to(game).split()) <= allowed


def beside(size: int, cell: str) -> set[str]:
    """The names of a cell's neighbours."""
    names = {cell_name(c): c for c in board_cells(size)}
    c, r = names[cell]
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))
    return {cell_name((c + dc, r + dr)) for dc, dr in steps if (c + dc, r + dr) in names.values()}


def test_the_legal_sets_of_size_2(engine: Engine) -> None:
    """The 7 cells, 21 pairs, 29 triples, 15 fours and 6 fives of size 2 that can stand.

    All pairs. A triple is a ring when its cells touch one another: 6 of the 35, each the centre
    with two neighbours on the rim. With the centre and three of the rim the centre touches three,
    so fours and fives are of the rim alone: 15 and 6; all six are a ring.
    """
    counts = [0] * 8
    for k in range(1, 8):
        for cells in combinations(range(7), k):
            game = engine(2)
            try:
                for cell in cells:
                    game.push(cell)
            except ValueError:
                continue
            counts[k] += 1
    assert counts[1:] == [7, 21, 29, 15, 6, 0, 0]


# --- Reasons, the first that applies --------------------------------------------------------------


def test_reason_over_comes_before_all_others(engine: Engine) -> None:
    game = play(engine(2, komi=None), "komi:0 white B2 A1 C3")
    # Any kind of move: occupied, closed, the button, another phase's, none at all.
    assert reasons(game, "B2 A2 button black komi:3 Z9") == ["over"] * 6
    assert [game.why_illegal(move) for move in (-1, 26, 10**30)] == ["over"] * 3
    double = play(engine(2, game="double"), "A1 B2 C3")
    assert reasons(double, "button A1 A2") == ["over"] * 3


def test_reason_phase_is_for_moves_of_another_phase(engine: Engine) -> None:
    game = engine(2, komi=None)
    assert reasons(game, "A1 button black white") == ["phase"] * 4
    game.push("komi:3")
    assert reasons(game, "A1 button komi:3 komi:4") == ["phase"] * 4
    game.push("black")
    assert reasons(game, "black white komi:3") == ["phase"] * 3
    opening = engine(2, game="no-komi")
    assert reasons(opening, "black white") == ["phase"] * 2
    opening.push("A1")
    assert reasons(opening, "A1 A2 button") == ["phase"] * 3  # A1 is occupied, but that comes later
    assert reasons(engine(2, game="double"), "black white") == ["phase"] * 2


def test_reason_unknown_move(engine: Engine) -> None:
    game = engine(2)
    # Boards that start in play have no moves that name a komi.
    assert reasons(game, "A3 Z1 A0 A01 komi:0 komi:x komi: pass") == ["unknown-move"] * 8
    assert [game.why_illegal(move) for move in ("", " A1", "A1 ", "A1B1")] == ["unknown-move"] * 4
    assert [game.why_illegal(move) for move in (-1, 10, 11, -(10**30), 10**30)] == [
        "unknown-move"
    ] * 5
    named = engine(2, komi=None)
    assert [named.why_illegal(move) for move in (25, 26)] == [None, "unknown-move"]


def test_text_is_read_in_either_case(engine: Engine) -> None:
    assert play(engine(2, komi=None), "KOMI:7 White b2 BUTTON a1").history == [17, 9, 3, 7, 0]


def test_reasons_button_taken_and_no_button(engine: Engine) -> None:
    assert play(engine(2), "button A1").why_illegal("button") == "button-taken"
    assert engine(2, game="no-komi").why_illegal("button") == "no-button"
    assert play(engine(2, game="double"), "A1 B2").why_illegal("button") == "no-button"


def test_reason_occupied_comes_before_what_a_cell_touches(engine: Engine) -> None:
    game = play(engine(3), "C3 B3 D4")
    assert reasons(game, "C3 B3") == ["occupied", "occupied"]  # C3 touches two, B3 one


def test_reason_crowded_comes_before_ring_and_branch(engine: Engine) -> None:
    #     . . .
    #    . . . .      C4 touches B3, C3 and D4, all of one lint, and C3 is inside it.
    #   . b b . .
    #    . . w .
    #     . . .
    game = play(engine(3), "B3 D4 C3")
    assert game.why_illegal("C4") == "crowded"


def test_reason_ring_comes_before_branch(engine: Engine) -> None:
    # B3-C3-D3: C2 touches C3, which is inside, and D3.
    assert play(engine(3), "B3 C3 D3").why_illegal("C2") == "ring"


def test_reason_branch_with_a_stone_of_another_lint(engine: Engine) -> None:
    #     . . w
    #    . . ? .      C2 touches C1 and, of another lint, C3, which is inside it.
    #   . b w . .
    #    . . b .
    #     . . .
    game = play(engine(3), "B3 C3 D4 C1")
    assert game.why_illegal("C2") == "branch"


def test_reason_strands_is_the_last(engine: Engine) -> None:
    game = play(engine(3, game="double"), "B1 B2 B3 C1 C4 D4 E3")
    expected = {
        "A1": "ring",  # B1, B2
        "A2": "ring",  # B2, B3
        "A3": "branch",  # B3
        "B1": "occupied",
        "B2": "occupied",
        "B3": "occupied",
        "B4": "ring",  # B3, C4
        "C1": "occupied",
        "C2": "crowded",  # B1, B2, C1
        "C3": "crowded",  # B2, B3, C4, D4
        "C4": "occupied",
        "C5": "branch",  # C4
        "D2": None,
        "D3": "strands",
        "D4": "occupied",
        "D5": "ring",  # C4, D4
        "E3": "occupied",
        "E4": "strands",
        "E5": None,
    }
    assert {cell: game.why_illegal(cell) for cell in expected} == expected


def test_a_refused_move_changes_nothing(engine: Engine) -> None:
    game = play(engine(3), "B3 C3 D4")
    before = (game.position, game.legal_moves(), game.history, game.turn)
    for move in ("C2", "C4", "B3", "black", "Z1", -1, 1000):
        reason = game.why_illegal(move)
        with pytest.raises(ValueError, match=reason):
            game.push(move)
        assert (game.position, game.legal_moves(), game.history, game.turn) == before


# --- Position text --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setup", "moves", "text"),
    [
        ({}, "", "6 komi standard 0 6/7/8/9/10/11/10/9/8/7/6 b - 1"),
        ({"size": 2}, "", "2 komi standard 0 2/3/2 b - 1"),
        ({"size": 2}, "B2 A1", "2 komi standard 0 w1/1b1/2 b - 1"),
        ({"size": 2}, "button C2", "2 komi standard 0 2/2w/2 b b 1"),
        # Finished: White would be next, and gets the button.
        ({"size": 2}, "B2 A1 C3", "2 komi standard 0 b1/1b1/1b w w 1"),
        ({"size": 2, "komi": None}, "", "2 komi standard ? 2/3/2 komi - 1"),
        ({"size": 2, "komi": None}, "komi:7", "2 komi standard 7 2/3/2 colour - 1"),
        ({"size": 2, "komi": None}, "komi:7 black", "2 komi standard 7 2/3/2 b - 2"),
        ({"size": 2, "scoring": "squares", "komi": 1000}, "", "2 komi squares 1000 2/3/2 b - 1"),
        ({"size": 2, "game": "no-komi"}, "", "2 no-komi standard 0 2/3/2 b - 1"),
        ({"size": 2, "game": "no-komi"}, "B3", "2 no-komi standard 0 2/3/b1 colour - 1"),
        ({"size": 2, "game": "no-komi"}, "B3 black", "2 no-komi standard 0 2/3/b1 w - 2"),
        ({"size": 2, "game": "double"}, "", "2 double standard 0 2/3/2 b - 1"),
        ({"size": 2, "game": "double"}, "A1", "2 double standard 0 b1/3/2 w - 1"),
        ({"size": 2, "game": "double"}, "A1 B1", "2 double standard 0 bw/3/2 w1 - 1"),
        ({"size": 2, "game": "double"}, "A1 B1 C2", "2 double standard 0 bw/2w/2 b - 1"),
        ({"size": 2, "game": "double"}, "A1 B2 C3", "2 double standard 0 w1/1w1/1w b - 1"),
        (
            {"size": 3, "game": "double", "scoring": "longest"},
            "A3 B3 B2 C2 D3 D4 E5",
            "3 double longest 0 3/1ww1/ww1w1/2w1/2w b - 1",
        ),
    ],
)
def test_position_text(engine: Engine, setup: dict[str, Any], moves: str, text: str) -> None:
    assert play(engine(**setup), moves).position == text
