# Board and the functions on it: all checks of what comes from Python are here.

GAMES = ("komi", "no-komi", "double")
SCORINGS = ("standard", "longest", "squares")
PHASES = ("komi", "colour", "play", "over")

cdef tuple games = GAMES, scorings = SCORINGS, phases = PHASES

cdef enum:
    UNKNOWN = -1            # stands for any int or text that is no move

Lint = namedtuple("Lint", ("cells", "black", "white", "bound", "owner"))
Lint.__module__ = "catena"
Lint.__doc__ = """A lint: a group of stones that is one single chain.

``cells`` are its cells as a tuple of int, in order from the end with the smaller number; ``black``
and ``white`` count its stones as they are now; ``bound`` tells that it can't be lengthened;
``owner`` is BLACK or WHITE once it is claimed, before that None.
"""


class IllegalMoveError(ValueError):
    """A move that the rules refuse; the board is unchanged.

    ``move`` is the move as it was given, ``reason`` a word of :meth:`Board.why_illegal`, and
    ``index`` the number of the board in a :class:`Batch`, else None.
    """

    def __init__(self, message, move=None, reason=None, index=None):
        super().__init__(message)
        self.move = move
        self.reason = reason
        self.index = index

    def __reduce__(self):
        return type(self), (self.args[0], self.move, self.reason, self.index), self.__dict__


class PositionFault(ValueError):
    """Stones that the rules refuse: ``reason`` says why, ``cell`` where."""

    def __init__(self, reason, cell):
        super().__init__(f"{reason} at cell {cell}")
        self.reason = reason
        self.cell = cell


# Text is the business of catena.notation and catena.display, which import this module; the package
# hands their functions in, so that imports point one way.
cdef object text_to_move = None
cdef object position_to_text = None
cdef object text_to_position = None
cdef object board_to_diagram = None
cdef object board_to_svg = None


def _set_text(parse_move, write_position, read_position):
    """Take the functions that turn text into moves, and positions into text and back."""
    global text_to_move, position_to_text, text_to_position
    text_to_move, position_to_text, text_to_position = parse_move, write_position, read_position


def _set_display(diagram, svg):
    """Take the functions that draw a board."""
    global board_to_diagram, board_to_svg
    board_to_diagram, board_to_svg = diagram, svg


# ---- what Board shows of a state ----

cdef inline uint64_t eight_bits(const uint64_t* words, int i) noexcept nogil:
    """Bits 8 * i to 8 * i + 7 of a set."""
    return (words[i >> 3] >> ((i & 7) * 8)) & 0xff


cdef void spread_into(const uint64_t* words, int count, uint8_t* out) noexcept nogil:
    """Fill ``count`` bytes with the first bits of a set, one each."""
    cdef int i, full = count >> 3
    for i in range(full):
        memcpy(out + 8 * i, &SPREAD[eight_bits(words, i)], 8)
    for i in range(8 * full, count):
        out[i] = (words[i >> 6] >> (i & 63)) & 1


cdef void stones_into(State* s, uint8_t* out) noexcept nogil:
    """Fill ``num_cells`` bytes with EMPTY, BLACK or WHITE."""
    cdef uint64_t black, white, eight
    cdef int i, full = s.num_cells >> 3
    for i in range(full):
        black = eight_bits(state_set(s, BLACKS), i)
        white = eight_bits(state_set(s, STONES), i) ^ black
        eight = SPREAD[black] | SPREAD[white] << 1      # BLACK is 1, WHITE 2
        memcpy(out + 8 * i, &eight, 8)
    for i in range(8 * full, s.num_cells):
        out[i] = 0 if not state_has(s, STONES, i) else BLACK if state_has(s, BLACKS, i) else WHITE


cdef list list_of_moves(const int16_t* moves, int count):
    cdef list result = PyList_New(count)
    cdef object move
    cdef int i
    for i in range(count):
        move = PyLong_FromLong(moves[i])
        Py_INCREF(move)
        PyList_SET_ITEM(result, i, move)
    return result


cdef bint same_lint(State* s, int stone, int other) noexcept nogil:
    """Whether two stones are of one lint: walks it both ways from ``stone``."""
    cdef int start, cell, previous, following
    start = next_in_chain(s, stone, -1)
    if start < 0:
        return False
    for _ in range(2):
        cell, start = start, next_in_chain(s, stone, start)     # one way, then the other
        previous = stone
        while cell >= 0:
            if cell == other:
                return True
            following = next_in_chain(s, cell, previous)
            previous = cell
            cell = following
    return False


