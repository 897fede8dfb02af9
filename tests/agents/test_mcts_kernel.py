"""The compiled Monte Carlo tree search: the reference's trees, node by node, and what it adds."""

import pickle
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import MCTSAgent
from agents.agent import Clock
from agents.compiled.compilation import Compilation
from agents.compiled.compiled_mcts import SLICE, UctTree, grow_by_playouts
from agents.compiled.learned_value import LearnedValue
from agents.compiled.pooled_trees import Forest
from agents.compiled.tree_kernel import STREAM, TAKEN
from agents.guidance.rollouts import decisive, uniform
from agents.mcts import Tree, TreeSettings
from agents.tree import Node, node_of_two_plies
from envs import BoardGame, BoardState, ConnectFour, ConnectX, TicTacToe, state_from_moves
from envs.compiled.jit import fastest
from envs.compiled.random_stream import DRAWN_BITS, DRAWN_MASK, STREAMS, drawn_index, next_stream
from tests.helpers.bitbully_judge import Judge
from tests.helpers.clocks import ticking_clock
from tests.helpers.strategies import (
    WIDE_BOARDS,
    Position,
    connect_games,
    contested_games,
    narrow,
    quiet_game,
    random_game,
    unfinished_positions,
)
from tests.helpers.trained_policies import random_policy

ReferenceTree = Tree[BoardState, int]

SETTINGS = TreeSettings(
    exploration=1.0, rollouts_per_leaf=1, solver=True, decisive_moves=True, decisive_rollout=True
)
fitting_games = narrow(connect_games(largest=8, longest_line=6))
streams = st.integers(1, STREAMS)


class StreamRandom(Random):
    """The random numbers of the compiled search, for the reference."""

    def __init__(self, stream: int) -> None:
        super().__init__()
        self.stream = stream

    def random(self) -> float:
        self.stream = next_stream(self.stream)
        return (self.stream & DRAWN_MASK) / (1 << DRAWN_BITS)


class LookAheadTree(ReferenceTree):
    """The compiled tree with decisive moves: two plies are looked ahead at every node."""

    def make_node(
        self, state: BoardState, actions: Sequence[int], proven: float | None = None
    ) -> Node[BoardState, int]:
        self.nodes += 1
        return node_of_two_plies(self.env, state, actions, proven)


def reference_tree(
    position: Position,
    tree_settings: TreeSettings,
    stream: int,
    simulations: int,
    learned: LearnedValue | None = None,
) -> ReferenceTree:
    tree_type = LookAheadTree if tree_settings.decisive_moves else Tree
    tree = tree_type(
        position.env,
        position.state,
        tree_settings._replace(decisive_moves=False),
        learned or (decisive if tree_settings.decisive_rollout else uniform),
        StreamRandom(stream),
    )
    for _ in range(simulations):
        if tree.root.proven is None:
            tree.simulate()
    return tree


def grown_forest(
    env: BoardGame,
    state: BoardState,
    simulations: int,
    tree_settings: TreeSettings = SETTINGS,
    stream: int = 1,
    threads: int = 1,
    plain: bool = False,
    learned: LearnedValue | None = None,
) -> Forest:
    assert isinstance(env, ConnectX)
    seeds = Random(stream)
    streams = [stream, *(1 + seeds.randrange(STREAMS) for _ in range(1, threads))]
    forest = Forest([UctTree(env, state, tree_settings, each, plain, learned) for each in streams])
    forest.grow(simulations, Clock())
    return forest


class Facts(NamedTuple):
    """All that a node knows, its children aside."""

    path: tuple[int, ...]
    visits: int
    total: float
    proven: float | None
    assured: float | None
    value: float


def facts(node: Any, path: tuple[int, ...] = ()) -> Iterator[Facts]:
    """What the nodes of a tree know, each followed by its children in their order."""
    yield Facts(path, node.visits, node.total, node.proven, node.assured, node.value)
    for action, child in node.children.items():
        yield from facts(child, (*path, action))


# --- the same as the reference


@st.composite
def tree_settings(draw: st.DrawFn) -> TreeSettings:
    return TreeSettings(
        draw(st.sampled_from([0.0, 0.3, 1.0, 1.4])),
        draw(st.sampled_from([1, 1, 3])),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.booleans()),
    )


