"""The levels as a kernel, for vector environments, which play many games in one step.

It chooses the same moves as `agents.levels` with `AlphaBetaAgent` in plain Python: iterative
deepening tries the best action so far first, and among equals chooses the one tried first.
"""

from functools import partial

from agents.compiled.alpha_beta_tables import LONGEST_LINE, WIN_SCORE
from agents.compiled.compilation import is_compiled_game
from agents.compiled.level_search import (
    BEST,
    GAIN_MASK,
    THREAT,
    LevelTables,
    free_cell,
    level_tables,
    line_score,
    line_up,
    search_root,
    wins_above,
)
from agents.guidance.ordering import automatic_order
from agents.levels import DEEPEST_IN_PYTHON, EXACT, Level, LevelAgent, affordable_depth
from envs.bitboard import fits_in_wide_word
from envs.board import BoardGame
from envs.compiled.jit import Words, inlined, jit
from envs.compiled.random_stream import DRAWN_MASK, drawn_index, next_stream
from envs.learning.vector.vector_kernels import KernelOpponent


def level_opponent(agent: LevelAgent, game: BoardGame) -> KernelOpponent | None:
    """The kernel that plays a level's moves; None for levels with a compiled search or solver."""
    deepest = agent.level.depth
    is_plain = deepest <= DEEPEST_IN_PYTHON or (deepest < EXACT and not is_compiled_game(game))
    fits = fits_in_wide_word(*game.size)
    if not is_plain or not fits or game.inarow > LONGEST_LINE:
        return None
    return KernelOpponent(level_reply, agent.seed, partial(tables_of_level, agent.level, game))


def tables_of_level(level: Level, game: BoardGame, threads: int) -> LevelTables:
    """The kernel's tables, with memory for a number of threads."""
    actions = range(game.action_count)
    legal = range(len(actions) + 1)
    depths = [
        [affordable_depth(depth, count) for count in legal]
        for depth in (level.depth, level.slip_depth)
    ]
    order = automatic_order(game, None, actions)
    return level_tables(game, level.slip_numbers, depths, order, threads)


@jit
def level_reply(
    tables: LevelTables, thread: int, stream: int, mover: int, mask: int
) -> tuple[int, int]:
    """Choose the action of a level in an unfinished position; also return the new stream."""
    stream = next_stream(stream)
    slip = 1 if (stream & DRAWN_MASK) < tables.slips[0] else 0
    legal = 0
    for action in range(len(tables.cells)):
        if free_cell(tables, mask, action):
            legal += 1
    depth = tables.depths[slip, legal]
    if depth > 0:
        return best_action(tables, thread, mover, mask, depth), stream
    stream = next_stream(stream)
    left = drawn_index(stream, legal)  # legal actions to skip before the chosen one
    chosen = -1
    while left >= 0:
        chosen += 1
        if free_cell(tables, mask, chosen):
            left -= 1
    return chosen, stream


@inlined
def best_action(tables: LevelTables, thread: int, mover: int, mask: int, depth: int) -> int:
    """The best action by a look-ahead of 1, 2 … `depth` plies, at least 1."""
    actions = tables.actions[thread, 0]
    count, threats, winning, forced = line_up(tables, thread, 0, mover, mask)
    if winning >= 0:
        return int(actions[winning])
    best = best_gain(tables, thread, mover, mask, count, threats)
    if depth == 1 or count == 1 or threats > 1:
        return int(actions[best])
    if threats == 1:  # every action but the forced one loses at once, and that one may, too
        chosen = best if wins_above(tables, mover, mask, actions[forced]) else forced
        return int(actions[chosen])
    left = (tables.board[0] & ~mask).bit_count()
    # Only a draw has an absolute score. If no draw is within reach, scores may start from 0.
    score = line_score(tables, mover, mask) if left <= depth else 0
    for plies in range(2, min(depth, left) + 1):
        to_front(tables.actions[thread, 0], best)
        to_front(tables.gains[thread, 0], best)
        best = search_root(tables, thread, mover, mask, score, count, plies)
        if best < 0:  # all lose: take the best action of the previous depth
            return int(actions[0])
        if tables.numbers[thread, 0, BEST] == WIN_SCORE:
            break
    return int(actions[best])


@inlined
def best_gain(
    tables: LevelTables, thread: int, mover: int, mask: int, count: int, threats: int
) -> int:
    """The place of the action with the highest gain; among equals the first that does not lose."""
    gains = tables.gains[thread, 0]
    most = -1
    for place in range(count):
        most = max(most, gains[place] & GAIN_MASK)
    first = -1
    for place in range(count):
        if gains[place] & GAIN_MASK == most:
            if first < 0:
                first = place
            stopped = 1 if gains[place] >= THREAT else 0
            action = tables.actions[thread, 0, place]
            if threats == stopped and not wins_above(tables, mover, mask, action):
                return place
    return first


@inlined
def to_front(numbers: Words, place: int) -> None:
    """Move an item to the front; the items before it move back by one."""
    number = numbers[place]
    while place > 0:
        numbers[place] = numbers[place - 1]
        place -= 1
    numbers[0] = number
