"""`connectx rank`: the likeliest rating among levels whose ratings are known."""

import json
import re
from dataclasses import replace
from math import inf, log10
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import connectx
from agents.levels import LEVELS, Level
from agents.reporting.stats import Estimate, expected_score
from submission.rating.rank import (
    RULES,
    LevelScore,
    Rank,
    estimated_elo,
    level_player,
    nearest_level,
    next_level,
)
from tests.helpers.documents import ROOT
from tests.helpers.game_records import LOSS, WIN, games, match_of, without_durations
from tests.helpers.shell import Shell, printed

pytestmark = pytest.mark.usefixtures("workers_in_threads")

LOWEST = "def agent(observation, configuration):\n    return observation.board[:7].index(0)\n"


@given(st.sampled_from(LEVELS), st.integers(1, 50), st.integers(1, 50))
def test_against_one_level_the_rating_is_that_of_the_score(
    level: Level, won: int, lost: int
) -> None:
    """With a game won and one lost that were not played."""
    elo = estimated_elo([LevelScore(level, won + lost, won)])
    assert elo.value == pytest.approx(level.elo + 400 * log10((won + 1) / (lost + 1)), abs=0.01)
    share = (won + 1) / (won + lost + 2)
    half = 1.959964 * 400 / 2.302585 / ((won + lost) * share * (1 - share)) ** 0.5
    assert (elo.low, elo.high) == pytest.approx((elo.value - half, elo.value + half), abs=0.01)


def test_several_levels_make_the_likeliest_rating() -> None:
    """No other rating, in steps of an Elo point, makes the points likelier."""
    scores = [LevelScore(LEVELS[3], 20, 17), LevelScore(LEVELS[5], 40, 19.5)]

    def likelihood(elo: float) -> float:
        total = 0.0
        for score in scores:
            share, unplayed = expected_score(elo - score.level.elo), score.games / 60
            total += (score.points + unplayed) * log10(share)
            total += (score.games - score.points + unplayed) * log10(1 - share)
        return total

    best = max(range(2000), key=likelihood)
    assert estimated_elo(scores).value == pytest.approx(best, abs=1)


def test_a_side_on_which_nothing_is_known_is_open() -> None:
    won = estimated_elo([LevelScore(LEVELS[9], 8, 8)])
    lost = estimated_elo([LevelScore(LEVELS[0], 8, 0)])
    assert (won.high, lost.low) == (inf, -inf)
    assert won.low > LEVELS[9].elo - 100
    assert lost.high < LEVELS[0].elo + 100


def test_the_interval_holds_the_rating_of_simulated_players() -> None:
    """Each plays 120 games, eight against the nearest level before it chooses the next."""
    rng, held = Random(1), 0
    for _ in range(150):
        truth, games = rng.uniform(100, 1500), dict[int, list[float]]()
        for _ in range(15):
            level = next_level(_scores(games))
            share = expected_score(truth - level.elo)
            games.setdefault(level.n, []).extend(float(rng.random() < share) for _ in range(8))
        elo = estimated_elo(_scores(games))
        held += elo.low <= truth <= elo.high
        assert elo.high - elo.low < 200
        assert abs(nearest_level(elo.value).elo - truth) < 250
    assert 0.9 * 150 <= held <= 0.99 * 150


def _scores(games: dict[int, list[float]]) -> list[LevelScore]:
    return [LevelScore(LEVELS[n - 1], len(of), sum(of)) for n, of in sorted(games.items())]


@pytest.mark.thorough
@pytest.mark.parametrize("n", [1, 4])
def test_a_level_ranks_as_itself(n: int) -> None:
    player = replace(level_player(LEVELS[n - 1]), name="hero")
    rank = connectx.rank(player, games=64, workers=1, progress=False)
    assert rank.elo.low <= LEVELS[n - 1].elo <= rank.elo.high
    assert abs(rank.nearest.n - n) <= 1


def test_the_number_of_workers_changes_no_game() -> None:
    one, two = (
        connectx.rank("level:n=1", games=24, workers=workers, progress=False) for workers in (1, 2)
    )
    assert without_durations(one.match) == without_durations(two.match)


def test_the_command_tells_the_place(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LOWEST, encoding="utf-8")
    words = ("rank", "mine.py", "--trust", "--games", "24", "--workers", "1")
    line = " ".join(shell.output(*words, "--brief", "--json", "rank.json").split())
    told = json.loads((tmp_path / "rank.json").read_text(encoding="utf-8"))
    nearest = told["nearest"]
    assert line.startswith(f"mine.py plays about like level {nearest['n']}, {nearest['name']}: Elo")
    assert sum(score["games"] for score in told["scores"]) == 24
    assert told["scores"][-1]["level"]["n"] == 5, "the first one"
    assert told["scores"][0]["level"]["n"] < 5, "one that is about as weak"


def test_a_player_who_fails_in_every_game_has_no_rank(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def agent(o, c):\n    return 99\n", encoding="utf-8")
    words = ("rank", "mine.py", "--trust", "--games", "8", "--workers", "1")
    outcome = shell.run(*words, "--brief", "--json", "rank.json")
    assert outcome.status == 1
    assert "failed in 8 games" in outcome.stdout
    told = json.loads((tmp_path / "rank.json").read_text(encoding="utf-8"))
    assert told["elo"] is told["nearest"] is None
    assert outcome.stdout.splitlines()[-1] == (
        "mine.py has no rank, because none of its games came to an end."
    )


def test_the_end_of_the_time_is_said(shell: Shell) -> None:
    outcome = shell.run("rank", "random", "--minutes", "0", "--brief")
    assert outcome.stdout.splitlines() == [
        "The time was up after 0 of 120 games: give more with --minutes.",
        "No game was played.",
    ]


def test_games_that_have_begun_in_time_count_whenever_they_end(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    begin = f"import tempfile, time\ntempfile.mkstemp('.begun', dir={str(tmp_path)!r})\n"
    path.write_text(f"{begin}time.sleep(0.2)\n{LOWEST}", encoding="utf-8")
    rank = connectx.rank(path, trust=True, minutes=0.2 / 60, workers=2, progress=False)
    assert len(rank.match.records) == len([*tmp_path.glob("*.begun")])


def test_repeated_games_are_said() -> None:
    match = match_of(*games(WIN, LOSS, WIN, LOSS))
    repeated, _ = Rank("hero", match, (), Estimate(0.0, -9.0, 9.0), seconds=1.0).summary()
    assert repeated.endswith("Distinct games: hero and rival 2 of 4.")


def test_the_rules_say_how_exactly_the_levels_were_measured() -> None:
    results = ROOT / "benchmarks" / "results" / "levels.json"
    *_, table, _ = json.loads(results.read_text(encoding="utf-8"))["report"]
    measured = [map(int, re.findall(r"[+]\d+", f"{row[2]} {row[3]}")) for row in table["rows"][1:]]
    sides = [side for elo, low, high in measured for side in (elo - low, high - elo)]
    assert (min(sides) // 10, -max(sides) // 10) == (6, -13)
    assert "60 to 130 Elo on either side" in RULES


def test_the_table_fits() -> None:
    match, scores = match_of(WIN, LOSS), (LevelScore(LEVELS[0], 2, 1.0),)
    rank = Rank("hero", match, scores, estimated_elo(scores), seconds=1.0)
    for width in (40, 80):
        text = printed(rank.tables(), width)
        assert max(map(len, text.splitlines())) <= width
        assert "540 games" in " ".join(text.split())
    assert len(rank.summary()) == 1
