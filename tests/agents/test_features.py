"""Features of positions, against their definition read off Kaggle's flat board cell by cell."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agents.networks.features import feature_board, features_of_all
from agents.networks.network import features_of, rows_of_both
from envs import BoardGame, BoardState, ConnectX, TicTacToe
from envs.compiled.jit import compiled
from tests.helpers.flat_boards import free_cells, has_line
from tests.helpers.strategies import Position, board_games, unfinished_positions

GAMES: list[BoardGame] = [ConnectX(), ConnectX(5, 4, inarow=3), TicTacToe()]


def lines_of(env: BoardGame) -> list[list[int]]:
    """The winning lines as places of the flat board, in the order of the package's own."""
    found = []
    for mask in env.winning_lines:
        board = env.to_board(BoardState(mask, mask, 1, False))
        found.append([place for place, stone in enumerate(board) if stone])
    return found


def facts(env: BoardGame, state: BoardState) -> tuple[list[set[int]], set[int]]:
    """The groups of cells by their bits, and the numbers of lines with their counts of stones."""
    board, rows = env.to_board(state), env.rows
    mover, other = state.player, 3 - state.player

    def bit(place: int) -> int:
        row, column = divmod(place, env.columns)
        return column * (rows + 1) + rows - 1 - row

    def stones(player: int) -> set[int]:
        return {place for place, stone in enumerate(board) if stone == player}

    def threats(player: int) -> set[int]:
        completed = {place: [*board[:place], player, *board[place + 1 :]] for place in stones(0)}
        return {place for place, after in completed.items() if has_line(after, env, player)}

    free = set(free_cells(env, board).values())
    groups = stones(mover), stones(other), threats(mover), threats(other), free
    found, lines, counts = set(), lines_of(env), env.inarow - 1
    for turn, (player, opponent) in enumerate([(mover, other), (other, mover)]):
        for number, line in enumerate(lines):
            held = [board[place] for place in line]
            if player in held and opponent not in held:
                found.add((turn * len(lines) + number) * counts + held.count(player) - 1)
    return [{bit(place) for place in group} for group in groups], found


def numbers(groups: Sequence[set[int]], places: Sequence[int], bits: int) -> set[int]:
    """Features of groups of cells, of which each has its place among the groups."""
    return {
        place * bits + bit for place, group in zip(places, groups, strict=True) for bit in group
    }


def moves_second(env: BoardGame, state: BoardState) -> bool:
    return int(np.count_nonzero(env.to_board(state))) % 2 == 1


def expected_features(env: BoardGame, state: BoardState) -> set[int]:
    (groups, lines), bits = facts(env, state), (env.rows + 1) * env.columns
    found = numbers(groups, range(5), bits) | {5 * bits + line for line in lines}
    if not moves_second(env, state):
        return found
    of_player = 5 * bits + 2 * len(lines_of(env)) * (env.inarow - 1)
    return {of_player + feature for feature in found} | {2 * of_player}


def features_in_format_2(env: BoardGame, state: BoardState) -> set[int]:
    (groups, lines), bits = facts(env, state), (env.rows + 1) * env.columns
    second = moves_second(env, state)
    found = numbers(groups, [0, 1, 2 + second, 4 + second, 6], bits)
    return found | {7 * bits + 1 + line for line in lines} | ({7 * bits} if second else set())


@given(unfinished_positions(board_games(largest=8) | st.sampled_from(GAMES)))
def test_features_are_what_the_board_shows(position: Position) -> None:
    env, state = position
    board = feature_board(env)
    found = features_of(board, state)
    assert len(found) == len(set(found)) <= board.most
    assert set(found) == expected_features(env, state)
    assert max(found) < board.features


@given(unfinished_positions(board_games(largest=8) | st.sampled_from(GAMES)))
def test_rows_of_an_older_file_add_up_as_they_did(position: Position) -> None:
    env, state = position
    bits, lines = (env.rows + 1) * env.columns, len(env.winning_lines)
    older = np.arange(7 * bits + 1 + 2 * lines * (env.inarow - 1), dtype=np.float32)[:, np.newaxis]
    rows = rows_of_both(older, bits)
    assert len(rows) == feature_board(env).features
    assert set(rows[features_of(feature_board(env), state), 0]) == features_in_format_2(env, state)


def test_compiled_features_are_those_of_plain_python() -> None:
    env = ConnectX()
    board = feature_board(env)
    state, states = env.initial_state(), []
    for column in [3, 3, 2, 4, 4, 2, 2, 5, 1, 1, 6, 0]:
        states.append(state)
        state = env.get_next_state(state, column)
    found = np.zeros((len(states), board.most), np.int64)
    counts = np.zeros(len(states), np.int64)
    movers = np.array([s.mover for s in states])
    masks = np.array([s.mask for s in states])
    compiled(features_of_all)(board, movers, masks, found, counts)
    for row, count, s in zip(found, counts, states, strict=True):
        assert row[:count].tolist() == features_of(board, s)
