"""Assigns the pages' searches to processes, and ends them.

There is one process for each core. The first, unless it is the only one, runs only quick searches
and searches in slices, so that no long search delays another page's quick move; each of the others
runs one long search at a time, and slices. A process that ignores a cancellation is killed. A dead
process is replaced, and its other searches are started again.
"""

import asyncio
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import count
from multiprocessing.connection import Connection
from runpy import run_path
from threading import Thread
from typing import Any

from submission.executors.local_workers import start_by_path, starting_workers
from submission.sandbox.folders import owned_folder
from submission.web.searching.searcher import CANCEL, Message, Order, search_until_ended

HEED_SECONDS = 2.0  # time for a cancelled search to end before its process is killed
GRACE_SECONDS = 2.0  # time beyond the agent's own before its move is cancelled
PICTURE_SECONDS = 20.0
"""Time to draw a search: it takes tenths of a second, and more on a busy machine."""
RESERVE = 3  # searches in slices that the first process takes before another one gets any
MOST_ATTEMPTS = 2  # how often a search is started whose process dies
MOST_DEATHS = 5  # processes that may die in a row before any of them is ready


class Busy(Exception):
    """Too many searches are waiting or running."""


class Refusal(Exception):
    """A search has no answer; the message says why."""


class Lane(Enum):
    """How a search runs."""

    QUICK = auto()  # in one go, in some milliseconds
    LONG = auto()  # in one go
    SLICED = auto()  # in slices, with snapshots


MOST = {Lane.QUICK: 600, Lane.LONG: 64, Lane.SLICED: 600}
"""For long searches the most that may wait, for others the most searches in the first process."""


@dataclass(eq=False)
class Job:
    """A search."""

    number: int
    kind: str
    question: Any
    lane: Lane
    tell: Callable[[str, Any], None]  # called with the event and the content of a `Message`
    seconds: float = 0.0  # the agent's time for a move
    process: "SearchProcess | None" = None  # where it runs or ran, or is to run
    attempts: int = 0
    is_over: bool = False


@dataclass(eq=False)
class SearchProcess:
    """A process and its jobs."""

    process: Any
    connection: Connection
    jobs: dict[int, Job] = field(default_factory=dict)
    is_ready: bool = False

    @property
    def has_long(self) -> bool:
        """Whether the process runs a long search."""
        return any(job.lane is Lane.LONG for job in self.jobs.values())

    @property
    def sliced(self) -> int:
        """The number of searches in slices."""
        return sum(job.lane is Lane.SLICED for job in self.jobs.values())

    def order(self, job: Job, kind: str) -> None:
        """Send a job to the process, or cancel it there; does nothing if the process is dead."""
        question = None if kind == CANCEL else job.question
        with suppress(OSError):
            self.connection.send(Order(job.number, kind, question))


