"""The source that a user has run: of a module, a script, or the cells of a notebook."""

import ast
import linecache
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from math import inf
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from submission.bundle.functions.raised_cells import AT_TOP_LEVEL, RAISED
from submission.bundle.references import FunctionNode, first_line
from submission.bundle.scopes import SourceText

MAGIC = re.compile(r"get_ipython\(\)\.run_cell_magic\('(?:time|capture)'")
"""The start of a cell with `%%time` or `%%capture` in IPython's history."""

TIMED = re.compile(r"get_ipython\(\)\.run_line_magic\('time', (['\"].*['\"])\)$", re.MULTILINE)
"""The form of `%time` with a statement in IPython's history."""

NUMBERED = re.compile(r"(<.*?)(\d+)(\D*>)")
"""Names under which prompts keep each piece of typed code."""

CELLS = Path("<cells>")  # stands for the file of a notebook or a prompt


class Stop(NamedTuple):
    """A line that is still running, or that has raised."""

    line: int
    until: float  # the last of the lines after it that therefore have not run


@dataclass
class Session:
    """The source that defined the names of a namespace."""

    pieces: Sequence[str]
    """A module's text, or the cells in the order in which they were run."""
    path: Path = CELLS  # the module's file
    stops: list[Stop] = field(default_factory=list)

    @cached_property
    def text(self) -> str:
        """All pieces, joined."""
        return "".join(self.pieces)

    def place(self, line: int) -> str:
        """The place of a line of the text, in words with a colon; empty for an added line."""
        if line > self.text.count("\n") + 1:
            return ""
        if self.path != CELLS:
            return f"{self.path}, line {line}: "
        number = max(n for n, first in enumerate(self.first_lines) if first <= line)
        return f"cell {number + 1}, line {line - self.first_lines[number] + 1}: "

    def line_of(self, file: str, line: int) -> int | None:
        """The line of the text that corresponds to a line of a file or a cell; None if unknown."""
        source = _known_text(file).strip()
        firsts = [
            first
            for first, piece in zip(self.first_lines, self.pieces, strict=False)
            if piece.strip() == source
        ]
        return firsts[-1] + line - 1 if firsts else None  # the last of equal cells counts

    def find_function(self, code: CodeType) -> FunctionNode | ast.Lambda | None:
        """The node that defines a function compiled from the text; None if none or several fit."""
        line = self.line_of(code.co_filename, code.co_firstlineno)
        names = code.co_varnames[: code.co_argcount]
        found = [
            node
            for node in ast.walk(ast.parse(self.text))
            if isinstance(node, FunctionNode | ast.Lambda)
            and getattr(node, "name", "<lambda>") == code.co_name
            and first_line(node) == line
            and tuple(each.arg for each in (*node.args.posonlyargs, *node.args.args)) == names
        ]
        if len(found) > 1:  # lambdas in one line, distinguished by the positions of their bodies
            _, _, begins, ends = map(set, zip(*code.co_positions(), strict=True))
            found = [
                node
                for node in found
                if isinstance(node, ast.Lambda)
                and node.body.col_offset in begins
                and node.body.end_col_offset in ends
            ]
        return found[0] if len(found) == 1 else None

    def source(self, function: FunctionNode | ast.Lambda, instead: Mapping[ast.expr, str]) -> str:
        """The text of a lambda or a definition's lines, with `instead` for some expressions."""
        text = SourceText(self.text)
        begin, end = text.span(function)
        if not isinstance(function, ast.Lambda):
            begin = text.line_start(first_line(function))
        pieces = list[str]()
        for expression, other in instead.items():
            first, behind = text.span(expression)
            pieces += [text.between(begin, first), other]
            begin = behind
        return "".join([*pieces, text.between(begin, end)])

    @property
    def first_lines(self) -> list[int]:
        """The first line of each piece, and the line after the last piece."""
        return list(accumulate((piece.count("\n") for piece in self.pieces), initial=1))


def find_session(namespace: Mapping[str, Any], code: CodeType) -> Session:
    """Find the source that defined a namespace; `code` is that of a function in it."""
    session = _all_of(namespace, code)
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals is namespace and AT_TOP_LEVEL.match(frame.f_code.co_name):
            if line := session.line_of(frame.f_code.co_filename, frame.f_lineno):
                session.stops.append(Stop(line, inf))
            break
        frame = frame.f_back
    return session


def _all_of(namespace: Mapping[str, Any], code: CodeType) -> Session:
    """The whole session, including lines that have not been run yet."""
    cells = namespace.get("In")
    if "get_ipython" in namespace and isinstance(cells, list):
        transform = namespace["get_ipython"]().transform_cell
        pieces = [_plain_cell(cell, transform) for cell in cells[1:]]
        session = Session(pieces)
        firsts = session.first_lines
        session.stops += [
            Stop(firsts[number - 1] + line - 1, firsts[number] - 1)
            for number, line in RAISED.items()
            if number < len(firsts)
        ]
        return session
    if numbered := NUMBERED.fullmatch(code.co_filename):
        begin, number, end = numbered.groups()
        names = [f"{begin}{earlier}{end}" for earlier in range(int(number) + 1)]
        return Session([_plain_cell(_known_text(name), str) for name in names])
    file = namespace.get("__file__") or code.co_filename
    linecache.checkcache(file)
    return Session([_known_text(file)], Path(file))


def _known_text(file: str) -> str:
    """The text of a file, or of typed code, which newer Pythons store separately."""
    typed: Mapping[object, Any] = getattr(linecache, "_interactive_cache", {})
    kept = (lines for _, _, lines, name in typed.values() if name == file)
    return "".join(linecache.getlines(file) or next(kept, []))


def _plain_cell(cell: str, transform: Callable[[str], str]) -> str:
    """The Python code of a cell, with its magics transformed; an empty line if not Python."""
    try:
        if MAGIC.match(cell):
            *_, body = ast.parse(cell, mode="eval").body.args  # type: ignore[attr-defined]
            cell = transform(body.value)
        cell = TIMED.sub(lambda found: str(ast.literal_eval(found[1])), cell)
        ast.parse(cell)
    except SyntaxError:
        return "\n"
    return cell if cell.endswith("\n") else f"{cell}\n"
