"""A process that searches: moves at once, everything else in slices of time, the newest first.

It talks to the server through a pipe. A job that goes on in slices is a generator of snapshots; the
one that has had the least time goes next, so that what is quickly done never waits for what takes
long. A move is found in one go, between two slices.
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
from threading import Condition, Thread
from time import perf_counter
from types import FrameType
from typing import Any, NamedTuple

import psutil

from submission.executors.local_workers import prepare_worker
from submission.web.searching.searches import GROWING, QUESTIONS, Searches

NICENESS = 5
"""Of a process for long searches: the server, and what is quick, go before it."""
SNAPSHOT_SECONDS = 0.08
"""Least time between two snapshots of a job; the last one is always sent."""


class Message(NamedTuple):
    """From a searcher to the server."""

    job: int
    """Which it is about; `READY` is about none."""
    event: str
    """`began`, `snapshot`, `done`, `refused` or `ready`."""
    content: Any = None


class Order(NamedTuple):
    """From the server to a searcher."""

    job: int
    kind: str
    """One of `QUESTIONS` or `GROWING`, or `CANCEL`."""
    question: Any = None


CANCEL = "cancel"
ENDED: Any = object()
READY = 0


class Cancelled(BaseException):
    """Nobody waits for this search any more; a BaseException, so that no search swallows it."""


@dataclass
class Growing:
    """A job that goes on in slices."""

    snapshots: Generator[Any, None, None]
    used: float = 0.0
    """Seconds of work so far."""
    told: float = 0.0
    """When its last snapshot was sent."""
    latest: Any = None
    """The last one."""


def search_until_ended(connection: Connection, temporary_folder: Path, is_quick: bool) -> None:
    """Search what the server orders, until it ends or hangs up.

    Args:
        connection: to the server.
        temporary_folder: for what it leaves.
        is_quick: whether quick moves are for this process.
    """
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
        os._exit(0)  # the compiler may be at work


class Searcher:
    """The jobs of a process.

    Args:
        connection: to the server.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._searches = Searches()
        self._orders = deque[Order]()
        self._ordered = Condition()
        self._growing: dict[int, Growing] = {}
        self._running: int | None = None
        self._unwanted: int | None = None
        signal.signal(signal.SIGINT, self._interrupt)

    def listen(self) -> None:
        """Take orders; a search that is under way hears at once that nobody wants it."""
        try:
            while True:
                order = Order(*self._connection.recv())
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
        """Carry out orders, and slices of what goes on."""
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
            self._growing[order.job] = Growing(self._searches.growing(order.kind, order.question))
        elif order.kind in QUESTIONS:
            self._answer(order)

    def _answer(self, order: Order) -> None:
        """Find an answer in one go."""
        try:
            with self._ordered:
                # A cancellation may have come before this begins, or comes from now on by a signal.
                if Order(order.job, CANCEL) in self._orders:
                    raise Cancelled
                self._running = order.job
            self._tell(order.job, "began")
            answer = self._searches.answer(order.kind, order.question)
            self._running = None
            self._tell(order.job, "done", answer)
        except Cancelled:
            self._tell(order.job, "refused", "the search has been called off")
        except Exception as error:
            self._running = None
            self._tell(order.job, "refused", _sentence(error))

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """End the search that nobody wants; Ctrl-C in the terminal is the server's affair."""
        if self._unwanted is not None and self._unwanted == self._running:
            self._unwanted = self._running = None
            raise Cancelled

    def _go_on(self) -> None:
        """Work a slice at the job that has had the least time."""
        job = min(self._growing, key=lambda job: self._growing[job].used)
        growing = self._growing[job]
        begun = perf_counter()
        try:
            snapshot = next(growing.snapshots, ENDED)
        except Exception as error:
            self._drop(job)
            self._tell(job, "refused", _sentence(error))
            return
        now = perf_counter()
        growing.used += now - begun
        if snapshot is ENDED:
            self._drop(job)
            self._tell(job, "refused", "the search has ended without a result")
        elif snapshot is None or snapshot is growing.latest:
            return
        elif snapshot["done"]:
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
            self._connection.send(tuple(Message(job, event, content)))
        except OSError:
            os._exit(0)


def _sentence(error: Exception) -> str:
    """Why a search has no answer: a ValueError says so itself."""
    if isinstance(error, ValueError):
        return str(error)
    return f"the search has failed ({type(error).__name__}: {error})"
