# The rules of placing, on sets of W words: shared by the engine and the hot loops.
#
# Functions are specialised by the type of `near` (Words1 to Words5), so that every loop over words
# has a constant bound and is unrolled.  `sets` are the sets of State in its order; `ends` is
# State.ends.

from libc.stdint cimport int16_t, uint64_t
from libc.string cimport memset
from catena._bits cimport highest64, lowest64, popcount64, select64

cdef enum:
    # The most cells that one placement takes out of OPEN.  A stone that joins two lints closes its
    # own cell, four more around itself (two of six hold the stones it touches), four around each of
    # these two (one of six is the new stone, one the next of its chain), and the two that can touch
    # both ends. One that lengthens a lint closes at most 1 + 5 + 4 + 2, one that starts a lint 1 +
    # 6.
    MAX_CLOSED = 15

cdef extern from *:
    """
    /* An entry of State.ends: the other end in bits 0-15, the stones in 16-31, the black ones in
       32-47, and in 48-63 the stamp of the placement that made the lint (playouts use it). */
    #define CATENA_ONE_STONE ((uint64_t)1 << 16)
    #define CATENA_ONE_BLACK ((uint64_t)1 << 32)
    #define CATENA_COUNTS ((uint64_t)0x0000ffffffff0000)
    """
    const uint64_t ONE_STONE "CATENA_ONE_STONE"
    const uint64_t ONE_BLACK "CATENA_ONE_BLACK"
    const uint64_t COUNTS "CATENA_COUNTS"


# How a placement changes the lints.
ctypedef struct Joint:
    int touched     # the stones it touches: 0, 1 or 2
    int x1          # the lowest of these stones, or NO_CELL
    int x2          # the highest, or NO_CELL
    int e1          # the ends of the lint it makes
    int e2
    int f1          # the other ends of the lints of x1 and x2, or NO_CELL
    int f2


cdef inline uint64_t mix64(uint64_t x) noexcept nogil:
    """The finaliser of splitmix64 (Steele, Lea and Flood, 2014): a bijection whose output looks
    random.
    """
    x = (x ^ (x >> 30)) * <uint64_t>0xbf58476d1ce4e5b9
    x = (x ^ (x >> 27)) * <uint64_t>0x94d049bb133111eb
    return x ^ (x >> 31)


cdef inline uint64_t stone_of(int side, int stamp) noexcept nogil:
    """What a stone adds to an entry of State.ends."""
    return ONE_STONE + (ONE_BLACK if side == BLACK else 0) + (<uint64_t> stamp << 48)


cdef inline int other_side(int side) noexcept nogil:
    return BLACK + WHITE - side


cdef inline int max_komi(const State* s) noexcept nogil:
    return MAX_KOMI_SQUARES if s.scoring == SQUARES else MAX_KOMI


