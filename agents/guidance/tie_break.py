"""The choice among equally good actions: the one that gives a fallible opponent most to do.

Where both players play exactly, equally good actions lead to the same end. Against an opponent who
errs they do not: each is worth what the likely replies leave on average. This is expectimax, one
reply deep, with exact play after it.
"""

from collections.abc import Callable, Sequence

from agents.agent import TimeUp, expected_value
from agents.guidance.opponent_models import preferences
from envs.protocol import CHANCE, Action, Env, State

TIE_BREAKS = ("first", "expectimax")
"""The ways to choose among equally good actions that options name."""

TEMPERATURE = 0.1
"""Of the opponent: he takes an action that costs him so much, as far as he sees, 1 / e times as
often. Of 0.05 to 0.5 the best in matches from lost positions, if only just."""
LOOK_AHEAD = 4
"""Plies that the opponent is thought to look ahead; so he makes no plain mistakes."""
LEAST_LIKELY = 0.02
"""Replies that are less likely are left out."""

ActionValue = Callable[[State, Action], float]
"""The value of an action in a state, from player 1's view, in [-1, 1]."""


def best_against_fallible(
    env: Env[State, Action],
    state: State,
    candidates: Sequence[Action],
    seen: ActionValue[State, Action],
    exact: ActionValue[State, Action],
) -> Action:
    """The one of equally good actions that is worth most against a fallible opponent.

    Args:
        env: the rules.
        state: where to choose.
        candidates: the equally good actions, at least one. The first of them is chosen where the
            others are no better, and where the functions raise `TimeUp`.
        seen: what the opponent's look-ahead shows of his replies.
        exact: what an action is worth if both play on as well as they can.
    """
    if len(candidates) == 1:
        return candidates[0]
    sign = 1 if env.current_player(state) == 1 else -1
    try:
        values = {
            action: value_against_fallible(env, state, action, seen, exact) for action in candidates
        }
    except TimeUp:
        return candidates[0]
    return max(candidates, key=lambda action: sign * values[action])


def value_against_fallible(
    env: Env[State, Action],
    state: State,
    action: Action,
    seen: ActionValue[State, Action],
    exact: ActionValue[State, Action],
) -> float:
    """The mean value of `action` over the likely replies, from player 1's view.

    Where the opponent is not next to move, this is its exact value.
    """
    child = env.get_next_state(state, action)
    replies = env.get_available_actions(child)
    if not replies or env.current_player(child) in (CHANCE, env.current_player(state)):
        return exact(state, action)
    sign = 1 if env.current_player(child) == 1 else -1
    merits = {reply: sign * seen(child, reply) for reply in replies}
    likely = {
        reply: probability
        for reply, probability in preferences(merits, TEMPERATURE).items()
        if probability >= LEAST_LIKELY
    }
    return expected_value([exact(child, reply) for reply in likely], likely.values())
