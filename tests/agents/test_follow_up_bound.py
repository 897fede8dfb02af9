"""The follow-up bound against its specification, pair by pair, and against the truth."""

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agents.solver.follow_up import RACE_LEFT, follow_up_bound
from agents.solver.position_bounds import position_of
from envs import BoardState, ConnectX
from envs.bitboard import board_masks
from tests.helpers.brute_force import BruteForce, score_by_brute_force
from tests.helpers.strategies import connect_games, late_positions

games = connect_games(largest=9, longest_line=6).filter(lambda env: env.inarow > 1)


def bound_of(env: ConnectX, state: BoardState, alpha: int) -> int:
    board = board_masks(env.rows, env.columns, env.inarow)
    position = position_of(board, board.board & state.mover, board.board & state.mask)
    return follow_up_bound(board, position.mover, position.mask, position.threats, alpha)


def leading_states(env: ConnectX, seed: int) -> list[BoardState]:
    """The states of a game without wins in which the player to move could not win at once.

    Its moves are random, up to where each one wins; so it lasts long, and few lines are left.
    """
    rng, state = Random(seed), env.initial_state()
    found = []
    while actions := env.get_available_actions(state):
        children = [env.get_next_state(state, action) for action in actions]
        quiet = [child for child in children if not child.won]
        if len(quiet) == len(children):
            found.append(state)
        if not quiet:
            break
        state = rng.choice(quiet)
    return found


@given(games, st.integers(0, 2**32 - 1), st.integers(-4, 1))
def test_the_bound_is_that_of_the_pairs_one_by_one(env: ConnectX, seed: int, alpha: int) -> None:
    assume((env.rows + 1) * env.columns not in (64, 128, 256))
    for state in leading_states(env, seed):
        assert bound_of(env, state, alpha) == follow_up_by_pairs(env, state, alpha)


def test_each_kind_of_bound_and_what_makes_more_of_them_are_met() -> None:
    """None; a draw; a loss by the last stone; a loss before that. All are the specification's.

    A choice of columns and a race for lines each make bounds that there were not without it.
    """
    met, chosen, raced = Counter[int](), 0, 0
    for env in (ConnectX(6, 7), ConnectX(6, 6), ConnectX(6, 5), ConnectX(5, 6), ConnectX(7, 7)):
        for seed in range(100):
            for state in leading_states(env, seed):
                for alpha in (0, -1, -2):
                    bound = bound_of(env, state, alpha)
                    met[max(-2, min(bound, 1))] += 1
                    if bound < 1:  # nine in ten have none
                        assert bound == follow_up_by_pairs(env, state, alpha)
                        chosen += follow_up_by_pairs(env, state, alpha, may_choose=False) > 0
                        raced += follow_up_by_pairs(env, state, alpha, race_left=36) > 0
    assert min(met[kind] for kind in (1, 0, -1, -2)) >= 30, met
    assert min(chosen, raced) >= 10, (chosen, raced)


@pytest.mark.parametrize("size", [(7, 8), (7, 16), (15, 16)])
def test_where_a_guard_would_be_the_sign_there_is_none(size: tuple[int, int]) -> None:
    env = ConnectX(*size)
    for state in leading_states(env, 1):
        assert bound_of(env, state, 0) == env.rows * env.columns


@given(late_positions(connect_games(largest=6, longest_line=5), most_free_cells=11))
def test_no_score_is_above_the_bound(position: tuple[ConnectX, BoardState]) -> None:
    env, state = position
    actions = env.get_available_actions(state)
    assume(env.inarow > 1 and not any(env.get_next_state(state, a).won for a in actions))
    score = score_by_brute_force(env, BruteForce(env), state)
    for alpha in (0, -1, -2):
        assert score <= follow_up_by_pairs(env, state, alpha, race_left=0)


# --- the specification: column by column, pair by pair, on sets

Cell = tuple[int, int]
"""Column, and height above the bottom row, which is 0."""


