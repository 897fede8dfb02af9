"""The front door from Python, as a stranger uses it in a folder with a submission of one's own."""

import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import connectx
from agents import MinimaxAgent, make_agent
from agents.policy.policy_agent import PolicyAgent
from envs.connectx import ConnectFour, ConnectX
from submission.arena.players import PlayerKind
from submission.building import Submission, as_player
from submission.bundle.bundle import build_bundle
from tests.helpers.own_agent import own_agent
from tests.helpers.processes import completed
from tests.helpers.trained_policies import policy_file

pytestmark = pytest.mark.usefixtures("workers_in_threads")

MINE = "def my_agent(observation, configuration):\n    return observation['board'][:7].index(0)\n"
LAST = "def agent(observation):\n    return 6 - observation.board[6::-1].index(0)\n"
STRANGER = """
import connectx
print(connectx.build("greedy").save("main.py"))
print(connectx.evaluate("submission.py", "random", games=2, workers=1))
"""
"""As a script it need not guard against worker processes, nor know that there are any."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that holds a hand-written submission and nothing else."""
    (tmp_path / "submission.py").write_text(MINE, encoding="utf-8")
    return tmp_path


def run(command: list[str], folder: Path) -> str:
    return completed(command, folder, COLUMNS="120").stdout


def test_a_stranger_with_a_script(folder: Path) -> None:
    (folder / "stranger.py").write_text(STRANGER, encoding="utf-8")
    said = run([sys.executable, "stranger.py"], folder)
    assert said.startswith("main.py\n")
    assert said.count("Results of submission.py") == said.count("of the points in 2 games") == 1
    assert (folder / "submission.py").read_text(encoding="utf-8") == MINE


def test_a_stranger_by_commands(folder: Path) -> None:
    """The two ways of starting a command put different folders first on the search path."""
    command = str(Path(sys.executable).with_name("connectx"))
    assert "Wrote main.py" in run([command, "build", "greedy", "-o", "main.py"], folder)
    assert "alphabeta" in run([sys.executable, "-m", "connectx", "agents"], folder)


# --- players


def test_agents_are_players_by_their_names_and_options() -> None:
    player = as_player(make_agent("minimax", ordering="natural", depth=2))
    assert player.kind is PlayerKind.AGENT
    assert player.name == "minimax:depth=2,ordering=natural"
    assert player == as_player("minimax:depth=2,ordering=natural")
    assert as_player(MinimaxAgent()).name == "minimax"


