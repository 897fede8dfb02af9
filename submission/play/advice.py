"""The program's part of the talk: values of moves, help, results, and ways to go on."""

from collections.abc import Mapping
from math import trunc
from shlex import quote

from agents.agent import Agent
from agents.solver.solver_engine import is_solvable
from envs.board import BoardGame, BoardState, moves_text
from envs.connectx import ConnectX
from envs.games import GAMES, game_entry
from envs.render import SYMBOLS
from submission.play.moves import History


def sign_of(player: int) -> int:
    """The factor that turns a value from player 1's view into one from the view of `player`."""
    return 1 if player == 1 else -1


def move_values(
    agent: Agent, env: BoardGame, state: BoardState, time_limit: float
) -> dict[int, float | None]:
    """Value each move for the player whose turn it is, from -1 to 1.

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


def help_text(env: BoardGame) -> str:
    """List what can be typed."""
    name, last = game_entry(env).place.name, len(env.action_cells)
    return (
        f"1 to {last}   play in that {name}\n"
        "undo     take your last move and the reply back\n"
        "values   what the agent thinks of each of your moves\n"
        "hint     the move that the agent would play in your place\n"
        "help     this list\n"
        "quit     leave the game (or Ctrl-D, or Ctrl-C)"
    )


def prompt_text(history: History) -> str:
    """The question for the next move."""
    name, last = game_entry(history.env).place.name, len(history.env.action_cells)
    return f"Your move ({SYMBOLS[history.state.player]}), {name} 1 to {last}: "


def greeting(person: int, opponent: str) -> str:
    """Say who plays whom."""
    return (
        f"You are {SYMBOLS[person]} and {opponent} is {SYMBOLS[3 - person]}; X begins. "
        "Type help to see what else you can type."
    )


def values_text(opponent: str, env: BoardGame, values: Mapping[int, float | None]) -> str:
    """The value of each move, for the person; the best ones are marked."""
    best = best_moves(values)
    if not best:
        return f"{opponent} estimates no values: only what ends the game is known to it"
    name = game_entry(env).place.name
    width = len(str(max(values) + 1))
    lines = [
        f"  {name} {action + 1:{width}}  {value_text(value)}{'  best' if action in best else ''}"
        for action, value in values.items()
    ]
    heading = f"What {opponent} thinks of your moves, from -1 (you lose) to +1 (you win):"
    return "\n".join([heading, *lines])


def verdict(history: History, person: int, opponent: str) -> str:
    """Say how the game has ended."""
    if not history.is_over:
        return "The game is not over."
    winner = history.env.winner(history.state)
    if winner is None:
        return "The game is a draw."
    who = "You win" if winner == person else f"{opponent} wins"
    return f"{who} ({SYMBOLS[winner]})."


def ways_on(history: History, person: int, opponent: str) -> str:
    """The moves, and the commands that take them further, against the opponent of that text.

    Of a finished game that is the position before its last ply: after it there is nothing to do.
    """
    if not history.actions:
        return "No move was made."
    moves = moves_text(history.actions[:-1] if history.is_over else history.actions)
    where = f"{quote(moves)}{game_options(history.env)}"
    seat = "" if person == 1 else f" --seat {person}"
    commands = [
        f"connectx play {quote(opponent)}{seat} --moves {where}",
        f"connectx explain --moves {where}",
    ]
    if is_solvable(history.env):
        commands.append(f"connectx solve {where}")
    heading = "To go on from before the last one:" if history.is_over else "To go on from there:"
    lines = [f"The moves were {moves_text(history.actions)}. {heading}"]
    return "\n  ".join([*lines, *commands])


def game_options(env: BoardGame) -> str:
    """The options by which a command line names this game; none for Connect Four."""
    is_default = isinstance(env, ConnectX)  # Connect Four is ConnectX of the default size
    entry = GAMES["connectx"] if is_default else game_entry(env)
    sizes = "".join(
        f" --{size} {getattr(env, size)}"
        for size, default in entry.sizes.items()
        if getattr(env, size) != default
    )
    return sizes if is_default else f" --game {entry.name}{sizes}"