cdef inline int words_count(const words_t* a) noexcept nogil:
    cdef int i, total = 0
    for i in range(<int>(sizeof(words_t) // 8)):
        total += popcount64(a.w[i])
    return total


cdef inline bint words_any(const words_t* a) noexcept nogil:
    cdef int i
    cdef uint64_t any_bit = 0
    for i in range(<int>(sizeof(words_t) // 8)):
        any_bit |= a.w[i]
    return any_bit != 0


cdef inline bint words_has(const words_t* a, int cell) noexcept nogil:
    return (a.w[cell >> 6] >> (cell & 63)) & 1


cdef inline uint64_t bit_in_word(int cell, int i) noexcept nogil:
    """Word ``i`` of the set of one cell; a store to a changing index would stall later loads."""
    cdef uint64_t bit = <uint64_t> 1 << (cell & 63)
    return bit if cell >> 6 == i else 0


cdef inline int words_lowest(const words_t* a) noexcept nogil:
    """The lowest cell of a set, NO_CELL if it is empty."""
    cdef int i, cell = NO_CELL
    for i in range(<int>(sizeof(words_t) // 8) - 1, -1, -1):
        cell = i * 64 + lowest64(a.w[i]) if a.w[i] else cell
    return cell


cdef inline int words_highest(const words_t* a) noexcept nogil:
    """The highest cell of a set, NO_CELL if it is empty."""
    cdef int i, cell = NO_CELL
    for i in range(<int>(sizeof(words_t) // 8)):
        cell = i * 64 + highest64(a.w[i]) if a.w[i] else cell
    return cell


cdef inline int words_select(const words_t* a, int rank) noexcept nogil:
    """The cell of a set with ``rank`` lower ones in it; ``rank`` must be below its count."""
    cdef int i, count = 0, skipped = 0, base = 0
    cdef uint64_t word = a.w[0]
    cdef bint past
    for i in range(1, <int>(sizeof(words_t) // 8)):
        count += popcount64(a.w[i - 1])
        past = rank >= count
        skipped = count if past else skipped
        word = a.w[i] if past else word
        base = i * 64 if past else base
    return base + select64(word, rank - skipped)


cdef inline Joint joint_at(words_t* sets, uint64_t* ends, int cell, words_t* near) noexcept nogil:
    """What a stone on the open ``cell`` joins."""
    cdef Joint joint
    cdef words_t stones
    cdef int i
    joint.touched = 0
    for i in range(<int>(sizeof(words_t) // 8)):
        stones.w[i] = near[cell].w[i] & sets[STONES].w[i]
        joint.touched += popcount64(stones.w[i])
    joint.x1 = words_lowest(&stones)
    joint.x2 = words_highest(&stones)
    joint.f1 = <int>(ends[joint.x1] & 0xffff)
    joint.f2 = <int>(ends[joint.x2] & 0xffff)
    joint.e1 = joint.f1 if joint.touched else cell
    joint.e2 = joint.f2 if joint.touched == 2 else cell
    return joint


cdef inline words_t open_after(
    words_t* sets, int cell, const Joint* joint, words_t* near
) noexcept nogil:
    """The open cells once a stone stands on the open ``cell``.

    Closed are the cell itself; neighbours that now touch three stones; those of x1 and x2 if they
    become inner stones; those of the cell if it is one; and those of both ends, which would close a
    ring.  NO_CELL has no neighbours, so it stands in where there is nothing to close.
    """
    cdef words_t rest
    cdef int inner1 = joint.x1 if joint.f1 != joint.x1 else NO_CELL
    cdef int inner2 = joint.x2 if joint.f2 != joint.x2 else NO_CELL
    cdef int ring = joint.e1 if joint.touched else NO_CELL
    cdef uint64_t inner = 0 - <uint64_t>(joint.touched == 2)
    cdef int i
    for i in range(<int>(sizeof(words_t) // 8)):
        rest.w[i] = sets[OPEN].w[i] & ~(
            bit_in_word(cell, i)
            | near[cell].w[i] & (sets[NEAR2].w[i] | inner)
            | near[inner1].w[i]
            | near[inner2].w[i]
            | near[ring].w[i] & near[joint.e2].w[i]
        )
    return rest


cdef inline void place(
    words_t* sets, uint64_t* ends, int cell, uint64_t stone, const Joint* joint, words_t* near
) noexcept nogil:
    """Put a stone on the open ``cell``, whose joint is ``joint``: all sets but BLACKS, and the
    lint's ends.

    ``stone`` is what it adds to the lint, of stone_of.  All of it but
    the entries ``ends[e1]`` and ``ends[e2]`` as they were is enough to take the stone back.
    """
    cdef words_t rest = open_after(sets, cell, joint, near)
    cdef uint64_t made = stone + (ends[joint.x1] & COUNTS)
    cdef int i
    made += ends[joint.x2] & COUNTS if joint.touched == 2 else 0
    for i in range(<int>(sizeof(words_t) // 8)):
        sets[STONES].w[i] |= bit_in_word(cell, i)
        sets[NEAR2].w[i] |= sets[NEAR1].w[i] & near[cell].w[i]
        sets[NEAR1].w[i] |= near[cell].w[i]
        sets[OPEN].w[i] = rest.w[i]
    ends[joint.e1] = made | joint.e2
    ends[joint.e2] = made | joint.e1


cdef inline bint is_bound(words_t* sets, int e1, int e2, words_t* near) noexcept nogil:
    """Whether the lint with these ends can't be lengthened."""
    cdef uint64_t growth = 0
    cdef int i
    for i in range(<int>(sizeof(words_t) // 8)):
        growth |= (near[e1].w[i] | near[e2].w[i]) & sets[OPEN].w[i]
    return growth == 0


cdef inline words_t lint_ends(words_t* sets) noexcept nogil:
    """The ends of all lints: the stones that touch at most one other."""
    cdef words_t ends
    cdef int i
    for i in range(<int>(sizeof(words_t) // 8)):
        ends.w[i] = sets[STONES].w[i] & ~sets[NEAR2].w[i]
    return ends


cdef inline int words_pop(words_t* a) noexcept nogil:
    """Take the lowest cell out of a set and return it; NO_CELL if the set is empty."""
    cdef int i, cell
    for i in range(<int>(sizeof(words_t) // 8)):
        if a.w[i]:
            cell = i * 64 + lowest64(a.w[i])
            a.w[i] &= a.w[i] - 1
            return cell
    return NO_CELL


cdef words_t unstranded(words_t* sets, uint64_t* ends, words_t* near) noexcept nogil:
    """The open cells that leave an open cell for a second stone (the double game's first stones).
    """
    cdef words_t rest, left = sets[OPEN], kept = sets[OPEN]
    cdef Joint joint
    cdef int i, cell
    if words_count(&kept) > MAX_CLOSED:
        return kept
    while words_any(&left):
        cell = words_pop(&left)
        joint = joint_at(sets, ends, cell, near)
        rest = open_after(sets, cell, &joint, near)
        if not words_any(&rest):
            for i in range(<int>(sizeof(words_t) // 8)):
                kept.w[i] &= ~bit_in_word(cell, i)
    return kept


cdef void longest_left(
    const int* black, int* white, int most, int komi, int* scores
) noexcept nogil:
    """The longest lints left once pairs of equal length are removed.

    ``black`` and ``white`` hold the number of lints of each length up to ``most`` + ``komi``; none
    is longer than ``most``.
    """
    cdef int length, longest = most
    while longest > 0 and not white[longest]:
        longest -= 1
    if longest > 0 and komi > 0:
        white[longest] -= 1
        white[longest + komi] += 1
    scores[0] = scores[1] = 0
    for length in range(most + komi, 0, -1):
        if scores[0] == 0 and black[length] > white[length]:
            scores[0] = length
        if scores[1] == 0 and white[length] > black[length]:
            scores[1] = length
