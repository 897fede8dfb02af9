"""Watches over one player after another, and ends every process that came from it.

A process between the one that asks for moves and those in which strangers' code runs. It owns the
folder that players live in. Each message on its standard input and output is a line of JSON. When
its input ends, however the asking process has ended, it ends all processes that came from it and
removes the folder.
"""

import contextlib
import json
import os
import re
import signal
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from queue import Empty, Queue
from time import monotonic, perf_counter

import psutil

from submission.sandbox.folders import clear_shared_memory, owned_folder, remove_folder
from submission.sandbox.interpreter import News, Starter, StarterProcess, read_in_thread
from submission.sandbox.kaggle_folder import MAIN
from submission.sandbox.messages import (
    COMMAND,
    KeyedLines,
    Message,
    PlayerJob,
    decoded,
    encoded,
)
from submission.sandbox.processes import (
    INTERVAL,
    Throttle,
    adopt_orphans,
    descendants,
    end_descendants,
    reap_orphans,
)

MOST_PROCESSES = 256  # a player with more processes at a time is ended
GLANCE_SECONDS = 0.2  # how long to wait for news before counting a player's processes again
START_SECONDS = 60.0  # how long the start of a process may take
END_SECONDS = 10.0  # how long the starter may take to report the end of a player that was killed
FAREWELL_SECONDS = 1.0  # how long a process at full speed may take for its last words
SETTLING_SECONDS = 0.1  # how long to wait for the last output of a process that has ended

TAIL_BYTES = 50_000
"""The bytes kept of a player's last output on standard error: enough for all moves of a game on the
competition's board."""

MOST_NEWS = 64  # how many chunks wait to be taken in; then their writers wait
MOST_EVENTS = 64  # no player has reason to report more between two answers

RUNNING_LINE = re.compile(rf'File "[^"]*{re.escape(MAIN)}", line (\d+) in (\S+)')
"""A line of faulthandler's that lies in the submission."""


@dataclass(slots=True)
class WatchedPlayer:
    """The state of the present player."""

    job: PlayerJob
    source: StarterProcess
    lines: KeyedLines
    process_id: int | None = None  # None until it is ready to be asked
    answer: Message | None = None
    events: list[Message] = field(default_factory=list)  # its other messages since the last report
    ending: Message | None = None  # the cause of its end, or the reason to end it
    is_gone: bool = False
    stderr: bytes = b""
    throttle: Throttle | None = None
    next_count: float = 0.0  # when its processes are to be counted again

    @property
    def spared(self) -> list[int]:
        """The fork server, which outlives the player; none where players are not forked."""
        return [self.source.process_id] if self.source.forks else []

    @property
    def said(self) -> str:
        """The end of the player's standard error."""
        return self.stderr.decode(errors="replace")

    def processes(self) -> list[int]:
        """Its processes with all that they have started, parents first."""
        return [pid for pid in descendants(os.getpid()) if pid not in self.spared]

    def running_line(self) -> str | None:
        """The submission's line in the stack that the player has printed last."""
        _, _, stack = self.said.rpartition("most recent call first")
        running = RUNNING_LINE.search(stack)
        return "line {}, in {}".format(*running.groups()) if running else None


class HungUp(Exception):
    """The asking process has gone."""


