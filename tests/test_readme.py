"""The documents say nothing that does not work: Python blocks, commands and pictures are run."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents import agent_names
from agents.trace import draw
from envs import ConnectFour, board_svg, state_from_moves

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
SEARCHES = ROOT / "agents" / "README.md"
CONNECTX = Path(sys.executable).with_name("connectx")
PICTURED_GAME = "43434436363362462527171"
PICTURED_TRACES = {
    "textbook": "alpha_beta",
    "tic_tac_toe": "endgame",
    "hero": "hopeful",
    "mcts": "grown",
}
"""The pictures of the searches, and the variables of the document that they are drawn from."""


def run_blocks(document: Path) -> dict[str, Any]:
    """Run the Python blocks of a document; its variables."""
    text = document.read_text(encoding="utf-8")
    blocks = doctest.DocTestParser().get_doctest(text, {}, document.name, str(document), 0)
    results = doctest.DocTestRunner().run(blocks, clear_globs=False)
    assert results.failed == 0
    assert results.attempted > 10
    return blocks.globs


def commands_of(document: Path) -> list[str]:
    return re.findall(
        r"^\$ connectx (.*)$", document.read_text(encoding="utf-8"), flags=re.MULTILINE
    )


QUICKLY = {
    "check": ["--patience", "0", "--game-seconds", "0", "--act-timeout", "0.1"],
    "evaluate": ["--act-timeout", "0.1"],
}
"""Leaves out what only takes time: long thought, and games that compile the agent once more."""


def run(command: str, folder: Path) -> None:
    words = shlex.split(command)
    result = subprocess.run(
        [CONNECTX, *words, *QUICKLY.get(words[0], [])],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, f"connectx {command}: {result.stdout}{result.stderr}"


def written_files(command: str) -> set[str]:
    """The files that a command says it will write."""
    return set(re.findall(r"--(?:html|output|results|svg) (\S+)", command))


def run_in_its_place(command: str, document: Path, folder: Path) -> None:
    """Run a command of a document after those before it whose files it names, and no others."""
    commands = commands_of(document)
    needed = [
        earlier
        for earlier in commands[: commands.index(command)]
        if any(file in shlex.split(command) for file in written_files(earlier))
    ]
    for each in (*needed, command):
        run(each, folder)
    expected = set[str]().union(*map(written_files, (*needed, command)))
    assert {path.name for path in folder.iterdir()} == expected


def test_python_blocks_of_the_readme() -> None:
    run_blocks(README)


def test_python_blocks_and_pictures_of_the_searches() -> None:
    variables = run_blocks(SEARCHES)
    pictures = SEARCHES.parent / "pictures"
    assert {path.stem for path in pictures.iterdir()} == set(PICTURED_TRACES)
    for picture, variable in PICTURED_TRACES.items():
        drawn = (pictures / f"{picture}.svg").read_text(encoding="utf-8")
        assert drawn == draw(variables[variable])
        assert f"(pictures/{picture}.svg)" in SEARCHES.read_text(encoding="utf-8")


def test_the_readme_shows_the_commands() -> None:
    commands = commands_of(README)
    assert {command.split()[0] for command in commands} == {
        *("agents", "build", "check", "evaluate", "grade", "ladder", "solve", "explain", "play"),
    }
    assert set[str]().union(*map(written_files, commands)) == {
        "my_mcts.py",
        "replay.html",
        "games.jsonl",
        "grade.html",
        "ladder.html",
        "tree.svg",
    }


@pytest.mark.parametrize("command", commands_of(README))
def test_commands_of_the_readme(command: str, tmp_path: Path) -> None:
    run_in_its_place(command, README, tmp_path)


def test_the_searches_are_shown_by_commands() -> None:
    assert len(commands_of(SEARCHES)) == 4


@pytest.mark.parametrize("command", commands_of(SEARCHES))
def test_commands_of_the_searches(command: str, tmp_path: Path) -> None:
    run_in_its_place(command, SEARCHES, tmp_path)


@pytest.mark.parametrize("name", agent_names())
def test_every_agent_is_described(name: str) -> None:
    assert re.search(rf"^\| `{name}` \|", README.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_the_picture_is_the_packages_own() -> None:
    env = ConnectFour()
    picture = (ROOT / "game.svg").read_text(encoding="utf-8")
    assert picture == board_svg(env, state_from_moves(env, PICTURED_GAME))
    assert "Player 1 has won" in picture
