"""Submissions that read what is theirs in /kaggle_simulations/agent, as Kaggle unpacks it there."""

import io
import json
import pickle
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from submission.sandbox.inside.containment import HOME, NETWORK
from submission.sandbox.inside.kaggle_folder import KAGGLE_FOLDER, KAGGLE_HOME, path_led
from submission.sandbox.player import RunningPlayer
from submission.sandbox.staging import stage
from tests.helpers.archives import archive
from tests.helpers.checks import GOOD, check_file, check_pair, first_fault
from tests.helpers.processes import ROOT
from tests.helpers.sandboxed import ask, player, refuse_namespaces

ORDER = [3, 2, 4, 1, 5, 0, 6]
OTHER_ORDER = ORDER[::-1]


@pytest.fixture(params=["mounted", "translated"])
def is_mounted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether it is a system with namespaces; where there are any, both kinds are tried."""
    if request.param == "translated":
        refuse_namespaces(monkeypatch)
    with player(GOOD) as running:
        assert answer(running) == 0
        assert running.ready is not None
        is_contained = {NETWORK, HOME} <= {*running.ready.kept_from}
    if request.param == "mounted" and not is_contained:
        pytest.skip("this system refuses namespaces")
    assert is_contained == (request.param == "mounted")
    return is_contained


def answer(running: RunningPlayer, board: Sequence[int] = [0] * 42, mark: int = 1) -> int | None:
    return ask(running, 2, RULES, board=board, mark=mark, remainingOverageTime=60).column


RULES = {"rows": 6, "columns": 7, "inarow": 4, "runTimeout": 1200}

LIBRARY = find_spec("xxlimited")
"""CPython's example of a module in native code, which nothing else imports."""

READINGS = {
    "open": "json.load(open(K + '/order.json'))",
    "by its name": "json.load(open(file=K + '/order.json'))",
    "in bytes": "json.load(open(os.fsencode(K + '/order.json')))",
    "io.open": "json.load(io.open(f'{K}/order.json'))",
    "os.open": "json.loads(os.read(os.open(K + '/order.json', os.O_RDONLY), 100))",
    "os.path": "[3] * (os.path.exists(K) and os.path.isfile(K + '/order.json')) and ORDER",
    "os.path that is not there": "ORDER * (not os.path.exists(K + '/nothing.json'))",
    "os.path.getsize": "ORDER * (os.path.getsize(K + '/order.json') == 21)",
    "os.stat": "ORDER * (os.stat(K + '/order.json').st_size == 21)",
    "os.access": "ORDER * os.access(K + '/order.json', os.R_OK)",
    "os.listdir": "ORDER * ('order.json' in os.listdir(K))",
    "os.scandir": "ORDER * ('order.json' in [entry.name for entry in os.scandir(K)])",
    "os.walk": "ORDER * any('order.json' in files for _, _, files in os.walk(HOME))",
    "os.chdir": "(os.chdir(K), json.load(open('order.json')))[1]",
    "glob": "json.load(open(glob.glob(K + '/ord*.json')[0]))",
    "pathlib": "json.loads((pathlib.Path(K) / 'order.json').read_text())",
    "pathlib.resolve": "json.loads(pathlib.Path(K, 'order.json').resolve().read_bytes())",
    "pickle": "pickle.load(open(K + '/order.pkl', 'rb'))",
    "numpy.load": "numpy.load(K + '/order.npy').tolist()",
    "numpy.memmap": "numpy.memmap(K + '/order.bin', 'u1').tolist()",
    "numpy.fromfile": "numpy.fromfile(pathlib.Path(K, 'order.bin'), 'u1').tolist()",
    "zipfile": "json.loads(zipfile.ZipFile(K + '/order.zip').read('order.json'))",
    "sys.path": "(sys.path.append(K), __import__('by_append').ORDER)[1]",
    "the front of sys.path": "(sys.path.insert(0, K), __import__('inner.x').x.ORDER)[1]",
    "a zip on sys.path": "(sys.path.append(K + '/order.zip'), __import__('zipped').ORDER)[1]",
    "a module by its path": "load_module(K + '/by_path.py').ORDER",
    "a text that is executed": "executed(open(K + '/text.py').read())['ORDER']",
}
"""Ways to read the order, also by a path that was put together."""

