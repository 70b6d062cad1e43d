"""Fuzz the engine against the reference: ``python tests/fuzz/fuzz.py --seconds 60 --seed 1``.

Three targets take a text each and raise AssertionError where the engine is wrong:

notation    a cell's or a move's text, on every size
positions   a position text: taken exactly if it is one, then compared and played on
moves       a set-up and a list of pushes and pops, ``3 double longest 0 +7 - =4 :A1``:
            ``+k`` pushes legal move k (counted round), ``-`` pops, ``=m`` pushes number m, ``:t``
            or anything else pushes a text

Inputs are mutations of the lines in ``corpus/`` (with Python's backslash escapes) and of positions
of random games. The same seed gives the same inputs in the same order. A failing input is printed
in a form that ``--input`` takes.
"""

import argparse
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))

import reference  # noqa: E402

import catena  # noqa: E402

SIZES = range(2, 11)
MOST_KOMI = {"standard": 15, "longest": 15, "squares": 1000}
SIDE = {"b": reference.BLACK, "w": reference.WHITE}


def refusal(kind: type[Exception], call: Callable[[], object]) -> Any:
    """The error of this kind that a call raises, None if it doesn't."""
    try:
        call()
    except kind as error:
        return error
    return None


# --- notation -----------------------------------------------------------------------------------


def known_moves(size: int, komis: int) -> dict[str, int]:
    """Every text of a move, in lower case, with its number."""
    cells = reference.board_cells(size)
    known = {reference.cell_name(cell).lower(): n for n, cell in enumerate(cells)}
    known |= {"button": len(cells), "black": len(cells) + 1, "white": len(cells) + 2}
    return known | {f"komi:{k}": len(cells) + 3 + k for k in range(komis)}


KNOWN = {(size, komis): known_moves(size, komis) for size in SIZES for komis in (0, 16, 1001)}


def notation(text: str) -> None:
    """Cells and moves are read exactly if they are written as they should be, in either case."""
    # str.lower() turns some letters beyond ASCII into ASCII ones.
    low = text.lower() if text.isascii() else None
    for size in SIZES:
        number = KNOWN[size, 0].get(low)
        cell = number if number is not None and number < len(reference.board_cells(size)) else None
        try:
            got = catena.parse_cell(size, text)
        except catena.NotationError:
            got = None
        assert got == cell, (size, got, cell)
        if got is not None:
            assert catena.cell_name(size, got).lower() == low
    for size, komi, scoring, komis in ((3, 0, "standard", 0), (2, None, "squares", 1001)):
        board = catena.Board(size, komi=komi, scoring=scoring)
        number = KNOWN[size, komis].get(low)
        assert board.why_illegal(text) == (
            "unknown-move" if number is None else board.why_illegal(number)
        )
        assert board.is_legal(text) == (number is not None and board.is_legal(number))
        before, wanted = board.position, board.why_illegal(text)
        error = refusal(catena.IllegalMoveError, lambda: board.push(text))  # noqa: B023
        if error is None:
            assert board.pop() == number
        else:
            assert (error.move, error.reason) == (text, wanted)
        assert board.position == before


# --- positions ----------------------------------------------------------------------------------


def read_position(text: str) -> reference.Position | None:
    """What a position text says by the rules and the format's description, None for no position."""
    fields = text.split(" ")
    if len(fields) != 8:
        return None
    size_text, game, scoring, komi_text, rows, turn, button, black = fields
    if size_text not in map(str, SIZES) or game not in reference.GAMES:
        return None
    if (
        scoring not in reference.SCORINGS
        or button not in ("-", "b", "w")
        or black not in ("1", "2")
    ):
        return None
    size = int(size_text)
    stones = read_rows(size, rows)
    if stones is None:
        return None
    if komi_text == "?":
        komi = None
    elif re.fullmatch("0|[1-9][0-9]{0,3}", komi_text):
        komi = int(komi_text)
    else:
        return None
    if komi is not None and komi > (MOST_KOMI[scoring] if game == "komi" else 0):
        return None
    if (komi is None) != (turn == "komi"):
        return None
    if turn in ("komi", "colour"):
        phase = turn
        if game == "komi":
            fits = not stones
        elif game == "no-komi":
            fits = turn == "colour" and list(stones.values()) == [reference.BLACK]
        else:
            fits = False
        if not fits or (button, black) != ("-", "1"):
            return None
    elif turn in ("b", "w", "b1", "w1"):
        phase = "play"
        if len(turn) == 2 and (game != "double" or not stones):
            return None
        if game == "double" and (button, black) != ("-", "1"):
            return None
        if game != "komi" and not stones and (turn, button, black) != ("b", "-", "1"):
            return None
    else:
        return None
    groups = {reference.group_of(size, stones, cell) for cell in stones}
    if not all(reference.is_lint(size, group) for group in groups):
        return None
    return position_of(size, game, scoring, komi, stones, phase, turn, button, black)


