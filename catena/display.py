"""Pictures of a board: a diagram for the terminal, an SVG for notebooks.

Both show row 1 on top, as position text does, and each row half a cell to one side of the row above
it, so that the six neighbours of a cell stand around it.  A column runs from its letter, on the
upper or the right edge, down and to the left; the number of a row stands to its left.
"""

from collections.abc import Iterator

from catena._core import BLACK, WHITE, Board, cell_column_row
from catena.notation import column_letter, rows_of_cells

__all__ = ["diagram", "status", "svg"]

SIDE_NAMES = {BLACK: "Black", WHITE: "White"}
SEAT_NAMES = ("first player", "second player")

STONE_MARKS = {BLACK: "X", WHITE: "O"}
OPEN_MARK, CLOSED_MARK = "+", "."
LEGEND = "X Black   O White   + open   . closed"

# A hexagon standing on a corner, in whole pixels: half its width, and the distance of two rows.
HALF_WIDTH, ROW_HEIGHT = 20, 35
HEXAGON = "l20 11v24l-20 11-20-11v-24z"  # from its upper corner, TO_CORNER above the centre
TO_CORNER = 23
LEAST_WIDTH = 540  # room for the words under a small board
PAPER, INK = "#fff", "#222"
OPEN_FILL, CLOSED_FILL, EDGE = "#f0dfb8", "#b5a98f", "#7a6a4a"
STONE_FILLS = {BLACK: "#1c1c1c", WHITE: "#fbfbfb"}
BOUND_INK, UNBOUND_INK = "#d1342f", "#7d7d7d"


def status(board: Board) -> list[str]:
    """Return two lines: the game and whose move it is; the scores and the button."""
    setup = f"{board.game} game, {board.scoring} scoring"
    if board.komi is not None and board.game == "komi":
        setup += f", komi {board.komi}"
    black, white = (f"{score:.1f}".removesuffix(".0") for score in board.scores)
    scores = f"Black {black}, White {white}"
    if board.game != "double":
        scores += f"; button: {SIDE_NAMES[board.button] if board.button else 'free'}"
    return [f"{setup}: {_whose_move(board)}", scores]


def _whose_move(board: Board) -> str:
    if board.phase == "over":
        return f"over, {SIDE_NAMES[board.winner]} wins" if board.winner else "over, a draw"
    seat = SEAT_NAMES[board.seat or 0]
    if board.phase == "komi":
        return f"{seat} to name the komi"
    if board.phase == "colour":
        return f"{seat} to choose a colour"
    stones = ""
    if board.game == "double":
        stones = ", two stones" if board.stones_due == 2 else ", one stone"
    return f"{SIDE_NAMES[board.turn or BLACK]} ({seat}) to move{stones}"


def _is_open(board: Board, cell: int) -> bool:
    """Tell whether a stone may still be placed on an empty cell, at once or in a later turn."""
    reason = board.why_illegal(cell)
    # Before play every empty cell is open: one stone, the most there can be, closes none.
    return reason is None or reason in ("phase", "strands")


def diagram(board: Board) -> str:
    """Return the board as lines of text, then a legend and two lines of ``status``.

    ``X`` is a black stone, ``O`` a white one, ``+`` an open cell and ``.`` a closed one, where no
    stone can be placed any more (in a finished game that is every empty cell).  Plain ASCII, so
    that it lines up in every terminal and font of fixed width.
    """
    size, stones = board.size, board.stones().tolist()
    lines = []
    for row, cells in enumerate(rows_of_cells(size)):
        marks = [
            STONE_MARKS.get(stones[cell]) or (OPEN_MARK if _is_open(board, cell) else CLOSED_MARK)
            for cell in cells
        ]
        if row < size - 1:
            marks.append(column_letter(size + row))
        indent = abs(size - 1 - row)
        lines.append(f"{' ' * indent}{row + 1:>2} {' '.join(marks)}")
    letters = " ".join(map(column_letter, range(size)))
    header = f"{' ' * (size + 3)}{letters}"
    return "\n".join([header, *lines, "", LEGEND, *status(board)])


def svg(board: Board) -> str:
    """Return the board as an SVG picture, the same text for the same position.

    Closed cells are darker than open ones.  A line joins the stones of a lint; the line of a bound
    lint and the rims of its stones are red.
    """
    width = max(LEAST_WIDTH, HALF_WIDTH * (4 * board.size + 2))
    height = ROW_HEIGHT * 2 * board.size + 60
    centres, labels = _places(board.size, width // 2)
    lines = status(board)
    for i, line in enumerate(lines):
        labels.append((line, width // 2, height - 37 + 20 * i))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="14" '
        f'text-anchor="middle" fill="{INK}">',
        f"<title>Catena, {lines[0]}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        *_svg_cells(board, centres),
        *_svg_lints(board, centres),
        *(f'<text x="{x}" y="{y + 5}">{label}</text>' for label, x, y in labels),
        "</svg>",
    ]
    return "\n".join(parts)


def _places(size: int, middle: int) -> tuple[list[tuple[int, int]], list[tuple[str, int, int]]]:
    """Return the centres of the cells in their order, and the coordinates with their centres."""

    def centre(column: int, row: int) -> tuple[int, int]:
        x = middle + HALF_WIDTH * (2 * column - row - size + 1)
        return x, ROW_HEIGHT * (row + 1) + HALF_WIDTH

    labels = [(column_letter(column), *centre(column, -1)) for column in range(size)]
    for row in range(2 * size - 1):
        labels.append((str(row + 1), *centre(max(0, row - size + 1) - 1, row)))
        if row < size - 1:
            labels.append((column_letter(size + row), *centre(size + row, row)))
    cells = range(3 * size * (size - 1) + 1)
    return [centre(*cell_column_row(size, cell)) for cell in cells], labels


def _svg_cells(board: Board, centres: list[tuple[int, int]]) -> Iterator[str]:
    """Give one path for the cells that are open or hold a stone, one for the closed ones."""
    outlines = {OPEN_FILL: "", CLOSED_FILL: ""}
    for cell, (stone, (x, y)) in enumerate(zip(board.stones().tolist(), centres, strict=True)):
        fill = OPEN_FILL if stone or _is_open(board, cell) else CLOSED_FILL
        outlines[fill] += f"M{x} {y - TO_CORNER}{HEXAGON}"
    for fill, outline in outlines.items():
        if outline:
            yield f'<path d="{outline}" fill="{fill}" stroke="{EDGE}"/>'


def _svg_lints(board: Board, centres: list[tuple[int, int]]) -> Iterator[str]:
    stones = board.stones().tolist()
    for lint in board.lints():
        ink, rim = (BOUND_INK, 3) if lint.bound else (UNBOUND_INK, 1)
        points = " ".join(f"{x},{y}" for x, y in (centres[cell] for cell in lint.cells))
        yield f'<g stroke="{ink}" stroke-width="{rim}">'
        yield f'<polyline points="{points}" fill="none" stroke-width="7"/>'
        for cell in lint.cells:
            x, y = centres[cell]
            yield f'<circle cx="{x}" cy="{y}" r="14" fill="{STONE_FILLS[stones[cell]]}"/>'
        yield "</g>"
