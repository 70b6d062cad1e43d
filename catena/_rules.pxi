# The rules: legality, push and pop, claims, ends and scores, on State.
#
# A `by_width` function is called through a dispatcher of the same stem, which picks the number of
# words.


cdef inline uint64_t* near_of(const State* s) noexcept nogil:
    return GEOMETRY[s.size].near


cdef size_t undo_bytes(const State* s) noexcept nogil:
    """The bytes of an Undo that matter for this state's size of board."""
    return sizeof(Undo) - (NUM_SETS - 1) * (MAX_WORDS - s.words) * sizeof(uint64_t)


cdef void state_start(State* s, int size, int game, int scoring, int komi) noexcept nogil:
    """The empty board; ``komi`` -1 to begin with its naming (KOMI only)."""
    cdef const Geometry* g = &GEOMETRY[size]
    cdef int i
    memset(s, 0, sizeof(State) - sizeof(s.ends))
    s.size = size
    s.game = game
    s.scoring = scoring
    s.words = g.words
    s.num_cells = g.num_cells
    s.names_komi = komi < 0
    s.now.komi = komi
    s.now.phase = NAMING if komi < 0 else PLAY
    s.now.turn = EMPTY if komi < 0 else BLACK
    s.now.due = 1
    for i in range(g.words):
        state_set(s, OPEN)[i] = ~<uint64_t>0
    state_set(s, OPEN)[g.words - 1] >>= 64 * g.words - g.num_cells
    for i in range(g.num_cells):
        s.ends[i] = i       # a lint of no stones


cdef int state_num_moves(const State* s) noexcept nogil:
    """Moves are numbered from 0 to one less than this."""
    return s.num_cells + 3 + (max_komi(s) + 1 if s.names_komi else 0)


cdef uint64_t state_key(const State* s) noexcept nogil:
    """The key: over the stones, the set-up and the situation."""
    cdef const Situation* now = &s.now
    cdef uint64_t set_up = <uint64_t> s.size << 25 | s.game << 23 | s.scoring << 21
    cdef uint64_t stage = (now.komi + 1) << 9 | now.phase << 7 | now.turn << 5
    cdef uint64_t rest = now.due << 3 | now.button << 1 | now.black_seat
    return s.stones_key ^ mix64((set_up | stage | rest) + <uint64_t>0x9e3779b97f4a7c15)


# ---- sets, by the number of words ----

cdef bint is_any(const State* s, int which) noexcept nogil:
    cdef int i
    cdef uint64_t any_bit = 0
    for i in range(s.words):
        any_bit |= s.sets[which * s.words + i]
    return any_bit != 0


cdef int count_set(const State* s, int which) noexcept nogil:
    cdef int i, total = 0
    for i in range(s.words):
        total += popcount64(s.sets[which * s.words + i])
    return total


cdef void unstranded_by_width(State* s, uint64_t* cells, words_t* near) noexcept nogil:
    (<words_t*> cells)[0] = unstranded(<words_t*> s.sets, s.ends, near)


cdef void unstranded_into(State* s, uint64_t* cells) noexcept nogil:
    cdef uint64_t* near = near_of(s)
    if s.words == 1:
        unstranded_by_width(s, cells, <Words1*> near)
    elif s.words == 2:
        unstranded_by_width(s, cells, <Words2*> near)
    elif s.words == 3:
        unstranded_by_width(s, cells, <Words3*> near)
    elif s.words == 4:
        unstranded_by_width(s, cells, <Words4*> near)
    else:
        unstranded_by_width(s, cells, <Words5*> near)


# ---- legality ----

cdef bint is_opening(State* s) noexcept nogil:
    """Whether the first player of the no-komi game is to place the first stone."""
    return s.game == NO_KOMI and not is_any(s, STONES)


cdef inline bint can_strand(State* s) noexcept nogil:
    """Whether some open cell may leave none for the second stone of the turn."""
    return s.game == DOUBLE and s.now.due == 2 and count_set(s, OPEN) <= MAX_CLOSED


