# The functions on boards: perft, divide, playouts, geometry, and the facts of the build.

cdef extern from *:
    """
    #ifndef CATENA_FLAGS
      #define CATENA_FLAGS "unknown"
    #endif
    #ifndef CATENA_SANITIZE
      #define CATENA_SANITIZE 0
    #endif
    #if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
      #include <cpuid.h>
      static void catena_cpuid(unsigned leaf, unsigned r[4]) {
          r[0] = r[1] = r[2] = r[3] = 0;
          __get_cpuid_count(leaf, 0, &r[0], &r[1], &r[2], &r[3]);
      }
      #define CATENA_HAS_CPUID 1
    #elif defined(_MSC_VER) && defined(_M_X64)
      #include <intrin.h>
      static void catena_cpuid(unsigned leaf, unsigned r[4]) {
          int out[4];
          __cpuid(out, (int)(leaf & 0x80000000u));
          if ((unsigned)out[0] < leaf) { r[0] = r[1] = r[2] = r[3] = 0; return; }
          __cpuidex((int *)r, (int)leaf, 0);
      }
      #define CATENA_HAS_CPUID 1
    #endif
    /* BMI1, BMI2 and LZCNT, on a processor that doesn't run pdep in microcode as AMD's did before
       family 19h (Zen 3); there the portable select is faster. */
    static int catena_cpu_has_fast_bmi2(void) {
    #ifdef CATENA_HAS_CPUID
        unsigned r[4], vendor, family;
        catena_cpuid(0, r);
        vendor = r[1];
        catena_cpuid(1, r);
        family = ((r[0] >> 8) & 15) + ((r[0] >> 20) & 255);
        /* the first letters of AuthenticAMD and HygonGenuine */
        if ((vendor == 0x68747541u || vendor == 0x6f677948u) && family < 0x19) return 0;
        catena_cpuid(7, r);
        if (!(r[1] >> 3 & 1) || !(r[1] >> 8 & 1)) return 0;
        catena_cpuid(0x80000001u, r);
        return r[2] >> 5 & 1;
    #else
        return 0;
    #endif
    }
    #if defined(__clang__)
      #define CATENA_COMPILER "Clang " __clang_version__
    #elif defined(__GNUC__)
      #define CATENA_COMPILER "GCC " __VERSION__
    #elif defined(_MSC_VER)
      #define CATENA_COMPILER "MSVC"
    #else
      #define CATENA_COMPILER "unknown"
    #endif
    """
    const char* FLAGS "CATENA_FLAGS"
    const char* COMPILER "CATENA_COMPILER"
    bint cpu_has_fast_bmi2 "catena_cpu_has_fast_bmi2"() noexcept nogil
    bint SANITIZE "CATENA_SANITIZE"


def perft(Board board not None, depth):
    """The number of sequences of exactly ``depth`` legal moves; games over earlier do not count.

    Runs without the GIL, on a copy; Ctrl-C stops it.

    :raises ValueError: if ``depth`` is negative.
    :raises OverflowError: if the count does not fit in 64 bits.
    """
    cdef int plies = checked_depth(depth, 0)
    cdef State scratch
    cdef uint64_t count
    with cython.critical_section(board):
        scratch = board.state
    with nogil:
        count = state_perft(&scratch, plies)
    return count


def divide(Board board not None, depth):
    """:func:`perft` split by the first move: a dict from each legal move to its count.

    :raises ValueError: if ``depth`` is less than 1.
    :raises OverflowError: if a count does not fit in 64 bits.
    """
    cdef int plies = checked_depth(depth, 1)
    cdef int16_t moves[MAX_MOVES]
    cdef State scratch
    cdef Undo undo
    cdef uint64_t count
    cdef int i, num_moves
    with cython.critical_section(board):
        scratch = board.state
    num_moves = state_legal_moves_into(&scratch, moves)
    result = {}
    for i in range(num_moves):
        with nogil:
            state_push(&scratch, moves[i], &undo)
            count = state_perft(&scratch, plies - 1)
            state_pop(&scratch, &undo)
        result[moves[i]] = count
    return result


def neighbours(size, cell):
    """The cells next to ``cell`` on the board of a size, an ascending tuple of int.

    :raises ValueError: if the size is not 2 to 10 or the cell off its board.
    """
    cdef int board_size = checked_size(size)
    cdef int number = checked_cell(board_size, cell)
    cdef int16_t* found = GEOMETRY[board_size].neighbours[number]
    cdef int i
    return tuple([found[i] for i in range(6) if found[i] >= 0])


def cell_column_row(size, cell):
    """The column and row of a cell, both from 0.

    :raises ValueError: if the size is not 2 to 10 or the cell off its board.
    """
    cdef int board_size = checked_size(size)
    cdef int number = checked_cell(board_size, cell)
    return GEOMETRY[board_size].column[number], GEOMETRY[board_size].row[number]


