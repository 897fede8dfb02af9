"""`connectx grade` and `connectx positions`, as they are typed."""

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from submission.grading.grading import SHARD_POSITIONS
from submission.grading.solved_positions import SHIPPED_POSITIONS, read_position_set
from tests.helpers.shell import Shell
from tests.helpers.signals import heed_ctrl_c
from tests.helpers.systems import needs_posix

ROOT = Path(__file__).parents[2]
SHIPPED = read_position_set(SHIPPED_POSITIONS)

FAILING = """
def agent(observation, configuration):
    if sum(map(bool, observation.board)) % 2:
        raise ValueError("as <b>second</b> player")
    return observation.board.index(0) % configuration.columns
"""

SLOW = """
import time

def agent(observation, configuration):
    with open({asked!r}, "a") as file:
        file.write("asked\\n")
    time.sleep(0.05)
    return observation.board.index(0) % configuration.columns
"""


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_grade_is_shown_and_written(shell: Shell, tmp_path: Path) -> None:
    words = "grade random --sample 40 --seed 3 --html grade.html --json grade.json"
    outcome = shell.run(*words.split())
    assert outcome.status == 0
    assert "random in 40 solved positions, 2 s a move" in outcome.stdout
    for name in ("opening", "middle game", "endgame", "won", "drawn", "hard", "tactical", "all"):
        assert any(line.split("  ")[0].strip() == name for line in outcome.stdout.splitlines())
    assert "The worst mistakes, columns counted from 1:" in outcome.stdout

    document = json.loads((tmp_path / "grade.json").read_text())
    assert document["settings"] == {"seed": 3, "act_timeout": 2.0}
    assert document["player"]["name"] == "random"
    assert document["positions_sha256"] == SHIPPED.sample(40, seed=3).sha256
    answers = document["answers"]
    sample = SHIPPED.sample(40, seed=3).positions
    assert [answer["moves"] for answer in answers] == [position.moves for position in sample]
    kept = [
        answer["keeps"]
        for answer, position in zip(answers, sample, strict=True)
        if position.is_at_stake
    ]
    share = document["by_kind"]["all"]["kept"]["player"]["value"]
    assert share == pytest.approx(sum(kept) / len(kept))

    text = (tmp_path / "grade.html").read_text()
    page = Page(text)
    assert page.open == []
    assert page.outside == [], "nothing is loaded from elsewhere"
    mistakes = sum(not answer["best"] for answer in answers)
    assert page.tags.count("figure") == min(24, mistakes)


def test_each_mistake_is_marked_on_its_board(shell: Shell, tmp_path: Path) -> None:
    shell.run("grade", "random", "--sample", "30", "--html", "grade.html")
    text = (tmp_path / "grade.html").read_text()
    figures = text.split("<figure>")[1:]
    assert figures
    for figure in figures:
        svg = ET.fromstring(figure[: figure.rindex("</svg>") + len("</svg>")])
        crosses = svg.findall("{http://www.w3.org/2000/svg}path")
        rings = svg.findall("{http://www.w3.org/2000/svg}circle")
        scores = svg.findall("{http://www.w3.org/2000/svg}text")
        assert (len(crosses), len(rings)) == (1, 1)
        by_colour = {score.get("fill"): int(score.text or "") for score in scores}
        assert by_colour["#c01f2e"] < by_colour["#15803d"] == max(int(s.text or "") for s in scores)


def test_failures_are_counted_and_told(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING)
    outcome = shell.run("grade", "failing.py", "--sample", "30", "--html", "grade.html")
    failed = sum(position.ply % 2 for position in SHIPPED.sample(30, seed=0).positions)
    assert f"{failed} ERROR, the first after" in outcome.stdout
    assert "ValueError: as <b>second</b> player." in outcome.stdout
    assert (
        "ValueError: as &lt;b&gt;second&lt;/b&gt; player." in (tmp_path / "grade.html").read_text()
    )


def test_positions_of_ones_own(shell: Shell, tmp_path: Path) -> None:
    words = "positions --per-ply 2 --first-ply 5 --last-ply 6 --workers 1"
    outcome = shell.run(*words.split(), "-o", "mine.jsonl")
    assert outcome.status == 0
    assert outcome.stdout.startswith("Wrote mine.jsonl: 4 positions, ")
    mine = read_position_set(tmp_path / "mine.jsonl")
    assert [position.ply for position in mine.positions] == [5, 5, 6, 6]
    assert mine.settings.command == words.removesuffix(" --workers 1").replace(
        "positions --per-ply 2", "connectx positions --per-ply 2 --seed 0"
    )
    outcome = shell.run("grade", "random", "--positions", "mine.jsonl")
    assert "random in 4 solved positions" in outcome.stdout


@needs_posix
def test_ctrl_c_keeps_what_was_graded(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    (tmp_path / "slow.py").write_text(SLOW.format(asked=str(asked)))
    words = ["grade", "slow.py", "--workers", "1", "--json", "grade.json"]
    with subprocess.Popen(
        [sys.executable, "-m", "submission", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_ctrl_c,
        start_new_session=True,
    ) as process:
        while process.poll() is None and _lines(asked) < 2 * SHARD_POSITIONS:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.strip()) == (1, "")
    document = json.loads((tmp_path / "grade.json").read_text())
    assert document["ending"] == "interrupted"
    assert 0 < len(document["answers"]) < len(SHIPPED.positions)
    assert f"Interrupted after {len(document['answers'])} of {len(SHIPPED.positions)}" in output


def _lines(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.mark.parametrize("words", ["--json mine.py", "--html mine.py", "--json x --html x"])
def test_what_is_read_or_written_is_not_overwritten(
    shell: Shell, tmp_path: Path, words: str
) -> None:
    (tmp_path / "mine.py").write_text(FAILING)
    outcome = shell.run("grade", "mine.py", "--sample", "2", *words.split())
    assert outcome.status == 2
    assert "another file" in outcome.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]
    assert (tmp_path / "mine.py").read_text() == FAILING
