"""Root splitting: depth-first searches whose root actions are examined by workers."""

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

from agents.agent import Clock, Finding, Found, SearchResult, legal_actions
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.depth_first import DepthFirstAgent, DepthFirstSearch
from agents.parallel.workers import Workers
from envs.protocol import Action, Env, State


def split_search(
    agent: DepthFirstAgent,
    env: Env[State, Action],
    state: State,
    workers: Workers,
    time_limit: float | None,
) -> SearchResult[Action]:
    """Search as the agent does, with the actions of the root examined by workers."""
    candidates = legal_actions(env, state)
    if isinstance(agent, AlphaBetaAgent):
        workers.prepare(partial(agent.is_compiled, env))
    search = agent.new_search(env, Clock(agent.time_limit, time_limit))
    return agent.search_with(SplitSearch(agent, workers, search), state, candidates)


class Examined(NamedTuple):
    """A worker's result for one action."""

    finding: Finding
    nodes: int


class SplitSearch(DepthFirstSearch[State, Action]):
    """A depth-first search, split at the root.

    Alpha-beta examines the first action alone ("young brothers wait": R. Feldmann, "Game Tree
    Search on Massively Parallel Systems", 1993); its value is the window within which all others
    are examined at the same time. So values better than the first are exact, and the choice among
    them does not depend on the order in which workers finish.
    """

    def __init__(
        self, agent: DepthFirstAgent, workers: Workers, search: DepthFirstSearch[State, Action]
    ) -> None:
        super().__init__(search.env, search.heuristic, search.clock)
        self.engine = search.engine
        self.agent = agent
        self.workers = workers
        self.search_id = uuid4().hex

    def search_root(
        self, state: State, actions: Iterable[Action], depth: float, found: Found[Action]
    ) -> None:
        """Examine `actions` as the search does, several at a time."""
        task = partial(examine, self.agent, self.search_id, self.env, state, depth)
        if not isinstance(self.agent, AlphaBetaAgent):
            self.examine_all(list(actions), partial(task, None), found)
            return
        first, *others = actions
        self.examine_all((first,), partial(task, (-1.0, 1.0)), found)
        value = found[first].value
        alpha, beta = (value, 1.0) if self.env.current_player(state) == 1 else (-1.0, value)
        if alpha < beta:
            self.examine_all(others, partial(task, (alpha, beta)), found)

    def examine_all(
        self,
        actions: Sequence[Action],
        task: Callable[[Action, float], Examined],
        found: Found[Action],
    ) -> None:
        """Let workers call `task` with each action and the seconds that are left.

        Results are entered in `found` in the order of the actions, even if `TimeUp` is raised.
        """
        arrived = Found[Action]()
        tasks = ((action, partial(task, action, self.clock.left)) for action in actions)
        try:
            for action, examined in self.workers.run(tasks, self.clock):
                arrived[action] = examined.finding
                self.nodes += examined.nodes
        finally:
            found.update({action: arrived[action] for action in actions if action in arrived})


latest = threading.local()
"""In each thread of a worker: the `search` that it works for, and that search's `search_id`."""


def examine(
    agent: DepthFirstAgent,
    search_id: str,
    env: Any,
    state: Any,
    depth: float,
    window: tuple[float, float] | None,
    action: Any,
    seconds: float,
) -> Examined:
    """Search one action of a root by this thread's search; TimeUp after some seconds.

    The search, with its table, is kept for further actions and greater depths. Alpha-beta searches
    within a window.
    """
    if getattr(latest, "search_id", None) != search_id:
        latest.search, latest.search_id = agent.new_search(env, Clock()), search_id
    search = latest.search
    search.clock = Clock(seconds)
    nodes, found = search.nodes, Found[Any]()
    if window is None:
        search.search_root(state, (action,), depth, found)
    else:
        found[action] = Finding(*search.action_value(state, action, depth, 0, *window))
    return Examined(found[action], search.nodes - nodes)
