"""Players in processes of their own: whatever they do, it is their loss and nobody else's."""

import contextlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from submission.sandbox import launcher, messages
from submission.sandbox.causes import CLOSED_CHANNEL, ENDED_SUPERVISOR, NO_CALLABLE
from submission.sandbox.launcher import Launcher, SupervisorPool
from submission.sandbox.messages import Ended
from submission.sandbox.move import GRACE
from tests.helpers.processes import is_gone, noted, wait_until_gone
from tests.helpers.sandboxed import answers, ask, failed, player
from tests.helpers.systems import needs_linux, needs_posix


def in_agent(body: str) -> str:
    return "import os, signal, sys, time\ndef agent(observation):\n    " + body


@pytest.fixture
def own_supervisors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SupervisorPool]:
    """All supervisors of a test; their folders lie in `tmp_path / "players"`."""
    (tmp_path / "players").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "players"))
    with contextlib.closing(SupervisorPool()) as supervisors:
        monkeypatch.setattr(launcher, "SUPERVISORS", supervisors)
        yield supervisors


def crash(name: str) -> str:
    return (
        f"the interpreter crashed ({name}), as it does in native code, when memory runs out, or "
        "under a raised recursion limit"
    )


ENDINGS = {
    "exit": ("os._exit(3)", "the process ended itself with exit status 3, as os._exit does"),
    "kill": (
        "os.kill(os.getpid(), signal.SIGKILL)",
        "the process was killed, most likely because the machine ran out of memory "
        "(it may use 2 GiB)",
    ),
    "abort": ("os.abort()", crash("Aborted")),
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", crash("Segmentation fault")),
    "signal without a name": (
        "os.kill(os.getpid(), 40)",
        "the process was ended by signal 40 (Real-time signal 6)",
    ),
    "closed files": ("os.closerange(0, 100); return 3", CLOSED_CHANNEL.text),
    "exec": (
        "os.execv(sys.executable, [sys.executable, '-c', 'pass'])",
        "the process ended itself with exit status 0, as os._exit does",
    ),
    "parent killed": (
        "os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)",
        ENDED_SUPERVISOR.text,
    ),
}


@needs_linux
@pytest.mark.parametrize(("body", "cause"), ENDINGS.values(), ids=ENDINGS.keys())
def test_a_process_that_ends_has_failed(body: str, cause: str) -> None:
    first, again = answers(in_agent(body), 2)
    assert (first.column, failed(first)[:2]) == (None, ("ERROR", cause))
    assert again.failure == first.failure


@needs_posix
def test_a_crash_leaves_its_stack_on_standard_error() -> None:
    (move,) = answers(in_agent("import ctypes; ctypes.string_at(0)"))
    assert any("main.py" in line and "agent" in line for line in failed(move).stderr)


OUT_OF_MEMORY = "it ran out of the 2 GiB of memory that it may use"

