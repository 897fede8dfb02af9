"""Checked on a machine like Kaggle's: another interpreter, other packages, less speed."""

import ast
import json
import os
import platform
import shutil
import subprocess
import sys
import venv
from contextlib import nullcontext
from functools import partial
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from submission import front_door
from submission.checking import kaggle_image
from submission.checking.check import check_submission
from submission.checking.check_report import CheckVerdict
from submission.checking.game_plan import FIRST_GAMES
from submission.checking.kaggle_image import (
    DISTRIBUTIONS_OF_MODULES,
    LIST,
    image_has,
    image_python,
    image_pythons,
    kaggles_versions,
)
from submission.cli import submit
from submission.kaggle import kaggle_environments
from submission.match.match import Match
from submission.sandbox import interpreter
from submission.sandbox.inside.file_guard import PROJECT_PACKAGES
from submission.sandbox.inside.source_facts import early_annotations, read_source
from submission.sandbox.interpreter import find_python
from submission.sandbox.messages import RuntimeVersions
from submission.sandbox.processes import can_throttle
from tests.helpers.archives import archive
from tests.helpers.checks import GOOD, check_file, check_pair, first_fault, rows_of
from tests.helpers.processes import ROOT, completed, output_of
from tests.helpers.shell import Shell
from tests.helpers.systems import needs_posix, needs_throttling

pytestmark = needs_posix

LISTED = {
    canonicalize_name(Requirement(line).name)
    for line in LIST.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
}
"""The distributions of the image, as the packaging library reads their list."""


def script(path: Path, *lines: str) -> Path:
    """A program for the shell."""
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)
    return path


def environment_beside(folder: Path) -> Path:
    """A virtual environment with packages of its own and, after them, those of this one."""
    venv.create(folder, with_pip=False)
    [site] = folder.glob("lib/python*/site-packages")
    theirs = Path(str(kaggle_environments().__file__)).parents[1]
    (site / "theirs.pth").write_text(f"{theirs}\n")
    information = site / "numba-9.8.7.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: numba\nVersion: 9.8.7\n")
    return folder


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment_beside(tmp_path_factory.mktemp("other") / "image")


def test_the_games_are_played_by_the_other_interpreter(other: Path, tmp_path: Path) -> None:
    source = f"import sys\nprint(sys.prefix, file=sys.stderr)\n{GOOD}"
    report = check_pair(source, tmp_path, python=find_python(other))
    assert report.accepted
    assert report.stderr == str(other)
    assert report.versions == RuntimeVersions(platform.python_version(), "9.8.7", version("numpy"))
    assert rows_of(report)["played with"] == str(report.versions)
    assert json.loads(json.dumps(report.to_dict()))["versions"]["numba"] == "9.8.7"


def test_the_worker_takes_nothing_but_the_standard_library() -> None:
    program = f"import sys; sys.path.append({str(ROOT)!r})\n"
    program += "import submission.sandbox.inside.player_process"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


def test_packages_beside_an_installed_project_are_not_the_other_interpreters(
    tmp_path: Path,
) -> None:
    """They may be compiled for this one."""
    installed = tmp_path / "site-packages"
    for package in PROJECT_PACKAGES:
        shutil.copytree(ROOT / package, installed / package)
    (installed / "jsonschema.py").write_text("raise ImportError('of another Python')\n")
    asked = {"board": [0] * 42, "mark": 1, "step": 0, "remainingOverageTime": 60}
    rules = {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 60}
    program = (
        "import sys; from pathlib import Path; from submission.sandbox.launcher import Launcher\n"
        "with Launcher(Path(sys.executable)).start_player(b'def agent(o): return 3', seed=1, "
        f"memory=2**32) as running: print(running.act({asked}, {rules}).column)"
    )
    assert output_of(program, folder=tmp_path, PYTHONPATH=installed) == "3\n"


def test_without_another_interpreter_it_is_this_one(tmp_path: Path) -> None:
    report = check_pair("def agent(obs, conf)\n    return 0\n", tmp_path)
    here = RuntimeVersions(platform.python_version(), version("numba"), version("numpy"))
    assert report.versions == here
    assert str(RuntimeVersions("3.12.1", None, "2.0.2")) == "Python 3.12.1, no numba, numpy 2.0.2"
    assert first_fault(report).cause.endswith(f"(read with Python {here.python})")


