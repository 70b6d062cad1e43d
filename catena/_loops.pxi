# The hot loops behind one table of functions, so that a build for newer machines can stand in for
# them.

ctypedef struct Loops:
    int (*perft)(State* s, uint64_t* near, int depth, Count* count) except -1 nogil
    void (*playouts)(
        const State* s, uint64_t* near, uint64_t seed, uint64_t first, int count,
        int32_t* margin, int16_t* plies
    ) noexcept nogil


cdef int loops_perft(State* s, uint64_t* near, int depth, Count* count) except -1 nogil:
    """Add to ``count`` the sequences of ``depth`` placements from ``s``, which is left as it was.
    """
    if s.words == 1:
        return count_deep(<Words1*> s.sets, s.ends, depth, count, <Words1*> near)
    if s.words == 2:
        return count_deep(<Words2*> s.sets, s.ends, depth, count, <Words2*> near)
    if s.words == 3:
        return count_deep(<Words3*> s.sets, s.ends, depth, count, <Words3*> near)
    if s.words == 4:
        return count_deep(<Words4*> s.sets, s.ends, depth, count, <Words4*> near)
    return count_deep(<Words5*> s.sets, s.ends, depth, count, <Words5*> near)


cdef void loops_playouts(
    const State* s, uint64_t* near, uint64_t seed, uint64_t first, int count,
    int32_t* margin, int16_t* plies
) noexcept nogil:
    """Fill the results of playouts ``first`` to ``first + count - 1`` from ``s``."""
    if s.words == 1:
        playouts_by_width(s, seed, first, count, margin, plies, <Words1*> near)
    elif s.words == 2:
        playouts_by_width(s, seed, first, count, margin, plies, <Words2*> near)
    elif s.words == 3:
        playouts_by_width(s, seed, first, count, margin, plies, <Words3*> near)
    elif s.words == 4:
        playouts_by_width(s, seed, first, count, margin, plies, <Words4*> near)
    else:
        playouts_by_width(s, seed, first, count, margin, plies, <Words5*> near)


cdef Loops OWN_LOOPS
OWN_LOOPS.perft = loops_perft
OWN_LOOPS.playouts = loops_playouts