@pytest.mark.parametrize(
    ("games", "most_simulations", "guesses"),
    [
        (fitting_games | contested_games(7) | st.builds(ConnectFour), 200, False),
        (st.sampled_from(WIDE_BOARDS), 25, False),  # a game of the reference's takes long there
        (contested_games(7), 100, True),
    ],
    ids=["64 bits", "wide_boards", "guessed leaves"],
)
@given(data=st.data(), options=tree_settings(), stream=streams)
@settings(max_examples=25)
def test_the_same_random_numbers_grow_the_same_tree(
    games: st.SearchStrategy[ConnectX],
    most_simulations: int,
    guesses: bool,
    data: st.DataObject,
    options: TreeSettings,
    stream: int,
) -> None:
    position = data.draw(unfinished_positions(games))
    simulations = data.draw(st.integers(1, most_simulations))
    learned = LearnedValue(random_policy(position.env, stream % 5)) if guesses else None
    forest = grown_forest(*position, simulations, options, stream, learned=learned)
    tree = reference_tree(position, options, stream, simulations, learned)
    assert list(facts(forest.root)) == list(facts(tree.root))
    assert forest.nodes == tree.nodes
    assert isinstance(tree.rng, StreamRandom)
    assert forest.trees[0].counters[STREAM] == tree.rng.stream


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_the_same_source_grows_the_same_tree_in_plain_python() -> None:
    """On a board of all 64 bits, where numpy's scalars tell of a carry into the sign."""
    env = ConnectX(rows=7, columns=8, inarow=4)
    state = state_from_moves(env, "45544")
    compiled, plain = (
        list(facts(grown_forest(env, state, 150, stream=5, plain=plain).root))
        for plain in (False, True)
    )
    assert compiled == plain
    assert len(compiled) > 100


@pytest.mark.parametrize("choices", [2, 3, 7])
def test_random_numbers_choose_evenly_and_independently(choices: int) -> None:
    """Pearson's chi-squared over pairs of successive choices; its 0.1 % points are the bounds."""
    bound = {2: 16.3, 3: 26.1, 7: 84.0}[choices]
    stream, chosen = 12345, []
    for _ in range(40_000):
        stream = next_stream(stream)
        chosen.append(drawn_index(stream, choices))
    pairs = Counter(zip(chosen[::2], chosen[1::2], strict=True))
    expected = len(chosen) / 2 / choices**2
    assert len(pairs) == choices**2
    assert sum((count - expected) ** 2 / expected for count in pairs.values()) < bound


# --- the tree that is kept


def subtree(root: Any, path: tuple[int, ...]) -> list[Facts]:
    for action in path:
        root = root.children[action]
    return list(facts(root))


@given(unfinished_positions(contested_games(6)), st.integers(1, 300), streams)
def test_a_subtree_is_kept_as_it_is(position: Position, simulations: int, stream: int) -> None:
    env, state = position
    forest = grown_forest(env, state, simulations, stream=stream)
    for path in [entry.path for entry in facts(forest.root) if len(entry.path) <= 2]:
        kept = pickle.loads(pickle.dumps(forest))
        expected = subtree(kept.root, path)
        end = state
        for action in path:
            end = env.get_next_state(end, action)
        assert kept.descend(end)
        assert list(facts(kept.root)) == expected
        for tree in kept.trees:
            tree.make_room(simulations=10)
        assert list(facts(kept.root)) == expected


def test_what_is_no_longer_needed_leaves_the_pool() -> None:
    env = ConnectFour()
    forest = grown_forest(env, env.initial_state(), 5000)
    tree = forest.trees[0]
    before = int(tree.counters[TAKEN])
    assert forest.descend(state_from_moves(env, "11"))
    tree.make_room(simulations=10)
    assert tree.counters[TAKEN] == 1 + reserved_places(forest) < before
    assert len(tree.nodes) >= tree.counters[TAKEN] + 10 * env.columns


def reserved_places(forest: Forest) -> int:
    """One for each safe column of each node that has a child."""
    nodes = forest.trees[0].nodes
    count = 0
    unvisited: list[Any] = [forest.root]
    for node in unvisited:
        unvisited += node.children.values()
        if node.children:
            count += int(nodes["children"][node.place] + nodes["untried"][node.place])
    return count


def test_a_tree_that_lacks_the_state_begins_anew() -> None:
    """One simulation each: the two trees know one column, and not the same."""
    env = ConnectFour()
    forest = grown_forest(env, env.initial_state(), 2, threads=2)
    first, second = forest.root.children
    assert forest.descend(env.get_next_state(env.initial_state(), first))
    assert forest.root.visits == 1
    assert second != first
    forest.grow(100, Clock())
    assert forest.root.visits == 101


def test_a_full_pool_grows_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.compiled.pooled_trees.LARGEST_POOL", 100)
    env = ConnectFour()
    forest = grown_forest(env, env.initial_state(), 5000)
    assert forest.root.visits == 5000
    assert len(forest.trees[0].nodes) == 100
    assert forest.nodes <= 100
    assert MCTSAgent(5000, seed=1).act(env, state_from_moves(env, "4")) in range(7)


# --- threads and time