cdef str reason_closed(State* s, int cell):
    """Why no stone can be placed on an empty, closed cell."""
    cdef int16_t* neighbours = GEOMETRY[s.size].neighbours[cell]
    cdef int touched[6]
    cdef int i, count = 0
    for i in range(6):
        if neighbours[i] >= 0 and state_has(s, STONES, neighbours[i]):
            touched[count] = neighbours[i]
            count += 1
    if count > 2:
        return "crowded"
    if count == 2 and same_lint(s, touched[0], touched[1]):
        return "ring"
    return "branch"


cdef str reason_against(State* s, int move):
    """Why a move, or UNKNOWN, is illegal; None if it is legal."""
    cdef int phase
    if s.now.phase == OVER:
        return "over"
    if move == UNKNOWN:
        return "unknown-move"
    phase = PLAY if move <= s.num_cells else CHOOSING if move <= s.num_cells + WHITE else NAMING
    if phase != s.now.phase:
        return "phase"
    if move == s.num_cells:
        if s.now.button != EMPTY:
            return "button-taken"
        return None if state_has_button_move(s) else "no-button"
    if phase != PLAY or state_is_legal(s, move):
        return None
    if state_has(s, STONES, move):
        return "occupied"
    if state_has(s, OPEN, move):
        return "strands"
    return reason_closed(s, move)


cdef void mask_into(State* s, uint8_t* out) noexcept nogil:
    """Fill one byte per move: 1 if it is legal, else 0."""
    cdef uint64_t cells[MAX_WORDS]
    cdef int first_komi = s.num_cells + 3
    if s.now.phase == PLAY and not can_strand(s):
        spread_into(state_set(s, OPEN), s.num_cells, out)
    else:
        state_legal_cells_into(s, cells)
        spread_into(cells, s.num_cells, out)
    out[s.num_cells] = state_has_button_move(s)
    out[s.num_cells + BLACK] = out[s.num_cells + WHITE] = s.now.phase == CHOOSING
    if s.names_komi:
        memset(out + first_komi, s.now.phase == NAMING, max_komi(s) + 1)


cdef object lint_from(State* s, int end):
    """The Lint with this lower end."""
    cdef int cell = end, previous = -1, following, black = 0
    cdef int other = end_other(s.ends[end])
    cdef bint bound = state_is_bound(s, end, other)
    cdef int owner = owner_at(s, end, other, bound)
    cdef list cells = []
    while cell >= 0:
        cells.append(cell)
        black += state_has(s, BLACKS, cell)
        following = next_in_chain(s, cell, previous)
        previous = cell
        cell = following
    return Lint(tuple(cells), black, len(cells) - black, bool(bound), owner or None)


# ---- positions from their parts ----

cdef int put_all(State* s, const uint8_t* stones, words_t* near) noexcept nogil:
    """Place stones, given by cell, on the empty board; the first cell that can't be filled, -1 if
    none.
    """
    cdef words_t* sets = <words_t*> s.sets
    cdef Joint joint
    cdef int cell
    for cell in range(s.num_cells):
        if stones[cell] == EMPTY:
            continue
        if not state_has(s, OPEN, cell):
            return cell
        joint = joint_at(sets, s.ends, cell, near)
        place(sets, s.ends, cell, stone_of(stones[cell]), &joint, near)
        s.stones_key ^= STONE_KEYS[stones[cell]][cell]
        if stones[cell] == BLACK:
            state_set(s, BLACKS)[cell >> 6] |= <uint64_t>1 << (cell & 63)
    return -1


cdef int fill_board(State* s, const uint8_t* stones) noexcept nogil:
    cdef uint64_t* near = near_of(s)
    if s.words == 1:
        return put_all(s, stones, <Words1*> near)
    if s.words == 2:
        return put_all(s, stones, <Words2*> near)
    if s.words == 3:
        return put_all(s, stones, <Words3*> near)
    if s.words == 4:
        return put_all(s, stones, <Words4*> near)
    return put_all(s, stones, <Words5*> near)


