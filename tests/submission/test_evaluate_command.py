"""`connectx evaluate` and `connectx report`, and what they and `connectx ladder` refuse."""

import re
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.helpers.shell import Outcome, Shell

SMALL = ("--rows", "4", "--columns", "5", "--inarow", "3", "--workers", "1")
OWN_ARENA = (*SMALL, "--arena", "own")
MATCH = ("evaluate", "greedy", "--against", "random:seed=1", *OWN_ARENA)
LADDER = ("ladder", "random:seed=1", "greedy", "random:seed=2", *OWN_ARENA)
OVERWRITTEN = "mine.py is read and would be overwritten: write to another file"


def evaluate(shell: Shell, *words: str) -> Outcome:
    return shell.run(*MATCH, *words)


def test_a_file_plays_on_kaggles_environment(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def agent(observation): return 9", encoding="utf-8")
    asked = ("--against", "mine.py", "--games", "2", *SMALL, "--html", "replay.html")
    words = " ".join(shell.output("evaluate", "greedy", *asked).split())
    assert "Results of greedy" in words
    assert "mine.py failed in 2 games, first in game 1 of greedy" in words
    assert "INVALID, the agent returned column 9" in words
    assert "<html" in (tmp_path / "replay.html").read_text(encoding="utf-8")


def test_a_report_shows_what_the_run_has_shown(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    options = ("--games", "4", "--first-player-table")
    run = evaluate(shell, *options, "--results", "games.jsonl")
    refused = shell.refusal("report", "games.jsonl", "--anchor", "greedy")
    assert "--anchor is for a ladder" in refused
    report = shell.run("report", "games.jsonl", "--first-player-table")
    assert (report.status, report.stdout) == (0, run.stdout)
    said = report.stdout
    assert said.index("by opening") < said.index("Results of greedy") < said.index("of the points")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]))
    unfinished = shell.run("report", "games.jsonl")
    assert "So far 3 of 4 games have been played." in unfinished.stdout
    assert "Interrupted" not in unfinished.stdout
    path.write_bytes(lines[0])
    assert_no_page(shell.run("report", "games.jsonl", "--html", "replay.html"), 0)


def assert_no_page(outcome: Outcome, status: int) -> None:
    told = "No game was played: there is no page to write.\n"
    assert (outcome.status, outcome.stderr) == (status, told)
    assert "0 of 4 games" in outcome.stdout
    assert not Path("replay.html").exists()


