"""Reduces values to the data in them, to decide whether two are the same, and why not."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copyreg import dispatch_table
from dataclasses import dataclass
from datetime import date, time
from enum import Enum
from functools import cached_property
from inspect import ismemberdescriptor
from itertools import pairwise
from math import inf
from pathlib import PurePath
from types import BuiltinFunctionType, CellType, EllipsisType, FunctionType, ModuleType
from typing import Any, NamedTuple

LITERALS = (bool, int, str, bytes, type(None), EllipsisType)

DEFINITIONS = (type, FunctionType, BuiltinFunctionType, Enum)

LEAST_WHOLE_TIME = 10**9  # clocks that tell whole numbers have passed this, in any unit
LONGEST_SECONDS = 10**10  # what tells more counts smaller units, down to nanoseconds

UNKNOWN = object()
"""Stands for an unknown or missing value."""


def is_data(value: Any) -> bool:
    """Whether a value is a constant or an array, or a container of them.

    A member of an enumeration is not data: a copy of it would belong to another class.
    """
    if type(value) in (*LITERALS, float):
        return True  # first, because trees and tables consist of these
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


def is_of_torch_jit(value: Any) -> bool:
    """Whether a value is a module compiled by torch.jit, whose weights are not its attributes."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.jit.ScriptModule)


def same_data(one: Any, other: Any) -> bool:
    """Whether two values of `is_data` are equal in content and in the names of their types.

    Each time a file is loaded, it makes new classes, such as those of named tuples.
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
    """Whether two values consist of the same data, as far as is known."""
    return same_data(data_of(one), data_of(other))


def is_later(*values: Any, seconds: float) -> bool:
    """Whether values, made one after the other, are the same, but for clocks that have run on.

    A clock has run on by at most `seconds` each time.
    """
    return _is_later([*map(data_of, values)], seconds)


def _is_later(values: Sequence[Any], seconds: float) -> bool:
    if all(isinstance(each, dict) for each in values):
        return _is_later([[*each.items()] for each in values], seconds)
    kinds, first = {type(each).__qualname__ for each in values}, values[0]
    if len(kinds) == 1 and isinstance(first, tuple | list):
        return len({*map(len, values)}) == 1 and all(
            _is_later(parts, seconds) for parts in zip(*values, strict=True)
        )
    is_whole = type(first) is int and first > LEAST_WHOLE_TIME  # may not have reached the next
    if len(kinds) == 1 and (is_whole or type(first) is float):
        most = seconds * (1e9 if first > LONGEST_SECONDS else 1) + is_whole
        gaps = [later - earlier for earlier, later in pairwise(values)]
        if all(0 < gap <= most or (is_whole and gap == 0) for gap in gaps):
            return True
    return all(same_data(*pair) for pair in pairwise(values))


def data_of(value: Any) -> Any:
    """A value reduced to data; UNKNOWN if that is impossible."""
    try:
        return _as_data(value, frozenset())
    except (TypeError, RecursionError):
        return UNKNOWN


def _as_data(value: Any, within: frozenset[int]) -> Any:
    """A value with each object replaced by its attributes, and each definition by its name.

    The name of a function or a class comes with the data that it holds.

    Raises:
        TypeError: the value contains a module, or itself; `within` has the ids of outer objects.
    """
    if is_data(value):
        return value
    if isinstance(value, PurePath):
        return [str(value)]  # its attributes are a cache
    if isinstance(value, DEFINITIONS):
        kept = [place.read() for place in places_of(value).values()]
        return [str(getattr(value, "__qualname__", value)), *filter(is_data, kept)]
    if id(value) in within or isinstance(value, ModuleType):
        raise TypeError(value)
    inner = within | {id(value)}
    if isinstance(value, dict):
        return [[_as_data(each, inner) for each in pair] for pair in value.items()]
    if isinstance(value, tuple | list | set | frozenset):
        return [_as_data(each, inner) for each in value]
    kind = type(value).__qualname__
    home = str(getattr(type(value), "__module__", ""))  # which `type(...)` in a file lacks
    if isinstance(value, date | time) or home.startswith("numpy.random."):
        return [kind]  # a time or a random generator: a file has its own, new in each game
    if is_of_torch_jit(value):
        return [kind, _as_data({**value.state_dict()}, inner)]
    if places := places_of(value):
        return [kind, {name: _as_data(place.read(), inner) for name, place in places.items()}]
    with suppress(Exception):  # from a lock, for example
        _, arguments, *contents = taken_apart(value)  # of a tensor, a deque or a ctypes number
        made_of = [each for each in arguments if not isinstance(each, type)]
        return [kind, *(_as_data(each, inner) for each in (made_of, *contents))]
    return [kind]


def taken_apart(value: Any) -> list[Any]:
    """The maker, arguments, state, items and pairs with which an object is copied.

    Raises:
        Exception: it cannot be copied; the user's code may raise anything.
    """
    registered = dispatch_table.get(type(value))  # of a compiled pattern, for example
    parts = registered(value) if registered else value.__reduce_ex__(4)
    if not isinstance(parts, tuple):
        raise TypeError(value)
    make, arguments, state, items, pairs, *_ = (*parts, None, None, None)
    return [make, arguments, state, items and [*items], pairs and [*pairs]]


class Place(NamedTuple):
    """An attribute of a function, a cell, a class or an object."""

    holder: Any
    name: str

    def read(self) -> Any:
        """The value; UNKNOWN if there is none."""
        if (attributes := self._attributes) is not None:
            return attributes.get(self.name, UNKNOWN)
        try:
            return getattr(self.holder, self.name, UNKNOWN)
        except ValueError:  # an empty cell
            return UNKNOWN

    def write(self, value: Any) -> None:
        """Replace the value, or remove it if UNKNOWN is given, bypassing the object's class."""
        owner: Any = type(self.holder) if self._is_definition else object
        if (attributes := self._attributes) is not None and value is UNKNOWN:
            attributes.pop(self.name, None)
        elif attributes is not None:
            attributes[self.name] = value
        elif value is UNKNOWN:
            owner.__delattr__(self.holder, self.name)
        else:
            owner.__setattr__(self.holder, self.name, value)

    @property
    def _is_definition(self) -> bool:
        return isinstance(self.holder, type | FunctionType | CellType)

    @property
    def _attributes(self) -> dict[str, Any] | None:
        """The object's dictionary, if the value is there, where a property may hide it."""
        kept = None if self._is_definition else getattr(self.holder, "__dict__", None)
        is_in_slot = ismemberdescriptor(getattr(type(self.holder), self.name, None))
        return kept if type(kept) is dict and not is_in_slot else None