def follow_up_by_pairs(
    env: ConnectX,
    state: BoardState,
    alpha: int,
    *,
    may_choose: bool = True,
    race_left: int = RACE_LEFT,
) -> int:
    """An upper bound, of at most alpha, of the score of the player to move, the leader.

    The leader does not win at once. The other one, the follower, answers each move with the other
    cell of its pair. So of a pair in a column the leader gets the lower cell and the follower the
    upper one.

    Returns:
        The bound; the number of the board's cells where the rules give none.
    """
    none = env.rows * env.columns
    leader, follower = stones(env, state)
    columns = [free_cells(env, state, column) for column in range(env.columns)]
    plain_ends = [lowest_win(env, free[1::2], follower) for free in columns]
    shifted_ends = [lowest_win(env, free[2::2], follower) for free in columns]
    odd = [len(free) % 2 == 1 for free in columns]
    shifted = [odd[n] and plain_ends[n] is None for n in range(env.columns)]
    if sum(shifted) % 2:  # one must be of the other kind: the first that the follower can choose
        other = [plain_ends[n] if odd[n] else shifted_ends[n] for n in range(env.columns)]
        free_to_choose = [n for n in range(env.columns) if other[n]] if may_choose else []
        if not free_to_choose:
            return none
        shifted[free_to_choose[0]] ^= True
    lead, follow, bases = set(leader), set(follower), list[Cell]()
    above_ends: list[int] = []
    for column, free in enumerate(columns):
        end = shifted_ends[column] if shifted[column] else plain_ends[column]
        if shifted[column]:  # its lowest cell is paired with that of another column
            bases.append(free.pop(0))
        if end is not None:  # the game ends with it at the latest: nobody gets the cells above
            above_ends.append(env.rows - 1 - end[1])
            del free[free.index(end) + 1 :]
        lead.update(free[0::2])
        follow.update(free[1::2])
    bound = 0
    if above_ends:
        # The leader holds out longest by leaving free, until all else is full, the last pair below
        # each of these wins. Then one of them is played; left are the other pairs, and all above.
        left = sum(above_ends) + 2 * (len(above_ends) - 1)
        bound = -(1 + left // 2)  # a loss scores the stones that the winner has left, and 1
    elif alpha < 0 and has_line(env, follow):
        bound = -1  # by the last stone at the latest
    # Of one pair of bases the leader gets either; of more, at worst a half that makes a line.
    shares = [[base] for base in bases] if len(bases) == 2 else [bases]
    lines = {line for share in shares for line in lines_of(env, lead.union(share))}
    if none - state.ply > race_left:
        lines = {line for line in lines if is_first(env, set(line) - leader, follower, follow)}
    return none if bound > alpha or lines else bound


def is_first(env: ConnectX, missing: set[Cell], follower: set[Cell], follow: set[Cell]) -> bool:
    """Whether the leader gets the missing cells of a line before the follower has one."""
    below = {(column, lower) for column, height in missing for lower in range(height)}
    is_vertical = len(missing) > len({column for column, _ in missing})
    return is_vertical or not has_line(env, follower | (follow & below))


def stones(env: ConnectX, state: BoardState) -> tuple[set[Cell], set[Cell]]:
    """The stones of the player to move and those of the other one."""
    board = env.to_board(state)
    cells = {
        (column, env.rows - 1 - row): board[row * env.columns + column]
        for row in range(env.rows)
        for column in range(env.columns)
    }
    own, other = state.player, 3 - state.player
    return {c for c in cells if cells[c] == own}, {c for c in cells if cells[c] == other}


def free_cells(env: ConnectX, state: BoardState, column: int) -> list[Cell]:
    """The free cells of a column, from the lowest up."""
    taken = set.union(*stones(env, state))
    return [(column, height) for height in range(env.rows) if (column, height) not in taken]


def lowest_win(env: ConnectX, cells: Iterable[Cell], own: set[Cell]) -> Cell | None:
    """The first of some cells that completes a line of one's own stones."""
    return next((cell for cell in cells if has_line(env, own | {cell})), None)


def has_line(env: ConnectX, own: set[Cell]) -> bool:
    """Whether these cells hold a line."""
    return bool(lines_of(env, own))


def lines_of(env: ConnectX, own: set[Cell]) -> set[tuple[Cell, ...]]:
    """The lines of these cells."""
    return {line for cell in own for line in lines_from(env, cell) if own.issuperset(line)}


def lines_from(env: ConnectX, cell: Cell) -> Iterator[tuple[Cell, ...]]:
    """The cells of a line that begins in a cell, in each direction."""
    column, height = cell
    for right, up in ((0, 1), (1, 1), (1, 0), (1, -1)):
        yield tuple((column + n * right, height + n * up) for n in range(env.inarow))
