"""The final move of a Monte Carlo search, once its tree is grown, and the variation after it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from envs.protocol import Action


class SearchedNode(Protocol[Action]):
    """The face of a node, be it the reference's or one of the compiled search's."""

    @property
    def sign(self) -> int:
        """+1 where player 1 is to move, -1 where player 2 is, 0 where chance decides."""

    @property
    def visits(self) -> int:
        """Simulations that went through the node."""

    @property
    def total(self) -> float:
        """Sum of the results, from player 1's view."""

    @property
    def proven(self) -> float | None:
        """The exact value from player 1's view where it is known, else None."""

    @property
    def value(self) -> float:
        """The proven value, or else an estimate strictly between -1 and 1."""

    @property
    def assured(self) -> float | None:
        """The best proven value of a child where it is neither a win nor a loss, else None."""

    @property
    def children(self) -> Mapping[Action, "SearchedNode[Action]"]:
        """The children by action."""


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

    A proven value, which the simulations have left alone, is taken where the rest looks worse.
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


def principal_variation(
    node: SearchedNode[Action], choose: Callable[[Any], Action]
) -> tuple[Action, ...]:
    """The final moves from a node on, as deep as the tree goes or until chance decides."""
    line = []
    while node.children and node.sign:
        line.append(choose(node))
        node = node.children[line[-1]]
    return tuple(line)
