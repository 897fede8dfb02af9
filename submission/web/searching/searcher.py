"""A process that searches: moves in one go, everything else in slices of time.

It communicates with the server through a pipe. A job in slices is a generator of snapshots; the job
that has had the least time runs next, so that quick ones never wait for long ones. Moves are found
between slices.
"""

import os
import signal
import sys
from _thread import interrupt_main
from collections import deque
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Condition, Lock, Thread
from time import perf_counter
from types import FrameType
from typing import Any, NamedTuple

import psutil

from submission.executors.local_workers import prepare_worker
from submission.web.searching.searches import GROWING, QUESTIONS, Searches

NICENESS = 5  # of a process for long searches: the server and quick searches go first
SNAPSHOT_SECONDS = 0.08
"""The least time between two snapshots of a job; the last one is always sent."""


class Message(NamedTuple):
    """From a searcher to the server."""

    job: int  # the job that it is about, or `READY`
    event: str  # `began`, `snapshot`, `done`, `refused` or `ready`
    content: Any = None


class Order(NamedTuple):
    """From the server to a searcher."""

    job: int
    kind: str  # one of `QUESTIONS` or `GROWING`, or `CANCEL`
    question: Any = None


CANCEL = "cancel"
READY = 0


class Cancelled(BaseException):
    """The search was cancelled; a BaseException, so that no search swallows it."""


@dataclass
class Growing:
    """A job in slices."""

    snapshots: Generator[Any, None, None]
    used: float = 0.0  # seconds of work so far
    told: float = 0.0  # when the latest snapshot was sent
    latest: Any = None


def search_until_ended(connection: Connection, temporary_folder: Path, is_quick: bool) -> None:
    """Carry out the server's orders until it ends or closes the connection."""
    prepare_worker(temporary_folder)
    if not is_quick:
        lower = psutil.BELOW_NORMAL_PRIORITY_CLASS if sys.platform == "win32" else NICENESS
        with suppress(psutil.Error, OSError):
            psutil.Process().nice(lower)
    searcher = Searcher(connection)
    Thread(target=searcher.listen, daemon=True).start()
    Thread(target=searcher.prepare, daemon=True).start()
    try:
        searcher.work()
    finally:
        os._exit(0)  # the compiler may be running


class Searcher:
    """Runs the jobs that a process receives through a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._searches = Searches()
        self._orders = deque[Order]()
        self._ordered = Condition()
        self._telling = Lock()
        self._growing: dict[int, Growing] = {}
        self._running: int | None = None
        self._unwanted: int | None = None
        signal.signal(signal.SIGINT, self._interrupt)

    def listen(self) -> None:
        """Receive orders; a cancellation interrupts the running search at once."""
        try:
            while True:
                order: Order = self._connection.recv()
                with self._ordered:
                    if order.kind == CANCEL and order.job == self._running:
                        self._unwanted = order.job
                        interrupt_main(signal.SIGINT)
                    else:
                        self._orders.append(order)
                        self._ordered.notify()
        except (EOFError, OSError):
            os._exit(0)

    def prepare(self) -> None:
        """Compile the searches."""
        self._searches.prepare()
        self._tell(READY, "ready")

    def work(self) -> None:
        """Carry out orders and, between them, slices of jobs."""
        while True:
            with self._ordered:
                while not self._orders and not self._growing:
                    self._ordered.wait()
                order = self._orders.popleft() if self._orders else None
            if order is not None:
                self._carry_out(order)
            else:
                self._go_on()

    def _carry_out(self, order: Order) -> None:
        if order.kind == CANCEL:
            self._drop(order.job)
        elif order.kind in GROWING:
            self._growing[order.job] = Growing(GROWING[order.kind](self._searches, order.question))
        elif order.kind in QUESTIONS:
            self._answer(order)

    def _answer(self, order: Order) -> None:
        try:
            with self._ordered:
                # A cancellation is already among the orders, or will come as a signal.
                if Order(order.job, CANCEL) in self._orders:
                    raise Cancelled
                self._running = order.job
            self._tell(order.job, "began")
            answer = QUESTIONS[order.kind](self._searches, order.question)
            self._running = None
            self._tell(order.job, "done", answer)
        except Cancelled:
            self._tell(order.job, "refused", "the search was cancelled")
        except Exception as error:
            self._running = None
            self._tell(order.job, "refused", _sentence(error))

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """End the cancelled search; Ctrl-C in the terminal is left to the server."""
        if self._unwanted is not None and self._unwanted == self._running:
            self._unwanted = self._running = None
            raise Cancelled

    def _go_on(self) -> None:
        """Run a slice of the job that has had the least time."""
        job = min(self._growing, key=lambda job: self._growing[job].used)
        growing = self._growing[job]
        begun = perf_counter()
        try:
            snapshot = next(growing.snapshots)
        except Exception as error:
            self._drop(job)
            self._tell(job, "refused", _sentence(error))
            return
        now = perf_counter()
        growing.used += now - begun
        if snapshot is None or snapshot is growing.latest:
            return
        if snapshot["done"]:
            self._drop(job)
            self._tell(job, "done", snapshot)
        elif now - growing.told >= SNAPSHOT_SECONDS:
            growing.told, growing.latest = now, snapshot
            self._tell(job, "snapshot", snapshot)

    def _drop(self, job: int) -> None:
        growing = self._growing.pop(job, None)
        if growing is not None:
            growing.snapshots.close()

    def _tell(self, job: int, event: str, content: Any = None) -> None:
        try:
            with self._telling:  # or else what two threads send at once would be mixed
                self._connection.send(Message(job, event, content))
        except OSError:
            os._exit(0)


def _sentence(error: Exception) -> str:
    """Why a search has no answer; the message of a ValueError is such a sentence already."""
    if isinstance(error, ValueError):
        return str(error)
    return f"the search has failed ({type(error).__name__}: {error})"