def read_rows(size: int, text: str) -> dict[reference.Cell, int] | None:
    """The stones of a ROWS field, None if it isn't one."""
    rows = text.split("/")
    if len(rows) != 2 * size - 1:
        return None
    stones = {}
    for number, row in enumerate(rows):
        if not re.fullmatch("(?:[bw]|[1-9][0-9]*)*", row):
            return None
        cells = [cell for cell in reference.board_cells(size) if cell[1] == number]
        at = 0
        for item in re.findall("[bw]|[0-9]+", row):
            if item in SIDE:
                if at < len(cells):
                    stones[cells[at]] = SIDE[item]
                at += 1
            else:
                at += int(item[:4])
        if at != len(cells):
            return None
    return stones


def position_of(
    size: int,
    game: str,
    scoring: str,
    komi: int | None,
    stones: dict[reference.Cell, int],
    phase: str,
    turn: str,
    button: str,
    black: str,
) -> reference.Position | None:
    """A position of the reference with these fields; None if a bound lint has two colours, or the
    second stone of a turn has no cell."""
    # A game in its set-up began with the naming of the komi, which its numbers of moves show.
    named = None if game == "komi" and phase != "play" else komi
    position = reference.Position(size, game=game, scoring=scoring, komi=named)
    due = 2 if game == "double" and stones and len(turn) == 1 else 1
    now = reference.Snapshot(
        size=size,
        phase=phase,
        turn=SIDE.get(turn[0], reference.BLACK) if phase == "play" else reference.BLACK,
        stones_due=due,
        stones=stones,
        claims={},
        button=SIDE.get(button),
        komi=komi,
        black_seat=int(black) - 1,
    )
    for lint in now.lints:
        if now.is_bound(lint):
            colours = {stones[cell] for cell in lint}
            if len(colours) > 1:
                return None
            now.claims[lint] = colours.pop()
    if phase == "play" and not now.cells_for_a_stone:
        if len(turn) == 2:
            return None
        now = position._end(now, reference.opponent(now.turn))
    position._now = now
    return position


def positions(text: str) -> None:
    """A text is taken exactly if it is a position's; then the board is what the text says."""
    slow = read_position(text)
    error = refusal(catena.NotationError, lambda: catena.Board.from_position(text))
    if error is not None:
        assert slow is None, f"refused: {error}"
        assert str(error)
        assert str(error).isprintable()
        str(error).encode()
        return
    assert slow is not None, "not refused"
    board = catena.Board.from_position(text)
    board._check()
    compare(board, slow)
    written = board.position
    assert written == slow.position
    again = catena.Board.from_position(written)
    assert again == board
    assert again.key == board.key == board._key_from_scratch()
    assert again.position == written
    assert (board.ply, board.history) == (0, [])
    rng = random.Random(text)
    for _ in range(8):
        moves = slow.legal_moves()
        if not moves:
            break
        move = rng.choice(moves)
        board.push(move)
        slow.push(move)
        compare(board, slow)
        board._check()
    while board.ply:
        board.pop()
    assert board == again


def compare(board: catena.Board, slow: reference.Position) -> None:
    """All that both engines tell of a position."""
    for name in (
        *("game", "scoring", "komi", "phase", "turn", "seat", "black_seat", "stones_due", "button"),
        *("ply", "history", "is_over", "scores", "winner", "returns", "num_moves", "position"),
    ):
        fast, right = getattr(board, name), getattr(slow, name)
        assert fast == right, f"{name} is {fast}, not {right}, in {slow.position}"
    for name in ("legal_moves", "lints"):
        fast, right = getattr(board, name)(), getattr(slow, name)()
        assert fast == right, f"{name} is {fast}, not {right}, in {slow.position}"
    assert board.stones().tolist() == slow.stones(), slow.position


# --- move lists ---------------------------------------------------------------------------------


def moves(text: str) -> None:
    """Both engines take and refuse the same moves and agree after each."""
    words = text.split()
    size, game, scoring, komi = 2, "komi", "standard", 0
    if len(words) >= 4:
        size = int(words[0]) if words[0] in ("2", "3", "4", "5") else 2
        game = words[1] if words[1] in reference.GAMES else "komi"
        scoring = words[2] if words[2] in reference.SCORINGS else "standard"
        if game == "komi":
            komi = None if words[3] == "?" else 7 if words[3] == "7" else 0
    board = catena.Board(size, game=game, scoring=scoring, komi=komi)
    slow = reference.Position(size, game=game, scoring=scoring, komi=komi)
    trail = []
    known = KNOWN[size, 0 if komi is not None else 1001 if scoring == "squares" else 16]
    for word in words[4:200]:
        if word == "-":
            if trail:
                position, key = trail.pop()
                assert board.pop() == slow.pop()
                assert (board.position, board.key) == (position, key)
            else:
                assert refusal(IndexError, board.pop), "popped a move that was never made"
        else:
            legal = slow.legal_moves()
            move: int | str
            if word[0] == "+" and re.fullmatch("[0-9]{1,9}", word[1:], re.ASCII) and legal:
                move = number = legal[int(word[1:]) % len(legal)]
            elif word[0] == "=" and re.fullmatch("-?[0-9]{1,30}", word[1:], re.ASCII):
                move = number = int(word[1:])
            else:
                move = word.removeprefix(":")
                number = known.get(move.lower(), -1) if move.isascii() else -1
            reason = slow.why_illegal(number)
            assert board.why_illegal(move) == reason, (move, board.why_illegal(move), reason)
            assert board.is_legal(move) == (reason is None)
            before = board.position, board.key
            error = refusal(catena.IllegalMoveError, lambda: board.push(move))  # noqa: B023
            assert (error.reason if error else None) == reason
            if error:
                assert (board.position, board.key) == before
            else:
                slow.push(number)
                trail.append(before)
        board._check()
        compare(board, slow)