cdef int set_position(State* s, const uint8_t* stones, Situation now) except -1:
    """Put stones and situation on the empty board ``s``; raise PositionFault if the rules refuse
    them.

    The end of the game and its claims are worked out here, so ``now.phase`` is never OVER.
    """
    cdef int end, other, cell = fill_board(s, stones)
    if cell >= 0:
        raise PositionFault("ring" if reason_closed(s, cell) == "ring" else "crowded", cell)
    end = next_lint(s, -1)
    while end >= 0:
        other = end_other(s.ends[end])
        if state_is_bound(s, end, other) and 0 < end_black(s.ends[end]) < end_length(s.ends[end]):
            raise PositionFault("colours", end)
        end = next_lint(s, end)
    s.now = now
    if now.phase == PLAY and is_finished(s):
        if s.game == DOUBLE and now.due == 1:
            raise PositionFault("no-room", 0)
        finish(s)
    return 0


def board_from_fields(
    size, game, scoring, komi, const uint8_t[::1] stones not None, phase, turn, stones_due, button,
    black_seat
):
    """A board with the given position and no history, for readers of text.

    ``stones`` holds EMPTY, BLACK or WHITE for each cell; ``phase`` is "komi", "colour" or "play",
    with a ``turn`` of EMPTY in the first two.  ``komi`` is None until it is named.

    :raises ValueError: if a field is out of its range.
    :raises PositionFault: if the rules refuse the stones.
    """
    cdef int board_size = checked_size(size)
    cdef int game_number = checked_word(game, games, "game")
    cdef Board board = Board(
        size, game=game, scoring=scoring, komi=komi if game_number == KOMI else 0
    )
    cdef State* s = &board.state
    cdef Situation now = s.now
    cdef int cell
    if len(stones) != GEOMETRY[board_size].num_cells:
        raise ValueError(f"stones must be {GEOMETRY[board_size].num_cells}, got {len(stones)}")
    for cell in range(s.num_cells):
        if stones[cell] > WHITE:
            raise ValueError(f"a stone must be 0 to {WHITE}, got {stones[cell]}")
    now.phase = checked_word(phase, phases[:OVER], "phase")
    if not (0 <= turn <= WHITE and (turn != EMPTY) == (now.phase == PLAY)):
        raise ValueError(f"turn {turn} does not fit phase {phase!r}")
    if not (1 <= stones_due <= 2 and 0 <= button <= WHITE and 0 <= black_seat <= 1):
        raise ValueError("stones_due must be 1 to 2, button 0 to 2, black_seat 0 to 1")
    now.turn, now.due, now.button, now.black_seat = turn, stones_due, button, black_seat
    s.names_komi = game_number == KOMI and now.phase != PLAY
    set_position(s, &stones[0], now)
    return board


def _restore(version, position, names_komi, moves):
    """A board from what :meth:`Board.__reduce__` wrote."""
    if version != PICKLE_VERSION:
        raise ValueError(
            f"a pickled Board of version {version!r}; this release reads version {PICKLE_VERSION}"
        )
    cdef Board board = Board.from_position(position)
    board.state.names_komi = bool(names_komi) and board.state.game == KOMI
    for move in moves:
        board.push(move)
    return board


PICKLE_VERSION = 1


# ---- Board ----

# The empty board that a Board is before __init__.
cdef State SMALLEST
state_start(&SMALLEST, MIN_SIZE, KOMI, STANDARD, 0)