cdef bint state_has_button_move(State* s) noexcept nogil:
    """Whether taking the button is legal."""
    # No branch on the button: in a batch of games nobody can predict it.
    cdef bint is_free = (s.now.phase == PLAY) & (s.game != DOUBLE) & (s.now.button == EMPTY)
    return is_free & (not is_opening(s))


cdef void state_legal_cells_into(State* s, uint64_t* cells) noexcept nogil:
    """Fill ``s.words`` words with the cells where a stone may be placed."""
    if s.now.phase != PLAY:
        memset(cells, 0, s.words * sizeof(uint64_t))
    elif can_strand(s):
        unstranded_into(s, cells)
    else:
        memcpy(cells, state_set(s, OPEN), s.words * sizeof(uint64_t))


cdef int state_legal_count(State* s) noexcept nogil:
    """The number of legal moves."""
    cdef uint64_t cells[MAX_WORDS]
    cdef int i, total
    if s.now.phase == PLAY:
        if can_strand(s):
            state_legal_cells_into(s, cells)
            total = 0
            for i in range(s.words):
                total += popcount64(cells[i])
        else:
            total = count_set(s, OPEN)
        return total + state_has_button_move(s)
    if s.now.phase == NAMING:
        return max_komi(s) + 1
    return 2 if s.now.phase == CHOOSING else 0


cdef int state_legal_moves_into(State* s, int16_t* moves) noexcept nogil:
    """Fill ``moves``, which has room for MAX_MOVES, in ascending order; return how many there are.
    """
    cdef uint64_t cells[MAX_WORDS]
    cdef uint64_t word
    cdef int i, count = 0
    if s.now.phase == PLAY:
        state_legal_cells_into(s, cells)
        for i in range(s.words):
            word = cells[i]
            while word:
                moves[count] = i * 64 + lowest64(word)
                word &= word - 1
                count += 1
        if state_has_button_move(s):
            moves[count] = s.num_cells
            count += 1
    elif s.now.phase == NAMING:
        for count in range(max_komi(s) + 1):
            moves[count] = s.num_cells + 3 + count
        count = max_komi(s) + 1
    elif s.now.phase == CHOOSING:
        moves[0] = s.num_cells + BLACK
        moves[1] = s.num_cells + WHITE
        count = 2
    return count


cdef bint state_is_legal(State* s, int move) noexcept nogil:
    """Whether any int is a legal move."""
    cdef uint64_t cells[MAX_WORDS]
    if move < 0 or s.now.phase == OVER:
        return False
    if move < s.num_cells:
        if s.now.phase != PLAY or not state_has(s, OPEN, move):
            return False
        if can_strand(s):
            unstranded_into(s, cells)
            return (cells[move >> 6] >> (move & 63)) & 1
        return True
    if move == s.num_cells:
        return state_has_button_move(s)
    if move <= s.num_cells + WHITE:
        return s.now.phase == CHOOSING
    return s.now.phase == NAMING and move < state_num_moves(s)


# ---- lints ----

cdef int next_in_chain(State* s, int cell, int previous) noexcept nogil:
    """The stone that touches ``cell`` and is not ``previous``; -1 past an end."""
    cdef uint64_t* near = near_of(s) + cell * s.words
    cdef int i, base = cell - 32 if s.words > 1 else 0      # as in stones_around
    cdef uint64_t around = 0
    for i in range(s.words):
        around |= near[i] & s.sets[STONES * s.words + i]
    around = rotate64(around, base)
    if previous >= 0:
        around ^= <uint64_t> 1 << (previous - base)
    return base + lowest64(around) if around else -1


cdef inline int majority(uint32_t end, int tied) noexcept nogil:
    """The side with most of the stones placed in the lint, ``tied`` if both have as many."""
    cdef int lead = 2 * end_black(end) - end_length(end)
    return BLACK if lead > 0 else WHITE if lead < 0 else tied