def test_the_other_interpreters_grammar_and_packages_count(tmp_path: Path) -> None:
    """Its own words, of what it parses and what it finds, come from a program in its place."""
    facts = {
        "imports": [["numba", "missing", [], True]],
        "definitions": [["agent", 7, "function"]],
        "newer_line": None,
        "early_line": 3,
    }
    python = script(tmp_path / "python", f"echo '{json.dumps(facts)}'")
    (tmp_path / "main.py").write_text("import numba\n")
    read = read_source(tmp_path / "main.py", python)
    assert read.modules(standard=False) == ("numba",)
    assert [entry.line for entry in read.definitions] == [7]
    assert read.early_line == 3


@pytest.mark.parametrize("number", [0, 1])
def test_the_environments_with_kaggles_versions(number: int, tmp_path: Path) -> None:
    python = dict(enumerate(image_pythons())).get(number)
    if python is None:
        pytest.skip("there is no such environment with Kaggle's versions: make kaggle-image")
    program = "import numba, numpy, platform; print(platform.python_version(), numba.__version__)"
    told = completed([python, "-c", program])
    source = f"import numba, numpy\n{GOOD}"
    if python == image_python():
        source = f"type Column = int\n{source}"  # the grammar of Python 3.12
    report = check_pair(source, tmp_path, python=python)
    assert report.accepted
    newer = "Python 3.11, with which Kaggle may play, cannot read line 1"
    assert any(newer in warning for warning in report.warnings) == ("type Column" in source)
    assert report.other_imports == ("numba", "numpy")
    assert report.versions is not None
    assert [report.versions.python, report.versions.numba] == told.stdout.split()
    assert rows_of(report)["Kaggle plays with"] == (
        f"Python 3.11 or 3.12, numba {report.versions.numba}, numpy {report.versions.numpy}"
    )


OF_EVERY_PYTHON = [
    "f\"{a['b']}\"",
    "f'{f\"{a}\"}'",
    "f'\\'{a:\\n}{{}}'",
    "rf'\\d{a!r:>{b}}'",
    "f'''{\na[\"'\"]\n}'''",
]
NEWER = [
    "f'{a['b']}'",
    "f'{f'{a}'}'",
    "f'{\"\\n\".join(a)}'",
    "f'{\na}'",
    "f'''{a\n# comment\n}'''",
    "f'{f\"\\n{a}\"}'",
    "def first[T](all: list[T]) -> T: ...",
]


@pytest.mark.parametrize("statement", OF_EVERY_PYTHON + NEWER)
def test_syntax_that_the_older_python_lacks_is_warned_of(statement: str, tmp_path: Path) -> None:
    python = Path(sys.executable) if sys.version_info >= (3, 12) else image_python()
    if python is None:
        pytest.skip("there is no Python 3.12: make kaggle-image")
    elif sys.version_info < (3, 12):
        with pytest.raises(SyntaxError) if statement in NEWER else nullcontext():
            compile(statement, "main.py", "exec")
    (tmp_path / "main.py").write_text(f"\n{statement}\n")
    line = read_source(tmp_path / "main.py", python).newer_line
    assert (line is not None and 2 <= line <= 3) if statement in NEWER else line is None


@pytest.mark.skipif(sys.version_info < (3, 13), reason="its own grammar has nothing newer")
def test_syntax_that_both_of_kaggles_pythons_lack_is_refused(tmp_path: Path) -> None:
    report = check_pair(f"class Tree[T = int]: ...\n{GOOD}", tmp_path)
    assert report.verdict is CheckVerdict.REFUSED
    assert first_fault(report).cause.endswith("3.11 or 3.12, and neither can read line 1")
    assert not report.warnings


