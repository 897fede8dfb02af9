"""The bundle is one file that Kaggle's own loader and environment accept."""

import inspect
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from agents import Agent
from agents.registry import REGISTERED, TRAINED_AGENTS, JsonValue, agent_class
from envs import ConnectFour, state_from_moves
from submission.bundle.bundle import build_bundle, unbundled_agent
from submission.bundle.compose import COMPILING
from submission.bundle.definitions import BundleError
from submission.entry import KagglePlayer
from submission.kaggle import kaggle_environments
from submission.sandbox.messages import RuntimeVersions
from tests.agents.test_compilation import COMPILED_AGENTS
from tests.helpers.own_agent import own_agent
from tests.helpers.processes import output_of
from tests.helpers.trained_policies import policy_file
from tests.test_import_directions import imported_packages


@cache
def default_bundle(agent: str) -> str:
    return build_bundle(agent, {})


def loaded(text: str) -> Callable[..., int]:
    """A bundle as Kaggle loads it."""
    picked: Callable[..., int] = kaggle_environments().agent.get_last_callable(text)
    return picked


@pytest.mark.parametrize("agent", REGISTERED)
def test_a_bundle_holds_what_its_agent_needs_and_needs_what_kaggle_has(agent: str) -> None:
    """Beside the standard library that is numpy, for networks, and Numba, for compiled searches."""
    text = default_bundle(agent)
    needed = imported_packages(text, "") - sys.stdlib_module_names
    compiles = agent_class(agent).compile is not Agent.compile
    assert ("numba" in needed) == compiles
    assert ("numpy" in needed) == (compiles or agent in TRAINED_AGENTS)
    assert needed <= {"numba", "numpy"}
    classes = {registered.__name__ for registered in REGISTERED.values()}
    used = {name for name in classes if name in inspect.getsource(REGISTERED[agent])}
    assert {name for name in classes if f"class {name}" in text} == used
    assert not re.search(r"TicTacToe\(|(def|class) \w*svg", text)
    assert repr(player_of(text)._make_agent()) == repr(unbundled_agent(agent, {})())


def player_of(text: str) -> Any:
    """The player that a bundle makes when it is loaded, without compiling beside."""
    namespace: dict[str, Any] = {}
    exec(text.replace(COMPILING, ""), namespace)
    return namespace["_PLAYER"]