def places_of(value: Any) -> dict[str, Place]:
    """The places in which a function, a class or an object holds values, except Python's own."""
    if isinstance(value, FunctionType):
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
        own = ("__defaults__", "__kwdefaults__", "__dict__")
        return {name: Place(value, name) for name in own} | {
            name: Place(cell, "cell_contents") for name, cell in cells
        }
    if isinstance(value, Enum):
        return {}
    names = {*getattr(value, "__dict__", ())}
    if not isinstance(value, type):
        names |= {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
    places = {name: Place(value, name) for name in sorted(names) if not name.startswith("__")}
    return {name: place for name, place in places.items() if place.read() is not UNKNOWN}


def place_at(value: Any, path: Sequence[str]) -> Place:
    """The place that a path of attributes leads to; KeyError if there is none."""
    for name in path[:-1]:
        value = places_of(value)[name].read()
    return places_of(value)[path[-1]]


@dataclass(frozen=True)
class Stages:
    """A value as it is in the module now, in the file, and in the file after games."""

    now: Any
    written: Any
    played: Any
    reloaded: Any = UNKNOWN
    """As `written`, loaded later: that tells clocks, which do not count. UNKNOWN: all counts."""

    @cached_property
    def is_changing(self) -> bool:
        """Whether games change the file's value."""
        if self.reloaded is UNKNOWN:
            return not is_same(self.written, self.played)
        return not is_later(self.written, self.reloaded, self.played, seconds=inf)

    @cached_property
    def differs(self) -> bool:
        """Whether the module's value differs from the file's."""
        if self.reloaded is UNKNOWN:
            return not is_same(self.now, self.written)
        return not is_later(self.now, self.written, self.reloaded, seconds=inf)

    def is_chance(self, seconds: float) -> bool:
        """Whether the file's value differs each time by more than clocks run on in `seconds`."""
        if self.reloaded is UNKNOWN:
            return self.is_changing
        return not is_later(self.reloaded, self.played, seconds=seconds)

    def by_chance(self, seconds: float) -> Iterator[tuple[str, ...]]:
        """The paths of the parts of which that is so; none if the value has no parts."""
        for place, part in self.parts() if self.are_alike else ():
            if part.is_chance(seconds):
                inner = [*part.by_chance(seconds)]
                yield from ((place.name, *path) for path in inner or [()])

    @property
    def is_own(self) -> bool:
        """Whether the module's value differs from the file's for a reason other than games."""
        return not self.is_changing and self.differs

    @property
    def is_played(self) -> bool:
        """Whether games change a part of the value in which the module's differs."""
        return any(each.is_changing and each.differs for each in self._leaves())

    @property
    def has_own(self) -> bool:
        """Whether a part of the value is the module's own."""
        return any(each.is_own for each in self._leaves())

    def _leaves(self) -> Iterator["Stages"]:
        """Itself, or its parts and theirs, where games change it and the module's differs."""
        parts = [part for _, part in self.parts()] if self.are_alike else []
        if parts and self.is_changing and self.differs:
            for part in parts:
                yield from part._leaves()
        else:
            yield self

    @property
    def are_alike(self) -> bool:
        """Whether the module's value and the file's are of the same type, by its name."""
        return type(self.now).__qualname__ == type(self.written).__qualname__

    def parts(self) -> Iterator[tuple[Place, "Stages"]]:
        """The values that a function, a class or an object holds, and their places."""
        others = [places_of(each) for each in (self.written, self.played, self.reloaded)]
        for name, place in places_of(self.now).items():
            counterparts = (each[name].read() if name in each else UNKNOWN for each in others)
            yield place, Stages(place.read(), *counterparts)
