# The slow twin of every cached value: a recount from the stones alone.

from libc.stdio cimport fprintf, stderr
from libc.stdlib cimport abort

cdef extern from *:
    """
    #ifndef CATENA_DEBUG
      #define CATENA_DEBUG 0
    #endif
    """
    bint DEBUG "CATENA_DEBUG"


# What a recount finds on each cell.
ctypedef struct Recount:
    int near[MAX_CELLS]         # neighbouring stones
    int lint[MAX_CELLS]         # the lower end of the stone's lint, -1 on empty cells


cdef int recount_next(State* s, int cell, int previous) noexcept nogil:
    """The slow twin of next_in_chain."""
    cdef int16_t* neighbours = GEOMETRY[s.size].neighbours[cell]
    cdef int i
    for i in range(6):
        if neighbours[i] < 0:
            break
        if neighbours[i] != previous and state_has(s, STONES, neighbours[i]):
            return neighbours[i]
    return -1


cdef int recount_chain(State* s, int end, Recount* r) noexcept nogil:
    """Label the chain that starts at ``end``; return its other end."""
    cdef int cell = end, previous = -1, following
    while True:
        r.lint[cell] = end
        following = recount_next(s, cell, previous)
        if following < 0:
            return cell
        previous = cell
        cell = following


cdef bint recount_is_open(State* s, int cell, Recount* r) noexcept nogil:
    """Whether every group is still a lint after a stone on the empty ``cell``."""
    cdef int16_t* neighbours = GEOMETRY[s.size].neighbours[cell]
    cdef int i, touched = 0, lint = -1
    for i in range(6):
        if neighbours[i] < 0 or not state_has(s, STONES, neighbours[i]):
            continue
        touched += 1
        if touched > 2 or r.near[neighbours[i]] > 1 or r.lint[neighbours[i]] == lint:
            return False
        lint = r.lint[neighbours[i]]
    return True


cdef const char* fault_in_sets(State* s, Recount* r) noexcept nogil:
    cdef int cell, i, other
    for cell in range(s.num_cells):
        r.near[cell] = 0
        r.lint[cell] = -1
        for i in range(6):
            other = GEOMETRY[s.size].neighbours[cell][i]
            r.near[cell] += other >= 0 and state_has(s, STONES, other)
        if state_has(s, NEAR1, cell) != (r.near[cell] > 0):
            return b"NEAR1 differs from a recount"
        if state_has(s, NEAR2, cell) != (r.near[cell] > 1):
            return b"NEAR2 differs from a recount"
        if not state_has(s, STONES, cell) and s.ends[cell] != <uint32_t> cell:
            return b"a cell without a stone is not a lint of its own"
        if state_has(s, BLACKS, cell) and not state_has(s, STONES, cell):
            return b"BLACKS holds a cell without a stone"
        if state_has(s, STONES, cell) and r.near[cell] > 2:
            return b"a stone touches three others"
    return NULL


cdef const char* fault_in_ends(State* s, Recount* r) noexcept nogil:
    cdef int cell, end, previous, length, black
    cdef bint claimed
    for end in range(s.num_cells):
        if not state_has(s, STONES, end) or r.near[end] > 1 or r.lint[end] >= 0:
            continue
        cell = recount_chain(s, end, r)
        if end_other(s.ends[end]) != cell or end_other(s.ends[cell]) != end:
            return b"the ends of a lint do not name each other"
        claimed = state_is_bound(s, end, cell) or s.now.phase == OVER
        previous, cell = -1, end
        length, black = 0, 0
        while cell >= 0:
            length += 1
            black += state_has(s, BLACKS, cell)
            previous, cell = cell, recount_next(s, cell, previous)
        if end_length(s.ends[end]) != length:
            return b"the length of a lint differs from a recount"
        if claimed and black != 0 and black != length:
            return b"a claimed lint has stones of both colours"
        if not claimed and end_black(s.ends[end]) != black:
            return b"the black stones of a lint differ from a recount"
    return NULL


cdef uint64_t recount_stones_key(State* s) noexcept nogil:
    cdef uint64_t key = 0
    cdef int cell
    for cell in range(s.num_cells):
        if state_has(s, STONES, cell):
            key ^= STONE_KEYS[BLACK if state_has(s, BLACKS, cell) else WHITE][cell]
    return key


cdef const char* state_fault(State* s) noexcept nogil:
    """The first cached value that differs from a recount, in words; NULL if all agree."""
    cdef Recount r
    cdef int cell
    cdef const char* fault = fault_in_sets(s, &r)
    if fault == NULL:
        fault = fault_in_ends(s, &r)
    if fault != NULL:
        return fault
    for cell in range(s.num_cells):
        if state_has(s, STONES, cell):
            if r.lint[cell] < 0:
                return b"a group closes to a ring"
            if state_has(s, OPEN, cell):
                return b"OPEN holds a cell with a stone"
        elif state_has(s, OPEN, cell) != recount_is_open(s, cell, &r):
            return b"OPEN differs from a recount"
    if s.stones_key != recount_stones_key(s):
        return b"the key differs from a recount"
    if s.now.phase == PLAY and is_finished(s):
        return b"a finished position is still in play"
    return NULL


cdef inline void check_after_move(State* s) noexcept nogil:
    """In debug builds, stop the program at the first wrong cached value."""
    cdef const char* fault
    if DEBUG:
        fault = state_fault(s)
        if fault != NULL:
            fprintf(stderr, b"catena: %s\n", fault)
            abort()
