"""Policies for the tests of self-play; a module of their own, so that other processes find them."""

from __future__ import annotations

import os
import time

import numpy as np
from reference import Position

import catena

Game = catena.Board | Position


def uniform(board: Game, rng: np.random.Generator) -> int:
    """Any legal move; plays on the reference too."""
    moves = board.legal_moves()
    return moves[rng.integers(len(moves))]


def in_words(board: catena.Board, rng: np.random.Generator) -> str:
    """What uniform plays, as text."""
    return catena.move_name(board, uniform(board, rng))


def careless(board: catena.Board, rng: np.random.Generator) -> int:
    """What uniform plays; leaves its board in another position."""
    move = uniform(board, rng)
    while board.ply:
        board.pop()
    return move


def slow(board: catena.Board, rng: np.random.Generator) -> int:
    """What uniform plays, so slowly that a game takes longer than a job."""
    time.sleep(0.05)
    return uniform(board, rng)


class Weighted:
    """Prefers low moves or high ones: a policy that is an object with something to carry."""

    def __init__(self, power: float) -> None:
        self.power = power

    def __call__(self, board: Game, rng: np.random.Generator) -> int:
        moves = board.legal_moves()
        return moves[int(len(moves) * rng.random() ** self.power)]


class AtPly:
    """What slow plays, until a ply where it returns or raises something else.

    On an executor that is in a job: the games played to time them are given up before ply 6.
    """

    PLY = 6

    def __init__(self, value: object) -> None:
        self.value = value

    def __call__(self, board: catena.Board, rng: np.random.Generator) -> object:
        if board.ply < self.PLY:
            return slow(board, rng)
        if isinstance(self.value, Exception):
            raise type(self.value)(*self.value.args)  # each game its own, with its own notes
        return self.value


class InOtherProcesses:
    """What uniform plays in the process that made it, and the end of any other."""

    def __init__(self) -> None:
        self.home = os.getpid()

    def __call__(self, board: catena.Board, rng: np.random.Generator) -> int:
        if os.getpid() != self.home:
            os._exit(1)
        return slow(board, rng)
