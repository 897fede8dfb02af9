"""`connectx compare`: one answer about two versions of a player."""

import json
import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest

from submission.arena.players import Identity, PlayerKind
from submission.comparing.comparison import Comparison, comparison_page, duration
from submission.comparing.finding import ComparisonSettings, Finding
from submission.comparing.paired_answers import PairedAnswers
from submission.executors.local_workers import Versions
from submission.executors.work import Completion
from submission.grading.answers import Answer, GradeSettings
from submission.grading.grade import Grade
from submission.grading.solved_positions import SolvedPosition
from submission.sandbox.move import Failure
from submission.sandbox.processes import can_throttle
from tests.helpers.game_records import LOSS, PLAYER_FAILED, WIN, match_of
from tests.helpers.shell import Outcome, Shell, printed
from tests.helpers.shipped_positions import SHIPPED

POSITIONS = {p.moves: p for p in SHIPPED.positions}
AT_STAKE = [p for p in POSITIONS.values() if p.is_at_stake]

RANDOM = """
import random
def agent(observation, configuration):
    return random.choice([c for c in range(7) if observation.board[c] == 0])
"""
MIDDLE = """
def agent(observation, configuration):
    return min((abs(3 - c), c) for c in range(7) if observation.board[c] == 0)[1]
"""


def grade_of(name: str, answers: list[Answer]) -> Grade:
    return Grade(
        player=Identity(name, PlayerKind.FILE, "0" * 64),
        positions_sha256="0" * 64,
        asked=len(answers),
        settings=GradeSettings(),
        versions=Versions("0.1.0", None, "3.11.7"),
        completion=Completion.COMPLETE,
        answers=tuple(answers),
    )


def compared(finding: Finding = Finding.BETTER, to_come: int = 0) -> Comparison:
    """The hero loses three results that its rival keeps, one of them by a failure."""
    failure = Failure("ERROR", "ValueError: boom")
    worst = [min(p.legal, key=p.legal.__getitem__) for p in AT_STAKE[:4]]
    new = [Answer(p, column, 0.1) for p, column in zip(AT_STAKE[:3], worst, strict=False)]
    new[0] = Answer(AT_STAKE[0], None, 0.1, failure)
    old = [Answer(p, p.best[0], 0.1) for p in AT_STAKE[:3]]
    return Comparison(
        ComparisonSettings(games=40),
        match_of(WIN, LOSS, games=40),
        finding,
        seconds=3.0,
        games_to_come=to_come,
        grades=(grade_of("hero", new), grade_of("rival", old)),
    )


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        (Finding.BETTER, "hero is better than rival: 50.0 % ["),
        (Finding.WORSE, "hero is worse than rival: 50.0 % ["),
        (Finding.EQUAL, "hero and rival are equal within 50 Elo: 50.0 % ["),
        (Finding.REPEATED, "hero and rival only repeat their games, so that this score is exact"),
        (Finding.UNDECIDED, "Not decided whether hero is better than rival (50.0 % ["),
    ],
)
def test_the_last_sentence_is_the_answer(finding: Finding, said: str) -> None:
    assert compared(finding).summary()[-1].startswith(said)


def test_where_it_is_not_decided_it_says_how_much_more_it_takes() -> None:
    """2 games took 3 seconds: 121 more take 3 minutes, and 123 are no even number."""
    said = compared(Finding.UNDECIDED, to_come=121).summary()[-1]
    assert said.endswith("it takes about 121 more games, 3 minutes, with --games 124.")
    said = compared(Finding.UNDECIDED, to_come=20).summary()[-1]
    assert said.endswith("it takes about 20 more games, 30 seconds."), "40 were asked for"


def test_what_the_new_one_loses_is_listed_with_its_moves() -> None:
    text = printed(compared().tables(), 200)
    for position in AT_STAKE[:3]:
        assert f"  connectx solve {position.moves or chr(34) * 2}: " in text
    assert "no move, ValueError: boom" in text
    page = comparison_page(compared())
    assert page.count("<figure>") == 3
    assert page.count("<figure><svg") == 2, "a failure has no move to show"
    assert "Where hero loses what rival kept" in page


