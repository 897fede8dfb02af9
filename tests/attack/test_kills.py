"""Commands that are killed at any instant: the next run ends like an undisturbed one."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest

from submission.match.results_file import read_results
from tests.helpers.attacks import Begun, Ended, Tally, Workplace, chance, scaled

pytestmark = pytest.mark.attack

RUNS = 2
"""Of each command, that are broken off ..."""
MOST_KILLS = 3
"""... up to so many times before they come to their end."""

INTERRUPTED = (0, 1, 130, -signal.SIGINT)
"""The exit statuses after Ctrl-C: all was done, what was done is kept, or nothing was begun."""

BEFORE_OURS = "<frozen site>"
"""In what Python says where Ctrl-C comes before it has begun with the project."""


def records(folder: Path, _: Ended) -> object:
    """All games without their times, in whatever order they ended."""
    match = read_results(folder / "games.jsonl")
    told = [
        (*record.pairing, record.game, record.columns, record.result) for record in match.records
    ]
    return match.completion, sorted(told)


def printed(_: Path, ended: Ended) -> object:
    return ended.stdout


def contents(*names: str) -> Callable[[Path, Ended], object]:
    return lambda folder, _: [(folder / name).read_bytes() for name in names]


def findings(name: str, output: str) -> Callable[[Path, Ended], object]:
    """A file, and the lines of its checkpoint in whatever order they were found."""
    return lambda folder, _: (
        (folder / output).read_bytes(),
        sorted((folder / name).read_text().splitlines()),
    )


@dataclass(frozen=True)
class Work:
    """A command that takes some seconds."""

    words: str
    outcome: Callable[[Path, Ended], object]
    """Its results, without times."""
    state: str | None = None
    """The file from which --resume goes on; where there is none, it is run again."""
    grows: bool = False
    """Whether lines are only ever added to this file."""


SMALL = "--rows 4 --columns 4 --inarow 3 --workers 2 --table-megabytes 1"
MIDDLE = "--rows 4 --columns 5 --workers 2 --table-megabytes 1"


def matched(words: str) -> Work:
    return Work(f"{words} --results games.jsonl", records, "games.jsonl", grows=True)


def built(words: str, output: str, state: str) -> Work:
    return Work(f"book {words} -o {output}", findings(state, output), state, grows=True)


WORKS = {
    "evaluate": matched(
        "evaluate good.py --against random --against greedy --games 8 --rows 4 --columns 5 "
        "--workers 2"
    ),
    "ladder": matched(
        "ladder good.py random greedy minimax:depth=1 --games 6 --rows 4 --columns 5 --arena own "
        "--workers 2 --seed 3"
    ),
    "book": built(f"--plies 5 {MIDDLE}", "book.py", "book.py.scores"),
    "repertoire": built(f"--repertoire --plies 4 {MIDDLE}", "moves.cxrp", "moves.cxrp.moves"),
    "traps": built(
        f"--traps {SMALL} --minutes 1 --opponent greedy", "traps.cxrp", "traps.cxrp.replies"
    ),
    "positions": Work(
        "positions --per-ply 2 --first-ply 0 --last-ply 1 --workers 2 -o positions.jsonl",
        contents("positions.jsonl"),
    ),
    "solve": Work(
        "solve --all --json --rows 5 --columns 6 --table-megabytes 4 --table table.bin",
        printed,
        state="table.bin",
    ),
    "train": Work(
        "train --game tictactoe --simulations 2 --width 4 --rounds 2 --seed 3",
        contents("policy.npz"),
        state="policy.checkpoint",
    ),
}


def go_on(place: Workplace, work: Work) -> str:
    """The command, which goes on where there is something to go on from."""
    there = work.state is not None and (place.folder / work.state).exists()
    return f"{work.words} --resume" if there else work.words


def wait_for_instant(rng: Random, begun: Begun, folder: Path, seconds: float) -> None:
    """Wait for some time, or until the command has just made a file, be it for a moment."""
    end = monotonic() + rng.uniform(0, seconds)
    looks, names = rng.random() < 0.5, {*folder.iterdir()}
    while begun.process.poll() is None and monotonic() < end + seconds * looks:
        sleep(0.0002)
        if looks and names != (names := {*folder.iterdir()}) and rng.random() < 0.4:
            return


def kill(rng: Random, place: Workplace, work: Work, seconds: float, tally: Tally) -> None:
    """Break a run off, by SIGKILL or as Ctrl-C does."""
    number = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT])
    with place.begin(go_on(place, work)) as begun:
        wait_for_instant(rng, begun, place.folder, seconds)
        if number == signal.SIGINT and begun.process.poll() is None:
            os.killpg(begun.process.pid, number)
        else:
            begun.process.kill()
        ended = begun.end()
    tally.add("kills")
    if number == signal.SIGINT:
        tally.hold(ended.status in INTERRUPTED, f"after Ctrl-C: {ended}")
    is_told = "Traceback" in ended.stderr and BEFORE_OURS not in ended.stderr
    tally.hold(not is_told, f"after {number.name}: {ended}")


def whole_lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


@pytest.mark.parametrize("name", WORKS)
def test_a_killed_run_goes_on_as_if_nothing_had_been(
    name: str, tmp_path: Path, tally: Tally
) -> None:
    work, rng = WORKS[name], chance("kills", name)
    if name == "train" and not all(map(find_spec, ("torch", "matplotlib", "tensorboard"))):
        pytest.skip("needs the extra `train`")
    place = Workplace(tmp_path / "whole")
    ended = place.run(work.words)
    assert ended.status == 0, ended
    expected = work.outcome(place.folder, ended)
    for number in range(scaled(RUNS)):
        place = Workplace(tmp_path / f"killed{number}")
        for _ in range(rng.randint(1, MOST_KILLS)):
            kept = whole_lines(place.folder / work.state) if work.grows and work.state else []
            kill(rng, place, work, ended.seconds, tally)
            if kept and work.state:
                now = whole_lines(place.folder / work.state)
                tally.hold(now[: len(kept)] == kept, f"lines of {work.state} are lost")
        again = place.run(go_on(place, work))
        tally.hold(again.status == 0 and again.is_orderly, f"goes on after kills: {again}")
        if again.status == 0:
            outcome = work.outcome(place.folder, again)
            tally.hold(outcome == expected, f"{again.words} leaves\n{outcome}\nnot\n{expected}")
        left = place.left_behind()
        tally.hold(not left, f"left behind after `{again.words}`: {left}")