def test_without_a_game_there_is_no_page_and_everything_else(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submission.match.run.play_game", Mock(side_effect=KeyboardInterrupt))
    monkeypatch.setattr("submission.match.run.chosen_executor", lambda *_: nullcontext())
    interrupted = evaluate(shell, "--games", "4", "--html", "replay.html")
    assert "Interrupted after 0 of 4 games." in interrupted.stdout
    assert_no_page(interrupted, 1)


def test_a_report_of_a_round_robin_is_a_ladder(shell: Shell) -> None:
    shell.run(*LADDER, "--games", "2", "--results", "games.jsonl")
    report = shell.run("report", "games.jsonl", "--anchor", "greedy", "--html", "ladder.html")
    assert "holds a ladder" in shell.refusal("report", "games.jsonl", "--first-player-table")
    assert report.status == 0
    assert "Ladder of 3 players: 6 games" in " ".join(report.stdout.split())


@pytest.mark.parametrize(
    ("words", "said"), [(MATCH, "greedy against random:seed=1: "), (LADDER, "1  greedy: Elo ")]
)
def test_brief_is_the_end_of_the_whole(shell: Shell, words: tuple[str, ...], said: str) -> None:
    """Of the same games; --json has all of them."""
    whole = shell.run(*words, "--games", "4", "--results", "games.jsonl").stdout
    brief = shell.run("report", "games.jsonl", "--brief", "--json", "all.json").stdout
    assert whole.endswith(brief)
    assert said in brief
    assert max(map(len, brief.splitlines())) > 80, "a sentence is not one line in a pipe"
    assert "W-D-L" in whole
    assert "W-D-L" not in brief
    assert '"columns"' in Path("all.json").read_text(encoding="utf-8")


def test_a_test_may_end_a_pairing_early(shell: Shell) -> None:
    outcome = evaluate(shell, "--games", "400", "--sprt", "0,200", "--alpha", "0.1")
    verdict = re.search(
        r"Elo \+0 or \+200\? Stronger, rather by 200 Elo than by 0. Decided after (\d+) games",
        " ".join(outcome.stdout.split()),
    )
    assert verdict is not None, outcome.stdout
    assert int(verdict[1]) < 100


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("evaluate nobody --against random", "unknown player 'nobody'"),
        ("evaluate random --against nobody", "unknown player 'nobody'"),
        ("evaluate random --against absent.py", "cannot read the player absent.py"),
        ("evaluate random --against broken.py", "broken.py is not a Python file that can be read"),
        ("evaluate random --against negamax --against negamax", "is named twice"),
        ("evaluate random --against negamax --games many", "--games"),
        ("evaluate random --against negamax --workers 0", "workers"),
        ("evaluate random --against negamax --rows 0", "rows must be from 1 to 100, not 0"),
        ("evaluate random --against negamax --arena elsewhere", "--arena"),
        ("evaluate random --against negamax --sprt 50", "two Elo differences, as in 0,50"),
        ("evaluate random --against negamax --alpha 0.1", "--alpha is only for a sequential test"),
        (
            "evaluate random --against negamax --beta 0.1",
            "--beta is only for a sequential test: add --sprt",
        ),
        ("evaluate random --against negamax --games 3", "an even number of games, at least 2"),
        ("evaluate random --against negamax --html absent/x.html", "absent/x.html"),
        ("evaluate random --against negamax --results -", "not standard output"),
        ("evaluate random --against negamax --results old.jsonl", "--resume"),
        ("evaluate random --against negamax --results old.jsonl --resume", "version 0"),
        ("evaluate random --against negamax --resume", "name it with --results FILE"),
        ("evaluate random --against policy --rows 5", "policy: this policy was trained for 6"),
        ("evaluate random", "Missing option '--against'"),
        ("evaluate random --against negamax --results x.jsonl --html x.jsonl", "two outputs"),
        ("evaluate mine.py --against random --html mine.py", OVERWRITTEN),
        ("evaluate random --against negamax --against mine.py --results mine.py", OVERWRITTEN),
        ("ladder greedy mine.py --html mine.py", OVERWRITTEN),
        ("ladder greedy", "at least two players"),
        ("ladder greedy random: greedy", "'greedy' is named twice"),
        ("ladder greedy nobody", "unknown player 'nobody'"),
        ("ladder greedy random: --games 3", "an even number of games, at least 2, not 3"),
        ("ladder greedy random: --anchor mcts", "the anchor 'mcts' is not among the players"),
        ("ladder greedy random: --results old.jsonl --resume", "version 0"),
        ("report old.jsonl --html old.jsonl", "old.jsonl is read and would be overwritten"),
        ("report empty.jsonl", "no games yet"),
        ("report absent.jsonl", "cannot read absent.jsonl"),
        ("report old.jsonl", "version 0"),
        ("report broken.py", "broken.py"),
    ],
)
def test_mistakes_are_one_sentence_before_any_game(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, sentence: str
) -> None:
    (tmp_path / "mine.py").write_text("def agent(observation): return 3", encoding="utf-8")
    (tmp_path / "broken.py").write_text("def agent(:\n", encoding="utf-8")
    (tmp_path / "old.jsonl").write_text('{"format": "connectx results, version 0"}\n')
    (tmp_path / "empty.jsonl").touch()
    monkeypatch.setattr("submission.match.run.play_game", None)
    assert sentence in shell.refusal(*words.split())
    content = (tmp_path / "mine.py").read_text(encoding="utf-8")
    assert content == "def agent(observation): return 3"
