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
from submission.bundle.sources import Import
from submission.kaggle import upload_command

RULE = "# " + "-" * 98
GAP = "\n\n"  # above and below functions and classes
BLOCK = re.compile(r"^(@|def |async def |class )", re.MULTILINE)  # how these begin
CLOCK = Import("time", "perf_counter")  # the first import: it times the others
OWN_NAMES: OwnNames = {CLOCK.bound: CLOCK, "_STARTED": None, "_PLAYER": None, "agent": None}
"""Names that the beginning and the end of the file define."""

DISTRIBUTION = "connectx-agents"

DECODER = Import("base64", "b85decode")  # the import that the constants need

COMPILING = "_PLAYER.compile_beside()"  # starts at loading, and continues in the background


@dataclass(frozen=True)
class DataFile:
    """A data file that goes into a bundle."""

    option: str  # the option whose value it is
    path: str
    content: bytes = field(repr=False)

    @property
    def constant(self) -> str:
        """The name that the bundle gives to its content."""
        return f"_{self.option.upper()}_FILE"

    @property
    def definition(self) -> str:
        """The statement that defines the constant."""
        return f"""
# {PurePath(self.path).name!r}, in base85
{self.constant} = b85decode(
{base85_lines(self.content)}
)
"""


def data_files(agent: type[Agent], options: Mapping[str, JsonValue]) -> list[DataFile]:
    """The files that an agent's options or their defaults name; OSError if one cannot be read."""
    return [
        DataFile(option.name, path, option.read(path))
        for option in agent_options(agent)
        if option.read and isinstance(path := options.get(option.name, option.default), str)
    ]


def own_names(files: Sequence[DataFile]) -> OwnNames:
    """The names that the bundle itself defines, including those for these files."""
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
    """Compose the text of a bundle.

    Its docstring has the title, a summary of the agent and the command that rebuilds the file.
    `player` is the name of the player's class in the bundle, `call` the expression that makes an
    agent. `games` has the names of the classes of other games, by OpenSpiel's names for the games.
    """
    decoder = [DECODER.statement(DECODER.bound)] if files else []
    imports = sorted({*closure.imports, *decoder} - {CLOCK.statement(CLOCK.bound)})
    origin = f"""{_plain(summary)}

{_made_by()} with

    {_plain(command)}"""
    rules = ", ".join(f"{game!r}: {name}()" for game, name in games.items())
    others = f"games={{{rules}}}, " if rules else ""
    return f'''{_top(title, origin, imports, command)}
{_future(closure)}from time import perf_counter

_STARTED = perf_counter()

{_merged(imports)}
{_sections(closure)}

{RULE}
# Kaggle's entry point: its loader takes the last callable of the file
{"".join(file.definition for file in files)}
_PLAYER = {player}(lambda: {call}, {others}load_seconds=perf_counter() - _STARTED)
{COMPILING}


def agent(observation, configuration):
    """The column to play, counted from 0; for OpenSpiel's referees {{"submission": action}}."""
    return _PLAYER.answer(observation, configuration)
'''


def compose_function(closure: Closure, name: str, last_line: str) -> str:
    """Compose the text of a function's file; `last_line`, if any, makes it the last callable."""
    origin = f"{_made_by()} from a function."
    imports = f"{_future(closure)}{_merged(closure.imports)}".strip()
    text = _top(f"A ConnectX agent: {name}.", origin, closure.imports, name)
    text += f"\n{imports}\n" if imports else ""
    if len(closure.modules) == 1:
        text += _definitions(closure.sources[closure.modules[0].name])
    else:
        text += _sections(closure)
    if last_line:
        text += f"\n\n# Kaggle's loader takes the last callable of the file\n{last_line}\n"
    return text


def _top(title: str, origin: str, imports: list[str], message: str) -> str:
    """The docstring of a file: title, origin, requirements, and how to upload it."""
    return f'''# ruff: noqa
# fmt: off
r"""{_plain(title)}

{origin}

Needs Python 3.11 or newer and {_needs(imports)}. Upload it with

    {upload_command("submission.py", _plain(message))}
"""
'''


def _made_by() -> str:
    try:
        return f"Made by {DISTRIBUTION} {version(DISTRIBUTION)}"
    except PackageNotFoundError:  # a source tree on the search path
        return f"Made by {DISTRIBUTION}"


def _future(closure: Closure) -> str:
    return "from __future__ import annotations\n\n" if closure.future else ""


def _sections(closure: Closure) -> str:
    text = ""
    for module in closure.modules:
        comment = indent(f"{module.name}\n\n{module.summary}", "# ", lambda _: True)
        heading = re.sub(" +$", "", comment, flags=re.MULTILINE)
        text += f"{GAP}{RULE}\n{heading}\n{_definitions(closure.sources[module.name])}"
    return text


def _definitions(definitions: list[str]) -> str:
    text, above_is_block = "", True
    for definition in definitions:
        is_block = BLOCK.search(definition) is not None
        text += f"{GAP if is_block or above_is_block else ''}{definition}\n"
        above_is_block = is_block
    return text


def _merged(imports: list[str]) -> str:
    plain = [statement for statement in imports if statement.startswith("import ")]
    names: dict[str, list[str]] = {}
    for statement in imports:
        if statement.startswith("from "):
            module, _, name = statement.removeprefix("from ").partition(" import ")
            names.setdefault(module, []).append(name)
    merged = [f"from {module} import {', '.join(found)}" for module, found in names.items()]
    return "\n".join([*plain, *merged])


def _needs(imports: list[str]) -> str:
    modules = {statement.split()[1].partition(".")[0] for statement in imports}
    libraries = sorted(modules - sys.stdlib_module_names)
    return " and ".join(libraries) if libraries else "its standard library alone"


def _plain(text: str) -> str:
    """Text that is safe inside a docstring."""
    return text.replace('"""', "'''")
