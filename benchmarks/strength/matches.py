"""Matches between two agents: two games from each opening, with the seats exchanged."""

from collections.abc import Iterable, Mapping

from agents.agent import Agent
from envs.board import BoardGame, BoardState


def openings(env: BoardGame, plies: int) -> list[BoardState]:
    """The unfinished states after this many plies, one of each pair of mirror images.

    From the other one, agents without random numbers would only play mirrored games.
    """
    states = {env.initial_state()}
    for _ in range(plies):
        states = {
            env.get_next_state(state, action)
            for state in states
            for action in env.get_available_actions(state)
        }
    unfinished = [state for state in states if env.get_available_actions(state)]
    boards = {tuple(env.to_board(state)): state for state in unfinished}
    return [boards[board] for board in sorted(boards) if board <= mirrored(board, env.columns)]


def mirrored(board: tuple[int, ...], columns: int) -> tuple[int, ...]:
    """A flat board with left and right exchanged."""
    rows = [board[start : start + columns] for start in range(0, len(board), columns)]
    return tuple(cell for row in rows for cell in reversed(row))


def match_points(
    env: BoardGame, player: Agent, opponent: Agent, starts: Iterable[BoardState]
) -> list[float]:
    """The player's points, of 2, from each start: one game on each seat."""
    return [
        points(play(env, start, {1: player, 2: opponent}), seat=1)
        + points(play(env, start, {1: opponent, 2: player}), seat=2)
        for start in starts
    ]


def play(env: BoardGame, state: BoardState, agents: Mapping[int, Agent]) -> float:
    """The result of a game between the agents on seats 1 and 2, from player 1's view."""
    while env.get_available_actions(state):
        action = agents[env.current_player(state)].act(env, state)
        result = env.reward(state, action)
        state = env.get_next_state(state, action)
    return result


def points(result: float, seat: int) -> float:
    """The points (1, a half or 0) of the player on a seat for a result from player 1's view."""
    return (1 + (result if seat == 1 else -result)) / 2
