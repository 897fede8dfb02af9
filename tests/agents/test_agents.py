"""What holds for every agent: its result, its limits, its seed, and games that are no boards."""

import pickle
import random
from dataclasses import replace
from time import perf_counter
from types import SimpleNamespace
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agents import (
    Agent,
    AlphaBetaAgent,
    ExpectimaxAgent,
    MCTSAgent,
    MinimaxAgent,
    RandomAgent,
    agent_names,
    make_agent,
)
from agents.agent import Clock
from agents.registry import AGENTS
from envs import ChanceNode, ConnectFour, ConnectX, ExplicitTree, TicTacToe, state_from_moves
from envs.protocol import Env
from tests.helpers.brute_force import truth_of
from tests.helpers.clocks import ends_within, ticking_clock
from tests.helpers.quick_agents import (
    end_of_game,
    fresh,
    quick_agent,
    thinking_agent_names,
    unhurried_agent,
)
from tests.helpers.small_games import Nim, NimState, Race, Take, nim_value
from tests.helpers.strategies import (
    WIDE_BOARDS,
    Position,
    board_games,
    narrow,
    unfinished_positions,
    unfinished_states,
)
from tests.helpers.textbook import TEXTBOOK

UNLIMITED = {
    name: make_agent(name, **agent.unlimited) for name, agent in AGENTS.items() if agent.unlimited
}
FULL: dict[str, Agent] = {
    **UNLIMITED,
    "minimax": MinimaxAgent(depth=None),
    "alphabeta at once": AlphaBetaAgent(time_limit=None, iterative_deepening=False),
}
"""Agents that search these small games to their end."""

BY_HEART = Position(ConnectFour(), state_from_moves(ConnectFour(), "4"))
"""For this position some agents know a move without a search."""


every_agent = pytest.mark.parametrize("name", agent_names())
every_full_agent = pytest.mark.parametrize("name", FULL)


# --- the result of a search


@pytest.mark.thorough
@every_agent
@given(
    position=unfinished_positions(narrow(board_games(largest=8))),
    looks=st.none() | st.integers(0, 30),
)
@example(position=BY_HEART, looks=20)
def test_a_result_is_coherent(name: str, position: Position, looks: int | None) -> None:
    """Also when the time is up after some looks at the clock."""
    env, state = position
    if looks is None:
        result = quick_agent(name).search(env, state)
    else:
        with ticking_clock():
            result = quick_agent(name).search(env, state, time_limit=looks)
    legal = env.get_available_actions(state)
    assert result.action in legal
    assert set(result.action_values) <= set(legal)
    assert result.action_values.get(result.action, result.value) == result.value
    assert all(-1.0 <= value <= 1.0 for value in [result.value, *result.action_values.values()])
    assert result.principal_variation[0] == result.action
    assert result.elapsed >= 0.0
    for action in result.principal_variation:
        state = env.get_next_state(state, action)


@pytest.mark.thorough
@every_agent
@pytest.mark.parametrize("looks", [0, 2, 4, 10, 30])
def test_a_value_of_one_is_a_proof_even_when_the_time_is_up(name: str, looks: int) -> None:
    env = ConnectX(3, 3, 3)
    for state in random.Random(looks).sample(sorted(unfinished_states(env)), 120):
        with ticking_clock():
            result = quick_agent(name).search(env, state, time_limit=looks)
        assert abs(result.value) < 1 or result.value == truth_of(env).value(state), state


BROKEN: dict[str, dict[str, Any]] = {
    r"get_available_actions\(.* is <generator .*: return a list": {
        "get_available_actions": lambda state: (take for take in [Take(0, 1)])
    },
    r"get_available_actions\(.* is array.*: return a list": {
        "get_available_actions": lambda state: np.array([1, 2])
    },
    r"a legal action among \(\[0, 1\],\) cannot be hashed: .* not lists": {
        "get_available_actions": lambda state: [[0, 1]]
    },
    "0, which means chance, but .*: add them, or number the players 1 and 2": {
        "current_player": lambda state: state.player - 1
    },
    "is 'first', not 1 or 2": {"current_player": lambda state: "first"},
}
"""Methods by which Nim breaks the protocol, by what each agent says of them."""


def broken(methods: dict[str, Any]) -> Nim:
    env = Nim(2)
    vars(env).update(methods)
    return env


