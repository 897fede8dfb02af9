"""Games as move strings: `"4453"` is four plies, actions counted from 1."""

from collections.abc import Sequence

from envs.protocol import Env, State


def parse_moves(moves: str) -> list[int]:
    """Return the actions of a move string, counted from 0.

    Args:
        moves: a digit for each ply, as in `"4453"`; or numbers separated by commas or blanks, as
            in `"4, 4, 12"`, which a board of ten or more columns needs.

    Raises:
        ValueError: something other than numbers of at least 1.
    """
    numbers = moves.replace(",", " ").split()
    if len(numbers) == 1 and "," not in moves:
        numbers = list(numbers[0])
    for number in numbers:
        if not (number.isascii() and number.isdigit() and int(number) >= 1):
            raise ValueError(f"{number!r} in the moves {moves!r} is not a number of at least 1")
    return [int(number) - 1 for number in numbers]


def moves_text(actions: Sequence[int]) -> str:
    """Return the plies as a move string that `parse_moves` reads."""
    if all(action < 9 for action in actions):
        return "".join(str(action + 1) for action in actions)
    separated = ",".join(str(action + 1) for action in actions)
    return separated if "," in separated else f"{separated},"


def state_from_moves(env: Env[State, int], moves: str) -> State:
    """Return the state after the plies of a move string, from the initial state.

    Raises:
        ValueError: not a move string, or an illegal move; the message says at which ply.
    """
    state = env.initial_state()
    for ply, action in enumerate(parse_moves(moves), start=1):
        legal = [number + 1 for number in env.get_available_actions(state)]
        if action + 1 not in legal:
            advice = f"legal: {', '.join(map(str, legal))}" if legal else "the game is over"
            raise ValueError(f"move {ply} of {moves!r} is {action + 1}: {advice}")
        state = env.get_next_state(state, action)
    return state