cdef void claim(State* s, int end, int owner, words_t* near) noexcept nogil:
    """Give the lint with this end to ``owner``: recolour its stones."""
    cdef words_t* sets = <words_t*> s.sets
    cdef words_t wrong
    cdef int i, cell, black = end_black(s.ends[end])
    if black == (end_length(s.ends[end]) if owner == BLACK else 0):
        return
    wrong = chain_from(sets, end, near)
    for i in range(<int>(sizeof(words_t) // 8)):
        wrong.w[i] &= sets[BLACKS].w[i] ^ mask_if(owner == BLACK)
        sets[BLACKS].w[i] ^= wrong.w[i]
    while words_any(&wrong):
        cell = words_pop(&wrong)
        s.stones_key ^= STONE_KEYS[BLACK][cell] ^ STONE_KEYS[WHITE][cell]


cdef void claim_lint(State* s, int end, int owner) noexcept nogil:
    cdef uint64_t* near = near_of(s)
    if s.words == 1:
        claim(s, end, owner, <Words1*> near)
    elif s.words == 2:
        claim(s, end, owner, <Words2*> near)
    elif s.words == 3:
        claim(s, end, owner, <Words3*> near)
    elif s.words == 4:
        claim(s, end, owner, <Words4*> near)
    else:
        claim(s, end, owner, <Words5*> near)


cdef int owner_at(State* s, int e1, int e2, bint bound) noexcept nogil:
    """The owner of a lint, EMPTY while it isn't claimed."""
    if bound or s.now.phase == OVER:
        return BLACK if state_has(s, BLACKS, e1) else WHITE
    return EMPTY


cdef bint bound_by_width(State* s, int e1, int e2, words_t* near) noexcept nogil:
    return is_bound(<words_t*> s.sets, e1, e2, near)


cdef bint state_is_bound(State* s, int e1, int e2) noexcept nogil:
    """Whether the lint with these ends can't be lengthened."""
    cdef uint64_t* near = near_of(s)
    if s.words == 1:
        return bound_by_width(s, e1, e2, <Words1*> near)
    if s.words == 2:
        return bound_by_width(s, e1, e2, <Words2*> near)
    if s.words == 3:
        return bound_by_width(s, e1, e2, <Words3*> near)
    if s.words == 4:
        return bound_by_width(s, e1, e2, <Words4*> near)
    return bound_by_width(s, e1, e2, <Words5*> near)


cdef int next_lint(State* s, int after) noexcept nogil:
    """The first end above ``after`` that is the lower end of its lint; -1 if there is none."""
    cdef uint64_t word
    cdef int i, cell
    after += 1
    for i in range(after >> 6, s.words):
        word = state_set(s, STONES)[i] & ~state_set(s, NEAR2)[i]
        if i == after >> 6:
            word &= ~<uint64_t>0 << (after & 63)
        while word:
            cell = i * 64 + lowest64(word)
            if end_other(s.ends[cell]) >= cell:
                return cell
            word &= word - 1
    return -1


# ---- push and pop ----

cdef void claim_beside(State* s, words_t* closed, int tied, words_t* near) noexcept nogil:
    """Claim the bound lints among those that could grow on a closed cell."""
    cdef words_t* sets = <words_t*> s.sets
    cdef words_t ends = lint_ends(sets), candidates
    cdef int i, e1, e2, cell
    words_clear(&candidates)
    while words_any(closed):
        cell = words_pop(closed)
        for i in range(<int>(sizeof(words_t) // 8)):
            candidates.w[i] |= near[cell].w[i] & ends.w[i]
    while words_any(&candidates):
        e1 = words_pop(&candidates)
        e2 = end_other(s.ends[e1])
        for i in range(<int>(sizeof(words_t) // 8)):
            candidates.w[i] &= ~bit_in_word(e2, i)
        if is_bound(sets, e1, e2, near):
            claim(s, e1, majority(s.ends[e1], tied), near)


cdef inline void put_stone(
    State* s, int cell, int side, Undo* undo, words_t* near
) noexcept nogil:
    """Place a stone of ``side`` and claim what it binds; ``undo`` is NULL if it is for good."""
    cdef words_t* sets = <words_t*> s.sets
    cdef words_t closed = sets[OPEN]
    cdef Joint joint = joint_at(sets, s.ends, cell, near)
    cdef int i
    if undo != NULL:
        memcpy(undo.sets, &sets[OPEN], (NUM_SETS - 1) * sizeof(words_t))
        undo.cell1, undo.cell2 = joint.e1, joint.e2
        undo.end1, undo.end2 = s.ends[joint.e1], s.ends[joint.e2]
    place(sets, s.ends, cell, stone_of(side), &joint, near)
    s.stones_key ^= STONE_KEYS[side][cell]
    sets[BLACKS].w[cell >> 6] |= <uint64_t> (side == BLACK) << (cell & 63)
    closed.w[cell >> 6] ^= <uint64_t> 1 << (cell & 63)
    for i in range(<int>(sizeof(words_t) // 8)):
        closed.w[i] &= ~sets[OPEN].w[i]
    if is_bound(sets, joint.e1, joint.e2, near):
        claim(s, joint.e1, majority(s.ends[joint.e1], other_side(side)), near)
    if words_any(&closed):
        claim_beside(s, &closed, other_side(side), near)


cdef void take_stone(State* s, Undo* undo, words_t* near) noexcept nogil:
    cdef words_t* sets = <words_t*> s.sets
    memcpy(&sets[OPEN], undo.sets, (NUM_SETS - 1) * sizeof(words_t))
    sets[STONES].w[undo.move >> 6] ^= <uint64_t> 1 << (undo.move & 63)
    s.ends[undo.cell1] = undo.end1
    s.ends[undo.cell2] = undo.end2


cdef void end_turn(State* s) noexcept nogil:
    s.now.turn = other_side(s.now.turn)
    s.now.due = 2 if s.game == DOUBLE else 1


cdef bint is_finished(State* s) noexcept nogil:
    """Whether no stone can be placed, or in the double game no two at the start of a turn."""
    cdef uint64_t cells[MAX_WORDS]
    cdef int i
    if not can_strand(s):
        return not is_any(s, OPEN)
    unstranded_into(s, cells)
    for i in range(s.words):
        if cells[i]:
            return False
    return True


cdef void finish(State* s) noexcept nogil:
    """End the game: award the button or, in the double game, claim the lints not yet bound.

    Both go to ``turn``, the opponent of the player who moved last: the lints only where they are
    tied.
    """
    cdef int end
    if s.game != DOUBLE:
        if s.now.button == EMPTY:
            s.now.button = s.now.turn
    else:
        end = next_lint(s, -1)
        while end >= 0:
            if not state_is_bound(s, end, end_other(s.ends[end])):
                claim_lint(s, end, majority(s.ends[end], s.now.turn))
            end = next_lint(s, end)
    s.now.phase = OVER


cdef inline void pass_on(State* s, bint opening) noexcept nogil:
    """What follows a stone: the choice of colours, the next stone, the next turn or the end."""
    if opening:
        s.now.phase = CHOOSING
        s.now.turn = EMPTY
        return
    s.now.due -= 1
    if s.now.due == 0:
        end_turn(s)
    if is_finished(s):
        finish(s)


cdef void push_stone(State* s, int cell, Undo* undo) noexcept nogil:
    cdef uint64_t* near = near_of(s)
    cdef int side = s.now.turn
    cdef bint opening = is_opening(s)
    if s.words == 1:
        put_stone(s, cell, side, undo, <Words1*> near)
    elif s.words == 2:
        put_stone(s, cell, side, undo, <Words2*> near)
    elif s.words == 3:
        put_stone(s, cell, side, undo, <Words3*> near)
    elif s.words == 4:
        put_stone(s, cell, side, undo, <Words4*> near)
    else:
        put_stone(s, cell, side, undo, <Words5*> near)
    pass_on(s, opening)


cdef void state_push(State* s, int move, Undo* undo) noexcept nogil:
    """Make a legal move; ``undo`` receives what state_pop needs."""
    undo.move = move
    undo.before = s.now
    undo.stones_key = s.stones_key
    if move < s.num_cells:
        push_stone(s, move, undo)
    elif move == s.num_cells:
        s.now.button = s.now.turn
        end_turn(s)
    elif move <= s.num_cells + WHITE:
        s.now.black_seat = 1 if move == s.num_cells + BLACK else 0
        s.now.turn = WHITE if s.game == NO_KOMI else BLACK
        s.now.phase = PLAY
    else:
        s.now.komi = move - s.num_cells - 3
        s.now.phase = CHOOSING
    check_after_move(s)


cdef void state_pop(State* s, Undo* undo) noexcept nogil:
    """Take back the last move, with the Undo of its push."""
    cdef uint64_t* near = near_of(s)
    s.now = undo.before
    s.stones_key = undo.stones_key
    if undo.move < s.num_cells:
        if s.words == 1:
            take_stone(s, undo, <Words1*> near)
        elif s.words == 2:
            take_stone(s, undo, <Words2*> near)
        elif s.words == 3:
            take_stone(s, undo, <Words3*> near)
        elif s.words == 4:
            take_stone(s, undo, <Words4*> near)
        else:
            take_stone(s, undo, <Words5*> near)
    check_after_move(s)


# ---- scores ----

cdef void lint_scores_into(State* s, int komi, int* scores) noexcept nogil:
    """Longest and squares, from the lints that have an owner, in whole points and without the
    button.
    """
    # the number of lints of each length, by owner
    cdef int lints[2][MAX_CELLS + MAX_KOMI + 1]
    cdef size_t used = (s.num_cells + MAX_KOMI + 1) * sizeof(int)
    cdef int end = next_lint(s, -1), other, owner, length
    if s.scoring == LONGEST:
        memset(lints[0], 0, used)
        memset(lints[1], 0, used)
    scores[0] = 0
    scores[1] = komi
    while end >= 0:
        other = end_other(s.ends[end])
        length = end_length(s.ends[end])
        owner = owner_at(s, end, other, state_is_bound(s, end, other))
        if owner != EMPTY:
            if s.scoring == LONGEST:
                lints[owner - BLACK][length] += 1
            scores[owner - BLACK] += length * length
        end = next_lint(s, end)
    if s.scoring == LONGEST:
        longest_left(lints[0], lints[1], s.num_cells, komi, scores)


cdef void state_scores_into(State* s, int* halves) noexcept nogil:
    """Fill ``halves[2]`` with Black's and White's scores in half points, of the position as it
    stands.
    """
    cdef int komi = s.now.komi if s.now.komi > 0 else 0
    cdef int scores[2]
    if s.scoring == STANDARD:
        scores[0] = count_set(s, BLACKS)
        scores[1] = count_set(s, STONES) - scores[0] + komi
    else:
        lint_scores_into(s, komi, scores)
    halves[0] = 2 * scores[0]
    halves[1] = 2 * scores[1]
    if s.scoring != LONGEST and s.now.button != EMPTY:
        halves[s.now.button - BLACK] += 1


cdef int state_winner(State* s) noexcept nogil:
    """The side that won; EMPTY for a draw and while the game goes on."""
    cdef int halves[2]
    if s.now.phase != OVER:
        return EMPTY
    state_scores_into(s, halves)
    if halves[0] != halves[1]:
        return BLACK if halves[0] > halves[1] else WHITE
    return s.now.button     # can only be equal with longest scoring or without a button


# ---- playouts ----

cdef int state_playout(State* s, uint64_t seed, uint64_t index) noexcept nogil:
    """Play random legal moves from ``s``, which stays as it is, to the end of the game.

    Returns Black's score minus White's in half points; with longest scoring 1, 0 or -1.  Depends on
    the position, ``seed`` and ``index`` alone: playout ``index`` of catena.playouts with this seed.
    """
    cdef int32_t margin
    cdef int16_t plies
    loops.playouts(s, near_of(s), seed, index, 1, &margin, &plies)
    return margin


# ---- perft ----

cdef int perft_placements(State* s, int depth, Count* count) except -1 nogil:
    """Count the sequences of ``depth`` placements."""
    memset(count, 0, sizeof(Count))
    count.strands = s.game == DOUBLE and (s.now.due + depth) % 2 == 1
    return loops.perft(s, near_of(s), depth, count)


cdef uint64_t checked_sum(uint64_t a, uint64_t b) except? 0 nogil:
    if a + b < a:
        raise OverflowError("the count does not fit in 64 bits")
    return a + b


cdef uint64_t checked_product(uint64_t a, uint64_t b) except? 0 nogil:
    if b and a * b // b != a:
        raise OverflowError("the count does not fit in 64 bits")
    return a * b


cdef int refuse_overflow(State* s, int depth) except -1 nogil:
    """Raise at once if 64 bits are sure to be too few: each stone closes at most MAX_CLOSED cells.
    """
    cdef int left = count_set(s, OPEN)
    cdef uint64_t least = 1
    for _ in range(depth):
        if left <= MAX_CLOSED:
            return 0
        least = checked_product(least, left)
        left -= MAX_CLOSED
    return 0


cdef uint64_t perft_in_play(State* s, int depth) except? 0 nogil:
    cdef Count count
    cdef uint64_t inserted
    refuse_overflow(s, depth)
    perft_placements(s, depth, &count)
    if count.overflow:
        raise OverflowError("the count does not fit in 64 bits")
    if not state_has_button_move(s):
        return count.last
    inserted = checked_sum(checked_product(depth - 1, count.before), count.alive)
    return checked_sum(count.last, inserted)


cdef uint64_t perft_opening(State* s, int depth) except? 0 nogil:
    """The no-komi game's first stone, then what follows the choice of colours."""
    cdef uint64_t total = 0
    cdef Undo undo
    cdef int cell
    for cell in range(s.num_cells):
        state_push(s, cell, &undo)
        total = checked_sum(total, state_perft(s, depth - 1))
        state_pop(s, &undo)
    return total


cdef int most_plies(State* s) noexcept nogil:
    """No game from here has more: each open cell once, the button, the komi and the choice of
    colours.
    """
    cdef int setup = 2 if s.now.phase == NAMING else s.now.phase == CHOOSING or is_opening(s)
    return count_set(s, OPEN) + (s.game != DOUBLE and s.now.button == EMPTY) + setup


cdef uint64_t state_perft(State* s, int depth) except? 0 nogil:
    """The sequences of exactly ``depth`` legal moves; ``s`` is scratch, unchanged unless this
    raises.

    :raises OverflowError: if 64 bits are too few.
    :raises KeyboardInterrupt: on Ctrl-C.
    """
    cdef Undo undo
    cdef uint64_t below, choices = state_legal_count(s)
    if depth == 0:
        return 1
    if choices == 0 or depth > most_plies(s):
        return 0
    if s.now.phase == PLAY:
        return perft_opening(s, depth) if is_opening(s) else perft_in_play(s, depth)
    # Which komi and which colours makes no difference to the number of sequences.
    state_push(s, s.num_cells + (3 if s.now.phase == NAMING else BLACK), &undo)
    below = state_perft(s, depth - 1)
    state_pop(s, &undo)
    return checked_product(choices, below)
