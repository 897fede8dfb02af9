"""Root splitting: minimax, expectimax and alpha-beta whose root actions are examined by workers."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

from agents.alpha_beta import AlphaBeta, TranspositionTable
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.expectimax import ExpectimaxAgent
from agents.minimax import Minimax, MinimaxAgent
from agents.parallel.workers import Task, Workers
from agents.search import Clock, Found, Line
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


latest = threading.local()
"""In each thread of a worker: the `tree` of the search that it works for, and its `search_id`."""


class ExaminedWithin(NamedTuple):
    """What a worker found of one action, within a window."""

    value: float
    line: Line
    nodes: int
    guesses: int


@dataclass
class AlphaBetaExaminer(AlphaBetaAgent):
    """Searches single actions of a root as the alpha-beta agent does.

    What a worker has learnt of some actions and at smaller depths serves it for the next, until it
    works for another search.
    """

    search_id: str = field(kw_only=True, default_factory=lambda: uuid4().hex)

    def examine(
        self,
        env: Any,
        state: Any,
        action: Any,
        depth: float,
        window: tuple[float, float],
        seconds: float,
    ) -> ExaminedWithin:
        """Search one action within the window.

        Raises:
            TimeUp: it took longer than `seconds`.
        """
        compiled = self.is_compiled(env)  # before the clock starts, for this may take seconds
        clock = Clock(seconds)
        if getattr(latest, "search_id", None) != self.search_id:
            latest.search_id, latest.tree = self.search_id, self._tree(env, clock, compiled)
        tree: AlphaBeta[Any, Any] = latest.tree
        tree.clock = clock
        nodes, guesses = tree.nodes, tree.guesses
        value, line = tree.action_value(state, action, depth, 0, *window)
        return ExaminedWithin(value, line, tree.nodes - nodes, tree.guesses - guesses)


class SplitAlphaBeta(AlphaBeta[State, Action]):
    """One alpha-beta search, split at the root.

    The first action is examined alone ("young brothers wait": R. Feldmann, "Game Tree Search on
    Massively Parallel Systems", 1993); its value is the window within which all others are
    examined at the same time. So the values of those that are better are exact, and the choice
    among them does not depend on which worker was the first to be done.

    Args:
        task_agent: what each worker is sent.
        workers: who searches.
        tree: the search to split.
    """

    def __init__(
        self, task_agent: AlphaBetaExaminer, workers: Workers, tree: AlphaBeta[State, Action]
    ) -> None:
        super().__init__(
            tree.env,
            tree.heuristic,
            tree.ordering,
            tree.clock,
            TranspositionTable(0),
            killer_moves=False,
        )
        self.task_agent = task_agent
        self.workers = workers

    def search_root(
        self, state: State, actions: Iterable[Action], depth: float, found: Found[Action]
    ) -> None:
        """Examine `actions` as the search does, all but the first of them several at a time."""
        first, *others = actions
        self._examine(state, (first,), depth, (-1.0, 1.0), found)
        value = found[first][0]
        alpha, beta = (value, 1.0) if self.env.current_player(state) == 1 else (-1.0, value)
        if alpha < beta:
            self._examine(state, others, depth, (alpha, beta), found)

    def _examine(
        self,
        state: State,
        actions: Sequence[Action],
        depth: float,
        window: tuple[float, float],
        found: Found[Action],
    ) -> None:
        """Examine `actions` within the window, and enter their values in `found`, in this order.

        Raises:
            TimeUp: the time is up; `found` keeps what was examined.
        """
        arrived = Found[Action]()
        tasks = self._tasks(state, actions, depth, window)
        try:
            for action, examined in self.workers.run(tasks, self.clock):
                arrived[action] = examined.value, examined.line
                self.nodes += examined.nodes
                self.guesses += examined.guesses
        finally:
            found.update({action: arrived[action] for action in actions if action in arrived})

    def _tasks(
        self, state: State, actions: Iterable[Action], depth: float, window: tuple[float, float]
    ) -> Iterator[Task[Action, ExaminedWithin]]:
        examine = partial(self.task_agent.examine, self.env, state)
        for action in actions:
            yield action, partial(examine, action, depth, window, self.clock.left)


@dataclass
class SplitAlphaBetaAgent(AlphaBetaAgent):
    """An alpha-beta agent whose root actions are examined by workers."""

    task_agent: AlphaBetaExaminer = field(kw_only=True)
    workers: Workers = field(kw_only=True)

    def is_compiled(self, env: Any) -> bool:
        """Whether the search is compiled; each worker compiles it, if so and if need be."""
        self.workers.prepare(partial(self.task_agent.is_compiled, env))
        return super().is_compiled(env)

    def _tree(self, env: Any, clock: Clock, compiled: bool) -> AlphaBeta[Any, Any]:
        tree = super()._tree(env, clock, compiled)
        return SplitAlphaBeta(self.task_agent, self.workers, tree)
