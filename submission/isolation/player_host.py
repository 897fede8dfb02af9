"""The process that players' processes are forked from: what all of them import is loaded once.

Run by `child_command` with the number of a socket to the evaluating process, and the folder that
holds the players' folders. It ends when the other end of that socket is closed.
"""

import contextlib
import faulthandler
import gc
import os
import selectors
import shutil
import socket
import sys
from functools import partial
from pathlib import Path

from submission.isolation.child_exits import ChildExits
from submission.isolation.descendants import adopt_orphans, end_descendants
from submission.isolation.forking import close_all_files_but, fork
from submission.isolation.keeper import run_keeper
from submission.isolation.messages import receive_message, send_message
from submission.isolation.project_hiding import hide_project


class PlayerHost:
    """Forks a keeper for each line that comes over the control socket."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._exits = ChildExits()
        self._keepers: set[int] = set()

    def serve(self) -> None:
        """Start keepers until the other end of the control socket is closed."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(self._exits.news, selectors.EVENT_READ)
            with contextlib.suppress(EOFError, ConnectionError):
                while True:
                    for key, _ in selector.select():
                        if key.fileobj is self._control:
                            self._start_keepers()
                        else:
                            self._exits.clear()
                            self._forget_ended()

    def _start_keepers(self) -> None:
        _, files = receive_message(self._control)
        for file in files:
            with socket.socket(fileno=file) as line:
                self._keepers.add(fork(partial(self._become_keeper, line)))

    def _become_keeper(self, line: socket.socket) -> None:
        self._exits.close()
        close_all_files_but(line.fileno())
        run_keeper(line)

    def _forget_ended(self) -> None:
        """A keeper that a player has killed leaves strays behind."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                self._keepers.discard(ended[0])
        end_descendants(spared=self._keepers)


def main() -> None:
    """Do as the command line says."""
    control = socket.socket(fileno=int(sys.argv[1]))
    folder = Path(sys.argv[2])
    sys.argv[:] = [""]
    faulthandler.enable()
    hide_project()
    adopt_orphans()
    gc.freeze()
    host = PlayerHost(control)
    try:
        send_message(control, {"ready": True})
        host.serve()
        end_descendants()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
