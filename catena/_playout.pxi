# Random playouts.
#
# A playout claims nothing until its end: legality needs no colours, and which side has most of a
# lint's stones is in Game.ends.  Only for a tied lint it matters who bound it; that is looked up in
# the open cells before each placement.

from libc.string cimport memcpy
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint32_t


# xoshiro256** (Blackman and Vigna, 2018).
ctypedef struct Random:
    uint64_t s[4]


cdef inline Random random_for(uint64_t seed, uint64_t index) noexcept nogil:
    """The generator of playout ``index``: four outputs of splitmix64 started at mix64(mix64(seed) +
    index).
    """
    cdef Random random
    cdef uint64_t x = mix64(mix64(seed) + index)
    cdef int i
    for i in range(4):
        x += <uint64_t> 0x9e3779b97f4a7c15
        random.s[i] = mix64(x)
    return random


cdef inline uint32_t random_bits(Random* random) noexcept nogil:
    """The upper 32 bits of the next output."""
    cdef uint64_t* s = random.s
    cdef uint64_t result = s[1] * 5
    cdef uint64_t t = s[1] << 17
    result = ((result << 7) | (result >> 57)) * 9
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = (s[3] << 45) | (s[3] >> 19)
    return <uint32_t> (result >> 32)


cdef inline int random_below(Random* random, int n) noexcept nogil:
    """A uniform number from 0 to n - 1, by multiplication with rejection (Lemire, 2019)."""
    cdef uint64_t product = <uint64_t> random_bits(random) * <uint32_t> n
    cdef uint32_t least
    if <uint32_t> product < <uint32_t> n:
        least = (0 - <uint32_t> n) % <uint32_t> n
        while <uint32_t> product < least:
            product = <uint64_t> random_bits(random) * <uint32_t> n
    return <int> (product >> 32)


# One playout as it runs: the sets of State but for BLACKS, and what its end needs.
ctypedef struct Game:
    Random random
    uint64_t sets[(NUM_SETS - 1) * MAX_WORDS]
    int side                                        # to move
    int due                                         # as in Situation
    int komi
    int button                                      # the side that holds it
    int free                                        # 1 while it can be taken
    int plies
    int placements
    uint8_t movers[MAX_CELLS]                       # the side that made each placement
    uint64_t opens[(MAX_CELLS + 1) * MAX_WORDS]     # the open cells before each placement
    uint32_t ends[MAX_CELLS]                        # as in State


cdef inline void copy_ends(const State* s, Game* game, words_t* near) noexcept nogil:
    """Copy State.ends, at the ends of claimed lints as if their owner had placed every stone."""
    cdef words_t* sets = <words_t*> s.sets
    cdef words_t left = lint_ends(sets)
    cdef int cell, length, black
    memcpy(game.ends, s.ends, s.num_cells * sizeof(uint32_t))
    while words_any(&left):
        cell = words_pop(&left)
        if s.now.phase == OVER or is_bound(sets, cell, end_other(s.ends[cell]), near):
            length = end_length(s.ends[cell])
            black = length if words_has(&sets[BLACKS], cell) else 0
            game.ends[cell] = end_other(s.ends[cell]) + length * ONE_STONE + black * ONE_BLACK


cdef inline void game_place(Game* game, int cell, words_t* near) noexcept nogil:
    cdef words_t* sets = <words_t*> game.sets
    cdef Joint joint = joint_at(sets, game.ends, cell, near)
    (<words_t*> game.opens)[game.placements] = sets[OPEN]
    game.movers[game.placements] = game.side
    place(sets, game.ends, cell, stone_of(game.side), &joint, near)
    game.placements += 1


cdef inline void start_game(
    const State* s, Game* game, uint64_t seed, uint64_t index, words_t* near
) noexcept nogil:
    """Set up playout ``index`` from ``s``, moves before and between the stones of the opening
    included.
    """
    cdef words_t* sets = <words_t*> game.sets
    cdef words_t* source = <words_t*> s.sets
    cdef int phase = s.now.phase
    sets[STONES], sets[OPEN] = source[STONES], source[OPEN]
    sets[NEAR1], sets[NEAR2] = source[NEAR1], source[NEAR2]
    copy_ends(s, game, near)
    game.random = random_for(seed, index)
    game.plies = game.placements = 0
    game.side, game.due, game.komi, game.button = s.now.turn, s.now.due, s.now.komi, s.now.button
    if phase == NAMING:
        game.komi = random_below(&game.random, max_komi(s) + 1)
        game.plies += 1
        phase = CHOOSING
    if s.game == NO_KOMI and phase == PLAY and not words_any(&sets[STONES]):
        game_place(game, random_below(&game.random, s.num_cells), near)
        phase = CHOOSING
    if phase == CHOOSING:
        random_below(&game.random, 2)       # who plays which colour changes nothing on the board
        game.plies += 1
        game.side = WHITE if s.game == NO_KOMI else BLACK
    game.free = s.game != DOUBLE and game.button == EMPTY


