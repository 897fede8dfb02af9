"""What the functions of the user's code call and change, as far as names tell."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Set

from submission.bundle.definitions import (
    CHANGING_METHODS,
    MAKING,
    Definition,
    last_name,
    roots_changed_by,
)


class CalledFunctions:
    """The functions and methods that the agent and other statements of a module may call.

    Whatever contains the name of a function may call it. The agent calls methods with special
    names, such as `__call__`, too.
    """

    def __init__(self, definitions: Iterable[Definition], agent: Iterable[ast.stmt]) -> None:
        self._known = defaultdict[str, set[ast.FunctionDef]](set)
        for one in definitions:
            for node in one.nodes:
                if isinstance(node, ast.FunctionDef):
                    self._known[node.name].add(node)
        special = {name for name in self._known if name.startswith("__") and name not in MAKING}
        self._asked = set().union(
            *(self._known[name] for name in special), *map(self._called_in, agent)
        )

    def changes(self, statement: ast.stmt) -> bool:
        """Whether a statement calls functions that change values which they have not made."""
        return any(map(_changes_others_values, self._reached([statement])))

    def is_training(self, statement: ast.stmt) -> bool:
        """Whether it does so in a way of its own, and not only by asking the agent for moves."""
        own = self._reached([statement], stop=self._asked)
        in_games = self._asked | self._reached(self._asked)
        return not in_games.issuperset(own) and any(map(_changes_others_values, own))

    def _reached(
        self, statements: Iterable[ast.stmt], stop: Set[ast.FunctionDef] = frozenset()
    ) -> set[ast.FunctionDef]:
        reached = set[ast.FunctionDef]()
        pending = [*statements]
        while pending:
            new = self._called_in(pending.pop()) - reached - stop
            reached |= new
            pending += new
        return reached

    def _called_in(self, statement: ast.stmt) -> set[ast.FunctionDef]:
        names = {last_name(node) for node in ast.walk(statement)} & self._known.keys()
        return set().union(*(self._known[name] for name in names))


def method_of(decorator: ast.expr) -> str:
    """The name of the method that a decorator calls if it belongs to an object or a class."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.attr if isinstance(called, ast.Attribute) else "__call__"


def keeps_argument(method: ast.FunctionDef) -> bool:
    """Whether a method, or a function in it, stores an argument in an attribute or a container."""
    nodes = [*ast.walk(method)]
    given = {node.arg for node in nodes if isinstance(node, ast.arg)} - {"self", "cls"}
    stored = list[ast.expr]()
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_], value=value):
                stored.append(value)
            case ast.Call(func=ast.Attribute(attr=name), args=arguments):
                stored += arguments if CHANGING_METHODS.fullmatch(name) else []
    names = (node for value in stored for node in ast.walk(value) if isinstance(node, ast.Name))
    return any(node.id in given for node in names)


def _changes_others_values(function: ast.FunctionDef) -> bool:
    """Whether a function changes in place a value that it has not made itself."""
    nodes = [*ast.walk(function)]
    made = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and not _is_part(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return any(not made.issuperset(roots_changed_by(node)) for node in nodes)


def _is_part(value: ast.expr) -> bool:
    """Whether an expression gives something that exists already, such as `self.table`."""
    match value:
        case ast.Subscript(slice=ast.Slice()):
            return False  # a copy
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return True
        case ast.Call(func=ast.Attribute(attr="get" | "setdefault")):
            return True
    return False
