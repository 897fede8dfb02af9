"""A function's file is handed over only where it plays as the function does."""

import json
import random
import re
import signal
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest

import agents
import connectx
from envs import ConnectFour, state_from_moves
from submission.bundle.bundle import is_bundle
from submission.bundle.functions import proof
from submission.bundle.functions.function_file import function_file
from submission.bundle.hidden_files import hidden_files
from tests.helpers.written_modules import FREE, answers, module, of_file
from tests.submission.functions.test_written_functions import WRITTEN

PLACING = f"""
import random
def agent(obs, config):
    return [k for k in {FREE} if k not in USED][0]
USED = [1]
"""
BY_CHANCE = "import os\ndef agent(o): return os.urandom(1)[0] + L[0]\nL = [2]\n"
PICKLED = f"""
import pickle
class Parts: ...
PARTS = 0
def agent(obs, config): return {FREE}[PARTS and TEXT[0] * 0]
"""
BY_TEXT = f"""
def last(free): return free[-1]
def agent(obs, config): return globals()["last"]({FREE})
"""


@pytest.mark.parametrize(
    ("text", "was", "written", "reason"),
    [
        (
            PLACING,
            "USED = [1]",
            "USED = [0, 2]",
            "agent and its file differ: on the empty board agent answ",
        ),
        (
            PLACING,
            "][0]",
            "][-1 if obs.step > 1 else 0]",
            r"after the moves \d\d .* answers [0-3] and the",
        ),
        (PLACING, "not in", "not on", r"mine.py:4: not Python"),
        (PLACING, "USED = [1]", "USED = 1 / 0", "fails when it is loaded: ZeroDivisionError"),
        (BY_CHANCE, "[2]", "[]", "and the file fails with IndexError"),
        (
            PICKLED,
            "PARTS = 0",
            "PARTS = TEXT = pickle.dumps(Parts())",
            "is loaded: .* no module, so pickle",
        ),
        (PICKLED, "return", "pickle.dumps(Parts()); return", "and the file fails .* start threads"),
        (BY_TEXT, "last", "last", r"only named in a text, as in globals\(\)\['NAME'\]: run its"),
    ],
)
def test_a_file_that_plays_otherwise_is_not_handed_over(
    text: str, was: str, written: str, reason: str, modules: Path
) -> None:
    mine = module(modules, text)
    assert text != PLACING or function_file(mine.agent)
    Path("mine.py").write_text(text.replace(was, written))
    with pytest.raises(ValueError, match=reason):
        function_file(mine.agent)


def test_a_function_that_fails_is_told(modules: Path) -> None:
    text = "def agent(obs, config):\n    return 4 if obs['board'][4] == 0 else board[4]\n"
    note = connectx.build(module(modules, text).agent).note
    position = r"after the moves (\d+) \(columns counted from 1\)\."
    sentence = rf"It fails with NameError\(\"name 'board' is not defined\"\) {position}"
    found = re.fullmatch(sentence, str(note))
    assert found
    assert found[1].count("5") == 6