def test_an_early_end_and_failures_are_said_before_the_answer() -> None:
    match = match_of(WIN, LOSS, PLAYER_FAILED, games=40, completion=Completion.INTERRUPTED)
    early = replace(compared(Finding.UNDECIDED), match=match, grades=())
    first, second, *_, last = early.summary()
    assert first == "Interrupted after 3 games."
    assert "hero failed in 1 game" in second
    assert last.startswith("Not decided")
    assert "solved positions" not in printed(early.tables(), 100).partition("Better")[0]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "a second"), (40, "40 seconds"), (150, "2 minutes"), (3 * 3600, "3 hours")],
)
def test_times_are_rough(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def compare(shell: Shell, new: str, old: str, *words: str) -> Outcome:
    for name, source in (("new.py", new), ("old.py", old)):
        Path(name).write_text(source, encoding="utf-8")
    small = ("--sample", "40", "--games", "120", "--workers", "1", "--trust")
    return shell.run("compare", "new.py", "old.py", *small, *words)


@pytest.mark.thorough
def test_a_worse_version_is_found_and_where(shell: Shell) -> None:
    """The middle column loses to random play seldom, and knows nothing of threats."""
    files = ("--json", "all.json", "--html", "page.html", "--brief")
    outcome = compare(shell, RANDOM, MIDDLE, *files)
    assert outcome.status == 0, outcome.stderr
    assert "new.py is worse than old.py: " in " ".join(outcome.stdout.split())
    assert "W-D-L" not in outcome.stdout
    told = json.loads(Path("all.json").read_text(encoding="utf-8"))
    assert told["finding"] == "worse"
    assert len(told["match"]["records"]) < 120
    assert told["lost"]
    for lost in told["lost"]:
        position = POSITIONS[lost["moves"]]
        assert lost["old"] in position.keeping
        assert lost["new"] not in position.keeping
    words, kept = " ".join(outcome.stdout.split()), told["kept"]
    shares = [f"{100 * kept[name]:+.1f}" for name in ("value", "low", "high")]
    assert "{} [{}, {}] percentage points".format(*shares) in words
    assert len(told["slow_moves"]) == (2 if can_throttle() else 0)
    for moves in told["slow_moves"]:
        mean = f"{moves['timing']['mean']:.3f} s for a move on average, loading included"
        assert f"{moves['player']} takes {mean}" in words
    assert "new.py is worse than old.py" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("margin", [0, -5, 1e-20, 1500, float("nan"), 10**400, "4", None, True])
def test_a_margin_that_is_refused_is_named(margin: Any) -> None:
    told = f"the margin must be from 1 to 1000 Elo, not {margin!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        ComparisonSettings(margin=margin)


def test_a_player_that_would_be_refused_is_not_compared(shell: Shell) -> None:
    outcome = compare(shell, "def agent(observation):\n    return 9\n", MIDDLE)
    assert outcome.status == 2
    assert "new.py would not be accepted (the agent returned column 9" in outcome.stderr


@pytest.mark.skipif(find_spec("torch") is not None, reason="Kaggle's torch is installed")
def test_a_player_that_cannot_be_judged_here_is_not_called_refused(shell: Shell) -> None:
    outcome = compare(shell, f"import torch\n{MIDDLE}", MIDDLE)
    assert outcome.status == 2
    words = " ".join(outcome.stderr.split())
    assert "new.py cannot be judged here (there is no module torch here, though " in words
    assert words.endswith("image has it): install it here to check the submission")


def test_a_player_is_not_compared_with_itself(shell: Shell) -> None:
    assert "random is compared with itself" in shell.refusal("compare", "random", "random")


# --- two players' answers to the same positions, and the interval of their difference


def answer(position: SolvedPosition, keeps: bool) -> Answer:
    losing = [column for column in position.legal if column not in position.keeping]
    return Answer(position, position.keeping[0] if keeps else losing[0], 0.0)


def paired(cells: tuple[int, int, int, int]) -> PairedAnswers:
    """Kept by both, by the new one alone, by the old one alone, and by none."""
    kinds = [(True, True), (True, False), (False, True), (False, False)]
    kept = [kind for kind, count in zip(kinds, cells, strict=True) for _ in range(count)]
    new = [answer(p, keeps) for p, (keeps, _) in zip(AT_STAKE, kept, strict=False)]
    old = [answer(p, keeps) for p, (_, keeps) in zip(AT_STAKE, kept, strict=False)]
    return PairedAnswers.of(new, old)


def test_what_one_keeps_and_the_other_loses_is_told_apart() -> None:
    answers = paired((5, 3, 2, 4))
    assert [len(answers.pairs), len(answers.gained), len(answers.lost)] == [14, 3, 2]
    assert {pair.new.position for pair in answers.lost} == {*AT_STAKE[8:10]}
    assert all(pair.old.keeps and not pair.new.keeps for pair in answers.lost)


def test_the_worst_losses_come_first() -> None:
    new = [answer(position, keeps=False) for position in AT_STAKE]
    old = [answer(position, keeps=True) for position in AT_STAKE]
    lost = [pair.half_points_lost for pair in PairedAnswers.of(new, old).lost]
    assert lost == sorted(lost, reverse=True)
    assert {*lost} == {1, 2}


def test_positions_that_one_was_not_asked_about_do_not_count() -> None:
    new = [answer(position, keeps=True) for position in AT_STAKE[:10]]
    old = [answer(position, keeps=True) for position in AT_STAKE[5:15]]
    assert len(PairedAnswers.of(new, old).pairs) == 5


def test_the_interval_is_walds_with_half_a_pair_more_in_each_cell() -> None:
    """Cells of 54.5, 20.5, 8.5 and 18.5, of 102 in all."""
    change = paired((54, 20, 8, 18)).difference()
    assert change.value == pytest.approx(0.12)
    half = 1.959964 * ((29 / 102 - (12 / 102) ** 2) / 102) ** 0.5
    assert change.low == pytest.approx(12 / 102 - half)
    assert change.high == pytest.approx(12 / 102 + half)


def test_the_interval_holds_the_truth() -> None:
    rng, held = Random(1), 0
    for _ in range(300):
        drawn = rng.choices(range(4), [0.4, 0.25, 0.1, 0.25], k=60)
        change = paired(tuple(drawn.count(kind) for kind in range(4))).difference()  # type: ignore[arg-type]
        held += change.low <= 0.15 <= change.high
    assert 0.92 * 300 <= held <= 0.985 * 300


def test_no_answers_tell_nothing() -> None:
    change = PairedAnswers(()).difference()
    assert (change.value, change.low < -0.9, change.high > 0.9) == (0.0, True, True)
