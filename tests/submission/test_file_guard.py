"""Files of this machine are not there for a submission, as they are not there on Kaggle's."""

import contextlib
import errno
import os
import sys
import tomllib
from pathlib import Path
from time import sleep

import pytest

from submission.sandbox.inside import file_guard
from submission.sandbox.inside.file_guard import (
    CLOCK_TICK,
    PROJECT_MODULES,
    PROJECT_PLACES,
    FileGuard,
    ProjectHider,
)
from tests.helpers.archives import archive
from tests.helpers.checks import FIRST_FREE, GOOD, check_file, check_pair, first_fault, text_of
from tests.helpers.processes import ROOT, output_of


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A file that only this machine has."""
    path = tmp_path / "elsewhere" / "book.bin"
    path.parent.mkdir()
    path.write_bytes(b"the best move is 3")
    grow_old()
    return path


def grow_old() -> None:
    """Wait until what was written is older, by the clock of any system, than a player's start.

    In a temporary folder, as that of these tests, what is younger could be the player's own.
    """
    sleep(CLOCK_TICK)


READINGS = {
    "open": "open(BOOK)",
    "bytes": "open(BOOK.encode(), 'rb')",
    "a path-like object": "io.FileIO(pathlib.Path(BOOK))",
    "pathlib": "pathlib.Path(BOOK).read_bytes()",
    "os.open": "os.open(BOOK, os.O_RDONLY)",
    "to change it": "open(BOOK, 'r+b')",
    "a relative path": "open(os.path.relpath(BOOK))",
    "dots": "open('/usr/..' + BOOK)",
    "a way through /proc": "open('/proc/self/root' + BOOK)",
    "numpy": "numpy.fromfile(BOOK)",
    "the folder": "os.listdir(os.path.dirname(BOOK))",
    "another working folder": "os.chdir(os.path.dirname(BOOK)) or open('book.bin')",
    "a library": "ctypes.CDLL(BOOK)",
}
QUESTIONS = {
    "exists": "os.path.exists(BOOK)",
    "isfile": "os.path.isfile(BOOK)",
    "Path.exists": "pathlib.Path(BOOK).exists()",
    "Path.is_file": "pathlib.Path(BOOK).is_file()",
    "access": "os.access(BOOK, os.R_OK)",
    "glob": "glob.glob(BOOK + '*')",
}


MODULES = "import ctypes, glob, io, numpy, os, pathlib, tempfile, traceback"


@pytest.mark.parametrize("name", ["the folder", "a library"])
def test_whoever_reads_it_unguarded_fails(name: str, tmp_path: Path, book: Path) -> None:
    reading = f"{MODULES}\nBOOK = {str(book)!r}\n{READINGS[name]}\n"
    report = check_pair(f"{reading}{GOOD}", tmp_path)
    fault = first_fault(report)
    missing = book.parent if name == "the folder" else book
    assert fault.status == "ERROR"
    assert fault.when == "while the file was loaded"
    assert fault.cause == f"it asks for {missing}, which is not on Kaggle's machine"
    assert fault.mend == (
        "put the data into the file itself, or pack a .tar.gz with main.py at its top"
    )
    assert report.warnings == ()


def trying(expressions: dict[str, str], is_wrong: str, book: Path) -> str:
    """An agent that fails where one of the expressions comes to what is wrong."""
    tried = ", ".join(f"{name!r}: lambda: {act}" for name, act in expressions.items())
    return f"""{MODULES}
BOOK, NEW = {str(book)!r}, "/tmp/connectx-test-{os.getpid()}-" + str(os.getpid())
def outcome(act):
    try:
        return act()
    except Exception as error:
        return error
def agent(obs, conf):
    came = {{name: outcome(act) for name, act in {{{tried}}}.items()}}
    wrong = {{name: repr(came) for name, came in came.items() if {is_wrong}}}
    assert not wrong, wrong
    return {FIRST_FREE}
