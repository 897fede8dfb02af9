"""Every command on systems that lack what Windows lacks, and on consoles without UTF-8."""

import io
import os
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

from submission.__main__ import main
from submission.match.results_file import read_results
from submission.sandbox.causes import of_death
from submission.sandbox.interpreter import child_environment
from tests.helpers.processes import ROOT, completed
from tests.helpers.signals import handlers_kept

AS_ON_WINDOWS = """
import faulthandler, os, select, signal, socket, sys
import psutil  # needs its own `resource` on Linux
for name in "fcntl grp pwd resource termios".split():
    sys.modules[name] = None
for owner, names in (
    (faulthandler, "register"),
    (os, "fork forkpty register_at_fork setsid killpg getpgid sched_getaffinity sched_setaffinity"),
    (os, "O_DIRECTORY O_NOFOLLOW O_NONBLOCK geteuid mkfifo setuid wait4"),
    (select, "poll"),
    (signal, "SIGALRM SIGCONT SIGHUP SIGSTOP SIGUSR1 SIGVTALRM alarm pthread_sigmask setitimer"),
    (socket, "send_fds recv_fds"),
):
    for name in names.split():
        vars(owner).pop(name, None)
"""
"""What psutil, pytest and asyncio need on the real system is kept: SIGKILL, `os.getuid`, and
`os.sysconf`, which asyncio uses from Python 3.12 on."""


def other_python(folder: Path, lacking: str) -> Path:
    """Make an interpreter with the packages of this one, and without what `lacking` removes.

    Its children lack the same features, whatever variables and options they are started with.
    """
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    (site / "lacking.py").write_text(lacking)
    (site / "lacking.pth").write_text("\n".join([str(ROOT), *packages, "import lacking\n"]))
    return folder / "bin" / "python"


PLAYER = """
import importlib.util, os, sys

# It plays only where it lacks what Windows lacks, and where files are UTF-8 as on Kaggle.
assert not hasattr(os, "fork")
assert sys.modules.get("resource") is sys.modules.get("fcntl") is None
assert open(os.devnull, "w").encoding == "utf-8"

def agent(observation, configuration):
    "Nächste freie Spalte, größter Index: ≤ configuration.columns."
    return [c for c in range(configuration.columns) if observation.board[c] == 0][-1]
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if sys.platform == "win32":
        return Path(sys.executable)
    return other_python(tmp_path_factory.mktemp("other") / "system", AS_ON_WINDOWS)


IN_TURN = """
import shlex, sys
from concurrent.futures import ThreadPoolExecutor
from submission.__main__ import main
from submission.executors import work
for command in sys.argv[1:]:
    sys.argv = ["connectx", *shlex.split(command)]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code
    work.local_executor = ThreadPoolExecutor
"""
"""Commands in one process, which imports Kaggle once; only the first has workers of its own."""


def run(python: Path, *commands: str, encoding: str) -> str:
    """The output of commands that succeed; all that they may say beside is that they compile."""
    # Files have the locale's encoding, ASCII, where nothing else is said.
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0"}
    console = {**locale, "PYTHONIOENCODING": encoding, "COLUMNS": "200"}
    ended = subprocess.run(
        [python, "-c", IN_TURN, *commands],
        env={**os.environ, **console},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding=encoding,
        check=False,
    )
    said = [line for line in ended.stderr.splitlines() if "is being compiled" not in line]
    assert (ended.returncode, "\n".join(said).strip()) == (0, "")
    return ended.stdout


IMPORTING = """
import importlib, pkgutil, signal, sys, types
import pytest
vars(signal).pop("SIGKILL", None)
sys.modules["locket"] = types.ModuleType("locket")  # Dask's locks, of the system that this is
for package in map(importlib.import_module, ("agents", "envs", "submission", "tests")):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        try:
            importlib.import_module(module.name)
        except pytest.skip.Exception:
            pass
        except ModuleNotFoundError as error:
            print(error.name)
