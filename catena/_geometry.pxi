# Geometry: the constant tables of each size, and the keys of the stones.

cdef Geometry GEOMETRY[MAX_SIZE + 1]
cdef uint64_t STONE_KEYS[3][MAX_CELLS]      # [side][cell]
cdef uint64_t SPREAD[256]                   # byte i in memory of SPREAD[b] is bit i of b


cdef const Geometry* geometry_of(int size) noexcept nogil:
    """The tables of a size from MIN_SIZE to MAX_SIZE."""
    return &GEOMETRY[size]


cdef void fill_cells(Geometry* g, int size, int16_t[21][21] cell_at) noexcept:
    """Number the cells column by column; ``cell_at[c + 1][r + 1]`` has a rim of -1."""
    cdef int column, row, cell = 0, width = 2 * size - 1
    memset(cell_at, 0xff, 21 * 21 * sizeof(int16_t))
    for column in range(width):
        for row in range(width):
            if -size < column - row < size:
                cell_at[column + 1][row + 1] = cell
                g.column[cell] = column
                g.row[cell] = row
                g.grid[cell] = column * width + row
                cell += 1
    g.num_cells = cell
    g.words = (cell + 63) // 64


cdef void fill_neighbours(Geometry* g, int16_t[21][21] cell_at) noexcept:
    # ascending: (-1, -1), (-1, 0), (0, -1), (0, 1), (1, 0), (1, 1)
    cdef int* by_column = [-1, -1, 0, 0, 1, 1]
    cdef int* by_row = [-1, 0, -1, 1, 0, 1]
    cdef int cell, other, i, found
    for cell in range(g.num_cells):
        found = 0
        memset(g.neighbours[cell], 0xff, sizeof(g.neighbours[cell]))
        for i in range(6):
            other = cell_at[g.column[cell] + by_column[i] + 1][g.row[cell] + by_row[i] + 1]
            if other >= 0:
                g.neighbours[cell][found] = other
                found += 1
                g.near[cell * g.words + (other >> 6)] |= <uint64_t>1 << (other & 63)


cdef void fill_images(Geometry* g, int size, int16_t[21][21] cell_at) noexcept:
    """Symmetry s: a reflection in the main diagonal if s >= 6, then s % 6 turns by 60 degrees."""
    cdef int cell, s, x, y, middle = size - 1
    for cell in range(g.num_cells):
        for s in range(NUM_SYMMETRIES):
            x, y = g.column[cell] - middle, g.row[cell] - middle
            if s >= 6:
                x, y = y, x
            for _ in range(s % 6):
                x, y = x - y, x
            g.image[s][cell] = cell_at[x + middle + 1][y + middle + 1]


cdef void fill_tables() noexcept:
    """Fill all tables; called once, at import."""
    cdef int16_t[21][21] cell_at
    cdef uint64_t seed = 0x436174656e61     # "Catena"; the keys are splitmix64's output from here
    cdef int size, side, cell, byte, bit
    memset(GEOMETRY, 0, sizeof(GEOMETRY))
    for size in range(MIN_SIZE, MAX_SIZE + 1):
        fill_cells(&GEOMETRY[size], size, cell_at)
        fill_neighbours(&GEOMETRY[size], cell_at)
        fill_images(&GEOMETRY[size], size, cell_at)
    for side in range(BLACK, WHITE + 1):
        for cell in range(MAX_CELLS):
            seed += <uint64_t>0x9e3779b97f4a7c15
            STONE_KEYS[side][cell] = mix64(seed)
    for byte in range(256):
        for bit in range(8):
            (<uint8_t*> &SPREAD[byte])[bit] = (byte >> bit) & 1


fill_tables()
