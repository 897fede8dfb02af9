"""What a player writes in the place of its process's reports is its own failure, and no more."""

import contextlib
import io
import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submission.sandbox import launcher, messages
from submission.sandbox import player as player_module
from submission.sandbox.inside.kaggle_agent import KaggleAgent
from submission.sandbox.inside.player_process import LINE_BYTES
from submission.sandbox.launcher import SupervisorPool
from submission.sandbox.move import Move
from submission.sandbox.player import RunningPlayer, SupervisorProcess
from tests.helpers.forgeries import (
    ANSWER,
    CHOICE,
    EXIT,
    FAILED,
    GENUINE,
    HIDDEN,
    LOADED,
    RAISED,
    READY,
    REPORTS,
    distorted,
    is_sound,
    line_of,
)
from tests.helpers.processes import completed
from tests.helpers.sandboxed import OBSERVATION, RULES, answers, ask, failed, player
from tests.helpers.systems import needs_linux

ENDED = "the process that watches over the submission was ended"
FORGED = ("ERROR", "it sent messages of its own instead of returning a column")

PLAYING = "def agent(observation): return 4"

FORGING = """
import gc, json
def agent(observation):
    [responder] = [each for each in gc.get_objects() if type(each).__name__ == "Responder"]
    for message in json.loads({messages!r}):
        responder.send(**message)
    return 3
"""


@pytest.fixture(scope="module", autouse=True)
def supervisors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """They live as long as these tests, as in a match."""
    tmp_path_factory.getbasetemp()  # made now, for all tests lie where it is first asked for
    with pytest.MonkeyPatch.context() as patch, contextlib.closing(SupervisorPool()) as supervisors:
        if Path("/dev/shm").is_dir():  # a disk takes seconds for a thousand folders
            patch.setattr(tempfile, "tempdir", "/dev/shm")
        patch.setattr(launcher, "SUPERVISORS", supervisors)
        yield


def moves_after(forged: list[dict[str, Any]]) -> list[Move]:
    """What comes of a player that sends messages of its own; they may be heard after a move."""
    return answers(FORGING.format(messages=json.dumps(forged)), 2, limit=5)


MALFORMED: list[dict[str, Any]] = [
    {"event": "hidden"},
    {"event": "hidden", "path": 7},
    {**READY, "process_id": "self"},
    {**READY, "versions": {"java": "21"}},
    {**LOADED, "choice": {**CHOICE, "colour": "red"}},
    {**LOADED, "seconds": float("nan")},
    {"event": "exit", "code": "none"},
    {"event": "exit", "code": 10**100},
    {"event": "exit", "code": -65},
    {"event": "forgery"},
    {**ANSWER, "column": "3"},
    {**ANSWER, "column": True},
    {**ANSWER, "column": None},
    {**ANSWER, "status": "DONE"},
    {**FAILED, "error": {**RAISED, "lines": 3}},
    {**FAILED, "status": "INVALID"},
]


@pytest.mark.parametrize("message", MALFORMED)
def test_a_message_of_another_shape_is_a_forgery(message: dict[str, Any]) -> None:
    assert messages.KeyedLines("k").take_in(b"k" + line_of(message)) == [messages.Forgery()]


@pytest.mark.parametrize(
    "forged",
    [MALFORMED[:1], [READY], [HIDDEN] * 1000, [{**EXIT, "code": -65}]],
    ids=["malformed", "ready", "too many", "no signal"],
)
def test_messages_that_no_player_sends_are_its_failure(forged: list[dict[str, Any]]) -> None:
    assert failed(moves_after(forged)[-1])[:2] == FORGED


def test_genuine_messages_are_none() -> None:
    for message in GENUINE:
        (taken,) = messages.KeyedLines("k").take_in(b"k" + line_of(message))
        assert type(taken).__name__.lower() == message["event"]


@given(st.randoms(), st.lists(st.none() | st.binary(max_size=3000), max_size=9), st.integers(1, 99))
def test_the_reader_takes_in_anything(
    rng: Random, garbage: list[bytes | None], length: int
) -> None:
    """Lines that are nearly messages, torn ones, and any others, in pieces of any length."""
    reader, written = messages.KeyedLines("THE-KEY"), b""
    for each in garbage:
        line = b"THE-KEY" + line_of(distorted(rng, GENUINE)) if each is None else each
        place = rng.randrange(len(line) + 1)
        written += line[:place] + rng.randbytes(rng.randrange(3)) + line[place + rng.randrange(2) :]
    for begin in range(0, len(written), length):
        for message in reader.take_in(written[begin : begin + length]):
            assert isinstance(message, messages.Message)


@given(st.randoms(), st.integers(0, 4))
@settings(max_examples=12)
def test_whatever_a_player_sends_there_is_a_move_or_a_failure(rng: Random, count: int) -> None:
    for move in moves_after([distorted(rng, GENUINE) for _ in range(count)]):
        assert is_sound(move), move


IS_READY = messages.Ready(1, messages.RuntimeVersions("3.12", None, None), ())


