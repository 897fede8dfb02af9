"""Exceptions of submissions in plain words."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from submission.checking.kaggle_image import image_has
from submission.checking.observed_game import Failure
from submission.isolation.move import NO_CALLABLE

KAGGLE_FOLDER = "/kaggle_simulations/agent"


@dataclass(frozen=True, slots=True)
class Cause:
    """What is wrong, as the end of a sentence, and what mends it."""

    text: str
    mend: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the cause of an exception can lie in besides the submission."""

    neighbours: frozenset[str]
    """Names under which files and folders beside the original could be imported."""
    project_packages: frozenset[str]
    """Names of this project's packages, which Kaggle does not have."""
    python: str
    """Version of the Python that ran the submission."""
    hidden: tuple[str, ...]
    """Paths that it asked for and that this machine has, unlike Kaggle's."""
    memory: int
    """The limit, in bytes of address space."""


def explain(failure: Failure, surroundings: Surroundings) -> Cause:
    """The cause of an exception."""
    match failure.type:
        case "SyntaxError" | "IndentationError" | "TabError":
            return Cause(
                f"a syntax error: {failure.message} (read with Python {surroundings.python})",
                "correct the line, and run the file with Python before it is checked",
            )
        case "ModuleNotFoundError" if failure.module is not None:
            return _missing_module(failure.module, surroundings)
        case "NameError" if "__file__" in failure.message:
            return Cause(
                "`__file__` is used, which does not exist: Kaggle executes the file's text",
                "put the data into the file itself, or read it from "
                f"{KAGGLE_FOLDER}, where Kaggle unpacks a .tar.gz",
            )
        case "IndexError" if not failure.lines and "list index" in failure.message:
            return Cause(
                NO_CALLABLE,
                "define `def agent(observation, configuration)` in it",
            )
        case "TypeError" if not failure.lines and "positional argument" in failure.message:
            return Cause(
                f"the agent cannot be called as Kaggle does: {failure.message}",
                "give it the arguments (observation, configuration)",
            )
        case "FileNotFoundError":
            return _missing_file(failure, surroundings.hidden)
        case "MemoryError":
            return Cause(
                f"it ran out of the {gigabytes(surroundings.memory)} of memory that it may use",
                "keep less in memory",
            )
        case "RecursionError":
            return Cause(
                f"a function calls itself without end: {failure.message}",
                "end the recursion at a greatest depth",
            )
        case "SystemExit":
            return Cause(
                "the interpreter was left by sys.exit, exit or quit",
                "return from the agent instead",
            )
        case "KeyboardInterrupt":
            return Cause("KeyboardInterrupt was raised", "raise no KeyboardInterrupt")
        case _:
            return Cause(
                f"{failure.type}: {failure.message}" if failure.message else failure.type,
                "correct the line where the exception comes from",
            )


def gigabytes(size: int) -> str:
    """A number of bytes for a sentence."""
    return f"{size / 2**30:.3g} GiB"


def _missing_module(name: str, surroundings: Surroundings) -> Cause:
    top_level = name.partition(".")[0]
    if top_level in surroundings.neighbours:
        return Cause(
            f"the module {name} lies beside the submission, and Kaggle gets the submission alone",
            "put its code into the file, or pack both into a .tar.gz with main.py at its top",
        )
    if top_level in surroundings.project_packages:
        return Cause(
            f"the module {name} is this project's, which Kaggle does not have",
            "bundle the agent into one file with `connectx build`",
        )
    if image_has(top_level):
        return Cause(
            f"there is no module {name} here, though Kaggle's Python image has it",
            "install it here to check the submission",
        )
    return Cause(
        f"there is no module {name} here, nor is it listed for Kaggle's Python image",
        "leave it out, or pack it into a .tar.gz with main.py",
    )


def _missing_file(failure: Failure, hidden: Iterable[str]) -> Cause:
    for path in hidden:
        if PurePath(path).name in failure.message:
            return Cause(
                f"it asks for {path}, which is not on Kaggle's machine",
                "put the data into the file itself, or pack a .tar.gz with main.py at its top",
            )
    if KAGGLE_FOLDER in failure.message:
        return Cause(
            f"a file of Kaggle's machine is read, which is not here: {failure.message}",
            "put the data into the file itself, so that the submission can be checked anywhere",
        )
    return Cause(
        f"a file is missing: {failure.message}; Kaggle runs the submission alone, in a folder "
        "that is not its own",
        "put the data into the file itself",
    )
