"""`connectx ladder` from the command line, and what a ladder is made of."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.arena.players import find_player, round_robin
from submission.match.results_file import ResultsHeader, new_results, read_results
from submission.match.run import play_match
from submission.match.schedule import Arena, Settings
from submission.rating.ladder import make_ladder, player_stats
from submission.rating.ratings import encounters_of, points_matrix
from tests.helpers.game_records import (
    DRAW,
    LOSS,
    OPPONENT_FAILED,
    PLAYER_FAILED,
    WIN,
    without_durations,
)
from tests.helpers.shell import Shell

NAMES = ["hero", "rival"]
PLAYERS = ("random:", "greedy", "mcts:simulations=9,seed=1,engine=reference")
COMMAND = (
    *("ladder", *PLAYERS, "--games", "4", "--seed", "3", "--arena", "own", "--workers", "1"),
    *("--rows", "4", "--columns", "5", "--inarow", "3"),
)


def test_each_pair_of_games_is_an_observation_and_failures_are_losses() -> None:
    draw = replace(DRAW, game=2)
    failures = PLAYER_FAILED, replace(OPPONENT_FAILED, game=5), replace(OPPONENT_FAILED, game=6)
    encounters = encounters_of(NAMES, [WIN, LOSS, draw, *failures])
    assert encounters.keys() == {(0, 1)}
    assert encounters[0, 1].tolist() == [[1, 1], [0.5, 0.5], [1, 1], [1, 0]]
    assert points_matrix(2, encounters).tolist() == [[0, 3.5], [2.5, 0]]


def test_who_of_two_is_named_first_makes_no_difference() -> None:
    seen = replace(LOSS, player="rival", opponent="hero", seat=1, result=Result.WIN)
    assert encounters_of(NAMES, [WIN, seen])[0, 1].tolist() == [[1, 0], [0, 1]]


def test_a_standing_counts_the_games_of_its_player_alone() -> None:
    other = replace(WIN, player="stranger")
    stats = player_stats("rival", [WIN, LOSS, DRAW, PLAYER_FAILED, OPPONENT_FAILED, other])
    assert (stats.wins, stats.draws, stats.losses) == (2, 1, 3)
    assert stats.failures == {"INVALID": 1}
    assert stats.score == pytest.approx(2.5 / 6)
    assert stats.times.longest == 0.5, "from seat 1 of the game on seat 2 of the hero"


def test_who_both_fail_have_both_lost_and_neither_gains_by_it() -> None:
    both = replace(PLAYER_FAILED, statuses=("ERROR", "TIMEOUT"), rewards=(None, None))
    assert encounters_of(NAMES, [both])[0, 1].tolist() == [[0.5, 0.5]]
    for name in NAMES:
        stats = player_stats(name, [both])
        assert (stats.wins, stats.draws, stats.losses) == (0, 0, 1)
        seat = both.seat if name == "hero" else 3 - both.seat
        assert stats.failures == {both.statuses[seat - 1]: 1}


SETTINGS = Settings(
    games=4, seed=3, configuration=GameConfiguration(4, 5, 3), arena=Arena.OWN, opening_plies=2
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of three players, four games of each two."""
    path = tmp_path_factory.mktemp("ladder") / "whole.jsonl"
    pairings = round_robin([find_player(name) for name in PLAYERS])
    with new_results(path, ResultsHeader.of(pairings, SETTINGS)) as results:
        play_match(pairings, SETTINGS, on_game=results.append)
    return path


def test_an_interrupted_ladder_goes_on_to_the_same_one_and_its_page(
    shell: Shell, tmp_path: Path, whole: Path
) -> None:
    """A file cut off after some games, the last of them torn."""
    kept = whole.read_bytes().splitlines(keepends=True)[:9]
    part = tmp_path / "part.jsonl"
    part.write_bytes(b"".join(kept)[:-3])
    options = ("--anchor", "greedy", "--html", "ladder.html")
    outcome = shell.run(*COMMAND, "--results", str(part), "--resume", *options)
    assert outcome.status == 0, outcome.stderr
    words = " ".join(outcome.stdout.split())
    assert "Ladder of 3 players: 12 games on 4x5, 3 in a row, 2 s a move" in words
    assert "points above greedy" in words
    assert "was incomplete" in outcome.stderr
    assert "was incomplete" not in outcome.stdout, "which may be JSON"
    resumed, expected = read_results(part), read_results(whole)
    assert without_durations(resumed) == without_durations(expected)
    of_resumed, rungs = (make_ladder(each, "greedy").rungs for each in (resumed, expected))
    for one, other in zip(of_resumed, rungs, strict=True):
        assert (one.player, one.elo) == (other.player, other.elo)
    page = (tmp_path / "ladder.html").read_text(encoding="utf-8")
    cells = re.findall(r'<tr><td>(\d+)</td><td class="name">([^<]*)</td>', page)
    ranked = [rung.player for rung in rungs]
    assert cells[:3] == [*zip("123", ranked, strict=True)]
    assert ranked[-1] == "random:"


def test_everyone_plays_everyone_from_either_seat(whole: Path) -> None:
    records = read_results(whole).records
    meetings = {(game.player, game.opponent, game.pair, game.seat) for game in records}
    assert len(meetings) == len(records) == 3 * 4
    assert len({frozenset(game.pairing) for game in records}) == 3


def test_points_of_all_players_add_up(whole: Path) -> None:
    rungs = make_ladder(read_results(whole), None).rungs
    scores = [rung.stats.score for rung in rungs]
    assert sum(score for score in scores if score is not None) == pytest.approx(3 / 2)
    table = np.array([[meeting.score or 0.0 for meeting in rung.against] for rung in rungs])
    assert table + table.T == pytest.approx(1 - np.eye(3))


@pytest.mark.parametrize("games", [0, 1, 5])
def test_after_few_games_everybody_is_on_the_ladder(whole: Path, games: int) -> None:
    match = read_results(whole)
    part = make_ladder(replace(match, records=match.records[:games]), None)
    assert {rung.player for rung in part.rungs} == set(PLAYERS)
    assert sum(rung.stats.games for rung in part.rungs) == 2 * games


def test_ctrl_c_leaves_the_ladder_of_what_was_played(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(*_: object) -> Iterator[GameRecord]:
        yield replace(WIN, player="greedy", opponent="random:")
        raise KeyboardInterrupt

    monkeypatch.setattr("submission.match.run.play_games", play)
    outcome = shell.run("ladder", "greedy", "random:", "--games", "4", "--html", "ladder.html")
    assert outcome.status == 1
    assert "Interrupted after 1 of 4 games." in outcome.stdout
    page = (tmp_path / "ladder.html").read_text(encoding="utf-8")
    assert "Interrupted after 1 of 4 games" in page