# Without binding, or Board.copy(5) would take 5 for a board: bound methods don't check self.
@cython.final
@cython.binding(False)
@cython.freelist(64)     # a search makes and drops many copies
cdef class Board:
    """A position of Catena and the moves that led to it.

    ``Board(size=6, *, game="komi", scoring="standard", komi=0)`` is the empty board of ``size`` 2
    to 10 cells a side.  ``game`` is "komi", "no-komi" or "double", ``scoring`` "standard",
    "longest" or "squares". With game "komi", ``komi`` is 0 to 15 (0 to 1000 with "squares"), the
    first player being Black; or None, to begin with the naming of the komi and the choice of
    colours. In the other games it is 0.

    Moves are ints: cells 0 to ``num_cells`` - 1, then the button, the choice of black and of white,
    then the komi from 0 on; :mod:`catena.notation` gives their text. Each call is atomic; different
    boards can be used by different threads.

    :raises ValueError: for a value out of these, naming what is allowed.
    """

    __hash__ = None

    def __cinit__(self):
        # A valid board also for __new__ alone, which copies use to be spared the checks of
        # __init__.  Copied, since to set it up took a tenth of the time of Board.copy.
        state_copy(&self.state, &SMALLEST)

    def __init__(self, size=6, *, game="komi", scoring="standard", komi=0):
        cdef int game_number = checked_word(game, games, "game")
        cdef int scoring_number = checked_word(scoring, scorings, "scoring")
        cdef int komi_number = checked_komi(komi, game_number, scoring_number)
        cdef int board_size = checked_size(size)
        if self._history != NULL:
            raise TypeError("a Board with moves can't be set up again; make a new one")
        state_start(&self.state, board_size, game_number, scoring_number, komi_number)

    def __dealloc__(self):
        release_history(self._history)

    # ---- set-up ----

    @property
    def size(self):
        """Cells a side, 2 to 10."""
        return self.state.size

    @property
    def game(self):
        """The game type: "komi", "no-komi" or "double"."""
        return games[self.state.game]

    @property
    def scoring(self):
        """The scoring: "standard", "longest" or "squares"."""
        return scorings[self.state.scoring]

    @property
    def komi(self):
        """White's komi in points, None until it is named."""
        return None if self.state.now.komi < 0 else self.state.now.komi

    @property
    def num_cells(self):
        """The cells of the board: 3 * size * (size - 1) + 1."""
        return self.state.num_cells

    @property
    def num_moves(self):
        """Moves are numbered from 0 to one less than this."""
        return state_num_moves(&self.state)

    # ---- whose move ----

    @property
    def phase(self):
        """What the next move is about: "komi", "colour" or "play"; "over" after the last one."""
        return phases[self.state.now.phase]

    @property
    def turn(self):
        """The side to move, BLACK or WHITE; None outside play."""
        return self.state.now.turn if self.state.now.phase == PLAY else None

    @property
    def _next_side(self):
        """The side to move or, once the game is over, that would be next; EMPTY before play."""
        return self.state.now.turn

    @property
    def seat(self):
        """The seat to move, 0 the first player and 1 the second; None when the game is over."""
        if self.state.now.phase == OVER:
            return None
        return seat_to_move(&self.state)

    @property
    def black_seat(self):
        """The seat that plays Black; 0 until the colours are chosen."""
        return self.state.now.black_seat

    @property
    def stones_due(self):
        """The stones still to place in this turn: 1, or 2 at the start of a turn of the double
        game.
        """
        return self.state.now.due

    @property
    def button(self):
        """The side that holds the button, None while it is free.

        A button that nobody took is awarded at the end of the game, to the player who did not place
        the last stone.
        """
        return self.state.now.button or None

    @property
    def ply(self):
        """The number of moves made on this board."""
        return self._ply

    @property
    def history(self):
        """The moves made on this board, a list of int."""
        cdef int i
        with cython.critical_section(self):
            return [undo_at(self, i).move for i in range(self._ply)]

    # ---- legal moves ----

    def legal_moves(self):
        """The legal moves, an ascending list of int; empty when the game is over."""
        cdef int16_t moves[MAX_MOVES]
        cdef int count
        with cython.critical_section(self):
            count = state_legal_moves_into(&self.state, moves)
        return list_of_moves(moves, count)

    @property
    def legal_count(self):
        """The number of legal moves."""
        with cython.critical_section(self):
            return state_legal_count(&self.state)

    def legal_mask(self, out=None):
        """1 for each legal move and 0 for the others, uint8 of shape ``(num_moves,)``.

        :param out: an array to fill and return.
        :raises ValueError: if ``out`` is no writable contiguous array of this dtype and shape.
        """
        cdef Py_buffer view
        cdef Py_ssize_t num_moves = state_num_moves(&self.state)
        if out is None:
            out = numpy.empty(num_moves, numpy.uint8)
        take_buffer(out, "out", &view, b"B", 1, &num_moves, True)
        with cython.critical_section(self):
            mask_into(&self.state, <uint8_t*> view.buf)
        PyBuffer_Release(&view)
        return out

    def is_legal(self, move):
        """Whether ``move``, an int or its text, is legal.

        :raises TypeError: if it is neither int nor str.
        """
        cdef int number = move_from(self, move)
        with cython.critical_section(self):
            return state_is_legal(&self.state, number)

    def why_illegal(self, move):
        """None for a legal move, else the first reason against it, in this order:

        "over": the game is over. "phase": the move belongs to another phase. "unknown-move": it is
        no move of this board. "button-taken": somebody holds the button. "no-button": the button
        can't be taken in the double game or as the first move of the no-komi game. "occupied": the
        cell has a stone. "crowded": the cell touches three stones or more. "ring": it touches two
        stones of one lint. "branch": it touches the inside of a lint. "strands": in the double
        game, it leaves no cell for the second stone of the turn.

        :raises TypeError: if ``move`` is neither int nor str.
        """
        cdef int number = move_from(self, move)
        with cython.critical_section(self):
            return reason_against(&self.state, number)

    # ---- making moves ----

    def push(self, move):
        """Make a move, an int or its text such as "D6", "button", "white" or "komi:7".

        :raises IllegalMoveError: if the rules refuse it; the board is unchanged.
        :raises TypeError: if ``move`` is neither int nor str.
        """
        cdef int number = move_from(self, move)
        with cython.critical_section(self):
            if not state_is_legal(&self.state, number):
                raise illegal_move(self, move, number)
            push_unchecked(self, number)

    def pop(self):
        """Take back the last move and return it, an int.

        :raises IndexError: if no move was made on this board.
        """
        cdef Undo* undo
        with cython.critical_section(self):
            if self._ply == 0:
                raise IndexError("pop from a board without moves")
            self._ply -= 1
            undo = undo_at(self, self._ply)
            state_pop(&self.state, undo)
            return undo.move

    def play(self, str text not None):
        """Make several moves, given as texts with spaces between; all of them or, on an error,
        none.

        :raises IllegalMoveError: for the first move that is illegal; the board is unchanged.
        """
        cdef int start = self._ply
        try:
            for word in text.split():
                self.push(word)
        except IllegalMoveError:
            while self._ply > start:
                self.pop()
            raise

    def playout(self, seed):
        """A copy on which random legal moves, each as likely, were made to the end of the game.

        The same game as playout 0 of :func:`catena.playouts` with this seed: the k-th legal move
        each time, k drawn by xoshiro256**.

        :raises ValueError: if ``seed`` is not 0 to 2**64 - 1.
        """
        cdef Random random = random_for(checked_seed(seed), 0)
        cdef Board board = self.copy()
        cdef int16_t moves[MAX_MOVES]
        cdef int count = state_legal_moves_into(&board.state, moves)
        while count > 0:
            push_unchecked(board, moves[random_below(&random, count)])
            count = state_legal_moves_into(&board.state, moves)
        return board

    # ---- result ----

    @property
    def is_over(self):
        """Whether the game is over."""
        return self.state.now.phase == OVER

    @property
    def scores(self):
        """(black, white) as floats, by the scoring, of the position as it stands.

        With standard scoring every stone on the board counts; with the others only claimed lints
        do. A komi that is not yet named counts nothing.
        """
        cdef int halves[2]
        with cython.critical_section(self):
            state_scores_into(&self.state, halves)
        return halves[0] / 2.0, halves[1] / 2.0

    @property
    def winner(self):
        """The side that won; None for a draw and while the game goes on."""
        with cython.critical_section(self):
            return state_winner(&self.state) or None

    @property
    def returns(self):
        """(first seat, second seat): 1.0 for the winner, -1.0 for the loser, 0.0 both before the
        end or drawn.
        """
        cdef int winner
        with cython.critical_section(self):
            winner = state_winner(&self.state)
            if winner == EMPTY:
                return 0.0, 0.0
            if (self.state.now.black_seat == 0) == (winner == BLACK):
                return 1.0, -1.0
            return -1.0, 1.0

    # ---- the board ----

    def stones(self, out=None):
        """EMPTY, BLACK or WHITE for each cell, int8 of shape ``(num_cells,)``.

        :param out: an array to fill and return.
        :raises ValueError: if ``out`` is no writable contiguous array of this dtype and shape.
        """
        cdef Py_buffer view
        cdef Py_ssize_t num_cells = self.state.num_cells
        if out is None:
            out = numpy.empty(num_cells, numpy.int8)
        take_buffer(out, "out", &view, b"b", 1, &num_cells, True)
        with cython.critical_section(self):
            stones_into(&self.state, <uint8_t*> view.buf)
        PyBuffer_Release(&view)
        return out

    def grid(self, out=None):
        """The stones by column and row, int8 of shape ``(2 * size - 1, 2 * size - 1)``, -1 off the
        board.

        :param out: an array to fill and return.
        :raises ValueError: if ``out`` is no writable contiguous array of this dtype and shape.
        """
        cdef Py_buffer view
        cdef uint8_t stones[MAX_CELLS]
        cdef const Geometry* g = &GEOMETRY[self.state.size]
        cdef int cell, width = 2 * self.state.size - 1
        cdef Py_ssize_t[2] shape = [width, width]
        if out is None:
            out = numpy.empty((width, width), numpy.int8)
        take_buffer(out, "out", &view, b"b", 2, shape, True)
        with cython.critical_section(self):
            stones_into(&self.state, stones)
        memset(view.buf, -1, width * width)
        for cell in range(g.num_cells):
            (<uint8_t*> view.buf)[g.column[cell] * width + g.row[cell]] = stones[cell]
        PyBuffer_Release(&view)
        return out

    def lints(self):
        """All lints, a list of :class:`Lint` sorted by their first cell."""
        cdef list result = []
        cdef int end
        with cython.critical_section(self):
            end = next_lint(&self.state, -1)
            while end >= 0:
                result.append(lint_from(&self.state, end))
                end = next_lint(&self.state, end)
        return result

    def lint_at(self, cell):
        """The :class:`Lint` with a stone on ``cell``, None if the cell is empty.

        :raises ValueError: if the cell is off the board.
        """
        cdef int stone = checked_cell(self.state.size, cell)
        cdef int previous = -1, following
        with cython.critical_section(self):
            if not state_has(&self.state, STONES, stone):
                return None
            following = next_in_chain(&self.state, stone, -1)
            while following >= 0:   # to one end; the chain never closes
                previous, stone = stone, following
                following = next_in_chain(&self.state, stone, previous)
            return lint_from(&self.state, min(stone, end_other(self.state.ends[stone])))

    def observe(self, out=None, seat=None):
        """Planes for learning, float32 of shape ``(NUM_PLANES, 2 * size - 1, 2 * size - 1)`` by
        column and row.

        Own is the side of the seat to move (once over, of the one that would be next) or of
        ``seat``, 0 or 1; the first seat counts as Black until the colours are chosen.  Cells off
        the board are 0 in all planes.

        ==  ====================================================================================
         0  own stones
         1  opposing stones
         2  open cells, those that would strand included; none once the game is over
         3  ends of lints that nobody owns yet
         4  stones of claimed lints that are own
         5  stones of claimed lints that are opposing
         6  at a stone: the length of its lint, divided by the number of cells
         7  at a stone: own less opposing stones of its lint, divided by its length
         8  the board: 1 on each of its cells
         9  1 on all cells while the button is free to take, now or later
        10  1 on all cells if the button is own
        11  1 on all cells if the button is opposing
        12  on all cells the komi by its maximum (15; 1000 with squares), negative if it is opposing
        13  1 on all cells if two stones are due in this turn
        14  1 on all cells in phase "komi"
        15  1 on all cells in phase "colour"
        16  1 on all cells in phase "play"
        17  1 on all cells if own is Black
        ==  ====================================================================================

        :param out: an array to fill and return.
        :raises ValueError: if ``out`` is no writable contiguous array of this dtype and shape, or
            ``seat`` not 0 or 1.
        """
        cdef Py_buffer view
        cdef Py_ssize_t width = 2 * self.state.size - 1
        cdef Py_ssize_t[3] shape = [NUM_PLANES, width, width]
        cdef int viewer = -1 if seat is None else checked_range(seat, "seat", 0, 1)
        if out is None:
            out = numpy.empty((NUM_PLANES, width, width), numpy.float32)
        take_buffer(out, "out", &view, b"f", 3, shape, True)
        with cython.critical_section(self):
            planes_into(&self.state, viewer, <float*> view.buf)
        PyBuffer_Release(&view)
        return out

    @property
    def key(self):
        """A 64-bit int over all that the future depends on: set-up, stones, whose move, button,
        colours.

        Equal positions have equal keys, on every platform and release. Zobrist's exclusive or
        (1970).
        """
        with cython.critical_section(self):
            return state_key(&self.state)

    def transform(self, s):
        """The position under symmetry ``s``, a new board without history.

        0 is the identity, 1 to 5 turn the board by that many times 60 degrees (clockwise in the
        diagram), 6 to 11 reflect it in the diagonal through its first and last cell and then turn
        it by ``s`` - 6 times 60 degrees.

        :raises ValueError: if ``s`` is not 0 to 11.
        """
        cdef uint8_t stones[MAX_CELLS]
        cdef uint8_t moved[MAX_CELLS]
        cdef int symmetry = checked_symmetry(s)
        cdef const Geometry* g = &GEOMETRY[self.state.size]
        cdef Board board = Board.__new__(Board)
        cdef Situation now
        cdef int cell
        with cython.critical_section(self):
            stones_into(&self.state, stones)
            now = self.state.now
            state_start(
                &board.state, self.state.size, self.state.game, self.state.scoring, now.komi
            )
            board.state.names_komi = self.state.names_komi
        for cell in range(g.num_cells):
            moved[g.image[symmetry][cell]] = stones[cell]
        if now.phase == OVER:
            now.phase = PLAY
        set_position(&board.state, moved, now)
        return board

    # ---- text ----

    @property
    def position(self):
        """The position as one line of text: ``SIZE GAME SCORING KOMI ROWS TURN BUTTON BLACK``."""
        return position_to_text(self)

    @staticmethod
    def from_position(text):
        """The board with the position that ``text`` tells, without history.

        :raises NotationError: if it tells none; a ValueError that names field and place.
        """
        return text_to_position(text)

    def __str__(self):
        return board_to_diagram(self)

    def __repr__(self):
        return f"Board.from_position({position_to_text(self)!r})"

    def _repr_svg_(self):
        """A picture of the board for notebooks."""
        return board_to_svg(self)

    # ---- copies ----

    def copy(self):
        """An independent board with the same position and history."""
        cdef Board board = Board.__new__(Board)
        with cython.critical_section(self):
            copy_into(board, self)
        return board

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __eq__(self, other):
        """Whether the positions and set-ups are equal; the histories may differ."""
        if not isinstance(other, Board):
            return NotImplemented
        return states_equal(&self.state, &(<Board> other).state)

    def __reduce__(self):
        cdef Board start = self.copy()
        moves = start.history
        while start._ply > 0:
            start.pop()
        return _restore, (PICKLE_VERSION, start.position, bool(start.state.names_komi), moves)

    def __sizeof__(self):
        bare = sizeof(PyObject) + sizeof(State) + 2 * sizeof(void*)
        if self._history == NULL:
            return bare
        return bare + sizeof(History) + self._history.room * undo_bytes(&self.state)

    # ---- for tests ----

    def _check(self):
        """Compare every cached value with a recount; raise AssertionError if one differs."""
        cdef const char* fault
        with cython.critical_section(self):
            fault = state_fault(&self.state)
        if fault != NULL:
            raise AssertionError((<bytes> fault).decode())

    def _key_from_scratch(self):
        """The key, its part for the stones recounted."""
        cdef State scratch
        with cython.critical_section(self):
            scratch = self.state
        scratch.stones_key = recount_stones_key(&scratch)
        return state_key(&scratch)