EMPTY, HEAPS = TicTacToe().initial_state(), cast("Any", [2])
REFUSED: list[tuple[Any, Any, str]] = [
    (ConnectX(), state_from_moves(ConnectX(), "1212121"), "the game is over"),
    (TicTacToe(), state_from_moves(TicTacToe(), "123586479"), "the game is over"),
    *((broken(BROKEN[complaint]), NimState((2,), 1), complaint) for complaint in BROKEN),
    (Nim(2), NimState(HEAPS, 1), r"^the state NimState\(heaps=\[2\].*cannot be hashed"),
    (ExplicitTree(TEXTBOOK), [0], r"^the state \[0\] cannot be hashed: .* tuples"),
    (ExplicitTree(ChanceNode([(0.5, [1, 2]), (0.5, [3, 4])])), (), r"chance decides in \(\)"),
    *(
        (ConnectFour(), state, r"is not a state of ConnectFour\(\): make one by")
        for state in ("4453", None, [0] * 42)
    ),
    (TicTacToe, EMPTY, r"^TicTacToe is a class: give a game, as in TicTacToe\("),
    (
        gymnasium.make("connectx/TicTacToe-v0"),
        EMPTY,
        "^<OrderEnforcing<.*has no get_available_actions: give .* the `unwrapped` of",
    ),
]