def test_an_agent_of_ones_own_is_built_from_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or from an object, whose defaults are defaults though they are made anew."""
    file = tmp_path / "lately.py"
    action = "env.get_available_actions(state)[self.order[0]]"
    file.write_text(own_agent(fields="order: list = field(default_factory=list)", action=action))
    built = connectx.build("MyAgent", source=file, order=[2])
    assert built.source == build_bundle("MyAgent", {"order": [2]}, file)
    monkeypatch.syspath_prepend(tmp_path)
    cls = importlib.import_module("lately").MyAgent
    assert connectx.build(cls()).source == build_bundle("MyAgent", {}, file)
    assert connectx.build(cls([2])).source == built.source
    monkeypatch.delitem(sys.modules, "lately")  # as if a cell had defined it
    with pytest.raises(
        ValueError, match="MyAgent is not in a file: put it into one, in a notebook by `%%writefile"
    ):
        connectx.build(cls())


def test_results_are_json_and_options_may_be_numbers_of_numpy() -> None:
    quick: dict[str, Any] = {"progress": False, "workers": np.int64(1), "seed": np.int64(3)}
    games: dict[str, Any] = {"games": np.int64(2), "rows": np.int8(6), **quick}
    match = connectx.evaluate("greedy", "random", **games)
    ladder = connectx.ladder(["greedy", "random"], arena="own", **games)
    sample: Any = np.int64(2)
    grade = connectx.grade("random", sample=sample, **quick)
    memory = np.int64(2**32)
    report = connectx.check(first_free, memory=memory, patience=0, game_seconds=0, progress=False)
    for result in (match, ladder, grade, report):
        assert json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert str(result) == repr(result)
    assert report.accepted


@pytest.mark.parametrize(
    "ask",
    [
        partial(connectx.compare, old="greedy"),
        partial(connectx.evaluate, against="greedy"),
        connectx.grade,
        connectx.rank,
    ],
)
def test_a_network_of_another_board_is_refused(ask: Callable[..., Any], tmp_path: Path) -> None:
    player = f"policy:weights={policy_file(ConnectX(4, 5, inarow=4), tmp_path)}"
    with pytest.raises(ValueError, match=f"^{re.escape(player)}: this policy was trained for 4 ro"):
        ask(player, workers=1, progress=False)


def test_an_option_may_be_a_path(tmp_path: Path) -> None:
    weights = Path(policy_file(ConnectFour(), tmp_path))
    agent = make_agent("policy", weights=weights)
    named = f"policy:weights={weights}"
    assert agent == make_agent("policy", weights=str(weights))
    for player in (agent, PolicyAgent(weights=weights)):  # type: ignore[arg-type]
        assert as_player(player).name == named
    assert connectx.build("policy", weights=weights).source == connectx.build(named).source


@pytest.mark.parametrize("player", ["minimax:heuristic=squares", "mcts:rollout=learned"])
def test_options_for_another_game_are_refused(player: str) -> None:
    """All of its moves would be makeshift."""
    message = f"^{player}: .* (is for tic-tac-toe, not for|cannot play)"
    with pytest.raises(ValueError, match=message):
        connectx.evaluate(player, "random", rows=4, games=2, progress=False)


MATCH = partial(connectx.evaluate, "greedy", "random")
NONE = " must not be None: leave it out for its default"


@pytest.mark.parametrize(
    ("ask", "options", "message"),
    [
        (MATCH, {"opening_plies": None}, f"opening_plies{NONE}"),
        (MATCH, {"seed": None}, f"seed{NONE}"),
        (MATCH, {"results": ["games.jsonl"]}, "results must be a path, not ['games.jsonl']"),
        (MATCH, {"dask": 8786}, "dask must be a text, not 8786"),
        (MATCH, {"sprt": 50}, "a sequential test takes two Elo differences, as in 0,50, not '50'"),
        (MATCH, {"columns": 7.0}, "columns must be a whole number from 1 to 100, not 7.0"),
        (partial(connectx.ladder, ["random", "greedy"]), {"workers": None}, f"workers{NONE}"),
        (partial(connectx.compare, "random", "greedy"), {"margin": None}, f"margin{NONE}"),
        (partial(connectx.rank, "random"), {"minutes": None}, f"minutes{NONE}"),
        (partial(connectx.check, "random"), {"patience": None}, f"patience{NONE}"),
        (partial(connectx.check, "random"), {"python": 3.12}, "python must be a path, not 3.12"),
        (partial(connectx.grade, "random"), {"positions": 7}, "positions must be a path, not 7"),
        (partial(connectx.build, "Mine"), {"source": 1}, "source must be a path, not 1"),
        (partial(connectx.build, "random"), {"game": []}, "unknown game []"),
        (partial(connectx.build, print), {"output": "a.py"}, "build writes no file: add .save("),
        (connectx.build, {"agent": Path("a.py")}, "a.py is a file and not the name of an agent: "),
        (Submission("", "mine").save, {"path": "a\0b"}, "path must be a path, not 'a\\x00b'"),
        (connectx.ladder, {"players": {"random"}}, "several must be in a list, not a set: "),
        (
            connectx.review,
            {"files": [np.zeros((2, 2))], "player": "random"},
            "files must be a path, not array([[0., 0.], [0., 0.]])",
        ),
        (connectx.review, {"files": None, "player": "random"}, "files must be a path, not None"),
    ],
)
def test_an_option_of_another_kind_is_refused_by_name(
    ask: Callable[..., Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        ask(**options)


@pytest.mark.parametrize(
    ("ask", "needed"),
    [
        (partial(connectx.ladder, "random"), "ladder takes players: "),
        (partial(connectx.evaluate, "random", "greedy"), "evaluate takes player and against: "),
    ],
)
def test_players_one_by_one_are_told_that_several_stand_in_a_list(
    ask: Callable[..., Any], needed: str
) -> None:
    with pytest.raises(TypeError, match=f"^{needed}put several players into a list, and name"):
        ask("negamax")


@pytest.mark.parametrize("player", ["nobody", 7, None, [], print])
def test_nobody_is_no_player(player: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown player|is not an agent"):
        connectx.evaluate(player, "random", games=2, progress=False)


def test_two_versions_of_one_name_are_told_apart() -> None:
    """Under one name they were refused, and in a match each would have had the other's games."""
    versions = [Submission(MINE, "agent"), Submission(LAST, "agent")]
    options: dict[str, Any] = {"games": 2, "workers": 1, "trust": True, "progress": False}
    ladder = connectx.ladder(versions, arena="own", **options)
    assert {rung.player for rung in ladder.rungs} == {"agent", "agent (2)"}
    match = connectx.evaluate(versions[0], versions[1:], arena="own", **options)
    assert match.pairings == (("agent", "agent (2)"),)
    mine = Submission(MINE, "random")
    kaggles = connectx.evaluate(mine, "random", arena="own", **options)
    assert kaggles.pairings == (("random (2)", "random"),), "by any other name Kaggle has no agent"
    with pytest.raises(ValueError, match="'agent' is named twice"):
        connectx.ladder([versions[0], versions[0]], arena="own", **options)


