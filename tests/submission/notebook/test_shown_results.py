"""Checks, matches, grades and ladders show the tables that they print, and their pictures."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import connectx
from submission.building import as_player
from submission.match.match import Match
from submission.rating.ladder import make_ladder
from submission.reports import Printed
from submission.terminal import progress_bar
from tests.helpers.checks import check_pair
from tests.helpers.game_records import LOSS, PLAYER_FAILED, WIN, match_of
from tests.helpers.html_reading import drawings, shown

WICKED = "<script>alert(1)</script>&\"'.py"


def assert_shows_what_it_prints(result: Printed) -> None:
    """Each word and figure of the tables, whatever their form."""
    words, text = re.findall(r"[\w.+%-]+", str(result)), shown(result).text
    assert words
    assert [word for word in words if word not in text] == []


def test_a_check(tmp_path: Path) -> None:
    report = check_pair(
        "def agent(obs, conf):\n    raise ValueError('<b>\\x1b[2J</b>')\n", tmp_path
    )
    page = shown(report)
    assert "Not accepted: " in page.text
    assert "ValueError: <b>" in page.text
    assert "\x1b" not in page.text
    assert page.tags.count("table") == 2


def wicked_match() -> Match:
    games = [replace(game, opponent=WICKED) for game in (WIN, LOSS, PLAYER_FAILED)]
    return match_of(*games, names=("hero", WICKED))


def test_a_match_escapes_the_names_of_files() -> None:
    match = wicked_match()
    page = shown(match)
    assert WICKED in page.text
    assert page.tags.count("table") == 2
    assert drawings(match) == []
    assert_shows_what_it_prints(match_of(WIN, LOSS))


def test_a_ladder_has_its_chart() -> None:
    ladder = make_ladder(wicked_match(), None)
    assert len(drawings(ladder)) == 1
    assert WICKED in shown(ladder).text
    assert_shows_what_it_prints(make_ladder(match_of(WIN, LOSS), None))


@pytest.mark.usefixtures("workers_in_threads")
def test_a_grade_has_its_chart_and_the_worst_mistakes() -> None:
    grade = connectx.grade("greedy", sample=40, seed=1, workers=1, progress=False)
    assert 2 <= len(drawings(grade)) <= 6
    assert_shows_what_it_prints(grade)
    assert as_player("greedy").name in shown(grade).text


def test_a_bar_is_text_and_leaves_no_widget_in_the_notebook(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where a notebook's environment asks for colours."""
    display = pytest.importorskip("IPython.display")
    shown: list[dict[str, str]] = []

    class Output:
        def update(self, forms: dict[str, str], *, raw: bool) -> None:
            shown.append(forms)

    monkeypatch.setattr(display, "display", lambda forms, **_: Output())
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress_bar("Asking") as show:
        show(3, 4, "greedy")
        sys.stdout.write("printed\n")
    assert {*map(len, shown)} == {1}
    assert re.fullmatch("Asking greedy ━+ +3/4 [0-9:]+.*", shown[-2]["text/plain"])
    assert shown[-1] == {"text/plain": ""}
    assert capsys.readouterr().out == "printed\n"