EXCEPTIONS = {
    "exit": ("sys.exit(2)", "Python was ended by sys.exit, exit or quit"),
    "ctrl-c": ("raise KeyboardInterrupt", "KeyboardInterrupt was raised"),
    "two lines": ("raise ValueError('one\\ntwo')", "ValueError: one"),
    "no text": (
        "class Odd(Exception):\n        def __str__(self): return 1 / 0\n    raise Odd",
        "Odd",
    ),
    "memory": ("return len(bytearray(2**40))", OUT_OF_MEMORY),
    "more and more memory": ("kept = []\n    while True: kept.append(bytes(2**26))", OUT_OF_MEMORY),
    "recursion": (
        "return agent(observation)",
        "a function calls itself without end: maximum recursion depth exceeded",
    ),
    "project": ("import submission", "ModuleNotFoundError: No module named 'submission'"),
    "long file": ("open('big', 'wb').truncate(2**29)", "OSError: [Errno 27] File too large"),
}
FAULTY_FILES = {
    "no function": ("moves = 3", NO_CALLABLE),
    "raises in loading": ("def agent(o): return 3\n[][0]", "IndexError: list index out of range"),
    "raises in a move": ("def agent(o): return [][0]", "IndexError: list index out of range"),
    "its own path": (
        "HERE = __file__\ndef agent(o): return 3",
        "`__file__` is used, which does not exist: Kaggle executes the file's text",
    ),
    "byte order mark": (
        "\ufeffdef agent(o): return 3",
        "the file has a byte order mark (U+FEFF), which Python skips but Kaggle, which "
        "executes the file's text, does not",
    ),
    "relative import": (
        "from . import helper",
        "a relative import, as in `from . import helper`, where there is no package: Kaggle "
        "executes the text of one file, and the files beside it are plain modules",
    ),
    "an argument too many": (
        "import functools\nagent = functools.partial(lambda depth, obs, conf: 0)",
        "the agent cannot be called as Kaggle does: <lambda>() missing 1 required positional "
        "argument: 'conf'",
    ),
    "coroutine": (
        "async def agent(o): return 3",
        "the agent returned an object that Kaggle cannot copy, such as those of `async def` and "
        "`yield`: cannot pickle 'coroutine' object",
    ),
    "closed output": (
        "import sys\ndef agent(o):\n    sys.stdout.close()\n    return 3",
        "standard output or standard error, which Kaggle reads, was closed",
    ),
}


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        *(
            pytest.param(in_agent(body), cause, id=name, marks=needs_linux)
            for name, (body, cause) in EXCEPTIONS.items()
        ),
        *(pytest.param(*case, id=name) for name, case in FAULTY_FILES.items()),
    ],
)
def test_an_exception_is_an_error_and_the_process_lives_on(source: str, cause: str) -> None:
    for move in answers(source, 2):
        assert failed(move)[:2] == ("ERROR", cause)


HANGS = {
    "loop": "while True: pass",
    "signals ignored": "[signal.signal(s, signal.SIG_IGN) for s in "
    "(signal.SIGALRM, signal.SIGTERM, signal.SIGINT)]\n    time.sleep(60)",
    "stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
    "its parent stopped": "os.kill(os.getppid(), signal.SIGSTOP)\n    time.sleep(60)",
    "flood": "while True: os.write(1, b'x' * 65536); os.write(2, b'y' * 65536)",
    "flooded channel": "while True:\n        for file in range(3, 20):\n"
    "            try: os.write(file, b'x\\n' * 999)\n            except OSError: pass",
    "many children": "children = [os.fork() for _ in range(5)]\n    time.sleep(60)",
}


@needs_linux
@pytest.mark.parametrize("body", HANGS.values(), ids=HANGS.keys())
def test_a_player_that_never_answers_is_ended(body: str) -> None:
    begin = monotonic()
    with player(in_agent(body)) as running:
        move = ask(running, limit=0.2, remainingOverageTime=0.1)
    assert monotonic() - begin < 9  # END_SECONDS of a supervisor are more
    assert failed(move).status == "TIMEOUT"
    assert failed(move).cause.startswith(f"it had not finished after {move.seconds:.1f} s")
    assert 0.3 + GRACE <= move.seconds < 3


HARMLESS = {
    "prints": "print('x' * 10**6); print('y' * 10**6, file=sys.stderr); return 3",
    "standard files": "os.write(1, b'x' * 10**6); os.write(2, b'y' * 10**6); return 3",
    "child process": "import subprocess; subprocess.Popen(['sleep', '60']); return 3",
    "fork that returns, too": "os.fork(); return 3",
    "fork that exits": "if os.fork() == 0: sys.exit(1)\n    return 3",
    "fork that raises": "if os.fork() == 0: raise ValueError\n    return 3",
    "garbage in the channel": "for file in range(3, 50):\n"
    "        try: os.write(file, b'{\"column\": 5}\\n[[[')\n        except OSError: pass\n"
    "    return 3",
    "no standard files": "sys.stdout = sys.stderr = None; return 3",
    "changed modules": "import json; time.perf_counter = json.dumps = None; return 3",
}


@needs_linux
def test_a_player_that_starts_processes_without_end_is_ended() -> None:
    """They would be 300, and in 20 s the player would end itself; which spares the machine."""
    body = """for _ in range(300):
        if not os.fork():
            time.sleep(60)
            os._exit(0)
    time.sleep(20)
    os._exit(0)"""
    (move,) = answers(in_agent(body), limit=300)
    assert failed(move)[:2] == ("ERROR", "more than 256 processes were started")


