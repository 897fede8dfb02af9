"""Traces of minimax, alpha-beta and expectimax, against the trees themselves and a textbook."""

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import Agent, AlphaBetaAgent, ExpectimaxAgent, MCTSAgent, MinimaxAgent, make_agent
from agents.agent import Clock
from agents.alpha_beta import Bound
from agents.guidance.heuristics import zero
from agents.minimax import Minimax
from agents.trace import draw, tell, trace_text
from agents.trace.recorder import NodeRecorder
from agents.trace.recording import RECORDED_SEARCHES, recorded
from agents.trace.trace import ReturnReason, SearchTrace
from envs import ChanceNode, ConnectX, ExplicitTree, MaxNode, MinNode, TicTacToe, state_from_moves
from tests.helpers.brute_force import BruteForce
from tests.helpers.clocks import ticking_clock
from tests.helpers.kaggle_rules import kaggle_game
from tests.helpers.random_trees import LEAVES, mixed_trees, plain_trees, replaced, subtree, worth
from tests.helpers.small_games import Nim, NimState, PassingRace, RaceState, Take
from tests.helpers.strategies import Position, connect_games, late_positions
from tests.helpers.textbook import PLAIN, TEXTBOOK, aids
from tests.helpers.traces import depth_first_agents, trace_of, unchanged_by_a_trace

some_depths = st.none() | st.integers(1, 4)


def cut_to(tree: Any, plies: float) -> Any:
    """The tree as far as a search of some plies sees it: what lies behind is worth 0."""
    if isinstance(tree, int):
        return tree
    if plies == 0:
        return 0
    if isinstance(tree, ChanceNode):
        return ChanceNode([(share, cut_to(each, plies - 1)) for share, each in tree.outcomes])
    if isinstance(tree, MaxNode | MinNode):
        return type(tree)(cut_to(tree.branches, plies))
    if isinstance(tree, dict):
        return {name: cut_to(each, plies - 1) for name, each in tree.items()}
    return [cut_to(each, plies - 1) for each in tree]


# --- the textbook


def test_the_textbook_tree_is_searched_as_the_textbook_does() -> None:
    env = ExplicitTree(TEXTBOOK, scale=100)
    trace = trace_of(AlphaBetaAgent(**PLAIN), env)
    top = 100.0
    lines = [
        (
            node.path,
            node.player,
            [round(bound * trace.scale, 9) for bound in (*node.window, *node.window_returned)],
            round(node.value * trace.scale, 9),
            node.bound.name,
            node.ending.value,
            node.unvisited,
        )
        for node in trace.nodes
        if node.window and node.window_returned and node.value is not None
    ]
    assert lines == [
        ((), 1, [-top, top, 3, top], 3, "EXACT", "complete", ()),
        ((0,), 2, [-top, top, -top, 3], 3, "EXACT", "complete", ()),
        ((0, 0), 1, [-top, top, -top, top], 3, "EXACT", "terminal", ()),
        ((0, 1), 1, [-top, 3, -top, 3], 12, "EXACT", "terminal", ()),
        ((0, 2), 1, [-top, 3, -top, 3], 8, "EXACT", "terminal", ()),
        ((1,), 2, [3, top, 3, 2], 2, "UPPER", "cutoff", (1, 2)),
        ((1, 0), 1, [3, top, 3, top], 2, "EXACT", "terminal", ()),
        ((2,), 2, [3, top, 3, 2], 2, "EXACT", "complete", ()),
        ((2, 0), 1, [3, top, 3, top], 14, "EXACT", "terminal", ()),
        ((2, 1), 1, [3, 14, 3, 14], 5, "EXACT", "terminal", ()),
        ((2, 2), 1, [3, 5, 3, 5], 2, "EXACT", "terminal", ()),
    ]
    assert trace.algorithm == "alphabeta"
    assert trace.chosen == 0
    assert len(trace.nodes) == len(lines)


# --- recording changes nothing


@given(
    late_positions(connect_games(largest=5), most_free_cells=12)
    | mixed_trees().map(lambda tree: (ExplicitTree(tree), ())),
    depth_first_agents(st.integers(1, 4)),
)
def test_a_search_is_the_same_with_a_trace(game: tuple[Any, Any], agent: Agent) -> None:
    trace, result = unchanged_by_a_trace(agent, *game)
    roots = sum(node.path == () for node in trace.nodes)
    assert len(trace.nodes) == result.nodes + roots - 1
    assert roots == 1 + max(node.iteration for node in trace.nodes)


