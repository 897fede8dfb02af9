"""Hostile agents in a match: each fails or plays, all games are there, and nothing is left."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from submission.arena.game_record import Result
from submission.checking.check import check_submission
from submission.match.results_file import read_results
from tests.attack.hostile_agents import FAILING, ODD, VICTIM
from tests.helpers.attacks import Tally, Workplace, chance, scaled
from tests.helpers.shell import printed

pytestmark = pytest.mark.attack

BANK = 0.2
"""Seconds, instead of Kaggle's 60, in which those that hang would wait."""

BATCHES = 4

CHECKED = 12
"""Of the agents, also by `connectx check`."""

SHORT_BANK = f"import submission.kaggle\nsubmission.kaggle.BANK = {BANK}\n"
"""Run by every interpreter of the match as it starts; strangers' have no such variable."""


def named(sources: dict[str, str], folder: Path) -> Iterator[tuple[str, str]]:
    """Write the agents into files, beside a folder of others; their names, and what they are."""
    victim = folder / "victim"
    victim.mkdir()
    (victim / "file").write_text("kept")
    for name, source in sources.items():
        file = re.sub(r"\W+", "_", name) + ".py"
        (folder / file).write_text(source.replace(VICTIM, repr(str(victim))))
        yield file, name


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """Where a match is played with a short bank."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(SHORT_BANK)
    return Workplace(tmp_path, site)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_all_games_against_hostile_agents_are_there(
    batch: int, place: Workplace, tally: Tally
) -> None:
    mixed = sorted(FAILING | ODD)
    chance("agents").shuffle(mixed)
    sources = {name: (FAILING | ODD)[name] for name in mixed[batch::BATCHES]}
    files = dict(named(sources, place.folder))
    against = " ".join(f"--against {file}" for file in files)
    ended = place.run(
        f"evaluate good.py {against} --games 2 --arena own --act-timeout 1 --workers 2 "
        "--results games.jsonl"
    )
    tally.add("hostile agents", len(files))
    tally.hold(ended.is_orderly, str(ended))
    match = read_results(place.folder / "games.jsonl")
    for file, name in files.items():
        games = [record for record in match.records if record.opponent == file]
        told = [(game.game, str(game.result), game.cause) for game in games]
        tally.add("games against hostile agents", len(games))
        tally.hold(sorted(game.game for game in games) == [0, 1], f"{name}: games {told}")
        tally.hold(
            all(game.result is not Result.PLAYER_FAILED for game in games),
            f"{name}: the other player failed: {told}",
        )
        if name in FAILING:
            tally.hold(
                all(game.result is Result.OPPONENT_FAILED for game in games),
                f"{name}: it has not failed: {told}",
            )
        for game in games:
            tally.hold(
                game.cause is None or game.cause.isprintable(), f"{name}: cause {game.cause!r}"
            )
    again = place.run("evaluate good.py --against random --games 2 --workers 2 --results 2.jsonl")
    tally.hold(again.status == 0 and again.is_orderly, f"the next run: {again}")
    left = place.left_behind()
    tally.hold(not left, f"left behind: {left}")
    tally.hold((place.folder / "victim" / "file").exists(), "the files of others are gone")


def test_hostile_agents_are_checked(tmp_path: Path, tally: Tally) -> None:
    """By the check's own games, with a report of it."""
    every = FAILING | ODD
    chosen = chance("checked").sample(sorted(every), min(len(every), scaled(CHECKED)))
    for file, name in named({name: every[name] for name in chosen}, tmp_path):
        report = check_submission(
            tmp_path / file, act_timeout=1, bank=BANK, game_seconds=2, patience=0, memory=2**31
        )
        tally.add("hostile agents checked")
        told = printed(report, 200)
        tally.hold(not (report.accepted and name in FAILING), f"{name} is accepted:\n{told}")
        tally.hold("\x1b" not in told, f"{name} writes to the terminal:\n{told!r}")
