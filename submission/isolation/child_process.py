"""How Python is started for strangers' code."""

import os
import sys
from pathlib import Path

from submission.kaggle import kaggle_environments

PROJECT = Path(__file__).resolve().parents[2]
"""The folder in which this project's packages lie."""

KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ")


def child_command(module: str) -> list[str]:
    """The command that runs `main()` of one of this project's modules; arguments may follow.

    The current folder and the user's own packages are not on the child's search path, but
    kaggle_environments is, wherever it is installed; and so is the project, until the module hides
    it (see `hide_project`).

    Raises:
        ModuleNotFoundError: kaggle_environments is not installed.
    """
    site = Path(str(kaggle_environments().__file__)).parents[1]
    program = (
        f"import sys; sys.path.insert(0, {str(PROJECT)!r}); "
        f"{str(site)!r} in sys.path or sys.path.append({str(site)!r}); "
        f"from {module} import main; main()"
    )
    return [sys.executable, "-s", "-P", "-c", program]


def child_environment(folder: Path) -> dict[str, str]:
    """The child's environment variables: few, and the same hashes of strings in every process.

    Args:
        folder: the child's home and temporary folder.
    """
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, "HOME": str(folder), "TMPDIR": str(folder), "PYTHONHASHSEED": "0"}
