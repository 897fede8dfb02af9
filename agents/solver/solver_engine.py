"""The compiled solver: its engine with the table, and jobs of positions to solve."""

from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from math import inf
from typing import TypeAlias, TypeGuard

from agents.agent import Clock
from agents.compiled.compilation import (
    CREATING,
    WIDE_BOARDS,
    Compilation,
    is_compiled_game,
    takes_wide_words,
)
from agents.solver.plain_solver import PlainEngine, PlainJob
from agents.solver.score_table import MOST_CELLS, empty_table, next_generation, table_layout
from agents.solver.solver_kernel import MOVE_FIELDS, SOLVER_FRAME_FIELDS, SolverStack
from agents.solver.solver_windows import (
    GENERATION,
    SOLVER_PROGRESS_FIELDS,
    VISITED,
    Batch,
    SolverArrays,
    is_compiled_for_itself,
    make_solve,
)
from envs.bitboard import board_masks, fits_in_wide_word
from envs.board import BoardState
from envs.compiled.jit import words_of, zeros
from envs.compiled.random_stream import random_action, stream_of_seed
from envs.connectx import ConnectX

SLICE_NODES = 65_536  # nodes between two looks at the clock: some 10 ms
OWN_CODE_NODES = 50_000_000
"""Nodes, some six seconds, after which a board gets code of its own. That takes seven seconds to
compile, and a node then takes some three quarters of the time."""
UNDER_WAY = 1 << 12  # places for positions that threads search at the same time
PROOF_BOARD = ConnectX(rows=7, columns=8, inarow=5)
"""The board that tests the shared code for all boards: it fills a word, including its sign."""
PROOF_MEGABYTES = 1
PROOF_GAMES = 40
"""Random games for late positions. The compiled engine is used only if its bounds of them do not
contradict those of plain Python."""
PROOF_CELLS_LEFT = 14  # free cells in such a position
PROOF_NODES = 20_000  # for all of them, in each engine: some tenths of a second


class CompiledEngine:
    """The compiled kernel for one size of board, and the table that its searches share.

    It begins with code that serves all boards, unless it is compiled `for_itself`.
    """

    def __init__(self, env: ConnectX, table_megabytes: int, for_itself: bool = False) -> None:
        self.board = board_masks(*env.size)
        self.layout = table_layout(self.board, table_megabytes)
        try:
            self.table = empty_table(self.layout)
        except MemoryError:
            advice = "choose a smaller table_megabytes"
            raise ValueError(f"no memory for a table of {table_megabytes} MB: {advice}") from None
        self.generation = 1
        for_itself = for_itself or is_compiled_for_itself(self.board)
        self.solve = make_solve(self.board, self.layout, for_itself)
        self._env = env
        self._nodes_left: float = inf if for_itself else OWN_CODE_NODES

    def hasten(self, nodes: int) -> None:
        """Count visited nodes; after many, compile code for this board alone, and go on with it.

        A process whose users choose the boards does not: machine code is never freed.
        """
        self._nodes_left -= nodes
        if self._nodes_left > 0 or WIDE_BOARDS.most is not None:
            return
        own = own_compilation(self._env)
        own.begin(beside=True)
        if own.is_ready(patient=False):
            self.solve = make_solve(self.board, self.layout, for_itself=True)
            self._nodes_left = inf
        elif own.has_failed():
            self._nodes_left = inf

    def forget(self) -> None:
        """Empty the table."""
        self.generation = next_generation(self.layout, self.table, self.generation)


