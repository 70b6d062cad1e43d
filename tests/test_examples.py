"""The example packages, built against the installed catena, do what they say."""

from __future__ import annotations

import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import children
import guide
import pytest
import walks
from reference import BLACK, WHITE, Position

import catena

EXAMPLE = Path(__file__).parent.parent / "examples" / "cython_search"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """examples/cython_search, built in a folder of its own."""
    if not EXAMPLE.exists():
        pytest.skip("the examples are not beside these tests")
    folder = tmp_path_factory.mktemp("search")
    module, printed = children.build_client(EXAMPLE, "catena_search", folder)
    assert "performance hint" not in printed
    return module


# --- Solved by trying everything ------------------------------------------------------------------


def worth_to_first_seat(game: Position) -> int:
    """A finished game's margin in half points, or with longest scoring who won, for seat 0."""
    black, white = game.scores
    margin = int(2 * (black - white))
    if game.scoring == "longest":
        margin = {BLACK: 1, WHITE: -1, None: 0}[game.winner]
    return margin if game.black_seat == 0 else -margin


def by_brute_force(game: Position, known: dict[str, int]) -> int:
    """What seat 0 gets if both play at their best."""
    if game.is_over:
        return worth_to_first_seat(game)
    text = game.position
    if text not in known:
        after = [by_brute_force(child, known) for _, child in after_moves(game)]
        known[text] = max(after) if game.seat == 0 else min(after)
    return known[text]


def after_moves(game: Position) -> Iterator[tuple[int, Position]]:
    for move in game.legal_moves():
        child = game.copy()
        child.push(move)
        yield move, child


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


def check(search: ModuleType, board: catena.Board, slow: Position, known: dict[str, int]) -> None:
    """Hold a solution to the one by brute force; its move must be as good as it says."""
    before = walks.snapshot(board)
    view = 1 if slow.seat == 0 else -1
    value = view * by_brute_force(slow, known)
    after = {move: view * by_brute_force(child, known) for move, child in after_moves(slow)}
    for bits in (20, 1):
        found = search.solve(board, table_bits=bits)
        assert (found.value, after[found.move]) == (value, value)
        found = search.solve(board, winner_only=True, table_bits=bits)
        assert (found.value, sign(after[found.move])) == (sign(value), sign(value))
    assert walks.snapshot(board) == before


def played(moves: list[int], size: int, game: str, scoring: str) -> tuple[catena.Board, Position]:
    board = catena.Board(size, game=game, scoring=scoring)
    slow = Position(size, game=game, scoring=scoring)
    for move in moves:
        board.push(move)
        slow.push(move)
    return board, slow


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_every_position_of_random_games_of_size_2(
    search: ModuleType, game: str, scoring: str
) -> None:
    rng, known = random.Random(game + scoring), {}
    for _ in range(5):
        moves = list(walks.walk(catena.Board(2, game=game, scoring=scoring), rng))
        for ply in range(len(moves)):
            check(search, *played(moves[:ply], 2, game, scoring), known)


def test_the_naming_of_the_komi_on_size_2(search: ModuleType) -> None:
    setup = {"komi": None, "scoring": "longest"}
    check(search, catena.Board(2, **setup), Position(2, **setup), {})


@pytest.mark.parametrize(("scoring", "most"), [("standard", 15), ("squares", 1000)])
def test_the_best_komi(search: ModuleType, scoring: str, most: int) -> None:
    """The komi only shifts the margin, and the second player takes the side that gains by it."""
    margin = by_brute_force(Position(2, scoring=scoring), {})
    best = min(abs(margin - 2 * komi) for komi in range(most + 1))
    board = catena.Board(2, komi=None, scoring=scoring)
    found = search.solve(board)
    assert found.value == -best
    assert abs(margin - 2 * (found.move - board.num_cells - 3)) == best


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_endgames_of_size_3(search: ModuleType, game: str, scoring: str) -> None:
    rng = random.Random(scoring + game)
    for _ in range(4):
        moves = list(walks.walk(catena.Board(3, game=game, scoring=scoring), rng))
        board, slow = played(moves, 3, game, scoring)
        while slow.open_count <= 7 and board.ply > 2:
            moves.pop()
            board, slow = played(moves, 3, game, scoring)
        moves.append(next(move for move in walks.walk(board.copy(), rng)))
        board, slow = played(moves, 3, game, scoring)
        if not board.is_over:
            check(search, board, slow, {})


# --- Larger searches ------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "scoring"), walks.COMBOS)
def test_size_3_from_the_start(search: ModuleType, game: str, scoring: str) -> None:
    """Too much for brute force: other orders of search, other tables and images must agree."""
    board = catena.Board(3, game=game, scoring=scoring)
    begin = time.process_time()
    found = search.solve(board)
    seconds = time.process_time() - begin
    speed = found.nodes / seconds / 1e6
    print(f"{found.nodes} nodes in {seconds:.2f} s of CPU: {speed:.2f} million nodes/s")
    assert search.solve(board, winner_only=True).value == sign(found.value)
    board.push(found.move)
    view = 1 if board.seat == 0 else -1
    for s, bits in ((3, 21), (8, 16)):
        assert view * search.solve(board.transform(s), table_bits=bits).value == found.value


def test_other_threads_run_meanwhile_and_signals_stop_it(search: ModuleType) -> None:
    class Stopped(Exception):
        pass

    def stop(number: int, frame: object) -> None:
        raise Stopped

    beats = 0
    done = threading.Event()

    def beat() -> None:
        nonlocal beats
        while not done.wait(0.01):
            beats += 1

    thread = threading.Thread(target=beat)
    before = signal.signal(signal.SIGALRM, stop)
    thread.start()
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        with pytest.raises(Stopped):
            search.solve(catena.Board(5))  # would take for ever
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        done.set()
        thread.join()
    assert beats > 10


def test_the_guides_page(
    search: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if "cython.md" not in guide.PAGES:
        pytest.skip("the guide is not beside these tests")
    monkeypatch.setitem(sys.modules, "catena_search", search)
    reader = guide.Reader("cython.md", tmp_path)
    for number, block in enumerate(reader.blocks):
        printed = reader.read_to(number)
        assert printed is not None
        if block.output is not None:
            assert printed == block.output


def test_bad_input(search: ModuleType) -> None:
    over = catena.Board(2)
    for _ in walks.walk(over, random.Random(1)):
        pass
    with pytest.raises(ValueError, match="the game is over"):
        search.solve(over)
    for bits in (0, 31):
        with pytest.raises(ValueError, match=f"table_bits must be 1 to 30, got {bits}"):
            search.solve(catena.Board(2), table_bits=bits)
    with pytest.raises(TypeError):
        search.solve(None)
