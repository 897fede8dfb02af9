"""The choice of the final move: of a Monte Carlo tree search, and among equally good actions."""

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
"""By name: the quantity that the final move maximises, for the player with the given sign."""


def final_action(node: SearchedNode[Action], final_move: str) -> Action:
    """The best child's action: a proven win, else the best by `final_move`; proven losses last."""
    criterion = FINAL_MOVES[final_move]
    return safest_action(node, lambda action: criterion(node.children[action], node.sign))


def safest_action(node: SearchedNode[Action], criterion: Callable[[Action], Any]) -> Action:
    """The best child's action: a proven win, else the highest `criterion`; proven losses last.

    If a child has a proven value better than the estimate of the best child, its action is taken.
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
    """The value of a state from which `action` is played: usually the value of its child.

    If only that child is decided, the root's mean is returned instead: untried actions may be
    better than a loss, or the search does not use proofs.
    """
    value = root.children[action].value
    return root.value if root.proven is None and abs(value) == 1 else value


def principal_variation(
    node: SearchedNode[Action], choose: Callable[[Any], Action]
) -> tuple[Action, ...]:
    """The final moves from a node on, to the end of the tree or to a chance node."""
    line = []
    while node.children and node.sign:
        line.append(choose(node))
        node = node.children[line[-1]]
    return tuple(line)


TIE_BREAKS = ("first", "expectimax")  # ways to choose among equally good actions, by name

TEMPERATURE = 0.1
"""An action worse by this value, in the opponent's view, is 1 / e times as likely. In matches from
lost positions this temperature was narrowly the best of 0.05 to 0.5."""
LOOK_AHEAD = 4  # plies that the opponent is assumed to see, so that it makes no obvious mistakes
LEAST_LIKELY = 0.02  # less likely replies are left out

ActionValue = Callable[[State, Action], float]
"""The value of an action in a state, from player 1's view, in [-1, 1]."""


def best_against_fallible(
    env: Env[State, Action],
    state: State,
    candidates: Sequence[Action],
    seen: ActionValue[State, Action],
    exact: ActionValue[State, Action],
) -> Action:
    """The action, among equally good ones, with the highest value against a fallible opponent.

    Under perfect play these actions lead to the same result. Against an opponent who errs they do
    not: the value of each is the mean over the likely replies. This is expectimax, one reply deep,
    with perfect play after it.

    The opponent's own look-ahead gives a reply the value `seen`; `exact` is the value of an action
    under perfect play. The first of the `candidates`, at least one, is chosen if no other is
    better, or if these functions raise `TimeUp`.
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

    If the opponent is not to move next, this is the exact value.
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
