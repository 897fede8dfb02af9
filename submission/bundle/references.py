"""Finds references in code to names of its module."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from submission.bundle.scopes import Kind, Located, Reference, Scope, SourceText

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Names(NamedTuple):
    """The names in a statement at module level."""

    references: tuple[Reference, ...]  # to names of the module, in text order
    bound: frozenset[str]  # names of the module that the statement itself binds
    local: frozenset[str]  # names that functions, classes or comprehensions in it bind


def find_names(statement: ast.stmt, text: SourceText) -> Names:
    """Find the names in a module-level statement of this text."""
    finder = _Finder(text)
    finder.visit(statement)
    module, *inner = finder.scopes
    mentioned = [
        reference
        for reference, scope, is_early in finder.mentions
        if scope.leaves_to_module(reference.path[0], is_early)
    ]
    found = sorted(mentioned, key=lambda reference: reference.start)
    local = frozenset().union(*(scope.bound for scope in inner))
    return Names(tuple(found), frozenset(module.bound), local)


class _Finder(ast.NodeVisitor):
    """Visits code in evaluation order, and collects the names that it mentions."""

    def __init__(self, text: SourceText) -> None:
        self.text = text
        self.scope = Scope("module")
        self.scopes = [self.scope]  # all scopes found, the module's first
        self.mentions: list[tuple[Reference, Scope, bool]] = []
        """All names, each with its scope, which may bind it later in the text, and whether a class
        reads it before it has bound it."""
        self.annotating = self.quoted = False

    def mention(
        self,
        name: str,
        node: Located,
        attributes: Sequence[ast.Attribute] = (),
        changes: bool = True,
    ) -> None:
        """Record a name; it is bound or deleted here if it `changes` and no attributes follow."""
        scope, binds = self.scope, changes and not attributes
        is_early = scope.kind == "class" and not binds and name not in scope.bound
        if binds and name not in scope.global_names | scope.nonlocal_names:
            scope.bound.add(name)
        start, end = self.text.name_span(name, node)
        reference = Reference(
            path=(name, *(each.attr for each in attributes)),
            start=start,
            ends=(end, *(self.text.span(each)[1] for each in attributes)),
            line=self.text.line_at(start),
            changes=changes,
            quoted=self.quoted,
            deferred=scope.deferred,
        )
        self.mentions.append((reference, scope, is_early))

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[None]:
        outer, self.scope = self.scope, scope
        yield
        self.scope = outer

    def inner(self, kind: Kind, bound: Iterable[str] = ()) -> AbstractContextManager[None]:
        """Enter a new scope inside the current one; it binds these names from the start."""
        deferred = kind == "function" or self.scope.deferred
        self.scopes.append(Scope(kind, self.scope, {*bound}, deferred))
        return self.inside(self.scopes[-1])

    def visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, Comprehension):
            self.visit_comprehension_expression(node)
            return
        super().generic_visit(node)
        match node:
            case (
                ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                self.mention(name, node)

    # Names

    def visit_Name(self, node: ast.Name) -> None:
        self.mention(node.id, node, changes=not isinstance(node.ctx, ast.Load))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        attributes, root = [node], node.value
        while isinstance(root, ast.Attribute):
            attributes.insert(0, root)
            root = root.value
        if isinstance(root, ast.Name):
            self.mention(root.id, root, attributes, not isinstance(node.ctx, ast.Load))
        else:
            self.visit(root)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """Visit `name := value`, which binds the name outside all comprehensions."""
        self.visit(node.value)
        scope = self.scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        with self.inside(scope):
            self.visit(node.target)

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.global_names.update(node.names)
        for name in node.names:
            self.mention(name, node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.nonlocal_names.update(node.names)

    def visit_alias(self, node: ast.alias) -> None:
        self.mention(bound_by(node), node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.visit_all([node.type])
        if node.name is not None:
            self.mention(node.name, node)
        self.visit_all(node.body)

    # Statements whose parts are not evaluated in text order

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
        self.mention(node.name, node)
        with self.type_parameters(node):
            arguments = _arguments(node.args)
            for annotation in (*(argument.annotation for argument in arguments), node.returns):
                self.visit_annotation(annotation)
            with self.inner("function", (argument.arg for argument in arguments)):
                self.visit_all(node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda, kind: Kind = "function") -> None:
        self.visit_all(_defaults(node.args))
        with self.inner(kind, (argument.arg for argument in _arguments(node.args))):
            self.visit(node.body)

    def visit_decorators(self, decorators: list[ast.expr]) -> None:
        """Visit decorators, which are called at once, so that even a lambda's body runs."""
        for decorator in decorators:
            if isinstance(decorator, ast.Lambda):
                self.visit_Lambda(decorator, "decorator")
            else:
                self.visit(decorator)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.visit_decorators(node.decorator_list)
        with self.type_parameters(node):
            self.visit_all([*node.bases, *node.keywords])
            with self.inner("class"):
                self.visit_all(node.body)
        self.mention(node.name, node)

    def visit_TypeAlias(self, node: ast.stmt) -> None:
        """Visit `type name[T] = value`, new in Python 3.12."""
        with self.type_parameters(node):
            self.visit_all([getattr(node, "value", None)])
        self.visit_all([getattr(node, "name", None)])

    @contextmanager
    def type_parameters(self, node: ast.stmt) -> Iterator[None]:
        """The scope of `[T]` in `def f[T]()`, new in Python 3.12."""
        parameters = getattr(node, "type_params", [])
        if not parameters:
            yield
            return
        with self.inner("type parameters", (parameter.name for parameter in parameters)):
            self.visit_all(parameters)
            yield

    def visit_comprehension_expression(self, node: Comprehension) -> None:
        first = node.generators[0]
        self.visit(first.iter)
        with self.inner("comprehension"):
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
            return  # escapes or several literals: its positions are not those of the text
        try:
            expression = ast.parse(node.value, mode="eval")
        except SyntaxError:
            return
        line = self.text.line + node.lineno - 1
        before = self.text, self.quoted
        self.text, self.quoted = SourceText(node.value, start + 1, line), True
        self.visit(expression)
        self.text, self.quoted = before


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [*arguments.defaults, *filter(None, arguments.kw_defaults)]


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    starred = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred]


def first_line(node: ast.stmt | ast.expr) -> int:
    """The first line of a statement or a function, including its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(part.lineno for part in (node, *decorators))


def bound_by(alias: ast.alias) -> str:
    """The name that a part of an import statement binds."""
    return alias.asname or alias.name.partition(".")[0]
