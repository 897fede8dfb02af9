"""The source that a user has run: a module, a script, or the cells of a notebook."""

import ast
import linecache
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import inf
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from submission.bundle.definitions import Definition
from submission.bundle.functions.raised_cells import AT_TOP_LEVEL, RAISED
from submission.bundle.references import FunctionNode, bound_by, first_line
from submission.bundle.sources import NEVER_ON_KAGGLE, Module, ModuleReader

MAIN = "__main__"  # the name of the module that is run as a script, and of a notebook's

MAGIC = re.compile(r"get_ipython\(\)\.run_cell_magic\('(?:time|capture)'")
"""How a cell with `%%time` or `%%capture` begins in IPython's history."""

TIMED = re.compile(r"get_ipython\(\)\.run_line_magic\('time', (['\"].*['\"])\)$", re.MULTILINE)
"""What IPython's history has in place of `%time` and a statement."""

FRONT_DOORS = ("connectx", "submission", "submission.front_door")
"""The modules that build and evaluate players."""

PATH_CHANGE = re.compile(r"sys\.path\.")  # begins a call that changes where modules are found

NUMBERED = re.compile(r"(<.*?)(\d+)(\D*>)")
"""Names under which prompts keep what was typed, piece by piece."""


class Stop(NamedTuple):
    """A line that is being run, or that has raised."""

    line: int
    until: float  # the last of the lines that therefore have not run


@dataclass(frozen=True)
class Session:
    """The source that has defined the names of a namespace."""

    pieces: Sequence[str]
    """A module's text; or each of the cells, in the order in which they were run."""
    path: Path | None  # the module's file; None for cells
    stops: Sequence[Stop] = ()

    @cached_property
    def text(self) -> str:
        """The pieces, one below the other."""
        return "".join(self.pieces)

    def place(self, line: int) -> str:
        """The place of a line of the text, in words with a colon; empty for one that was added."""
        if line > self.text.count("\n") + 1:
            return ""
        if self.path is not None:
            return f"{self.path}, line {line}: "
        number = max(n for n, first in enumerate(self._first_lines) if first <= line)
        return f"cell {number + 1}, line {line - self._first_lines[number] + 1}: "

    def line_of(self, file: str, line: int) -> int | None:
        """The line of the text that corresponds to a line of a file or a cell, or None.

        Of equal cells, the last one counts.
        """
        source = _known_text(file).strip()
        firsts = [
            first
            for first, piece in zip(self._first_lines, self.pieces, strict=False)
            if piece.strip() == source
        ]
        return firsts[-1] + line - 1 if firsts else None

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

    def lines(self, node: FunctionNode) -> str:
        """The lines of a definition, with its decorators."""
        lines = self.text.split("\n")
        return "\n".join(lines[first_line(node) - 1 : node.end_lineno])

    def stopping(self, raised: Mapping[int, int]) -> "Session":
        """The session in which pieces, counted from 1, have raised at these lines of theirs."""
        firsts = self._first_lines
        stops = [
            Stop(firsts[number - 1] + line - 1, firsts[number] - 1)
            for number, line in raised.items()
            if number < len(firsts)
        ]
        return replace(self, stops=stops)

    @property
    def _first_lines(self) -> list[int]:
        return list(accumulate((piece.count("\n") for piece in self.pieces), initial=1))


def find_session(namespace: Mapping[str, Any], code: CodeType) -> Session:
    """Find the source that has defined a namespace, in which `code` is a function's."""
    session = _all_of(namespace, code)
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals is namespace and AT_TOP_LEVEL.match(frame.f_code.co_name):
            line = session.line_of(frame.f_code.co_filename, frame.f_lineno)
            return replace(session, stops=[*session.stops, *([Stop(line, inf)] if line else [])])
        frame = frame.f_back
    return session


def _all_of(namespace: Mapping[str, Any], code: CodeType) -> Session:
    """The whole session, including the lines that have not been run yet."""
    cells = namespace.get("In")
    if "get_ipython" in namespace and isinstance(cells, list):
        transform = namespace["get_ipython"]().transform_cell
        pieces = [_plain_cell(cell, transform) for cell in cells[1:]]
        return Session(pieces, None).stopping(RAISED)
    if numbered := NUMBERED.fullmatch(code.co_filename):
        begin, number, end = numbered.groups()
        names = [f"{begin}{earlier}{end}" for earlier in range(int(number) + 1)]
        return Session([_plain_cell(_known_text(name), str) for name in names], None)
    file = namespace.get("__file__") or code.co_filename
    linecache.checkcache(file)
    return Session([_known_text(file)], Path(file))


def _known_text(file: str) -> str:
    """The text of a file, or of what was typed; newer Pythons keep that apart."""
    typed: Mapping[object, Any] = getattr(linecache, "_interactive_cache", {})
    kept = (lines for _, _, lines, name in typed.values() if name == file)
    return "".join(linecache.getlines(file) or next(kept, []))


def _plain_cell(cell: str, transform: Callable[[str], str]) -> str:
    """The Python code of a cell; an empty line if it is not Python.

    `transform` makes Python of lines with magics, as IPython does when they run.
    """
    try:
        if MAGIC.match(cell):
            *_, body = ast.parse(cell, mode="eval").body.args  # type: ignore[attr-defined]
            cell = transform(body.value)
        cell = TIMED.sub(lambda found: str(ast.literal_eval(found[1])), cell)
        ast.parse(cell)
    except SyntaxError:
        return "\n"
    return _ended(cell)


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


