"""The final move: the best child of a Monte Carlo tree, or the best of equally good actions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.agent import TimeUp, expected_value, player_sign
from agents.guidance.opponent_models import preferences
from agents.tree import SearchedNode
from envs.protocol import CHANCE, Action, Env, State

FINAL_MOVES: Mapping[str, Callable[[SearchedNode[Any], int], float]] = {
    "visits": lambda child, sign: child.visits,
    "value": lambda child, sign: sign * child.value,
    "total": lambda child, sign: sign * child.total,
}
"""By name: the number that the final move maximises, for the player with this sign."""


def final_action(node: SearchedNode[Action], final_move: str) -> Action:
    """The best child's action: a proven win, or else by `final_move`, losses last."""
    criterion = FINAL_MOVES[final_move]
    return safest_action(node, lambda action: criterion(node.children[action], node.sign))


def safest_action(node: SearchedNode[Action], criterion: Callable[[Action], Any]) -> Action:
    """The best child's action: a proven win, or else the highest by `criterion`, losses last.

    A proven value, which simulations no longer refine, is taken if all others look worse.
    """

    def merit(action: Action) -> tuple[bool, bool, Any]:
        child = node.children[action]
        won, lost = child.proven == node.sign, child.proven == -node.sign
        return won, not lost, criterion(action)

    best = max(node.children, key=merit)
    assured = node.assured
    if assured is not None and node.sign * (assured - node.children[best].value) > 0:
        return next(action for action, child in node.children.items() if child.proven == assured)
    return best


def root_value(root: SearchedNode[Action], action: Action) -> float:
    """The value of a state from which `action` is played: its own, unless only that is decided.

    Then untried actions may be better than this loss, or no solver has looked: the mean remains.
    """
    value = root.children[action].value
    return root.value if root.proven is None and abs(value) == 1 else value


def principal_variation(
    node: SearchedNode[Action], choose: Callable[[Any], Action]
) -> tuple[Action, ...]:
    """The final moves from a node on, as deep as the tree goes or until chance decides."""
    line = []
    while node.children and node.sign:
        line.append(choose(node))
        node = node.children[line[-1]]
    return tuple(line)


TIE_BREAKS = ("first", "expectimax")  # ways to choose among equally good actions, by name

TEMPERATURE = 0.1
"""An action that costs this much, in the opponent's view, is 1 / e times as likely. This value was
narrowly the best of 0.05 to 0.5 in matches from lost positions."""
LOOK_AHEAD = 4  # plies that the opponent is assumed to see, so that it makes no obvious mistakes
LEAST_LIKELY = 0.02  # replies that are less likely are left out

ActionValue = Callable[[State, Action], float]
"""The value of an action in a state, from player 1's view, in [-1, 1]."""


def best_against_fallible(
    env: Env[State, Action],
    state: State,
    candidates: Sequence[Action],
    seen: ActionValue[State, Action],
    exact: ActionValue[State, Action],
) -> Action:
    """The action, among equally good ones, that is worth most against a fallible opponent.

    If both players play exactly, these actions lead to the same result. Against an opponent who
    errs they do not: the value of each is the mean over the likely replies. This is expectimax, one
    reply deep, with exact play after it.

    Args:
        env: the rules.
        state: where to choose.
        candidates: the equally good actions, at least one. The first is chosen if the others are no
            better, or if the functions raise `TimeUp`.
        seen: the value of a reply, as the opponent's own look-ahead shows it.
        exact: the value of an action if both play on perfectly.
    """
    if len(candidates) == 1:
        return candidates[0]
    sign = player_sign(env, state)
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

    If the opponent is not next to move, this is the exact value.
    """
    child = env.get_next_state(state, action)
    replies = env.get_available_actions(child)
    if not replies or env.current_player(child) in (CHANCE, env.current_player(state)):
        return exact(state, action)
    sign = player_sign(env, child)
    merits = {reply: sign * seen(child, reply) for reply in replies}
    likely = {
        reply: probability
        for reply, probability in preferences(merits, TEMPERATURE).items()
        if probability >= LEAST_LIKELY
    }
    return expected_value([exact(child, reply) for reply in likely], likely.values())