@every_agent
@pytest.mark.parametrize(("env", "state", "complaint"), REFUSED)
def test_what_cannot_be_searched_is_refused(
    name: str, env: Any, state: Any, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        quick_agent(name).search(env, state)


@pytest.mark.parametrize("name", ["minimax", "expectimax", "alphabeta", "mcts"])
@pytest.mark.parametrize(
    ("probabilities", "complaint"),
    [
        ({0: -0.5, 1: 1.5}, "has the probability -0.5"),
        ({0: 0.5, 1: 0.6}, "sum to 1.1: they must sum to 1"),
        ({0: 0.0, 1: 0.0}, "sum to 0: they must sum to 1"),
        (None, "there are no chance_probabilities: add them"),
    ],
)
def test_chance_without_a_distribution_is_refused(
    name: str, probabilities: dict[int, float] | None, complaint: str
) -> None:
    tree = ExplicitTree([ChanceNode([(0.5, 1), (0.5, -1)])])
    methods = {each: getattr(tree, each) for each in dir(Env) if not each.startswith("_")}
    rules = SimpleNamespace(**methods)
    if probabilities is not None:
        rules.chance_probabilities = lambda state: probabilities
    with pytest.raises(ValueError, match=complaint):
        make_agent(name).search(rules, ())


SENT: dict[str, Agent] = {
    **{name: unhurried_agent(name) for name in agent_names()},
    "a tree": MCTSAgent(simulations=200, seed=12),
    "a reference tree": MCTSAgent(simulations=200, seed=12, engine="reference"),
    "a guided reference tree": make_agent("alphazero", simulations=30, engine="reference"),
}


@pytest.mark.parametrize("name", SENT)
def test_agents_may_be_sent_to_other_processes(name: str) -> None:
    """They go on there from what they have drawn and found."""
    env, agent = ConnectFour(), SENT[name]
    agent.act(env, env.initial_state())
    copy = pickle.loads(pickle.dumps(agent))
    assert copy == agent
    state = state_from_moves(env, "44")
    found, expected = copy.search(env, state), agent.search(env, state)
    assert replace(found, elapsed=0.0) == replace(expected, elapsed=0.0)


# --- time


@pytest.mark.parametrize("limit", [float("nan"), "1"])
@pytest.mark.parametrize("name", sorted({*thinking_agent_names()} - {"greedy"}))
def test_a_time_limit_that_is_no_number_is_refused(name: str, limit: Any) -> None:
    """Greedy takes no time."""
    env = ConnectX(4, 5, 3)
    refusal = f"a time limit must be a number of seconds, not {limit!r}"
    with pytest.raises(ValueError, match=refusal):
        quick_agent(name).search(env, env.initial_state(), time_limit=limit)


def test_a_time_limit_may_be_larger_than_any_float() -> None:
    assert Clock(10**400).left > 10**300


@pytest.mark.parametrize("env", [ConnectX(6, 7, 5), WIDE_BOARDS[-1]], ids=repr)
@pytest.mark.parametrize(
    "agent",
    [
        *(FULL[name] for name in ("minimax", "alphabeta", "alphabeta at once", "mcts")),
        ExpectimaxAgent(depth=None),
        MCTSAgent(simulations=None, rollout="decisive"),
    ],
)
def test_a_time_limit_of_a_search_holds(agent: Agent, env: ConnectX) -> None:
    """Roughly, for the sake of machines on which much else is running."""
    agent = fresh(agent)
    agent.compile(env)
    start = perf_counter()
    result = agent.search(env, env.initial_state(), time_limit=0.1)
    assert 0.1 <= result.elapsed <= perf_counter() - start < 5.0
    assert result.action in range(env.columns)


@pytest.mark.parametrize("name", UNLIMITED)
def test_an_agent_without_limits_searches_for_as_long_as_it_is_given(name: str) -> None:
    """`unlimited` holds the options of an agent that a caller's clock alone stops."""
    assert name not in ("random", "greedy", "minimax", "expectimax"), "no clock needs to stop it"
    env = ConnectX(6, 8)
    agent = UNLIMITED[name]
    with ticking_clock():
        shorter = fresh(agent).search(env, env.initial_state(), time_limit=50)
    with ticking_clock():
        longer = fresh(agent).search(env, env.initial_state(), time_limit=200)
    assert longer.nodes > shorter.nodes
    assert longer.elapsed >= 200


# --- randomness


def test_the_random_agent_plays_every_legal_action_and_no_other() -> None:
    env = ConnectFour()
    state = state_from_moves(env, "44444477")
    agent = RandomAgent(seed=2)
    assert {agent.act(env, state) for _ in range(300)} == {0, 1, 2, 4, 5, 6}


def test_a_seed_repeats_the_random_agent_and_pythons_own_seed_those_without_one() -> None:
    env = ConnectFour()

    def actions(seed: int | None) -> list[int]:
        agent = RandomAgent(seed)
        return [agent.act(env, env.initial_state()) for _ in range(40)]

    assert actions(seed=3) == actions(seed=3) != actions(seed=4)
    assert actions(seed=None) != actions(seed=None)
    random.seed(5)
    first = actions(seed=None)
    random.seed(5)
    assert actions(seed=None) == first


@every_agent
def test_seeded_agents_leave_pythons_random_numbers_alone(name: str) -> None:
    env = ConnectFour()
    random.seed(6)
    expected = random.random()
    random.seed(6)
    quick_agent(name).act(env, env.initial_state())
    assert random.random() == expected


# --- games that are no boards


@every_full_agent
@given(
    heaps=st.lists(st.integers(0, 3), min_size=1, max_size=3).filter(any),
    player=st.sampled_from([1, 2]),
    misere=st.booleans(),
)
@settings(max_examples=30)
def test_nim_has_the_value_of_boutons_theorem(
    name: str, heaps: list[int], player: int, misere: bool
) -> None:
    env = Nim(*heaps, misere=misere)
    state = NimState(env.heaps, player)
    with ends_within(20):
        result = fresh(FULL[name]).search(env, state)
    assert result.value == nim_value(env, state)
    if result.value == (1.0 if player == 1 else -1.0):
        after = env.get_next_state(state, result.action)
        if env.get_available_actions(after):
            assert nim_value(env, after) == result.value


@every_agent
@pytest.mark.parametrize(
    "env",
    [
        *(Nim(2, 3), Nim(2, 3, misere=True), Race(11)),
        ExplicitTree([[TEXTBOOK, {"a": {"b": 15, "c": -15}, "d": 0}]]),
    ],
    ids=["nim", "misere nim", "race", "tree"],
)
def test_every_agent_plays_games_that_are_no_boards(name: str, env: Any) -> None:
    agent = quick_agent(name)
    assert not env.get_available_actions(end_of_game(env, agent, agent))


@pytest.mark.parametrize("name", thinking_agent_names())
def test_what_wins_at_once_is_played_and_what_loses_at_once_is_not(name: str) -> None:
    env, misere = Nim(2), Nim(2, misere=True)
    assert quick_agent(name).act(env, env.initial_state()).objects == 2
    assert quick_agent(name).act(misere, misere.initial_state()).objects == 1
