"""Minimax and expectimax whose root actions are examined by workers, each on its own."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from agents.clock import Clock
from agents.distributed.workers import Task, Workers
from agents.expectimax import ExpectimaxAgent
from agents.lines import Found, Line
from agents.minimax import Minimax, MinimaxAgent
from envs.protocol import Action, State


class Examined(NamedTuple):
    """What a worker found of one action."""

    value: float
    line: Line
    nodes: int


@dataclass
class MinimaxExaminer(MinimaxAgent):
    """Searches single actions of a root as the minimax agent does."""

    def examine(self, env: Any, state: Any, action: Any, depth: float, seconds: float) -> Examined:
        """Search one action.

        Raises:
            TimeUp: it took longer than `seconds`.
        """
        tree, found = self._tree(env, Clock(seconds)), Found[Any]()
        tree.search_root(state, (action,), depth, found)
        return Examined(*found[action], tree.nodes - 1)


@dataclass
class ExpectimaxExaminer(MinimaxExaminer, ExpectimaxAgent):
    """Searches single actions of a root as the expectimax agent does."""


class SplitMinimax(Minimax[State, Action]):
    """One minimax or expectimax search, split at the root.

    Args:
        task_agent: what each worker is sent.
        workers: who searches.
        tree: the search to split.
    """

    def __init__(
        self, task_agent: MinimaxExaminer, workers: Workers, tree: Minimax[State, Action]
    ) -> None:
        super().__init__(tree.env, tree.heuristic, tree.clock)
        self.task_agent = task_agent
        self.workers = workers

    def search_root(
        self, state: State, actions: Iterable[Action], depth: float, found: Found[Action]
    ) -> None:
        """Examine `actions` as the search does, several at a time."""
        order = list(actions)
        arrived = Found[Action]()
        try:
            for action, examined in self.workers.run(self._tasks(state, order, depth), self.clock):
                arrived[action] = examined.value, examined.line
                self.nodes += examined.nodes
        finally:
            found.update({action: arrived[action] for action in order if action in arrived})

    def _tasks(
        self, state: State, actions: Iterable[Action], depth: float
    ) -> Iterator[Task[Action, Examined]]:
        examine = partial(self.task_agent.examine, self.env, state)
        for action in actions:
            yield action, partial(examine, action, depth, self.clock.left)


@dataclass
class SplitMinimaxAgent(MinimaxAgent):
    """A minimax agent whose root actions are examined by workers."""

    task_agent: MinimaxExaminer = field(kw_only=True)
    workers: Workers = field(kw_only=True)

    def _tree(self, env: Any, clock: Clock) -> Any:
        return SplitMinimax(self.task_agent, self.workers, super()._tree(env, clock))


@dataclass
class SplitExpectimaxAgent(SplitMinimaxAgent, ExpectimaxAgent):
    """An expectimax agent whose root actions are examined by workers."""
