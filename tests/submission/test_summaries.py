"""What a result comes to in a few sentences, which stand last and alone with `--brief`."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import connectx
from submission.arena.game_record import Result
from submission.building import Submission
from submission.match.sprt import Sprt
from submission.rating.ladder import make_ladder
from tests.helpers.game_records import DRAW, LOSS, PLAYER_FAILED, WIN, match_of
from tests.helpers.shell import Shell

pytestmark = pytest.mark.usefixtures("workers_in_threads")

SMALL = ("--rows", "4", "--columns", "5", "--inarow", "3", "--workers", "1", "--arena", "own")
EVALUATE = ("evaluate", "greedy", "--against", "random:seed=1", "--games", "4", *SMALL)
LADDER = ("ladder", "random:seed=1", "greedy", "random:seed=2", "--games", "4", *SMALL)
FIRST = "def agent(observation):\n    return observation.board[:7].index(0)\n"
LAST = "def agent(observation):\n    return 6 - observation.board[6::-1].index(0)\n"


def test_a_match_ends_with_its_score() -> None:
    match = match_of(WIN, replace(LOSS, result=Result.WIN))
    (said,) = match.summary()
    assert said == (
        "hero against rival: 100.0 % [20.6, 100.0] of the points in 2 games, Elo +inf [-235, open]."
    ), "Wilson's interval of 1 in 1, and 400 log10(0.2065 / 0.7935)"
    words = " ".join(str(match).split())
    assert words.endswith(said)
    assert "1-0-0 100.0 +inf " in words, "the row of the table"


def test_what_went_wrong_and_the_verdict_of_a_test_stand_before_it() -> None:
    match = match_of(WIN, LOSS, DRAW, PLAYER_FAILED)
    tested = replace(match, settings=replace(match.settings, sprt=Sprt(0, 100)))
    verdict, failed, score = tested.summary()
    assert "Not decided" in verdict
    assert failed.startswith("hero failed in 1 game")
    assert score.startswith("hero against rival: 50.0 %")


def test_no_game_has_no_score() -> None:
    assert match_of(games=2).summary() == [
        "hero against rival: no pair of games counts, of 0 games."
    ]


def test_a_ladder_ends_with_the_ratings() -> None:
    *_, first, second = make_ladder(match_of(WIN, LOSS, WIN, games=4), "rival").summary()
    assert first.startswith("1  hero: Elo +")
    assert second == "2  rival: Elo 0, the anchor"


@pytest.mark.parametrize(
    ("words", "said"), [(EVALUATE, "greedy against random:seed=1: "), (LADDER, "1  greedy: Elo ")]
)
def test_brief_is_the_end_of_the_whole(shell: Shell, words: tuple[str, ...], said: str) -> None:
    """Of the same games; --json has all of them."""
    whole = shell.run(*words, "--results", "games.jsonl").stdout
    brief = shell.run("report", "games.jsonl", "--brief", "--json", "all.json").stdout
    assert whole.endswith(brief)
    assert said in brief
    assert max(map(len, brief.splitlines())) > 80, "a sentence is not one line in a pipe"
    assert "W-D-L" in whole
    assert "W-D-L" not in brief
    assert '"columns"' in Path("all.json").read_text(encoding="utf-8")


def test_openings_are_told_before_the_summary(shell: Shell) -> None:
    said = shell.run(*EVALUATE, "--first-player-table").stdout
    assert said.index("by opening") < said.index("Results of greedy") < said.index("of the points")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("grade random --sample 1 --workers 1", " of 1 position in which a move can lose it."),
        ("grade random --sample 1 --workers 1", "random in 1 solved position, 2 s a move"),
        ("positions --labels 1 --output one.npz --workers 1", "one.npz: 1 labelled position."),
        (
            "positions --per-ply 1 --first-ply 0 --last-ply 0 --output one.jsonl --workers 1",
            "one.jsonl: 1 position, ",
        ),
    ],
)
def test_one_is_no_plural(shell: Shell, words: str, said: str) -> None:
    assert said in " ".join(shell.run(*words.split()).stdout.split())


def test_a_grade_tells_plies_in_its_page_alone() -> None:
    grade = connectx.grade("random", sample=20, workers=1, progress=False)
    text = str(grade)
    assert "By plies played" not in text
    assert "random, in all: keeps the result in " in " ".join(text.split()[-60:])


def test_two_versions_of_one_name_are_told_apart() -> None:
    """Under one name they were refused, and in a match each would have had the other's games."""
    versions = [Submission(FIRST, "agent"), Submission(LAST, "agent")]
    options: dict[str, Any] = {"games": 2, "workers": 1, "trust": True, "progress": False}
    ladder = connectx.ladder(versions, arena="own", **options)
    assert {rung.player for rung in ladder.rungs} == {"agent", "agent (2)"}
    match = connectx.evaluate(versions[0], versions[1:], arena="own", **options)
    assert match.pairings == (("agent", "agent (2)"),)
    mine = Submission(FIRST, "random")
    kaggles = connectx.evaluate(mine, "random", arena="own", **options)
    assert kaggles.pairings == (("random (2)", "random"),), "by any other name Kaggle has no agent"
    with pytest.raises(ValueError, match="'agent' is named twice"):
        connectx.ladder([versions[0], versions[0]], arena="own", **options)
