"""Names in code: their positions, and whether by Python's scopes they are the module's."""

import ast
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

Located = ast.expr | ast.stmt | ast.alias | ast.excepthandler | ast.pattern


@dataclass(frozen=True)
class Reference:
    """A reference to a name of the module, not to a parameter, a local variable or an attribute."""

    path: tuple[str, ...]
    """The name and the attributes that are read from it: `board` and `columns` in
    `board.columns`."""
    start: int  # offset in the text
    ends: tuple[int, ...]  # offsets after the name and after each attribute
    line: int
    changes: bool  # whether the whole path is bound or deleted here, or declared `global`
    quoted: bool  # whether it is in an annotation that is a string
    deferred: bool
    """Whether it is in the body of a function, where the name is only looked up when the function
    is called."""

    @property
    def binds(self) -> bool:
        """Whether it binds or deletes the name itself."""
        return self.changes and len(self.path) == 1


class SourceText:
    """A text, or a part of one, in which positions of `ast` become offsets."""

    def __init__(self, text: str, start: int = 0, line: int = 1) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.start = start
        self.line = line
        self._starts = [0, *accumulate(len(line) + 1 for line in self.lines)]

    def offset(self, line: int, column: int) -> int:
        """The offset of a position, whose column is in UTF-8 bytes, as in `ast`."""
        text = self.lines[line - 1]
        if not text.isascii():
            column = len(text.encode()[:column].decode(errors="ignore"))
        return self.line_start(line) + column

    def line_start(self, line: int) -> int:
        """The offset of a line, which may be the one after the last."""
        return self.start + self._starts[line - 1]

    def line_at(self, offset: int) -> int:
        """The number of the line that contains this offset."""
        return self.line + bisect_right(self._starts, offset - self.start) - 1

    def span(self, node: Located) -> tuple[int, int]:
        """The offsets at which a node begins and ends."""
        last_line, last_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self.offset(node.lineno, node.col_offset), self.offset(last_line, last_column)

    def name_span(self, name: str, node: Located) -> tuple[int, int]:
        """The offsets at which the name that a node binds or reads begins and ends."""
        start, end = self.span(node)
        if isinstance(node, ast.Name):
            return start, end
        code, name = self.between(start, end), re.escape(name)
        found = re.search(rf"\b(?:as|class|def)[\s\\]+({name})\b", code) or re.search(
            rf"(?s:.*)\b({name})\b", code
        )
        begin, end = found.span(1) if found else (0, len(name))
        return start + begin, start + end

    def between(self, start: int, end: int) -> str:
        """The text of a span."""
        return self.text[start - self.start : end - self.start]


Kind = Literal["module", "class", "function", "decorator", "comprehension", "type parameters"]
"""Kinds of scopes; "decorator" is a lambda that is called at once."""


@dataclass
class Scope:
    """A part of the code with names of its own."""

    kind: Kind
    parent: "Scope | None" = None
    bound: set[str] = field(default_factory=set)  # the names found so far that it binds
    deferred: bool = False  # whether it runs when a function is called
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)

    def leaves_to_module(self, name: str, is_early: bool) -> bool:
        """Whether a name is the module's; `is_early` if a class reads it before binding it."""
        scope = self
        while scope.parent is not None and name not in scope.global_names:
            if name in scope.bound and (scope is self or scope.kind != "class"):
                return scope is self and is_early
            scope = scope.parent
        return True