"""


@pytest.mark.parametrize(
    ("expressions", "is_wrong"),
    [(READINGS, "type(came) is not FileNotFoundError"), (QUESTIONS, "came")],
    ids=["reading", "asking"],
)
def test_a_hidden_file_is_absent_in_every_way_and_doing_without_it_is_warned_of(
    expressions: dict[str, str], is_wrong: str, tmp_path: Path, book: Path
) -> None:
    report = check_pair(trying(expressions, is_wrong, book), tmp_path)
    assert [game.fault for game in report.games] == [None, None]
    put = "which is not on Kaggle's machine: put the data into the file"
    of_folder, of_book = sorted(report.warnings)
    assert f"it asks for {book.parent}, {put}" in of_folder
    assert f"it asks for {book}, {put}" in of_book
    assert of_book in text_of(report)


ON_KAGGLE_TOO = {
    "Python's own": "open(os.__file__)",
    "of a package": "open(numpy.__file__)",
    "the system's": "(open('/etc/passwd'), open('/proc/self/stat'), os.stat('/usr/bin'))",
    "a library of the system's": "ctypes.CDLL(None)",
    "folders above": "(os.listdir('/'), os.listdir('/tmp'), os.stat('/home'))",
    "the working folder": "(open('mine', 'w').close(), open('mine'), os.listdir())",
    "the home": "open(os.path.expanduser('~/mine'), 'w')",
    "a temporary file": "open(tempfile.NamedTemporaryFile(delete=False).name)",
    "one that it has written": "(open(NEW, 'w').close(), open(NEW), os.stat(NEW), os.remove(NEW))",
    "one that a program has written": "(os.system('touch ' + NEW), open(NEW), os.remove(NEW))",
    "an open file": "open(os.dup(2), 'w')",
    "lines of a traceback": "'observation, configuration' in str(traceback.format_stack()) or 1/0",
}


@pytest.mark.skipif(sys.platform != "linux", reason="the paths are Linux's")
def test_what_kaggles_machine_has_is_there(tmp_path: Path, book: Path) -> None:
    report = check_pair(trying(ON_KAGGLE_TOO, "isinstance(came, Exception)", book), tmp_path)
    assert [game.fault for game in report.games] == [None, None]
    assert report.warnings == ()


def test_what_is_packed_is_there(tmp_path: Path, book: Path) -> None:
    main = f"import sys\nopen(sys.path[-1] + '/data/book.bin')\n{GOOD}"
    members = ("main.py", main.encode()), ("data/book.bin", book.read_bytes())
    report = check_file(archive(tmp_path / "submission.tar.gz", *members), pair_only=True)
    assert report.accepted
    assert report.warnings == ()


def test_many_paths_are_not_all_told(tmp_path: Path, book: Path) -> None:
    for number in range(100):
        (book.parent / str(number)).touch()
    grow_old()
    asking = f"[os.path.exists(os.path.join({str(book.parent)!r}, str(n))) for n in range(100)]"
    report = check_pair(f"import os\nassert not any({asking})\n{GOOD}", tmp_path)
    assert report.accepted
    assert len(report.warnings) == file_guard.MOST_TOLD


class Refusals:
    """A guard that is not installed, on a machine without temporary folders."""

    def __init__(self, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_guard, "TEMPORARY_FOLDERS", ())
        self.told: list[str] = []
        self._guard = FileGuard([own], [], self.told.append)

    def refuses(self, path: object, flags: int = os.O_RDONLY) -> bool:
        try:
            self._guard.require(path, flags)
        except FileNotFoundError as error:
            return error.errno == errno.ENOENT
        return False


def test_files_are_created_only_where_kaggles_machine_has_a_folder(
    tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    guard = Refusals(own, monkeypatch)
    creating = os.O_WRONLY | os.O_CREAT
    assert guard.refuses(book.parent / "new", creating)
    assert guard.refuses(book, creating)
    assert guard.told == [str(book.parent / "new"), str(book)]
    assert not guard.refuses(own / "new", creating)
    assert not guard.refuses(tmp_path / "nowhere" / "new", creating), "the system itself refuses"


def test_links_are_followed_except_those_of_the_interpreter(
    tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, packages = tmp_path / "own", tmp_path / "packages"
    for folder in (own, packages):
        folder.mkdir()
        (folder / "link").symlink_to(book)
    monkeypatch.setattr(sys, "path", [str(packages)])
    guard = Refusals(own, monkeypatch)
    assert guard.refuses(own / "link")
    assert guard.told == [str(book)]
    assert not guard.refuses(packages / "link")
    (tmp_path / "way").symlink_to(own)
    assert not guard.refuses(tmp_path / "way")


@pytest.mark.parametrize("path", [0, -1, None, "", b"", "\0", 3.5])
def test_what_names_no_file_is_left_to_python(
    path: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.suppress(ValueError):
        assert not Refusals(tmp_path, monkeypatch).refuses(path)


ON_WINDOWS = r"""
import ntpath, os, sys
from pathlib import PureWindowsPath
from submission.sandbox.inside.file_guard import CLOCK_TICK, FileGuard

