"""Trees and positions to explain: as textbooks search them, with one leaf unknown if need be."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise
from math import inf
from typing import Any, NamedTuple

from agents.registry import make_agent
from agents.solver.analysis import board_picture
from agents.trace.labels import number_label
from agents.trace.quiz import tree_lines
from agents.trace.recording import recorded
from agents.trace.story import LeafValues
from agents.trace.trace import Path, SearchTrace
from envs.board import BoardGame, BoardState
from envs.explicit_tree import ExplicitTree, TreePath, parse_tree

TEXTBOOK_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "minimax": {"depth": None, "ordering": "natural"},
    "expectimax": {"depth": None, "ordering": "natural"},
    "alphabeta": {
        "depth": None,
        "time_limit": None,
        "ordering": "natural",
        "iterative_deepening": False,
        "killer_moves": False,
        "table_size": 0,
    },
}
"""With these options an agent searches a tree as it is written."""


def textbook_tree(text: str) -> ExplicitTree:
    """The tree of a text, with a scale that no leaf reaches.

    So no leaf is as good as a win, by which a search could end early or try a branch first. The
    scale is a power of two: dividing by it and multiplying changes no digit.

    Raises:
        ValueError: as `envs.explicit_tree.parse_tree`.
    """
    tree = parse_tree(text)
    return ExplicitTree(tree.tree, scale=2.0 * tree.scale)


def leaf_values(tree: ExplicitTree, path: TreePath = ()) -> dict[Path, float]:
    """Every leaf below a node with its number, from left to right."""
    leaves: dict[Path, float] = {}
    for action in tree.get_available_actions(path):
        child = tree.get_next_state(path, action)
        if tree.get_available_actions(child):
            leaves |= leaf_values(tree, child)
        else:
            leaves[child] = tree.reward(path, action) * tree.scale
    return leaves


UNKNOWN = "?"


class Stretch(NamedTuple):
    """All numbers between two thresholds, both left out; or one threshold alone."""

    low: float
    high: float

    @property
    def is_threshold(self) -> bool:
        """Whether it is a single number."""
        return self.low == self.high

    @property
    def sample(self) -> float:
        """One of its numbers."""
        if self.low == -inf:
            return 0.0 if self.high == inf else self.high - 1.0 - abs(self.high)
        if self.high == inf:
            return self.low + 1.0 + abs(self.low)
        return self.low / 2 + self.high / 2


def stretches(thresholds: Iterable[float]) -> list[Stretch]:
    """The number line, cut at each threshold, in ascending order."""
    edges = [-inf, *sorted(set(thresholds)), inf]
    line = [Stretch(-inf, edges[1])]
    for low, high in pairwise(edges[1:]):
        line += [Stretch(low, low), Stretch(low, high)]
    return line


def condition(line: Sequence[Stretch], holds: Sequence[bool]) -> str:
    """When something holds: `when ? ≤ 3 or ? > 8`, or `whatever ? is`.

    Args:
        line: the whole number line, as `stretches` cuts it.
        holds: whether it does, for each stretch; for at least one.
    """
    if all(holds):
        return f"whatever {UNKNOWN} is"
    runs = groupby(zip(line, holds, strict=True), key=lambda pair: pair[1])
    held = [[stretch for stretch, _ in run] for does_hold, run in runs if does_hold]
    return "when " + " or ".join(_interval(run[0], run[-1]) for run in held)


def _interval(first: Stretch, last: Stretch) -> str:
    """The numbers from one stretch to another, both included."""
    low, high = number_label(first.low), number_label(last.high)
    from_low = "≤" if first.is_threshold else "<"
    to_high = "≤" if last.is_threshold else "<"
    if first.low == last.high:
        return f"{UNKNOWN} = {low}"
    if first.low == -inf:
        return f"{UNKNOWN} {to_high} {high}"
    if last.high == inf:
        return f"{UNKNOWN} {'≥' if first.is_threshold else '>'} {low}"
    return f"{low} {from_low} {UNKNOWN} {to_high} {high}"


QUOTED_OR_UNKNOWN = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\?)(\s*:)?""")
"""A text in quotes or an unknown, with the colon after it that makes it the name of an action."""


@dataclass(frozen=True)
class OpenTree:
    """The text of a tree before and after its one unknown leaf."""

    before: str
    after: str

    def with_leaf(self, value: float) -> ExplicitTree:
        """The tree in which the unknown leaf is this number."""
        return textbook_tree(f"{self.before}({value!r}){self.after}")

    @cached_property
    def unknown(self) -> Path:
        """Where the unknown leaf is.

        Raises:
            ValueError: what is unknown is no leaf, or the text is no tree.
        """
        zero, one = leaf_values(self.with_leaf(0.0)), leaf_values(self.with_leaf(1.0))
        differing = [path for path, value in zero.items() if one.get(path) != value]
        if len(differing) != 1:
            raise ValueError(f"the {UNKNOWN} is no leaf of the tree: write it in place of a number")
        return differing[0]

    @cached_property
    def known_leaves(self) -> dict[Path, float]:
        """All other leaves with their numbers."""
        leaves = leaf_values(self.with_leaf(0.0))
        del leaves[self.unknown]
        return leaves


def read_open_tree(text: str) -> OpenTree | None:
    """The tree of a text with an unknown leaf, `?` or `"?"`; None where all are known.

    Raises:
        ValueError: more than one leaf is unknown.
    """
    found = [
        match
        for match in QUOTED_OR_UNKNOWN.finditer(text)
        if match[1].strip("'\"") == UNKNOWN and match[2] is None
    ]
    if len(found) > 1:
        raise ValueError(
            f"{len(found)} leaves of the tree are {UNKNOWN}: give all but one of them a number"
        )
    return OpenTree(text[: found[0].start()], text[found[0].end() :]) if found else None


SIMULATIONS: Mapping[str, Any] = {"simulations": 50, "seed": 0}
"""As many as can be followed, and the same in every run."""
POSITION_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "alphabeta": {"depth": 4, "time_limit": None},
    "mcts": SIMULATIONS,
}
"""With these options, and its own for what is left out, an agent searches a position."""


@dataclass(frozen=True)
class Subject:
    """A state to search."""

    env: Any
    state: Any
    picture: str
    """What it looks like before it is searched."""
    options: Mapping[str, Mapping[str, Any]]
    """By agent: what its options are unless the user says otherwise."""
    leaves: LeafValues = field(default_factory=dict)
    """What the leaves are worth, where all are known beforehand; none of a position."""


def tree_subject(tree: ExplicitTree) -> Subject:
    """The root of a tree, searched from left to right with nothing remembered."""
    options = {**TEXTBOOK_OPTIONS, "mcts": SIMULATIONS}
    picture = "\n".join(tree_lines(tree))
    return Subject(tree, tree.initial_state(), picture, options, leaf_values(tree))


def position_subject(env: BoardGame, state: BoardState) -> Subject:
    """A position of a board game, searched to a fixed depth."""
    return Subject(env, state, board_picture(env, state).plain, POSITION_OPTIONS)


def search_trace(subject: Subject, agent: str, options: Mapping[str, Any]) -> SearchTrace:
    """What an agent's search of the subject did.

    Raises:
        ValueError: an unknown agent or option, one that searches no tree, or a search that is too
            large for a trace.
    """
    trace = SearchTrace()
    searcher = make_agent(agent, **{**subject.options.get(agent, {}), **options})
    recorded(searcher, trace).search(subject.env, subject.state)
    return trace
