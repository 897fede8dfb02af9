"""Trees and positions to explain, and their search by an agent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.registry import make_agent
from agents.reporting.board_text import board_picture
from agents.trace.pictures.picture import PLAYER_SHAPES, PictureNode, Shape
from agents.trace.recorder import LIMIT
from agents.trace.recording import RECORDED_SEARCHES, recorded
from agents.trace.story import LeafValues, picture_lines, tell
from agents.trace.trace import Path, SearchTrace, decimals_of, number_label
from envs.board import BoardGame, BoardState
from envs.explicit_tree import ExplicitTree, TreePath, parse_tree
from envs.protocol import CHANCE


@dataclass(frozen=True)
class Subject:
    """A state to search."""

    env: Any
    state: Any
    picture: str  # the state as text, before the search
    leaves: LeafValues = field(default_factory=dict)
    """The values of the leaves of a tree; empty for a position."""


def tree_subject(tree: ExplicitTree) -> Subject:
    """The root of a tree, searched from left to right and without a table."""
    return Subject(tree, tree.initial_state(), "\n".join(tree_lines(tree)), leaf_values(tree))


def position_subject(env: BoardGame, state: BoardState, room: int) -> Subject:
    """A position of a board game, searched to a fixed depth."""
    return Subject(env, state, board_picture(env, state, room).plain)


def search_trace(
    subject: Subject, agent: str, options: Mapping[str, Any], limit: int = LIMIT
) -> SearchTrace:
    """Search the subject with an agent, and record the search.

    Raises ValueError if the agent or an option is unknown, the agent cannot be recorded, or the
    search is too large for a trace.
    """
    trace, given = SearchTrace(), dict[str, Any]()
    if shown := RECORDED_SEARCHES.get(agent):
        given |= shown.tree_options if subject.leaves else shown.position_options
    searcher = make_agent(agent, **{**given, **options})
    recorded(searcher, trace, limit).search(subject.env, subject.state)
    return trace


def walk_lines(trace: SearchTrace, leaves: LeafValues, limit: int) -> list[str]:
    """The walk of a search in words; a long one is cut to `limit` lines and a remark."""
    lines = tell(trace, leaves)
    if len(lines) <= limit:
        return lines
    left = len(lines) - limit
    return [*lines[:limit], f"... and {left} more lines: raise --limit to read on"]


def textbook_tree(text: str) -> ExplicitTree:
    """The tree in a text, with a scale that no leaf reaches.

    So no leaf counts as a win, which would let a search end early or try a branch first. The scale
    is a power of two: division and multiplication by it are exact, except for a leaf whose quotient
    is below 1e-307. Raises like `envs.explicit_tree.parse_tree`, and if the root is a chance node.
    """
    tree = parse_tree(text)
    if tree.current_player(tree.initial_state()) == CHANCE:
        raise ValueError(
            "chance decides at the root of the tree, where a search must choose an action: write "
            "the tree in brackets, [{'chance': ...}], to get its value"
        )
    return ExplicitTree(tree.tree, scale=2.0 * tree.scale)


def leaf_values(tree: ExplicitTree, path: TreePath = ()) -> dict[Path, float]:
    """The leaves below a node with their numbers, from left to right."""
    leaves: dict[Path, float] = {}
    for action in tree.get_available_actions(path):
        child = tree.get_next_state(path, action)
        if tree.get_available_actions(child):
            leaves |= leaf_values(tree, child)
        else:
            leaves[child] = tree.reward(path, action) * tree.scale
    return leaves


def tree_lines(tree: ExplicitTree, unknown: Path | None = None) -> list[str]:
    """The tree with its numbers as written, a line for each node; `?` is an unknown leaf."""
    decimals = decimals_of(tree.numbers())

    def place(path: TreePath, probability: str = "") -> PictureNode:
        player, actions = tree.current_player(path), tree.get_available_actions(path)
        node = PictureNode(path, PLAYER_SHAPES[player], str(path[-1]) if path else "", probability)
        chances = tree.chance_probabilities(path) if player == CHANCE else {}
        for action in actions:
            chance = number_label(chances[action], decimals) if action in chances else ""
            node.children.append(place(tree.get_next_state(path, action), chance))
        if not actions:
            leaf = number_label(tree.reward(path[:-1], path[-1]) * tree.scale, decimals)
            node.shape, node.value = Shape.TERMINAL, "?" if path == unknown else leaf
        return node

    root, *below = picture_lines(place(()))
    return [f"the root ({root})", *below]