class CompiledJob:
    """Positions that are solved one after the other, with the bounds proven so far.

    None of them is finished. A score outside of the given bounds is only bounded by the nearer one.
    Each position of a `cold` job starts with an empty table, so no other job may run at the same
    time; a `helper` may share the work of a `shared` job.
    """

    def __init__(
        self,
        engine: CompiledEngine,
        states: Sequence[BoardState],
        lower: int,
        upper: int,
        cold: bool,
        shared: bool,
    ) -> None:
        self.engine = engine
        self.cancelled = False  # setting it to True ends the job soon
        self.lowers = words_of([lower] * len(states))
        self.uppers = words_of([upper] * len(states))
        word = type(engine.board.board)
        movers = words_of([state.mover for state in states], word)
        masks = words_of([state.mask for state in states], word)
        under_way = zeros(UNDER_WAY if shared else 0, word=word)
        self._batch = Batch(movers, masks, self.lowers, self.uppers, cold, under_way)
        self._begin()

    def _begin(self) -> None:
        board = self.engine.board
        # As many as in the longest game, with the nodes before its first and last move.
        plies, word = board.cells + 2, type(board.board)
        frames = zeros(plies, SOLVER_FRAME_FIELDS, word=word)
        self._stack = SolverStack(frames, zeros(plies, board.columns, MOVE_FIELDS, word=word))
        self._progress = zeros(SOLVER_PROGRESS_FIELDS)
        self._progress[GENERATION] = self.engine.generation

    def helper(self) -> "CompiledJob":
        """A job of the same positions for another thread, which shares the work of this one."""
        helper = copy(self)
        helper.lowers, helper.uppers = self.lowers.copy(), self.uppers.copy()
        helper._batch = self._batch._replace(lowers=helper.lowers, uppers=helper.uppers)
        helper._begin()
        return helper

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return int(self._progress[VISITED])

    def run(self, clock: Clock, node_limit: float) -> None:
        """Continue until all are solved, the time is up, or `node_limit` nodes are visited."""
        solved = False
        while not (solved or self.cancelled or clock.expired() or self.nodes >= node_limit):
            before = self.nodes
            arrays = SolverArrays(self._stack, self.engine.table, self._progress)
            limit = int(min(before + SLICE_NODES, node_limit))
            solved = self.engine.solve(self._batch, arrays, limit)
            self.engine.hasten(self.nodes - before)
        self.engine.generation = int(self._progress[GENERATION])


SolverEngine: TypeAlias = CompiledEngine | PlainEngine
"""A search for one size of board, with its table."""
SolverJob: TypeAlias = CompiledJob | PlainJob


def fits_solver(rows: int, columns: int, inarow: int) -> bool:
    """Whether the solver supports a board."""
    return fits_in_wide_word(rows, columns, inarow) and rows * columns <= MOST_CELLS


def is_solvable(env: object) -> TypeGuard[ConnectX]:
    """Whether the solver supports a game: ConnectX on a board for which `fits_solver` is true."""
    return is_compiled_game(env) and fits_solver(*env.size)


def solver_compilation(env: ConnectX) -> Compilation:
    """The compilation of the solver for a board; one serves all boards that share code."""
    with CREATING:
        if is_compiled_for_itself(board_masks(*env.size)):
            return _compilation_on(env, f"the solver of {env!r}")
        return _compilation_on(PROOF_BOARD, "the solver")


def own_compilation(env: ConnectX) -> Compilation:
    """The compilation of the solver for a board alone, which can also share code."""
    with CREATING:
        return _compilation_on(env, f"the solver of {env!r}", for_itself=True)


@lru_cache
def _compilation_on(env: ConnectX, search: str, for_itself: bool = False) -> Compilation:
    """The compilation that is tested on a board."""

    def finds_what_plain_python_finds() -> bool:
        states, most = _late_positions(env), env.rows * env.columns
        jobs: list[SolverJob] = [
            CompiledJob(
                CompiledEngine(env, PROOF_MEGABYTES, for_itself), states, -most, most, False, False
            ),
            PlainJob(PlainEngine(env), states, -most, most, cold=False),
        ]
        for job in jobs:
            job.run(Clock(), PROOF_NODES)
        one, other = jobs
        bounds = zip(one.lowers, other.lowers, one.uppers, other.uppers, strict=True)
        return all(max(a, b) <= min(c, d) for a, b, c, d in bounds)

    board = env if takes_wide_words(env) else None
    otherwise = "run by the code for all boards" if for_itself else "run in plain Python"
    return Compilation(search, finds_what_plain_python_finds, board, otherwise)


def _late_positions(env: ConnectX) -> list[BoardState]:
    """Unfinished positions of random games, with few free cells."""
    states, stream = [], stream_of_seed(1)
    for _ in range(PROOF_GAMES):
        state, legal = env.initial_state(), env.get_available_actions(env.initial_state())
        while legal and env.rows * env.columns - state.ply > PROOF_CELLS_LEFT:
            action, stream = random_action(legal, env.columns, stream)
            state = env.get_next_state(state, action)
            legal = env.get_available_actions(state)
        if legal:
            states.append(state)
    return states
