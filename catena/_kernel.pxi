# The rules of placing, on sets of W words: shared by the engine and the hot loops.
#
# Functions are specialised by the type of `near` (Words1 to Words5), so that every loop over words
# has a constant bound and is unrolled.  `sets` are the sets of State in its order; `ends` is
# State.ends.

from libc.stdint cimport int16_t, int64_t, uint32_t, uint64_t
from catena._bits cimport lowest64, popcount64, rotate64, select64

cdef enum:
    # The most cells that one placement takes out of OPEN.  A stone that joins two lints closes its
    # own cell, four more around itself (two of six hold the stones it touches), four around each of
    # these two (one of six is the new stone, one the next of its chain), and the two that can touch
    # both ends. One that lengthens a lint closes at most 1 + 5 + 4 + 2.
    MAX_CLOSED = 15
    # The same for a stone that touches no other: itself and its neighbours.
    MAX_CLOSED_ALONE = 7

cdef enum:
    # Added to an entry of State.ends: a stone, and a black one.
    ONE_STONE = 1 << 16
    ONE_BLACK = 1 << 24
    COUNTS = ~0xffff        # both counts


# How a placement changes the lints.  It always joins two: where the stone touches only one, the
# other is the cell itself, a lint of no stones; where it touches none, both are.
ctypedef struct Joint:
    int x1          # the lowest stone that it touches, or the cell
    int x2          # the highest if it touches two, or the cell
    int e1          # the other ends of their lints: the ends of the lint it makes
    int e2
    uint64_t any    # all ones if it touches a stone, else 0
    uint64_t two    # all ones if it touches two


cdef inline uint64_t mix64(uint64_t x) noexcept nogil:
    """The finaliser of splitmix64 (Steele, Lea and Flood, 2014): a bijection whose output looks
    random.
    """
    x = (x ^ (x >> 30)) * <uint64_t>0xbf58476d1ce4e5b9
    x = (x ^ (x >> 27)) * <uint64_t>0x94d049bb133111eb
    return x ^ (x >> 31)


cdef inline uint32_t stone_of(int side) noexcept nogil:
    """What a stone adds to an entry of State.ends."""
    return ONE_STONE + (ONE_BLACK if side == BLACK else 0)


cdef inline uint64_t mask_if(bint condition) noexcept nogil:
    """All ones or 0.  Masks stand where a compiler might make branches of `a if condition else b`
    though nobody can predict it: playouts took 5 to 18 per cent longer with them (GCC 12, Zen 3).
    """
    return 0 - <uint64_t> condition


cdef inline uint64_t mask_if_negative(int x) noexcept nogil:
    """All ones or 0."""
    return <uint64_t> (<int64_t> x >> 63)


cdef inline int other_side(int side) noexcept nogil:
    return BLACK + WHITE - side


cdef inline int max_komi(const State* s) noexcept nogil:
    return MAX_KOMI_SQUARES if s.scoring == SQUARES else MAX_KOMI