cdef int move_from(Board board, object move) except -2:
    """The number of a move given as an int or text; UNKNOWN if this board has no such move."""
    cdef int overflow = 0
    cdef long number
    if not PyLong_CheckExact(move):
        if isinstance(move, str):
            try:
                move = text_to_move(board, move)
            except ValueError:
                return UNKNOWN
        else:
            move = checked_index(move, "a move")
    number = PyLong_AsLongAndOverflow(move, &overflow)
    if overflow or not 0 <= number < state_num_moves(&board.state):
        return UNKNOWN
    return <int> number


cdef object illegal_move(Board board, object move, int number):
    """The error for a move that is_legal refuses."""
    reason = reason_against(&board.state, number)
    return IllegalMoveError(f"illegal move {move!r} at ply {board._ply}: {reason}", move, reason)


cdef extern from *:
    """
    /* Boards in different threads may hold one history; with the GIL plain numbers will do. */
    #ifndef Py_GIL_DISABLED
      #define CATENA_ADD(number, n) (*(number) += (n))
      #define CATENA_GET(number) (*(number))
      #define CATENA_TAKE(number, old) (*(number) == (old) ? (*(number) = (old) + 1, 1) : 0)
    #elif defined(_MSC_VER)
      #include <intrin.h>
      #define CATENA_ADD(number, n) (_InterlockedExchangeAdd((long *)(number), (n)) + (n))
      #define CATENA_GET(number) CATENA_ADD(number, 0)
      #define CATENA_TAKE(number, old) \
          (_InterlockedCompareExchange((long *)(number), (old) + 1, (old)) == (old))
    #else
      static int catena_take(int *number, int old) {
          return __atomic_compare_exchange_n(
              number, &old, old + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
      }
      #define CATENA_ADD(number, n) __atomic_add_fetch(number, n, __ATOMIC_ACQ_REL)
      #define CATENA_GET(number) __atomic_load_n(number, __ATOMIC_ACQUIRE)
      #define CATENA_TAKE(number, old) catena_take(number, old)
    #endif
    """
    int atomic_add "CATENA_ADD"(int* number, int n) noexcept nogil
    int atomic_get "CATENA_GET"(int* number) noexcept nogil
    bint atomic_take "CATENA_TAKE"(int* number, int old) noexcept nogil     # old to old + 1


