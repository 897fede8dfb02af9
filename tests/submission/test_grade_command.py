"""`connectx grade` and `connectx positions`, with and without labels, as they are typed."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import connectx
from agents.policy.training import label_files, labelling
from agents.policy.training.label_files import read_labelled_positions
from envs import ConnectX
from envs.bitboard import mirrored
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


@pytest.mark.usefixtures("workers_in_threads")
def test_a_grade_tells_plies_in_its_page_alone() -> None:
    grade = connectx.grade("random", sample=20, workers=1, progress=False)
    text = str(grade)
    assert "By plies played" not in text
    assert "random, in all: keeps the result in " in " ".join(text.split()[-60:])


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


# --- labelled positions


SMALL = "--rows 4 --columns 4 --inarow 3 --workers 1"


def test_labels_are_written(shell: Shell, tmp_path: Path) -> None:
    outcome = shell.run("positions", "--labels", "200", *SMALL.split())
    assert (outcome.status, outcome.stdout) == (0, "Wrote labels.npz: 200 labelled positions.\n")
    positions = read_labelled_positions(tmp_path / "labels.npz")
    assert (len(positions), positions.env) == (200, ConnectX(4, 4, 3))


def test_a_board_with_fewer_positions_gives_those_that_are_found(shell: Shell) -> None:
    words = "--labels 100 --rows 2 --columns 2 --inarow 3 --workers 1 -o few.npz"
    said = shell.output("positions", *words.split())
    # Rare positions may be missing: the command does not claim that there are no others.
    told = r"Wrote few\.npz: (\d+) labelled positions; many more games found no others\.\n"
    found = re.fullmatch(told, said)
    assert found is not None
    assert len(read_labelled_positions(Path("few.npz"))) == int(found[1]) < 100


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--labels 0", "the number of labelled positions must be from 1 to 10000000, not 0"),
        ("--labels 99999999", "must be from 1 to 10000000, not 99999999"),
        ("--labels 5 --seed -1", "seed must be at least 0"),
        ("--labels 5 --rows 11 --columns 12", "takes, of at most 124 cells and 256 bits"),
        ("--labels 5 --rows 0", "rows must be a whole number of at least 1, not 0"),
        ("--labels 5 --workers 0", "the number of workers must be at least 1, not 0"),
        ("--labels 5 -o labels.csv", r"must end in \.npz or \.parquet, not labels\.csv"),
        ("--labels 5 -o no/labels.npz", "cannot write .*labels.npz"),
        ("--labels 5 --per-ply 3", "leave them out with --labels"),
        ("--labels 5 --last-ply 20", "leave them out with --labels"),
        ("--columns 6", "add --labels for other boards"),
    ],
)
def test_bad_input_is_one_sentence(shell: Shell, tmp_path: Path, words: str, message: str) -> None:
    assert re.search(message, shell.refusal("positions", *words.split()))
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_file_stays_whole_when_writing_fails(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.run("positions", "--labels", "50", *SMALL.split())
    earlier = (tmp_path / "labels.npz").read_bytes()

    def fail(positions: object) -> bytes:
        raise OSError("the disk is full")

    monkeypatch.setitem(label_files.CODECS, ".npz", (fail, label_files.CODECS[".npz"][1]))
    assert shell.run("positions", "--labels", "60", *SMALL.split()).status == 2
    assert (tmp_path / "labels.npz").read_bytes() == earlier


def test_ctrl_c_keeps_what_is_labelled(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    take, calls = labelling._new_positions, 0

    def interrupted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls in (1, 4):
            raise KeyboardInterrupt
        return take(*arguments)

    monkeypatch.setattr(labelling, "_new_positions", interrupted)
    words = f"positions --labels 5000000 {SMALL} -o some.npz".split()
    outcome = shell.run(*words)
    said = "Interrupted: nothing is labelled yet, and some.npz is not written.\n"
    assert (outcome.status, outcome.stdout, [*Path().iterdir()]) == (1, said, [])
    outcome = shell.run(*words)
    said = r"Interrupted\. Wrote some\.npz: (\d+) labelled positions of 5000000\.\n"
    stopped = re.fullmatch(said, outcome.stdout)
    assert outcome.status == 1
    assert stopped is not None
    assert len(read_labelled_positions(Path("some.npz"))) == int(stopped[1]) > 0


def test_graded_positions_are_left_out_but_for_where_every_game_begins(shell: Shell) -> None:
    """So are their mirror images; positions of up to 3 plies would be among the first 300."""
    said = shell.output("positions", "--labels", "300", "--workers", "1")
    labelled = read_labelled_positions(Path("labels.npz"))
    pairs = set(zip(labelled.movers.tolist(), labelled.masks.tolist(), strict=True))
    graded = SHIPPED.positions
    for position in graded:
        mover, mask = position.state.mover, position.state.mask
        if position.ply > 3:
            assert (mover, mask) not in pairs
            assert (mirrored(6, 7, mover), mirrored(6, 7, mask)) not in pairs
    left_out = f", without {300 - len(labelled)} that `connectx grade` asks about.\n"
    assert said == f"Wrote labels.npz: {len(labelled)} labelled positions{left_out}"
    assert len(labelled) < 300
    assert ConnectX().initial_state() in [position.state for position in graded]
    assert labelled.plies.min() == 0
