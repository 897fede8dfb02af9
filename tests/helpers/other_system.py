"""An interpreter that, with its children, lacks features of Linux, as on another system."""

import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]

AS_ON_WINDOWS = """
import faulthandler, os, select, signal, socket, sys
import psutil  # needs its own `resource` on Linux
for name in "fcntl grp pwd resource termios".split():
    sys.modules[name] = None
for owner, names in (
    (faulthandler, "register"),
    (os, "fork forkpty register_at_fork setsid killpg getpgid sched_getaffinity sched_setaffinity"),
    (os, "O_DIRECTORY O_NOFOLLOW O_NONBLOCK geteuid mkfifo setuid wait4"),
    (select, "poll"),
    (signal, "SIGALRM SIGCONT SIGHUP SIGSTOP SIGUSR1 SIGVTALRM alarm pthread_sigmask setitimer"),
    (socket, "send_fds recv_fds"),
):
    for name in names.split():
        vars(owner).pop(name, None)
"""
"""What psutil, pytest and asyncio need on the real system is kept: SIGKILL, `os.getuid`, and
`os.sysconf`, which asyncio uses from Python 3.12 on."""


def other_python(folder: Path, lacking: str) -> Path:
    """Make such an interpreter with the packages of this one, in a virtual environment.

    Its children lack the same features, whatever variables and options they are started with.

    Args:
        folder: where to make it.
        lacking: the code that removes the features.
    """
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    (site / "lacking.py").write_text(lacking)
    (site / "lacking.pth").write_text("\n".join([str(ROOT), *packages, "import lacking\n"]))
    return folder / "bin" / "python"
