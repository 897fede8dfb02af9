"""Exact scores by null-window searches: which windows to try, and for how long.

This is P. Pons' `Solver::solve`, for many positions in turn, in slices between which a caller may
look at the clock. Each search of `agents.solver.solver_kernel` decides whether a score is above
alpha, and so raises its lower bound or lowers its upper bound, until they are equal.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

from agents.solver.position_bounds import position_of, trivial_bounds
from agents.solver.score_table import ScoreTable, TableLayout, next_generation
from agents.solver.solver_kernel import SolverStack, enter_node, search
from envs.bitboard import BoardMasks
from envs.compiled.jit import Words, compiled, inlined, jit

PROBE_NODES = 100_000
"""Nodes of the search for an early win or loss; then the score is assumed to be near 0."""

# The fields of `progress`, which is kept between slices of the search.
INDEX = 0  # number of the position that is being solved
STAGE = 1
VISITED = 2  # nodes visited so far
GENERATION = 3  # the generation of the table's entries
WIDE = 4  # 1 during the search for early wins and losses, then 0
GUESS = 5
WINDOW = 6  # alpha at the root of the current search
PROBE_END = 7  # the number of visited nodes at which WIDE ends
AT_PLY = 8  # the ply at which the current search paused
SOLVER_PROGRESS_FIELDS = 9

# Values of STAGE.
NEXT_POSITION = 0
NEXT_WINDOW = 1
IN_WINDOW = 2


class Batch(NamedTuple):
    """Positions to be solved one after the other."""

    movers: Words  # [n] Stones of the player to move, words as wide as the board needs
    masks: Words  # [n] Stones of both players, in the same words
    lowers: Words  # [n] The lower bound of the score, as far as it is proven
    uppers: Words  # [n] The upper bound
    cold: bool  # whether each begins with an empty table
    under_way: Words
    """[slot] The keys of positions that threads are searching, so that they can share the moves;
    empty for a single thread."""


class SolverArrays(NamedTuple):
    """The memory of a search between its slices."""

    stack: SolverStack
    entries: Words  # the entries of the table; see `agents.solver.score_table`
    progress: Words  # the progress of the search, in words of 64 bits


@inlined
def next_alpha(lower: int, upper: int, guess: int, wide: bool) -> int:
    """The window to search next, for a score known to lie from `lower` to `upper`.

    A `wide` search halves the range, preferring windows nearer to its ends, where an early win or
    loss is proven or ruled out quickly; later windows start at the guess (A. Plaat's MTD(f), 1996).
    """
    if not wide:
        return min(max(guess, lower), upper - 1)
    middle = (lower + upper) // 2
    if middle <= 0 and -(-lower // 2) < middle:
        return -(-lower // 2)
    if middle >= 0 and upper // 2 > middle:
        return upper // 2
    return middle


@inlined
def narrow_bounds(
    board: BoardMasks, layout: TableLayout, batch: Batch, arrays: SolverArrays, node_limit: int
) -> bool:
    """Narrow the bounds of the positions' scores, one position after the other.

    A position is solved when its bounds are equal: to its score, or, if the score lies outside of
    the given bounds, to the nearer one. To begin, set GENERATION, and everything else in `progress`
    to 0.

    Returns:
        Whether all are solved; False if `node_limit` nodes were visited in total: the next call
        continues there.
    """
    progress = arrays.progress
    lowers, uppers = batch.lowers, batch.uppers
    for index in range(progress[INDEX], len(batch.movers)):
        if progress[STAGE] == NEXT_POSITION:
            begin_position(board, layout, batch, arrays, index)
        table = ScoreTable(layout, arrays.entries, progress[GENERATION])
        while lowers[index] < uppers[index]:
            if progress[STAGE] == NEXT_WINDOW:
                open_window(board, batch, arrays, index)
            limit = min(node_limit, progress[PROBE_END]) if progress[WIDE] else node_limit
            ply, value, progress[VISITED] = search(
                board,
                table,
                arrays.stack,
                progress[AT_PLY],
                progress[VISITED],
                limit,
                batch.under_way,
            )
            progress[AT_PLY] = ply
            finished = ply < 0
            if finished and value > progress[WINDOW]:
                lowers[index] = min(uppers[index], value)
                progress[GUESS] = value
            elif finished:
                uppers[index] = max(lowers[index], value)
                progress[GUESS] = value - 1
            elif progress[VISITED] >= node_limit:
                progress[INDEX] = index
                return False
            else:  # the score seems to be near 0
                progress[WIDE] = 0
                progress[GUESS] = 0
            progress[STAGE] = NEXT_WINDOW
        progress[STAGE] = NEXT_POSITION
    progress[INDEX] = len(batch.movers)
    return True


@inlined
def begin_position(
    board: BoardMasks, layout: TableLayout, batch: Batch, arrays: SolverArrays, index: int
) -> None:
    """Begin a position: empty the table if the batch is cold, and set the trivial bounds."""
    progress = arrays.progress
    lower, upper = trivial_bounds(board, batch.movers[index], batch.masks[index])
    batch.uppers[index] = max(batch.lowers[index], min(batch.uppers[index], upper))
    batch.lowers[index] = min(batch.uppers[index], max(batch.lowers[index], lower))
    progress[GUESS] = 0
    progress[WIDE] = 1
    progress[PROBE_END] = progress[VISITED] + PROBE_NODES
    progress[STAGE] = NEXT_WINDOW
    if batch.cold:
        progress[GENERATION] = next_generation(layout, arrays.entries, progress[GENERATION])


@inlined
def open_window(board: BoardMasks, batch: Batch, arrays: SolverArrays, index: int) -> None:
    """Enter a position and the next window to search into frame 0."""
    progress = arrays.progress
    lower, upper = batch.lowers[index], batch.uppers[index]
    alpha = next_alpha(lower, upper, progress[GUESS], progress[WIDE] == 1)
    position = position_of(board, batch.movers[index], batch.masks[index])
    progress[WINDOW] = alpha
    progress[AT_PLY] = 0
    enter_node(arrays.stack, progress[AT_PLY], position, alpha)
    progress[STAGE] = IN_WINDOW


@jit
def solve_on_any_board(
    board: BoardMasks, layout: TableLayout, batch: Batch, arrays: SolverArrays, node_limit: int
) -> bool:
    """`narrow_bounds`, compiled once for all boards of 64 bits."""
    return narrow_bounds(board, layout, batch, arrays, node_limit)


def is_compiled_for_itself(board: BoardMasks) -> bool:
    """Whether a board has its own code from the start: Connect Four, and wide words."""
    return type(board.board) is not int or board[:3] == (6, 7, 4)


def make_solve(board: BoardMasks, layout: TableLayout, for_itself: bool) -> Callable[..., bool]:
    """`narrow_bounds` for a board and a table, compiled for all boards or with its constants."""
    if for_itself:
        return partial(compiled(make_solve_on_board(board)), layout)
    return partial(compiled(solve_on_any_board), board, layout)


@cache
def make_solve_on_board(board: BoardMasks) -> Callable[..., bool]:
    """The kernel for a board, with the board as a constant; cached on disk as the shared one is."""

    @jit
    def solve_on_board(
        layout: TableLayout, batch: Batch, arrays: SolverArrays, node_limit: int
    ) -> bool:
        return narrow_bounds(board, layout, batch, arrays, node_limit)

    return solve_on_board
