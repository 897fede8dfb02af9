"""Matches between agents from every short opening: who gets which points."""

import pytest

from agents import AlphaBetaAgent, GreedyAgent, RandomAgent
from agents.reporting.stats import Estimate
from benchmarks.strength.heuristics import (
    CONTESTANTS,
    Pairing,
    PairingScore,
    heuristic_report,
    pairings,
    play_pairing,
    round_robin,
)
from benchmarks.strength.matches import match_points, openings
from benchmarks.strength.rollouts import BUDGETS, RolloutMatch, rollout_matches, rollout_report
from envs import BoardGame, ConnectFour, ConnectX, TicTacToe
from tests.helpers.benchmark_reports import report_text


@pytest.mark.parametrize(
    ("env", "plies", "count"),
    [
        # (distinct positions + those that are their own mirror image) / 2
        (ConnectFour(), 0, 1),
        (ConnectFour(), 1, 4),
        (ConnectFour(), 2, 25),
        (ConnectFour(), 3, (238 + 4) // 2),
        (TicTacToe(), 1, 6),
        (TicTacToe(), 2, (72 + 6) // 2),
        (ConnectX(rows=2, columns=2, inarow=2), 3, 0),  # where all games are over
    ],
)
def test_one_of_each_pair_of_mirror_images_is_an_opening(
    env: BoardGame, plies: int, count: int
) -> None:
    starts = openings(env, plies)
    assert len(starts) == len(set(starts)) == count
    assert all(start.mask.bit_count() == plies for start in starts)


def test_who_wins_with_both_colours_has_all_the_points_and_equals_share_them() -> None:
    env = ConnectFour()
    starts = openings(env, 2)[:3]
    strong = AlphaBetaAgent(depth=3, time_limit=None)
    assert match_points(env, strong, RandomAgent(seed=1), starts) == [2.0] * 3
    assert match_points(env, RandomAgent(seed=1), strong, starts) == [0.0] * 3
    assert match_points(env, GreedyAgent(), GreedyAgent(), openings(env, 1)) == [1.0] * 4


def test_a_pairing_plays_two_games_from_each_opening() -> None:
    score = play_pairing(Pairing(TicTacToe(), 2, ("zero", "open_twos")))
    assert score.games == 2 * 39
    assert score.of("zero") + score.of("open_twos") == score.games
    assert 0 < score.points < score.games


def test_every_heuristic_meets_every_other() -> None:
    drawn = [PairingScore(pairing, points=5.0, games=10) for pairing in pairings()]
    assert len(drawn) == 2 * (3 + 6)
    assert report_text(heuristic_report(drawn)).count("50 (24-76)") == 2 * (3 * 2 + 4 * 3)


def test_the_round_robin_adds_up_what_each_has() -> None:
    env = ConnectFour()
    won = PairingScore(Pairing(env, 2, ("zero", "open_lines")), points=0.0, games=10)
    lost = PairingScore(Pairing(env, 2, ("open_lines", "threats")), points=0.0, games=10)
    text = report_text([round_robin(CONTESTANTS[env], [won, lost])])
    (row,) = (line for line in text.splitlines() if "open_lines" in line[:12])
    assert row.split()[1:] == ["100", "(72-100)", "0", "(0-28)", "50", "(30-70)"]


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_heuristic_has_points_against_uniform_rollouts(
    budget: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.strength.rollouts.OPENING_PLIES", 0)
    score = RolloutMatch("heuristic", budget).score(rounds=1)
    assert score.value * 4 % 1 == 0, "halves of the points of two games"
    assert score.high > 0


def test_a_row_for_each_policy_but_uniform() -> None:
    matches = rollout_matches()
    scores = [Estimate(0.01 * number, 0, 1) for number in range(len(matches))]
    rows = [line.split() for line in report_text(rollout_report(matches, scores)).splitlines()]
    assert ["decisive", "0", "(0-100)", "1", "(0-100)"] in rows
    assert ["heuristic", "2", "(0-100)", "3", "(0-100)"] in rows
    assert not any("uniform" in row[:1] for row in rows)
