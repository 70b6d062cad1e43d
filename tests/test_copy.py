"""copy, pickle, equality, and boards shared between threads."""

from __future__ import annotations

import copy
import pickle
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import walks

import catena

Copier = Callable[[catena.Board], catena.Board]

COPIERS: dict[str, Copier] = {
    "copy": lambda board: board.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
} | {
    f"pickle {n}": lambda board, n=n: pickle.loads(pickle.dumps(board, n))
    for n in range(2, pickle.HIGHEST_PROTOCOL + 1)
}


def everything(board: catena.Board) -> tuple[object, ...]:
    return (
        *walks.snapshot(board),
        board.num_moves,
        board.num_cells,
        board.scores,
        board.winner,
        board.returns,
        board.black_seat,
        board.stones().tobytes(),
        board.legal_mask().tobytes(),
    )


@pytest.mark.parametrize("name", COPIERS)
def test_at_every_ply(name: str) -> None:
    copier = COPIERS[name]
    rng = random.Random(name)
    for board in walks.starts((2, 3, 6)):
        twin = copier(board)
        assert twin == board
        for move in walks.walk(board, rng):
            assert twin != board
            twin.push(move)
            made = copier(board)
            made._check()
            assert type(made) is catena.Board
            assert made is not board
            assert made == board == twin
            assert (made != board) is False
            assert everything(made) == everything(board) == everything(twin)
        # The whole history came along: it can be taken back, and played again.
        moves = board.history
        for move in reversed(moves):
            assert made.pop() == move
        assert made.ply == 0
        for move in moves:
            made.push(move)
        assert everything(made) == everything(board)


@pytest.mark.parametrize("name", COPIERS)
@pytest.mark.parametrize("combo", walks.COMBOS, ids=" ".join)
def test_independent_both_ways(name: str, combo: tuple[str, str]) -> None:
    game, scoring = combo
    rng = random.Random(f"{name} {combo}")
    board = catena.Board(4, game=game, scoring=scoring, komi=None if game == "komi" else 0)
    list(walks.walk(board, rng, 9))
    twin = COPIERS[name](board)
    before = everything(board)
    list(walks.walk(twin, rng))
    while twin.ply:
        twin.pop()
    list(walks.walk(twin, rng, 3))
    assert everything(board) == before
    before = everything(twin)
    list(walks.walk(board, rng))
    while board.ply:
        board.pop()
    assert everything(twin) == before
    del board
    list(walks.walk(twin, rng))
    twin._check()


def test_a_copy_outlives_its_source() -> None:
    boards = [catena.Board(size) for size in range(2, 11)]
    rng = random.Random(4)
    for board in boards:
        list(walks.walk(board, rng))
    copies = [board.copy() for board in boards]
    wanted = [everything(board) for board in boards]
    del boards, board
    for twin, before in zip(copies, wanted, strict=True):
        assert everything(twin) == before
        while twin.ply:
            twin.pop()
            twin._check()


def test_copies_of_a_board_read_from_text_start_there() -> None:
    board = catena.Board()
    board.play("A1 B2 C3")
    read = catena.Board.from_position(board.position)
    for copier in COPIERS.values():
        twin = copier(read)
        assert (twin.ply, twin.history) == (0, [])
        with pytest.raises(IndexError):
            twin.pop()
        twin.push("D6")
        assert copier(twin).history == twin.history


# --- equality -------------------------------------------------------------------------------


def test_equality_looks_at_position_and_set_up() -> None:
    boards = [
        catena.Board(size, game=game, scoring=scoring, komi=komi)
        for size in (2, 6)
        for game, scoring in walks.COMBOS
        for komi in ((0, 7, None) if game == "komi" else (0,))
    ]
    for i, one in enumerate(boards):
        for j, other in enumerate(boards):
            assert (one == other) is (i == j)
            assert (one != other) is (i != j)