@pytest.mark.parametrize(
    ("agent", "options"),
    [
        ("greedy", {}),
        ("alphabeta", {"depth": 4, "engine": "reference"}),
        ("mcts", {"simulations": 100, "seed": 3, "engine": "reference"}),
        ("policy", {"weights": "weights.npz", "temperature": 0.5, "seed": 1}),
    ],
)
def test_a_bundle_plays_what_its_agent_plays(
    agent: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its limits are lifted unless they are given, and files are their content."""
    monkeypatch.setitem(sys.modules, "numba", None)  # compiling takes seconds
    monkeypatch.chdir(tmp_path)
    policy_file(ConnectFour(), tmp_path)
    players = KagglePlayer(unbundled_agent(agent, options)), player_of(build_bundle(agent, options))
    ours, theirs = (player._make_agent() for player in players)
    assert repr(ours) == repr(theirs)
    env, moves = ConnectFour(), "443533616"
    for ply in range(len(moves)):
        board = env.to_board(state_from_moves(env, moves[:ply]))
        asked = {"board": board, "mark": 1 + ply % 2, "remainingOverageTime": 60}
        assert len({player.act(asked, {"actTimeout": 60}) for player in players}) == 1


def test_every_name_of_a_bundle_is_defined_and_used(tmp_path: Path) -> None:
    for agent in REGISTERED:
        (tmp_path / f"{agent}.py").write_text(default_bundle(agent))
    assert ruff("check", "--ignore-noqa", "--select", "F", tmp_path) == "All checks passed!\n"


def test_a_bundle_in_a_checkout_is_nothing_to_mend(tmp_path: Path) -> None:
    """Whoever builds in the folder of a project of theirs finds its linter content."""
    path = tmp_path / "mine.py"
    path.write_text(default_bundle("greedy"))
    assert ruff("check", "--select", "D,E,F,I,RUF,UP,W", path) == "All checks passed!\n"
    assert ruff("format", "--diff", path) == ""


LOADING = """
import sys
from pathlib import Path
from threading import Thread
from tests.helpers.bundle_games import load
Thread.start = lambda self: None
for path in sorted(Path(sys.argv[1]).iterdir()):
    load(path)
    print(path.stem, *({"numba", "numpy", "agents", "envs", "submission"} & {*sys.modules}))
"""
"""Loads each bundle of a folder, which compiles nothing meanwhile, and names what that imports."""


def test_loading_takes_neither_numba_nor_numpy(tmp_path: Path) -> None:
    for agent in COMPILED_AGENTS:
        (tmp_path / agent).write_text(default_bundle(agent))
    assert output_of(LOADING, tmp_path).split() == sorted(COMPILED_AGENTS)


def ruff(command: str, *words: str | Path) -> str:
    ended = [sys.executable, "-m", "ruff", command, "--isolated", *map(str, words)]
    return subprocess.run(ended, capture_output=True, text=True, check=False).stdout


def test_same_input_same_bytes_in_every_process() -> None:
    script = "from submission.bundle.bundle import build_bundle\n"
    script += "print(build_bundle('mcts', {}), end='')"
    built = output_of(script, PYTHONHASHSEED="1", PYTHONUTF8="1")
    assert built == default_bundle("mcts")


LONG_COMPILED = ("alphabeta", "mcts", "perfect", "alphazero")
"""`make image-tests` plays the bundles of all that compile; these take five seconds and more.

`test_perfect_bundle.py` plays that of perfect in plain Python.
"""


# Numba sets warnings aside while it compiles: no warning is an error here.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("agent", "compiles"),
    [
        *((agent, agent not in LONG_COMPILED) for agent in REGISTERED if agent != "perfect"),
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
    for players in ([bundle, "random"], ["random", bundle]):
        env = kaggle_environments().make("connectx")
        env.run(players)
        assert [seat.status for seat in env.state] == ["DONE", "DONE"]
        assert {seat.reward for seat in env.state} in ({1, -1}, {0})
        assert [log["stderr"] for logs in env.logs for log in logs if log.get("stderr")] == said
        said = []


# --- agents of a user's

Build = Callable[..., str]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Builds an agent from the text of its module, perhaps with other files beside it."""
    monkeypatch.delitem(sys.modules, "my_agent", raising=False)  # of another test

    def build_agent(
        text: str, name: str = "MyAgent", beside: Mapping[str, str] = {}, **options: JsonValue
    ) -> str:
        for file, content in {**beside, "my_agent.py": text}.items():
            (tmp_path / file).parent.mkdir(exist_ok=True)
            (tmp_path / file).write_text(content, encoding="utf-8")
        return build_bundle(name, options, tmp_path / "my_agent.py")

    return build_agent


def first_column(text: str) -> int:
    """What a bundle plays on the empty board."""
    return loaded(text)({"board": [0] * 42, "mark": 1}, {})


@pytest.mark.parametrize(
    ("top", "body", "line", "problem"),
    [
        ("import agents.options", "agents", 11, "write `from agents import NAME`"),
        ("from agents.options import *", "", 4, "a star import"),
        ("LIMIT = 1\nLIMIT = 2", "LIMIT", 5, "LIMIT is defined twice"),
        ("TABLE = {}\nTABLE['a'] = 1", "TABLE", 5, "a module-level side effect"),
        ("print('hello')", "", 4, "a module-level side effect"),
        ("try: print()\nexcept OSError: pass", "", 4, "a module-level side effect (Try"),
        ("def folder():\n    return __file__", "folder", 5, "__file__"),
        ("", "import agents.options", 11, "`import agents.options` inside a definition: move"),
        ("X = 5", "globals()['X']", 11, "cannot bundle globals, which can find"),
        ("import importlib", "importlib.import_module('math')", 11, "importlib.import_module"),
        ("N = 0\ndef use():\n    return helper_use()", "use", 6, "helper_use is used"),
    ],
)
def test_what_cannot_be_carried_over_is_an_error_with_file_and_line(
    top: str, body: str, line: int, problem: str, build: Build
) -> None:
    with pytest.raises(BundleError, match=re.escape(problem)) as caught:
        build(own_agent(top, body=body or "pass"))
    assert f"my_agent.py:{line}: " in str(caught.value)


@pytest.mark.parametrize(
    ("top", "condition"),
    [
        ("A = 1; B = 2", "A + B == 3"),
        ("class Clock:\n    pass\nfrom agents.agent import TimeUp", "Clock is not TimeUp"),
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
        ("A, (B, *C) = 1, (2, 3)", "(A, B, C) == (1, 2, [3])"),
        ("A: int\nB: int = 3", "B == 3"),
        ("A = (B := 2) + 1", "(A, B) == (3, 2)"),
        ("import logging\nLOG = logging.getLogger(__name__)", "LOG.name"),
        ("try: import none\nexcept ImportError as error: none = 3", "none == 3"),
        ("try: import quick\nexcept ImportError:\n    def quick(): return 5", "quick() == 5"),
        ("class A:\n    def __init_subclass__(cls): A.B = cls\nclass C(A): D = 3", "A.B.D == 3"),
        (
            "class A(type):\n    def __init__(c, *_): A.B = c\nclass C(metaclass=A): D = 3",
            "A.B.D == 3",
        ),
        (
            "class A:\n    def enter(self, f): self.f = f\na = A()\n@a.enter\ndef f(): return 3",
            "a.f() == 3",
        ),
        ('A = """a\n  \nb"""', "len(A) == 6"),
        ('if typing.TYPE_CHECKING: pass\nelse:\n    A = """a\n    b"""', "len(A) == 7"),
        ("if typing.TYPE_CHECKING: pass\nelse:\n    A = [\n        7\n    ]", "A == [7]"),
    ],
)
def test_names_of_a_user_mean_what_they_do_in_the_module(
    top: str, condition: str, build: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where they clash with the project's, and in strings with indented or blank lines."""
    picked = loaded(build(own_agent(top, body=f"assert {condition}")))
    for said in ("played with Python 3.", ""):
        assert picked({"board": [0] * 42, "mark": 1}, {}) == 0
        heard = capsys.readouterr().err
        assert heard.startswith(said) if said else heard == ""


FUTURE = "from __future__ import annotations\n"


@pytest.mark.parametrize(
    ("before", "fields"),
    [
        (FUTURE, "seats: typing.ClassVar[int] = 2"),
        (FUTURE, "seats: InitVar[int] = 2; __post_init__ = print"),
        (FUTURE, "depth: int = 1; _: KW_ONLY; width: int = 2"),
        ("", "seats: 'ClassVar[int]' = 2"),
    ],
)
def test_what_dataclasses_would_look_up_in_the_module_is_refused(
    before: str, fields: str, build: Build
) -> None:
    """Kaggle's loader has none, so each of these would be a field."""
    top = "from dataclasses import InitVar, KW_ONLY; from typing import ClassVar"
    with pytest.raises(BundleError, match=r"as text, .* write it without quotes"):
        build(before + own_agent(top, fields))


def test_an_agent_may_be_called_like_one_of_the_project(build: Build) -> None:
    text = own_agent("import agents").replace("MyAgent(Agent)", "Agent(agents.Agent)")
    assert first_column(build(text.replace("import Agent, ", "import "), "Agent")) == 0


def test_names_for_annotations_alone_need_not_be_there(build: Build) -> None:
    text = own_agent(
        "if typing.TYPE_CHECKING: from envs import ConnectX\ndef first(env: ConnectX): return 0",
        action="first(env)",
    )
    assert first_column(build(f"{FUTURE}{text}")) == 0


def test_agents_are_made_by_name_where_annotations_are_texts(
    build: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    action = "make_agent('greedy').act(env, state)"
    text = own_agent("from agents import make_agent", action=action)
    assert first_column(build(f"{FUTURE}{text}")) in range(7)
    assert "falling back" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "used",
    [
        "@enter\ndef last(): return 5",
        "LAST = enter(lambda: 5)",
        "@TABLE.append\ndef last(): return 5",
        "LAST = TABLE.insert(1, lambda: 5)",
    ],
)
def test_what_enters_itself_into_a_table_comes_along(used: str, build: Build) -> None:
    top = "TABLE = []\ndef enter(function):\n    TABLE.append(function)\n    return function\n"
    text = own_agent(f"{top}@enter\ndef first(): return 0\n{used}", action="TABLE[1]()")
    assert first_column(build(text)) == 5


def test_modules_beside_an_agent_come_along_and_byte_order_marks_do_not(build: Build) -> None:
    helper = "def last(actions, offset):\n    return actions[len(actions) - 1 - offset]\n"
    top = "from helper import last\nif __name__ == '__main__':\n    print(MyAgent())"
    action = "last(env.get_available_actions(state), self.offset)"
    text = own_agent(top, "offset: int = 0", action=action)
    plain = build(text, beside={"helper.py": helper}, offset=1)
    assert imported_packages(plain, "") <= sys.stdlib_module_names
    assert first_column(plain) == 5
    marked = {"helper.py": f"\ufeff{helper}"}
    assert build(f"\ufeff{text}", beside=marked, offset=1) == plain


def test_each_build_imports_what_lies_beside_its_agent_anew(tmp_path: Path) -> None:
    """And finds the types of its options in its own file, which may have changed since."""
    for folder, column in (("one", 1), ("one", 2), ("other", 3)):
        path, name = tmp_path / folder / "my_agent.py", "COLUMN_" * column
        path.parent.mkdir(exist_ok=True)
        path.with_name("chosen.py").write_text(f"{name} = {column}\n")
        top = f"from chosen import {name}\nType{column} = int"
        path.write_text(FUTURE + own_agent(top, f"option: Type{column} = 1", action=name))
        assert first_column(build_bundle("MyAgent", {}, path)) == column


@pytest.mark.parametrize("library", ["random", "numpy"])
def test_a_file_named_like_a_library_does_not_take_its_place(library: str, tmp_path: Path) -> None:
    """An agent of one's own may be called `random.py`, and Python has imported the library."""
    for name, used in ((f"{library}.py", "MCTSAgent"), ("my_agent.py", "MCTSAgent, random.Random")):
        path = tmp_path / name
        path.write_text(own_agent("import random\nfrom agents import MCTSAgent", body=used))
        assert first_column(build_bundle("MyAgent", {}, path)) == 0
        path.write_text("seed = None")


def test_a_package_needs_no_init_file(build: Build) -> None:
    columns = "from .sizes import WIDTH\nLAST = WIDTH - 1\n"
    guides = {"guides/columns.py": columns, "guides/sizes.py": "WIDTH = 7\n"}
    text = own_agent("from guides.columns import LAST", action="LAST")
    assert first_column(build(text, beside=guides)) == 6
    with pytest.raises(BundleError, match=r"my_agent\.py:4: there is no .*__init__\.py"):
        build(own_agent("import guides.columns", action="guides.columns.LAST"))


@pytest.mark.parametrize("name", ["player", "started", "data"])
def test_the_content_of_a_file_option_comes_along(name: str, build: Build, tmp_path: Path) -> None:
    """Whatever the option is called: the bundle has names of its own."""
    data = tmp_path / "data.txt"
    data.write_bytes(b"4")
    top = "from agents.options import file_option"
    text = own_agent(top, f"{name}: str | bytes = file_option('')", action=f"int(self.{name})")
    assert first_column(build(text, **{name: str(data)})) == 4


@pytest.mark.parametrize(
    ("top", "fields"),
    [
        ("BOOK = pathlib.Path('book.txt').read_text()", ""),
        ("class BOOK:\n    text = pathlib.Path('book.txt').read_text()", ""),
        ("def read(): return pathlib.Path('book.txt').read_text()\nBOOK = read()", ""),
        ("BOOK = 1", "def __post_init__(self): pathlib.Path('book.txt').read_text()"),
    ],
)
def test_a_file_that_is_read_otherwise_is_refused(
    top: str, fields: str, build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("book.txt").write_text("3")
    with pytest.raises(
        ValueError, match=r"MyAgent reads book\.txt, .*`agents.options.file_option`"
    ):
        build(own_agent(f"import pathlib\n{top}", fields, body="BOOK"))


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_numbers_without_a_literal_are_options(number: str, build: Build) -> None:
    text = own_agent("", "share: float = 0.0", action=f"[3, 2][repr(self.share) == '{number}']")
    assert first_column(build(text, share=float(number))) == 2


ODD_SEARCH = """
from dataclasses import dataclass
from agents import Agent
@dataclass
class MyAgent(Agent):
    depth: int = 1
    {}
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = ", "fails when it is run: SyntaxError: invalid syntax (my_agent.py, line 1)"),
        ("1 / 0", "fails when it is run: ZeroDivisionError: division by zero"),
        ("from .a import b", "has a relative import: import modules beside it by `from module"),
        ("import sys\nsys.exit()", "ends Python when it is run: put the lines that do so under"),
        (
            "import submission\nsubmission.build('MyAgent', source=__file__)",
            "fails when it is run: ValueError: it builds itself when it is run: put the lines",
        ),
        ("x = 1", "has no agent 'MyAgent'"),
        (
            own_agent("import sys", action="LAST")
            + "\nLAST = len(vars(sys.modules[MyAgent.__module__])['MyAgent'].__name__)",
            "the bundle fails when it is loaded as on Kaggle: KeyError('MyAgent')",
        ),
        (
            own_agent(fields="def __post_init__(self): raise IndexError(7)"),
            "MyAgent cannot be made with these options: IndexError(7)",
        ),
        ("from agents import MCTSAgent as MyAgent", "has no agent 'MyAgent'"),
        *(
            (ODD_SEARCH.format(search), "define `def search(self, env, state, time_limit=None)`")
            for search in (
                "",
                "def search(self, env, state): ...",
                "def search(env, state, time_limit=None): ...",
                "def search(self, env, state, *, time_limit=None): ...",
                "def search(self, env, state, seed, time_limit): ...",
            )
        ),
    ],
)
def test_files_without_a_usable_agent(text: str, message: str, build: Build) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        build(text)
    assert "when it is run" not in message or "my_agent" not in sys.modules


@pytest.mark.parametrize(
    ("field", "options", "message"),
    [
        ("depth: int", {}, "option depth of agent MyAgent has no default: give it a value"),
        ("depth: int", {"depth": "3"}, "depth of agent MyAgent must be int, not the text '3'"),
        (
            "depth: 'Depth' = 3",
            {},
            "the type of an option of MyAgent cannot be found (name 'Depth'",
        ),
        ("depth: 'int | None' = 3", {"depth": 0.5}, "must be int or none, not 0.5"),
        ("weights: list[float] = ()", {"weights": 1}, "must be list, not 1"),
        ("depth: int = 3", {"width": 1}, "has no option 'width'; its options: depth"),
        ("order: list = field(default_factory=list)", {}, ""),
        ("order: list = field(default_factory=list)", {"order": [3]}, ""),
        ("order: list = field(default_factory=list)", {"order": 3}, "must be list, not 3"),
        ("anything: typing.Any = None", {"anything": [1, {"a": None}]}, ""),
        ("depth: int", {"depth": 4}, ""),
    ],
)
def test_options_of_user_agents(
    field: str, options: dict[str, JsonValue], message: str, build: Build
) -> None:
    text = own_agent(fields=field)
    if message:
        with pytest.raises(ValueError, match=re.escape(message)):
            build(text, **options)
    else:
        assert first_column(build(text, **options)) == 0
