"""What all recorders share: the trace that they fill, and how much it may hold."""

from collections.abc import Hashable
from typing import Any

from agents.tracing.trace import SearchTrace
from envs.board import BoardGame
from envs.explicit_tree import ExplicitTree

LIMIT = 100_000
"""Visits of nodes that a trace holds unless told otherwise; they take 100 to 150 MB."""


class Recorder:
    """Fills a trace.

    Args:
        algorithm: the name of the search.
        trace: what to fill; each search empties it first.
        limit: how many visits of nodes it may hold.
    """

    def __init__(self, algorithm: str, trace: SearchTrace, limit: int) -> None:
        self.algorithm = algorithm
        self.trace = trace
        self.limit = limit
        self.visits = 0
        self.env: Any = None

    def begin(self, env: Any) -> None:
        """Start anew for a search of `env`."""
        self.env = env
        self.visits = 0
        self.trace.clear()
        self.trace.algorithm = self.algorithm
        if isinstance(env, ExplicitTree):
            self.trace.scale = env.scale
        if isinstance(env, BoardGame):
            self.trace.rows, self.trace.columns = env.rows, env.columns

    def end(self, chosen: Hashable) -> None:
        """The search is over and has chosen an action of the root."""
        self.trace.chosen = chosen

    def count_visit(self) -> None:
        """Make room for one more visit.

        Raises:
            ValueError: the trace is full.
        """
        if self.visits == self.limit:
            raise ValueError(
                f"the search visits more than {self.limit} nodes, too many for a trace: lower its "
                "depth, simulations or time_limit, or raise the limit of the trace"
            )
        self.visits += 1

    def board(self, state: Any) -> tuple[int, ...] | None:
        """The cells of a state, None in games without a board."""
        return tuple(self.env.to_board(state)) if isinstance(self.env, BoardGame) else None
