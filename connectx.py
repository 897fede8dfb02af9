"""The front door: `connectx.build`, `check`, `evaluate`, `compare`, `grade`, `ladder` and others.

It is that of the package `submission`, by a name that no submission has: where a hand-written
`submission.py` lies in the current folder, `import submission` is that file, and `import connectx`
is this.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from submission import Board as Board
    from submission import (
        Submission,
        build,
        check,
        compare,
        evaluate,
        grade,
        ladder,
        rank,
        review,
    )

__all__ = [
    "Submission",
    "build",
    "check",
    "compare",
    "evaluate",
    "grade",
    "ladder",
    "rank",
    "review",
]

HOME = Path(__file__).resolve().parent
PACKAGES = ("agents", "envs", "submission")


class OwnPackages:
    """Finds this project's packages beside this file, whatever lies in the current folder."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a package, if it is one of them."""
        return PathFinder.find_spec(name, [str(HOME)]) if name in PACKAGES else None


sys.meta_path.insert(0, OwnPackages)

if "IPython" in sys.modules and hasattr(import_module("submission"), "__path__"):
    import_module("submission.bundle.functions.raised_cells")


def __getattr__(name: str) -> Any:
    if name not in (*__all__, "Board", "__version__"):
        raise AttributeError(f"module 'connectx' has no attribute {name!r}")
    submission = import_module("submission")
    if not hasattr(submission, "__path__"):
        raise ImportError(
            f"`submission` is {submission.__file__} here, imported before this package: "
            "import connectx first"
        )
    return getattr(submission, name)


def __dir__() -> list[str]:
    return [*__all__, "Board", "__version__"]


if __name__ == "__main__":
    import_module("submission.__main__").main()
