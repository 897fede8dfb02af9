"""What is explained: a tree or a position, and the search of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.registry import make_agent
from agents.tracing.recording import recorded
from agents.tracing.stories.quiz import tree_lines
from agents.tracing.stories.story_names import LeafValues
from agents.tracing.trace import SearchTrace
from envs.board import BoardGame, BoardState
from envs.explicit_tree import ExplicitTree
from submission.explaining.textbook import TEXTBOOK_OPTIONS, leaf_values
from submission.playing.picture import board_picture

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
