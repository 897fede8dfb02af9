"""An interpreter as on a system that lacks what Linux has, with all that it starts."""

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
        delattr(owner, name)
"""

AS_ON_WINDOWS = f"""
{WITHOUT_FORKS}
import faulthandler, signal
for name in "SIGUSR1 SIGHUP SIGALRM setitimer".split():
    delattr(signal, name)
del faulthandler.register
"""


def other_python(folder: Path, lacking: str) -> Path:
    """Make such an interpreter, with the packages of this one: an environment of its own.

    What a process lacks its children lack too, whatever variables and options they are started
    with.

    Args:
        folder: where to make it.
        lacking: takes away what there is not.
    """
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    (site / "lacking.py").write_text(lacking)
    (site / "lacking.pth").write_text("\n".join([str(ROOT), *packages, "import lacking\n"]))
    return folder / "bin" / "python"
