# Arguments from Python: each is checked here, and none reaches C unchecked.

# The names of the buffer formats that arrays of the callers may have.
DTYPES = {"b": "int8", "B": "uint8", "?": "bool", "i": "int32", "f": "float32"}


cdef object checked_index(object value, str name):
    """``value`` as an int; a bool is no number here."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    return operator.index(value)


cdef int checked_size(object size) except -1:
    number = checked_index(size, "size")
    if not MIN_SIZE <= number <= MAX_SIZE:
        raise ValueError(f"size must be {MIN_SIZE} to {MAX_SIZE}, got {number}")
    return number


cdef int checked_cell(int size, object cell) except -1:
    number = checked_index(cell, "cell")
    if not 0 <= number < GEOMETRY[size].num_cells:
        last = GEOMETRY[size].num_cells - 1
        raise ValueError(f"cell must be 0 to {last} on size {size}, got {number}")
    return number


cdef int checked_symmetry(object s) except -1:
    number = checked_index(s, "symmetry")
    if not 0 <= number < NUM_SYMMETRIES:
        raise ValueError(f"symmetry must be 0 to {NUM_SYMMETRIES - 1}, got {number}")
    return number


cdef int checked_word(object value, tuple allowed, str name) except -1:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return allowed.index(value)


cdef int checked_komi(object komi, int game, int scoring) except -2:
    """The komi, -1 for None."""
    cdef int most = 0 if game != KOMI else MAX_KOMI_SQUARES if scoring == SQUARES else MAX_KOMI
    if komi is None and game == KOMI:
        return -1
    where = f"with game {games[game]!r} and scoring {scorings[scoring]!r}"
    if komi is None:
        raise ValueError(f"komi must be 0 {where}, got None")
    number = checked_index(komi, "komi")
    if not 0 <= number <= most:
        allowed = f"0 to {most}" if most else "0"
        raise ValueError(f"komi must be {allowed} {where}, got {number}")
    return number


cdef object checked_range(object value, str name, least, most):
    """``value`` as an int from ``least`` to ``most``."""
    number = checked_index(value, name)
    if not least <= number <= most:
        raise ValueError(f"{name} must be {least} to {most}, got {number}")
    return number


cdef uint64_t checked_seed(object seed) except? 0:
    return checked_range(seed, "seed", 0, 2**64 - 1)


cdef int checked_depth(object depth, int least) except -1:
    """A depth of perft; beyond the longest game all depths are alike."""
    number = checked_index(depth, "depth")
    if number < least:
        raise ValueError(f"depth must be >= {least}, got {number}")
    return min(number, MAX_PLIES + 1)


cdef int take_buffer(
    object array, str name, Py_buffer* view, char format, int ndim, const Py_ssize_t* shape,
    bint to_fill
) except -1:
    """Open a caller's contiguous array of ``format`` and ``shape``, all of it checked.

    The caller releases the view.
    """
    cdef Py_ssize_t step
    cdef int i
    cdef bint fits
    if not PyObject_CheckBuffer(array):
        dtype = DTYPES[chr(format)]
        raise TypeError(f"{name} must be an array of {dtype}, not {type(array).__name__}")
    PyObject_GetBuffer(array, view, PyBUF_FORMAT | PyBUF_STRIDES)
    fits = is_format(view, format) and view.ndim == ndim and not (to_fill and view.readonly)
    if fits:
        step = view.itemsize
        for i in range(ndim - 1, -1, -1):
            fits = fits and view.shape[i] == shape[i]
            fits = fits and (view.strides[i] == step or view.shape[i] < 2)
            step *= shape[i]
    if not fits:
        try:
            raise ValueError(f"{name} {fault_in_buffer(view, format, ndim, shape, to_fill)}")
        finally:
            PyBuffer_Release(view)
    return 0


cdef bint is_format(const Py_buffer* view, char format) noexcept:
    """Whether an array's numbers are of ``format``; NumPy may call int32 a long of 32 bits."""
    if view.format == NULL or view.format[0] == 0 or view.format[1] != 0:
        return False
    if view.format[0] == b"l" and format == b"i":
        return view.itemsize == sizeof(int32_t)
    return view.format[0] == format


cdef str fault_in_buffer(
    Py_buffer* view, char format, int ndim, const Py_ssize_t* shape, bint to_fill
):
    """What is wrong with a caller's array."""
    cdef int i
    cdef tuple wanted = tuple([shape[i] for i in range(ndim)])
    cdef tuple has = tuple([view.shape[i] for i in range(view.ndim)])
    if to_fill and view.readonly:
        return "is read-only"
    if not is_format(view, format):
        found = (<bytes> view.format).decode() if view.format != NULL else "B"
        return f"must be {DTYPES[chr(format)]}, not {dtype_name(found)}"
    if has != wanted:
        return f"must have shape {wanted}, has {has}"
    return "must be C-contiguous"


cdef str dtype_name(str format):
    """NumPy's name for a buffer format, the format itself if it has none."""
    try:
        return numpy.dtype(format).name
    except TypeError:
        return f"format {format!r}"
