"""Helpers shared by attacks: seeded random numbers, counts, and commands to attack."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic, sleep
from types import FrameType
from typing import Self

from tests.helpers.checks import GOOD
from tests.helpers.processes import ROOT, survivors
from tests.helpers.refusals import is_sentence
from tests.helpers.signals import heed_signals

SEED = int(os.environ.get("ATTACK_SEED", "0"))

SCALE = float(os.environ.get("ATTACK_SCALE", "1"))
"""The number of attacks, as a multiple of `make attack`'s default."""

LIMIT_SECONDS = 240.0
"""Time for a command to end on a busy machine."""

FAREWELL_SECONDS = 20.0
"""Time for a command's processes to end after it."""

ENDINGS = (0, 1, 2)
"""The exit statuses of a command that was not interrupted."""


def chance(*name: object) -> Random:
    """A separate generator for each attack, independent of what others have drawn."""
    return Random(f"{SEED} {name}")


def scaled(count: int) -> int:
    return max(1, round(count * SCALE))


@dataclass
class Tally:
    """The counts of an attack, and what did not withstand it."""

    counts: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def add(self, what: str, number: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + number

    def hold(self, is_held: object, sentence: str) -> None:
        """Note a sentence if what it describes does not hold, and go on."""
        if not is_held:
            self.broken.append(sentence)


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    words: str
    status: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def is_orderly(self) -> bool:
        return self.status in ENDINGS and "Traceback" not in self.stderr + self.stdout

    def __str__(self) -> str:
        return f"`connectx {self.words}`: exit status {self.status}\n{self.stderr[-2000:]}"


class Workplace:
    """A folder in which commands run, with a separate folder for temporary files.

    Args:
        folder: where to make both.
        site: a folder of modules for the interpreters, besides the project.
    """

    def __init__(self, folder: Path, site: Path | None = None) -> None:
        self.folder, self.temporary = folder / "work", folder / "temporary"
        self._logs = folder / "logs"
        self._modules = [str(ROOT), *([str(site)] if site else [])]
        for made in (self.folder, self.temporary, self._logs):
            made.mkdir(parents=True)
        (self.folder / "good.py").write_text(GOOD)

    def begin(self, words: str) -> "Begun":
        return Begun(self, words, [sys.executable, "-m", "submission", *words.split()], self._logs)

    def run(self, words: str) -> Ended:
        with self.begin(words) as begun:
            return begun.end()

    @property
    def environment(self) -> Mapping[str, str]:
        modules = os.pathsep.join(self._modules)
        own = {"TMPDIR": str(self.temporary), "PYTHONPATH": modules, "COLUMNS": "200"}
        return os.environ | own

    def left_behind(self) -> list[str]:
        """The temporary files and processes that remain after they have had time to go."""
        end = monotonic() + FAREWELL_SECONDS
        while True:
            hidden, parts = self.folder.glob(".*"), self.folder.glob("*.part")
            files = {*self.temporary.iterdir(), *hidden, *parts}
            left = [str(path) for path in files if not is_pythons_own(path)]
            left += [str(process) for process in survivors(str(self.temporary))]
            if not left or monotonic() > end:
                return left
            sleep(0.05)


def is_pythons_own(path: Path) -> bool:
    """Whether a path is Python's own probe of a folder for temporary files."""
    return bool(re.fullmatch("[a-z0-9_]{8}", path.name)) and path.is_file()


class Begun(AbstractContextManager["Begun"]):
    """A running command, in its own session; it is killed at the end of the block."""

    def __init__(self, place: Workplace, words: str, command: list[str], logs: Path) -> None:
        self._words = words
        number = len(list(logs.iterdir()))  # what outlives a run still writes to its files
        self._outputs = logs / f"{number}-stdout", logs / f"{number}-stderr"
        self._begin = monotonic()
        stdout, stderr = (path.open("wb") for path in self._outputs)
        with stdout, stderr:
            self.process = subprocess.Popen(
                command,
                cwd=place.folder,
                env=place.environment,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                preexec_fn=heed_signals,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def end(self) -> Ended:
        """Wait for the command to end.

        Raises:
            subprocess.TimeoutExpired: it does not end in time.
        """
        status = self.process.wait(LIMIT_SECONDS)
        seconds = monotonic() - self._begin
        stdout, stderr = (path.read_text(errors="replace") for path in self._outputs)
        return Ended(self._words, status, stdout, stderr, seconds)


# --- strangers' bytes, read in this process


MOST_MEMORY = 2**28
"""Bytes of memory that a stranger's file may take, beyond those of this process."""

MOST_ADDRESSES = 2**31
"""Bytes that may be allocated, used or not, before Python refuses more."""

MOST_SECONDS = 10.0


class Hang(BaseException):
    """Reading a file has taken too long."""


@contextmanager
def bounded() -> Iterator[None]:
    """Limit the time and the memory of the block.

    Time in which other processes had all processors is not counted.

    Raises:
        Hang, MemoryError: the block takes more.
    """
    import resource  # not at the top: Windows lacks it, but still collects the attacks

    begun = monotonic() - seconds_in_queue()

    def stop(number: int, frame: FrameType | None) -> None:
        left = MOST_SECONDS - (monotonic() - seconds_in_queue() - begun)
        if left <= 0:
            raise Hang(f"no end after {MOST_SECONDS} s")
        signal.setitimer(signal.ITIMER_REAL, left)

    former = signal.signal(signal.SIGALRM, stop)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak to the present use
    begin = memory_of_this_process()
    resource.setrlimit(resource.RLIMIT_AS, (begin["VmSize"] + MOST_ADDRESSES, limits[1]))
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGALRM, former)
        taken = memory_of_this_process()["VmHWM"] - begin["VmRSS"]
        if taken > MOST_MEMORY:
            raise MemoryError(f"{taken >> 20} MB were taken")


def seconds_in_queue() -> float:
    """How long the main thread has waited for a processor; 0 if Linux does not report it."""
    try:
        return int(Path("/proc/self/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def memory_of_this_process() -> dict[str, int]:
    """The sizes of this process in bytes, by Linux's names."""
    told = re.findall(r"(Vm\w+):\s+(\d+) kB", Path("/proc/self/status").read_text())
    return {name: int(size) << 10 for name, size in told}


def fault_of_reading(read: Callable[[], object]) -> str | None:
    """What is wrong with how something is read or refused; None if nothing is.

    It must be read, or refused with an error of one sentence, within the limits of time and memory.
    """
    try:
        with bounded():
            read()
    except (ValueError, OSError) as error:
        told = str(error)
        return None if is_sentence(error) else f"of {len(told)} characters: {told[:300]!r}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None