def cell_permutation(size, s):
    """Where symmetry ``s`` takes each cell, int32 of shape ``(num_cells,)``.

    :raises ValueError: if the size is not 2 to 10 or ``s`` not 0 to 11.
    """
    cdef int board_size = checked_size(size)
    cdef int symmetry = checked_symmetry(s)
    cdef const Geometry* g = &GEOMETRY[board_size]
    result = numpy.empty(g.num_cells, numpy.int32)
    cdef int32_t[::1] view = result
    cdef int cell
    for cell in range(g.num_cells):
        view[cell] = g.image[symmetry][cell]
    return result


def move_permutation(size, s, num_moves=None):
    """Where symmetry ``s`` takes each move, int32 of shape ``(num_moves,)``: cells move, the others
    stay.

    Pushing ``m`` and then transforming by ``s`` gives the board that transforming by ``s`` and then
    pushing ``move_permutation(size, s)[m]`` gives.  So a policy ``p`` of a board is
    ``p[move_permutation(size, inverse_symmetry(s))]`` for its image under ``s``.

    :param num_moves: of the board; if None, that of a board that starts in play.
    :raises ValueError: if the size is not 2 to 10, ``s`` not 0 to 11, or ``num_moves`` not that of
        a board of this size.
    """
    cells = cell_permutation(size, s)
    least = len(cells) + 3
    allowed = (least, least + MAX_KOMI + 1, least + MAX_KOMI_SQUARES + 1)
    if num_moves is None:
        num_moves = least
    num_moves = checked_index(num_moves, "num_moves")
    if num_moves not in allowed:
        raise ValueError(f"num_moves must be one of {allowed} on size {size}, got {num_moves}")
    return numpy.concatenate((cells, numpy.arange(len(cells), num_moves, dtype=numpy.int32)))


def inverse_symmetry(s):
    """The symmetry that undoes ``s``.

    :raises ValueError: if ``s`` is not 0 to 11.
    """
    cdef int symmetry = checked_symmetry(s)
    return symmetry if symmetry >= 6 else (6 - symmetry) % 6


def canonical(Board board not None):
    """``(key, s)``: the smallest key among the board's twelve images, and the first symmetry that
    gives it.

    Two boards that are images of one another have the same canonical key.
    """
    cdef uint8_t stones[MAX_CELLS]
    cdef const Geometry* g = &GEOMETRY[board.state.size]
    cdef State s
    cdef uint64_t key, smallest = 0
    cdef int symmetry, cell, best = -1
    with cython.critical_section(board):
        s = board.state
    stones_into(&s, stones)
    for symmetry in range(NUM_SYMMETRIES):
        s.stones_key = 0
        for cell in range(g.num_cells):
            if stones[cell] != EMPTY:
                s.stones_key ^= STONE_KEYS[stones[cell]][g.image[symmetry][cell]]
        key = state_key(&s)
        if best < 0 or key < smallest:
            smallest = key
            best = symmetry
    return smallest, best


def run_playouts(Board board not None, seed, first, count):
    """Play the random games ``first`` to ``first + count - 1`` of a seed from ``board``, without
    the GIL.

    Returns (margin, plies): int32 and int16 arrays of shape ``(count,)``, the margin being Black's
    score minus White's in half points, or 1, 0 and -1 with longest scoring.
    :func:`catena.playouts` is the friendly form.
    """
    cdef uint64_t seed_number = checked_seed(seed)
    cdef uint64_t start = checked_range(first, "first", 0, 2**63)
    cdef Py_ssize_t games = checked_range(count, "count", 1, MAX_PLAYOUTS), done = 0, piece
    cdef State scratch
    margin = numpy.empty(games, numpy.int32)
    plies = numpy.empty(games, numpy.int16)
    cdef int32_t[::1] margins = margin
    cdef int16_t[::1] lengths = plies
    with cython.critical_section(board):
        scratch = board.state
    while done < games:
        piece = min(games - done, 1024)     # between signals
        with nogil:
            loops.playouts(
                &scratch, near_of(&scratch), seed_number, start + done, piece,
                &margins[done], &lengths[done],
            )
        PyErr_CheckSignals()
        done += piece
    return margin, plies


# ---- the build ----

def _cpu_has_bmi2():
    """Whether this machine runs the loops of catena._loops_bmi2, and faster than the portable ones.
    """
    return bool(cpu_has_fast_bmi2())


def _set_loops(capsule, name):
    """Take hot loops compiled elsewhere, in a capsule; ``name`` is what build_info() calls them."""
    global loops, loops_name
    loops = (<Loops*> PyCapsule_GetPointer(capsule, b"catena.loops"))[0]
    loops_name = name


def build_info():
    """How this engine was built: a dict of compiler, flags, and the switches of the build."""
    return {
        "compiler": (<bytes> COMPILER).decode(),
        "flags": (<bytes> FLAGS).decode(),
        "native": bool(NATIVE),
        "debug": bool(DEBUG),
        "sanitize": bool(SANITIZE),
        "loops": loops_name,
        "sets": "1 to 5 words of 64 bits",
    }


@cython.final
@cython.binding(False)     # as for Board
cdef class _Floor:
    """What a call of a compiled method costs at least: the floor that benchmarks compare with."""

    def empty(self, int number):
        """Do nothing."""
