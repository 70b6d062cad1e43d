"""The engine of Catena: geometry, rules, keys, perft, playouts, Board and Batch.

Threads: the tables never change after import; different boards are independent; each call on a
shared board is atomic.
"""

cimport cython
from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_STRIDES, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer,
)
from cpython.exc cimport PyErr_CheckSignals
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_CheckExact, PyLong_FromLong
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

import operator
from collections import namedtuple

import numpy

cdef extern from *:
    """
    #ifndef CATENA_NATIVE
      #define CATENA_NATIVE 0
    #endif
    """
    bint NATIVE "CATENA_NATIVE"

include "_kernel.pxi"

# For Python; the C constants have the same names.
globals().update(
    EMPTY=EMPTY, BLACK=BLACK, WHITE=WHITE, NUM_PLANES=NUM_PLANES, MAX_PLAYOUTS=MAX_PLAYOUTS,
    MAX_CLOSED=MAX_CLOSED,
)

include "_perft.pxi"
include "_playout.pxi"
include "_loops.pxi"
# The loops in use: these, until _set_loops brings better ones.
cdef Loops loops = OWN_LOOPS
cdef str loops_name = "native" if NATIVE else "baseline"

include "_geometry.pxi"
include "_rules.pxi"
include "_check.pxi"
include "_planes.pxi"
include "_arguments.pxi"
include "_board.pxi"
include "_functions.pxi"
include "_batch.pxi"
