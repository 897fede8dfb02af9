"""Starts players, by supervisors that are started when needed and then kept."""

import atexit
import os
import signal
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from submission.kaggle import kaggle_environments
from submission.sandbox.interpreter import FORKS, Starter, child_command
from submission.sandbox.player import RunningPlayer, SupervisorProcess
from submission.sandbox.player_process import FORK


class SupervisorPool:
    """The supervisors of this process, for all its threads; returned ones are used again."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle = list[SupervisorProcess]()
        self._owners = dict[SupervisorProcess, object]()  # of those that are taken
        self._is_closed = False

    def take(self, starter: Starter, owner: object, *, is_new: bool = False) -> SupervisorProcess:
        """Take an idle supervisor for an owner, or a new one; ChildProcessError if none starts."""
        supervisor = None
        while not is_new and (supervisor := self._next_idle(starter)) and not supervisor.is_alive:
            supervisor.close()
        supervisor = supervisor or SupervisorProcess(starter)
        with self._lock:
            self._owners[supervisor] = owner
            is_late = self._is_closed
        if is_late:
            self.end(owner)
            raise ChildProcessError("no more players are started")
        return supervisor

    def give_back(self, supervisor: SupervisorProcess) -> None:
        """Return a supervisor for further use, unless it is being ended."""
        with self._lock:
            if self._owners.pop(supervisor, None) is not None:
                self._idle.append(supervisor)

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
            self._is_closed = True
            ending = self._let_all_go()
        _end(ending)

    def forget(self) -> None:
        """Forget all supervisors in a forked process: they belong to its parent."""
        self._lock = Lock()
        for supervisor in self._let_all_go():
            supervisor.let_go()

    def _next_idle(self, starter: Starter) -> SupervisorProcess | None:
        kind = starter, tempfile.gettempdir()
        with self._lock:
            for supervisor in self._idle:
                if (supervisor.starter, supervisor.temporary) == kind:
                    self._idle.remove(supervisor)
                    return supervisor
        return None

    def _let_all_go(self) -> list[SupervisorProcess]:
        known = [*self._owners, *self._idle]
        self._owners.clear()
        self._idle.clear()
        return known


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
        forks: whether a fork server starts them, which has loaded what all of them import; else
            each is a fresh process, on any system.
        supervisors: watch over them.
    """

    def __init__(
        self,
        python: Path | None = None,
        *,
        forks: bool = FORKS,
        supervisors: SupervisorPool = SUPERVISORS,
    ) -> None:
        self._python = python
        self._forks = forks
        self._supervisors = supervisors
        self._is_closed = False

    def start_player(
        self, agent: bytes, *, seed: int, memory: int, speed: float = 1.0
    ) -> RunningPlayer:
        """Start a submission's process, without waiting for it.

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
        command = child_command("submission.sandbox.player_process", self._python, *packages)
        starter = Starter((*command, *([FORK] if self._forks else [])), self._forks)
        start = partial(self._start, agent=agent, seed=seed, memory=memory, speed=speed)
        try:
            return start(self._supervisors.take(starter, self))
        except OSError:
            if self._is_closed:
                raise
            # A former player may have left its supervisor in disorder.
            return start(self._supervisors.take(starter, self, is_new=True))

    def _start(self, supervisor: SupervisorProcess, **settings: Any) -> RunningPlayer:
        try:
            if self._is_closed:
                raise ChildProcessError("no more players are started")
            return RunningPlayer(supervisor, release=self._supervisors.give_back, **settings)
        except BaseException:
            supervisor.close()
            raise

    def close(self) -> None:
        """End the players that still run; no more are started."""
        self._is_closed = True
        self._supervisors.end(self)


LAUNCHER = Launcher()  # starts the players of matches


def _end(supervisors: list[SupervisorProcess]) -> None:
    for supervisor in supervisors:
        supervisor.hang_up()
    for supervisor in supervisors:
        supervisor.close()
