"""Move orderings, and wins and losses found by two plies of look-ahead.

An ordering is a plain function `(env, state, actions) -> actions`. A search tries the actions in
this order; trying better ones first gives more cutoffs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from envs.connectx import ConnectX
from envs.protocol import CHANCE, Action, Env, State

Ordering = Callable[[Any, Any, Sequence[Any]], Iterable[Any]]
Item = TypeVar("Item")


def natural(env: object, state: object, actions: Sequence[Item]) -> Sequence[Item]:
    """Keep the environment's order of the actions."""
    return actions


def centre_first(env: ConnectX, state: object, actions: Sequence[int]) -> Sequence[int]:
    """Order columns from the middle outwards: more lines run through the middle.

    Raises ValueError if the game has no columns.
    """
    if not hasattr(env, "columns"):
        raise ValueError(f"the ordering centre is for columns, not for {env!r}: choose auto")
    return from_the_middle(env.columns, tuple(actions))


@lru_cache(maxsize=4096)
def from_the_middle(columns: int, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """The `chosen` ones of `columns` columns, from the middle outwards."""
    return tuple(sorted(chosen, key=lambda column: abs(2 * column - columns + 1)))


def automatic_order(env: object, state: object, actions: Sequence[Any]) -> Sequence[Any]:
    """`centre_first` for ConnectX, `natural` for every other game."""
    return centre_first(env, state, actions) if isinstance(env, ConnectX) else actions


ORDERINGS: Mapping[str, Ordering] = {
    "auto": automatic_order,
    "centre": centre_first,
    "natural": natural,
}


def in_order(
    ordering: Ordering, env: Env[State, Action], state: State, actions: Sequence[Action]
) -> Sequence[Action]:
    """Put distinct `actions` in the order in which to try them.

    Raises ValueError if the ordering drops or repeats an action: a search might miss the best.
    """
    given = ordering(env, state, actions)
    ordered = tuple(given) if isinstance(given, Iterable) else ()
    if len(ordered) != len(actions) or {*ordered} != {*actions}:
        raise ValueError(
            f"the ordering gives {ordered or given!r} of {tuple(actions)!r} in {state}: it must "
            "give each of them once"
        )
    return ordered


def winning_action(
    env: Env[State, Action], state: State, actions: Sequence[Action]
) -> tuple[Action, ...]:
    """The first of `actions` that wins at once for the player to move, in a tuple, or ().

    It is a tuple because None may be an action, such as a pass. At chance nodes it is empty.
    """
    player = env.current_player(state)
    if player == CHANCE:
        return ()
    win = 1.0 if player == 1 else -1.0
    for action in actions:
        if env.reward(state, action) == win:
            return (action,)
    return ()


def allows_win(env: Env[State, Action], state: State, action: Action) -> bool:
    """Whether the opponent wins at once after `action`, or `action` itself loses the game."""
    player = env.current_player(state)
    child = env.get_next_state(state, action)
    replies = env.get_available_actions(child)
    if not replies:
        return env.reward(state, action) == (-1.0 if player == 1 else 1.0)
    return env.current_player(child) != player and bool(winning_action(env, child, replies))


def safe_actions(
    env: Env[State, Action], state: State, actions: Sequence[Action]
) -> Sequence[Action]:
    """The actions that do not lose at once."""
    return [action for action in actions if not allows_win(env, state, action)]


def sensible_actions(
    env: Env[State, Action], state: State, actions: Sequence[Action]
) -> Sequence[Action]:
    """The actions to search: only a win if there is one, else those that do not lose at once.

    All of `actions` if each loses at once. The value of the state does not change, because the
    actions that are left out are proven to be no better.
    """
    return winning_action(env, state, actions) or safe_actions(env, state, actions) or actions


def best_action(values: Mapping[Action, float], sensible: Sequence[Action], sign: int) -> Action:
    """The first of the best actions for the player with this sign (+1: player 1, -1: player 2).

    `values` has at least one action. If all of its actions lose, the result is one of the
    `sensible` actions that was not examined before the time was up, if there is one.
    """
    best = max(values, key=lambda action: sign * values[action])
    if values[best] == -sign:
        return next((action for action in sensible if action not in values), best)
    return best
