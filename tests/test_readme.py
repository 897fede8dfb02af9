"""The README says nothing that does not work: its Python blocks and its commands are run."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

from agents import agent_names
from envs import ConnectFour, board_svg, state_from_moves

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONNECTX = Path(sys.executable).with_name("connectx")
PICTURED_GAME = "43434436363362462527171"


def test_python_blocks() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert failed == 0
    assert tried > 10


def test_commands(tmp_path: Path) -> None:
    commands = re.findall(r"^\$ connectx (.*)$", README, flags=re.MULTILINE)
    assert {command.split()[0] for command in commands} == {
        "agents",
        "build",
        "check",
        "evaluate",
        "solve",
    }
    for command in commands:
        result = subprocess.run(
            [CONNECTX, *shlex.split(command)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"connectx {command}: {result.stdout}{result.stderr}"
    assert {path.name for path in tmp_path.iterdir()} == {"my_mcts.py", "replay.html", "games.json"}


def test_every_agent_is_described() -> None:
    for name in agent_names():
        assert re.search(rf"^\| `{name}` \|", README, flags=re.MULTILINE)


def test_the_picture_is_the_packages_own() -> None:
    env = ConnectFour()
    picture = (ROOT / "game.svg").read_text(encoding="utf-8")
    assert picture == board_svg(env, state_from_moves(env, PICTURED_GAME))
    assert "Player 1 has won" in picture
