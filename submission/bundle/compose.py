"""The text of a bundle: header, imports, a section for each module, and an entry point."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from textwrap import indent

from agents.agent import Agent
from agents.options import agent_options
from agents.registry import JsonValue
from submission.bundle.closure import Closure
from submission.bundle.naming import OwnNames
from submission.bundle.package_files import base85_lines
from submission.bundle.sources import LibraryImport, Module
from submission.kaggle import upload_command

RULE = "# " + "-" * 98
GAP = "\n\n"  # above and below functions and classes
BLOCK = re.compile(r"^(@|def |async def |class )", re.MULTILINE)  # begins one
CLOCK = LibraryImport("time", "perf_counter", None, line=1)  # the first import: it times the others
OWN_NAMES: OwnNames = {CLOCK.bound: CLOCK, "_STARTED": None, "_PLAYER": None, "agent": None}
"""Names that the head and the end of the file define."""

TOP = '''# ruff: noqa
# fmt: off
r"""{title}

{origin}

Needs Python 3.11 or newer and {needs}. Upload it with

    {upload}
"""
'''

DISTRIBUTION = "connectx-agents"

ORIGIN = """{summary}

Made by {made_by} with

    {command}"""

HEAD = """
{future}from time import perf_counter

_STARTED = perf_counter()

{imports}
"""

FUNCTION_ORIGIN = "Made by {made_by} from a function."

FUNCTION_END = """

# Kaggle's loader takes the last callable of the file
{line}
"""

TAIL = '''

{rule}
# Kaggle's entry point: its loader takes the last callable of the file
{data}
_PLAYER = {player}(lambda: {call}, {games}load_seconds=perf_counter() - _STARTED)
{compiling}


def agent(observation, configuration):
    """The column to play, counted from 0; for OpenSpiel's referees {{"submission": action}}."""
    return _PLAYER.answer(observation, configuration)
'''

DECODER = LibraryImport("base64", "b85decode", None, line=1)  # the import that the constants need

CONSTANT = """
# {name!r}, in base85
{constant} = b85decode(
{lines}
)
"""

COMPILING = "_PLAYER.compile_beside()"  # started when a file is loaded: goes on beside the game


@dataclass(frozen=True)
class DataFile:
    """A file that goes into a bundle."""

    option: str  # the option whose value it is
    path: str
    content: bytes = field(repr=False)

    @property
    def constant(self) -> str:
        """The name of its content in the bundle."""
        return f"_{self.option.upper()}_FILE"

    @property
    def definition(self) -> str:
        """The statement that defines the constant."""
        lines = base85_lines(self.content)
        return CONSTANT.format(name=PurePath(self.path).name, constant=self.constant, lines=lines)


def data_files(agent: type[Agent], options: Mapping[str, JsonValue]) -> list[DataFile]:
    """The files that an agent's options name, or their defaults; OSError if one cannot be read."""
    return [
        DataFile(option.name, path, option.read(path))
        for option in agent_options(agent)
        if option.read and isinstance(path := options.get(option.name, option.default), str)
    ]


def own_names(files: Sequence[DataFile]) -> OwnNames:
    """The names that a bundle with these files defines itself."""
    constants: OwnNames = {file.constant: None for file in files}
    return {**OWN_NAMES, **constants, **({DECODER.bound: DECODER} if files else {})}


def compose(
    closure: Closure,
    title: str,
    summary: str,
    command: str,
    player: str,
    call: str,
    files: Sequence[DataFile],
    games: Mapping[str, str],
) -> str:
    """The text of a bundle.

    Its docstring has the title, a summary of the agent and the command that builds the file again.
    The names of classes in the bundle are given for the player, and for other games that it plays,
    by OpenSpiel's names of these; `call` is the expression that makes an agent.
    """
    decoder = [DECODER.statement(DECODER.bound)] if files else []
    imports = sorted({*closure.imports, *decoder} - {CLOCK.statement(CLOCK.bound)})
    origin = ORIGIN.format(summary=_plain(summary), made_by=_made_by(), command=_plain(command))
    head = _top(title, origin, imports, command) + HEAD.format(
        future=_future(closure), imports="\n".join(_merged(imports))
    )
    rules = ", ".join(f"{game!r}: {name}()" for game, name in games.items())
    sections = [_section(module, closure.sources[module.name]) for module in closure.modules]
    tail = TAIL.format(
        rule=RULE,
        data="".join(file.definition for file in files),
        player=player,
        call=call,
        games=f"games={{{rules}}}, " if rules else "",
        compiling=COMPILING,
    )
    return head + "".join(sections) + tail


def compose_function(closure: Closure, name: str, last_line: str) -> str:
    """The text of a function's file; the last line, if any, makes it the last callable."""
    imports = _future(closure) + "\n".join(_merged(closure.imports))
    origin = FUNCTION_ORIGIN.format(made_by=_made_by())
    text = _top(f"A ConnectX agent: {name}.", origin, closure.imports, name)
    if imports:
        text += f"\n{imports.strip()}\n"
    parts = [closure.sources[module.name] for module in closure.modules]
    if len(parts) == 1:
        text += _definitions(parts[0])
    else:
        text += "".join(map(_section, closure.modules, parts))
    return text + (FUNCTION_END.format(line=last_line) if last_line else "")


def _top(title: str, origin: str, imports: list[str], message: str) -> str:
    """The docstring of a file: title, origin, requirements, and how to upload it."""
    return TOP.format(
        title=_plain(title),
        origin=origin,
        needs=_needs(imports),
        upload=upload_command("submission.py", _plain(message)),
    )


def _made_by() -> str:
    try:
        return f"{DISTRIBUTION} {version(DISTRIBUTION)}"
    except PackageNotFoundError:  # a source tree on the search path
        return DISTRIBUTION


def _future(closure: Closure) -> str:
    return "from __future__ import annotations\n\n" if closure.future else ""


def _section(module: Module, definitions: list[str]) -> str:
    """A module's definitions, below its name and docstring."""
    comment = indent(f"{module.name}\n\n{module.summary}", "# ", lambda _: True)
    heading = re.sub(" +$", "", comment, flags=re.MULTILINE)
    return f"{GAP}{RULE}\n{heading}\n{_definitions(definitions)}"


def _definitions(definitions: list[str]) -> str:
    text, above_is_block = "", True
    for definition in definitions:
        is_block = BLOCK.search(definition) is not None
        text += f"{GAP if is_block or above_is_block else ''}{definition}\n"
        above_is_block = is_block
    return text


def _merged(imports: list[str]) -> list[str]:
    """Import statements, merged into one line for each module."""
    plain = [statement for statement in imports if statement.startswith("import ")]
    names: dict[str, list[str]] = {}
    for statement in imports:
        if statement.startswith("from "):
            module, _, name = statement.removeprefix("from ").partition(" import ")
            names.setdefault(module, []).append(name)
    return plain + [f"from {module} import {', '.join(found)}" for module, found in names.items()]


def _needs(imports: list[str]) -> str:
    """The libraries that the file imports, in words."""
    modules = {statement.split()[1].partition(".")[0] for statement in imports}
    libraries = sorted(modules - sys.stdlib_module_names)
    return " and ".join(libraries) if libraries else "its standard library alone"


def _plain(text: str) -> str:
    """Text that is safe inside a docstring."""
    return text.replace('"""', "'''")
