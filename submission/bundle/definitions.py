"""Statements at the top level of a module, which define its names or change their values.

Whether code changes a value in place is judged by the names of the methods and functions it calls.
"""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import Any

from submission.bundle.references import Names, find_names
from submission.bundle.scopes import Reference, SourceText

CHANGING_METHODS = re.compile(
    "add|append|appendleft|clear|difference_update|discard|extend|extendleft|fill|insert|"
    "intersection_update|move_to_end|pop|popitem|popleft|register|remove|resize|reverse|rotate|seed|"
    "seterr|setdefault|setflags|sort|update"
)
"""Names of methods that change their object, or of functions that change their module."""

CHANGING_FUNCTIONS = re.compile(
    "copyto|fill_diagonal|heapify|heappop|heappush|insort|next|put|setattr|shuffle"
)
"""Names of functions that change their first argument."""

LOADING_METHODS = re.compile("load|load_state_dict|load_weights")
"""Names of methods that change their object if their result is not used."""

READING = re.compile(
    "fromfile|genfromtxt|get_ipython|imread|load|loadmat|loadtxt|memmap|open|urlopen|urlretrieve|"
    "read_(bytes|csv|feather|json|parquet|pickle|text)"
)
"""Names of functions and methods that read what Kaggle lacks: a file, the output of a shell."""

TELLING_TIME = re.compile("(monotonic|perf_counter|process_time|thread_time|time)(_ns)?|now|today")
"""Names of functions and methods that read a clock."""

DRAWING = re.compile(
    r"binomial|choices?|exponential|gauss|getrandbits|integers|normal|permut(ation|ed)|poisson|"
    r"(rand|standard_)\w*|sample|shuffle|triangular|uniform|\w+variate"
)
"""Names of functions and methods that draw random numbers."""

MAKING = ("__init__", "__new__", "__post_init__")
"""Names of methods that run when an object is made."""

LOADER_NAMES = frozenset(
    {"__file__", "__loader__", "__name__", "__package__", "__path__", "__spec__"}
)
"""Module attributes that Kaggle's loader leaves out or sets to something else."""

CALLED_LATER = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

REPLACING = CALLED_LATER | ast.Assign | ast.AnnAssign | ast.ImportFrom
"""Statements that always bind their names."""

NO_FILE_BESIDE = (
    "no other file lies beside a bundle; read it at the top of a function's module, by a statement "
    "such as NAME = ..., or declare it as an agent's option by `agents.options.file_option`"
)


class BundleError(ValueError):
    """A construct that cannot be bundled into one file; the message says where it is."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.path = path
        self.line = line
        self.problem = problem


@dataclass(frozen=True, eq=False)
class Definition:
    """A top-level statement that defines names or changes their values."""

    module: str
    path: Path
    statement: ast.stmt = field(repr=False)
    text: SourceText = field(repr=False)  # of the module
    start: int  # offset in the text at which its source begins, with the comments above it
    end: int

    @property
    def line(self) -> int:
        """The number of its first line in the module."""
        return self.text.line + self.statement.lineno - 1

    @property
    def source(self) -> str:
        """Its text, with its comments."""
        return self.text.between(self.start, self.end)

    @property
    def is_called_later(self) -> bool:
        """Whether it defines a function or a class, which is called later."""
        return isinstance(self.statement, CALLED_LATER)

    @property
    def decorators(self) -> list[ast.expr]:
        """Its decorators, which are called when it runs."""
        return getattr(self.statement, "decorator_list", [])

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of its syntax tree; cached, because most bundles of a match need them."""
        return tuple(ast.walk(self.statement))

    @cached_property
    def found(self) -> Names:
        """The names in it."""
        return find_names(self.statement, self.text)

    @property
    def references(self) -> tuple[Reference, ...]:
        """Its references to names of the module, in text order."""
        return self.found.references

    @property
    def names(self) -> frozenset[str]:
        """The names of the module that the statement binds."""
        return self.found.bound

    @cached_property
    def changed(self) -> frozenset[str]:
        """The names whose values it, or a call to it, changes in place, and its `global` names."""
        return self._changed_in(self.statement) | {
            reference.path[0]
            for reference in self.references
            if reference.changes and (reference.deferred or not reference.binds)
        }

    @cached_property
    def changed_at_once(self) -> frozenset[str]:
        """The names that it changes when it runs: for a function or a class, by its decorators."""
        if not self.is_called_later:
            return self.changed
        return frozenset().union(
            *(self._changed_in(ast.Call(each, [], [])) for each in self.decorators)
        )

    def _changed_in(self, part: ast.AST) -> frozenset[str]:
        named = {reference.start: reference.path[0] for reference in self.references}
        roots = [_root(value) for node in ast.walk(part) for value in _changed_by(node)]
        found = (self.text.span(root)[0] for root in roots if isinstance(root, ast.Name))
        return frozenset(named[start] for start in found if start in named)

    def replaces(self, name: str) -> bool:
        """Whether it gives the name a value that does not depend on the old one."""
        if not isinstance(self.statement, REPLACING) or name not in self.names:
            return False
        return all(
            reference.path[0] != name or reference.deferred or reference.binds
            for reference in self.references
        )

    def require_portable(self, project: Iterable[str]) -> None:
        """Raise BundleError if it fails in one file with `project`, loaded as on Kaggle."""
        loggers = {
            self.text.span(argument)[0]
            for node in self.nodes
            if isinstance(node, ast.Call) and last_name(node.func) == "getLogger"
            for argument in node.args
        }
        for reference in self.references:
            name = reference.path[0]
            if name in LOADER_NAMES and not reference.quoted and reference.start not in loggers:
                mend = f": {NO_FILE_BESIDE}" if name == "__file__" else ""
                problem = f"cannot bundle {name}, which is different in Kaggle's loader{mend}"
                raise self.error(reference, problem)
        for node in self.nodes:
            if isinstance(node, ast.stmt) and imported_tops(node) & {"", *project}:
                text = ast.unparse(node)
                raise self.error(node, f"cannot bundle `{text}` inside a definition: move it up")

    def error(self, place: Reference | ast.stmt, problem: str) -> BundleError:
        """The error for a reference or a statement in the definition."""
        line = place.line if isinstance(place, Reference) else self.text.line + place.lineno - 1
        return BundleError(self.path, line, problem)