@pytest.mark.parametrize("seconds", range(1, 40, 3))
@pytest.mark.parametrize("agent", ["minimax", "expectimax", "alphabeta"])
def test_time_that_is_up_leaves_the_nodes_on_the_way_without_a_value(
    agent: str, seconds: int
) -> None:
    env, trace = ConnectX(rows=4, columns=4, inarow=3), SearchTrace()
    limited = make_agent(agent, depth=6, time_limit=seconds)
    with ticking_clock():
        result = recorded(limited, trace).search(env, env.initial_state())
    with ticking_clock():
        assert recorded(limited, SearchTrace()).act(env, env.initial_state()) == result.action
    given_up = [node for node in trace.nodes if node.ending is ReturnReason.TIME]
    assert [node.path for node in given_up] == [
        given_up[-1].path[:depth] for depth in range(len(given_up))
    ]
    assert all((node.value is None) == (node in given_up) for node in trace.nodes)


def test_a_search_of_your_own_may_look_at_the_clock_at_the_root() -> None:
    class Punctual(Minimax[Any, Any]):
        def search_root(self, state: Any, actions: Any, depth: float, found: Any) -> None:
            self.observer.enter_root(state)
            self.clock.check()

    class Own(MinimaxAgent):
        def new_search(self, env: Any, clock: Clock) -> Punctual:
            return Punctual(env, zero, clock)

    trace, env = SearchTrace(), ExplicitTree(TEXTBOOK)
    NodeRecorder(Own(time_limit=0), "own", trace, 50, lambda: None).search(env, ())
    assert [node.ending for node in trace.nodes] == [ReturnReason.TIME]
    assert tell(trace) == ["the root: the time is up", "the search chooses 0"]


# --- what is recorded is true


@pytest.mark.parametrize("tree", [MaxNode([1, 0]), MinNode([-1, 0])])
def test_a_win_is_exact_though_it_cuts_off_the_rest(tree: Any) -> None:
    root = trace_of(AlphaBetaAgent(**PLAIN), ExplicitTree(tree, scale=1)).nodes[0]
    assert (root.ending, root.bound, root.unvisited) == (ReturnReason.CUTOFF, Bound.EXACT, (1,))


@pytest.mark.parametrize("node", [MaxNode, MinNode])
def test_a_mean_of_exact_values_is_exact_though_it_changes_nothing_above(node: Any) -> None:
    branches = [5, ChanceNode([(0.25, 8), (0.75, 4)]), ChanceNode([(0.1, 9), (0.9, 4)])]
    trace = trace_of(AlphaBetaAgent(**PLAIN), ExplicitTree(node(branches)))
    found = {node.path: (node.value, node.bound) for node in trace.nodes if not node.player}
    assert found == {
        (1,): (5 / trace.scale, Bound.EXACT),
        (2,): (pytest.approx(4.5 / trace.scale), Bound.EXACT),
    }


@given(
    mixed_trees(),
    st.builds(MinimaxAgent, some_depths)
    | aids(depth=some_depths, engine=st.just("reference")).map(lambda each: AlphaBetaAgent(**each)),
)
def test_values_are_what_they_claim_to_be(tree: Any, agent: MinimaxAgent | AlphaBetaAgent) -> None:
    trace = trace_of(agent, ExplicitTree(tree))
    for node in trace.nodes:
        is_deepened = isinstance(agent, AlphaBetaAgent) and agent.iterative_deepening
        depth = node.iteration + 1 if is_deepened else agent.depth or inf
        below, turn = subtree(tree, node.path)
        true = worth(cut_to(below, depth - len(node.path)), turn)
        assert node.value is not None
        difference = node.value * trace.scale - true
        assert node.bound is Bound.UPPER or difference < 1e-9
        assert node.bound is Bound.LOWER or difference > -1e-9
        is_cut = len(node.path) == depth and not isinstance(below, int)
        assert (node.ending is ReturnReason.DEPTH) == is_cut
        if isinstance(agent, MinimaxAgent):
            assert (node.bound, node.window) == (Bound.EXACT, None)


