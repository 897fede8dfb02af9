import io
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from benchmarks.results import print_report
from benchmarks.searches.catalogue import SIMULATIONS, workloads
from benchmarks.searches.search_report import figure, search_report
from benchmarks.searches.search_times import Measurement, Peer, Workload, measure
from benchmarks.timings import Timings, seconds_per_call, spread
from envs import ConnectFour

COMPARISONS = [
    pytest.param(workload, peer, id=f"{workload.name}, {peer.name}")
    for workload in workloads()
    for peer in workload.peers
]
IMPORT_NAMES = {"open_spiel": "pyspiel", "easyAI": "easyAI"}


def named(name: str) -> Workload:
    return next(workload for workload in workloads() if workload.name == name)


def report(measurement: Measurement) -> str:
    text = io.StringIO()
    print_report(search_report([measurement]), Console(file=text, width=120))
    return text.getvalue()


@pytest.mark.parametrize(("workload", "peer"), COMPARISONS)
def test_both_find_the_same(workload: Workload, peer: Peer) -> None:
    pytest.importorskip(IMPORT_NAMES[peer.requirement])
    result = named(workload.name).search()  # a fresh agent: its random numbers start at the seed
    found = result.value if workload.simulations is None else result.action
    assert found == peer.search()


@pytest.mark.parametrize(
    ("name", "game", "depth", "nodes"),
    [
        ("tic-tac-toe minimax", "tic_tac_toe", 9, 549_946),
        ("minimax 4", "connect_four", 4, 2_801),
        ("minimax 6", "connect_four", 6, 137_257),
    ],
)
def test_minimax_visits_every_node(name: str, game: str, depth: int, nodes: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")

    def count(state: Any, depth: int) -> int:
        if depth == 0 or state.is_terminal():
            return 1
        return 1 + sum(count(state.child(action), depth - 1) for action in state.legal_actions())

    assert count(pyspiel.load_game(game).new_initial_state(), depth) == nodes
    assert named(name).search().nodes == nodes


def test_mcts_runs_as_many_simulations_as_its_rate_counts() -> None:
    workload = named("MCTS")
    assert workload.search().simulations == workload.simulations == SIMULATIONS


@given(st.lists(st.integers(0, 6), max_size=60))
def test_easy_ai_plays_by_the_same_rules(columns: list[int]) -> None:
    pytest.importorskip("easyAI")
    from benchmarks.searches.easy_ai_connect_four import EasyAIConnectFour

    env, game = ConnectFour(), EasyAIConnectFour()
    state = env.initial_state()
    for column in columns:
        if column not in env.get_available_actions(state):
            continue
        assert sorted(game.possible_moves()) == list(env.get_available_actions(state))
        state = env.get_next_state(state, column)
        before = game.ttentry()
        game.make_move(column)
        game.unmake_move(column)
        assert game.ttentry() == before
        game.make_move(column)
        assert game.ttentry() == (state.mover, state.mask)
        assert game.lose() == state.won
        assert game.is_over() == (not env.get_available_actions(state))


def test_a_missing_peer_is_named_and_the_rest_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "easyAI", None)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    measurement = measure(named("alpha-beta 4"), rounds=1)
    assert measurement.peers == []
    assert measurement.ours.median > 0
    text = report(measurement)
    assert "easyAI is missing: install it with `pip install easyAI`" in text
    assert "open_spiel is missing: install it with `pip install open_spiel`" in text
    assert "alpha-beta 4" in text


def spin(times: int) -> Callable[[], int]:
    return lambda: sum(range(times))


def test_times_are_proportional_to_the_work() -> None:
    assert 5 < seconds_per_call(spin(100_000)) / seconds_per_call(spin(10_000)) < 20


def test_the_report_gives_medians_and_the_spread_of_the_pairs() -> None:
    measurement = Measurement(
        named("alpha-beta 8"),
        ours=Timings("ours", [0.010, 0.020, 0.040]),
        peers=[Timings("Other", [0.030, 0.040, 0.040])],
        missing=[],
    )
    text = report(measurement)
    assert "20.0 ms" in text
    assert "40.0 ms" in text
    assert "2.00 (1.00-3.00)" in text
    assert "76 (38-152)" in text  # 1520 ms published
    assert "reached" in text


def test_what_is_slower_than_the_goal_is_missed() -> None:
    measurement = Measurement(named("MCTS"), Timings("ours", [SIMULATIONS / 35_900]), [], [])
    assert figure(measurement, measurement.ours.median) == "35.9 k/s"
    assert "missed" in report(measurement)


def test_spread_of_one_round() -> None:
    assert spread([1.234]) == "1.23 (1.23-1.23)"