# --- inputs -------------------------------------------------------------------------------------

TARGETS: dict[str, Callable[[str], None]] = {
    "notation": notation,
    "positions": positions,
    "moves": moves,
}


def lines_of(file: str) -> list[str]:
    """The lines of a file in ``corpus/``, their escapes undone."""
    lines = (HERE / "corpus" / file).read_text(encoding="ascii").splitlines()
    return [line.encode("ascii").decode("unicode_escape") for line in lines]


def corpus(target: str) -> list[str]:
    """The inputs kept for a target."""
    return lines_of(f"{target}.txt")


def fresh(target: str, rng: random.Random) -> str:
    """A valid input out of a random game of the reference."""
    size = rng.choice((2, 2, 3, 3, 3, 4, 4, 5, 6))
    if target == "notation":
        return rng.choice(list(KNOWN[size, 16]))
    game, scoring = rng.choice(reference.GAMES), rng.choice(reference.SCORINGS)
    komi = rng.choice((None, 0, 0, 7, 15)) if game == "komi" else 0
    if target == "moves":
        words = [f"+{rng.randrange(100)}" for _ in range(rng.randrange(40))]
        for _ in range(rng.randrange(6)):
            words.insert(
                rng.randrange(len(words) + 1),
                rng.choice(("-", "=0", "=7", "=19", ":button", ":black", ":A1")),
            )
        return f"{min(size, 4)} {game} {scoring} {'?' if komi is None else komi} " + " ".join(words)
    position = reference.Position(size, game=game, scoring=scoring, komi=komi)
    for _ in range(rng.choice((2, 6, 12, 24, 99))):
        legal = position.legal_moves()
        if not legal:
            break
        position.push(rng.choice(legal))
    return position.position


def mutate(text: str, parts: list[str], pool: list[str], rng: random.Random) -> str:
    """The text with a few things done to it."""
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(text) + 1)
        to = min(len(text), at + rng.choice((1, 1, 2, 5)))
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:at] + text[to:]
        elif kind == 1:
            text = text[:at] + rng.choice(parts) + text[at:]
        elif kind == 2:
            text = text[:at] + rng.choice(parts) + text[to:]
        elif kind == 3 and text:
            other = rng.choice(text)
            text = text[:at] + other + text[to:]
        elif kind == 4:
            fields, others = text.split(" "), rng.choice(pool).split(" ")
            spot = rng.randrange(len(fields))
            fields[spot] = others[min(spot, len(others) - 1)]
            text = " ".join(fields)
        else:
            text = (
                text[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0x3000)))) + text[to:]
            )
    return text


class FuzzError(AssertionError):
    """A target failed; the message has the input, ready for ``--input``."""


def check(target: str, text: str) -> None:
    """Run one input; whatever a target raises becomes a FuzzError that shows the input."""
    try:
        TARGETS[target](text)
    except Exception as error:
        shown = text.encode("unicode_escape").decode("ascii")
        raise FuzzError(f"{target}: {type(error).__name__}: {error}\n--input {shown!r}") from error


def run(target: str, seed: int, seconds: float) -> int:
    """Fuzz one target for a time; returns the number of inputs."""
    rng = random.Random(f"{target} {seed}")
    pool, parts = corpus(target), lines_of(f"{target}.dict")
    for text in pool:
        check(target, text)
    count = len(pool)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        source = rng.choice(pool) if rng.random() < 0.5 else fresh(target, rng)
        check(target, mutate(source, parts, pool, rng))
        count += 1
    return count


def main() -> int:
    """Run from the command line; 1 if a target failed."""
    parser = argparse.ArgumentParser(description="Fuzz the engine against the reference.")
    parser.add_argument("--target", choices=TARGETS, help="one target only")
    parser.add_argument("--seconds", type=float, default=60, help="time for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--input", help="run this one input of --target")
    options = parser.parse_args()
    if options.input is not None and options.target is None:
        parser.error("--input needs --target")
    try:
        if options.input is not None:
            check(options.target, options.input.encode("ascii").decode("unicode_escape"))
            print("passed")
            return 0
        for target in [options.target] if options.target else TARGETS:
            count = run(target, options.seed, options.seconds)
            print(f"{target}: {count} inputs, seed {options.seed}", flush=True)
    except FuzzError as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
