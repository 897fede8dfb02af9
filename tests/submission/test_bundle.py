"""The bundle is one file that Kaggle's own loader and environment accept."""

import ast
import inspect
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from agents import Agent
from agents.registry import REGISTERED, TRAINED_AGENTS, JsonValue, agent_class
from submission.bundle.bundle import build_bundle
from submission.bundle.definitions import BundleError
from submission.kaggle import kaggle_environments
from submission.sandbox.player import RuntimeVersions

USER_AGENT = '''
from dataclasses import dataclass

from agents import Agent, SearchResult, option
from envs import Action, Env, State
from helper import last


@dataclass
class RightmostAgent(Agent):
    """Plays the last legal action."""

    offset: int = option(0, "how many actions from the last one")

    def search(self, env: Env[State, Action], state: State, time_limit: float | None = None):
        return SearchResult(last(env.get_available_actions(state), self.offset), value=0.0)


if __name__ == "__main__":
    print(RightmostAgent())
'''
HELPER = """
def last(actions, offset):
    return actions[max(0, len(actions) - 1 - offset)]
"""


@pytest.fixture
def user_agent(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text(HELPER)
    path = tmp_path / "my_agent.py"
    path.write_text(USER_AGENT)
    return path


def imported_modules(source: str) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(str(node.module).partition(".")[0])
    return modules


@cache
def default_bundle(agent: str) -> str:
    return build_bundle(agent, {})


def loaded(text: str) -> Callable[..., int]:
    """A bundle as Kaggle loads it."""
    picked: Callable[..., int] = kaggle_environments().agent.get_last_callable(text)
    return picked


def run_on_kaggle(players: list[Any], **configuration: float) -> Any:
    env = kaggle_environments().make("connectx", configuration)
    env.run(players)
    return env


@pytest.mark.parametrize("agent", REGISTERED)
def test_bundles_need_what_kaggle_has(agent: str) -> None:
    """Beside the standard library that is numpy, for networks, and Numba, for compiled searches."""
    needed = imported_modules(default_bundle(agent)) - sys.stdlib_module_names
    compiles = agent_class(agent).compile is not Agent.compile
    assert ("numba" in needed) == compiles
    assert ("numpy" in needed) == (compiles or agent in TRAINED_AGENTS)
    assert needed <= {"numba", "numpy"}


@pytest.mark.parametrize("agent", REGISTERED)
def test_every_name_of_the_file_is_defined_and_used(agent: str, tmp_path: Path) -> None:
    path = tmp_path / "submission.py"
    path.write_text(default_bundle(agent))
    assert (
        ruff("check", "--isolated", "--ignore-noqa", "--select", "F", path)
        == "All checks passed!\n"
    )


def test_a_bundle_in_a_checkout_is_nothing_to_mend(tmp_path: Path) -> None:
    """Whoever builds in the folder of a project of theirs finds its linter content."""
    path = tmp_path / "mine.py"
    path.write_text(build_bundle("greedy", {}))
    assert (
        ruff("check", "--isolated", "--select", "D,E,F,I,RUF,UP,W", path) == "All checks passed!\n"
    )
    assert ruff("format", "--isolated", "--diff", path) == ""


def ruff(*words: str | Path) -> str:
    command = [sys.executable, "-m", "ruff", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def defined_names(text: str) -> set[str]:
    definitions = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, definitions)}


@pytest.mark.parametrize("agent", REGISTERED)
def test_only_what_the_agent_needs(agent: str) -> None:
    text = default_bundle(agent)
    classes = {registered.__name__ for registered in REGISTERED.values()}
    needed = {name for name in classes if name in inspect.getsource(REGISTERED[agent])}
    assert {name for name in classes if f"class {name}" in text} == needed
    assert "TicTacToe(" not in text
    assert not any("svg" in name for name in defined_names(text))