@given(mixed_trees())
def test_each_way_of_ending_is_what_it_says(tree: Any) -> None:
    env = ExplicitTree(tree)
    trace = trace_of(AlphaBetaAgent(**PLAIN), env)
    for node in trace.nodes:
        children = [each.path for each in trace.nodes if each.path and each.path[:-1] == node.path]
        assert children == [(*node.path, action) for action in node.visited]
        assert node.window_returned is not None
        alpha, beta = node.window_returned
        if node.ending is ReturnReason.CUTOFF:
            assert node.unvisited
            assert alpha >= beta
        elif node.ending is ReturnReason.COMPLETE and node.player:
            assert not node.unvisited
        elif node.ending is ReturnReason.COMPLETE:
            chance, _ = subtree(tree, node.path)
            assert all(chance.outcomes[action][0] == 0 for action in node.unvisited)
        else:
            assert node.ending is ReturnReason.TERMINAL
            assert isinstance(subtree(tree, node.path)[0], int)


@given(plain_trees(), st.data())
def test_what_was_never_visited_cannot_change_the_value(tree: Any, data: st.DataObject) -> None:
    env = ExplicitTree(tree, scale=9)
    trace = trace_of(AlphaBetaAgent(**PLAIN), env)
    changed = tree
    for node in trace.nodes:
        for action in node.unvisited:
            changed = replaced(changed, (*node.path, action), data.draw(LEAVES))
    assert worth(changed) == worth(tree)


@given(plain_trees())
def test_alpha_and_beta_are_the_best_that_each_player_has_so_far(tree: Any) -> None:
    """By definition: the best value of a finished older sibling, of the node or an ancestor."""
    env = ExplicitTree(tree, scale=9)
    trace = trace_of(AlphaBetaAgent(**PLAIN), env)
    visits = {node.path: node for node in trace.nodes}
    for node in trace.nodes:
        certain: dict[int, list[float]] = {1: [-1.0], 2: [1.0]}
        for depth in range(len(node.path)):
            ancestor = visits[node.path[:depth]]
            before = ancestor.visited[: ancestor.visited.index(node.path[depth])]
            older = [visits[*ancestor.path, action].value for action in before]
            certain[ancestor.player] += [value for value in older if value is not None]
        assert node.window == (max(certain[1]), min(certain[2]))


@given(late_positions(connect_games(largest=4), most_free_cells=9))
def test_what_the_table_knew_is_recorded_as_such(position: Position) -> None:
    env, state = position
    exact = BruteForce(env)
    agent = AlphaBetaAgent(time_limit=None, iterative_deepening=False, engine="reference")
    trace = trace_of(agent, env, state)
    for node in trace.nodes:
        if node.ending is ReturnReason.TRANSPOSITION:
            end = state
            for action in node.path:
                end = env.get_next_state(end, action)  # type: ignore[arg-type]
            true = exact.value(end)
            assert node.value is not None
            assert node.window_returned is not None
            assert node.window_returned[0] >= node.window_returned[1]
            assert node.visited == []
            assert node.bound is Bound.UPPER or node.value <= true
            assert node.bound is Bound.LOWER or node.value >= true


def test_chance_and_modelled_opponents_have_their_probabilities() -> None:
    tree: Any = [ChanceNode([(0.25, 8), (0.75, 4), (0.0, 1)]), {"left": 2, "right": 6}]
    env = ExplicitTree(tree)
    trace = trace_of(ExpectimaxAgent(depth=None), env)
    found = {node.path: (node.value, node.probability, node.ending.value) for node in trace.nodes}
    assert found == {
        (): (5 / trace.scale, None, "complete"),
        (0,): (5 / trace.scale, None, "complete"),
        (0, 0): (8 / trace.scale, 0.25, "terminal"),
        (0, 1): (4 / trace.scale, 0.75, "terminal"),
        (1,): (4 / trace.scale, None, "complete"),
        (1, "left"): (2 / trace.scale, 0.5, "terminal"),
        (1, "right"): (6 / trace.scale, 0.5, "terminal"),
    }
    assert [node.player for node in trace.nodes[:2]] == [1, 0]