FAR_READINGS = {
    "pathlib.glob": "json.load(next(pathlib.Path(K).glob('*.json')).open())",
    "numpy.loadtxt": "numpy.loadtxt(K + '/order.txt', int).tolist()",
    "sqlite3": "[row for row, in sqlite3.connect(K + '/order.db').execute('select * from t')]",
    "sqlite3 by an address": "[row for row, in sqlite3.connect(f'file://{K}/order.db?mode=ro', "
    "uri=True).execute('select * from t')]",
    "a program": "json.loads(subprocess.check_output(['cat', K + '/order.json']))",
    "ctypes": "ORDER * bool(ctypes.CDLL(K + '/library.so')._handle)",
    "C's fopen": "ORDER * bool(fopen(K.encode() + b'/order.json', b'r'))",
    "C's fopen of bytes": "ORDER * bool(fopen(b'/kaggle_simulations/agent/order.json', b'r'))",
    "an extension": "(sys.path.insert(0, K), is_packed(__import__('xxlimited')) and ORDER)[1]",
}
"""Ways that do without Python's functions, or have kept them since before the agent was loaded."""

MODULES = (
    "ctypes, glob, importlib.util, io, json, numpy, os, pathlib, pickle, sqlite3, subprocess, sys, "
    "zipfile"
)


def main_file(readings: dict[str, str], folder: str, home: str) -> str:
    """An agent that reads the order in all ways, and answers by it."""
    tests = "".join(
        f"try:\n    read[{name!r}] = {reading}\nexcept Exception as error:\n"
        f"    read[{name!r}] = repr(error)\n"
        for name, reading in readings.items()
    )
    return f"""
import {MODULES}

K, HOME, ORDER = {folder}, {home}, {ORDER}

def load_module(path):
    spec = importlib.util.spec_from_file_location("by_path", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

def executed(text):
    names = {{}}
    exec(text, names)
    return names

def is_packed(module):
    return os.path.samefile(os.path.dirname(module.__file__), K)

if os.name == "posix":
    fopen = ctypes.CDLL(None).fopen
    fopen.restype = ctypes.c_void_p

read = {{}}
{tests}
different = {{name: was for name, was in read.items() if was != ORDER}}
assert not different, different

def agent(observation, configuration):
    order = json.load(open(K + "/order.json"))
    return [c for c in order if observation.board[c] == 0][0]
"""


PLAIN = f"'{KAGGLE_FOLDER}'", f"'{KAGGLE_HOME}'"
PUT_TOGETHER = "'/'.join(['', 'kaggle_simulations', 'agent'])", "os.sep + 'kaggle_simulations'"


def packed(path: Path, main: str, order: list[int] = ORDER) -> Path:
    """An archive with the order in all forms."""
    text = json.dumps(order).encode()
    module = f"ORDER = {order}\n".encode()
    reading = f"import json\nORDER = json.load(open('{KAGGLE_FOLDER}/order.json'))".encode()
    array, zipped = io.BytesIO(), io.BytesIO()
    np.save(array, np.array(order))
    with zipfile.ZipFile(zipped, "w") as members:
        members.writestr("order.json", text)
        members.writestr("zipped.py", module)
    files = [
        ("main.py", main.encode()),
        ("order.json", text),
        ("order.pkl", pickle.dumps(order)),
        ("order.npy", array.getvalue()),
        ("order.bin", bytes(order)),
        ("order.txt", " ".join(map(str, order)).encode()),
        ("order.db", database(order)),
        ("order.zip", zipped.getvalue()),
        ("by_append.py", module),
        ("inner/x.py", module),
        ("by_path.py", reading),
        ("text.py", reading),
    ]
    if LIBRARY is not None and LIBRARY.origin and Path(LIBRARY.origin).is_file():
        library = Path(LIBRARY.origin)
        files += [(name, library.read_bytes()) for name in ("library.so", library.name)]
    return archive(path, *files)


def database(order: list[int]) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (c)")
        connection.executemany("insert into t values (?)", [(column,) for column in order])
        connection.commit()
        return connection.serialize()


@pytest.mark.parametrize("path", ["a constant", "put together"])
def test_its_own_files_are_there_for_all_that_reads(
    path: str, tmp_path: Path, is_mounted: bool
) -> None:
    readings = READINGS if path == "put together" and not is_mounted else READINGS | FAR_READINGS
    main = main_file(readings, *(PUT_TOGETHER if path == "put together" else PLAIN))
    with player(packed(tmp_path / "submission.tar.gz", main).read_bytes()) as running:
        move = ask(running, 2, RULES, board=[0] * 42, remainingOverageTime=60)
        assert (move.failure, move.column, running.hidden) == (None, ORDER[0], [])