class SessionReader(ModuleReader):
    """Keeps every statement that has run, under the names that it defines or changes.

    A loop or another statement that is still running is left out, and so is one that has raised,
    that builds or evaluates players, for which Kaggle lacks this package, or that awaits something
    outside of a function, as only cells can.
    """

    def read(self, stops: Sequence[Stop] = ()) -> Module:
        """The module, of the statements that have run."""
        self._stops = stops
        self._asking = set[str]()
        self.rebound = self._rebound()
        return super().read()

    def _read_statement(self, statement: ast.stmt, following: ast.stmt | None) -> None:
        match statement:
            case ast.Expr(value=ast.Constant(value=str())):
                pass
            case _ if any(stop.line < statement.lineno <= stop.until for stop in self._stops):
                pass
            case ast.Expr(value=ast.Call(func=called)) if PATH_CHANGE.match(ast.unparse(called)):
                pass  # the file is one, which finds no other
            case ast.If(test=test) if ast.unparse(test) in NEVER_ON_KAGGLE:
                has_run = self.module.name == MAIN and "__name__" in ast.unparse(test)
                for inner in statement.body if has_run else statement.orelse:
                    self._read_statement(inner, None)
            case _ if any(
                statement.lineno <= stop.line <= (statement.end_lineno or 0)
                and (following is None or following.lineno > stop.line)
                for stop in self._stops
            ):
                self.module.unfinished |= _defined_by(self._definition(statement, following))
            case ast.Try(body=body) if all(map(self._imports_own, body)):
                for inner in body:  # in one file they need no other way
                    self._read_statement(inner, None)
            case ast.Import(names=names) | ast.ImportFrom(names=names) if self.rebound.isdisjoint(
                map(bound_by, names)
            ):
                super()._read_statement(statement, following)
            case _:
                self._keep(statement, following)

    def _imports_own(self, statement: ast.stmt) -> bool:
        """Whether a statement imports only modules that go into the file as well."""
        match statement:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom():
                modules = [self._origin(statement)]
            case _:
                return False
        return self.project.issuperset(name.partition(".")[0] for name in modules)

    def _keep(self, statement: ast.stmt, following: ast.stmt | None) -> None:
        """Record a statement under every name that it binds or whose value it changes."""
        definition = self._definition(statement, following)
        asks = self._asks_this_package(definition)
        if definition.is_called_later:
            self._asking |= definition.names if asks else set()
        elif asks or any(map(_waits, definition.nodes)):
            self.module.unfinished |= _defined_by(definition)
            return
        for name in _defined_by(definition):
            self.module.definitions.setdefault(name, []).append(definition)
        self._add_running(definition)

    def _asks_this_package(self, definition: Definition) -> bool:
        """Whether a statement uses the front door, or a function that does."""
        used = {one.path[0] for one in definition.references}
        imports = (self.module.imports.get(name) for name in used)
        return not used.isdisjoint(self._asking) or any(
            each is not None and each.module in FRONT_DOORS for each in imports
        )

    def _aliases(self, statement: ast.ImportFrom, module: str) -> list[ast.alias]:
        """What a statement imports from a module, with stars resolved.

        A star brings along what its module imports, such as `random`. That is left out where it is
        imported here as well and `random.seed(1)` makes it a definition.
        """
        if statement.names[0].name != "*":
            return statement.names
        found = vars(sys.modules[module]) if module in sys.modules else {}
        names = found.get("__all__", [name for name in found if not name.startswith("_")])
        return [ast.alias(name) for name in names if not self._has_imported(name, found.get(name))]

    def _has_imported(self, name: str, value: Any) -> bool:
        """Whether a definition of this name is the import of this module."""
        return isinstance(value, ModuleType) and any(
            value.__name__ in _imported_by(one.statement)
            for one in self.module.definitions.get(name, ())
        )

    def _require_new(self, name: str, statement: ast.stmt) -> None:
        """Let a later import replace an earlier one, for two stars may import the same name."""
        if name in self.module.definitions:
            super()._require_new(name, statement)

    def _rebound(self) -> set[str]:
        """The names that are bound by an import and by something else."""
        ways = defaultdict[str, set[object]](set)
        for statement in self.tree.body:
            match statement:
                case ast.Import(names=names) | ast.ImportFrom(names=names):
                    for alias in names:
                        if alias.name != "*":
                            ways[bound_by(alias)].add(self._way(statement, alias))
                case _:
                    for name in _defined_by(self._definition(statement, None)):
                        ways[name].add(statement)
        return {name for name, found in ways.items() if len(found) > 1}

    def _way(self, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> object:
        """The binding of an import: `import package.one` binds the same as `import package.two`."""
        if isinstance(statement, ast.ImportFrom):
            return statement.module, ast.dump(alias)
        is_own_package = alias.asname is None and bound_by(alias) in self.project
        return bound_by(alias) if is_own_package else ast.dump(alias)


def _defined_by(definition: Definition) -> frozenset[str]:
    """The names that a statement binds, or whose values it changes when it runs."""
    return definition.names | definition.changed_at_once


def _waits(node: ast.AST) -> bool:
    """Whether a node awaits something."""
    return isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith) or bool(
        isinstance(node, ast.comprehension) and node.is_async
    )


def _imported_by(statement: ast.stmt) -> list[str]:
    """The full names of what a statement imports."""
    match statement:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names):
            return [f"{module}.{alias.name}" for alias in names]
    return []
