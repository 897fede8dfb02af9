"""The documents say nothing that does not work: Python blocks, commands and pictures are run."""

import doctest
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from agents import agent_names
from agents.policy.alphazero_agent import AlphaZeroAgent
from agents.trace import draw
from benchmarks.results import with_results
from envs import ConnectFour, board_svg, state_from_moves
from submission.cli.app import COMMANDS
from tests.helpers.documents import (
    BENCHMARKS,
    DOCUMENTS,
    ENVIRONMENTS,
    README,
    ROOT,
    SEARCHES,
    SUBMISSIONS,
    command_chains,
    commands_of,
    files_of,
    links_of,
    plain_blocks,
    text_of,
    written_files,
)
from tests.helpers.shell import Shell

PICTURED_GAME = "43434436363362462527171"
PICTURED_TRACES = {
    "textbook": "alpha_beta",
    "tic_tac_toe": "endgame",
    "hero": "hopeful",
    "mcts": "grown",
}
"""The pictures of the searches, and the variables of the document that they are drawn from."""
TRAINING_CURVES = "zero.png"
"""Drawn by the training of the weights."""


def named(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=named)


def run_blocks(document: Path) -> dict[str, Any]:
    """Run the Python blocks of a document; its variables."""
    blocks = doctest.DocTestParser().get_doctest(
        text_of(document), {}, document.name, str(document), 0
    )
    results = doctest.DocTestRunner().run(blocks, clear_globs=False)
    assert results.failed == 0
    assert results.attempted == text_of(document).count("\n>>> ")
    return blocks.globs


QUICKLY = {
    "check": "--patience 0 --game-seconds 0 --act-timeout 0.1",
    "compare": "--games 2 --sample 4 --workers 1",
    "evaluate": "--act-timeout 0.1 --workers 1",
    "evaluate alphabeta": "--arena own --rows 4 --columns 5 --inarow 3",
    "evaluate greedy": "--games 10",
    "evaluate mine.py --against random --games 98": "--games 10",
    "grade": "--sample 10 --workers 1",
    "ladder": "--games 2 --workers 1",
    "positions": "--labels 100 --workers 1",
    "rank": "--games 8 --workers 1",
}
"""By how a command begins, what leaves out all that only takes time: long thought, games and
workers that compile the same once more, and more of the same games and positions."""


def run(command: str, shell: Shell) -> None:
    quickly = [words for begin, words in QUICKLY.items() if command.startswith(begin)]
    outcome = shell.run(*shlex.split(command), *shlex.split(" ".join(quickly)))
    assert outcome.status == 0, f"connectx {command}: {outcome.stdout}{outcome.stderr}"


@pytest.mark.parametrize("document", [README, SUBMISSIONS, ENVIRONMENTS, BENCHMARKS], ids=named)
@pytest.mark.usefixtures("workers_in_threads")
def test_python_blocks(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_blocks(document)


def test_python_blocks_and_pictures_of_the_searches() -> None:
    variables = run_blocks(SEARCHES)
    pictures = SEARCHES.parent / "pictures"
    drawings = {name: draw(variables[trace]) for name, trace in PICTURED_TRACES.items()}
    names = {f"{name}.svg" for name in drawings} | {TRAINING_CURVES}
    assert {path.name for path in pictures.iterdir()} == names
    for name, drawing in drawings.items():
        assert (pictures / f"{name}.svg").read_text(encoding="utf-8") == drawing
    for name in names:
        assert f"(pictures/{name})" in text_of(SEARCHES)


def test_the_table_of_a_guided_search() -> None:
    """What a network prefers, and where the visits go; processors may round differently."""
    env, columns = ConnectFour(), (2, 3, 4, 5, 6, 7)
    state = state_from_moves(env, "22536633535561")
    rows = dict(
        re.findall(r"^\| ((?:prior|visits|value)[^|]*) \| (.*) \|$", text_of(SEARCHES), re.M)
    )
    told = {
        name: [float(cell.strip(" %")) for cell in row.split("|")] for name, row in rows.items()
    }
    for simulations, visits in ((16, "visits after 16 simulations"), (600, "visits after 600")):
        agent = AlphaZeroAgent(weights="zero", simulations=simulations)
        agent.search(env, state)
        assert agent.tree is not None
        children = [agent.tree.root.children[column - 1] for column in columns]
        assert [child.visits for child in children] == pytest.approx(told[visits], abs=3)
    assert [100 * child.prior for child in children] == pytest.approx(told["prior"], abs=1)
    assert [child.value for child in children] == pytest.approx(told["value after 600"], abs=0.03)


@every_document
def test_blocks_that_train_are_programs(document: Path) -> None:
    """`make test-extras` runs them, in test_readme_training.py."""
    for block in plain_blocks(document):
        assert "from sb3_contrib import" in block
        compile(block, str(document), "exec")


@pytest.mark.parametrize("commands", command_chains(), ids="; ".join)
def test_commands(commands: list[str], shell: Shell, tmp_path: Path) -> None:
    for number, command in enumerate(commands, start=1):
        run(command, shell)
        assert {path.name for path in tmp_path.iterdir()} == files_of(commands[:number])


@every_document
def test_a_command_comes_after_those_whose_files_it_names(document: Path) -> None:
    """So a reader can follow each document by itself."""
    commands = commands_of(document)
    everywhere = files_of([command for chain in command_chains() for command in chain])
    for number, command in enumerate(commands):
        named_files = everywhere & set(shlex.split(command)) - written_files(command)
        assert named_files <= files_of(commands[:number])


def test_the_documents_show_the_commands() -> None:
    commands = [command for chain in command_chains() for command in chain]
    not_run_here = {"prepare", "report", "book", "train"}
    assert {command.split()[0] for command in commands} == set(COMMANDS) - not_run_here
    files = "mine.py replay.html games.jsonl grade.html ladder.html labels.npz tree.svg"
    assert files_of(commands) >= {*files.split()}


def test_the_readme_shows_each_use() -> None:
    assert {command.split()[0] for command in commands_of(README)} >= {
        *("build", "check", "evaluate", "grade", "ladder", "solve", "explain", "play"),
    }


@every_document
def test_links_lead_somewhere(document: Path) -> None:
    for linked, heading in links_of(document):
        assert linked.exists()
        assert not heading or heading in headings_of(linked)


def headings_of(document: Path) -> set[str]:
    """The headings of a document, as GitHub names them in links."""
    headings = re.findall(r"^#+ (.*)$", text_of(document), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", agent_names())
def test_every_agent_is_described(name: str) -> None:
    assert re.search(rf"^\| `{name}` \|", text_of(SEARCHES), flags=re.MULTILINE)


def test_the_benchmarks_show_their_results() -> None:
    """`python -m benchmarks readme` would change nothing."""
    assert text_of(BENCHMARKS) == with_results(text_of(BENCHMARKS), BENCHMARKS.parent)


def test_the_picture_is_the_packages_own() -> None:
    env = ConnectFour()
    picture = (ROOT / "game.svg").read_text(encoding="utf-8")
    assert picture == board_svg(env, state_from_moves(env, PICTURED_GAME))
    assert "Player 1 has won" in picture
