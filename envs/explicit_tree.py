"""Games given as explicit trees, as textbooks draw them: nested lists or dicts of numbers."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import frexp, inf, ldexp
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

from envs.protocol import CHANCE, illegal_action, is_number, require_distribution

ActionName = int | str  # actions of an explicit tree: numbers in lists, names in dicts
TreePath = tuple[ActionName, ...]
"""The state of an explicit tree: the actions that lead to it from the root, which is ()."""
NestedTree: TypeAlias = (
    "float | Sequence[NestedTree] | Mapping[Any, NestedTree] | MaxNode | MinNode | ChanceNode"
)

DEEPEST = 200  # the most plies of a tree; the limit also catches a tree that contains itself
LARGEST = 1e300  # the largest leaf; its negative is the smallest


@dataclass(frozen=True)
class MaxNode:
    """A node where player 1 moves, whoever's turn it is: a list of subtrees or a dict by name."""

    branches: Sequence[NestedTree] | Mapping[Any, NestedTree]


@dataclass(frozen=True)
class MinNode:
    """A node where player 2 moves, whoever's turn it is: a list of subtrees or a dict by name."""

    branches: Sequence[NestedTree] | Mapping[Any, NestedTree]


@dataclass(frozen=True)
class ChanceNode:
    """A node where chance decides: a list or a dict of pairs (probability, subtree)."""

    outcomes: Sequence[tuple[float, NestedTree]] | Mapping[Any, tuple[float, NestedTree]]


class ExplicitTree:
    """The game that a tree describes; a state is the path of actions from the root.

    A number is a leaf: the value of the game that ends there, for player 1. A list is a node with
    the actions 0, 1, 2 ..., a dict one with named actions. Player 1 moves at the root, and the
    turns alternate with each ply (a chance node also uses up a turn), except where `MaxNode` or
    `MinNode` names the player.

    Args:
        tree: the root: a list, a dict or a node, not a number alone.
        scale: the number that becomes 1.0: each reward is a leaf divided by the scale. None means
            1.0 if all leaves lie in [-1, 1], so that 1 is a win; otherwise a power of two (for
            exact division) that exceeds every leaf. If a leaf became 1.0, a search would take it
            for a win and prune nodes that the textbooks visit.

    Raises:
        ValueError: a node without actions, an action that is neither a number nor a name, a leaf
            that is not a finite number or exceeds the scale, probabilities that do not sum to 1,
            or a tree of more than 200 plies.
    """

    scale: float  # a value times the scale is a number of the tree

    def __init__(self, tree: NestedTree, scale: float | None = None) -> None:
        self.tree = tree
        self._positions = _Positions(_read((), tree, turn=1))
        if not self._positions[()].actions:
            raise ValueError(f"the tree is only the number {tree!r}: write a list of numbers")
        largest = max(abs(position.leaf) for position in self._positions.values())
        beyond = 1.0 if largest <= 1.0 else ldexp(1.0, frexp(largest)[1])
        self.scale = beyond if scale is None else _checked_scale(scale, largest)

    def __repr__(self) -> str:
        return f"ExplicitTree({self.tree!r}, scale={self.scale:g})"

    def numbers(self) -> set[float]:
        """Return every number of the tree: its leaves, and probabilities to 12 decimals.

        Thirds that sum to 1 may differ in their last digit; the rounding makes them equal.
        """
        positions = self._positions.values()
        leaves = {position.leaf for position in positions if not position.actions}
        probabilities = {
            round(probability, 12)
            for position in positions
            for probability in position.probabilities
        }
        return leaves | probabilities

    def initial_state(self) -> TreePath:
        """Return the root."""
        return ()

    def current_player(self, state: TreePath) -> int:
        """Return the player to move: 1, 2 or `CHANCE`; at a leaf, who would move next."""
        return self._positions[state].player

    def get_available_actions(self, state: TreePath) -> Sequence[ActionName]:
        """Return the actions in the order in which the tree lists them; none at a leaf."""
        return self._positions[state].actions

    def get_next_state(self, state: TreePath, action: ActionName) -> TreePath:
        """Return the path with `action` appended."""
        path = (*state, action)
        if path not in self._positions:
            raise illegal_action(action, state, [*map(repr, self._positions[state].actions)])
        return path

    def reward(self, state: TreePath, action: ActionName) -> float:
        """Return the leaf that `action` leads to, divided by the scale; 0.0 for an inner node."""
        return self._positions[self.get_next_state(state, action)].leaf / self.scale

    def chance_probabilities(self, state: TreePath) -> Mapping[ActionName, float]:
        """Return the probability of each outcome of a chance node.

        Raises:
            ValueError: chance does not decide here.
        """
        position = self._positions[state]
        if position.player != CHANCE:
            raise ValueError(f"{_place(state)} is not a chance node")
        return dict(zip(position.actions, position.probabilities, strict=True))


class _Position(NamedTuple):
    """A node of the tree."""

    player: int
    actions: Sequence[ActionName] = ()
    probabilities: Sequence[float] = ()  # of the actions, where chance decides
    leaf: float = 0.0  # the leaf's number, where the game is over


class _Positions(dict[TreePath, _Position]):
    """The nodes by their paths; a path that is not in the tree is a ValueError."""

    def __missing__(self, path: TreePath) -> _Position:
        raise ValueError(
            f"the tree has no node {path!r}: a state is the tuple of the actions that lead there"
        )


