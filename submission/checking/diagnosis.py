"""The fault in a failed game: its cause in plain words, and how to mend it.

The cause may be that Kaggle takes the wrong callable, the last one in the file, as the agent.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from submission.checking.kaggle_image import image_has, is_missing_here_alone
from submission.checking.observed_game import WHILE_LOADING, Fault, ObservedGame
from submission.sandbox.causes import Cause
from submission.sandbox.inside.file_guard import PROJECT_MODULES
from submission.sandbox.inside.source_facts import (
    NEWER_PYTHON,
    OLDER_PYTHON,
    Definition,
    SourceFacts,
)
from submission.sandbox.messages import Choice

AGENT_NAME = re.compile(r"(^|_)(agent|act|bot|player)$", re.IGNORECASE)
"""Names of functions that are probably meant to be the agent."""


def diagnose(
    record: ObservedGame, source: SourceFacts, neighbours: Collection[str]
) -> Fault | None:
    """Find the fault in a game; None if the submission passed it.

    Syntax that neither of Kaggle's Python versions can read is a fault in every game. `neighbours`
    are names by which files and folders beside the original file could be imported.
    """
    failure = record.failure
    if failure is None:
        return _unread_syntax(source)
    choice = record.loaded.choice if record.loaded else None
    doubt = doubt_choice(choice, source)
    cause = Cause(failure.cause, failure.mend)
    imports = source.imports or ()
    done_without = (entry for entry in imports if entry.is_guarded and is_missing_here_alone(entry))
    missing = () if doubt else tuple(entry.module for entry in done_without)
    if failure.missing is not None:
        is_late = record.when != WHILE_LOADING and any(
            entry.module == failure.missing and entry.origin == "packed" for entry in imports
        )
        cause, is_kaggles = _missing_module(failure.missing, neighbours, is_late)
        missing = (failure.missing,) if is_kaggles else ()
    fault = Fault(failure.status, *cause, record.when, failure.lines, missing)
    if doubt is None or choice is None or fault.status == "TIMEOUT":
        return fault
    mend = f"{mend_choice(choice)}, or else {fault.mend}"
    return replace(fault, cause=f"{doubt}; {fault.cause}", mend=mend)


def _unread_syntax(source: SourceFacts) -> Fault | None:
    """The fault that only Kaggle would show, in each game: syntax that its Python versions lack."""
    if source.unreadable_line is None:
        return None
    (major, older), (_, newer) = OLDER_PYTHON, NEWER_PYTHON
    return Fault(
        "ERROR",
        f"Kaggle plays with Python {major}.{older} or {major}.{newer}, and neither can read line "
        f"{source.unreadable_line}",
        "write it without the syntax of newer versions",
        WHILE_LOADING,
    )


def _missing_module(name: str, neighbours: Collection[str], is_late: bool) -> tuple[Cause, bool]:
    """The cause of a failed import, and whether Kaggle's image has the module.

    `is_late` says whether the module is packed beside the file, and was imported during a move.
    """
    top_level = name.partition(".")[0]
    if is_late:
        return Cause(
            f"the module {name} is imported during a move, but Kaggle finds what is packed beside "
            "main.py only while main.py is loaded",
            "import it at the top of main.py",
        ), False
    if top_level in neighbours:
        return Cause(
            f"the module {name} lies beside the submission, but Kaggle gets only the submission",
            "put its code into the file, or pack both into a .tar.gz with main.py at its top",
        ), False
    if top_level in PROJECT_MODULES:
        return Cause(
            f"the module {name} belongs to this project, which Kaggle does not have",
            "bundle the agent into one file with `connectx build`",
        ), False
    if image_has(top_level):
        return Cause(
            f"there is no module {name} here, though Kaggle's Python image has it",
            "install it here to check the submission",
        ), True
    return Cause(
        f"there is no module {name} here, nor is it listed for Kaggle's Python image",
        "leave it out, or pack it into a .tar.gz with main.py",
    ), False


def describe_choice(choice: Choice, source: SourceFacts) -> str:
    """The callable's name, kind and place, such as `helper (line 9, 2 arguments)`."""
    details: list[str] = [] if choice.type == "function" else [choice.type]
    if not choice.is_own:
        details.append(f"of {choice.file}" if choice.file else "imported")
    elif (line := _line(choice, source)) is not None:
        details.append(f"line {line}")
    if choice.arguments is not None:
        details.append(f"{choice.arguments} argument{'' if choice.arguments == 1 else 's'}")
    return f"{choice.name} ({', '.join(details)})" if details else choice.name


def doubt_choice(choice: Choice | None, source: SourceFacts) -> str | None:
    """Why the callable is probably not the intended one; None if it looks right."""
    if choice is None:
        return None
    meant, what = _meant(choice, source), describe_choice(choice, source)
    rule = "Kaggle takes the last callable that the file defines or imports as the agent"
    if meant is not None:
        return f"{rule}, which is {what} and not {meant.name} (line {meant.line})"
    oddities = {
        "is a class": choice.type == "class",
        "takes no observation": choice.arguments == 0,
        "is imported": choice.type == "function" and not choice.is_own,
        "is a lambda": choice.type == "function" and choice.name == "<lambda>",
    }
    odd = next((oddity for oddity, is_so in oddities.items() if is_so), None)
    return None if odd is None else f"{rule}, which {odd}: {what}"


def mend_choice(choice: Choice) -> str:
    """How to make Kaggle call the intended function, which a decorator may have wrapped."""
    last = "define the agent's function after everything else in the file"
    if choice.arguments != 0:
        return last
    return (
        f"name its arguments, as in `def {choice.name}(observation, configuration)`, because "
        "Kaggle passes nothing to *args; if a decorator such as @torch.no_grad() has wrapped it, "
        f"call it from such a function; or {last}"
    )


def _line(choice: Choice, source: SourceFacts) -> int | None:
    lines = (entry.line for entry in reversed(source.definitions) if entry.name == choice.name)
    return choice.line or next(lines, None)


def _meant(choice: Choice, source: SourceFacts) -> Definition | None:
    """The last function that is named like an agent, unless Kaggle takes what is named like one.

    That may be an object that a decorator such as `lru_cache` has made of the function.
    """
    if choice.type != "class" and AGENT_NAME.search(choice.name):
        return None
    functions = [entry for entry in reversed(source.definitions) if entry.kind == "function"]
    return next((entry for entry in functions if AGENT_NAME.search(entry.name)), None)
