"""Slowed down: a submission gets its share of one core by the system's own account, and no more."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submission.checking import game_plan
from submission.checking.game_plan import Limits, planned_games
from submission.sandbox.processes import MOST_CREDIT, Throttle, processor_seconds
from tests.helpers.checks import FIRST_FREE, check_pair, first_fault, rows_of
from tests.helpers.processes import Piped
from tests.helpers.systems import needs_throttling

LIMITS = Limits(act_timeout=2, bank=60, run_timeout=1200, memory=2**30)


def usage(speed: float, looks: list[tuple[float, float]]) -> Iterator[tuple[float, float, float]]:
    """At each look: the time, what is used by then, and the most that was used between two looks.

    A look tells the seconds since the last one, and how many cores a process keeps busy that goes
    on wherever it is not stopped.
    """
    throttle = Throttle(speed, now=0, used=0)
    now, used, most, is_stopped = 0.0, 0.0, 0.0, False
    for seconds, cores in looks:
        now += seconds
        new = 0 if is_stopped else cores * seconds
        used, most = used + new, max(most, new)
        is_stopped = throttle.overdraws(now, used)
        yield now, used, most


speeds = st.floats(0.05, 0.95)


@given(speeds, st.lists(st.tuples(st.floats(0.001, 0.05), st.floats(0, 2)), min_size=1))
def test_no_process_uses_more_than_its_share(
    speed: float, looks: list[tuple[float, float]]
) -> None:
    """Whatever it does between the looks: it is idle, or keeps up to two cores busy."""
    for now, used, most in usage(speed, looks):
        assert used <= speed * now + MOST_CREDIT + most + 1e-9


@given(speeds, st.floats(1, 2), st.lists(st.floats(0.001, 0.01), min_size=1))
def test_a_busy_process_gets_its_share(speed: float, cores: float, looks: list[float]) -> None:
    for now, used, _ in usage(speed, [(seconds, cores) for seconds in looks]):
        assert used >= speed * (now - max(looks)) - 1e-9


BURNING = """
import hashlib, os, resource, sys, threading, time

def burn(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        hashlib.sha256(bytes(10**6)).digest()  # lets other threads run

orphans = []

def used():
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(kind)[:2]) for kind in kinds) + sum(orphans)
"""


@needs_throttling
def test_the_time_of_a_process_is_what_the_system_says() -> None:
    program = (
        "import os, sys, time\ndef work():\n    while time.process_time() < 0.15: pass\n"
        "work()\nif not os.fork():\n    work()\n    os._exit(0)\n"
        "os.wait()\nprint()\nsys.stdout.flush()\nsys.stdin.read()"
    )
    with Piped(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        measured = processor_seconds(process.pid)
        process.stdin.close()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    assert measured > 0.2
    assert measured == pytest.approx(usage.ru_utime + usage.ru_stime, abs=0.1)
    assert processor_seconds(process.pid) == 0


WORK = {
    "threads": """
def work():
    threads = [threading.Thread(target=burn, args=[1.2]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
""",
    "children in sessions of their own": """
def work():
    for _ in range(2):
        if not os.fork():
            os.setsid()
            burn(1.2)
            os._exit(0)
    os.wait()
    os.wait()
""",
    "an orphan": """
def work():
    told, tell = os.pipe()
    if not os.fork():
        if not os.fork():
            burn(1.2)
            os.write(tell, str(used()).encode())
        os._exit(0)
    os.wait()
    orphans.append(float(os.read(told, 99)))
""",
}

MEASURING = f"""
def agent(obs, conf):
    begin, before = time.perf_counter(), used()
    if obs.step < 2:
        work()
        share = (used() - before) / (time.perf_counter() - begin)
        print("share", share, file=sys.stderr)
    return {FIRST_FREE}
"""


@needs_throttling
@pytest.mark.parametrize("name", WORK)
def test_the_share_is_of_threads_and_processes_together(name: str, tmp_path: Path) -> None:
    speed = 0.25
    source = BURNING + WORK[name] + MEASURING
    report = check_pair(source, tmp_path, speed=speed, game_seconds=0)
    assert report.accepted
    assert report.speed == speed
    assert rows_of(report)["speed"] == "0.25 of one core"
    shares = re.findall(r"^share (.*)$", report.stderr, flags=re.MULTILINE)
    assert shares
    # More would be a share for each; a busy machine gives less.
    assert all(0.1 * speed < float(share) < 1.25 * speed for share in shares)


@needs_throttling
def test_a_slowed_loop_is_a_time_out_that_names_its_line(tmp_path: Path) -> None:
    source = "def agent(obs, conf):\n    while True: pass\n"
    report = check_pair(source, tmp_path, speed=0.3, act_timeout=0.2, bank=0.5)
    fault = first_fault(report)
    assert fault.status == "TIMEOUT"
    assert "(it was at line 2, in agent)" in fault.cause


@needs_throttling
def test_games_are_longer_on_a_slower_machine() -> None:
    plans, slow = planned_games(LIMITS), planned_games(replace(LIMITS, speed=0.25))
    assert [plan.seconds for plan in slow] == [4 * plan.seconds for plan in plans]
    asked = planned_games(replace(LIMITS, speed=0.25), 100)
    assert [plan.seconds for plan in asked if plan.decides] == [100, 100, 100]


def test_where_nothing_can_be_slowed_down_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_plan, "can_throttle", lambda: False)
    with pytest.raises(ValueError, match="a speed below 1 needs Linux: leave --speed out"):
        replace(LIMITS, speed=0.5)
