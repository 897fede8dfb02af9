"""Trees and positions to explain, and an agent's search of one."""

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
    """The values of the leaves, where all are known beforehand; none of a position."""


def tree_subject(tree: ExplicitTree) -> Subject:
    """The root of a tree, searched from left to right and without a table."""
    return Subject(tree, tree.initial_state(), "\n".join(tree_lines(tree)), leaf_values(tree))


def position_subject(env: BoardGame, state: BoardState, room: int) -> Subject:
    """A position of a board game, searched to a fixed depth."""
    return Subject(env, state, board_picture(env, state, room).plain)


def search_trace(
    subject: Subject, agent: str, options: Mapping[str, Any], limit: int = LIMIT
) -> SearchTrace:
    """Search the subject by an agent, and record it.

    Raises:
        ValueError: an unknown agent or option, one that searches no tree, or a search that is too
            large for a trace.
    """
    trace, given = SearchTrace(), dict[str, Any]()
    if shown := RECORDED_SEARCHES.get(agent):
        given |= shown.tree_options if subject.leaves else shown.position_options
    searcher = make_agent(agent, **{**given, **options})
    recorded(searcher, trace, limit).search(subject.env, subject.state)
    return trace


def walk_lines(trace: SearchTrace, leaves: LeafValues, limit: int) -> list[str]:
    """The walk of a search in words; of a long one the first `limit` lines, with a remark."""
    lines = tell(trace, leaves)
    if len(lines) <= limit:
        return lines
    left = len(lines) - limit
    return [*lines[:limit], f"... and {left} more lines: raise --limit to read on"]


def textbook_tree(text: str) -> ExplicitTree:
    """The tree of a text, with a scale that no leaf reaches.

    So no leaf is as good as a win, by which a search could end early or try a branch first. The
    scale is a power of two: dividing by it and multiplying changes no digit, except of a leaf whose
    quotient is below 1e-307.

    Raises:
        ValueError: as `envs.explicit_tree.parse_tree`; or chance decides at the root.
    """
    tree = parse_tree(text)
    if tree.current_player(tree.initial_state()) == CHANCE:
        raise ValueError(
            "chance decides at the root of the tree, and a search chooses an action: write the "
            "tree in brackets, [{'chance': ...}], for its value"
        )
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


def tree_lines(tree: ExplicitTree, unknown: Path | None = None) -> list[str]:
    """The tree as it is written, a line for each node; `?` stands for an unknown leaf."""
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
