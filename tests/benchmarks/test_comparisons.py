"""The benchmark of comparisons: pairs of known difference, and the table of what was found."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks import __main__ as command_line
from benchmarks.strength.comparisons import KNOWN_PAIRS, OLD_SLIPS, player
from submission.arena.game_record import GameConfiguration
from submission.arena.players import Pairing
from submission.match.run import play_match
from submission.match.schedule import Arena, Settings
from tests.helpers.benchmark_reports import run_benchmark


def test_who_looks_away_less_wins_more() -> None:
    settings = Settings(games=60, arena=Arena.OWN, configuration=GameConfiguration())
    match = play_match([Pairing(player("new", 0.0), player("old", 1.0))], settings)
    score = match.stats()[0].score
    assert score is not None
    assert score.low > 0.8


def test_the_equal_pair_is_equal() -> None:
    (equal,) = [pair for pair in KNOWN_PAIRS if pair.name == "equal"]
    assert player("new", equal.slips).source == player("new", OLD_SLIPS).source


@pytest.mark.thorough
def test_each_pair_has_a_row_with_its_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_line, "local_executor", ThreadPoolExecutor)
    told = run_benchmark("compare", "--trials", "1", "--margin", "300", "--workers", "1")
    for pair in KNOWN_PAIRS:
        found = re.findall(r"\b\d+\b", told.partition(f"{pair.name} {pair.elo}")[2])
        assert sum(map(int, found[:5])) == 1, "one finding of five"
