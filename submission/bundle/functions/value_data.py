"""What values consist of, as far as that is data: to tell whether two are the same."""

import sys
from enum import Enum
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

LITERALS = (bool, int, str, bytes, type(None))

DEFINITIONS = (type, FunctionType, BuiltinFunctionType, Enum)

UNKNOWN = object()
"""Stands for what a value consists of where that is not known."""


def is_data(value: Any) -> bool:
    """Whether a value is a constant or an array, or a container of them.

    A member of an enumeration is none: a copy of it would belong to another class.
    """
    if type(value) in (*LITERALS, float):
        return True  # first, for trees and tables consist of these
    try:
        if isinstance(value, dict):
            return all(map(is_data, value)) and all(map(is_data, value.values()))
        if isinstance(value, tuple | list | set | frozenset):
            return all(map(is_data, value))
    except RecursionError:
        return False
    numpy = sys.modules.get("numpy")
    is_array = numpy is not None and isinstance(value, numpy.ndarray | numpy.generic)
    return is_array or (isinstance(value, (*LITERALS, float)) and not isinstance(value, Enum))


def same_data(one: Any, other: Any) -> bool:
    """Whether two values of `is_data` are equal in content and in the names of their types.

    Each loading of a file makes its classes, such as those of named tuples, anew.
    """
    if type(one).__qualname__ != type(other).__qualname__:
        return False
    if isinstance(one, dict):
        return same_data([*one.items()], [*other.items()])
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same_data, one, other))
    if hasattr(one, "tobytes"):
        return (one.shape, one.dtype, one.tobytes()) == (other.shape, other.dtype, other.tobytes())
    return one == other or repr(one) == repr(other)


def is_same(one: Any, other: Any) -> bool:
    """Whether two values consist of the same data, as far as that is known."""
    return same_data(data_of(one), data_of(other))


def data_of(value: Any) -> Any:
    """What a value consists of, if that is all data; or else UNKNOWN."""
    try:
        return _as_data(value, frozenset())
    except (TypeError, RecursionError):
        return UNKNOWN


def _as_data(value: Any, within: frozenset[int]) -> Any:
    """A value with each object replaced by its attributes, and each definition by its name.

    A function or a class comes with the data that it keeps.

    Raises:
        TypeError: something in it is a module or one of the objects it is `within`.
    """
    if is_data(value):
        return value
    if isinstance(value, PurePath):
        return [str(value)]  # its attributes are a cache
    if isinstance(value, DEFINITIONS):
        kept = [read_place(place) for place in places_of(value).values()]
        return [str(getattr(value, "__qualname__", value)), *filter(is_data, kept)]
    if id(value) in within or isinstance(value, ModuleType):
        raise TypeError(value)
    inner = within | {id(value)}
    if isinstance(value, dict):
        return [[_as_data(each, inner) for each in pair] for pair in value.items()]
    if isinstance(value, tuple | list | set | frozenset):
        return [_as_data(each, inner) for each in value]
    attributes = {name: _as_data(each, inner) for name, each in attributes_of(value).items()}
    return [type(value).__qualname__, attributes]


def attributes_of(value: Any) -> dict[str, Any]:
    """The attributes of an object, also those in slots, without Python's own."""
    in_slots = {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
    names = sorted({*getattr(value, "__dict__", ()), *in_slots})
    found = {name: getattr(value, name, UNKNOWN) for name in names if not name.startswith("__")}
    return {name: each for name, each in found.items() if each is not UNKNOWN}


def places_of(value: Any) -> dict[str, tuple[Any, str]]:
    """Where a function or a class keeps values: the holders, and the names of their attributes."""
    if isinstance(value, FunctionType):
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
        own = ("__defaults__", "__kwdefaults__", "__dict__")
        return {name: (value, name) for name in own} | {
            name: (cell, "cell_contents") for name, cell in cells
        }
    if isinstance(value, type):
        return {name: (value, name) for name in vars(value) if not name.startswith("__")}
    return {}


def read_place(place: tuple[Any, str] | None) -> Any:
    """What stands in such a place; UNKNOWN if nothing does, or there is none."""
    try:
        return UNKNOWN if place is None else getattr(*place)
    except (AttributeError, ValueError):  # an empty cell
        return UNKNOWN
