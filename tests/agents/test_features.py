"""Features of positions, against their definition read off Kaggle's flat board cell by cell."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agents.policy.features import feature_board, features_of_all
from agents.policy.network import features_of
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


def expected_features(env: BoardGame, state: BoardState) -> set[int]:
    board, rows = env.to_board(state), env.rows
    mover, other, bits = state.player, 3 - state.player, (env.rows + 1) * env.columns
    second = int(np.count_nonzero(board)) % 2

    def bit(place: int) -> int:
        row, column = divmod(place, env.columns)
        return column * (rows + 1) + rows - 1 - row

    def threats(player: int) -> set[int]:
        free = [place for place, stone in enumerate(board) if not stone]
        completed = ([*board[:place], player, *board[place + 1 :]] for place in free)
        pairs = zip(free, completed, strict=True)
        return {place for place, after in pairs if has_line(after, env, player)}

    groups = [
        (0, {place for place, stone in enumerate(board) if stone == mover}),
        (1, {place for place, stone in enumerate(board) if stone == other}),
        (2 + second, threats(mover)),
        (4 + second, threats(other)),
        (6, set(free_cells(env, board).values())),
    ]
    features = {group * bits + bit(place) for group, places in groups for place in places}
    if second:
        features.add(7 * bits)
    lines, counts = lines_of(env), env.inarow - 1
    for turn, (player, opponent) in enumerate([(mover, other), (other, mover)]):
        for number, line in enumerate(lines):
            stones = [board[place] for place in line]
            if player in stones and opponent not in stones:
                first = 7 * bits + 1 + (turn * len(lines) + number) * counts
                features.add(first + stones.count(player) - 1)
    return features


@given(unfinished_positions(board_games(largest=8) | st.sampled_from(GAMES)))
def test_features_are_what_the_board_shows(position: Position) -> None:
    env, state = position
    board = feature_board(env)
    found = features_of(board, state)
    assert len(found) == len(set(found)) <= board.most
    assert set(found) == expected_features(env, state)
    assert max(found) < board.features


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
