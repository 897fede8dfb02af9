"""What an agent thinks of each move of a position, told to the person who is to move."""

from collections.abc import Mapping
from math import trunc

from agents.protocol import Agent
from envs.board import BoardGame, BoardState


def sign_of(player: int) -> int:
    """What turns a value from player 1's view into one from the view of `player`."""
    return 1 if player == 1 else -1


def move_values(
    agent: Agent, env: BoardGame, state: BoardState, time_limit: float
) -> dict[int, float | None]:
    """What each move is worth to the player whose turn it is, from -1 to 1.

    The agent searches each position that a move leads to: what one search of `state` says of its
    other moves are bounds for some agents, and nothing for others.

    Args:
        agent: who judges.
        env: the rules.
        state: a position in which the game goes on.
        time_limit: seconds for all moves together.

    Returns:
        The value by action; None where the agent estimates none.
    """
    legal = env.get_available_actions(state)
    share = time_limit / len(legal)
    return {action: _move_value(agent, env, state, action, share) for action in legal}


def _move_value(
    agent: Agent, env: BoardGame, state: BoardState, action: int, time_limit: float
) -> float | None:
    sign = sign_of(state.player)
    child = env.get_next_state(state, action)
    if not env.get_available_actions(child):
        return sign * env.reward(state, action)
    result = agent.search(env, child, time_limit)
    return sign * result.value if result.action_values else None


def best_moves(values: Mapping[int, float | None]) -> list[int]:
    """The moves with the highest value; none where no value is known."""
    highest = max((value for value in values.values() if value is not None), default=None)
    return [action for action, value in values.items() if value is not None and value == highest]


def value_text(value: float | None) -> str:
    """A value in three decimals; only a proven win or loss reads +1.000 or -1.000."""
    if value is None:
        return "unknown"
    verdict = {1.0: " a win", -1.0: " a loss"}.get(value, "")
    return f"{trunc(value * 1000) / 1000:+.3f}{verdict}"
