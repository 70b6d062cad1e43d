# Batch: many boards in one block of memory, stepped without the GIL.

cdef enum:
    MAX_BATCH = 1 << 24


cdef void reset_states(
    State* states, Py_ssize_t count, const State* start, const uint8_t* chosen
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        if chosen == NULL or chosen[i]:
            state_copy(&states[i], start)


@cython.final
@cython.binding(False)     # as for Board
cdef class Batch:
    """``count`` boards of one set-up in one block of memory, moved together.

    ``Batch(count, size=6, *, game="komi", scoring="standard", komi=0, auto_reset=False,
    ones_when_over=False)``; the set-up as in :class:`Board`.  The boards keep no history.  Arrays
    have one entry or row per board; where a method takes ``out``, it fills and returns that array.

    With ``auto_reset`` a board that is over stays so, with its result, until the next step, which
    puts it back to the start instead of moving it.

    With ``ones_when_over`` :meth:`legal_mask` has ones only, not zeros, for a board that is over:
    a softmax over a masked row is then never one over nothing.

    Loops over the boards run without the GIL.  A batch is for one thread at a time: a call while
    another thread is in one raises RuntimeError.

    :raises ValueError: for a value out of its range, naming what is allowed.
    """

    cdef State start
    cdef State* states
    cdef Py_ssize_t num_boards
    cdef bint resets
    cdef bint fills
    cdef bint busy

    def __init__(
        self, count, size=6, *, game="komi", scoring="standard", komi=0, auto_reset=False,
        ones_when_over=False
    ):
        cdef Py_ssize_t number = checked_range(count, "count", 1, MAX_BATCH)
        cdef Board board = Board(size, game=game, scoring=scoring, komi=komi)
        if self.states != NULL:
            raise TypeError("a Batch can't be set up again; make a new one")
        self.start = board.state
        self.resets = bool(auto_reset)
        self.fills = bool(ones_when_over)
        allocate_states(self, number)
        reset_states(self.states, number, &self.start, NULL)

    def __dealloc__(self):
        free(self.states)

    def __hash__(self):
        raise TypeError("a Batch changes, so it has no hash")

    def __len__(self):
        return self.num_boards

    def __repr__(self):
        return (
            f"<Batch: {self.num_boards} boards, size {self.size}, game {self.game!r}, "
            f"scoring {self.scoring!r}, {self.num_moves} moves>"
        )

    # ---- set-up ----

    @property
    def size(self):
        """Cells a side, 2 to 10."""
        return self.start.size

    @property
    def game(self):
        """The game type: "komi", "no-komi" or "double"."""
        return games[self.start.game]

    @property
    def scoring(self):
        """The scoring: "standard", "longest" or "squares"."""
        return scorings[self.start.scoring]

    @property
    def num_cells(self):
        """The cells of a board."""
        return self.start.num_cells

    @property
    def num_moves(self):
        """Moves are numbered from 0 to one less than this."""
        return state_num_moves(&self.start)

    @property
    def auto_reset(self):
        """Whether a step puts boards that are over back to the start."""
        return bool(self.resets)

    @property
    def ones_when_over(self):
        """Whether the mask of a board that is over has ones only."""
        return bool(self.fills)

    # ---- moving ----

    def step(self, moves, where=None):
        """Make one move on each board, or on those for which ``where`` is true.

        :param moves: int32 of shape ``(count,)``.  With ``auto_reset`` the entry of a board that is
            over is not looked at.
        :param where: bool or uint8 of shape ``(count,)``.
        :raises IllegalMoveError: naming index, move and reason, for the first illegal move; no
            board has changed.
        :raises ValueError: if an array is no contiguous one of its dtype and shape.
        """
        cdef Py_buffer view, chosen
        cdef bytes made, picked
        cdef const int32_t* numbers
        cdef const uint8_t* those = NULL
        cdef Py_ssize_t bad
        take_buffer(moves, "moves", &view, b"i", 1, &self.num_boards, False)
        try:
            # A copy: another thread may write to the caller's array between check and move.
            made = (<char*> view.buf)[:self.num_boards * sizeof(int32_t)]
            numbers = <const int32_t*> <const char*> made
            take_mask(where, "where", &chosen, self.num_boards)
            try:
                if where is not None:
                    picked = (<char*> chosen.buf)[:self.num_boards]
                    those = <const uint8_t*> <const char*> picked
                with Busy(self):
                    with nogil:
                        bad = batch_step(self, numbers, those)
                    if bad >= 0:
                        raise illegal_move_in(self, bad, numbers[bad])
            finally:
                if where is not None:
                    PyBuffer_Release(&chosen)
        finally:
            PyBuffer_Release(&view)

    def step_random(self, seed):
        """Make one random legal move, each as likely, on every board that isn't over.

        Board i draws by the generator of playout i of ``seed``: use another seed for each step.

        :raises ValueError: if ``seed`` is not 0 to 2**64 - 1.
        """
        cdef uint64_t number = checked_seed(seed)
        with Busy(self):
            with nogil:
                batch_step_random(self, number)

    def reset(self, mask=None):
        """Put all boards, or those for which ``mask`` is true, back to the start.

        :param mask: bool or uint8 of shape ``(count,)``.
        """
        cdef Py_buffer chosen
        take_mask(mask, "mask", &chosen, self.num_boards)
        try:
            with Busy(self):
                reset_states(self.states, self.num_boards, &self.start, <const uint8_t*> chosen.buf)
        finally:
            if mask is not None:
                PyBuffer_Release(&chosen)

    # ---- reading ----

    def legal_mask(self, out=None):
        """1 for each legal move and 0 for the others, uint8 of shape ``(count, num_moves)``; with
        ``ones_when_over`` 1 for every move of a board that is over.
        """
        cdef Py_buffer view
        cdef Py_ssize_t[2] shape = [self.num_boards, state_num_moves(&self.start)]
        cdef Py_ssize_t i
        if out is None:
            out = numpy.empty((shape[0], shape[1]), numpy.uint8)
        take_buffer(out, "out", &view, b"B", 2, shape, True)
        try:
            with Busy(self):
                with nogil:
                    for i in range(self.num_boards):
                        mask_into(&self.states[i], <uint8_t*> view.buf + i * shape[1])
                        if self.fills and self.states[i].now.phase == OVER:
                            memset(<uint8_t*> view.buf + i * shape[1], 1, shape[1])
        finally:
            PyBuffer_Release(&view)
        return out

    def observe(self, out=None):
        """The planes of :meth:`Board.observe`, float32 of shape ``(count, NUM_PLANES, 2 * size - 1,
        2 * size - 1)``.

        Each board is seen by the seat that is to move on it.
        """
        cdef Py_buffer view
        cdef Py_ssize_t width = 2 * self.start.size - 1
        cdef Py_ssize_t[4] shape = [self.num_boards, NUM_PLANES, width, width]
        cdef Py_ssize_t i, stride = NUM_PLANES * width * width
        if out is None:
            out = numpy.empty((shape[0], shape[1], shape[2], shape[3]), numpy.float32)
        take_buffer(out, "out", &view, b"f", 4, shape, True)
        try:
            with Busy(self):
                with nogil:
                    for i in range(self.num_boards):
                        planes_into(&self.states[i], -1, <float*> view.buf + i * stride)
        finally:
            PyBuffer_Release(&view)
        return out

    @property
    def turn(self):
        """The side to move, int8 of shape ``(count,)``; EMPTY outside play."""
        result = numpy.empty(self.num_boards, numpy.int8)
        cdef int8_t[::1] view = result
        cdef Py_ssize_t i
        with Busy(self):
            for i in range(self.num_boards):
                view[i] = self.states[i].now.turn if self.states[i].now.phase == PLAY else EMPTY
        return result

    @property
    def seat(self):
        """The seat to move, int8 of shape ``(count,)``; -1 when over."""
        result = numpy.empty(self.num_boards, numpy.int8)
        cdef int8_t[::1] view = result
        cdef Py_ssize_t i
        with Busy(self):
            for i in range(self.num_boards):
                view[i] = -1 if self.states[i].now.phase == OVER else seat_to_move(&self.states[i])
        return result

    @property
    def phase(self):
        """The phase as an index into ("komi", "colour", "play", "over"), int8 of shape
        ``(count,)``.
        """
        result = numpy.empty(self.num_boards, numpy.int8)
        cdef int8_t[::1] view = result
        cdef Py_ssize_t i
        with Busy(self):
            for i in range(self.num_boards):
                view[i] = self.states[i].now.phase
        return result

    @property
    def over(self):
        """Whether the game is over, bool of shape ``(count,)``."""
        return self.phase == OVER

    @property
    def scores(self):
        """Black's and White's score as the position stands, float64 of shape ``(count, 2)``."""
        result = numpy.empty((self.num_boards, 2))
        cdef double[:, ::1] view = result
        cdef int[2] halves
        cdef Py_ssize_t i
        with Busy(self):
            for i in range(self.num_boards):
                state_scores_into(&self.states[i], halves)
                view[i, 0] = halves[0] / 2.0
                view[i, 1] = halves[1] / 2.0
        return result

    @property
    def returns(self):
        """For each seat 1 for a win, -1 for a loss, 0 before the end or drawn, float64 of shape
        ``(count, 2)``.
        """
        result = numpy.zeros((self.num_boards, 2))
        cdef double[:, ::1] view = result
        cdef Py_ssize_t i
        cdef int winner
        with Busy(self):
            for i in range(self.num_boards):
                winner = state_winner(&self.states[i])
                if winner != EMPTY:
                    view[i, 0] = 1 if side_of_seat(&self.states[i], 0) == winner else -1
                    view[i, 1] = -view[i, 0]
        return result

    @property
    def key(self):
        """The keys, uint64 of shape ``(count,)``."""
        result = numpy.empty(self.num_boards, numpy.uint64)
        cdef uint64_t[::1] view = result
        cdef Py_ssize_t i
        with Busy(self):
            for i in range(self.num_boards):
                view[i] = state_key(&self.states[i])
        return result

    @property
    def legal_count(self):
        """The number of legal moves, int32 of shape ``(count,)``."""
        result = numpy.empty(self.num_boards, numpy.int32)
        cdef int32_t[::1] view = result
        cdef Py_ssize_t i
        with Busy(self):
            for i in range(self.num_boards):
                view[i] = state_legal_count(&self.states[i])
        return result

    # ---- boards ----

    def board(self, i):
        """Board ``i`` as a :class:`Board` of its own, without history.

        :raises IndexError: if there is no such board.
        """
        cdef Py_ssize_t index = index_in_batch(self, i)
        cdef Board board = Board.__new__(Board)
        with Busy(self):
            state_copy(&board.state, &self.states[index])
        return board

    def set_board(self, i, Board board not None):
        """Put a board's position in the place of board ``i``.

        :raises IndexError: if there is no such board.
        :raises ValueError: if the board is of another size, game, scoring or number of moves.
        """
        cdef Py_ssize_t index = index_in_batch(self, i)
        if (
            board.state.size != self.start.size or board.state.game != self.start.game
            or board.state.scoring != self.start.scoring
            or board.state.names_komi != self.start.names_komi
        ):
            raise ValueError(f"{board!r}, {board.num_moves} moves, is not of the set-up of {self}")
        with Busy(self):
            state_copy(&self.states[index], &board.state)

    def copy(self):
        """An independent batch with the same boards."""
        cdef Batch batch = Batch.__new__(Batch)
        batch.start = self.start
        batch.resets = self.resets
        batch.fills = self.fills
        with Busy(self):
            allocate_states(batch, self.num_boards)
            memcpy(batch.states, self.states, self.num_boards * sizeof(State))
        return batch

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        raise TypeError("a Batch can't be pickled; pickle its boards")

    # ---- playouts ----

    def playouts(self, per_board, *, seed):
        """Play ``per_board`` random games from each board, which stay as they are.

        Returns the margins, int32 of shape ``(count, per_board)``: Black's score minus White's in
        half points, or 1, 0 and -1 with longest scoring.  Game j of board i is playout ``i *
        per_board + j`` of ``seed``.

        :raises ValueError: if ``per_board`` is less than 1 or ``seed`` not 0 to 2**64 - 1.
        """
        cdef uint64_t number = checked_seed(seed)
        cdef Py_ssize_t most = MAX_PLAYOUTS // max(self.num_boards, 1)
        cdef Py_ssize_t games_each = checked_range(per_board, "per_board", 1, most)
        margin = numpy.empty((self.num_boards, games_each), numpy.int32)
        plies = numpy.empty(min(games_each, 1024), numpy.int16)
        cdef int32_t[:, ::1] margins = margin
        cdef int16_t[::1] lengths = plies
        cdef Py_ssize_t i, done, piece
        with Busy(self):
            for i in range(self.num_boards):
                done = 0
                while done < games_each:
                    piece = min(games_each - done, 1024)     # between signals
                    with nogil:
                        loops.playouts(
                            &self.states[i], near_of(&self.states[i]), number,
                            i * games_each + done, piece, &margins[i, done], &lengths[0],
                        )
                    PyErr_CheckSignals()
                    done += piece
        return margin


@cython.final
@cython.binding(False)
cdef class Busy:
    """Keeps a second thread out of a batch while its loops run without the GIL."""

    cdef Batch batch

    def __cinit__(self, Batch batch not None):
        self.batch = batch

    def __enter__(self):
        with cython.critical_section(self.batch):
            if self.batch.busy:
                raise RuntimeError("another thread is using this Batch")
            if self.batch.states == NULL:
                raise RuntimeError("this Batch was never set up")
            self.batch.busy = True

    def __exit__(self, *error):
        self.batch.busy = False


cdef int allocate_states(Batch batch, Py_ssize_t count) except -1:
    batch.states = <State*> malloc(count * sizeof(State))
    if batch.states == NULL:
        raise MemoryError
    batch.num_boards = count
    return 0


cdef int take_mask(object mask, str name, Py_buffer* view, Py_ssize_t count) except -1:
    """Open a mask of bool or uint8 for reading; ``view.buf`` is NULL for None."""
    view.buf = NULL
    if mask is None:
        return 0
    is_bool = getattr(mask, "dtype", None) == numpy.bool_
    return take_buffer(mask, name, view, b"?" if is_bool else b"B", 1, &count, False)


cdef Py_ssize_t index_in_batch(Batch batch, object i) except -1:
    index = checked_index(i, "a board's index")
    if not 0 <= index < batch.num_boards:
        raise IndexError(f"board index must be 0 to {batch.num_boards - 1}, got {index}")
    return index


cdef object illegal_move_in(Batch batch, Py_ssize_t i, int move):
    """The error for a move that board ``i`` refuses."""
    number = move if 0 <= move < batch.num_moves else UNKNOWN
    reason = reason_against(&batch.states[i], number)
    return IllegalMoveError(f"illegal move {move} on board {i}: {reason}", move, reason, i)


cdef inline bint is_to_reset(Batch batch, Py_ssize_t i) noexcept nogil:
    return batch.resets and batch.states[i].now.phase == OVER


cdef void move_by_width(
    Batch batch, const int32_t* moves, const uint8_t* chosen, words_t* near
) noexcept nogil:
    """Make the moves, all of them legal; stones are for good, without the records of an undo."""
    cdef Undo undo
    cdef State* s
    cdef Py_ssize_t i
    cdef bint opening
    for i in range(batch.num_boards):
        if chosen != NULL and not chosen[i]:
            continue
        s = &batch.states[i]
        if is_to_reset(batch, i):
            state_copy(s, &batch.start)
        elif moves[i] < s.num_cells:
            opening = is_opening(s)
            put_stone(s, moves[i], s.now.turn, NULL, near)
            pass_on(s, opening)
            check_after_move(s)
        else:
            state_push(s, moves[i], &undo)


cdef Py_ssize_t batch_step(
    Batch batch, const int32_t* moves, const uint8_t* chosen
) noexcept nogil:
    """Check all moves, then make them; the index of the first illegal one, -1 if all were made."""
    cdef uint64_t* near = near_of(&batch.start)
    cdef Py_ssize_t i
    for i in range(batch.num_boards):
        if (chosen == NULL or chosen[i]) and not is_to_reset(batch, i):
            if not state_is_legal(&batch.states[i], moves[i]):
                return i
    if batch.start.words == 1:
        move_by_width(batch, moves, chosen, <Words1*> near)
    elif batch.start.words == 2:
        move_by_width(batch, moves, chosen, <Words2*> near)
    elif batch.start.words == 3:
        move_by_width(batch, moves, chosen, <Words3*> near)
    elif batch.start.words == 4:
        move_by_width(batch, moves, chosen, <Words4*> near)
    else:
        move_by_width(batch, moves, chosen, <Words5*> near)
    return -1


cdef void batch_step_random(Batch batch, uint64_t seed) noexcept nogil:
    cdef int16_t[MAX_MOVES] moves
    cdef Random random
    cdef Undo undo
    cdef Py_ssize_t i
    cdef int count
    for i in range(batch.num_boards):
        if is_to_reset(batch, i):
            state_copy(&batch.states[i], &batch.start)
            continue
        count = state_legal_moves_into(&batch.states[i], moves)
        if count > 0:
            random = random_for(seed, i)
            state_push(&batch.states[i], moves[random_below(&random, count)], &undo)