def test_equality_does_not_look_at_history() -> None:
    one, other = catena.Board(), catena.Board()
    one.play("A1 C3 E5 G7")
    other.play("E5 G7 A1 C3")
    assert one.history != other.history
    assert one == other
    read = catena.Board.from_position(one.position)
    assert read == one
    other.pop()
    assert one != other


@pytest.mark.parametrize("other", [None, 0, "6 komi standard 0", object(), [], catena.Board, 1.5])
def test_other_types_are_never_equal(other: Any) -> None:
    board = catena.Board()
    assert (board == other) is False
    assert (other == board) is False
    assert (board != other) is True
    assert board.__eq__(other) is NotImplemented


def test_the_other_operand_may_decide() -> None:
    class Anything:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    assert catena.Board() == Anything()
    assert Anything() == catena.Board()


def test_boards_have_no_order_and_no_hash() -> None:
    board = catena.Board()
    with pytest.raises(TypeError):
        hash(board)
    with pytest.raises(TypeError):
        {board}  # noqa: B018
    with pytest.raises(TypeError):
        assert board < catena.Board()
    assert catena.Board.__hash__ is None


# --- pickles gone wrong ---------------------------------------------------------------------

# What unpickling anything may raise; a crash or a wrong board are what must not happen.
PICKLE_ERRORS = (
    pickle.UnpicklingError,
    EOFError,
    ValueError,  # UnicodeDecodeError, IllegalMoveError and NotationError among them
    TypeError,
    AttributeError,
    ImportError,
    IndexError,
    KeyError,
    OverflowError,
    MemoryError,
)


def played() -> catena.Board:
    board = catena.Board(4, komi=None, scoring="squares")
    board.play("komi:12 black A1 B2 button D4 G7")
    return board


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_truncated_pickles(protocol: int) -> None:
    data = pickle.dumps(played(), protocol)
    for length in range(len(data)):
        with pytest.raises(PICKLE_ERRORS):
            pickle.loads(data[:length])


def test_bytes_of_a_pickle_changed() -> None:
    """Whatever comes out is an error or a board whose every cache is right.

    Only what stands for the board is changed. Python's own part of a pickle can be made to ask for
    gigabytes.
    """
    rng = random.Random(0)
    board = played()
    data = pickle.dumps(board)
    texts = [item.encode() for item in board.__reduce__()[1] if isinstance(item, str)]
    assert texts
    spots = [at for text in texts for at in range(data.index(text), data.index(text) + len(text))]
    taken = 0
    for _ in range(3_000):
        changed = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 5))):
            changed[rng.choice(spots)] = rng.choice((*b"bw123456789/ -?", rng.randrange(256)))
        try:
            made = pickle.loads(bytes(changed))
        except PICKLE_ERRORS:
            continue
        assert type(made) is catena.Board
        taken += 1
        made._check()
        list(walks.walk(made, rng, 5))
        while made.ply:
            made.pop()
        made._check()
    assert taken


def spoilt(value: Any) -> list[Any]:
    """Values like the one given, each wrong in one way."""
    if isinstance(value, bool):
        return [None, 7, "x"]
    if isinstance(value, int):
        return [value + 1, value + 1_000, -1, 2**31, 2**64, -(2**70), str(value), None, 1.5, b""]
    if isinstance(value, str):
        return ["", value + " ", value[:-1], "x" * 1_000, value.encode(), None, 3]
    if isinstance(value, bytes):
        return [b"", value[:-1], value + b"\0", b"\xff" * len(value), None, "x", 3]
    if isinstance(value, (list, tuple)):
        kind = type(value)
        inner = [
            kind([*value[:i], bad, *value[i + 1 :]])
            for i, item in enumerate(value)
            for bad in spoilt(item)
        ]
        return [kind(value[:-1]), kind([*value, 0]), None, 3, *inner]
    return [None, 3, "x"]


