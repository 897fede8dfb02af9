"""The interpreter for untrusted code: find and probe it; its command and its variables."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

from submission.kaggle import INSTALLATION
from submission.sandbox.inside.file_guard import PROJECT
from submission.sandbox.inside.player_process import HOME_VARIABLES

KEPT_VARIABLES = (
    *("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ"),
    # Windows' own; without the first, Python does not even start there.
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    "NUMBER_OF_PROCESSORS",
)

MARK = "CONNECTX_SANDBOX"
"""Environment variable that marks the processes of a sandbox, even without its supervisor."""

APART = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""`creationflags` that keep Ctrl-C from a process on Windows; elsewhere its own session does."""

OLDEST_PYTHON = (3, 11)

PYTHON_OF_ENVIRONMENT = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"

ADVICE = "name a Python of 3.11 or newer, or the folder of a virtual environment"

PROBE = """
import sys
print("Python %d %d" % sys.version_info[:2])
from importlib.util import find_spec
print(find_spec("kaggle_environments") is not None)
"""
"""Prints an interpreter's version and packages; the first lines run on every Python."""

PROBE_SECONDS = 30


def child_command(module: str, python: Path | None, *packages: ModuleType) -> list[str]:
    """The command that runs `main()` of a module of this project; arguments may follow.

    The current folder and the user's own packages are not on the child's search path. The project
    is on it until the module hides it (see `hide_project`). Another interpreter uses its own
    packages, and the given ones from where this process has found them.
    """
    program = f"import sys; sys.path.insert(0, {str(PROJECT)!r}); "
    for package in packages:
        site = str(Path(str(package.__file__)).parents[1])
        program += f"{site!r} in sys.path or sys.path.append({site!r}); "
    program += f"from {module} import main; main()"
    return [str(python or sys.executable), "-s", "-P", "-c", program]


def child_environment(folder: Path) -> dict[str, str]:
    """The few variables of a child with this home; strings have the same hashes in each process.

    Python reads files as UTF-8, as on Kaggle's machine, whatever the system's encoding; and pip
    installs nothing from the network.
    """
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    homes = dict.fromkeys(HOME_VARIABLES, str(folder))
    return {**kept, **homes, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "PIP_NO_INDEX": "1"}


def find_python(path: Path) -> Path:
    """Find another interpreter that can play Kaggle's games.

    Args:
        path: an interpreter, a command that starts one, or the folder of a virtual environment.

    Returns:
        Its absolute path, with links unresolved: they identify a virtual environment.

    Raises:
        FileNotFoundError: there is nothing of that name.
        ValueError: it is not Python 3.11 or newer, or lacks kaggle_environments.
    """
    named = path / PYTHON_OF_ENVIRONMENT if path.is_dir() else path
    found = named if named.exists() else shutil.which(named)
    if found is None:
        raise FileNotFoundError(f"there is no Python at {path}: {ADVICE}")
    python = Path(found).absolute()
    version, has_kaggle = _probe(python)
    if version < OLDEST_PYTHON:
        raise ValueError(f"{path} is Python {version[0]}.{version[1]}: {ADVICE}")
    if not has_kaggle:
        raise ValueError(
            f"{path} has no kaggle_environments: {INSTALLATION.format(pip=f'{python} -m pip')}, "
            "or run `make kaggle-image` for an environment with Kaggle's versions"
        )
    return python


def _probe(python: Path) -> tuple[tuple[int, int], bool]:
    try:
        answer = subprocess.run(  # noqa: S603
            [str(python), "-E", "-s", "-c", PROBE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise ValueError(f"{python} cannot be run ({error.strerror}): {ADVICE}") from error
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"{python} did not answer in {PROBE_SECONDS} s: {ADVICE}") from error
    match answer.stdout.split():
        case ["Python", major, minor, *found]:
            return (int(major), int(minor)), found == ["True"]
        case _:
            said = answer.stderr.strip().partition("\n")[0]
            raise ValueError(f"{python} is not Python ({said or 'it printed nothing'}): {ADVICE}")
