"""An interpreter, and its children, as on a system that lacks features of Linux."""

import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]

WITHOUT_FORKS = """
import os, socket, sys
import psutil  # needs its own `resource` on Linux
sys.modules["resource"] = sys.modules["fcntl"] = None
for owner, names in (
    (os, "fork forkpty register_at_fork setsid killpg getpgid sched_getaffinity"),
    (socket, "send_fds recv_fds"),
):
    for name in names.split():
        vars(owner).pop(name, None)
"""

AS_ON_WINDOWS = f"""
{WITHOUT_FORKS}
import faulthandler, select, signal
sys.modules["grp"] = sys.modules["pwd"] = sys.modules["termios"] = None
for owner, names in (
    (faulthandler, "register"),
    (os, "O_DIRECTORY O_NOFOLLOW O_NONBLOCK geteuid mkfifo sched_setaffinity setuid wait4"),
    (select, "poll"),
    (signal, "SIGALRM SIGCONT SIGHUP SIGSTOP SIGUSR1 SIGVTALRM alarm pthread_sigmask setitimer"),
):
    for name in names.split():
        vars(owner).pop(name, None)
"""
"""What psutil, pytest and asyncio use on the system that this really is stays: SIGKILL,
`os.getuid`, and `os.sysconf`, for which asyncio asks from Python 3.12 on."""


def other_python(folder: Path, lacking: str) -> Path:
    """Make such an interpreter, with the packages of this one: an environment of its own.

    Its children lack the same features, whatever variables and options they are started with.

    Args:
        folder: where to make it.
        lacking: removes the features.
    """
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    (site / "lacking.py").write_text(lacking)
    (site / "lacking.pth").write_text("\n".join([str(ROOT), *packages, "import lacking\n"]))
    return folder / "bin" / "python"
