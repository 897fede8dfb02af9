"""The source that a user has run: a module, a script, or the cells of a notebook."""

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
"""How a cell with `%%time` or `%%capture` begins in IPython's history."""

TIMED = re.compile(r"get_ipython\(\)\.run_line_magic\('time', (['\"].*['\"])\)$", re.MULTILINE)
"""What IPython's history has in place of `%time` and a statement."""

NUMBERED = re.compile(r"(<.*?)(\d+)(\D*>)")
"""Names under which prompts keep what was typed, piece by piece."""

CELLS = Path("<cells>")  # in the place of a file


class Stop(NamedTuple):
    """A line that is being run, or that has raised."""

    line: int
    until: float  # the last of the lines that therefore have not run


@dataclass
class Session:
    """The source that has defined the names of a namespace."""

    pieces: Sequence[str]
    """A module's text; or each of the cells, in the order in which they were run."""
    path: Path = CELLS  # the module's file
    stops: list[Stop] = field(default_factory=list)

    @cached_property
    def text(self) -> str:
        """The pieces, one below the other."""
        return "".join(self.pieces)

    def place(self, line: int) -> str:
        """The place of a line of the text, in words with a colon; empty for one that was added."""
        if line > self.text.count("\n") + 1:
            return ""
        if self.path != CELLS:
            return f"{self.path}, line {line}: "
        number = max(n for n, first in enumerate(self.first_lines) if first <= line)
        return f"cell {number + 1}, line {line - self.first_lines[number] + 1}: "

    def line_of(self, file: str, line: int) -> int | None:
        """The line of the text that corresponds to a line of a file or a cell, or None."""
        source = _known_text(file).strip()
        firsts = [
            first
            for first, piece in zip(self.first_lines, self.pieces, strict=False)
            if piece.strip() == source
        ]
        return firsts[-1] + line - 1 if firsts else None  # of equal cells, the last counts

    def find_function(self, code: CodeType) -> FunctionNode | ast.Lambda | None:
        """The node that defines a function compiled from the text; None if that is not clear."""
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
        if len(found) > 1:  # lambdas in one line, told apart by where their bodies are
            places = {(begin, end) for _, _, begin, end in code.co_positions()}
            found = [
                node
                for node in found
                if isinstance(node, ast.Lambda)
                and (node.body.col_offset, node.body.end_col_offset) in places
            ]
        return found[0] if len(found) == 1 else None

    def source(self, function: FunctionNode | ast.Lambda, instead: Mapping[ast.expr, str]) -> str:
        """A lambda, or the lines of a definition, with other texts for some of its expressions."""
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
        """The lines at which the pieces begin, and the one behind the last."""
        return list(accumulate((piece.count("\n") for piece in self.pieces), initial=1))


def find_session(namespace: Mapping[str, Any], code: CodeType) -> Session:
    """Find the source that has defined a namespace, in which `code` is a function's."""
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
    """The whole session, including the lines that have not been run yet."""
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
    """The text of a file, or of what was typed; newer Pythons keep that apart."""
    typed: Mapping[object, Any] = getattr(linecache, "_interactive_cache", {})
    kept = (lines for _, _, lines, name in typed.values() if name == file)
    return "".join(linecache.getlines(file) or next(kept, []))


def _plain_cell(cell: str, transform: Callable[[str], str]) -> str:
    """The Python code of a cell, its magics transformed; an empty line if it is not Python."""
    try:
        if MAGIC.match(cell):
            *_, body = ast.parse(cell, mode="eval").body.args  # type: ignore[attr-defined]
            cell = transform(body.value)
        cell = TIMED.sub(lambda found: str(ast.literal_eval(found[1])), cell)
        ast.parse(cell)
    except SyntaxError:
        return "\n"
    return cell if cell.endswith("\n") else f"{cell}\n"