def test_the_board_and_the_player_of_each_node_follow_kaggles_rules() -> None:
    env = ConnectX(rows=4, columns=5)
    state = state_from_moves(env, "3312")
    trace = trace_of(MinimaxAgent(depth=3), env, state)
    grown = trace_of(MCTSAgent(simulations=100, seed=0, threads=2), env, state)
    assert (trace.rows, trace.columns) == (grown.rows, grown.columns) == (4, 5)
    assert set(grown.boards) == set(grown.players)
    assert len(grown.players) > 50
    nodes = [(node.path, node.board, node.player) for node in trace.nodes]
    nodes += [(path, board, grown.players[path]) for path, board in grown.boards.items()]
    for path, board, player in nodes:
        game = kaggle_game(env, state)
        for column in path:
            game.play(column)  # type: ignore[arg-type]
        assert (board, player) == (tuple(game.board), game.mark)


def test_a_game_without_a_board_has_a_trace_without_boards() -> None:
    env = Nim(1, 2)
    trace = trace_of(MinimaxAgent(), env)
    assert (trace.rows, trace.columns, trace.scale) == (None, None, 1.0)
    assert {node.board for node in trace.nodes} == {None}


# --- the trace itself


def test_each_search_empties_the_trace() -> None:
    trace = SearchTrace()
    tree, board = ExplicitTree(TEXTBOOK), ConnectX(rows=3, columns=3, inarow=2)
    agents: list[Agent] = [AlphaBetaAgent(**PLAIN), MCTSAgent(simulations=5), MinimaxAgent()]
    for agent in agents:
        recorded(agent, trace).search(board, board.initial_state())
        recorded(agent, trace).search(tree, ())
        twice = recorded(agent, trace)
        twice.search(board, board.initial_state())
        twice.search(tree, ())
        assert (trace.rows, trace.scale, bool(trace.boards)) == (None, tree.scale, False)
        assert sum(node.path == () for node in trace.nodes) == (not trace.simulations)


def test_the_last_iteration_is_the_deepest_search() -> None:
    env = TicTacToe()
    agent = AlphaBetaAgent(depth=3, time_limit=None)
    trace = trace_of(agent, env)
    assert {len(node.path) for node in trace.nodes} == {0, 1, 2, 3}
    assert max(len(node.path) for node in trace.last_iteration()) == 3
    assert {node.iteration for node in trace.nodes} == {0, 1, 2}
    assert {node.iteration for node in trace.last_iteration()} == {2}


@pytest.mark.parametrize("agent", ["alphabeta", "mcts"])
def test_compiled_searches_are_refused(agent: str) -> None:
    with pytest.raises(ValueError, match="choose engine auto or reference"):
        recorded(make_agent(agent, engine="compiled"), SearchTrace())


def test_a_game_that_gives_an_action_twice_is_refused() -> None:
    class Twice(Nim):
        def get_available_actions(self, state: NimState) -> Sequence[Take]:
            return [*super().get_available_actions(state)] * 2

    with pytest.raises(ValueError, match="twice: let get_available_actions give each action once"):
        trace_of(MinimaxAgent(depth=2), Twice(4, 2))


def test_a_pass_may_be_chosen() -> None:
    env = PassingRace(target=7)
    trace = trace_of(MinimaxAgent(depth=1), env, RaceState(4, 1))
    assert trace.chosen is None
    assert tell(trace)[-1] == "the search chooses None"
    assert trace_text(trace).startswith("Minimax chooses None, worth 1")


@pytest.mark.parametrize("agent", RECORDED_SEARCHES)
def test_a_search_of_more_nodes_than_the_limit_is_refused(agent: str) -> None:
    env = ConnectX()
    trace = SearchTrace()
    limited = recorded(make_agent(agent), trace, limit=50)
    with pytest.raises(ValueError, match="the search visits more than 50 nodes, too many for a"):
        limited.search(env, env.initial_state())
    assert len(trace.nodes) <= 50
    assert tell(trace)
    assert draw(trace)
    assert str(trace) == trace_text(trace)
    assert len(repr(limited)) < 1000  # at Python's prompt it has no room for the nodes
    limited.search(ExplicitTree([1, 2]), ())
    assert trace.chosen in (0, 1)


def test_no_search_imports_what_records_it() -> None:
    root = Path(__file__).parents[2]
    importers = [
        path.relative_to(root).as_posix()
        for package in ("agents", "envs")
        for path in (root / package).rglob("*.py")
        if "agents.trace" in path.read_text(encoding="utf-8")
    ]
    assert importers
    assert all(path.startswith("agents/trace/") for path in importers)