class Supervisor:
    """Carries out commands from standard input: `start` a player, `ask` it for a move, `end` it.

    The folder is the home of the starter's process; the environment of all processes has the mark.
    """

    def __init__(self, starter: Starter, folder: Path, mark: str) -> None:
        self._news = Queue[News](MOST_NEWS)
        self._start_source = partial(StarterProcess, starter, folder, mark, self._news)
        self._source: StarterProcess | None = None
        self._player: WatchedPlayer | None = None
        self._commands = deque[Message]()
        # Python would close `sys.stdin` at its end, and wait for the thread that reads it.
        commands = os.fdopen(0, "rb", closefd=False)
        read_in_thread(commands.readline, "command", self._news)

    def serve(self) -> None:
        """Carry out commands until HungUp is raised."""
        while True:
            self._wait_for(lambda: bool(self._commands), inf)
            match self._player, self._commands.popleft():
                case None, {"start": job}:
                    self._start(PlayerJob(**job))
                case WatchedPlayer() as player, {"ask": request, "seconds": seconds}:
                    say(self._ask(player, request, seconds))
                case WatchedPlayer() as player, {"end": manner}:
                    self._end(player)
                    if manner == "with a report":
                        say({"ended": True, "stderr": player.said})

    def _start(self, job: PlayerJob) -> None:
        if self._source is None or not self._source.is_running:
            self._source = self._start_source()
        self._player = WatchedPlayer(job, self._source, KeyedLines(job.key))
        self._source.tell(asdict(job))

    def _ask(self, player: WatchedPlayer, request: Message, seconds: float) -> Message:
        self._wait_for(lambda: bool(player.process_id or player.ending), START_SECONDS)
        if player.process_id is None:
            player.ending = {"kind": "no start"}
        player.answer = None
        begin = perf_counter()
        if player.ending is None:
            player.source.tell(request)
            self._wait_for(lambda: bool(player.answer or player.ending), seconds)
        waited = perf_counter() - begin
        if player.answer is None:
            if player.ending is None:
                player.ending = {"kind": "silence", "place": self._running_line(player)}
            self._kill(player)
            self._wait_for(lambda: False, SETTLING_SECONDS)
        events, player.events = player.events, []
        report: Message = {"answer": player.answer, "events": events, "waited": waited}
        if player.answer is None:
            report |= {"ending": player.ending, "stderr": player.said}
        return report

    def _end(self, player: WatchedPlayer) -> None:
        self._kill(player)
        self._wait_for(lambda: player.is_gone, END_SECONDS)
        if not player.is_gone:
            player.source.end()
        remove_folder(Path(player.job.home))
        if player.source.is_running:  # else the number may be that of another process by now
            clear_shared_memory(player.source.process_id)
        self._player = None

    def _kill(self, player: WatchedPlayer) -> None:
        player.throttle = None
        end_descendants(player.spared)

    def _running_line(self, player: WatchedPlayer) -> str | None:
        """Where the submission is: on a signal Python prints its stack, even in an endless loop."""
        if hasattr(signal, "SIGUSR1"):
            with contextlib.suppress(psutil.Error):
                psutil.Process(player.process_id).send_signal(signal.SIGUSR1)
            patience = FAREWELL_SECONDS / player.job.speed
            self._wait_for(lambda: player.running_line() is not None, patience)
        return player.running_line()

    def _wait_for(self, has_come: Callable[[], bool], seconds: float) -> None:
        """Handle news until a condition holds, for at most `seconds`."""
        end = monotonic() + seconds
        while not has_come() and (left := end - monotonic()) > 0:
            with contextlib.suppress(Empty):
                self._take_in(self._news.get(timeout=min(left, self._look_after())))

    def _look_after(self) -> float:
        """Hold the player to its limits; return the seconds until the next look."""
        player = self._player
        if player is None or player.process_id is None or player.ending is not None:
            return GLANCE_SECONDS
        if player.throttle is not None:
            player.throttle.hold()
        if monotonic() >= player.next_count:
            player.next_count = monotonic() + GLANCE_SECONDS
            reap_orphans([player.source.process_id])
            if len(player.processes()) > MOST_PROCESSES:
                player.ending = {"kind": "processes", "most": MOST_PROCESSES}
        return GLANCE_SECONDS if player.throttle is None else INTERVAL

    def _take_in(self, news: News) -> None:
        """Handle one piece of news; HungUp at the end of the commands, or if one is forged."""
        player = self._player
        if news.kind == "command":
            command = decoded(news.content, COMMAND)
            if command is None:
                raise HungUp
            self._commands.append(command)
        elif player is None or news.source is not player.source:
            return
        elif news.kind == "message":
            for message in player.lines.take_in(news.content):
                self._take_message(player, message)
        elif news.kind == "stderr":
            player.stderr = (player.stderr + news.content)[-TAIL_BYTES:]
        else:
            player.is_gone = True
            code = news.content
            ending = {"kind": "parent"} if player.spared else {"kind": "exit", "code": code}
            player.ending = player.ending or ending

    def _take_message(self, player: WatchedPlayer, message: Message) -> None:
        match message:
            case {"event": "answer"}:
                player.answer = message
            case {"event": "exit", "code": code}:
                player.is_gone = True
                player.ending = player.ending or {"kind": "exit", "code": code}
            case {"event": "ready", "process_id": process_id} if (
                player.process_id is None and process_id in player.processes()
            ):
                player.process_id = process_id
                player.events.append(message)
                if player.job.speed < 1:
                    player.throttle = Throttle(player.processes, player.job.speed)
            case {"event": "loading" | "loaded" | "hidden"} if len(player.events) < MOST_EVENTS:
                player.events.append(message)
            case _:
                player.ending = player.ending or {"kind": "forgery"}


def say(message: Message) -> None:
    """Send a report to the asking process; raise HungUp if it has gone."""
    try:
        os.write(1, encoded(message))
    except OSError as error:
        raise HungUp from error


def main() -> None:
    """Supervise players; the options are JSON on the command line."""
    options = json.loads(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit())
    adopt_orphans()
    with contextlib.suppress(HungUp), contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(owned_folder(Path(options["temporary"])))
        except OSError as error:
            say({"no_folder": str(error)})
            return
        stack.callback(end_descendants)
        supervisor = Supervisor(Starter(**options["starter"]), folder, options["mark"])
        say({"folder": str(folder)})
        supervisor.serve()
