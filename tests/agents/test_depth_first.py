"""A new depth-first search is its recursion: deepening, time and workers come with the base."""

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from traceback import format_exception
from typing import Any

import pytest
from hypothesis import given

from agents import (
    Agent,
    AlphaBetaAgent,
    MCTSAgent,
    MinimaxAgent,
    PerfectAgent,
    agent_names,
    make_agent,
    parallel_search,
)
from agents.agent import Clock, Finding, Found
from agents.depth_first import DepthFirstAgent, DepthFirstSearch, deepen
from agents.registry import REGISTERED
from agents.trace import SearchTrace, recorded
from agents.trace.recording import RECORDED_SEARCHES
from envs import BoardState, ConnectFour, ExplicitTree, TicTacToe, state_from_moves
from tests.helpers.brute_force import BruteForce
from tests.helpers.clocks import ticking_clock
from tests.helpers.random_graphs import Graph
from tests.helpers.strategies import Position, board_games, late_positions
from tests.helpers.systems import small_stack
from tests.helpers.textbook import TEXTBOOK

CONNECT_FOUR = ConnectFour()
THREADS = ThreadPoolExecutor(2)


class Negamax(DepthFirstSearch[Any, Any]):
    """Values as the textbook has them, for games in which the players take turns."""

    def search_root(
        self, state: Any, actions: Iterable[Any], depth: float, found: Found[Any]
    ) -> None:
        for action in actions:
            worst, merit, best = self.merit(state, action, depth)
            if self.sign(state) == 1:
                found[action] = Finding(merit, worst, best)
            else:
                found[action] = Finding(-merit, -best, -worst)

    def merit(self, state: Any, action: Any, depth: float) -> tuple[float, float, float]:
        """The value of an action for the player who takes it, between the proven bounds."""
        self.clock.check()
        self.nodes += 1
        child = self.env.get_next_state(state, action)
        replies = self.env.get_available_actions(child)
        if not replies:
            return (self.sign(state) * self.env.reward(state, action),) * 3
        if depth == 1:
            return -1.0, self.sign(state) * self.heuristic(self.env, child), 1.0
        merits = [self.merit(child, reply, depth - 1) for reply in replies]
        worst, merit, best = (max(each) for each in zip(*merits, strict=True))
        return -best, -merit, -worst

    def sign(self, state: Any) -> int:
        return 1 if self.env.current_player(state) == 1 else -1


@dataclass
class NegamaxAgent(DepthFirstAgent):
    """All that an agent of this search has to say."""

    def new_search(self, env: Any, clock: Clock) -> Negamax:
        return Negamax(env, self.chosen_heuristic(), clock)


@given(late_positions(board_games(largest=4), most_free_cells=6))
def test_deepening_ends_with_a_proof(position: Position) -> None:
    env, state = position
    result = NegamaxAgent(time_limit=None).search(env, state)
    assert result.value == BruteForce(env).value(state)
    assert result.depth is not None
    assert result.depth <= 6


def test_what_was_best_is_tried_first_one_ply_deeper() -> None:
    orders: list[list[int]] = []

    class Observed(Negamax):
        def search_root(
            self, state: Any, actions: Iterable[Any], depth: float, found: Found[Any]
        ) -> None:
            orders.append(list(actions))
            super().search_root(state, orders[-1], depth, found)

    def prefer_edges(env: Any, state: BoardState) -> float:
        return 0.5 if env.to_board(state)[35] else 0.0

    search = Observed(CONNECT_FOUR, prefer_edges, Clock())
    deepen(search, CONNECT_FOUR.initial_state(), range(7), depths=(1, 2))
    assert orders == [[0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6]]
    orders.clear()
    deepen(search, CONNECT_FOUR.initial_state(), range(6, -1, -1), depths=(1, 2))
    assert orders == [[6, 5, 4, 3, 2, 1, 0], [0, 6, 5, 4, 3, 2, 1]]


