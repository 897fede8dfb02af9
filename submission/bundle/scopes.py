"""Names in code: where they stand, and whether they mean the module's, by Python's scopes."""

import ast
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal, NamedTuple

Located = ast.expr | ast.stmt | ast.alias | ast.excepthandler | ast.pattern


@dataclass(frozen=True)
class Reference:
    """A reference to a name of the module: not to a parameter, a local variable or an attribute."""

    path: tuple[str, ...]
    """The name and the attributes that are read from it: `board` and `columns` in
    `board.columns`."""
    start: int  # offset in the text
    ends: tuple[int, ...]  # offsets behind the name and behind each attribute
    line: int
    changes: bool  # whether the whole path is bound or deleted here, or declared `global`
    quoted: bool  # whether it stands in an annotation that is a string
    deferred: bool
    """Whether it stands in the body of a function, where the name is looked up when the function is
    called."""

    @property
    def binds(self) -> bool:
        """Whether it gives the name itself a meaning, or takes it away."""
        return self.changes and len(self.path) == 1


class SourceText:
    """A text with the positions of `ast`, perhaps a part of another text."""

    def __init__(self, text: str, start: int = 0, line: int = 1) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.start = start
        self.line = line
        self._starts = [0, *accumulate(len(line) + 1 for line in self.lines)]

    def offset(self, line: int, column: int) -> int:
        """The offset of a position, whose column `ast` counts in bytes of UTF-8."""
        before = self.lines[line - 1].encode()[:column].decode(errors="ignore")
        return self.line_start(line) + len(before)

    def line_start(self, line: int) -> int:
        """The offset of a line, or of the line that would follow the last one."""
        return self.start + self._starts[line - 1]

    def line_at(self, offset: int) -> int:
        """The number of the line with this offset."""
        return self.line + bisect_right(self._starts, offset - self.start) - 1

    def span(self, node: Located) -> tuple[int, int]:
        """The offsets at which a node begins and ends."""
        last_line, last_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self.offset(node.lineno, node.col_offset), self.offset(last_line, last_column)

    def between(self, start: int, end: int) -> str:
        """The text of a span."""
        return self.text[start - self.start : end - self.start]


Kind = Literal["module", "class", "function", "decorator", "comprehension", "type parameters"]
"""Kinds of scopes. A `decorator` is a lambda that is called at once."""


@dataclass
class Scope:
    """A part of the code with names of its own."""

    kind: Kind
    parent: "Scope | None" = None
    bound: set[str] = field(default_factory=set)  # the names that it binds, as far as known
    deferred: bool = False  # whether it runs when a function is called
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)


class Mention(NamedTuple):
    """A name in the code, whose scope may still turn out to bind it."""

    name: str
    node: Located  # binds or reads the name
    attributes: Sequence[ast.Attribute]  # read from it, the first of them first
    changes: bool
    scope: Scope
    is_early: bool
    """Whether it is read in a class that has not bound it yet, so that it means the module's."""
    text: SourceText
    quoted: bool

    @property
    def is_global(self) -> bool:
        """Whether the name means the module's, once all scopes are known."""
        scope = self.scope
        while scope.parent is not None and self.name not in scope.global_names:
            if self.name in scope.bound and (scope is self.scope or scope.kind != "class"):
                return scope is self.scope and self.is_early
            scope = scope.parent
        return True

    @property
    def reference(self) -> Reference:
        """The reference to the module's name."""
        start, end = self.text.span(self.node)
        if not isinstance(self.node, ast.Name):
            code, name = self.text.between(start, end), re.escape(self.name)
            found = re.search(rf"\b(?:as|class|def)[\s\\]+{name}\b", code) or re.search(
                rf"(?s:.*)\b{name}\b", code
            )
            end = start + (found.end() if found else len(self.name))
            start = end - len(self.name)
        return Reference(
            (self.name, *(each.attr for each in self.attributes)),
            start,
            (end, *(self.text.span(each)[1] for each in self.attributes)),
            self.text.line_at(start),
            self.changes,
            self.quoted,
            self.scope.deferred,
        )
