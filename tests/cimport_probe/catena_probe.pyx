"""Catena's engine used from C: states copied out of boards, played and counted without Python."""

from libc.stdint cimport int16_t, uint64_t

from catena._core cimport (
    BLACK, MAX_MOVES, MAX_PLIES, OPEN, STONES, Board, Geometry, State, Undo, geometry_of, state_has,
    state_is_legal, state_key, state_legal_count, state_legal_moves_into, state_num_moves,
    state_pop, state_push, state_scores_into, state_start, state_winner, undo_bytes,
)


def facts(Board board):
    """What a copy of the board's state says of itself."""
    cdef State state = board.state
    cdef const Geometry* geometry = geometry_of(state.size)
    cdef int16_t moves[MAX_MOVES]
    cdef int halves[2]
    cdef int count = state_legal_moves_into(&state, moves)
    cdef int cell
    state_scores_into(&state, halves)
    return {
        "size": state.size,
        "num_cells": geometry.num_cells,
        "num_moves": state_num_moves(&state),
        "key": state_key(&state),
        "legal_count": state_legal_count(&state),
        "legal_moves": [moves[i] for i in range(count)],
        "stones": [cell for cell in range(state.num_cells) if state_has(&state, STONES, cell)],
        "scores": (halves[0] / 2, halves[1] / 2),
        "winner": state_winner(&state) or None,
    }


def pushed(Board board, list moves):
    """Play moves on a copy of the board's state: (key, legal moves) after each, then all is popped
    again and the key at the start is compared."""
    cdef State state = board.state
    cdef Undo undo[MAX_PLIES]
    cdef int move, ply = 0
    cdef uint64_t start = state_key(&state)
    seen = []
    for move in moves:
        if not state_is_legal(&state, move):
            raise ValueError(f"{move} is not legal")
        state_push(&state, move, &undo[ply])
        ply += 1
        seen.append((state_key(&state), state_legal_count(&state)))
    while ply:
        ply -= 1
        state_pop(&state, &undo[ply])
    if state_key(&state) != start:
        raise AssertionError("the moves were not taken back")
    return seen


cdef uint64_t walk(State* state, int depth) noexcept nogil:
    cdef int16_t moves[MAX_MOVES]
    cdef Undo undo
    cdef uint64_t total = 0
    cdef int i, count
    if depth == 0:
        return 1
    count = state_legal_moves_into(state, moves)
    for i in range(count):
        state_push(state, moves[i], &undo)
        total += walk(state, depth - 1)
        state_pop(state, &undo)
    return total


def perft(Board board, int depth):
    """perft by plain pushing and popping, without the GIL."""
    cdef State state = board.state
    cdef uint64_t total
    with nogil:
        total = walk(&state, depth)
    return total


def started(int size, int game, int scoring, int komi):
    """A new state: its key and its number of legal moves."""
    cdef State state
    state_start(&state, size, game, scoring, komi)
    return state_key(&state), state_legal_count(&state)


def sizes():
    """Bytes of the structs, and of one undo record on each size."""
    cdef State state
    records = {}
    for size in range(2, 11):
        state_start(&state, size, 0, 0, 0)
        records[size] = undo_bytes(&state)
    return sizeof(State), sizeof(Undo), records
