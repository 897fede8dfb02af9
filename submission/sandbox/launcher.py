"""Starts players through supervisors that are started when needed and then kept."""

import atexit
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from submission.kaggle import kaggle_environments
from submission.sandbox.inside.containment import LINUX
from submission.sandbox.inside.player_process import FORK
from submission.sandbox.interpreter import child_command
from submission.sandbox.player import RunningPlayer, SupervisorProcess


class SupervisorPool:
    """The supervisors of this process, shared by its threads; returned ones are reused."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._owners = dict[SupervisorProcess, object]()  # None for those that are idle
        self.is_closed = False

    def next_idle(self, command: tuple[str, ...], owner: object) -> SupervisorProcess | None:
        """Take an idle supervisor for an owner, if there is one with this command."""
        kind = command, tempfile.gettempdir()
        with self._lock:
            for supervisor, taker in self._owners.items():
                if taker is None and (supervisor.command, supervisor.temporary) == kind:
                    self._owners[supervisor] = owner
                    return supervisor
        return None

    def start(self, command: tuple[str, ...], owner: object) -> SupervisorProcess:
        """Start a supervisor for an owner; ChildProcessError if that fails."""
        supervisor = SupervisorProcess(command)
        with self._lock:
            self._owners[supervisor] = owner
        return supervisor

    def give_back(self, supervisor: SupervisorProcess) -> None:
        """Return a supervisor for further use, unless it is being ended."""
        with self._lock:
            if supervisor in self._owners:
                self._owners[supervisor] = None

    def end(self, owner: object) -> None:
        """End the supervisors that an owner has taken, with their players and folders."""
        with self._lock:
            ending = [taken for taken, taker in self._owners.items() if taker is owner]
            for supervisor in ending:
                del self._owners[supervisor]
        _end(ending)

    def close(self) -> None:
        """End all supervisors; no more are started."""
        with self._lock:
            self.is_closed = True
            ending = [*self._owners]
            self._owners.clear()
        _end(ending)

    def forget(self) -> None:
        """Forget all supervisors in a forked process: they belong to its parent."""
        self._lock = Lock()
        for supervisor in self._owners:
            supervisor.let_go()
        self._owners.clear()


def _end(supervisors: list[SupervisorProcess]) -> None:
    for supervisor in supervisors:
        supervisor.hang_up()
    for supervisor in supervisors:
        supervisor.close()


SUPERVISORS = SupervisorPool()


@atexit.register
def _close_at_exit() -> None:
    """End all supervisors, which does not take long, so another Ctrl-C is ignored."""
    with suppress(ValueError):  # only the main thread may set it
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    SUPERVISORS.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=SUPERVISORS.forget)


class Launcher:
    """Starts players that can be ended together.

    Args:
        python: the interpreter in which they run, as `find_python` finds it; None for this one.
        forks: whether they are forks of a server that has loaded their common imports; otherwise
            each is a fresh process, as on any system.
    """

    def __init__(self, python: Path | None = None, *, forks: bool = LINUX) -> None:
        self._python = python
        self._forks = forks
        self._is_closed = False

    @contextmanager
    def start_player(
        self, agent: bytes, *, seed: int, memory: int, speed: float = 1.0
    ) -> Iterator[RunningPlayer]:
        """Start a submission's process, without waiting for it; it ends with the `with` block.

        Args:
            agent: the content of the submission's file.
            seed: seeds Python's and numpy's global random numbers; from 0 to 2**32 - 1.
            memory: bytes of address space, enforced on Linux.
            speed: the share of one core that it has, with all that it starts; 1 is no limit.

        Raises:
            ModuleNotFoundError: kaggle_environments is not installed, where it is needed.
            ChildProcessError: no supervisor starts.
            OSError, ValueError: the submission cannot be written.
        """
        packages = [] if self._python else [kaggle_environments()]
        starter = child_command("submission.sandbox.inside.player_process", self._python, *packages)
        command = (*starter, *([FORK] if self._forks else []))
        player = self._start(command, agent, seed=seed, memory=memory, speed=speed)
        try:
            yield player
        except BaseException:  # a report may have been read in part
            player.supervisor.close()
            raise
        player.end()
        SUPERVISORS.give_back(player.supervisor)

    def _start(self, command: tuple[str, ...], agent: bytes, **limits: Any) -> RunningPlayer:
        while True:
            idle = SUPERVISORS.next_idle(command, self)
            supervisor = idle or SUPERVISORS.start(command, self)
            try:
                if self._is_closed or SUPERVISORS.is_closed or not supervisor.is_alive:
                    raise ChildProcessError("no more players are started")
                return RunningPlayer(supervisor, agent, **limits)
            except BaseException as error:
                supervisor.close()
                # A former player may have left it in disorder.
                if idle is None or self._is_closed or not isinstance(error, OSError):
                    raise

    def close(self) -> None:
        """End the players that still run; no more are started."""
        self._is_closed = True
        SUPERVISORS.end(self)


LAUNCHER = Launcher()  # starts the players of matches