def test_same_input_same_bytes_in_every_process() -> None:
    script = (
        "from submission.bundle.bundle import build_bundle\n"
        "print(build_bundle('mcts', {'seed': 7}))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1


LONG_COMPILED = ("mcts", "alphazero")
"""`make image-tests` plays the bundles of all that compile; these take ten seconds to do so."""


# Numba sets warnings aside while it compiles: no warning is an error here.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("agent", "compiles"),
    [
        *((agent, agent not in LONG_COMPILED) for agent in REGISTERED),
        *(pytest.param(agent, True, marks=pytest.mark.slow) for agent in LONG_COMPILED),
    ],
)
def test_whole_games_in_both_seats(
    agent: str, compiles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one bundle, which compiles once and has nothing to complain of: it says its versions."""
    if not compiles:
        monkeypatch.setitem(sys.modules, "numba", None)
    bundle = loaded(build_bundle(agent, dict(agent_class(agent).quick)))
    assert bundle.__name__ == "agent"
    assert bundle.__code__.co_varnames[:2] == ("observation", "configuration")
    versions = RuntimeVersions(platform.python_version(), version("numba"), version("numpy"))
    said = [f"played with {versions}\n"]
    for players in ([bundle, "random"], ["negamax", bundle]):
        env = run_on_kaggle(players)
        assert [seat.status for seat in env.state] == ["DONE", "DONE"]
        assert {seat.reward for seat in env.state} in ({1, -1}, {0})
        assert [log["stderr"] for logs in env.logs for log in logs if log.get("stderr")] == said
        said = []


def test_other_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    bundle = loaded(build_bundle("alphabeta", {"time_limit": 0.02, "weights": None}))
    for rows, columns, inarow in [(1, 1, 1), (4, 5, 3), (10, 12, 5)]:
        env = run_on_kaggle([bundle, "random"], rows=rows, columns=columns, inarow=inarow)
        assert [seat.status for seat in env.state] == ["DONE", "DONE"]


def test_two_bundles_in_one_process_do_not_disturb_each_other() -> None:
    text = build_bundle("mcts", {"simulations": 50, "seed": 1, "engine": "reference"})
    alone, first, second = loaded(text), loaded(text), loaded(build_bundle("random", {"seed": 1}))
    observation = {"board": [0] * 42, "mark": 1, "step": 0, "remainingOverageTime": 60}
    expected = alone(observation, {})
    second(observation, {})
    assert first(observation, {}) == expected
    assert first.__globals__ is not second.__globals__


def test_header_names_the_command_and_the_options() -> None:
    text = build_bundle("mcts", {"seed": 7, "rollout": "decisive", "simulations": None})
    docstring = ast.get_docstring(ast.parse(text)) or ""
    assert (
        "connectx build mcts --option seed=7 --option rollout=decisive --option simulations=null"
    ) in docstring
    assert "MCTSAgent(simulations=None, time_limit=None, seed=7, rollout='decisive')" in docstring
    assert "kaggle competitions submit -c connectx -f submission.py" in docstring


def test_user_agent_with_a_module_beside_it(user_agent: Path) -> None:
    text = build_bundle("RightmostAgent", {"offset": 1}, user_agent)
    assert imported_modules(text) <= sys.stdlib_module_names
    picked = loaded(text)
    assert picked({"board": [0] * 42, "mark": 1}, {}) == 5


@pytest.mark.parametrize(
    ("agent", "options", "message"),
    [
        ("stockfish", {}, "unknown agent 'stockfish': choose one of random, greedy"),
        ("mcts", {"depth": 3}, "agent mcts has no option 'depth'; its options: simulations"),
        ("minimax", {"depth": "deep"}, "option depth of agent minimax is int or none, not 'deep'"),
        ("minimax", {"depth": 0}, "depth must be at least 1, not 0"),
        ("mcts", {"rollout": "wise"}, "unknown rollout 'wise': choose one of uniform, decisive"),
    ],
)
def test_wrong_agents_and_options(agent: str, options: dict[str, JsonValue], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build_bundle(agent, options)


AGENT_CLASS = '''
@dataclass
class MyAgent(Agent):
    """Plays the first action."""

    def search(self, env, state, time_limit=None):
        {body}
        return SearchResult(env.get_available_actions(state)[0], value=0.0)
'''


@pytest.mark.parametrize(
    ("top", "body", "line", "problem"),
    [
        ("import agents.options", "agents", 11, "write `from agents import NAME`"),
        ("from agents.options import *", "", 4, "a star import"),
        ("from agents import minimax", "minimax", 11, "cannot bundle the module agents.minimax"),
        ("LIMIT = 1\nLIMIT = 2", "LIMIT", 5, "LIMIT is defined twice"),
        ("TABLE = {}\nTABLE['a'] = 1", "TABLE", 5, "a module-level side effect"),
        ("print('hello')", "", 4, "a module-level side effect"),
        ("for i in range(3):\n    pass", "", 4, "a module-level side effect"),
        ("A = 1; B = 2", "A, B", 4, ""),
        ("LEAST = max(1, 2)\ndef max(a):\n    return a", "LEAST", 4, "max may mean the builtin"),
        ("def folder():\n    return __file__", "folder", 5, "__file__"),
        ("", "from agents.options import option", 11, "a project import inside a definition"),
        ("class Clock:\n    pass\nfrom agents.agent import TimeUp", "Clock, TimeUp", 4, ""),
        ("N = 0\ndef use():\n    return helper_use()", "use", 6, "helper_use is used"),
    ],
)
def test_what_cannot_be_carried_over_is_an_error_with_file_and_line(
    top: str, body: str, line: int, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "my_agent.py"
    path.write_text(
        "from dataclasses import dataclass\n"
        "from agents import Agent, SearchResult\n"
        "\n" + top + "\n" + AGENT_CLASS.format(body=body or "pass")
    )
    if not problem:
        build_bundle("MyAgent", {}, path)
        return
    with pytest.raises(BundleError) as caught:
        build_bundle("MyAgent", {}, path)
    assert problem in str(caught.value)
    assert f":{line}: " in str(caught.value)


@pytest.mark.parametrize(
    ("top", "condition"),
    [
        ("from agents.options import option as opt", "callable(opt)"),
        ("import agents.options", "callable(agents.options.option)"),
        ("from agents import options as opt", "callable(opt.option)"),
        ("def max(a, b):\n    return a", "max(1, 2) == 1"),
        ("from math import pow", "pow(2, 3) == 8.0"),
        ("def agent():\n    return 7", "agent() == 7"),
        ("import math as inf", "inf.floor(1.5) == 1"),
        ("class BoardState:\n    rows = 3", "BoardState.rows == 3"),
        ("class KagglePlayer:\n    rows = 3", "KagglePlayer.rows == 3"),
        ("perf_counter = _STARTED = _PLAYER = 5", "(perf_counter, _STARTED, _PLAYER) == (5, 5, 5)"),
    ],
)
def test_names_of_a_user_may_clash_with_those_of_the_project(
    top: str, condition: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "my_agent.py"
    path.write_text(
        "from dataclasses import dataclass\nfrom agents import Agent, SearchResult\n"
        + top
        + AGENT_CLASS.format(body=f"assert {condition}")
    )
    picked = loaded(build_bundle("MyAgent", {}, path))
    assert picked({"board": [0] * 42, "mark": 1}, {}) == 0
    assert capsys.readouterr().err.startswith("played with Python 3.")
    assert picked({"board": [0] * 42, "mark": 1}, {}) == 0
    assert capsys.readouterr().err == ""


def test_an_agent_may_be_called_like_one_of_the_project(tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    path.write_text(
        "from dataclasses import dataclass\nimport agents\nfrom agents import SearchResult\n"
        + AGENT_CLASS.format(body="pass").replace("MyAgent(Agent)", "Agent(agents.Agent)")
    )
    picked = loaded(build_bundle("Agent", {}, path))
    assert picked({"board": [0] * 42, "mark": 1}, {}) == 0


def test_a_byte_order_mark_stays_out_of_a_bundle(user_agent: Path) -> None:
    plain = build_bundle("RightmostAgent", {"offset": 1}, user_agent)
    for path in user_agent.parent.glob("*.py"):
        path.write_text(path.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert build_bundle("RightmostAgent", {"offset": 1}, user_agent) == plain


def test_relative_imports_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("from .more import x\ny = 1\n")
    path = tmp_path / "my_agent.py"
    path.write_text(
        "from dataclasses import dataclass\nfrom agents import Agent, SearchResult\n"
        "def load():\n    from other import y\n    return y\n" + AGENT_CLASS.format(body="load")
    )
    with pytest.raises(BundleError, match="a project import inside a definition"):
        build_bundle("MyAgent", {}, path)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("x = ", "MyAgent", "fails when it is run"),
        ("1 / 0", "MyAgent", "fails when it is run: ZeroDivisionError"),
        (
            "import sys\nsys.exit()",
            "MyAgent",
            "ends Python when it is run: put what does so under",
        ),
        ("x = 1", "MyAgent", "has no agent 'MyAgent'"),
        ("from agents import MCTSAgent", "MCTSAgent", "has no agent 'MCTSAgent'"),
    ],
)
def test_files_without_a_usable_agent(text: str, name: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        build_bundle(name, {}, path)


@pytest.mark.parametrize(
    ("fields", "options", "message"),
    [
        ("depth: int", {}, "option depth of agent MyAgent has no default: give it a value"),
        ("depth: int", {"depth": "3"}, "option depth of agent MyAgent is int, not '3'"),
        ("depth: 'int | None' = 3", {"depth": 0.5}, "is int or none, not 0.5"),
        ("weights: list[float] = ()", {"weights": 1}, "is list, not 1"),
        ("depth: int = 3", {"width": 1}, "has no option 'width'; its options: depth"),
        ("order: list = field(default_factory=list)", {}, ""),
        ("order: list = field(default_factory=list)", {"order": [3]}, ""),
        ("order: list = field(default_factory=list)", {"order": 3}, "is list, not 3"),
        ("anything: typing.Any = None", {"anything": [1, {"a": None}]}, ""),
        ("depth: int", {"depth": 4}, ""),
    ],
)
def test_options_of_user_agents(
    fields: str, options: dict[str, JsonValue], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "my_agent.py"
    body = AGENT_CLASS.format(body="pass").replace(
        "    def search", f"    {fields}\n\n    def search"
    )
    path.write_text(
        "import typing\nfrom dataclasses import dataclass, field\n"
        "from agents import Agent, SearchResult\n" + body
    )
    if message:
        with pytest.raises(ValueError, match=re.escape(message)):
            build_bundle("MyAgent", options, path)
    else:
        picked = loaded(build_bundle("MyAgent", options, path))
        assert picked({"board": [0] * 42, "mark": 1}, {}) == 0


@pytest.mark.parametrize(
    "search",
    [
        "",
        "def search(self, env, state): ...",
        "def search(env, state, time_limit=None): ...",
        "def search(self, env, state, *, time_limit=None): ...",
        "def search(self, env, state, seed, time_limit): ...",
    ],
)
def test_agents_that_cannot_be_asked_for_a_move(search: str, tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    path.write_text(
        "from dataclasses import dataclass\nfrom agents import Agent\n"
        f"@dataclass\nclass MyAgent(Agent):\n    depth: int = 1\n    {search}\n"
    )
    with pytest.raises(ValueError, match=re.escape("define `def search(self, env, state, time_")):
        build_bundle("MyAgent", {}, path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no file"):
        build_bundle("MyAgent", {}, tmp_path / "absent.py")
