"""The C contract of Catena's engine, for Cython modules that ``cimport catena._core``.

Cells are numbered column by column; on the board of size 2 (axial coordinates, column then row):

           row 0   row 1   row 2
    col 0    0       1
    col 1    2       3       4
    col 2            5       6

A set of cells is ``words`` 64-bit words, cell ``c`` being bit ``c & 63`` of word ``c >> 6``.
Everything here that is ``noexcept nogil`` trusts its arguments: the caller vouches for legality.
"""

from libc.stdint cimport int16_t, int64_t, uint8_t, uint32_t, uint64_t

cdef enum:
    MIN_SIZE = 2
    MAX_SIZE = 10
    MAX_CELLS = 271             # 3 * 10 * 9 + 1
    MAX_WORDS = 5               # ceil(271 / 64)
    NUM_SYMMETRIES = 12
    NUM_PLANES = 18             # of Board.observe
    MAX_PLAYOUTS = 1 << 30      # of one call
    MAX_KOMI = 15
    MAX_KOMI_SQUARES = 1000
    MAX_MOVES = MAX_CELLS + 3 + MAX_KOMI_SQUARES + 1
    MAX_PLIES = MAX_CELLS + 3   # each cell once, the button, the komi, the choice of colours

cdef enum:
    EMPTY = 0
    BLACK = 1
    WHITE = 2

cdef enum:                      # game
    KOMI = 0
    NO_KOMI = 1
    DOUBLE = 2

cdef enum:                      # scoring
    STANDARD = 0
    LONGEST = 1
    SQUARES = 2

cdef enum:                      # phase
    NAMING = 0                  # of the komi
    CHOOSING = 1                # of the colours
    PLAY = 2
    OVER = 3

cdef enum:                      # the five sets of State.sets, in this order
    STONES = 0
    OPEN = 1                    # cells where a stone may be placed
    NEAR1 = 2                   # cells with at least one neighbouring stone
    NEAR2 = 3                   # cells with at least two
    BLACKS = 4                  # the black ones among the stones
    NUM_SETS = 5

# What changes from move to move besides the stones.
ctypedef struct Situation:
    int16_t komi                # -1 until it is named
    uint8_t phase               # NAMING, CHOOSING, PLAY or OVER
    uint8_t turn                # BLACK or WHITE in play; EMPTY before; once over, who would be next
    uint8_t due                 # stones still to place in this turn: 1, or 2 in the double game
    uint8_t button              # EMPTY while free, else the side that holds it
    uint8_t black_seat          # 0 or 1: the seat that plays Black

# A position.  It holds no pointers: assignment copies it whole.
ctypedef struct State:
    uint64_t stones_key         # exclusive or of the keys of the stones; see state_key
    uint8_t size                # MIN_SIZE to MAX_SIZE
    uint8_t game
    uint8_t scoring
    uint8_t words               # words of a set: 1 to MAX_WORDS
    uint8_t names_komi          # 1 if the game began with the naming of the komi
    int16_t num_cells
    Situation now
    uint64_t sets[NUM_SETS * MAX_WORDS]     # set k in words [k * words, (k + 1) * words)
    # At the two ends of a lint (`end_*` below): the other end, the number of stones, and the black
    # ones among them as they were placed, before any claim.  At a cell without a stone: itself, and
    # no stones.  Undefined at inner stones.  Last, so that a copy can stop at the last cell of the
    # board.
    uint32_t ends[MAX_CELLS]

# What state_pop cannot recompute; one per move, kept by the caller.  Only the first `4 * words`
# words of `sets`, its last field, are used: undo_bytes(s) is all that has to be kept.
ctypedef struct Undo:
    uint64_t stones_key
    uint32_t end1
    uint32_t end2
    Situation before
    int16_t move
    int16_t cell1               # the ends of the lint that the stone made ...
    int16_t cell2               # ... with their entries of State.ends before, end1 and end2
    uint64_t sets[(NUM_SETS - 1) * MAX_WORDS]