cdef inline void words_clear(words_t* a) noexcept nogil:
    cdef int i
    for i in range(<int>(sizeof(words_t) // 8)):
        a.w[i] = 0


cdef inline int words_count(const words_t* a) noexcept nogil:
    cdef int i, total = 0
    for i in range(<int>(sizeof(words_t) // 8)):
        total += popcount64(a.w[i])
    return total


cdef inline int words_count_common(const words_t* a, const words_t* b) noexcept nogil:
    """The number of cells in both sets."""
    cdef int i, total = 0
    for i in range(<int>(sizeof(words_t) // 8)):
        total += popcount64(a.w[i] & b.w[i])
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
    """Word ``i`` of the set of one cell."""
    return <uint64_t> 1 << (cell & 63) & mask_if(cell >> 6 == i)


cdef inline int words_select(const words_t* a, int rank) noexcept nogil:
    """The cell of a set with ``rank`` lower ones in it; ``rank`` must be below its count."""
    cdef int i, more, count = 0, skipped = 0, base = 0
    cdef uint64_t past, word = a.w[0]
    for i in range(1, <int>(sizeof(words_t) // 8)):
        more = popcount64(a.w[i - 1])
        count += more
        past = mask_if_negative(count - 1 - rank)
        skipped += more & <int> past
        base += 64 & <int> past
        word ^= (a.w[i - 1] ^ a.w[i]) & past
    return base + select64(word, rank - skipped)


cdef inline int window_words(words_t* near) noexcept nogil:
    """The number of words in a window: one or two."""
    return 1 if sizeof(words_t) == 8 else 2


cdef inline int window_at(int cell, words_t* near) noexcept nogil:
    """The first word of the window of a cell: the words that hold it and its neighbours, which
    differ from it by at most 20.

    A store to a changing index stalls the next loads, so it must save much: a stone that changes
    only its window takes a tenth less time on sizes 9 and 10, and claims took longer with windows.
    """
    cdef int last = <int>(sizeof(words_t) // 8) - 2
    cdef int first = cell - 20
    if last <= 0:
        return 0
    first = (first & ~<int> mask_if_negative(first)) >> 6
    return first - (1 & <int> mask_if_negative(last - first))


cdef inline int lowest_around(int cell, words_t* near) noexcept nogil:
    """The cell that bit 0 of stones_around stands for."""
    return cell - 32 if sizeof(words_t) > 8 else 0


cdef inline uint64_t stones_around(words_t* sets, int cell, words_t* near) noexcept nogil:
    """The stones next to a cell in one word, whose bit i stands for lowest_around + i.

    The words of a window can lie on top of one another: rotated, bit 32 + d stands for cell + d.
    Bit 63 stands for no neighbour.
    """
    cdef int i, window = window_at(cell, near)
    cdef uint64_t stones = 0
    for i in range(window, window + window_words(near)):
        stones |= near[cell].w[i] & sets[STONES].w[i]
    return rotate64(stones, lowest_around(cell, near))


cdef inline Joint joint_at(words_t* sets, uint32_t* ends, int cell, words_t* near) noexcept nogil:
    """What a stone on the open ``cell`` joins."""
    cdef int base = lowest_around(cell, near)
    cdef int beyond = base + 63 - cell
    cdef uint64_t first = stones_around(sets, cell, near), second
    cdef Joint joint
    second = first & (first - 1)
    joint.any = mask_if(first != 0)
    joint.two = mask_if(second != 0)
    joint.x1 = base + lowest64(first | <uint64_t> 1 << 63) - (beyond & ~<int> joint.any)
    joint.x2 = base + lowest64(second | <uint64_t> 1 << 63) - (beyond & ~<int> joint.two)
    joint.e1 = end_other(ends[joint.x1])
    joint.e2 = end_other(ends[joint.x2])
    return joint


cdef inline uint64_t closed_around(
    words_t* sets, int cell, const Joint* joint, int i, words_t* near
) noexcept nogil:
    """Word ``i`` of the cells that a stone on the open ``cell`` closes in its window: the cell, and
    its neighbours if they now touch three stones or it becomes an inner stone.
    """
    return bit_in_word(cell, i) | near[cell].w[i] & (sets[NEAR2].w[i] | joint.two)


cdef inline void close_beyond(words_t* opened, const Joint* joint, words_t* near) noexcept nogil:
    """Take out of ``opened`` what a stone closes besides: the neighbours of x1 and x2 if these
    become inner stones, and those of both ends, which would close a ring, unless it is alone.
    """
    cdef uint64_t inner1 = mask_if(joint.e1 != joint.x1)
    cdef uint64_t inner2 = mask_if(joint.e2 != joint.x2)
    cdef int i
    for i in range(<int>(sizeof(words_t) // 8)):
        opened.w[i] &= ~(
            near[joint.x1].w[i] & inner1
            | near[joint.x2].w[i] & inner2
            | near[joint.e1].w[i] & near[joint.e2].w[i] & joint.any
        )


cdef inline words_t open_after(
    words_t* sets, int cell, const Joint* joint, words_t* near
) noexcept nogil:
    """The open cells once a stone stands on the open ``cell``."""
    cdef words_t rest = sets[OPEN]
    cdef int i, window = window_at(cell, near)
    for i in range(window, window + window_words(near)):
        rest.w[i] &= ~closed_around(sets, cell, joint, i, near)
    close_beyond(&rest, joint, near)
    return rest


cdef inline void place(
    words_t* sets, uint32_t* ends, int cell, uint32_t stone, const Joint* joint, words_t* near
) noexcept nogil:
    """Put a stone on the open ``cell``, whose joint is ``joint``: all sets but BLACKS, and the
    lint's ends.

    ``stone`` is what it adds to the lint, of stone_of.  All of it but the entries ``ends[e1]`` and
    ``ends[e2]`` as they were is enough to take the stone back.
    """
    cdef uint32_t made = stone + (ends[joint.x1] & COUNTS) + (ends[joint.x2] & COUNTS)
    cdef int i, window = window_at(cell, near)
    for i in range(window, window + window_words(near)):
        sets[OPEN].w[i] &= ~closed_around(sets, cell, joint, i, near)
        sets[STONES].w[i] |= bit_in_word(cell, i)
        sets[NEAR2].w[i] |= sets[NEAR1].w[i] & near[cell].w[i]
        sets[NEAR1].w[i] |= near[cell].w[i]
    close_beyond(&sets[OPEN], joint, near)
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
    """Take the lowest cell out of a set that isn't empty, and return it."""
    cdef uint64_t word = a.w[0], here, untaken
    cdef int i, base = 0
    # `untaken`: all ones while the words so far were empty.
    untaken = mask_if(word == 0)
    for i in range(1, <int>(sizeof(words_t) // 8)):
        word |= a.w[i] & untaken
        base += 64 & <int> untaken
        untaken &= mask_if(a.w[i] == 0)
    here = word & (0 - word)
    for i in range(<int>(sizeof(words_t) // 8)):
        a.w[i] ^= here & mask_if(base == 64 * i)
    return base + lowest64(here)


cdef words_t chain_from(words_t* sets, int end, words_t* near) noexcept nogil:
    """The stones of the lint with this end."""
    cdef words_t chain
    cdef uint64_t around
    cdef int i, previous, cell = end, base = lowest_around(end, near)
    words_clear(&chain)
    around = stones_around(sets, cell, near)
    while True:
        for i in range(<int>(sizeof(words_t) // 8)):
            chain.w[i] |= bit_in_word(cell, i)
        if around == 0:
            return chain
        previous = cell
        cell = base + lowest64(around)
        base = lowest_around(cell, near)
        around = stones_around(sets, cell, near) ^ <uint64_t> 1 << (previous - base)


cdef words_t unstranded(words_t* sets, uint32_t* ends, words_t* near) noexcept nogil:
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