class SearchPool:
    """Distributes searches over a number of processes; used from one event loop."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._processes: list[SearchProcess] = []
        self._waiting: deque[Job] = deque()
        self._asked: dict[str, Job] = {}  # by the page that waits for the answer
        self._numbers = count(1)
        self._deaths = 0
        self._is_closed = True

    @contextmanager
    def running(self) -> Iterator["SearchPool"]:
        """Run the processes until the block ends."""
        self._loop = asyncio.get_running_loop()
        with owned_folder() as self._folder:
            self._is_closed = False
            try:
                self._processes += [self._start(number == 0) for number in range(self._size)]
                yield self
            finally:
                self._close()

    async def ask(
        self,
        kind: str,
        question: Any,
        seconds: float,
        is_quick: bool,
        process: SearchProcess | None = None,
        page: str = "",
    ) -> Any:
        """Answer a question in one go, in a given process or in any.

        The search is cancelled when it is no longer awaited, or when the same page asks for another
        move. Raises `Busy` or `Refusal`.
        """
        lane = Lane.QUICK if is_quick else Lane.LONG
        answer = self._loop.create_future()

        def tell(event: str, content: Any) -> None:
            if answer.done():
                return
            if event == "done":
                answer.set_result(content)
            elif event == "refused":
                answer.set_exception(Refusal(content))

        if page in self._asked:
            self._call_off(self._asked.pop(page), "this page has asked for another move")
        job = Job(next(self._numbers), kind, question, lane, tell, seconds)
        if process is None:
            self._begin(job)
        else:
            self._hand_over(job, process)
        if page:
            self._asked[page] = job
        try:
            return await answer
        finally:
            self.cancel(job)
            if self._asked.get(page) is job:
                del self._asked[page]

    async def ask_about(self, grown: Job, kind: str, question: Any) -> Any:
        """Ask the process of a search about its tree; `Refusal` if it is gone or has no answer."""
        process = grown.process
        if process is None or process not in self._processes:
            raise Refusal("this search is not kept any more: start it again")
        return await self.ask(kind, question, PICTURE_SECONDS, True, process)

    def grow(
        self, kind: str, question: Any, tell: Callable[[str, Any], None], former: Job | None = None
    ) -> Job:
        """Start a search that answers by snapshots; raises like `ask`.

        `tell` is called with `snapshot`, `done` or `refused`, and the snapshot or the reason.
        `former` is a job that this one continues, in the same process if that still runs.
        """
        process = former.process if former is not None else None
        job = Job(next(self._numbers), kind, question, Lane.SLICED, tell, process=process)
        self._begin(job)
        return job

    def cancel(self, job: Job) -> None:
        """Cancel a search, if it is not over."""
        if job.is_over:
            return
        job.is_over = True
        if job in self._waiting:
            self._waiting.remove(job)
        for process in self._processes:
            if job.number in process.jobs:
                process.order(job, CANCEL)
                if job.lane is Lane.SLICED:
                    del process.jobs[job.number]
                else:
                    self._loop.call_later(HEED_SECONDS, self._end_unless_heeded, process, job)

    def _begin(self, job: Job) -> None:
        """Start a search; `Busy` if there are too many others, `Refusal` if none can start."""
        if self._is_closed:
            raise Refusal("no process for searches can be started")
        others = self._waiting if job.lane is Lane.LONG else self._processes[0].jobs
        if len(others) >= MOST[job.lane]:
            raise Busy("too many searches are under way: try again in a moment")
        self._place(job)

    def _place(self, job: Job) -> None:
        if job.lane is Lane.LONG:
            self._waiting.append(job)
            self._hand_out()
        elif job.lane is Lane.QUICK:
            self._hand_over(job, self._processes[0])
        else:
            kept = job.process if job.process in self._processes else None
            self._hand_over(job, kept or self._idlest())

    def _idlest(self) -> SearchProcess:
        """The process for a search in slices; long searches need all but the first."""
        first, *others = self._processes
        free = [process for process in others if not process.has_long]
        return min(
            [first, *free], key=lambda process: process.sliced + RESERVE * (process is not first)
        )

    def _hand_out(self) -> None:
        candidates = self._processes[1:] or self._processes
        free = [process for process in candidates if process.is_ready and not process.has_long]
        for process in sorted(free, key=lambda process: process.sliced):
            if self._waiting:
                self._hand_over(self._waiting.popleft(), process)

    def _hand_over(self, job: Job, process: SearchProcess) -> None:
        job.attempts += 1
        job.process = process
        process.jobs[job.number] = job
        process.order(job, job.kind)

    def _hear(self, process: SearchProcess, message: Message) -> None:
        if message.event == "ready":
            process.is_ready, self._deaths = True, 0
            self._hand_out()
            return
        job = process.jobs.get(message.job)
        if job is None:
            return
        if message.event == "began":
            late = job.seconds + GRACE_SECONDS
            self._loop.call_later(late, self._call_off_late, job, job.attempts)
        elif message.event == "snapshot":
            job.tell("snapshot", message.content)
        else:
            del process.jobs[job.number]
            self._finish(job, message.event, message.content)
            self._hand_out()

    def _finish(self, job: Job, event: str, content: Any) -> None:
        if not job.is_over:
            job.is_over = True
            job.tell(event, content)

    def _call_off_late(self, job: Job, attempt: int) -> None:
        if not job.is_over and job.attempts == attempt:
            self._call_off(job, "the agent took longer than its time")

    def _call_off(self, job: Job, reason: str) -> None:
        self.cancel(job)
        job.tell("refused", reason)

    def _end_unless_heeded(self, process: SearchProcess, job: Job) -> None:
        if job.number in process.jobs:
            process.process.kill()  # `_listen` then calls `_lose`

    def _lose(self, process: SearchProcess) -> None:
        """Replace a process that has ended, and start its searches again."""
        if self._is_closed or process not in self._processes:
            return
        self._discard(process)
        self._deaths += not process.is_ready
        if self._deaths > MOST_DEATHS:
            self._is_closed = True
            for job in [*process.jobs.values(), *self._waiting]:
                self._finish(job, "refused", "no process for searches can be started")
            return
        place = self._processes.index(process)
        self._processes[place] = self._start(place == 0)
        for job in process.jobs.values():
            if job.is_over:
                continue
            if job.attempts >= MOST_ATTEMPTS:
                reason = "the process of this search has died, perhaps out of memory"
                self._finish(job, "refused", reason)
            else:
                self._place(job)
        self._hand_out()

    def _start(self, is_quick: bool) -> SearchProcess:
        """Start a process that does not run the caller's script, and ends with this one."""
        spawn = multiprocessing.get_context("spawn")
        here, there = spawn.Pipe()
        start = start_by_path(search_until_ended, there, self._folder, is_quick)
        process = spawn.Process(target=run_path, args=start, daemon=True)
        with starting_workers():
            process.start()
        there.close()
        started = SearchProcess(process, here)
        Thread(target=self._listen, args=[started], daemon=True).start()
        return started

    def _listen(self, process: SearchProcess) -> None:
        """Pass the messages of a process to the event loop's thread, until it ends."""
        with suppress(EOFError, OSError, RuntimeError):  # RuntimeError: the loop is closed
            try:
                while True:
                    self._loop.call_soon_threadsafe(self._hear, process, process.connection.recv())
            except (EOFError, OSError):
                self._loop.call_soon_threadsafe(self._lose, process)

    def _discard(self, process: SearchProcess) -> None:
        process.process.kill()
        process.process.join()
        process.connection.close()

    def _close(self) -> None:
        self._is_closed = True
        for process in self._processes:
            self._discard(process)
            for job in process.jobs.values():
                self._finish(job, "refused", "the server has ended")
        self._processes.clear()