EARLY = [
    "class A:\n    def f(self) -> A: ...",
    "def f(x: list[B], *, y=1): ...\nclass B: ...",
    "class A:\n    c: int\n    before: A | None = None",
    "import typing\nif typing.TYPE_CHECKING:\n    import re\nx: re.Pattern = {}",
    "try:\n    import json\nexcept ImportError:\n    def f(): ...\nasync def g(x: h): ...",
]
IN_TIME = [
    "class A:\n    class B: ...\n    def f(self: 'A', b: B) -> 'B': ...",
    "A = None\nif A:\n    class B: ...\nelse:\n    class B: ...\ndef f(x: B): ...",
    "for A in (int, str):\n    class B:\n        def f(x: A): ...\ndef g(x: B):\n    y: Z = 1",
    "import os.path as p, sys\nT = sys\ndef f(x: p.sep = lambda y: Y, *z: T, **w: int): ...",
    "from __future__ import annotations\ndef f(x: A): ...",
    "from typing import *\ndef f(x: Any): ...",
]


@pytest.mark.parametrize("text", EARLY + IN_TIME)
def test_annotations_that_older_pythons_evaluate_too_early_are_found(text: str) -> None:
    found = list(early_annotations(ast.parse(text)))
    assert bool(found) == (text in EARLY)
    if sys.version_info < (3, 14):
        with pytest.raises(NameError) if found else nullcontext():
            exec(compile(text, "main.py", "exec", dont_inherit=True), {})


def test_what_kaggle_plays_with_is_what_the_list_pins() -> None:
    lines = LIST.read_text(encoding="utf-8").splitlines()
    pins = [str(Requirement(line)) for line in lines if line.startswith(("numba==", "numpy=="))]
    told = kaggles_versions()
    assert told.split(", ")[0] == "Python 3.11 or 3.12"
    assert told.split(", ")[1:] == [pin.replace("==", " ") for pin in pins]
    assert "# Python 3.12" in lines, "the notebooks', for which the wheelhouse is made"


def test_the_older_python_is_found_beside_the_newer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kaggle_image, "ENVIRONMENT", tmp_path / "image")
    assert image_python() is None
    older = environment_beside(tmp_path / "image-3.11")
    assert [*image_pythons()] == [image_python()] == [older / "bin" / "python"]
    newer = environment_beside(tmp_path / "image")
    assert [*image_pythons()] == [newer / "bin" / "python", older / "bin" / "python"]


@pytest.mark.parametrize(
    ("name", "lines", "sentence"),
    [
        ("./python", ["exit 0"], "is not Python (it printed nothing): name a Python of 3.11 or"),
        ("./python", ["echo 'not found' >&2", "exit 127"], "is not Python (not found): name a"),
        ("./python", ["echo Python 2 7", "exit 1"], "is Python 2.7: name a Python of 3.11 or new"),
        ("./python", ["echo Python 3 10", "echo True"], "is Python 3.10: name a Python of 3.11"),
        ("nowhere", [], "there is no Python at nowhere: name a Python of 3.11 or newer"),
        (".", [], "there is no Python at .: name a Python of 3.11 or newer"),
        ("mine.py", [], "mine.py cannot be run"),
        ("./python", ["exec sleep 60"], "python did not answer in 3 s: name a Python of 3.11"),
    ],
)
def test_what_is_no_python_of_ours_is_refused(
    name: str, lines: list[str], sentence: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter, "PROBE_SECONDS", 3)
    Path("mine.py").write_text(GOOD)
    if lines:
        script(Path(name), *lines)
    assert sentence in shell.refusal("check", "mine.py", "--python", name)


