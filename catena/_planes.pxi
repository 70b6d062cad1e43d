# The planes for learning: Board.observe documents them one by one.

cdef enum:
    PLANE_OWN = 0
    PLANE_OPPOSING = 1
    PLANE_OPEN = 2
    PLANE_ENDS = 3
    PLANE_OWN_CLAIMED = 4
    PLANE_OPPOSING_CLAIMED = 5
    PLANE_LENGTH = 6
    PLANE_LEAD = 7
    PLANE_BOARD = 8
    PLANE_BUTTON_FREE = 9
    PLANE_BUTTON_OWN = 10
    PLANE_BUTTON_OPPOSING = 11
    PLANE_KOMI = 12
    PLANE_TWO_DUE = 13
    PLANE_NAMING = 14
    PLANE_CHOOSING = 15
    PLANE_PLAY = 16
    PLANE_BLACK = 17


cdef inline int side_of_seat(const State* s, int seat) noexcept nogil:
    return BLACK if s.now.black_seat == seat else WHITE


cdef int seat_to_move(const State* s) noexcept nogil:
    """The seat to move or, once the game is over, the one that would be next."""
    if s.now.phase == NAMING:
        return 0
    if s.now.phase == CHOOSING:
        return 1
    return 1 - s.now.black_seat if s.now.turn == WHITE else s.now.black_seat


cdef inline float* plane_of(const State* s, float* planes, int plane) noexcept nogil:
    return planes + plane * (2 * s.size - 1) * (2 * s.size - 1)


cdef inline size_t plane_bytes(const State* s) noexcept nogil:
    return (2 * s.size - 1) * (2 * s.size - 1) * sizeof(float)


cdef void lint_into_planes(State* s, int end, int own, float* planes) noexcept nogil:
    """Fill the planes of stones and lints for the lint with this lower end."""
    cdef const int16_t* place = GEOMETRY[s.size].grid
    cdef int other = end_other(s.ends[end]), length = end_length(s.ends[end])
    cdef int owner = owner_at(s, end, other, state_is_bound(s, end, other))
    cdef int black = end_black(s.ends[end]) if owner == EMPTY else length if owner == BLACK else 0
    cdef int lead = 2 * black - length if own == BLACK else length - 2 * black
    cdef float share = <float> lead / length, extent = <float> length / s.num_cells
    cdef float* stones[2]
    cdef float* claimed = plane_of(
        s, planes, PLANE_OWN_CLAIMED if owner == own else PLANE_OPPOSING_CLAIMED
    )
    cdef float* lengths = plane_of(s, planes, PLANE_LENGTH)
    cdef float* leads = plane_of(s, planes, PLANE_LEAD)
    cdef int cell = end, previous = -1, following
    stones[0] = plane_of(s, planes, PLANE_OPPOSING)
    stones[1] = plane_of(s, planes, PLANE_OWN)
    if owner == EMPTY:
        plane_of(s, planes, PLANE_ENDS)[place[end]] = 1
        plane_of(s, planes, PLANE_ENDS)[place[other]] = 1
    while cell >= 0:
        stones[state_has(s, BLACKS, cell) == (own == BLACK)][place[cell]] = 1
        lengths[place[cell]] = extent
        leads[place[cell]] = share
        if owner != EMPTY:
            claimed[place[cell]] = 1
        following = next_in_chain(s, cell, previous)
        previous = cell
        cell = following


cdef void constant_into_plane(const State* s, float* planes, int plane, float value) noexcept nogil:
    """Give all cells of a plane that is 0 one value."""
    cdef const int16_t* place = GEOMETRY[s.size].grid
    cdef float* filled = plane_of(s, planes, plane)
    cdef int cell
    if value == 1:      # the usual one, by copying the plane of the board
        memcpy(filled, plane_of(s, planes, PLANE_BOARD), plane_bytes(s))
    elif value != 0:
        for cell in range(s.num_cells):
            filled[place[cell]] = value


cdef void planes_into(State* s, int seat, float* planes) noexcept nogil:
    """Fill NUM_PLANES planes, from the view of ``seat`` or, if it is -1, of the seat to move."""
    cdef const int16_t* place = GEOMETRY[s.size].grid
    cdef int own = side_of_seat(s, seat if seat >= 0 else seat_to_move(s))
    cdef float* opened = plane_of(s, planes, PLANE_OPEN)
    cdef float komi = <float> (s.now.komi if s.now.komi > 0 else 0) / max_komi(s)
    cdef int i, cell, end = next_lint(s, -1)
    cdef uint64_t word
    memset(planes, 0, NUM_PLANES * plane_bytes(s))
    for cell in range(s.num_cells):
        plane_of(s, planes, PLANE_BOARD)[place[cell]] = 1
    while end >= 0:
        lint_into_planes(s, end, own, planes)
        end = next_lint(s, end)
    if s.now.phase != OVER:     # the double game can end with open cells
        for i in range(s.words):
            word = state_set(s, OPEN)[i]
            while word:
                cell = i * 64 + lowest64(word)
                word &= word - 1
                opened[place[cell]] = 1
    constant_into_plane(s, planes, PLANE_BUTTON_FREE, s.game != DOUBLE and s.now.button == EMPTY)
    constant_into_plane(s, planes, PLANE_BUTTON_OWN, s.now.button == own)
    constant_into_plane(s, planes, PLANE_BUTTON_OPPOSING, s.now.button == other_side(own))
    constant_into_plane(s, planes, PLANE_KOMI, komi if own == WHITE else -komi)
    constant_into_plane(s, planes, PLANE_TWO_DUE, s.now.due == 2 and s.now.phase == PLAY)
    constant_into_plane(s, planes, PLANE_NAMING, s.now.phase == NAMING)
    constant_into_plane(s, planes, PLANE_CHOOSING, s.now.phase == CHOOSING)
    constant_into_plane(s, planes, PLANE_PLAY, s.now.phase == PLAY)
    constant_into_plane(s, planes, PLANE_BLACK, own == BLACK)
