"""Starts players' processes, by supervisors that are started when needed and then kept."""

import atexit
import os
from collections import deque
from pathlib import Path
from threading import Lock

from submission.kaggle import kaggle_environments
from submission.sandbox.interpreter import child_command
from submission.sandbox.player import RunningPlayer, SupervisorProcess
from submission.sandbox.starter import Starter


class Launcher:
    """Starts players for all threads of this process.

    Args:
        python: the interpreter in which they run, as `find_python` finds it; None for this one.
        forks: whether a fork server starts them, which has loaded what all of them import; else
            each is a fresh process, on any system.
    """

    def __init__(self, python: Path | None = None, *, forks: bool = hasattr(os, "fork")) -> None:
        self._python = python
        self._forks = forks
        self._lock = Lock()
        self._supervisors: set[SupervisorProcess] = set()
        self._released = deque[SupervisorProcess]()
        self._is_closed = False

    def start_player(
        self, agent: bytes | Path, *, seed: int, memory: int, speed: float = 1.0
    ) -> RunningPlayer:
        """Have a submission's process started, without waiting for it.

        Args:
            agent: the content of the submission's file, or the folder of its files.
            seed: seeds Python's and numpy's global random numbers; from 0 to 2**32 - 1.
            memory: bytes of address space, enforced on Linux.
            speed: the share of one core that it has, with all that it starts; 1 is no limit.

        Raises:
            ModuleNotFoundError: kaggle_environments is not installed, where it is needed.
            ChildProcessError: no supervisor starts.
            OSError: the submission cannot be written.
        """
        supervisor = self._free_supervisor()
        try:
            return RunningPlayer(
                supervisor,
                agent,
                seed=seed,
                memory=memory,
                speed=speed,
                release=self._released.append,
            )
        except BaseException:
            supervisor.close()
            raise

    def folder(self) -> Path:
        """A folder that is removed when this launcher is closed, or however this process ends.

        Raises:
            ModuleNotFoundError, ChildProcessError: see `start_player`.
        """
        return self._new_supervisor().folder

    def close(self) -> None:
        """End all players; no more are started."""
        with self._lock:
            self._is_closed = True
        supervisors = [*self._supervisors]
        for supervisor in supervisors:
            supervisor.hang_up()
        for supervisor in supervisors:
            supervisor.close()

    def forget(self) -> None:
        """Leave everything to the process that this one was forked from."""
        self._lock = Lock()
        for supervisor in self._supervisors:
            supervisor.let_go()
        self._supervisors.clear()
        self._released.clear()

    def _free_supervisor(self) -> SupervisorProcess:
        """A supervisor whose last player has ended or is being ended, or a new one."""
        with self._lock:
            while self._released:
                supervisor = self._released.popleft()
                if supervisor.is_alive:
                    return supervisor
        return self._new_supervisor()

    def _new_supervisor(self) -> SupervisorProcess:
        supervisor = SupervisorProcess(self._starter())
        with self._lock:
            self._supervisors.add(supervisor)
            is_late = self._is_closed
        if is_late:
            supervisor.close()
            raise ChildProcessError("no more players are started")
        return supervisor

    def _starter(self) -> Starter:
        module = "fork_server" if self._forks else "player_process"
        packages = [] if self._python else [kaggle_environments()]
        command = child_command(f"submission.sandbox.{module}", self._python, *packages)
        return Starter(command, self._forks)


LAUNCHER = Launcher()
atexit.register(LAUNCHER.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=LAUNCHER.forget)
