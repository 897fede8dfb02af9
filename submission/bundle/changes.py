"""What code does to values without naming them anew: it changes them in place, or reads them."""

import ast
import re
from collections.abc import Iterable

from submission.bundle.references import Reference, SourceText

CHANGING_METHODS = re.compile(
    "add|append|appendleft|clear|difference_update|discard|extend|extendleft|fill|insert|"
    "intersection_update|move_to_end|pop|popitem|popleft|remove|resize|reverse|rotate|seed|seterr|"
    "setdefault|setflags|setrecursionlimit|simplefilter|sort|update"
)
"""Names of methods that change what they are called on, or the module that they are taken from."""

CHANGING_FUNCTIONS = re.compile(
    "copyto|fill_diagonal|heapify|heappop|heappush|insort|put|setattr|shuffle"
)
"""Names of functions that change their first argument."""

LOADING_METHODS = re.compile("load|load_state_dict|load_weights")
"""Names of methods that change what they are called on, where they give nothing."""

READING = re.compile(
    "fromfile|genfromtxt|imread|load|loadmat|loadtxt|memmap|open|urlopen|urlretrieve|"
    "read_(bytes|csv|feather|json|parquet|pickle|text)"
)
"""Names of functions and methods that read a file, which is not there on Kaggle."""

MAKING = ("__init__", "__new__", "__post_init__")
"""Names of methods that run when an object is made."""


def changed_names(
    statement: ast.stmt, references: Iterable[Reference], text: SourceText
) -> frozenset[str]:
    """The names of the module whose values a statement changes, or a call of what it defines.

    What it binds at module level by itself is left out.
    """
    named = {reference.start: reference.path[0] for reference in references}
    changed = {
        reference.path[0]
        for reference in references
        if reference.changes and (reference.deferred or not reference.binds)
    }
    for node in ast.walk(statement):
        for value in _changed_by(node):
            root = _root(value)
            if isinstance(root, ast.Name):
                changed.add(named.get(text.span(root)[0], ""))
    return frozenset(changed - {""})


def reads_a_file(statement: ast.stmt) -> bool:
    """Whether a function is called in it that, by its name, reads a file.

    Of a class, what makes an object is looked at.
    """
    parts = [statement]
    if isinstance(statement, ast.ClassDef):
        parts = [part for part in statement.body if getattr(part, "name", "__init__") in MAKING]
    return any(
        isinstance(node, ast.Call) and READING.fullmatch(_last_name(node.func))
        for part in parts
        for node in ast.walk(part)
    )


def _changed_by(node: ast.AST) -> list[ast.expr]:
    """The expressions whose values a node changes."""
    match node:
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            return [value]
        case ast.Attribute(value=value, ctx=ast.Store() | ast.Del()):
            return [value]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=name))):
            return [value] if LOADING_METHODS.fullmatch(name) else []
        case ast.Call(func=called, args=arguments):
            name = _last_name(called)
            changed = arguments[:1] if CHANGING_FUNCTIONS.fullmatch(name) else []
            if isinstance(called, ast.Attribute) and CHANGING_METHODS.fullmatch(name):
                changed = [called.value, *changed]
            return changed
    return []


def _root(value: ast.expr) -> ast.expr:
    """What a chain of attributes, subscripts and calls begins with."""
    while True:
        match value:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
                value = inner
            case _:
                return value


def _last_name(called: ast.expr) -> str:
    match called:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