def test_an_environment_without_kaggles_is_told_how_to_get_it(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    with pytest.raises(ValueError, match="has no kaggle_environments") as raised:
        find_python(tmp_path / "bare")
    assert f"{tmp_path}/bare/bin/python -m pip install --no-deps kaggle-env" in str(raised.value)
    assert "make kaggle-image" in str(raised.value)


def test_an_interpreter_is_found_by_its_folder_and_by_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_python(Path(sys.prefix)) == Path(sys.prefix, "bin", "python")
    named = script(tmp_path / "python-of-mine", f'exec "{sys.executable}" "$@"')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert find_python(Path("python-of-mine")) == named


def test_the_image_has_what_its_list_names() -> None:
    assert {"numba", "numpy", "kaggle-environments", "scikit-learn"} <= LISTED
    for module, distributions in packages_distributions().items():
        named = set(map(canonicalize_name, distributions))
        assert image_has(module, distributions) == bool(named & LISTED), module
    for module, distribution in DISTRIBUTIONS_OF_MODULES.items():
        assert image_has(module) == (distribution in LISTED) is True


IMPORTS = [
    "import {module}",
    "import {module}.submodule as name",
    "from {module} import name",
    "import importlib\nimportlib.import_module('{module}')",
    "from importlib import import_module\nimport_module('{module}.submodule')",
    "__import__('{module}')",
]


def test_imports_are_found_however_they_are_written(tmp_path: Path) -> None:
    modules = tuple(f"module{number}" for number in range(len(IMPORTS)))
    lines = [
        statement.format(module=name) for statement, name in zip(IMPORTS, modules, strict=True)
    ]
    (tmp_path / "main.py").write_text("\n".join(lines))
    read = read_source(tmp_path / "main.py")
    assert (read.modules(standard=False), read.modules(standard=True)) == (modules, ("importlib",))


def test_a_module_that_is_here_or_in_kaggles_image_alone_is_a_warning(tmp_path: Path) -> None:
    source = "import execnet\ntry:\n    import vtk, no_such_module\nexcept ImportError:\n    pass\n"
    report = check_pair(source + GOOD, tmp_path)
    assert report.accepted
    assert "execnet" not in LISTED
    assert "vtk" in LISTED
    assert report.warnings == (
        "the module execnet (distribution execnet) is installed here, but is not listed for "
        "Kaggle's Python image: leave it out, or pack it into a .tar.gz with main.py",
        "the module vtk is missing here, but Kaggle's Python image has it: install it to check "
        "what Kaggle will run",
    )
    unguarded = check_pair(f"import vtk\n{GOOD}", tmp_path)
    assert (first_fault(unguarded).missing, unguarded.warnings) == (("vtk",), ())


GUARDED = "try:\n    import vtk\nexcept ImportError:\n    vtk = None\n"
SUPPRESSED = "from contextlib import suppress\nwith suppress(ImportError):\n    import vtk\n"
USING = "def agent(obs, conf):\n    return vtk.column\n"
SEATS = "def agent(obs, conf):\n    if obs.mark == 1:\n        import vtk\n    return 7\n"
VERDICTS = {
    "missing": (f"import vtk\n{GOOD}", "undecided"),
    "missing in a move": ("def agent(obs, conf):\n    import vtk.util\n", "undecided"),
    "done without": (f"{GUARDED}{USING}", "undecided"),
    "suppressed": (f"{SUPPRESSED}{USING}", "undecided"),
    "done without, well": (f"{GUARDED}{GOOD}", "accepted"),
    "never imported": ("def draw(): import vtk\ndef agent(o, c): return 7", "refused"),
    "missing on Kaggle, too": (f"import no_such_module\n{GOOD}", "refused"),
    "another fault on the other seat": (SEATS, "refused"),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_what_fails_for_want_of_what_kaggle_has_cannot_be_judged(name: str, shell: Shell) -> None:
    source, verdict = VERDICTS[name]
    Path("mine.py").write_text(source)
    outcome = shell.run("check", "mine.py", "--patience", "0", "--json", "check.json")
    found = json.loads(Path("check.json").read_text(encoding="utf-8"))
    is_accepted = verdict == "accepted"
    assert (found["verdict"], found["accepted"]) == (verdict, is_accepted)
    assert outcome.status == {"accepted": 0, "refused": 1, "undecided": 3}[verdict]
    assert (found["upload_command"] is not None) == is_accepted
    assert ("kaggle competitions submit" in outcome.stdout) == is_accepted
    assert ("Could not be judged here: vtk" in outcome.stdout) == (verdict == "undecided")


def test_modules_packed_beside_the_agent_are_its_own_and_are_read_too(tmp_path: Path) -> None:
    report = check_file(
        archive(
            tmp_path / "submission.tar.gz",
            ("main.py", f"import execnet, helper\n{GOOD}".encode()),
            ("helper.py", b"import mypy_extensions\n"),
            ("broken.py", b"print 'an old Python'\n"),
            ("execnet/__init__.py", b"x = 1\n"),
        ),
        pair_only=True,
    )
    assert report.accepted
    assert ["the module mypy_extensions" in warning for warning in report.warnings] == [True]


@pytest.mark.parametrize("python", ["/nowhere/python3.12", "false"])
def test_make_says_in_one_sentence_that_there_is_no_such_python(python: str) -> None:
    made = subprocess.run(
        ["make", f"--what-if={LIST.relative_to(ROOT)}", "kaggle-image", f"KAGGLE_PYTHON={python}"],
        cwd=ROOT,
        capture_output=True,
        check=False,
        text=True,
    )
    assert made.returncode == 2
    assert made.stderr.startswith(
        "Kaggle's images have Python 3.12 or 3.11, and none is found here: install one, or name "
    )
    assert len(made.stderr.splitlines()) == 2, "the second line is make's own"


@pytest.fixture
def no_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an environment with Kaggle's versions would be; what takes seconds is left out."""
    evaluate = front_door.evaluate

    def evaluate_quickly(file: Path, others: list[str], **options: Any) -> Match:
        assert others == ["random", "negamax"]
        return evaluate(file, others[:1], **options)

    monkeypatch.setattr(front_door, "evaluate", evaluate_quickly)
    monkeypatch.setattr(front_door, "check_submission", partial(check_submission, patience=0))
    monkeypatch.setattr(kaggle_image, "ENVIRONMENT", tmp_path / "image")


@pytest.mark.usefixtures("no_image")
def test_prepare_checks_with_kaggles_versions_where_they_are(
    shell: Shell, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submit, "can_throttle", lambda: False)
    monkeypatch.setattr(kaggle_image, "ENVIRONMENT", other)
    said = shell.output("prepare", "greedy")
    assert f"Checking with Kaggle's versions, in {other}." in said
    assert "numba 9.8.7" in said
    assert "a third of the speed are left out: only Linux can slow them down." in said


@pytest.mark.usefixtures("no_image")
def test_prepare_takes_a_file_as_it_is_and_ends_with_a_slow_pair(shell: Shell) -> None:
    text = "def mine(observation):\n    return observation.board[:7].index(0)\n"
    Path("mine.py").write_text(text)
    said = shell.output("prepare", "mine.py")
    assert "`make kaggle-image` makes an environment" in said
    assert "Accepted: Kaggle would take mine.py" in said
    assert "Results of mine.py" in said
    if can_throttle():
        _, slow = said.split("A pair of games at 0.33 of this machine's speed: passed")
        assert slow.count("6x7x4 on seat") == FIRST_GAMES
    assert "kaggle competitions submit -c connectx -f mine.py" in said.splitlines()[-1]
    assert {path.name: path.read_text() for path in Path().glob("*.py")} == {"mine.py": text}
    Path("mine.py").write_text("def mine(observation):\n    return 9\n")
    assert shell.run("prepare", "mine.py").status == 1


SLOW = """
from time import process_time
def agent(obs, conf):
    begin = process_time()
    while obs.step < 2 and process_time() < begin + 0.05:
        pass
    return obs.board[:7].index(0)
"""


@needs_throttling
@pytest.mark.usefixtures("no_image")
def test_prepare_fails_where_the_slow_pair_does(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurried = partial(check_submission, act_timeout=2, bank=0.2, patience=0)
    monkeypatch.setattr(front_door, "check_submission", hurried)
    monkeypatch.setattr(submit, "SLOW_SPEED", 0.01)
    (tmp_path / "mine.py").write_text(SLOW)
    outcome = shell.run("prepare", "mine.py")
    assert outcome.status == 1
    first, slow = outcome.stdout.split("A pair of games at 0.01 of this machine's speed: failed")
    assert "Accepted: " in first
    assert "TIMEOUT: " in slow
    assert "kaggle competitions submit" not in slow