"""


def test_every_module_is_imported_without_what_the_system_lacks(python: Path) -> None:
    imported = completed([python, "-c", IMPORTING])
    extras = "distributed matplotlib pettingzoo sb3_contrib stable_baselines3 torch"
    assert {*imported.stdout.split()} <= {*extras.split()}


def test_players(python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text(PLAYER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    report = run(
        python,
        "evaluate own.py --against random --games 2 --workers 1 --results games.jsonl",
        "check own.py --patience 0 --game-seconds 0",
        "grade own.py --sample 1 --workers 1",
        "ladder greedy random minimax:depth=1 --games 2 --workers 1 --arena own "
        "--results ladder.jsonl",
        encoding="ascii",
    )
    assert "Accepted: Kaggle would take own.py" in report
    facts = dict(line.split("  ", 1) for line in report.splitlines() if "  " in line)
    assert facts["memory"].strip() == "without a limit, which only Linux enforces"
    assert float(facts["loading"].split()[0]) < 0.1  # the start of its process takes longer
    titles = {
        "games.jsonl": "Results of own.py",
        "own.py": "own.py in 1 solved position",
        "ladder.jsonl": "Ladder of 3 players",
    }
    assert all(title in report for title in titles.values())
    for file in ("games.jsonl", "ladder.jsonl"):
        assert {game.cause for game in read_results(Path(file)).records} == {None}
        assert b"\r" not in Path(file).read_bytes()
        for console in CONSOLES:
            assert titles[file] in console.run("report", file)
    assert titles["games.jsonl"] in CONSOLES[0].run("report", "games.jsonl", "--first-player-table")


@pytest.mark.skipif(not find_spec("tensorboard"), reason="training needs the extra `train`")
def test_train(tmp_path: Path) -> None:
    # As psutil does, PyTorch asks for what its own system has.
    python = other_python(tmp_path / "system", f"import torch\n{AS_ON_WINDOWS}")
    policy = tmp_path / "small.npz"
    board = "--game connectx --rows 3 --columns 3 --inarow 3"
    command = f"train {board} --rounds 1 --simulations 2 --width 4 --output {policy}"
    assert "Trained up to round 1," in run(python, command, encoding="cp1252")
    assert policy.stat().st_size > 0


class Console:
    """The command line of this process, on a console of an encoding and a width.

    Args:
        encoding: of both streams.
        width: columns of the terminal.
    """

    def __init__(self, encoding: str, width: int) -> None:
        self._encoding = encoding
        self._width = width

    def run(self, *words: str, status: int = 0) -> str:
        """What a command prints, on whichever stream."""
        said = io.BytesIO()
        stream = io.TextIOWrapper(said, encoding=self._encoding, write_through=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["connectx", *words])
            patch.setattr(sys, "stdin", io.StringIO())
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", stream)
            patch.setenv("COLUMNS", str(self._width))
            with handlers_kept(), pytest.raises(SystemExit) as ended:
                main()
        assert int(ended.value.code or 0) == status
        return said.getvalue().decode(self._encoding)


CONSOLES = [Console("ascii", 40), Console("cp1252", 60), Console("ascii", 200)]

SAID = {
    ("--help",): "Usage: ",
    ("agents",): "simulations",
    ("explain", "--tree", "[[3, 12], [2, 4]]"): "`- 1: min <= 2   alpha 3, beta inf -> 2",
    ("explain", "--tree", "[[3, '?'], [2, 4]]", "--quiz"): "as ? grows from -inf to inf",
    ("explain", "--tree", "{'größer': 1, '中': [2]}"): "\\u4e2d",
    ("explain", "--moves", "4444", "--agent", "mcts", "-O", "simulations=9"): "|- ",
    ("solve", "4444432555557333377777"): "column",
    ("play", "greedy", "--seat", "2"): "greedy plays column 4.",
}


@pytest.mark.parametrize("words", SAID, ids=" ".join)
def test_what_a_console_has_no_characters_for_is_said_in_others(words: tuple[str, ...]) -> None:
    for console in CONSOLES:
        assert SAID[words] in console.run(*words)


def test_a_console_that_has_the_characters_shows_them() -> None:
    tree = "[[3, 12], [2, 4]]"
    said = Console("utf-8", 80).run("explain", "--tree", tree)
    assert "└─ 1: min ≤ 2   alpha 3, beta ∞ → 2" in said
    assert "größer" in Console("cp1252", 80).run("explain", "--tree", "{'größer': 1}")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_mistake_is_told_whatever_it_is_called(encoding: str) -> None:
    name = "nämlich-中-\udcff.py"
    said = Console(encoding, 80).run("check", name, status=2)
    assert said.lstrip().startswith("Error: there is no file n")
    assert said.rstrip().endswith("\\udcff.py: name the submission to check")


def test_windows_starts_children_with_what_python_needs_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SYSTEMROOT", r"C:\Windows")
    assert child_environment(Path("home"))["SYSTEMROOT"] == r"C:\Windows"


def test_a_crash_on_windows_is_told_as_one() -> None:
    cause = of_death(0xC0000005, None).text
    assert cause.startswith("the interpreter crashed (0xC0000005), as it does in native code")