# --- files


def test_a_submission_is_saved_where_it_overwrites_nothing(folder: Path) -> None:
    built = connectx.build("random")
    assert built.path.read_text(encoding="utf-8") == built.source == build_bundle("random", {})
    with pytest.raises(FileExistsError, match="was not made by `connectx build`"):
        built.save(folder / "submission.py")
    assert (folder / "submission.py").read_text(encoding="utf-8") == MINE
    assert built.save(folder / "submission.py", force=True) == built.path
    assert connectx.build("greedy").save(folder / "submission.py").exists()


KILLED = """
import connectx, os
built = connectx.build("random")
assert built.path.exists()
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders are locked by their numbers")
def test_a_temporary_file_of_a_run_that_was_killed_goes_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = {**os.environ, "TMPDIR": str(tmp_path)}
    assert subprocess.run([sys.executable, "-c", KILLED], env=killed).returncode == -9
    assert [*tmp_path.glob("*/submission.py")]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    built = connectx.build("random")
    path = built.path
    assert [*tmp_path.glob("*/submission.py")] == [path]
    del built
    assert not path.exists()


def test_a_foreign_module_of_that_name_is_told_in_one_sentence(folder: Path) -> None:
    program = "import submission, connectx\ntry: connectx.build\nexcept ImportError as e: print(e)"
    said = run([sys.executable, "-c", program], folder)
    assert "imported before this package: import connectx first" in said


def first_free(observation: Any, configuration: Any) -> int:
    column: int = observation["board"][:7].index(0)
    return column


def test_a_temporary_file_is_not_to_be_uploaded(tmp_path: Path) -> None:
    """A function, an agent's name and a submission have no file until the submission is saved."""
    built = connectx.build("greedy")
    for player, name in ((first_free, "first_free"), (built, "greedy"), ("greedy", "greedy")):
        report = connectx.check(player, patience=0, game_seconds=0, progress=False)
        assert (report.accepted, report.name, report.path) == (True, name, None)
        document = json.dumps(report.to_dict())
        assert json.loads(document)["upload_command"] is None
        assert tempfile.gettempdir() not in document + str(report)
        assert "Save it first, and submit that file" in str(report)
    saved = built.save(tmp_path / "mine.py")
    report = built.check(patience=0, game_seconds=0, progress=False)
    assert report.path == report.name == str(saved)
    assert f"-f {saved}" in str(report.upload_command)
