"""Solves small Catena positions: alpha-beta in C on the functions of catena._core.

The position is a State, copied out of a Board.  Moves are pushed and popped on that one copy;
nothing is allocated and no Python object is touched until the search ends.
"""

from collections import namedtuple

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from catena._core cimport (
    BLACK, CHOOSING, LONGEST, MAX_MOVES, NAMING, OVER, WHITE, Board, State, Undo,
    state_key, state_legal_moves_into, state_pop, state_push, state_scores_into, state_winner,
)

Solution = namedtuple("Solution", ("value", "move", "nodes"))
Solution.__doc__ = "The value of a position, a move that reaches it, and how many moves were tried."

cdef enum:
    INFINITE = 1 << 20      # half points; the widest margin is 271 cells' square and a komi of 1000
    FAILED = 1 << 21        # the value that comes with an exception
    SIGNAL_INTERVAL = 1 << 20

cdef enum:                  # what an entry's value says of the true one
    NOTHING = 0
    EXACT = 1
    AT_LEAST = 2
    AT_MOST = 3

ctypedef struct Entry:      # what is known of one position
    uint64_t key
    int32_t value
    int16_t move            # the best found
    uint8_t kind

ctypedef struct Search:
    State state
    uint64_t nodes
    Entry* table
    uint64_t mask                       # the table has mask + 1 entries
    uint32_t cuts[2][MAX_MOVES]         # by seat and move: how often a move was good enough


cdef int seat_to_move(const State* s) noexcept nogil:
    """0 or 1, while the game goes on."""
    if s.now.phase == NAMING:
        return 0
    if s.now.phase == CHOOSING:
        return 1
    return s.now.black_seat ^ (s.now.turn == WHITE)


cdef int result(State* s, int seat) noexcept nogil:
    """What a finished game is worth to a seat: see solve."""
    cdef int halves[2]
    cdef int margin, winner
    if s.scoring == LONGEST:
        winner = state_winner(s)
        margin = (winner == BLACK) - (winner == WHITE)
    else:
        state_scores_into(s, halves)
        margin = halves[0] - halves[1]
    return margin if s.now.black_seat == seat else -margin


cdef void put_best_first(Search* x, int seat, int known, int16_t* moves, int count) noexcept nogil:
    """Swap a promising move to the front: the ``known`` one, or the one that cut most often."""
    cdef int i, best = 0
    for i in range(count):
        if moves[i] == known:
            best = i
            break
        if x.cuts[seat][moves[i]] > x.cuts[seat][moves[best]]:
            best = i
    moves[0], moves[best] = moves[best], moves[0]


cdef int search(Search* x, int alpha, int beta) except? FAILED nogil:
    """The value for the seat to move if it is between ``alpha`` and ``beta``, else a bound."""
    cdef State* s = &x.state
    cdef Undo undo
    cdef int16_t moves[MAX_MOVES]
    cdef uint64_t key = state_key(s)
    cdef Entry* entry = &x.table[key & x.mask]
    cdef int seat = seat_to_move(s), known = -1
    cdef int best = -INFINITE, best_move = -1, lower = alpha
    cdef int i, count, value
    if entry.kind != NOTHING and entry.key == key:
        if (
            entry.kind == EXACT
            or (entry.kind == AT_LEAST and entry.value >= beta)
            or (entry.kind == AT_MOST and entry.value <= alpha)
        ):
            return entry.value
        known = entry.move
    count = state_legal_moves_into(s, moves)
    for i in range(count):
        put_best_first(x, seat, known, &moves[i], count - i)
        state_push(s, moves[i], &undo)
        x.nodes += 1
        if x.nodes % SIGNAL_INTERVAL == 0:
            with gil:
                PyErr_CheckSignals()    # Ctrl-C
        if s.now.phase == OVER:
            value = result(s, seat)
        elif seat_to_move(s) == seat:   # a turn of the double game has two moves
            value = search(x, lower, beta)
        else:
            value = -search(x, -beta, -lower)
        state_pop(s, &undo)
        if value > best:
            best = value
            best_move = moves[i]
            if value > lower:
                lower = value
            if value >= beta:
                x.cuts[seat][moves[i]] += 1
                break
    entry.key = key
    entry.value = best
    entry.move = best_move
    entry.kind = AT_LEAST if best >= beta else EXACT if best > alpha else AT_MOST
    return best


def solve(Board board not None, *, bint winner_only=False, int table_bits=20):
    """Search all that can follow: what the seat to move gets if both play at their best.

    ``value`` is its score less the other's in half points; with longest scoring, or with
    ``winner_only``, which is quicker, 1 for a win, 0 for a draw, -1 for a loss.  ``move`` gets it,
    and ``nodes`` counts the moves tried.

    Takes ``2 ** table_bits`` times 16 bytes.  Runs without the GIL; Ctrl-C stops it.

    :raises ValueError: if the game is over, or ``table_bits`` not 1 to 30.
    """
    cdef Search x
    cdef int value, reach = 1 if winner_only else INFINITE
    if not 1 <= table_bits <= 30:
        raise ValueError(f"table_bits must be 1 to 30, got {table_bits}")
    memset(&x, 0, sizeof(x))
    with cython.critical_section(board):        # another thread may be moving on it
        x.state = board.state
    if x.state.now.phase == OVER:
        raise ValueError("the game is over")
    x.mask = (<uint64_t> 1 << table_bits) - 1
    x.table = <Entry*> calloc(x.mask + 1, sizeof(Entry))
    if x.table == NULL:
        raise MemoryError
    try:
        with nogil:
            value = search(&x, -reach, reach)
        # The start is stored last of all, so it is still there.
        move = x.table[state_key(&x.state) & x.mask].move
    finally:
        free(x.table)
    if winner_only:
        value = (value > 0) - (value < 0)
    return Solution(value, move, x.nodes)