class WrittenOver:
    """A supervisor's process into whose reports somebody has written; it takes every command."""

    def __init__(self, written: bytes) -> None:
        self.stdin: io.BufferedWriter = open(os.devnull, "wb")  # noqa: PTH123, SIM115
        self.stdout = tempfile.TemporaryFile()  # noqa: SIM115
        self.stdout.write(written)
        self.stdout.seek(0)
        self.poll = self.kill = lambda: None

    def wait(self, timeout: float | None = None) -> int:
        return 0


def move_by(reports: list[bytes]) -> Move:
    """What comes of a player by the reports of its supervisor after its start."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        begun = (messages.Begun(folder), messages.Started("key", IS_READY))
        written = b"".join([*map(messages.encoded, begun), *reports])
        patch.setattr(subprocess, "Popen", lambda *_, **__: WrittenOver(written))
        patch.setattr(secrets, "token_hex", lambda _: "key")
        supervisor = SupervisorProcess(())
        running = RunningPlayer(supervisor, b"", seed=1, memory=1, speed=1.0)
        move = ask(running, limit=5)
        supervisor.close()
        return move


@given(st.randoms(), st.lists(st.none() | st.binary(max_size=30), max_size=2))
def test_forged_reports_of_a_supervisor_are_a_move_or_a_failure(
    rng: Random, garbage: list[bytes | None]
) -> None:
    reports = [line_of(distorted(rng, REPORTS)) if g is None else g + b"\n" for g in garbage]
    move = move_by(reports)
    assert is_sound(move), move


@needs_linux
@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report["event"])
def test_reports_that_a_player_writes_count_for_itself_alone(report: dict[str, Any]) -> None:
    """It takes the first for the answer to its own request; the genuine one is still unread."""
    deed = f'open(f"/proc/{{supervisor}}/fd/1", "wb").write({line_of(report)!r})'
    (move,) = answers(AT_ITS_SUPERVISOR % deed)
    assert is_sound(move), move
    assert answers(PLAYING)[0].column == 4


def test_reports_without_end_are_not_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_module, "MOST_REPORT_BYTES", 1000)
    assert failed(move_by([b"x" * 5000])).cause == ENDED


AT_ITS_SUPERVISOR = """
import os, signal
def agent(observation):
    with open(f"/proc/{os.getppid()}/stat") as stat:
        supervisor = int(stat.read().rpartition(")")[2].split()[1])
    %s
    return 3
"""


@needs_linux
def test_a_supervisor_that_was_stopped_is_not_awaited() -> None:
    source, begin = AT_ITS_SUPERVISOR % "os.kill(supervisor, signal.SIGSTOP)", monotonic()
    (move,) = answers(source, limit=0.5)
    assert monotonic() - begin < 30
    assert failed(move).cause == ENDED


STOPPING_LATER = """
    if not os.fork():
        import time
        time.sleep(0.1)
        os.kill(supervisor, signal.SIGSTOP)
"""


@needs_linux
def test_a_supervisor_that_was_stopped_after_a_move_neither_holds_nor_fails_the_next_player() -> (
    None
):
    begin = monotonic()
    with contextlib.closing(SupervisorPool()) as supervisors, pytest.MonkeyPatch.context() as patch:
        patch.setattr(launcher, "SUPERVISORS", supervisors)
        source = AT_ITS_SUPERVISOR % STOPPING_LATER
        with player(source) as running:
            assert ask(running).failure is None
            sleep(0.5)
        assert answers(PLAYING)[0].column == 4
    assert monotonic() - begin < 30


@needs_linux
@pytest.mark.parametrize(
    "deed",
    [
        'os.system(f"rm -rf {os.path.dirname(os.path.dirname(os.getcwd()))}")',
        "[(os.mkdir('deeper'), os.chdir('deeper')) for _ in range(1200)]",
    ],
)
def test_a_player_starts_whatever_became_of_the_folder_of_the_one_before(deed: str) -> None:
    assert answers(AT_ITS_SUPERVISOR % deed)[0].failure is None
    assert answers(PLAYING)[0].column == 4


def test_a_supervisor_without_a_folder_says_why_and_prints_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As where the process that has started it has ended meanwhile, and its folder is gone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
        with pytest.raises(ChildProcessError, match=r"did not start: \[Errno 2\] No such file"):
            SupervisorProcess(())
    assert capfd.readouterr().err == ""


def test_an_answer_is_a_message_however_much_its_move_has_written() -> None:
    def agent(observation: Any) -> int:
        sys.stderr.write("\N{SLIGHTLY SMILING FACE}" * 10_000)
        return 4

    answer = KaggleAgent(agent).act(OBSERVATION, {**RULES, "actTimeout": 5})
    assert answer["column"] == 4
    assert len(json.dumps(answer)) < LINE_BYTES


LEAVING = """
import signal
from submission.sandbox import launcher, player
close = player.SupervisorProcess.close
def close_amid_ctrl_c(supervisor):
    signal.raise_signal(signal.SIGINT)
    close(supervisor)
player.SupervisorProcess.close = close_amid_ctrl_c
launcher.SUPERVISORS.start((), "owner")
"""


def test_ctrl_c_amid_the_end_prints_nothing() -> None:
    assert completed([sys.executable, "-c", LEAVING]).stderr == ""