def test_when_the_time_is_up_the_deepest_complete_search_counts() -> None:
    env = TicTacToe()
    with ticking_clock():
        result = NegamaxAgent(time_limit=100).search(env, env.initial_state())
    assert result.depth == 2  # 9 + 72 looks at the clock, and not 504 more
    assert result.action in env.get_available_actions(env.initial_state())


def test_where_the_stack_ends_the_deepest_complete_search_counts() -> None:
    """A game of 200 plies has one action in each state."""
    one_by_one = Graph({ply: [ply + 1] for ply in range(200)}, {}, {})
    agents = NegamaxAgent(time_limit=None), AlphaBetaAgent(time_limit=None), PerfectAgent()
    with small_stack(150):
        for agent in agents:
            result = agent.search(one_by_one, 0)
            assert result.action == 0
            assert result.depth is None or 25 < result.depth < 150
        with pytest.raises(ValueError, match="choose a smaller depth"):
            MinimaxAgent(depth=None).search(one_by_one, 0)


def test_a_heuristic_that_calls_itself_is_found_in_the_traceback() -> None:
    def endless(env: Any, state: Any) -> float:
        return endless(env, state)

    with pytest.raises(ValueError, match="too deep for Python's stack") as raised, small_stack(150):
        AlphaBetaAgent(heuristic=endless).search(ExplicitTree(TEXTBOOK), ())
    assert "return endless" in "".join(format_exception(raised.value))


@pytest.mark.parametrize(
    ("agent", "state"), [(MinimaxAgent, ()), (AlphaBetaAgent, ()), (AlphaBetaAgent, (0,))]
)
@pytest.mark.parametrize("wrong", [(0, 1), [0, 2], (2, 1, 1, 0), [0, 0, 2], [1, 0, 1, 2], []])
def test_an_ordering_that_drops_or_repeats_an_action_is_refused(
    agent: type[DepthFirstAgent], state: tuple[int, ...], wrong: Sequence[int]
) -> None:
    """Else others would pass for the best; one that comes twice would prove what it does not."""
    searcher = agent(ordering=lambda env, at, actions: wrong if at == state else actions)
    told = rf"^the ordering gives .* of \(0, 1, 2\) in {re.escape(repr(state))}: it"
    with pytest.raises(ValueError, match=told):
        searcher.search(ExplicitTree(TEXTBOOK), ())


def test_an_ordering_may_give_the_actions_by_an_iterator() -> None:
    env = ExplicitTree(TEXTBOOK)
    for agent in (MinimaxAgent, AlphaBetaAgent):
        result = agent(ordering=lambda env, state, actions: reversed(actions)).search(env, ())
        assert next(iter(result.action_values)) == 2
        assert result.value * env.scale == 3.0


def refusal(call: Callable[[], Any]) -> str:
    """The message of a ValueError, "" where there is none."""
    try:
        call()
    except ValueError as error:
        return str(error)
    return ""


AGENTS = [*map(make_agent, agent_names()), NegamaxAgent()]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: type(agent).__name__)
def test_an_agent_is_recorded_and_shared_by_workers_or_says_that_it_cannot_be(agent: Agent) -> None:
    env, trace, name = TicTacToe(), SearchTrace(), type(agent).__name__
    state = state_from_moves(env, "51932")
    message = refusal(lambda: recorded(agent, trace).search(env, state))
    if type(agent) in (REGISTERED[name] for name in RECORDED_SEARCHES):
        assert message == ""
        assert trace.chosen in env.get_available_actions(state)
    else:
        known = ", ".join(RECORDED_SEARCHES)
        assert message == f"{name} cannot be recorded: choose one of {known}"

    message = refusal(lambda: parallel_search(agent, env, state, THREADS))
    if isinstance(agent, DepthFirstAgent | MCTSAgent):
        assert message == ""
    else:
        assert message.startswith(f"{name} cannot search in parallel: choose minimax, ")
