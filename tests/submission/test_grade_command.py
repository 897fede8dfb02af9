"""`connectx grade` and `connectx positions`, as they are typed."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from submission.grading.answers import SHARD_POSITIONS
from submission.grading.solved_positions import read_position_set
from tests.helpers.html_reading import Page
from tests.helpers.processes import interrupted
from tests.helpers.shell import Shell
from tests.helpers.shipped_positions import SHIPPED
from tests.helpers.svg_reading import SVG
from tests.helpers.systems import needs_posix

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
    time.sleep(0.02)
    return observation.board.index(0) % configuration.columns
"""


def test_a_grade_is_shown_and_written(shell: Shell, tmp_path: Path) -> None:
    words = "grade random --sample 40 --seed 3 --html grade.html --json grade.json"
    said = shell.output(*words.split())
    assert "random in 40 solved positions, 2 s a move" in said
    for name in ("opening", "middle game", "endgame", "won", "drawn", "hard", "tactical", "all"):
        assert any(line.split("  ")[0].strip() == name for line in said.splitlines())
    assert "The worst mistakes, columns counted from 1:" in said

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
    assert not {"src", "href"} & {name for name, _ in page.attributes}, "nothing is loaded"
    mistakes = sum(not answer["best"] for answer in answers)
    assert page.tags.count("figure") == min(24, mistakes) > 0
    for figure in text.split("<figure>")[1:]:
        svg = ElementTree.fromstring(figure[: figure.rindex("</svg>") + len("</svg>")])
        assert [len(svg.findall(f"{SVG}{mark}")) for mark in ("path", "circle")] == [1, 1]
        scores = {each.get("fill"): int(each.text or "") for each in svg.findall(f"{SVG}text")}
        assert scores["#c01f2e"] < scores["#15803d"] == max(scores.values())


def test_failures_are_counted_and_told(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING)
    outcome = shell.run("grade", "failing.py", "--sample", "30", "--html", "grade.html")
    failed = sum(position.ply % 2 for position in SHIPPED.sample(30, seed=0).positions)
    assert f"{failed} ERROR, the first after" in outcome.stdout
    assert "ValueError: as <b>second</b> player." in outcome.stdout
    page = (tmp_path / "grade.html").read_text()
    assert "ValueError: as &lt;b&gt;second&lt;/b&gt; player." in page


def test_positions_of_ones_own(shell: Shell, tmp_path: Path) -> None:
    words = "positions --per-ply 2 --first-ply 3 --last-ply 4 --workers 1"
    said = shell.output(*words.split(), "-o", "mine.jsonl")
    assert said.startswith("Wrote mine.jsonl: 4 positions, ")
    mine = read_position_set(tmp_path / "mine.jsonl")
    assert [position.ply for position in mine.positions] == [3, 3, 4, 4]
    assert mine.settings.command == words.removesuffix(" --workers 1").replace(
        "positions --per-ply 2", "connectx positions --per-ply 2 --seed 0"
    )
    graded = shell.output("grade", "random", "--positions", "mine.jsonl")
    assert "random in 4 solved positions" in graded


@needs_posix
def test_ctrl_c_keeps_what_was_graded(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    (tmp_path / "slow.py").write_text(SLOW.format(asked=str(asked)))
    ended = interrupted(
        *("grade", "slow.py", "--workers", "1", "--json", "grade.json"),
        until=lambda: asked.exists() and asked.read_text().count("\n") >= 2 * SHARD_POSITIONS,
        folder=tmp_path,
    )
    assert (ended.returncode, ended.stderr.strip()) == (1, "")
    document = json.loads((tmp_path / "grade.json").read_text())
    assert document["ending"] == "interrupted"
    assert 0 < len(document["answers"]) < len(SHIPPED.positions)
    done = f"Interrupted after {len(document['answers'])} of {len(SHIPPED.positions)}"
    assert done in ended.stdout
