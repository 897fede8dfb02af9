"""The compiled solver with its memory, and the positions that it is working on."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.clock import Clock
from agents.exact.score_table import empty_table, table_layout
from agents.exact.solver_kernel import (
    COLD,
    FRAME_MOVES,
    GENERATION,
    REGISTERS,
    VISITED,
    make_solve,
)
from agents.words import Words, new_words
from envs.board import BoardState
from envs.board_kernels import board_masks
from envs.connectx import ConnectX
from envs.jit import compiles

SLICE_NODES = 65_536
"""Nodes between two looks at the clock: some 10 ms."""
PLAIN_SLICE_NODES = 256
"""The same without Numba."""


class SolverEngine:
    """The kernel for one size of board, and the transposition table that its searches share.

    Args:
        env: the game.
        table_megabytes: size of the table; `table_layout` says when it is more.
    """

    def __init__(self, env: ConnectX, table_megabytes: int) -> None:
        self.board = board_masks(env.rows, env.columns, env.inarow)
        self.layout = table_layout(self.board, table_megabytes)
        self.table = empty_table(self.layout)
        self.generation = 1
        self.solve = make_solve(self.board, self.layout)

    def forget(self) -> None:
        """Empty the table."""
        self.generation += 1
        if self.generation >> self.layout.generation_bits:
            self.generation = 1
            self.table = empty_table(self.layout)


class SolverJob:
    """Positions that are solved one after the other, with the bounds proven so far.

    Args:
        engine: what solves them.
        states: the positions; in none of them is the game over.
        lower: scores below it need not be told from it.
        upper: scores above it need not be told from it.
        cold: whether each begins with an empty table; then no other job may run.
    """

    def __init__(
        self,
        engine: SolverEngine,
        states: Sequence[BoardState],
        lower: int,
        upper: int,
        cold: bool = False,
    ) -> None:
        self.engine = engine
        self.cancelled = False
        self.lowers = _words([lower] * len(states))
        self.uppers = _words([upper] * len(states))
        self._movers = _words([state.mover for state in states])
        self._masks = _words([state.mask for state in states])
        self._registers = new_words(REGISTERS)
        self._registers[GENERATION] = engine.generation
        self._registers[COLD] = int(cold)
        self._stack = _new_stack(engine.board.cells + 2, FRAME_MOVES + 3 * engine.board.columns)

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return int(self._registers[VISITED])

    def run(self, clock: Clock, node_limit: float) -> None:
        """Go on until all is solved, the time is up, or so many nodes were visited in all."""
        slice_nodes = SLICE_NODES if compiles() else PLAIN_SLICE_NODES
        solved = False
        while not (solved or self.cancelled or clock.expired() or self.nodes >= node_limit):
            solved = self.engine.solve(
                self._movers,
                self._masks,
                self.lowers,
                self.uppers,
                self._registers,
                self._stack,
                self.engine.table,
                int(min(self.nodes + slice_nodes, node_limit)),
            )
        self.engine.generation = int(self._registers[GENERATION])


def _words(numbers: Sequence[int]) -> Words:
    words = new_words(len(numbers))
    for index, number in enumerate(numbers):
        words[index] = number
    return words


def _new_stack(plies: int, size: int) -> Any:
    """What kernels index by ply and place; a dictionary is the quickest in plain Python."""
    return np.zeros((plies, size), np.int64) if compiles() else {}
