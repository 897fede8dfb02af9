"""Starts players' processes, by a host that is started when first needed and then kept."""

import atexit
import os
import secrets
import socket
import tempfile
from threading import Lock

from submission.isolation.keeper_line import KeeperLine
from submission.isolation.player_job import PlayerJob
from submission.isolation.running_host import RunningHost
from submission.isolation.running_player import RunningPlayer


class Launcher:
    """Starts players for all threads of this process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._host: RunningHost | None = None
        self._released: list[KeeperLine] = []

    def start_player(self, source: bytes, seed: int, memory: int) -> RunningPlayer:
        """Have a submission's process started, without waiting for it.

        Args:
            source: the submission file's content.
            seed: seeds Python's and numpy's global random numbers; from 0 to 2**32 - 1.
            memory: bytes of address space.

        Raises:
            ChildProcessError: the host does not start.
            OSError: the submission cannot be written.
        """
        key = secrets.token_hex(16)
        with self._lock:
            host = self._living_host()
            keeper = self._free_keeper(host)
        channel, theirs = socket.socketpair()
        with theirs:
            try:
                job = PlayerJob(tempfile.mkdtemp(dir=host.folder), seed, memory, key)
                job.lay_out(source)
                keeper.start_player(job, theirs)
            except BaseException:
                channel.close()
                keeper.close()
                raise
        return RunningPlayer(channel, keeper, key, self._released.append)

    def close(self) -> None:
        """End the host, if there is one, with all players."""
        with self._lock:
            self._let_keepers_go()
            if self._host is not None:
                self._host.close()
            self._host = None

    def forget(self) -> None:
        """Leave everything to the process that this one was forked from."""
        self._lock = Lock()
        self._let_keepers_go()
        if self._host is not None:
            self._host.let_go()
        self._host = None

    def _living_host(self) -> RunningHost:
        if self._host is not None and not self._host.is_alive:
            self._host.close()
            self._host = None
        if self._host is None:
            self._let_keepers_go()
            self._host = RunningHost()
        return self._host

    def _free_keeper(self, host: RunningHost) -> KeeperLine:
        """A keeper whose last player has ended, or a new one."""
        for keeper in [keeper for keeper in self._released if keeper.player_ends_within(0)]:
            self._released.remove(keeper)
            try:
                keeper.report()
            except (EOFError, OSError):
                keeper.close()
            else:
                return keeper
        return host.start_keeper()

    def _let_keepers_go(self) -> None:
        while self._released:
            self._released.pop().close()


LAUNCHER = Launcher()
atexit.register(LAUNCHER.close)
os.register_at_fork(after_in_child=LAUNCHER.forget)