cdef inline void play_with_button(Game* game, words_t* near) noexcept nogil:
    """Make random moves to the end of a game with a button; sets and generator are local, to be in
    registers.
    """
    cdef words_t* opens = <words_t*> game.opens
    cdef words_t[4] sets
    cdef words_t legal
    cdef Joint joint
    cdef Random random = game.random
    cdef int side = game.side, free = game.free, placements = game.placements
    cdef int count, rank, cell
    memcpy(sets, game.sets, sizeof(sets))
    while True:
        legal = sets[OPEN]
        count = words_count(&legal)
        if count == 0:
            break
        rank = random_below(&random, count + free)
        if rank == count:
            free = 0
            game.button = side
            game.plies += 1
        else:
            cell = words_select(&legal, rank)
            opens[placements] = legal
            game.movers[placements] = side
            joint = joint_at(sets, game.ends, cell, near)
            place(sets, game.ends, cell, stone_of(side), &joint, near)
            placements += 1
        side = other_side(side)
    memcpy(game.sets, sets, sizeof(sets))
    game.side, game.placements = side, placements
    if game.button == EMPTY:
        game.button = side


cdef inline bint game_move_double(Game* game, words_t* near) noexcept nogil:
    """Make a random move of the double game; False if it is over."""
    cdef words_t* sets = <words_t*> game.sets
    cdef words_t legal = unstranded(sets, game.ends, near) if game.due == 2 else sets[OPEN]
    cdef int count = words_count(&legal)
    if count == 0:
        return False
    game_place(game, words_select(&legal, random_below(&game.random, count)), near)
    game.due -= 1
    if game.due == 0:
        game.due = 2
        game.side = other_side(game.side)
    return True


cdef int binder(const Game* game, int e1, int e2, words_t* near) noexcept nogil:
    """The side that made the last placement that mattered to this lint: it bound it, or made the
    last move of all.

    Until that placement one of the lint's cells, or one on which it could grow, was open.  OPEN
    only shrinks, so the last such moment is found by halving.
    """
    cdef words_t* opens = <words_t*> game.opens
    cdef words_t needed
    cdef int low = 0, high = game.placements, middle, i
    cdef uint64_t hope
    if not is_bound(<words_t*> game.sets, e1, e2, near):
        return other_side(game.side)
    needed = chain_from(<words_t*> game.sets, e1, near)
    for i in range(<int> (sizeof(words_t) // 8)):
        needed.w[i] |= near[e1].w[i] | near[e2].w[i]
    while high - low > 1:
        middle = (low + high) >> 1
        hope = 0
        for i in range(<int> (sizeof(words_t) // 8)):
            hope |= needed.w[i] & opens[middle].w[i]
        low, high = middle if hope else low, high if hope else middle
    return game.movers[low]


# What the lints of a game are worth, in stones or squares, and how many each side has by length.
ctypedef struct Tally:
    int total                                       # Black's less White's
    int lints[2][MAX_CELLS + MAX_KOMI + 1]          # for longest scoring only


cdef inline void add_lint(const State* s, Tally* tally, int length, int sign) noexcept nogil:
    """Count a lint for Black if ``sign`` is 1, for White if it is -1, not at all if it is 0."""
    tally.total += sign * (length * length if s.scoring == SQUARES else length)
    if s.scoring == LONGEST:
        tally.lints[0][length] += sign > 0
        tally.lints[1][length] += sign < 0


cdef void tally_into(const State* s, const Game* game, Tally* tally, words_t* near) noexcept nogil:
    """Give each lint to its owner.  Which end is the lower and who leads can't be predicted, so
    there are no branches on them: playouts took 1 to 3 per cent longer with them.
    """
    cdef words_t left = lint_ends(<words_t*> game.sets)
    cdef uint32_t end
    cdef int tied[MAX_CELLS + 1]
    cdef int ties = 0
    cdef int i, e1, lead
    cdef bint is_lower
    for i in range(<int> (sizeof(words_t) // 8)):
        while left.w[i]:
            e1 = i * 64 + lowest64(left.w[i])
            left.w[i] &= left.w[i] - 1
            end = game.ends[e1]
            is_lower = e1 <= end_other(end)
            lead = 2 * end_black(end) - end_length(end)
            add_lint(s, tally, end_length(end), is_lower * ((lead > 0) - (lead < 0)))
            tied[ties] = e1
            ties += is_lower & (lead == 0)
    for i in range(ties):
        end = game.ends[tied[i]]
        lead = -1 if binder(game, tied[i], end_other(end), near) == BLACK else 1
        add_lint(s, tally, end_length(end), lead)


cdef int margin_of(const State* s, const Game* game, words_t* near) noexcept nogil:
    """Black minus White in half points; for longest scoring 1, 0 or -1."""
    cdef int value = 0 if game.button == EMPTY else 1 if game.button == BLACK else -1
    cdef int longest[2]
    cdef Tally tally
    tally.total = 0
    if s.scoring == LONGEST:
        memset(tally.lints, 0, sizeof(tally.lints))
    tally_into(s, game, &tally, near)
    if s.scoring == LONGEST:
        longest_left(tally.lints[0], tally.lints[1], s.num_cells, game.komi, longest)
        return value if longest[0] == longest[1] else 1 if longest[0] > longest[1] else -1
    return 2 * (tally.total - game.komi) + value


cdef void playouts_by_width(
    const State* s, uint64_t seed, uint64_t first, int count, int32_t* margin, int16_t* plies,
    words_t* near
) noexcept nogil:
    """Fill the results of playouts ``first`` to ``first + count - 1``."""
    cdef Game game
    cdef int i
    for i in range(count):
        start_game(s, &game, seed, first + i, near)
        if s.game == DOUBLE:
            while game_move_double(&game, near):
                pass
        else:
            play_with_button(&game, near)
        margin[i] = margin_of(s, &game, near)
        plies[i] = game.plies + game.placements
