"""Writes values as expressions: constants, arrays, functions with closures, and objects."""

import ast
import builtins
import sys
from collections.abc import Callable, Iterable
from functools import partial
from io import BytesIO
from types import FunctionType, MethodType, ModuleType
from typing import Any
from zlib import compress

from submission.bundle.definitions import TELLING_TIME, calls
from submission.bundle.functions.carried import arrays_of, bytes_of, restored
from submission.bundle.functions.user_module import UserModule
from submission.bundle.functions.value_data import (
    DEFINITIONS,
    LITERALS,
    is_data,
    is_of_torch_jit,
    places_of,
    taken_apart,
)
from submission.bundle.package_files import base85_lines

LONG = 200  # bytes that take less space in base85 than in a literal

INFINITE = "1e999"  # because the module may redefine names such as `inf`

CONTAINERS: dict[Any, str] = {
    list: "[{}]",
    tuple: "({})",
    set: "{{*({})}}",
    frozenset: "frozenset(({}))",
}


class ValueWriter:
    """Writes values as expressions in a module, and adds the names that these need.

    Args:
        module: the module of the expressions.
        find_module: finds a user's module by name; returns None if it is not the user's.
        whose: what uses the values, for messages.
    """

    def __init__(
        self, module: UserModule, find_module: Callable[[str], UserModule | None], whose: str
    ) -> None:
        self._module = module
        self._find_module = find_module
        self._whose = whose
        self.made: dict[int, str] = {}  # the new names, by the ids of the values
        self._within = set[int]()
        self._met = set[int]()
        self._shared = set[int]()  # the ids of what is held more than once

    def name(self, value: Any, stem: str) -> str:
        """The name of a value, a new one if necessary; ValueError if it cannot be written."""
        expression = self._known(value) or self.anew(value, stem)
        if not expression.isidentifier():
            self.made[id(value)] = self._module.fresh(stem)
            self._module.add(f"{self.made[id(value)]} = {expression}")
        return self.made.get(id(value), expression)

    def expression(self, value: Any, name: str) -> str:
        """The expression for a value; ValueError, with its `name`, if there is none."""
        if id(value) in self._shared:
            return self.name(value, name)
        return self._known(value) or self.anew(value, name)

    def _known(self, value: Any) -> str | None:
        is_literal = isinstance(value, float) or type(value) in LITERALS
        return None if is_literal else self.made.get(id(value)) or self._module.name_of(value)

    def _note_shared(self, values: Iterable[Any]) -> None:
        """Note what these values hold more than once, apart from constants and definitions."""
        for value in values:
            match value:
                case FunctionType():
                    inner = [cell.cell_contents for cell in value.__closure__ or ()]
                case list() | tuple() | set():
                    inner = [*value]
                case dict():
                    inner = [*value.values()]
                case MethodType():
                    inner = [value.__self__]
                case partial():
                    inner = [value.func, *value.args, *value.keywords.values()]
                case _ if isinstance(value, (float, ModuleType, *LITERALS, *DEFINITIONS)):
                    continue
                case _:
                    inner = [place.read() for place in places_of(value).values()]
            if id(value) in self._met:
                self._shared.add(id(value))
            elif self._known(value) is None:
                self._met.add(id(value))
                self._note_shared(inner)

    def anew(self, value: Any, name: str) -> str:
        """The expression for a value, without using an existing name of it."""
        if isinstance(value, float):
            number, kind = repr(float(value)).replace("inf", INFINITE), type(value)
            number = number.replace("nan", f"({INFINITE} - {INFINITE})")
            return number if kind is float else f"{self.expression(kind, name)}({number})"
        if type(value) is bytes and len(value) > LONG:  # such as the weights of a tensor
            return self._packed(value)
        if type(value) in LITERALS:
            return repr(value)
        if id(value) in self._within:
            raise self._cannot(name, value)
        self._within.add(id(value))
        expression = self._module.import_of(value) or self._composed(value, name)
        self._within.remove(id(value))
        return expression

    def _composed(self, value: Any, name: str) -> str:
        if brackets := CONTAINERS.get(type(value)):
            return brackets.format("".join(f"{self.expression(each, name)}, " for each in value))
        if type(value) is dict:
            items = [
                f"{self.expression(key, name)}: {self.expression(each, name)}"
                for key, each in value.items()
            ]
            return f"{{{', '.join(items)}}}"
        match value:
            case FunctionType():
                return self._function(value, name)
            case MethodType():
                return f"{self.expression(value.__self__, name)}.{value.__name__}"
            case partial():
                given = [self.expression(each, name) for each in (value.func, *value.args)]
                given += [
                    f"{key}={self.expression(each, name)}" for key, each in value.keywords.items()
                ]
                return f"{self._module.import_of(partial)}({', '.join(given)})"
            case type() if isinstance(self._module.namespace.get(value.__qualname__), type):
                raise ValueError(
                    f"{self._whose} uses an object of {value.__qualname__} as it was before its "
                    "class was defined anew: make the object again"
                )
            case type():
                raise ValueError(
                    f"{self._whose} uses {value.__qualname__}, a class that no module has under "
                    "its name: define it at the top level, not in a function"
                )
        return self._array(value, name) or self._object(value, name)

    def _array(self, value: Any, name: str) -> str | None:
        """The expression for a numpy array or number, or an open file of arrays; otherwise None."""
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return None
        is_archive = isinstance(value, numpy.lib.npyio.NpzFile) and value.zip
        if not is_archive and not isinstance(value, numpy.ndarray | numpy.generic):
            return None
        if any(each.dtype.hasobject for each in (value.values() if is_archive else [value])):
            raise self._cannot(name, value)
        file = BytesIO()
        if is_archive:
            numpy.savez(file, **value)
        else:
            numpy.save(file, value)
        arrays = f"{self._module.import_of(arrays_of)}({self._packed(file.getvalue())})"
        return f"{arrays}[()]" if isinstance(value, numpy.generic) else arrays

    def _packed(self, content: bytes) -> str:
        lines = base85_lines(compress(content, level=9))
        return f"{self._module.import_of(bytes_of)}(\n{lines}\n)"

    def _object(self, value: Any, name: str) -> str:
        """The expression for an object, from the parts that copying and pickling use."""
        if is_of_torch_jit(value):
            raise ValueError(
                f"{self._whose} uses {name}, a network that torch.jit has compiled, which cannot "
                "be written into a file: use the network itself, without torch.jit"
            )
        try:
            *parts, pairs = taken_apart(value)
        except Exception as error:  # from a lock, an open file, or any code of the user's
            raise self._cannot(name, value) from error
        written = [self.expression(each, name) for each in parts]
        written.append(f"{self.expression(dict(pairs), name)}.items()" if pairs else "None")
        while written[-1] == "None":
            written.pop()
        return f"{self._module.import_of(restored)}({', '.join(written)})"

    def _function(self, function: FunctionType, name: str) -> str:
        """The expression for a function that has no name in its module."""
        home: UserModule | None = self._module
        if function.__globals__ is not self._module.namespace:
            home = self._find_module(str(function.__globals__.get("__name__")))
        if home is None:
            raise self._cannot(name, function)
        node = home.session.find_function(function.__code__)
        writer = self if home is self._module else ValueWriter(home, self._find_module, self._whose)
        match node:
            case ast.Lambda():
                text = home.session.source(node, writer._defaults(function, node))
                made = writer._enclosing(function, f"    _made = ({text})", "_made")
            case ast.FunctionDef(col_offset=0, decorator_list=[]):
                made = home.restore(node)
            case ast.FunctionDef(col_offset=column) if column:
                text = home.session.source(node, writer._defaults(function, node))
                made = writer._enclosing(function, text, node.name)
            case None:
                raise ValueError(
                    f"the source of {function.__name__} cannot be found: define it in a notebook "
                    "cell, or import its module again"
                )
            case _:
                raise self._cannot(name, function)
        if home is not self._module:
            made = self._module.import_from(home.name, made)
        self.made[id(function)] = made
        return made

    def _enclosing(self, function: FunctionType, definition: str, own: str) -> str:
        """Define a function with its closure; the indented `definition` defines it as `own`."""
        self._note_shared([function])
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        values = {key: cell.cell_contents for key, cell in cells}
        enclosed = {
            key: self._within_code(value, key)
            for key, value in values.items()
            if value is not function
        }
        stem = function.__name__ if function.__name__.isidentifier() else "made"
        made, factory = self._module.fresh(stem), self._module.fresh(f"make_{stem}")
        given = ", ".join(f"{key}={name}" for key, name in enclosed.items())
        indentation = definition[: len(definition) - len(definition.lstrip())]
        self._module.add(f"""
def {factory}({", ".join(enclosed)}):
{definition}
{indentation}return {own}

{made} = {factory}({given})
""")
        return made

    def _defaults(
        self, function: FunctionType, node: ast.FunctionDef | ast.Lambda
    ) -> dict[ast.expr, str]:
        """The values of defaults that use names, because these may belong to an outer function.

        A default that uses builtins and imports alone is made anew by the file, unless its value
        is a constant, which chance may have made; a clock is always read anew.
        """
        nodes = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        values = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        there = {*dir(builtins), *self._module.parsed.imports}
        found = dict[ast.expr, str]()
        for each, value in zip(nodes, values, strict=False):  # they may have been replaced
            names = {part.id for part in ast.walk(each) if isinstance(part, ast.Name)}
            is_constant = is_data(value) and not isinstance(value, list | dict | set)
            is_clock = calls(each, TELLING_TIME, self._module.namespace)
            if names - there or (names and is_constant and not is_clock):
                found[each] = self._within_code(value, "default")
        return found

    def _within_code(self, value: Any, stem: str) -> str:
        return repr(value) if type(value) in LITERALS else self.name(value, stem)

    def _cannot(self, name: str, value: Any) -> ValueError:
        return ValueError(
            f"{self._whose} uses {name}, a {type(value).__name__} that cannot be written into a "
            f"file: create it inside {self._whose}"
        )
