# perft: counting by walking the tree of placements.
#
# Two facts keep the walk to placements only.  The button changes nothing on the board, so the
# sequences of d moves with it are those of d - 1 placements with the button put in at one of d
# points (at the last only where the game isn't over): the walk to depth d counts them in passing.
# In the double game a first stone that strands has no second, so only a walk that ends with a first
# stone has to look.

from cpython.exc cimport PyErr_CheckSignals


ctypedef struct Count:
    uint64_t last       # sequences of `depth` placements
    uint64_t before     # sequences of `depth` - 1
    uint64_t alive      # those among `before` that leave an open cell
    uint64_t nodes      # visited, for looking at signals now and then
    bint strands        # the last placement is the first of two
    bint overflow       # `last` outgrew 64 bits


cdef int look_at_signals(Count* count) except -1 nogil:
    """Let Ctrl-C stop a long count; seldom enough to cost nothing."""
    count.nodes += 1
    if count.nodes & 4095 == 0:
        with gil:
            PyErr_CheckSignals()
    return 0


cdef inline uint64_t last_placements(
    words_t* sets, uint32_t* ends, bint strands, words_t* near
) noexcept nogil:
    cdef words_t legal
    if strands:
        legal = unstranded(sets, ends, near)
        return words_count(&legal)
    return words_count(&sets[OPEN])


cdef void count_two(words_t* sets, uint32_t* ends, Count* count, words_t* near) noexcept nogil:
    """Add the sequences of two placements; the boards after the first are never built.

    A first stone that touches no other closes its own cell and its neighbours that touch two stones
    already.  Those first stones are counted all at once: ``width`` - 1 cells for each, less what
    each cell next to two stones loses to the ones beside it.
    """
    cdef words_t alone, crowded, touching, rest
    cdef uint64_t last, alive, width = words_count(&sets[OPEN]), left
    cdef uint64_t roomy = mask_if(width > MAX_CLOSED_ALONE)     # no stone that is alone closes all
    cdef Joint joint
    cdef int i, cell
    for i in range(<int>(sizeof(words_t) // 8)):
        alone.w[i] = sets[OPEN].w[i] & ~sets[NEAR1].w[i] & roomy
        touching.w[i] = sets[OPEN].w[i] & ~alone.w[i]
        crowded.w[i] = sets[OPEN].w[i] & sets[NEAR2].w[i]
    alive = words_count(&alone)
    last = alive * (width - 1)
    for i in range(<int>(sizeof(words_t) // 8)):
        while crowded.w[i]:
            cell = i * 64 + lowest64(crowded.w[i])
            crowded.w[i] &= crowded.w[i] - 1
            last -= words_count_common(&near[cell], &alone)
        while touching.w[i]:
            cell = i * 64 + lowest64(touching.w[i])
            touching.w[i] &= touching.w[i] - 1
            joint = joint_at(sets, ends, cell, near)
            rest = open_after(sets, cell, &joint, near)
            left = words_count(&rest)
            last += left
            alive += left > 0
    count.before += width
    count.alive += alive
    count.overflow |= count.last + last < last
    count.last += last


cdef int count_deep(
    words_t* sets, uint32_t* ends, int depth, Count* count, words_t* near
) except -1 nogil:
    """Add the sequences of ``depth`` >= 1 placements; ``sets`` and ``ends`` come back as they were.
    """
    cdef words_t left = sets[OPEN]
    cdef words_t child[4]
    cdef uint64_t last
    cdef uint32_t end1, end2
    cdef Joint joint
    cdef int i, cell
    if depth == 1:
        last = last_placements(sets, ends, count.strands, near)
        count.before += 1
        count.alive += words_any(&left)
        count.overflow |= count.last + last < last
        count.last += last
        return 0
    if depth == 2 and not count.strands:
        count_two(sets, ends, count, near)
        return 0
    look_at_signals(count)
    for i in range(<int>(sizeof(words_t) // 8)):
        while left.w[i]:
            cell = i * 64 + lowest64(left.w[i])
            left.w[i] &= left.w[i] - 1
            joint = joint_at(sets, ends, cell, near)
            end1, end2 = ends[joint.e1], ends[joint.e2]
            child[STONES] = sets[STONES]
            child[OPEN] = sets[OPEN]
            child[NEAR1] = sets[NEAR1]
            child[NEAR2] = sets[NEAR2]
            place(child, ends, cell, ONE_STONE, &joint, near)
            count_deep(child, ends, depth - 1, count, near)
            ends[joint.e1], ends[joint.e2] = end1, end2
    return 0