cdef inline Undo* undo_at(Board board, int ply) noexcept:
    return <Undo*> (<char*> (board._history + 1) + ply * undo_bytes(&board.state))


cdef void release_history(History* history) noexcept:
    if history != NULL and atomic_add(&history.holders, -1) == 0:
        free(history)


cdef Undo* next_record(Board board) except NULL:
    """The record for the next move of a board, in memory that no other board reads."""
    cdef History* history = board._history
    if history == NULL or board._ply == history.room:
        own_history(board, 2 * board._ply if board._ply else 16)
    elif atomic_get(&history.holders) == 1:
        history.used = board._ply + 1
    elif not atomic_take(&history.used, board._ply):
        own_history(board, 2 * board._ply if board._ply > 8 else 16)
    return undo_at(board, board._ply)


cdef int own_history(Board board, int room) except -1:
    """Give a board a history of its own, with its records, about to get the next one."""
    cdef size_t record = undo_bytes(&board.state)
    cdef History* history = <History*> malloc(sizeof(History) + room * record)
    if history == NULL:
        raise MemoryError
    history.holders = 1
    history.used = board._ply + 1
    history.room = room
    if board._ply > 0:
        memcpy(history + 1, board._history + 1, board._ply * record)
    release_history(board._history)
    board._history = history
    return 0