def _read(path: TreePath, tree: Any, turn: int) -> Iterator[tuple[TreePath, _Position]]:
    """Yield a subtree's positions; by default, player `turn` moves at its root."""
    if isinstance(tree, Real):
        if not is_number(tree) or not -LARGEST <= tree <= LARGEST:
            raise ValueError(
                f"{_place(path)} is {tree!r:.60}: a leaf must be a number, within ±{LARGEST:g}"
            )
        yield path, _Position(turn, leaf=float(tree))
        return
    if len(path) == DEEPEST:
        raise ValueError(f"the tree has more than {DEEPEST} plies")
    position, subtrees = _interior(path, tree, turn)
    yield path, position
    following = 3 - (position.player or turn)
    for action, subtree in zip(position.actions, subtrees, strict=True):
        yield from _read((*path, action), subtree, following)


def _interior(path: TreePath, tree: Any, turn: int) -> tuple[_Position, list[Any]]:
    if isinstance(tree, ChanceNode):
        outcomes = _by_action(path, tree.outcomes)
        for outcome in outcomes.values():
            if not isinstance(outcome, list | tuple) or len(outcome) != 2:
                raise ValueError(
                    f"{_place(path)} has the outcome {outcome!r:.60}: a pair of its probability "
                    "and a subtree is expected"
                )
        probabilities = [probability for probability, _ in outcomes.values()]
        require_distribution(_place(path), probabilities)
        subtrees = [subtree for _, subtree in outcomes.values()]
        return _Position(CHANCE, tuple(outcomes), tuple(map(float, probabilities))), subtrees
    if isinstance(tree, MaxNode | MinNode):
        turn = 1 if isinstance(tree, MaxNode) else 2
        branches = _by_action(path, tree.branches)
    else:
        branches = _by_action(path, tree, "a number, a list or a dict")
    return _Position(turn, tuple(branches)), list(branches.values())


def _by_action(
    path: TreePath, branches: Any, expected: str = "a list or a dict of branches"
) -> dict[ActionName, Any]:
    """Return the items of a list by their numbers, or those of a dict by their names."""
    if isinstance(branches, list | tuple):
        branches = dict(enumerate(branches))
    if not isinstance(branches, Mapping):
        raise ValueError(f"{_place(path)} is {branches!r:.60}: {expected} is expected")
    if not branches:
        raise ValueError(f"{_place(path)} has no actions: write a number for a leaf")
    for action in branches:
        if not isinstance(action, ActionName):
            raise ValueError(f"{_place(path)} has the action {action!r:.60}: a name is expected")
    return dict(branches)


def _checked_scale(scale: float, largest: float) -> float:
    if not is_number(scale) or not 0 < scale < inf:
        raise ValueError(f"the scale of a tree must be a positive number, not {scale!r}")
    if largest > scale:
        raise ValueError(f"a leaf of {largest:g} exceeds the scale {scale:g}: enlarge the scale")
    return float(scale)


def _place(path: TreePath) -> str:
    """Return a name of a node, to start an error message."""
    return f"the node after {', '.join(map(repr, path))}" if path else "the root of the tree"


NODE_KINDS = {"max": MaxNode, "min": MinNode, "chance": ChanceNode}


def parse_tree(text: str, scale: float | None = None) -> ExplicitTree:
    """Return the tree that a text describes, in the notation of Python or JSON.

    A dict whose only key is `max`, `min` or `chance` makes its content a node of that kind. The
    content of `chance` is a dict {action: [probability, subtree]} or a list of such pairs:
    `{"max": [{"chance": [[0.4, 1], [0.6, 4]]}, 2]}`.

    Raises:
        ValueError: the text cannot be read, names an action twice at one node, or describes a tree
            that `ExplicitTree` refuses.
    """
    try:
        expression = ast.parse(text.strip(), mode="eval")
        literal = ast.literal_eval(expression)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        said = f" ({error.msg})" if isinstance(error, SyntaxError) else ""
        if isinstance(error, RecursionError | MemoryError):
            said = " (it is nested too deeply)"
        raise ValueError(
            f"the tree {text!r:.60} cannot be read{said}: write numbers, lists and dicts with "
            "names in quotes, as in [[3, 12, 8], {'Left': 2, 'Right': 4}]"
        ) from error
    for node in ast.walk(expression):
        if isinstance(node, ast.Dict):
            _require_distinct([ast.literal_eval(key) for key in node.keys if key is not None])
    return ExplicitTree(_with_kinds(literal), scale)


def _require_distinct(actions: Sequence[Any]) -> None:
    for action in actions:
        if actions.count(action) > 1:
            raise ValueError(f"the tree has the action {action!r} twice at one node: rename one")


def _with_kinds(literal: Any) -> Any:
    """Replace each dict that states the kind of a node by such a node."""
    if isinstance(literal, list | tuple):
        return [_with_kinds(item) for item in literal]
    if not isinstance(literal, dict):
        return literal
    if len(literal) == 1 and (kind := next(iter(literal))) in NODE_KINDS:
        return NODE_KINDS[kind](_with_kinds(literal[kind]))
    return {action: _with_kinds(subtree) for action, subtree in literal.items()}
