"""An interpreter as on a system that lacks what Windows lacks, with all that it starts."""

import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]

LACKING = """
import faulthandler, os, signal, socket, sys
import psutil  # needs its own `resource` on Linux
sys.modules["resource"] = sys.modules["fcntl"] = None
for owner, names in (
    (os, "fork forkpty register_at_fork setsid killpg getpgid sched_getaffinity"),
    (socket, "send_fds recv_fds"),
    (signal, "SIGUSR1 SIGHUP SIGALRM setitimer"),
    (faulthandler, "register"),
):
    for name in names.split():
        delattr(owner, name)
"""


def other_python(folder: Path) -> Path:
    """Make such an interpreter, with the packages of this one: an environment of its own.

    What a process lacks its children lack too, whatever variables and options they are started
    with.
    """
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    (site / "lacking.py").write_text(LACKING)
    (site / "lacking.pth").write_text("\n".join([str(ROOT), *packages, "import lacking\n"]))
    return folder / "bin" / "python"
