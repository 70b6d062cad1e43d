"""The hot loops of catena._core once more, compiled for x86-64 machines with BMI2 and LZCNT.

The package hands them to the core at import, on machines that have these.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memcpy, memset

from catena._bits cimport lowest64, popcount64, rotate64, select64
from catena._core cimport (
    BLACK, BLACKS, CHOOSING, DOUBLE, EMPTY, LONGEST, MAX_CELLS, MAX_KOMI, MAX_KOMI_SQUARES,
    MAX_WORDS, NAMING, NEAR1, NEAR2, NO_KOMI, NUM_SETS, OPEN, OVER, PLAY, SQUARES, STONES,
    WHITE, State, Words1, Words2, Words3, Words4, Words5, end_black, end_length, end_other, words_t,
)

include "_kernel.pxi"
include "_perft.pxi"
include "_playout.pxi"
include "_loops.pxi"

LOOPS = PyCapsule_New(&OWN_LOOPS, b"catena.loops", NULL)
