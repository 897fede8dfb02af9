"""The evaluating process's end of a player host."""

import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from submission.isolation.child_process import child_command, child_environment
from submission.isolation.keeper_line import KeeperLine
from submission.isolation.messages import receive_message, send_message

START_SECONDS = 60.0
"""How long the host may take to load what it forks."""


class RunningHost:
    """A running player host.

    Raises:
        ChildProcessError: it does not start.
        ModuleNotFoundError: kaggle_environments is not installed.
    """

    def __init__(self) -> None:
        command = child_command("submission.isolation.player_host")
        self.folder = Path(tempfile.mkdtemp(prefix="connectx-"))
        """Where players have their folders; the host removes it when it ends."""
        self._control, theirs = socket.socketpair()
        try:
            with theirs, self._log.open("wb") as log:
                self._process = subprocess.Popen(  # noqa: S603
                    [*command, str(theirs.fileno()), str(self.folder)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    cwd=self.folder,
                    env=child_environment(self.folder),
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
        except BaseException:
            self._control.close()
            shutil.rmtree(self.folder)
            raise
        self._wait_for_start()

    @property
    def _log(self) -> Path:
        """What the host writes to standard error."""
        return self.folder / "host.log"

    def _wait_for_start(self) -> None:
        self._control.settimeout(START_SECONDS)
        try:
            receive_message(self._control)
        except (EOFError, OSError) as error:
            said = self._log.read_text(errors="replace") if self._log.exists() else ""
            self._process.kill()
            self.close()
            reason = said.strip().rpartition("\n")[2] or "it said nothing"
            raise ChildProcessError(
                f"the process that starts players did not start: {reason}"
            ) from error

    @property
    def is_alive(self) -> bool:
        """Whether it can still start players."""
        return self._process.poll() is None

    def start_keeper(self) -> KeeperLine:
        """Have a keeper started, without waiting for it.

        Raises:
            OSError: the host has ended.
        """
        line, theirs = socket.socketpair()
        with theirs:
            try:
                send_message(self._control, {}, [theirs.fileno()])
            except BaseException:
                line.close()
                raise
        return KeeperLine(line)

    def close(self) -> None:
        """End the host with all of its players."""
        self.let_go()
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def let_go(self) -> None:
        """Close this process's end; the host ends when no process has one."""
        self._control.close()
