"""A submission file from a Python function: the function, and what it uses of its module."""

import ast
import builtins
import inspect
from collections.abc import Callable, Iterator
from textwrap import dedent
from types import FunctionType, ModuleType
from typing import Any

CONSTANTS = (bool, int, float, complex, str, bytes, type(None), tuple, list, dict, set, frozenset)
"""Types of values that are written out, with all that they hold."""


def function_source(function: Callable[..., Any]) -> str:
    """Write the text of a submission whose agent is a function.

    Functions and classes that it uses are copied, modules are imported, and constants written out.
    The agent stands last, where Kaggle's loader looks for it.

    Args:
        function: written with `def`, in a file or in a notebook; it takes Kaggle's observation
            and, if it wants, the configuration, and returns a column.

    Raises:
        ValueError: it is no such function, or uses something that cannot be written out.
    """
    if not isinstance(function, FunctionType) or function.__name__ == "<lambda>":
        raise ValueError(f"{function!r} is no function that `def` has made: write one")
    if function.__closure__:
        names = ", ".join(function.__code__.co_freevars)
        raise ValueError(
            f"{function.__name__} uses {names} of the function around it: hand that in otherwise"
        )
    writer = _Writer(function)
    writer.add(function.__name__, function)
    return "\n\n\n".join(writer.parts) + "\n"


class _Writer:
    """Writes the definitions that a function needs.

    Args:
        agent: the function.
    """

    def __init__(self, agent: FunctionType) -> None:
        self._agent = agent.__name__
        self._module = agent.__globals__
        self._seen = set[str]()
        self.parts: list[str] = []
        """The definitions, each after those that it uses."""

    def add(self, name: str, value: Any) -> None:
        """Enter the definition of a name of the module, after all that it uses.

        Raises:
            ValueError: it cannot be written out.
        """
        if name not in self._seen:
            self._seen.add(name)
            self.parts.append(self._definition(name, value))

    def _definition(self, name: str, value: Any) -> str:
        if isinstance(value, ModuleType):
            return f"import {value.__name__} as {name}"
        if isinstance(value, FunctionType | type) and self._is_own(value):
            source = _source(value)
            for used in _names(source):
                if used in self._module:
                    self.add(used, self._module[used])
            return source
        if hasattr(value, "__qualname__"):
            return f"from {value.__module__} import {value.__qualname__} as {name}"
        if _is_constant(value):
            return f"{name} = {value!r}"
        raise ValueError(
            f"{self._agent} uses {name}, a {type(value).__name__} that cannot be written into a "
            f"file: make it inside of {self._agent}"
        )

    def _is_own(self, value: Any) -> bool:
        """Whether a function or class is defined where the agent is."""
        if isinstance(value, FunctionType):
            return value.__globals__ is self._module
        return bool(value.__module__ == self._module.get("__name__"))


def _source(value: Any) -> str:
    try:
        return dedent(inspect.getsource(value)).rstrip()
    except (OSError, TypeError) as error:
        raise ValueError(
            f"the source of {value.__name__} cannot be found: put it into a file or a notebook cell"
        ) from error


def _names(source: str) -> Iterator[str]:
    """The names that a definition may take from its module, builtins left out."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
            yield node.id


def _is_constant(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_constant, [*value, *value.values()]))
    if isinstance(value, tuple | list | set | frozenset):
        return all(map(_is_constant, value))
    return isinstance(value, CONSTANTS)
