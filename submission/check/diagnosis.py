"""From a game that failed to the fault it shows, its cause in plain words, and the mend."""

from dataclasses import dataclass, field, replace

from submission.check.kaggle_image import image_has
from submission.check.observed_game import ObservedGame
from submission.sandbox.causes import Cause


@dataclass(frozen=True, slots=True)
class Fault:
    """Why Kaggle ends a game against the submission."""

    status: str
    """Kaggle's: ERROR, INVALID or TIMEOUT."""
    cause: str
    mend: str
    when: str = field(compare=False)
    """At which point of the game it showed; the same fault may show at several."""
    lines: tuple[str, ...] = ()
    """The traceback's lines that lie in the submission."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a missing module may be, besides a module of Kaggle's image."""

    neighbours: frozenset[str]
    """Names under which files and folders beside the original could be imported."""
    project_packages: frozenset[str]
    """Names of this project's packages, which Kaggle does not have."""


def diagnose(record: ObservedGame, surroundings: Surroundings, doubt: str | None) -> Fault | None:
    """The fault that a game shows; None where the submission passed it.

    Args:
        record: the game.
        surroundings: where a missing module may be had from.
        doubt: why the callable that Kaggle takes is probably not the one that was meant.
    """
    failure = record.failure
    if failure is None:
        return None
    cause = Cause(failure.cause, failure.mend)
    if failure.missing is not None:
        cause = _missing_module(failure.missing, surroundings)
    fault = Fault(failure.status, *cause, record.when, failure.lines)
    if doubt is None or fault.status == "TIMEOUT":
        return fault
    return replace(
        fault,
        cause=f"{doubt}; {fault.cause}",
        mend=f"define the agent's function after everything else in the file, or else {fault.mend}",
    )


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