@needs_linux
@pytest.mark.parametrize("body", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_hurts_nobody_is_no_failure(body: str) -> None:
    moves = answers(in_agent(body), 3)
    assert [move.column for move in moves] == [3, 3, 3], moves


LIES = {
    "time": "time.perf_counter = lambda: 0.0",
    "Kaggle's stopwatch": "import kaggle_environments.agent\n"
    "kaggle_environments.agent.perf_counter = lambda: 0.0",
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_a_player_cannot_lie_about_its_time(lie: str) -> None:
    source = f"import time\n{lie}\ndef agent(observation):\n    time.sleep(0.7)\n    return 3"
    (move,) = answers(source)
    assert move.column == 3
    assert move.seconds >= 0.7


def test_a_player_has_what_kaggle_gives_it_and_no_more() -> None:
    source = """
        import os, sys
        from importlib.util import find_spec
        folder = sys.path[-1]
        def agent(observation, configuration):
            for name in ("agents", "envs", "submission", "tests", "benchmarks"):
                try:
                    found = find_spec(name)
                except ModuleNotFoundError:
                    found = None
                assert found is None, found
            assert find_spec("kaggle_environments") and find_spec("numpy")
            assert os.listdir(folder) == ["main.py"]
            assert configuration["__raw_path__"] == os.path.join(folder, "main.py")
            assert os.listdir() == [] and os.getcwd() == os.environ["HOME"]
            assert "__file__" not in globals()
            assert sys.stdin.read() == ""
            assert observation.board == observation["board"] == [0] * 1000
            return 3
    """
    (move,) = answers(source)
    assert move.column == 3, move


def draws(seed: int) -> tuple[int | None, ...]:
    """Three random numbers: of Python, of numpy, and by the order of a set of strings."""
    source = """
        import random, numpy
        sources = [
            lambda: random.randrange(1000),
            lambda: numpy.random.randint(1000),
            lambda: "".join({str(digit) for digit in range(10)})[:3],
        ]
        def agent(observation):
            return int(sources.pop()())
    """
    with player(source, seed=seed) as running:
        return tuple(ask(running).column for _ in range(3))


def test_the_seed_decides_all_random_numbers() -> None:
    by_strings, by_numpy, by_python = zip(*(draws(seed) for seed in range(3)), strict=True)
    assert None not in by_strings
    assert len(set(by_numpy)) == len(set(by_python)) == 3


STRAYS = """
    import os, subprocess, sys
    NOTE = "import os, time; open({file!r}, 'a').write(str(os.getpid()) + ' '); time.sleep(600)"
    def agent(observation):
        subprocess.Popen([sys.executable, "-c", NOTE], env={{}}, start_new_session=True)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.environ.clear()
                os.closerange(0, 100)
                exec(NOTE)
            os._exit(0)
        open({file!r}, "a").write(str(os.getpid()) + " ")
        return 3
"""


@needs_linux
def test_nothing_that_came_of_a_player_outlives_it(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    with player(STRAYS.format(file=str(file))) as running:
        assert ask(running).column == 3
        pids = noted(file, 3)
        assert not any(map(is_gone, pids))
    wait_until_gone(pids)


@needs_linux
def test_nothing_outlives_a_player_that_has_killed_its_parent(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    killer = f"""
        import os, signal, time
        def agent(observation):
            open({str(file)!r}, "a").write(str(os.getpid()) + " ")
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(600)
    """
    assert failed(answers(killer)[0])
    wait_until_gone(noted(file, 1))


@needs_linux
@pytest.mark.usefixtures("own_supervisors")
def test_a_supervisor_that_has_been_killed_is_replaced(tmp_path: Path) -> None:
    """What it watched over is ended all the same, and its folder removed."""
    drawn = draws(2)
    file = tmp_path / "pids"
    killer = f"""
        import os, signal, time
        def agent(observation):
            with open(f"/proc/{{os.getppid()}}/stat") as stat:
                supervisor = int(stat.read().rpartition(")")[2].split()[1])
            open({str(file)!r}, "a").write(f"{{os.getpid()}} {{os.getppid()}} {{supervisor}} ")
            os.kill(supervisor, signal.SIGKILL)
            time.sleep(60)
    """
    with player(killer) as running:
        assert failed(ask(running))[:2] == ("ERROR", ENDED_SUPERVISOR.text)
    wait_until_gone(noted(file, 3))
    assert list((tmp_path / "players").iterdir()) == []
    assert draws(2) == drawn, "the seed decides, in whatever process"


LATE = """
import asyncio
from pathlib import Path
from submission.sandbox.supervisor import Supervisor
ended = asyncio.new_event_loop()
ended.close()
Supervisor([], Path(), "")._read(ended)
"""


WITHOUT_THREADS = """
import sys, threading
from submission.sandbox import supervisor
def start(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = start
sys.argv[1:] = ["mark", sys.argv[1], "no starter"]
supervisor.main()
"""


@pytest.mark.parametrize(
    ("script", "report"),
    [(LATE, b""), (WITHOUT_THREADS, messages.encoded(Ended("can't start new thread")))],
)
def test_a_supervisor_that_cannot_serve_makes_no_noise(
    script: str, report: bytes, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", script, str(tmp_path)]
    ended = subprocess.run(command, input=b"{}\n", capture_output=True, timeout=60, check=True)
    assert (ended.stdout, ended.stderr) == (report, b"")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("starter", "why"),
    [
        ([sys.executable, "-c", "print(); raise SystemExit('no room')"], "no room"),
        (["/dev/null"], r"\[Errno 13\] Permission denied: '/dev/null'"),
    ],
)
@needs_posix
def test_a_host_that_does_not_start_is_told_in_one_sentence(
    starter: list[str],
    why: str,
    own_supervisors: SupervisorPool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("submission.sandbox.launcher.child_command", lambda *_: starter)
    with (
        pytest.raises(ChildProcessError, match=rf"^the process .* did not start: {why}$"),
        player("") as running,
    ):
        ask(running)
    own_supervisors.close()
    assert capfd.readouterr().err == ""
    assert list((tmp_path / "players").iterdir()) == []


@pytest.mark.usefixtures("own_supervisors")
def test_a_player_that_ends_before_it_has_started_does_not_hold_up_the_next() -> None:
    """As one whose opponent fails in the first move."""
    for _ in range(2):
        with player("def agent(observation): return 3"):
            pass
        begin = monotonic()
        assert answers("def agent(observation): return 4")[0].column == 4
        assert monotonic() - begin < 9  # END_SECONDS of a supervisor are more


def _ask_in_fork() -> None:
    (move,) = answers("def agent(observation): return 5")
    os._exit(move.column or 0)


@needs_linux
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_of_the_evaluating_process_has_players_of_its_own() -> None:
    assert answers("def agent(observation): return 2")[0].column == 2
    fork = multiprocessing.get_context("fork").Process(target=_ask_in_fork)
    fork.start()
    fork.join(60)
    assert fork.exitcode == 5
    assert answers("def agent(observation): return 2")[0].column == 2


COUNTING = """
import os
count = 0
def agent(observation):
    global count
    count += 1
    return count if count < 3 else os._exit(3)
"""


@needs_posix
def test_where_nothing_forks_each_player_is_a_fresh_process(
    own_supervisors: SupervisorPool, tmp_path: Path
) -> None:
    """As on macOS; `test_every_system.py` has players where Python cannot fork at all."""
    fresh = Launcher(forks=False)
    with player(COUNTING, launcher=fresh) as running:
        one, two, exited = [ask(running) for _ in range(3)]
        running.finish()
    assert [path for path in (tmp_path / "players").rglob("*") if path.is_file()] == []
    assert (one.column, two.column) == (1, 2)
    assert failed(exited).cause == ENDINGS["exit"][1]
    (hung,) = answers(in_agent("time.sleep(60)"), limit=1, launcher=fresh)
    assert failed(hung).cause.startswith("it had not finished after 1")
    assert failed(hung).cause.endswith("(it was at line 3, in agent)")
    own_supervisors.close()
    assert list((tmp_path / "players").iterdir()) == []
