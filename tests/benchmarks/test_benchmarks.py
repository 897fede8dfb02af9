"""Our searches and environments do the same work as the peers that they are timed beside."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from benchmarks.environments.single_environments import (
    STEPS,
    environment_report,
    environment_workloads,
)
from benchmarks.searches.catalogue import SIMULATIONS, figure, search_report, workloads
from benchmarks.searches.forced_words import words_of_at_least
from benchmarks.searches.words import CONNECT_FOUR, RATES, WIDE_BOARDS, WordSpeed, word_report
from benchmarks.timings import (
    Measurement,
    Peer,
    Timings,
    Workload,
    measure,
    seconds_per_call,
    spread,
)
from envs import ConnectFour
from envs.bitboard import board_masks
from envs.compiled.jit import WORDS, bits_of_word
from tests.helpers.benchmark_reports import report_text, run_benchmark

COMPARISONS = [
    pytest.param(workload, peer, id=f"{workload.name}, {peer.name}")
    for workload in workloads()
    for peer in workload.peers
]
IMPORT_NAMES = {"open_spiel": "pyspiel", "easyAI": "easyAI"}

MEAN_PLIES = {"Connect Four": 21.4, "tic-tac-toe": 7.626}
"""Of games of uniformly random moves; exact for tic-tac-toe, simulated for Connect Four."""

PLAYERS = [
    pytest.param(workload.name, run, id=f"{workload.name}, {player}")
    for workload in environment_workloads()
    for player, run in [("ours", workload.run), *((peer.name, peer.run) for peer in workload.peers)]
]


def named(name: str) -> Workload:
    return next(workload for workload in workloads() if workload.name == name)


@pytest.mark.parametrize(("workload", "peer"), COMPARISONS)
def test_both_find_the_same(workload: Workload, peer: Peer) -> None:
    pytest.importorskip(IMPORT_NAMES[peer.requirement])
    result = named(workload.name).run()  # a fresh agent: its random numbers start at the seed
    found = result.value if workload.count is None else result.action
    assert found == peer.run()


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
    assert named(name).run().nodes == nodes


def test_mcts_runs_as_many_simulations_as_its_rate_counts() -> None:
    workload = named("MCTS")
    assert workload.run().simulations == workload.count == SIMULATIONS


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


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("game", "run"), PLAYERS)
def test_every_environment_plays_games_of_the_expected_length(
    game: str, run: Callable[[], int]
) -> None:
    try:
        games = run()
    except ModuleNotFoundError as missing:
        pytest.skip(str(missing))
    assert STEPS / games == pytest.approx(MEAN_PLIES[game], rel=0.06)


def test_a_missing_peer_is_named_and_the_rest_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "easyAI", None)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    workload = named("alpha-beta 4")
    there = Peer("slow", "slow-env[all]", lambda: sum(range(50_000)))
    measured = measure(Workload("both", workload.run, (*workload.peers, there)), rounds=2)
    assert [peer.name for peer in measured.missing] == ["OpenSpiel", "easyAI", "easyAI, table"]
    assert [len(timings.seconds) for timings in (measured.ours, *measured.peers)] == [2, 2]
    assert min(measured.ours.seconds) > 0
    for report in (search_report([measured]), environment_report([measured])):
        text = report_text(report)
        assert "easyAI is missing: install it with `pip install 'easyAI'`" in text
        assert "open_spiel is missing: install it with `pip install 'open_spiel'`" in text
        assert "both" in text
        assert "slow-env" not in text


def spin(times: int) -> Callable[[], int]:
    return lambda: sum(range(times))


def test_times_are_proportional_to_the_work() -> None:
    assert 5 < seconds_per_call(spin(100_000)) / seconds_per_call(spin(10_000)) < 20


def test_reports_give_medians_and_the_spread_of_the_pairs() -> None:
    ours, theirs = Timings("ours", [0.010, 0.020, 0.040]), Timings("Other", [0.030, 0.040, 0.040])
    text = report_text(search_report([Measurement(named("alpha-beta 8"), ours, [theirs], [])]))
    for shown in ("20.0 ms", "40.0 ms", "2.00 (1.00-3.00)", "76 (38-152)", "reached"):
        assert shown in text  # 1520 ms are published
    environment = environment_workloads()[0]
    text = report_text(environment_report([Measurement(environment, ours, [theirs], [])]))
    assert "250,000" in text.split()
    assert text.split()[-4:] == ["Other", "125,000", "2.00", "(1.00-3.00)"]
    assert spread([1.234]) == "1.23 (1.23-1.23)"


def test_what_is_slower_than_the_goal_is_missed() -> None:
    measured = Measurement(named("MCTS"), Timings("ours", [SIMULATIONS / 35_900]), [], [])
    assert figure(measured.workload, measured.ours.median) == "35.9 k/s"
    assert "missed" in report_text(search_report([measured]))


def test_the_help_cuts_no_sentence() -> None:
    text = run_benchmark("--help")
    assert "list the files that it passes, in their order." in text
    assert "..." not in text.partition("Commands:")[2]


# --- the speed by the width of words


def test_a_row_shows_shares_of_the_speed_in_narrow_words() -> None:
    speeds: list[WordSpeed] = []
    for work in RATES:
        speeds += [WordSpeed(work, CONNECT_FOUR, bits, [128e6 / bits]) for bits in sorted(WORDS)]
        speeds += [WordSpeed(work, game, 64, [5e5, 5e6, 9e6]) for game in WIDE_BOARDS]
    _, rows = word_report(speeds)
    assert isinstance(rows, Table)
    shown = [next(iter(column.cells)) for column in rows.columns]
    assert shown[1:] == ["2 M", "0.50", "0.25", "5 M", "5 M", "5 M"]


@pytest.mark.parametrize("bits", [64, 128, 256])
def test_boards_take_the_words_that_are_left(bits: int) -> None:
    with words_of_at_least(bits):
        assert bits_of_word(board_masks(6, 7, 4).board) == bits
    assert bits_of_word(board_masks(6, 7, 4).board) == 64