def imported_names(node: ast.stmt) -> list[str]:
    """The full names of what a statement imports; those of relative imports begin with a dot."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(level=level, module=module, names=names):
            return [f"{'.' * level}{module or ''}.{alias.name}" for alias in names]
    return []


def imported_tops(node: ast.stmt) -> set[str]:
    """The top-level names of the modules that a statement imports; "" for relative imports."""
    return {name.partition(".")[0] for name in imported_names(node)}


def since_replaced(written: Sequence[Definition], name: str) -> Sequence[Definition]:
    """The statements that produce the last value of a name."""
    replacing = [number for number, one in enumerate(written) if one.replaces(name)]
    return written[replacing[-1] if replacing else 0 :]


def calls(code: ast.AST, names: re.Pattern[str], values: Mapping[str, Any]) -> bool:
    """Whether code calls a function or a method with one of these names.

    A function that one of `values` refers to by another name counts, too. In a class, only the
    methods that run when an object is made count.
    """
    parts = [code]
    if isinstance(code, ast.ClassDef):
        parts = [part for part in code.body if getattr(part, "name", "__init__") in MAKING]
    called = [node.func for part in parts for node in ast.walk(part) if isinstance(node, ast.Call)]
    own = [values.get(each.id) for each in called if isinstance(each, ast.Name)]
    told = [each.__name__ for each in own if isinstance(each, BuiltinFunctionType | FunctionType)]
    return any(map(names.fullmatch, [*map(last_name, called), *told]))


def roots_changed_by(node: ast.AST) -> set[str]:
    """The names whose values a node changes in place."""
    roots = map(_root, _changed_by(node))
    return {root.id for root in roots if isinstance(root, ast.Name)}


def _changed_by(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Subscript() | ast.Attribute() if not isinstance(node.ctx, ast.Load):
            return [node.value]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=name))):
            return [value] if LOADING_METHODS.fullmatch(name) else []
        case ast.Call(func=called, args=arguments):
            name = last_name(called)
            changed = arguments[:1] if CHANGING_FUNCTIONS.fullmatch(name) else []
            if isinstance(called, ast.Attribute) and CHANGING_METHODS.fullmatch(name):
                changed = [called.value, *changed]
            return changed
    return []


def _root(value: ast.expr) -> ast.expr:
    """The first expression in a chain of attributes, subscripts and calls."""
    while True:
        match value:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
                value = inner
            case _:
                return value


def last_name(node: ast.AST) -> str:
    """The name or the attribute that a node refers to; empty for other nodes."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
