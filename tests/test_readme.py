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


def run_commands(document: Path, folder: Path) -> set[str]:
    """Run the commands of a document in a folder; the files that they leave there."""
    for command in commands_of(document):
        result = subprocess.run(
            [CONNECTX, *shlex.split(command)],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"connectx {command}: {result.stdout}{result.stderr}"
    return {path.name for path in folder.iterdir()}


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


def test_commands_of_the_readme(tmp_path: Path) -> None:
    used = {command.split()[0] for command in commands_of(README)}
    assert used == {
        *("agents", "build", "check", "evaluate", "grade", "ladder", "solve", "explain", "play"),
    }
    assert run_commands(README, tmp_path) == {
        "my_mcts.py",
        "replay.html",
        "games.jsonl",
        "grade.html",
        "ladder.html",
        "tree.svg",
    }


def test_commands_of_the_searches(tmp_path: Path) -> None:
    assert len(commands_of(SEARCHES)) == 4
    assert run_commands(SEARCHES, tmp_path) == {"tree.svg"}


@pytest.mark.parametrize("name", agent_names())
def test_every_agent_is_described(name: str) -> None:
    assert re.search(rf"^\| `{name}` \|", README.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_the_picture_is_the_packages_own() -> None:
    env = ConnectFour()
    picture = (ROOT / "game.svg").read_text(encoding="utf-8")
    assert picture == board_svg(env, state_from_moves(env, PICTURED_GAME))
    assert "Player 1 has won" in picture