os.path, os.sep, os.environ["SYSTEMROOT"] = ntpath, "\\", r"C:\Windows"
sys.prefix, sys.base_prefix = r"C:\Users\me\env", r"C:\Program Files\Python312"
sys.path[:] = [r"C:\Program Files\Python312\Lib", r"C:\Users\me\env\Lib\site-packages"]
own = PureWindowsPath(r"C:\Users\me\AppData\Local\Temp\connectx-1\agent")
guard = FileGuard([own], [], lambda path: None)
guard._stat = lambda path: os.stat_result([0] * 10)  # all of these files are there
for path in sys.argv[1:]:
    try:
        guard.require(path)
    except FileNotFoundError:
        print(path)
"""

SEEN = [
    r"C:\Program Files\Python312\Lib\json\__init__.py",
    r"c:/users/me/ENV/Lib/site-packages/numpy/core.pyd",
    r"C:\Users\me\AppData\Local\Temp\connectx-1\agent\main.py",
    r"C:\Windows\System32\kernel32.dll",
    r"\\.\nul",
    "C:\\",
]
HIDDEN = [r"C:\Users\me\book.npz", r"D:\data.csv", r"C:\Users\me\env2\x.py"]


def test_on_windows_a_submission_sees_what_kaggle_has() -> None:
    assert output_of(ON_WINDOWS, *SEEN, *HIDDEN).splitlines() == HIDDEN


def package(folder: Path, name: str) -> Path:
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").touch()
    return folder / name


def test_the_project_is_hidden_and_a_package_of_that_name_elsewhere_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    hider = ProjectHider(["agents"], [package(ours, "agents")])
    package(ours, "other")
    monkeypatch.setattr(sys, "path", [str(ours)])
    with pytest.raises(ModuleNotFoundError, match="No module named 'agents'"):
        hider.find_spec("agents", None)
    assert hider.find_spec("other", None) is None
    assert hider.find_spec("kaggle_environments.agents", None) is None
    monkeypatch.setattr(sys, "path", [str(ours), str(theirs)])
    package(theirs, "agents")
    spec = hider.find_spec("agents", None)
    assert spec is not None
    assert spec.origin == str(theirs / "agents" / "__init__.py")


def test_a_module_that_is_one_file_is_hidden_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = tmp_path / "connectx.py"
    door.touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    hider = ProjectHider(["connectx"], [door])
    with pytest.raises(ModuleNotFoundError, match="No module named 'connectx'"):
        hider.find_spec("connectx", None)


def test_all_that_is_installed_is_hidden() -> None:
    """What the wheel has at its top, by the project's own list."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    installed = build["build"]["targets"]["wheel"]["only-include"]
    assert {*PROJECT_PLACES} == {ROOT / name for name in installed}
    assert {*PROJECT_MODULES} == {place.stem for place in PROJECT_PLACES}
