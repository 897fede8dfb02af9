"""The Kaggle side: agents become submission files that are checked, evaluated, graded and ranked.

`build`, `check`, `evaluate`, `grade`, `ladder` and `review` do what the commands of these names do;
in a folder with a `submission.py` of its own, `import connectx` gives the same.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from submission.front_door import Submission, build, check, evaluate, grade, ladder, review

__all__ = ["Submission", "build", "check", "evaluate", "grade", "ladder", "review"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("connectx-agents")
    if name in __all__:
        from submission import front_door

        return getattr(front_door, name)
    raise AttributeError(f"module 'submission' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__, "__version__"]
