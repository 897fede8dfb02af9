"""Judges the callable that Kaggle takes as the agent: the last one that the file brings in."""

import re
from dataclasses import dataclass
from typing import Literal

from submission.check.source_facts import Definition, SourceFacts

AGENT_NAME = re.compile(r"(^|_)(agent|act|bot|player)$", re.IGNORECASE)
"""Names that say that a function is meant to be the agent."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The callable that Kaggle takes as the agent."""

    name: str
    type: Literal["function", "class", "object"]
    line: int | None
    """Where its code begins; None for what has no Python code of its own."""
    arguments: int | None
    """How many arguments its code takes; None as for `line`."""
    file: str | None
    """Name of the file of its code; None as for `line`."""
    is_own: bool
    """Whether the submission's file defines it."""


def describe_choice(choice: Choice, source: SourceFacts) -> str:
    """The callable's name, kind and place, as in `helper (line 9, 2 arguments)`."""
    details: list[str] = [] if choice.type == "function" else [choice.type]
    if not choice.is_own:
        details.append(f"of {choice.file}" if choice.file else "imported")
    elif (line := _line(choice, source)) is not None:
        details.append(f"line {line}")
    if choice.arguments is not None:
        details.append(f"{choice.arguments} argument{'' if choice.arguments == 1 else 's'}")
    return f"{choice.name} ({', '.join(details)})" if details else choice.name


def doubt_choice(choice: Choice, source: SourceFacts) -> str | None:
    """Why the callable is probably not the one that was meant; None where it looks right."""
    meant = _meant(choice, source)
    what = describe_choice(choice, source)
    rule = "Kaggle takes the last callable that the file brings in as the agent"
    if meant is not None:
        return f"{rule}, which is {what} and not {meant.name} (line {meant.line})"
    if choice.type == "class":
        return f"{rule}, which is a class: {what}"
    if choice.type == "function" and not choice.is_own:
        return f"{rule}, which is imported: {what}"
    if choice.name == "<lambda>":
        return f"{rule}, which is a lambda: {what}"
    if choice.arguments == 0:
        return f"{rule}, which takes no observation: {what}"
    return None


def _line(choice: Choice, source: SourceFacts) -> int | None:
    lines = [entry.line for entry in source.definitions if entry.name == choice.name]
    return choice.line or (lines[-1] if lines else None)


def _meant(choice: Choice, source: SourceFacts) -> Definition | None:
    """The last function that is named like an agent, unless Kaggle takes such a one."""
    if choice.type == "function" and AGENT_NAME.search(choice.name):
        return None
    named = [
        entry
        for entry in source.definitions
        if entry.kind == "function" and AGENT_NAME.search(entry.name)
    ]
    return named[-1] if named else None