def test_arguments_of_reduce_changed() -> None:
    """What a pickle holds, called with every argument wrong in turn, the version tag among them."""
    board = played()
    function, arguments, *rest = board.__reduce__()
    assert not any(rest)
    assert function(*arguments) == board
    refused = 0
    for bad in spoilt(arguments):
        if not isinstance(bad, tuple):
            continue
        try:
            made = function(*bad)
        except (ValueError, TypeError, pickle.UnpicklingError, OverflowError):
            refused += 1
        else:
            assert type(made) is catena.Board
            made._check()
    assert refused > 10


# --- threads --------------------------------------------------------------------------------


def test_threads_on_boards_of_their_own() -> None:
    def play(seed: int) -> list[tuple[object, ...]]:
        rng = random.Random(seed)
        seen = []
        for size in (3, 6, 10):
            for board in walks.starts((size,)):
                list(walks.walk(board, rng))
                seen.append(everything(board))
                half = board.ply // 2
                while board.ply > half:
                    board.pop()
                seen.append(everything(board))
                seen.append((catena.perft(board, 2),))
                board._check()
        return seen

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(play, [1, 2, 1, 2]))
    assert results[0] == results[2] == play(1)
    assert results[1] == results[3]


def test_threads_on_one_board() -> None:
    """Each call is atomic: whatever the order, the board stays a position of the game."""
    board = catena.Board(5)
    pushed, popped = [0] * 4, [0] * 4
    errors: list[BaseException] = []
    begin = threading.Barrier(4)

    def hammer(which: int) -> None:
        rng = random.Random(which)
        begin.wait()
        try:
            for turn in range(1_500):
                if rng.random() < 0.55:
                    try:
                        board.push(rng.randrange(board.num_moves))
                        pushed[which] += 1
                    except catena.IllegalMoveError:
                        pass
                else:
                    try:
                        board.pop()
                        popped[which] += 1
                    except IndexError:
                        pass
                twin = board.copy()
                if turn % 50 == 0:
                    twin._check()
                    assert len(twin.history) == twin.ply
                    assert catena.Board.from_position(twin.position) == twin
                    assert pickle.loads(pickle.dumps(board)).size == 5
                    catena.perft(board, 2)
                    board.lints(), board.stones(), board.legal_mask(), board.scores, board.key
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=hammer, args=(which,)) for which in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    board._check()
    assert board.ply == sum(pushed) - sum(popped)
    replayed = catena.Board(5)
    for move in board.history:
        replayed.push(move)
    assert replayed == board


def test_copying_while_another_thread_plays() -> None:
    """A copy taken at any moment is a whole position, its history included."""
    board = catena.Board(10)
    done = threading.Event()

    def play() -> None:
        rng = random.Random(11)
        while not done.is_set():
            list(walks.walk(board, rng, 60))
            while board.ply and not done.is_set():
                board.pop()

    player = threading.Thread(target=play)
    player.start()
    try:
        for _ in range(300):
            twin = board.copy()
            twin._check()
            replayed = catena.Board(10)
            for move in twin.history:
                replayed.push(move)
            assert replayed == twin
    finally:
        done.set()
        player.join()


@pytest.mark.parametrize("size", [2, 6, 10])
def test_a_family_of_copies_shares_no_move(size: int) -> None:
    """Copies of copies, each pushed and popped on its own: what one does, no other sees."""
    rng = random.Random(size)
    family: list[tuple[catena.Board, list[int]]] = [(catena.Board(size), [])]
    for _ in range(1500):
        index = rng.randrange(len(family))
        board, moves = family[index]
        deed = rng.random()
        if deed < 0.25:
            family.append((board.copy(), moves.copy()))
        elif deed < 0.35 and len(family) > 1:
            del family[index]
        elif deed < 0.6 and moves:
            assert board.pop() == moves.pop()
        elif not board.is_over:
            moves.append(rng.choice(board.legal_moves()))
            board.push(moves[-1])
        if len(family) > 40:
            del family[rng.randrange(len(family))]
        for board, moves in family:
            assert board.history == moves
    for board, moves in family:
        again = catena.Board(size)
        for move in moves:
            again.push(move)
        while True:
            assert board == again
            board._check()
            if not moves:
                break
            board.pop()
            again.pop()
            moves.pop()
