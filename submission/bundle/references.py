"""Finds the references of code to names of its module, by Python's scoping rules."""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Located = ast.expr | ast.stmt | ast.alias | ast.excepthandler | ast.pattern
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

LAST = "(?s:.*)"  # a regular expression for the text before a name that comes last in its node


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


def find_references(
    statement: ast.stmt, text: SourceText
) -> tuple[tuple[Reference, ...], frozenset[str]]:
    """Find the references of a statement at module level, in the order of the text.

    Returns:
        The references, and all names that some scope inside of the statement binds.
    """
    finder = _Finder(text)
    finder.visit(statement)
    ordered = sorted(finder.references, key=lambda reference: reference.start)
    return tuple(ordered), frozenset(finder.local_names)


@dataclass
class _Scope:
    """The body of a function, class or comprehension, or the type parameters of one."""

    parent: "_Scope | None"
    bound: set[str]
    global_names: set[str] = field(default_factory=set)
    is_class: bool = False
    seen: set[str] = field(default_factory=set)
    """In a class: the names that it has bound so far; unbound ones are the module's."""


class _Finder(ast.NodeVisitor):
    """Visits code in the order of evaluation, and collects the references to the module's names."""

    def __init__(self, text: SourceText, scope: _Scope | None = None, quoted: bool = False) -> None:
        self.text = text
        self.scope = scope
        self.quoted = quoted
        self.annotating = quoted
        self.deferred = False
        self.references: list[Reference] = []
        self.local_names: set[str] = set()

    def is_global(self, name: str, is_read: bool = True) -> bool:
        """Whether a name means the module's here."""
        scope, own = self.scope, True
        while scope is not None:
            if name in scope.global_names:
                return True
            if name in scope.bound and (own or not scope.is_class):
                return scope.is_class and is_read and name not in scope.seen
            own, scope = False, scope.parent
        return True

    def refer(self, path: Iterable[str], start: int, ends: Iterable[int], changes: bool) -> None:
        line = self.text.line_at(start)
        self.references.append(
            Reference(tuple(path), start, tuple(ends), line, changes, self.quoted, self.deferred)
        )

    def bind(self, node: Located, name: str, before: str) -> None:
        """Record a name that a statement binds, which is no `ast.Name`."""
        if self.is_global(name, is_read=False):
            start, end = self.text.span(node)
            code = self.text.between(start, end)
            found = re.search(rf"{before}\b{re.escape(name)}\b", code)
            end = start + (found.end() if found else len(name))
            self.refer([name], end - len(name), [end], changes=True)
        elif self.scope is not None:
            self.scope.seen.add(name)

    @contextmanager
    def inner(
        self, bound: set[str], global_names: set[str] | None = None, is_class: bool = False
    ) -> Iterator[None]:
        outer = self.scope
        self.scope = _Scope(outer, bound, global_names or set(), is_class)
        self.local_names |= bound
        yield
        self.scope = outer

    @contextmanager
    def called_later(self) -> Iterator[None]:
        before, self.deferred = self.deferred, True
        yield
        self.deferred = before

    def visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, Comprehension):
            self.visit_comprehension_expression(node)
        else:
            super().generic_visit(node)

    # Names

    def visit_Name(self, node: ast.Name) -> None:
        is_read = isinstance(node.ctx, ast.Load)
        if self.is_global(node.id, is_read):
            start, end = self.text.span(node)
            self.refer([node.id], start, [end], changes=not is_read)
        elif self.scope is not None and not is_read:
            self.scope.seen.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        attributes, root = [node], node.value
        while isinstance(root, ast.Attribute):
            attributes.insert(0, root)
            root = root.value
        if not isinstance(root, ast.Name):
            self.visit(root)
        elif self.is_global(root.id):
            start, end = self.text.span(root)
            self.refer(
                [root.id, *(attribute.attr for attribute in attributes)],
                start,
                [end, *(self.text.span(attribute)[1] for attribute in attributes)],
                changes=not isinstance(node.ctx, ast.Load),
            )

    def visit_Global(self, node: ast.Global) -> None:
        for name in node.names:
            self.bind(node, name, "")

    def visit_alias(self, node: ast.alias) -> None:
        self.bind(node, bound_by(node), r"\bas\s+" if node.asname else "")

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.visit_all([node.type])
        if node.name is not None:
            self.bind(node, node.name, r"\bas\s+")
        self.visit_all(node.body)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        self.generic_visit(node)
        if node.name is not None:
            self.bind(node, node.name, LAST)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self.visit_MatchAs(node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.generic_visit(node)
        if node.rest is not None:
            self.bind(node, node.rest, LAST)

    # Statements whose parts are not evaluated in the order in which they are written

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit_all([node.value, *node.targets])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit_annotation(node.annotation)
        self.visit_all([node.value, node.target])

    def visit_For(self, node: ast.For) -> None:
        self.visit_all([node.iter, node.target, *node.body, *node.orelse])

    # Scopes

    def visit_FunctionDef(self, node: FunctionNode) -> None:
        self.visit_decorators(node.decorator_list)
        self.visit_all(_defaults(node.args))
        self.bind(node, node.name, r"\bdef[\s\\]+")
        with self.type_parameters(node):
            for argument in _arguments(node.args):
                self.visit_annotation(argument.annotation)
            self.visit_annotation(node.returns)
            bound, global_names = _names_of(node.body)
            parameters = {argument.arg for argument in _arguments(node.args)}
            with self.inner(bound | parameters, global_names), self.called_later():
                self.visit_all(node.body)

    def visit_decorators(self, decorators: list[ast.expr]) -> None:
        """Visit decorators; they are called at once, also the body of a lambda."""
        for decorator in decorators:
            if isinstance(decorator, ast.Lambda):
                self.visit_all(_defaults(decorator.args))
                self.visit_body(decorator)
            else:
                self.visit(decorator)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit_all(_defaults(node.args))
        with self.called_later():
            self.visit_body(node)

    def visit_body(self, node: ast.Lambda) -> None:
        parameters = {argument.arg for argument in _arguments(node.args)}
        with self.inner(parameters | _names_of([node.body])[0]):
            self.visit(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.visit_decorators(node.decorator_list)
        with self.type_parameters(node):
            self.visit_all([*node.bases, *node.keywords])
            with self.inner(*_names_of(node.body), is_class=True):
                self.visit_all(node.body)
        self.bind(node, node.name, r"\bclass[\s\\]+")

    def visit_TypeAlias(self, node: ast.stmt) -> None:
        """`type name[T] = value`, which Python has from 3.12 on."""
        with self.type_parameters(node):
            self.visit_all([getattr(node, "name", None), getattr(node, "value", None)])

    @contextmanager
    def type_parameters(self, node: ast.stmt) -> Iterator[None]:
        """The scope of `[T]` in `def f[T]()`, which Python has from 3.12 on."""
        parameters = getattr(node, "type_params", [])
        if not parameters:
            yield
            return
        with self.inner({parameter.name for parameter in parameters}):
            self.visit_all(parameters)
            yield

    def visit_comprehension_expression(self, node: Comprehension) -> None:
        first = node.generators[0]
        self.visit(first.iter)
        targets = [generator.target for generator in node.generators]
        with self.inner(_names_of(targets)[0]):
            self.visit_all([first.target, *first.ifs, *node.generators[1:]])
            if isinstance(node, ast.DictComp):
                self.visit_all([node.key, node.value])
            else:
                self.visit(node.elt)

    # Annotations, which may be strings

    def visit_annotation(self, node: ast.expr | None, annotating: bool = True) -> None:
        before, self.annotating = self.annotating, annotating
        self.visit_all([node])
        self.annotating = before

    def visit_Call(self, node: ast.Call) -> None:
        before, self.annotating = self.annotating, False
        self.generic_visit(node)
        self.annotating = before

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        generic = ast.unparse(node.value).rpartition(".")[2] if self.annotating else ""
        if generic == "Annotated" and isinstance(node.slice, ast.Tuple):
            self.visit(node.slice.elts[0])
            for metadata in node.slice.elts[1:]:
                self.visit_annotation(metadata, annotating=False)
        else:
            self.visit_annotation(node.slice, self.annotating and generic != "Literal")

    def visit_Constant(self, node: ast.Constant) -> None:
        if not self.annotating or not isinstance(node.value, str):
            return
        start, end = self.text.span(node)
        if self.text.between(start, end)[1:-1] != node.value:
            return  # escapes or several literals: positions in it are not those of the text
        try:
            expression = ast.parse(node.value, mode="eval")
        except SyntaxError:
            return
        line = self.text.line + node.lineno - 1
        finder = _Finder(SourceText(node.value, start + 1, line), self.scope, quoted=True)
        finder.visit(expression)
        self.references += finder.references


def bound_names(statement: ast.stmt) -> set[str]:
    """The names that a statement binds in its own scope."""
    return _names_of([statement])[0]


def _names_of(nodes: Iterable[ast.AST]) -> tuple[set[str], set[str]]:
    """The names that code binds in its own scope, and the names that it declares `global`."""
    bound, global_names, nonlocal_names = set[str](), set[str](), set[str]()
    pending = [*nodes]
    while pending:
        node = pending.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                bound.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                bound.add(node.name)
            case ast.alias():
                bound.add(bound_by(node))
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                bound.add(name)
            case ast.Global(names=found):
                global_names.update(found)
            case ast.Nonlocal(names=found):
                nonlocal_names.update(found)
        pending += _parts_in_the_same_scope(node)
    return bound - global_names - nonlocal_names, global_names


def _parts_in_the_same_scope(node: ast.AST) -> list[ast.AST]:
    """The children of a node that can bind a name in the scope that it stands in."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.decorator_list, *_defaults(node.args)]
        case ast.Lambda():
            return [*_defaults(node.args)]
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *node.keywords]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return [part.target for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]
    return list(ast.iter_child_nodes(node))


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [*arguments.defaults, *filter(None, arguments.kw_defaults)]


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    starred = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred]


def bound_by(alias: ast.alias) -> str:
    """The name that a part of an import statement binds."""
    return alias.asname or alias.name.partition(".")[0]
