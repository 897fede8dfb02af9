"""What two plies of look-ahead show for certain: wins to take and losses to avoid."""

from collections.abc import Mapping, Sequence

from envs.protocol import CHANCE, Action, Env, State


def winning_action(
    env: Env[State, Action], state: State, actions: Sequence[Action]
) -> Action | None:
    """The first of `actions` that wins at once for the player whose turn it is, or None.

    Where chance decides, no one wins.
    """
    player = env.current_player(state)
    if player == CHANCE:
        return None
    win = 1.0 if player == 1 else -1.0
    for action in actions:
        if env.reward(state, action) == win:
            return action
    return None


def allows_win(env: Env[State, Action], state: State, action: Action) -> bool:
    """Whether the opponent wins at once after `action`, or `action` itself loses the game."""
    player = env.current_player(state)
    child = env.get_next_state(state, action)
    replies = env.get_available_actions(child)
    if not replies:
        return env.reward(state, action) == (-1.0 if player == 1 else 1.0)
    return env.current_player(child) != player and winning_action(env, child, replies) is not None


def sensible_actions(
    env: Env[State, Action], state: State, actions: Sequence[Action]
) -> Sequence[Action]:
    """The actions worth a search: a win if there is one, else those that do not lose at once.

    All of `actions` where each of them loses at once. Leaving the others out never changes the
    value of a state: they are proven to be no better.
    """
    win = winning_action(env, state, actions)
    if win is not None:
        return (win,)
    safe = [action for action in actions if not allows_win(env, state, action)]
    return safe or actions


def best_action(values: Mapping[Action, float], sensible: Sequence[Action], sign: int) -> Action:
    """The first of the best actions for the player with this sign (+1: player 1, -1: player 2).

    Where all that were examined are lost, it is a sensible one that was not, if there is one: the
    time may have been up before its turn came.

    Args:
        values: the value of each examined action, from player 1's view; at least one.
        sensible: the `sensible_actions` of the state.
        sign: whom the action is for.
    """
    best = max(values, key=lambda action: sign * values[action])
    if values[best] == -sign:
        return next((action for action in sensible if action not in values), best)
    return best