def test_threads_share_the_simulations() -> None:
    env = ConnectFour()
    state = env.initial_state()
    for simulations in (1, 2, 3, 5001):
        agent = MCTSAgent(simulations, seed=1, threads=3)
        assert agent.search(env, state).simulations == simulations
        assert agent.tree.root.visits == simulations  # type: ignore[union-attr]
    trees = agent.tree.trees  # type: ignore[union-attr]
    assert len({tree.nodes.tobytes() for tree in trees}) == 3


def test_threads_change_nothing_about_repeatability() -> None:
    env = ConnectX(5, 5, 4)
    state = random_game(env, Random(3))[6]
    results = [MCTSAgent(3000, seed=4, threads=2).search(env, state) for _ in range(2)]
    assert results[0].action_values == results[1].action_values


@pytest.mark.parametrize(
    ("looks", "threads", "rollouts"), [(1, 1, 1), (2, 1, 1), (1, 1, 10), (1, 2, 1), (7, 2, 1)]
)
def test_the_clock_is_looked_at_after_each_slice(looks: int, threads: int, rollouts: int) -> None:
    """More rollouts from each leaf make shorter slices."""
    env = ConnectFour()
    agent = MCTSAgent(None, rollouts_per_leaf=rollouts, threads=threads, engine="compiled")
    with ticking_clock():
        result = agent.search(env, env.initial_state(), looks)
    assert result.simulations == looks * threads * SLICE // rollouts


# --- the engine


class LastColumnFirst(ConnectX):
    """Rules of one's own."""

    def get_available_actions(self, state: BoardState) -> Sequence[int]:
        return super().get_available_actions(state)[::-1]


def own_policy(env: Any, state: Any, rng: Random) -> float:
    return uniform(env, state, rng)


@pytest.mark.parametrize(
    ("env", "options", "compiled"),
    [
        (ConnectFour(), {}, True),
        (ConnectFour(), {"rollout": "uniform"}, True),
        (ConnectFour(), {"rollout": decisive}, True),
        (ConnectFour(), {"rollout": "heuristic"}, False),
        (ConnectFour(), {"rollout": own_policy}, False),
        (ConnectX(7, 8, 5), {}, True),
        pytest.param(WIDE_BOARDS[0], {}, True, id="wide"),
        (ConnectX(1, 31, 20), {}, True),
        (ConnectX(16, 16, 4), {}, False),  # 272 bits
        (TicTacToe(), {}, False),
        (LastColumnFirst(), {}, False),
    ],
)
def test_where_the_search_is_compiled(env: Any, options: dict[str, Any], compiled: bool) -> None:
    assert MCTSAgent(**options).is_compiled(env) == compiled
    assert not MCTSAgent(engine="reference", **options).is_compiled(env)
    required = MCTSAgent(engine="compiled", simulations=1, **options)
    if compiled:
        assert required.is_compiled(env)
    else:
        with pytest.raises(ValueError, match="the compiled engine needs Numba, ConnectX on"):
            required.act(env, env.initial_state())


def test_whole_numbers_are_not_compiled_anew() -> None:
    env = ConnectFour()
    known = []
    for exploration in (2.0, 2):
        agent = MCTSAgent(1, exploration=exploration, engine="compiled", weights=None)
        agent.search(env, env.initial_state())
        twin: Any = fastest(grow_by_playouts)
        known.append(len(twin.signatures))
    assert known[0] == known[1]


def test_without_numba_the_reference_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    without = Compilation("a test", lambda: False)
    monkeypatch.setattr("agents.mcts_agent.mcts_on", lambda *_: without)
    env = ConnectFour()
    agent = MCTSAgent(simulations=20, seed=1)
    agent.search(env, env.initial_state())
    assert isinstance(agent.tree, Tree)


def test_without_weights_the_automatic_rollout_follows_the_engine() -> None:
    env = ConnectFour()
    state = env.initial_state()

    def values(engine: str, rollout: str) -> Any:
        agent = MCTSAgent(200, rollout=rollout, engine=engine, seed=1, weights=None)
        return agent.search(env, state).action_values

    assert values("compiled", "auto") == values("compiled", "decisive")
    assert values("reference", "auto") == values("reference", "uniform")


@pytest.mark.thorough
def test_values_are_kept_where_it_matters() -> None:
    """Random positions of 16 to 22 plies in which some columns keep the value and some do not."""
    judge, env, rng = Judge(), ConnectFour(), Random(11)
    agent = MCTSAgent(25_000, keep_tree=False, seed=1, engine="compiled", weights=None)
    kept = played = 0
    while played < 30:
        moves = quiet_game(env, rng.randrange(16, 23), rng)
        keeping = judge.moves_that_keep_the_outcome(moves)
        if len(keeping) < len(judge.scores(moves)):
            played += 1
            kept += agent.act(env, state_from_moves(env, moves)) in keeping
    assert kept >= 27