cdef int push_unchecked(Board board, int move) except -1:
    """Make a legal move."""
    state_push(&board.state, move, next_record(board))
    board._ply += 1
    return 0


cdef void state_copy(State* s, const State* other) noexcept nogil:
    """Copy a state, without the entries of cells that its board does not have."""
    memcpy(s, other, sizeof(State) - (MAX_CELLS - other.num_cells) * sizeof(uint32_t))


cdef void copy_into(Board board, Board other) noexcept:
    """Make ``board``, fresh from __cinit__, a copy of ``other``; the history is shared."""
    if other._ply > 0:
        if atomic_get(&other._history.holders) == 1:
            other._history.used = other._ply    # what it took back may be written over
        atomic_add(&other._history.holders, 1)
        board._history = other._history
        board._ply = other._ply
    state_copy(&board.state, &other.state)


cdef bint states_equal(const State* s, const State* other) noexcept nogil:
    """Whether set-up, situation and stones are equal."""
    cdef size_t set_bytes = s.words * sizeof(uint64_t)
    return (
        s.size == other.size and s.game == other.game and s.scoring == other.scoring
        and s.now.komi == other.now.komi and s.now.phase == other.now.phase
        and s.now.turn == other.now.turn and s.now.due == other.now.due
        and s.now.button == other.now.button and s.now.black_seat == other.now.black_seat
        and memcmp(s.sets, other.sets, set_bytes) == 0
        and memcmp(s.sets + BLACKS * s.words, other.sets + BLACKS * s.words, set_bytes) == 0
    )
