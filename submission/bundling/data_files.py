"""Data files that an agent is given as options: in a bundle they are constants."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from agents.agent import Agent
from agents.book.book_format import base85_lines
from agents.options import agent_options, file_content
from agents.registry import JsonValue

DECODER = "from base64 import b85decode"
"""The import that the constants need."""

CONSTANT = """
# {name!r}, in base85
{constant} = b85decode(
{lines}
)
"""


@dataclass(frozen=True)
class DataFile:
    """A file that goes into a bundle."""

    option: str
    """The option whose value it is."""
    path: str
    content: bytes = field(repr=False)

    @property
    def constant(self) -> str:
        """The name of its content in the bundle."""
        return f"_{self.option.upper()}"

    @property
    def definition(self) -> str:
        """The statement that defines the constant."""
        lines = base85_lines(self.content)
        return CONSTANT.format(name=PurePath(self.path).name, constant=self.constant, lines=lines)


def data_files(agent: type[Agent], options: Mapping[str, JsonValue]) -> list[DataFile]:
    """The files that options of an agent name.

    Raises:
        OSError: one cannot be read.
    """
    return [
        DataFile(option.name, path, file_content(path))
        for option in agent_options(agent)
        if option.is_file and isinstance(path := options.get(option.name), str)
    ]
