"""The Kaggle side: build submission files from agents; check, evaluate, grade and rank them.

`build`, `check`, `evaluate`, `compare`, `grade`, `ladder`, `rank` and `review` do what the commands
of the same names do; `Board` is for notebooks. `import connectx` gives the same, also in a folder
that has its own `submission.py`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from submission.front_door import (
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
    from submission.web.board_widget import Board as Board

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


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("connectx-agents")
    if name in __all__:
        from submission import front_door

        return getattr(front_door, name)
    if name != "Board":
        raise AttributeError(f"module 'submission' has no attribute {name!r}")
    try:
        from submission.web.board_widget import Board
    except ModuleNotFoundError as error:
        if error.name not in ("anywidget", "ipywidgets", "traitlets"):
            raise
        raise ModuleNotFoundError(
            f"a board in a notebook needs {error.name}: install the extra `notebook` by "
            '`pip install -e ".[notebook]"`'
        ) from None
    return Board


def __dir__() -> list[str]:
    return [*globals(), *__all__, "Board", "__version__"]
