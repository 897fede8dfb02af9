"""The benchmark of learned agents: what it counts and says, and the figures of shipped weights."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agents import make_agent
from agents.policy.policy_agent import PolicyAgent
from agents.reporting.stats import Estimate, score_estimate
from benchmarks.results import FOLDER as BENCHMARKS
from benchmarks.results import report_json
from benchmarks.solver.positions import SETS
from benchmarks.strength import learned_parts
from benchmarks.strength.learned import Measurement, learned_figures, learned_report
from benchmarks.strength.learned_parts import (
    PARTS,
    Figure,
    LearnedSettings,
    MatchPart,
    Measured,
    NoSearchPart,
    TicTacToePart,
    opening_plies,
)
from benchmarks.strength.value_losses import (
    PUBLISHED_FILES,
    DrawnSets,
    draw_positions,
    exact_outcomes,
    losses_in_sets,
)
from envs import BoardGame, BoardState, ConnectFour, ConnectX, TicTacToe, state_from_moves
from submission.grading.solved_positions import SHIPPED_POSITIONS, read_position_set
from tests.helpers.benchmark_reports import run_benchmark
from tests.helpers.brute_force import BruteForce
from tests.helpers.trained_policies import policy_file

KEPT = BENCHMARKS / "results" / "learned.json"
"""The figures of the README."""


class LastColumn(NamedTuple):
    """Plays the last column that it may."""

    def act(self, env: BoardGame, state: BoardState) -> int:
        """The column farthest to the right."""
        return env.get_available_actions(state)[-1]


def settings(**fields: Any) -> LearnedSettings:
    return LearnedSettings(**{"sets": draw_positions(None, sample=2, seed=1), "games": 2, **fields})


def value_lost(truth: BruteForce[BoardState, int], state: BoardState, action: int) -> bool:
    """Whether an action leads to a worse end of the game, by brute force."""
    sign = 1 if state.player == 1 else -1
    return sign * truth.action_value(state, action) < sign * truth.value(state)


def shares(figures: Any) -> dict[str, float]:
    return {figure["figure"]: figure["value"] for figure in figures}


def test_moves_that_lose_value_are_those_by_brute_force() -> None:
    env = ConnectFour()
    truth = BruteForce[BoardState, int](env)
    kind = next(kind for kind in SETS if kind.name == "end-easy")
    late = sorted(draw_positions(None, 300, seed=1).positions[kind.name], key=lambda p: p.moves)
    late = [position for position in late if len(position.moves) >= 34][:40]
    player: Any = LastColumn()
    found = [*losses_in_sets(player, DrawnSets("here", {kind.name: late}))]
    states = [state_from_moves(env, position.moves) for position in late]
    lost = [value_lost(truth, state, player.act(env, state)) for state in states]
    assert found == [(kind.name, each) for each in lost]
    assert {*lost} == {True, False}


def test_a_seed_draws_the_same_positions_of_each_set() -> None:
    drawn = draw_positions(None, sample=3, seed=1)
    assert [*drawn.positions] == [kind.name for kind in SETS]
    assert all(len(positions) == 3 for positions in drawn.positions.values())
    assert drawn == draw_positions(None, sample=3, seed=1)
    assert drawn != draw_positions(None, sample=3, seed=2)
    assert len(draw_positions(None, sample=9999, seed=1).positions["mid-easy"]) == 1000


def test_a_folder_without_the_files_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"cannot read .*Test_.*: give the folder of P\. Pons'"):
        draw_positions(tmp_path, sample=1, seed=1)
    for name in PUBLISHED_FILES.values():
        (tmp_path / name).write_text("4453 and more\n", encoding="ascii")
    with pytest.raises(ValueError, match="must hold lines of moves and a score"):
        draw_positions(tmp_path, sample=1, seed=1)
    for name in PUBLISHED_FILES.values():
        (tmp_path / name).write_text("4453 2\n", encoding="ascii")
    drawn = draw_positions(tmp_path, sample=1000, seed=1)
    assert drawn.positions == {kind.name: [("4453", 2)] for kind in SETS}


@pytest.mark.parametrize(
    ("game", "games", "plies"),
    [
        (ConnectFour(), 2, 2),
        (ConnectFour(), 98, 2),
        (ConnectFour(), 100, 3),
        (ConnectX(5, 6), 74, 3),
    ],
)
def test_there_are_openings_enough(game: ConnectX, games: int, plies: int) -> None:
    assert opening_plies(game, games) == plies


def test_a_match_counts_points_and_names_its_terms(tmp_path: Path) -> None:
    board = ConnectX(4, 4, 3)
    options = "simulations=2,engine=reference"
    part = MatchPart("small", "On a small board.", options, "greedy", game=board)
    measured = part.measure(policy_file(board, tmp_path), settings())
    (figure,) = measured.figures
    assert figure.name == "points against greedy"
    assert figure.of == 2
    assert 0 <= figure.share.low <= figure.share.value <= figure.share.high <= 1
    assert measured.notes[0] == "On a small board."


@pytest.mark.thorough
@pytest.mark.usefixtures("workers_in_threads")
def test_without_search_the_answers_are_the_policys(tmp_path: Path) -> None:
    weights = policy_file(ConnectFour(), tmp_path)
    measured = NoSearchPart().measure(weights, settings())
    positions, agent = read_position_set(SHIPPED_POSITIONS).positions, PolicyAgent(weights)
    answers = [(each, agent.act(ConnectFour(), each.state)) for each in positions]
    kept = [column in each.keeping for each, column in answers if each.is_at_stake]
    best = [column in each.best for each, column in answers]
    assert [figure.share for figure in measured.figures] == [
        score_estimate(sum(right), len(right)) for right in (kept, best)
    ]
    assert [figure.of for figure in measured.figures] == [len(kept), len(best)]


def test_outcomes_are_those_by_brute_force() -> None:
    env = TicTacToe()
    outcomes, truth = exact_outcomes(env), BruteForce[BoardState, int](env)
    assert len(outcomes) == 5478 - 958  # of those reachable, without the finished ones
    for state, outcome in outcomes.items():
        assert outcome == truth.value(state) * (1 if state.player == 1 else -1)


def test_all_positions_of_a_small_game_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, report = ConnectX(3, 3, 3), tmp_path / "report.json"
    weights = policy_file(env, tmp_path)
    searching = make_agent("alphazero", weights=weights, simulations=4, engine="reference")
    monkeypatch.setattr(learned_parts, "_searching", lambda weights, seed: searching)
    monkeypatch.setattr("benchmarks.__main__.PARTS", [TicTacToePart(game=env)])
    run_benchmark("learned", weights, "--json", str(report))
    content = json.loads(report.read_text(encoding="utf-8"))
    found = shares(content["timings"])
    agent, truth = PolicyAgent(weights), BruteForce[BoardState, int](env)
    states = exact_outcomes(env)
    lost = sum(value_lost(truth, state, agent.act(env, state)) for state in states)
    assert found["moves that lose value, no search"] == lost / len(states)
    assert 0 < found["moves that lose value, 600 simulations"] < lost / len(states)
    assert found["points of player 1, no search"] in (0, 0.5, 1)
    assert content["report"][1] == repr(env)


def test_the_report_has_a_table_for_each_game_and_a_column_for_each_weights() -> None:
    parts = {part.name: part for part in PARTS}
    lost = Figure("moves that lose value, begin-hard", Estimate(0.5, 0.25, 0.75), 8, "7")
    points = Figure("points against mcts", Estimate(0.6, 0.5, 0.7), 98)
    exact = Figure("moves that lose value, no search", Estimate(0, 0, 0), 4520)
    measurements = [
        Measurement("zero", parts["value"], Measured([lost], ["Note."])),
        Measurement("zero", parts["mcts"], Measured([points])),
        Measurement("distilled", parts["value"], Measured([lost], ["Note."])),
        Measurement("ttt.npz", parts["tic-tac-toe"], Measured([exact])),
    ]
    report = json.loads(report_json(learned_report(measurements, settings())))["report"]
    assert report[1] == "ConnectFour()"
    assert report[2]["columns"] == ["", "zero", "distilled", "AlphaZero.jl"]
    assert report[2]["rows"] == [
        ["moves that lose value, begin-hard", "50.0 (25.0-75.0)", "50.0 (25.0-75.0)", "7"],
        ["points against mcts", "60.0 (50.0-70.0)", "", ""],
    ]
    assert report[3] == "TicTacToe()"
    assert report[4]["columns"] == ["", "ttt.npz"]
    assert report[4]["rows"] == [["moves that lose value, no search", "0.0"]]
    assert report[5:] == ["Note."]


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["distilled", "zero"])
@pytest.mark.parametrize("name", ["grade", "alphabeta"])
def test_shipped_weights_reproduce_their_figures(name: str, weights: str) -> None:
    """Nothing in these parts is random but for the seed, so that the machine has no say."""
    kept = kept_figures(weights, name)
    if not kept:
        pytest.skip(f"no figures of {weights} for {name} are kept")
    (part,) = (part for part in PARTS if part.name == name)
    games = max(2, *(figure["of"] for figure in kept.values())) if name == "alphabeta" else 2
    measured = part.measure(weights, settings(games=games))
    found = learned_figures(Measurement(weights, part, measured))
    assert shares(found).keys() == kept.keys()
    for figure, share in shares(found).items():
        assert kept[figure]["low"] <= share <= kept[figure]["high"]


def kept_figures(weights: str, part: str) -> dict[str, Mapping[str, Any]]:
    content = json.loads(KEPT.read_text(encoding="utf-8"))
    return {
        figure["figure"]: figure
        for figure in content["timings"]
        if (figure["weights"], figure["part"]) == (weights, part)
    }