@pytest.mark.usefixtures("is_mounted")
def test_two_players_at_a_time_have_each_its_own(tmp_path: Path) -> None:
    main = main_file({}, *PLAIN)
    orders = ORDER, OTHER_ORDER
    agents = [packed(tmp_path / f"{order[0]}.tar.gz", main, order).read_bytes() for order in orders]
    with player(agents[0]) as one, player(agents[1]) as other:
        assert [answer(running) for running in (one, other, one, other)] == [3, 6, 3, 6]
    with player(agents[1]) as next_one:
        assert answer(next_one) == 6


ALONE = f"""
import os
assert os.listdir("{KAGGLE_FOLDER}") == ["main.py"]
assert "ALONE-IS-HERE" in open("{KAGGLE_FOLDER}/main.py").read()
assert "__file__" not in globals() and not os.path.samefile(os.getcwd(), "{KAGGLE_FOLDER}")
"""


@pytest.mark.usefixtures("is_mounted")
def test_a_single_file_lies_there_alone(tmp_path: Path) -> None:
    assert check_pair(f"{ALONE}{GOOD}", tmp_path).games[0].fault is None


@pytest.mark.usefixtures("is_mounted")
def test_failures_there_have_kaggles_names(tmp_path: Path) -> None:
    fault = first_fault(check_pair(f"open('{KAGGLE_FOLDER}/book.pkl')\n{GOOD}", tmp_path))
    assert fault.cause.startswith("a file is read that is not part of the submission")
    assert fault.cause.endswith(f"'{KAGGLE_FOLDER}/book.pkl'")
    main = f"import sys\nsys.path.insert(0, '{KAGGLE_FOLDER}')\nimport helper\n{GOOD}"
    members = ("main.py", main.encode()), ("helper.py", b"1 / 0")
    fault = first_fault(check_file(archive(tmp_path / "a.tar.gz", *members), pair_only=True))
    assert fault.lines[-1] == "helper.py, line 1, in <module>: 1 / 0"


REAL_GAME = """
import json, sys
from submission.kaggle import kaggle_environments
env = kaggle_environments().make("connectx")
env.run([sys.argv[1], sys.argv[1]])
print(json.dumps([env.toJSON()["statuses"], [[seat["action"] for seat in step] for step in
    env.steps[1:]], [step[0]["observation"]["board"] for step in env.steps]]))
"""


def test_kaggles_own_runner_with_a_real_folder_plays_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oracle, where it can be made: by whoever may write into the root folder, as root may."""
    submission = packed(tmp_path / "own.tar.gz", main_file(READINGS | FAR_READINGS, *PLAIN))
    other = packed(tmp_path / "other.tar.gz", main_file({}, *PLAIN), OTHER_ORDER).read_bytes()
    folder = Path(KAGGLE_FOLDER)
    try:
        folder.parent.mkdir()
    except OSError as error:
        pytest.skip(f"no folder can be made there: {error}")
    try:
        folder.mkdir()
        command = [sys.executable, "-c", REAL_GAME, str(stage(submission, folder))]
        ended = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        before = first_move(other)
        refuse_namespaces(monkeypatch)
        assert (before, first_move(other)) == (6, 6), "the real folder is none of a player's"
    finally:
        shutil.rmtree(folder.parent)
    statuses, actions, boards = json.loads(ended.stdout.splitlines()[-1])
    assert statuses == ["DONE", "DONE"]
    monkeypatch.undo()
    check_answers(submission.read_bytes(), boards, actions)
    refuse_namespaces(monkeypatch)
    check_answers(submission.read_bytes(), boards, actions)


def first_move(agent: bytes) -> int | None:
    with player(agent) as running:
        return answer(running)


def check_answers(agent: bytes, boards: list[list[int]], actions: list[list[int]]) -> None:
    with player(agent) as running:
        for number, pair in enumerate(actions):
            assert answer(running, boards[number], 1 + number % 2) == pair[number % 2]


@pytest.mark.parametrize(
    ("path", "led"),
    [
        (KAGGLE_FOLDER, "/home/me/agent"),
        (f"{KAGGLE_FOLDER}/book.pkl".encode(), b"/home/me/agent/book.pkl"),
        (Path(KAGGLE_FOLDER), "/home/me/agent"),
        (KAGGLE_HOME, "/home/me"),
        (f"/mnt{KAGGLE_FOLDER}", f"/mnt{KAGGLE_FOLDER}"),
        (f"{KAGGLE_HOME}_2/x", f"{KAGGLE_HOME}_2/x"),
        ("book.pkl", "book.pkl"),
        (3, 3),
        (None, None),
    ],
)
def test_only_paths_in_the_folder_are_led(path: Any, led: Any) -> None:
    assert path_led(path, "/home/me") == led
