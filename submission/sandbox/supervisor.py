"""Supervises one player after another, and ends every process that came from it.

This process stands between the one that asks for moves and those that run untrusted code. It owns
the players' folder. Each message on its standard input and output is a line of JSON. When its input
ends, for whatever reason, it ends all processes that came from it and removes the folder.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections import deque
from collections.abc import Callable
from itertools import chain
from math import inf
from pathlib import Path
from threading import Thread
from time import monotonic, perf_counter
from typing import Any

from submission.sandbox import causes, messages, processes
from submission.sandbox.causes import Cause
from submission.sandbox.folders import clear_shared_memory, owned_folder, remove_folder
from submission.sandbox.inside.player_process import FORK
from submission.sandbox.interpreter import APART, MARK, child_environment
from submission.sandbox.messages import Ask, End, Ended, Failed, Moved, Ready, Start, Started
from submission.sandbox.watched_player import WatchedPlayer

MOST_PROCESSES = 256  # a player with more processes at a time is ended
GLANCE_SECONDS = 0.2  # how long to wait for news before counting a player's processes again
START_SECONDS = 60.0  # how long the start of a process may take
END_SECONDS = 10.0  # how long the starter may take to report the end of a player that was killed
NOT_EXECUTED = 127  # the exit status of a command that cannot be executed, as in shells
FAREWELL_SECONDS = 1.0  # how long a process at full speed may take to print its stack
SETTLING_SECONDS = 0.1  # how long to wait for the last output of a process that has ended


class HungUp(Exception):
    """The asking process has ended."""


class Supervisor(asyncio.SubprocessProtocol):
    """Carries out commands from standard input: `Start` a player, `Ask` it for a move, `End` it.

    Args:
        starter: the command of the process that players come from: a fork server, or one that
            becomes the player. It reads a player's job from standard input, which then belongs to
            the player, as do standard output and standard error.
        folder: the starter's home.
        mark: the value of `MARK` in the environment of all processes.
    """

    def __init__(self, starter: list[str], folder: Path, mark: str) -> None:
        self._starter = starter
        self._folder = folder
        self._variables = {**child_environment(folder), MARK: mark}
        self._has_news = asyncio.Event()
        self._commands = deque[Start | Ask | End]()
        self._is_hung_up = False
        self._player: WatchedPlayer | None = None
        self._spares_starter = FORK in starter  # whether the starter outlives the player
        self._starter_id: int | None = None  # None while it does not run
        self._transport: Any = None  # of the starter

    async def serve(self) -> None:
        """Carry out commands until HungUp is raised; then no process is left."""
        # In a thread, because Windows cannot wait for this pipe together with others.
        reader = Thread(target=self._read, args=[asyncio.get_running_loop()], daemon=True)
        try:
            reader.start()
        except RuntimeError as error:  # the system permits no more threads
            say(Ended(str(error)))
            return
        say(messages.Begun(str(self._folder)))
        try:
            while True:
                await self._wait_for(lambda: bool(self._commands), inf)
                await self._carry_out(self._commands.popleft())
        finally:
            self._spares_starter = False
            await self._end_strays()
            with contextlib.suppress(TimeoutError):  # a signal may have come between it and its end
                async with asyncio.timeout(END_SECONDS):
                    while self._starter_id is not None:
                        self._has_news.clear()
                        await self._has_news.wait()
            if self._transport is not None:
                self._transport.close()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        # At exit Python would close `sys.stdin`, and wait for the thread that reads it.
        commands = os.fdopen(0, "rb", closefd=False)
        with contextlib.suppress(RuntimeError):  # the loop has ended before the commands
            for line in chain(commands, [b""]):
                loop.call_soon_threadsafe(self._take_command, line)

    def _take_command(self, line: bytes) -> None:
        """Queue the command in a line; hang up if the line is empty or no command."""
        self._has_news.set()
        command = messages.decoded(line, messages.COMMAND)
        if command is None:
            self._is_hung_up = True
        else:
            self._commands.append(command)

    async def _carry_out(self, command: Start | Ask | End) -> None:
        match self._player, command:
            case None, Start(job):
                self._player = WatchedPlayer(job, messages.KeyedLines(job.key))
                await self._start(self._player)
            case WatchedPlayer() as player, Ask(request, seconds):
                if not player.is_announced:  # before any of its code runs
                    player.is_announced = True
                    say(Started(player.job.key, player.ready or player.said))
                if player.ready is not None:
                    say(await self._ask(player, request, seconds))
            case WatchedPlayer() as player, End(is_silent):
                await self._end(player)
                if not is_silent:
                    say(Ended(player.said))

    async def _start(self, player: WatchedPlayer) -> None:
        try:
            if self._starter_id is None:
                await self._start_starter()
        except (OSError, RuntimeError) as error:  # RuntimeError: it permits no more threads
            player.note_said(str(error).encode())
            player.note_exit(NOT_EXECUTED)
        else:
            self._tell(player.job)
        await self._wait_for(lambda: bool(player.ready or player.cause), START_SECONDS)
        if player.ready is None:
            await self._end_strays()
            await self._wait_for(lambda: False, SETTLING_SECONDS)
        elif (speed := player.job.speed) < 1:
            used = processes.used_by(self._strays())
            player.throttle = processes.Throttle(speed, monotonic(), used)

    async def _start_starter(self) -> None:
        # A pipe of our own: asyncio's would be closed if the player wrote into it.
        requests, own_end = os.pipe()
        self._requests = os.fdopen(own_end, "wb", buffering=0)
        try:
            await asyncio.get_running_loop().subprocess_exec(
                lambda: self,
                *self._starter,
                stdin=requests,
                cwd=self._folder,
                env=self._variables,
                start_new_session=True,
                creationflags=APART,
            )
        finally:
            os.close(requests)

    async def _ask(self, player: WatchedPlayer, request: Any, seconds: float) -> Moved | Failed:
        player.answer = None
        begin = perf_counter()
        if player.cause is None:
            self._tell(request)
            await self._wait_for(lambda: bool(player.answer or player.cause), seconds)
        waited = perf_counter() - begin
        if player.answer is not None:
            return Moved(player.new_events(), waited, player.answer)
        status, cause = await self._failure(player, waited)
        return Failed(player.new_events(), waited, status, cause, player.said)

    async def _failure(self, player: WatchedPlayer, waited: float) -> tuple[messages.Status, Cause]:
        """Why no answer has come; the player is ended."""
        status: messages.Status = "ERROR"
        cause = player.cause
        if cause is None:
            # On a signal Python prints its stack, even in an endless loop.
            if hasattr(signal, "SIGUSR1") and player.ready is not None:
                processes.send(signal.SIGUSR1, [player.ready.process_id])
                patience = FAREWELL_SECONDS / player.job.speed
                await self._wait_for(lambda: player.running_line() is not None, patience)
            status = "TIMEOUT"
            cause = causes.of_silence(waited, player.running_line())
        await self._end_strays()
        await self._wait_for(lambda: False, SETTLING_SECONDS)
        return status, cause

    async def _end(self, player: WatchedPlayer) -> None:
        await self._end_strays()
        await self._wait_for(lambda: player.is_gone, END_SECONDS)
        if not player.is_gone:  # the starter does not report it
            self._transport.kill()
            await self._wait_for(lambda: self._starter_id is None, END_SECONDS)
        remove_folder(Path(player.job.home))
        if self._starter_id is not None:
            clear_shared_memory(self._starter_id)
        self._player = None

    def _strays(self) -> list[int]:
        spared = self._starter_id if self._spares_starter else None
        return [pid for pid in processes.descendants(os.getpid()) if pid != spared]

    async def _end_strays(self) -> None:
        """Kill and reap them; resume a stopped starter, so that it reaps what it has started."""
        if self._player is not None:
            self._player.throttle = None
        for _ in processes.ending(self._strays):
            await asyncio.sleep(processes.PAUSE)
            if self._spares_starter and self._starter_id is not None:
                processes.send(signal.SIGCONT, [self._starter_id])
            processes.reap_orphans(self._starter_id)

    async def _wait_for(self, has_come: Callable[[], bool], seconds: float) -> None:
        """Wait until a condition holds, at most `seconds`; HungUp if the asking process ended."""
        end = monotonic() + seconds
        while not has_come() and (left := end - monotonic()) > 0:
            if self._is_hung_up:
                raise HungUp
            self._has_news.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(left, self._look_after())):
                    await self._has_news.wait()

    def _look_after(self) -> float:
        """Enforce the player's limits; return the seconds until the next check."""
        player = self._player
        if player is None or player.ready is None or player.cause is not None:
            return GLANCE_SECONDS
        if player.throttle is not None:
            player.throttle.hold(self._strays())
        if monotonic() >= player.next_count:
            player.next_count = monotonic() + GLANCE_SECONDS
            processes.reap_orphans(self._starter_id)
            if len(self._strays()) > MOST_PROCESSES:
                player.fail(causes.of_many_processes(MOST_PROCESSES))
                return 0.0
        return GLANCE_SECONDS if player.throttle is None else processes.INTERVAL

    def _tell(self, message: object) -> None:
        """Write to the starter or to the player, unless it has ended."""
        with contextlib.suppress(OSError, ValueError):
            self._requests.write(messages.encoded(message))

    def connection_made(self, transport: Any) -> None:
        """The starter runs."""
        self._transport = transport
        self._starter_id = transport.get_pid()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """The starter or the player has written something."""
        self._has_news.set()
        if self._player is None:
            return
        if fd == 2:
            self._player.note_said(data)
            return
        for message in self._player.lines.take_in(data):
            match message:
                case Ready(process_id) if not self._player.ready and process_id in self._strays():
                    self._player.ready = message
                case _:
                    self._player.take(message)

    def process_exited(self) -> None:
        """The starter has ended."""
        self._has_news.set()
        self._requests.close()
        self._starter_id = None
        if self._player is not None:
            if self._spares_starter:
                self._player.fail(causes.ENDED_SUPERVISOR)
            self._player.note_exit(self._transport.get_returncode())


def say(message: object) -> None:
    """Send a report to the asking process; raise HungUp if it has ended."""
    try:
        os.write(1, messages.encoded(message))
    except OSError as error:
        raise HungUp from error


def main() -> None:
    """Supervise players; the command line has a mark, a folder, and the starter's command."""
    mark, temporary, *starter = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit())
    processes.adopt_orphans()
    with contextlib.suppress(HungUp), contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(owned_folder(Path(temporary)))
        except OSError as error:
            say(Ended(str(error)))
            return
        asyncio.run(Supervisor(starter, folder, mark).serve())