def test_an_answer_that_kaggle_cannot_copy_is_told_and_that_nobody_awaits_it_is_not(
    tmp_path: Path,
) -> None:
    """Kaggle's environment copies each move (`toJSON` in its `core.py`)."""
    script = tmp_path / "script.py"
    script.write_text(
        "import connectx\nasync def agent(o, c): return 3\nprint(connectx.build(agent).note)"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert "cannot pickle 'coroutine' object" in ran.stdout
    assert not ran.stderr


@pytest.mark.parametrize("trained", ["NET", "Net"])
def test_training_is_kept_where_games_have_changed_more(trained: str, modules: Path) -> None:
    """Of an object, whose count of calls games change, or of its class."""
    text = f"""
class Net:
    worth = [0] * 7
    def __init__(self): self.asked = 0
    def play(self, free):
        self.asked += 1
        return max(free, key=self.worth.__getitem__)
NET = Net()
def fit(net): net.worth = [0, 0, 0, 0, 0, 1, 0]
fit({trained})
def agent(obs, config): return NET.play({FREE})
"""
    mine = module(modules, text)
    for _ in range(2):
        assert answers(of_file(function_file(mine.agent).text))[0] == 5
        answers(mine.agent)


FLAGGED = f"""
from enum import Enum
class Seat(Enum): FIRST, LAST = 0, -1
BEGUN, FLAG, SEAT = False, False, Seat.FIRST
def agent(obs, config):
    global BEGUN
    BEGUN = True
    return {FREE}[-1 if FLAG else SEAT.value]
"""


@pytest.mark.parametrize("change", ["FLAG = True", "SEAT = Seat.LAST"])
def test_what_is_set_from_outside_is_a_difference(change: str, modules: Path) -> None:
    """Games set another flag that has the same value."""
    mine = module(modules, FLAGGED)
    exec(change, vars(mine))
    with pytest.raises(ValueError, match="answers 6 and the file answers 0"):
        function_file(mine.agent)


READING = {
    "in a game": "def agent(obs): return json.loads(Path('book.json').read_text())[0]",
    "once, in a game": "@lru_cache\ndef book():\n    return np.fromfile('book.json')\n"
    "def agent(obs): return book()[0]",
    "if it is there": "BOOK = None\ndef agent(obs):\n    global BOOK\n    if BOOK is None:\n"
    "        BOOK = np.fromfile('book.json') if os.path.exists('book.json') else [3]\n    return 3",
    "in a class": "class Book: columns = json.loads(Path('book.json').read_bytes())\n"
    "def agent(obs): return Book.columns[0]",
}


@pytest.mark.parametrize("text", READING.values(), ids=READING)
def test_a_file_of_the_user_s_that_the_file_reads_is_named(text: str, modules: Path) -> None:
    """Kaggle's machine does not have it, though here both find it, and play the same."""
    Path("book.json").write_text("[3]       ")
    top = "import json, os\nfrom functools import lru_cache\nfrom pathlib import Path\n"
    mine = module(modules, f"{top}import numpy as np\n{text}\n")
    mine.agent({})
    with pytest.raises(
        ValueError, match=r"^agent reads book\.json, .* read it at the top of its mod"
    ):
        function_file(mine.agent)
    assert json.loads(Path("book.json").read_text()) == [3]


def test_files_of_python_and_of_the_project_are_not_the_user_s(tmp_path: Path) -> None:
    """An agent of ours may read its weights, which are in its bundle, and its machine code."""
    kept = tmp_path / "search.py311.nbi"
    kept.write_bytes(b"machine code")
    with hidden_files("agent", "leave it out"):
        assert kept.read_bytes()
        for package in (json, np, agents):
            assert Path(str(package.__file__)).read_text(encoding="utf-8")
    with (
        pytest.raises(ValueError, match=r"agent reads .*, which Kaggle's .*: leave it out"),
        hidden_files("agent", "leave it out"),
        suppress(FileNotFoundError),
    ):
        Path(__file__).read_text(encoding="utf-8")


def test_a_file_that_the_function_itself_writes_may_be_read(modules: Path) -> None:
    text = """
import os
def agent(obs):
    with open("notes", "a") as notes: notes.write("3")
    with open("notes") as notes, open(os.devnull): return int(notes.read(1))
"""
    assert function_file(module(modules, text).agent)


@pytest.mark.parametrize(
    "chosen",
    [
        "random.choice(free)",
        "np.random.choice(free)",
        "random.SystemRandom().choice(free)",
        "np.random.default_rng().choice(free)",
        "RNG.choice(free)",
        "NUMPYS.choice(free)",
        "free[time.perf_counter_ns() % len(free)]",
        "free[next(COUNTER) % len(free)]",
        "1 // 0",
        "sys.exit()",
    ],
)
def test_chance_clocks_and_failures_are_no_difference(chosen: str, modules: Path) -> None:
    mine = module(
        modules,
        f"""
import itertools, random, sys, time
import numpy as np
RNG, NUMPYS, COUNTER = random.Random(), np.random.default_rng(), itertools.count()
def agent(obs, config):
    free = {FREE}
    return {chosen}
""",
    )
    with suppress(Exception, SystemExit):
        mine.agent({"board": [0] * 7}, {})
    assert function_file(mine.agent)


def test_objects_whose_class_has_a_finaliser_are_not_shared_with_the_file(modules: Path) -> None:
    text = f"""
class Tally:
    count = 0
    def __del__(self): pass
POOL = [Tally()]
def agent(obs, config):
    POOL[0].count += 1
    return {FREE}[POOL[0].count % len({FREE})]
"""
    mine = module(modules, text)
    assert function_file(mine.agent)
    assert mine.POOL[0].count == 0


def test_a_proof_goes_unnoticed(modules: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It asks the function without a trace in the function's module or in random numbers."""
    text = WRITTEN["values that games change"] + "print('loaded')\nbegun = []\n"
    text += "def fill(table): table['asked'] = table.get('asked', 0) + 1\nhanded = {}\n"
    text += "import logging, sys\nlog = logging.getLogger(__name__)\n"
    text += "log.addHandler(logging.StreamHandler(sys.stderr))\n"
    said = "    print('asked')\n    log.warning('asked')\n    fill(handed)\n    global"
    mine = module(modules, text.replace("    global", said))
    answers(mine.agent)
    mine.handed.clear()
    random.seed(3), np.random.seed(3)
    capfd.readouterr()
    before = deepcopy([mine.history, mine.calls, mine.cache, vars(mine.player), mine.started, {}])
    known = [{*vars(mine)}, mine.agent.moves, deepcopy(mine.agent.__defaults__)]
    function_file(mine.agent)
    assert capfd.readouterr() == ("", "")
    after = [mine.history, mine.calls, mine.cache, vars(mine.player), mine.started, mine.handed]
    assert [after, {*vars(mine)}, mine.agent.moves, mine.agent.__defaults__] == [before, *known]
    drawn = random.random(), np.random.random()
    random.seed(3), np.random.seed(3)
    assert drawn == (random.random(), np.random.random())


def test_a_proof_leaves_no_trace_in_an_object(modules: Path) -> None:
    """Nor in what it first makes in a game, behind a property, or in a container of its own."""
    text = """
from collections import deque
class Memory(deque): pass
class Slotted: __slots__ = ("last",)
class Player:
    def __init__(self):
        self.__dict__["calls"], self.memory, self.slotted = 0, Memory(), Slotted()
    @property
    def calls(self): return self.__dict__["calls"]
    def __call__(self, obs, config):
        self.__dict__["calls"] += 1
        self.made = Player.made = self.slotted.last = self.calls
        self.memory.append(self.made)
        return len(self.memory) % 7
agent = Player()
"""
    mine = module(modules, text)
    mine.agent.memory.append(0)
    for played in range(2):
        function_file(mine.agent)
        assert len(mine.agent.memory) == played + 1
        assert mine.agent.calls == played
        made = ["made" in vars(mine.agent), "made" in vars(mine.Player)]
        assert [*made, hasattr(mine.agent.slotted, "last")] == 3 * [bool(played)]
        mine.agent({}, {})


def test_a_slow_function_is_asked_in_fewer_positions(
    modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"import time\ndef agent(obs, config):\n    time.sleep(0.02)\n    return {FREE}[0]\n"
    mine = module(modules, text)
    monkeypatch.setattr(proof, "PROOF_SECONDS", 0.2)
    begin = time.perf_counter()
    function_file(mine.agent)
    assert time.perf_counter() - begin < 2  # a hundred positions would take four


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_a_file_that_computes_for_long_is_refused(
    modules: Path, monkeypatch: pytest.MonkeyPatch, handler: Any
) -> None:
    """Where Ctrl-C is ignored, too, as in a background job."""
    long = "time.sleep(0.1) or sum(k for k in range(900_000))"
    mine = module(modules, f"import time\nLAST = {long}\ndef agent(obs): return LAST\n")
    monkeypatch.setattr(proof, "LOAD_SECONDS", 0.01)
    former = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(
            ValueError, match="takes more than 0 s to load: compute its values beforehand"
        ):
            function_file(mine.agent)
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, former)


def test_both_seats_are_proven() -> None:
    positions = list(proof.positions())
    assert len(positions) == proof.POSITIONS == 100
    assert {position.observation["mark"] for position in positions} == {1, 2}
    for moves, observation in positions:
        state = state_from_moves(ConnectFour(), moves)
        assert observation["mark"] == ConnectFour().current_player(state)
        assert observation["board"] == ConnectFour().to_board(state)


# --- what is refused


def endless() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


def nested(depth: int) -> list[Any]:
    return [nested(depth - 1)] if depth else []


def enclosing(value: Any) -> Any:
    return lambda observation: value


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (3, "3 is not an agent: give one, its name, or a function of an observation and a c"),
        (print, "is not an agent"),
        (deque, "is not an agent"),
        (enclosing(sys.stdout), "the agent uses value, a .* that cannot be written into a file"),
        (enclosing(Lock()), "uses value, a lock that cannot be written"),
        (enclosing(np.array([print])), "uses value, a ndarray that cannot be written"),
        (enclosing(type("Made", (), {})), "uses Made, a class that no module has under its name:"),
        (enclosing(endless()), "uses value, a list that cannot be written"),
        (enclosing(nested(500)), "uses data nested too deeply to be written"),
    ],
)
def test_what_cannot_be_written_is_refused(agent: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        function_file(agent)


def test_an_object_of_a_class_that_was_defined_anew_is_told(modules: Path) -> None:
    """As in a notebook whose cell with the class was run again after the one with the object."""
    text = f"""
class Net:
    def __init__(self): self.liked = 0
net = Net()
def fit(what): what.liked = 3
fit(net)
class Net: liked = 1
def agent(obs, config): return {FREE}[net.liked % len({FREE})]
"""
    with pytest.raises(ValueError, match=r"^agent uses an object of Net as it was before"):
        function_file(module(modules, text).agent)


@pytest.mark.parametrize("agent", ["agent", "net"])
def test_a_value_of_chance_that_cannot_be_written_is_refused_where_it_matters(
    agent: str, modules: Path
) -> None:
    text = f"""
from random import random
from threading import Lock
class Net:
    def __init__(self): self.lock, self.worth = Lock(), [random() for _ in range(7 * 42)]
    def __call__(self, obs, config):
        return max({FREE}, key=lambda k: self.worth[7 * obs["step"] + k])
net = Net()
def agent(obs, config): return net(obs, config)
"""
    with pytest.raises(ValueError, match="uses net, a lock that cannot be written into a file"):
        function_file(getattr(module(modules, text), agent))
    text = text.replace('self.worth[7 * obs["step"] + k]', "k")
    assert function_file(getattr(module(modules, text), agent)).note is None


def test_a_file_is_accepted_and_may_be_saved_again(modules: Path) -> None:
    mine = module(modules, PLACING)
    built = connectx.build(mine.agent)
    assert built.check(patience=0, game_seconds=0, progress=False).accepted
    built.save("submission.py")
    assert is_bundle(Path("submission.py"))
    saved = connectx.build(mine.agent).save("submission.py")
    assert saved.read_text() == function_file(mine.agent).text