# Constant tables of one size, filled at import.
ctypedef struct Geometry:
    int16_t num_cells
    int16_t words
    int16_t column[MAX_CELLS]
    int16_t row[MAX_CELLS]
    int16_t grid[MAX_CELLS]                     # column * (2 * size - 1) + row
    int16_t neighbours[MAX_CELLS][6]            # ascending, filled up with -1
    int16_t image[NUM_SYMMETRIES][MAX_CELLS]    # image[s][c]: where symmetry s takes cell c
    uint64_t near[MAX_CELLS * MAX_WORDS]        # the set of neighbours of cell c from c * words on

# Sets as values: code is specialised by the number of words through this type.
ctypedef struct Words1:
    uint64_t w[1]
ctypedef struct Words2:
    uint64_t w[2]
ctypedef struct Words3:
    uint64_t w[3]
ctypedef struct Words4:
    uint64_t w[4]
ctypedef struct Words5:
    uint64_t w[5]
ctypedef fused words_t:
    Words1
    Words2
    Words3
    Words4
    Words5


cdef inline uint64_t* state_set(State* s, int which) noexcept nogil:
    """The ``s.words`` words of one set of ``s``: STONES, OPEN, NEAR1, NEAR2 or BLACKS."""
    return s.sets + which * s.words


cdef inline bint state_has(State* s, int which, int cell) noexcept nogil:
    """Whether a cell of the board is in one set of ``s``."""
    return (state_set(s, which)[cell >> 6] >> (cell & 63)) & 1


# Entries of State.ends: the other end in bits 0-15, the stones in 16-23, the black ones in 24-31.
# Eight bits hold every number of stones.  A stone touches two others at most, so the sum over all
# stones of (neighbouring cells - 2) is at most that over all other cells of (neighbouring cells).
# On size 10, with 1512 ordered pairs of neighbours, 6 cells that have three of them, 48 that have
# four and the rest six, this leaves room for 174 stones.

cdef inline int end_other(uint32_t end) noexcept nogil:
    """The other end of the lint, from an entry of State.ends."""
    return <int>(end & 0xffff)


cdef inline int end_length(uint32_t end) noexcept nogil:
    """The stones of the lint, from an entry of State.ends."""
    return <int>((end >> 16) & 0xff)


cdef inline int end_black(uint32_t end) noexcept nogil:
    """The stones of the lint that were placed black, from an entry of State.ends."""
    return <int>(end >> 24)


cdef const Geometry* geometry_of(int size) noexcept nogil

cdef void state_start(State* s, int size, int game, int scoring, int komi) noexcept nogil
cdef int state_num_moves(const State* s) noexcept nogil
cdef bint state_is_legal(State* s, int move) noexcept nogil
cdef int state_legal_count(State* s) noexcept nogil
cdef void state_legal_cells_into(State* s, uint64_t* cells) noexcept nogil
cdef int state_legal_moves_into(State* s, int16_t* moves) noexcept nogil
cdef bint state_has_button_move(State* s) noexcept nogil
cdef void state_push(State* s, int move, Undo* undo) noexcept nogil
cdef void state_pop(State* s, Undo* undo) noexcept nogil
cdef uint64_t state_key(const State* s) noexcept nogil
cdef void state_scores_into(State* s, int* halves) noexcept nogil
cdef int state_winner(State* s) noexcept nogil
cdef size_t undo_bytes(const State* s) noexcept nogil
cdef int state_playout(State* s, uint64_t seed, uint64_t index) noexcept nogil
cdef int seat_to_move(const State* s) noexcept nogil
cdef void mask_into(State* s, uint8_t* out) noexcept nogil
cdef void planes_into(State* s, int seat, float* planes) noexcept nogil


# The Undo records of a board, undo_bytes each, which its copies share as far as they can: a record
# below the ply of a board stays as it is while that board holds it.  A board writes its next record
# in place if it is the only holder or nobody has written past its ply; else it takes a copy first.
ctypedef struct History:
    int holders
    int used                    # no holder has written past this record
    int64_t room                # records that there is memory for; they follow, so all is aligned


cdef class Board:
    cdef State state
    cdef History* _history      # NULL before the first move
    cdef int _ply               # its records [0, _ply) are this board's
