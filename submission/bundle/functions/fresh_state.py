"""Puts a function into its state before the first game, while it is tested."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from copy import copy, deepcopy
from enum import Enum, EnumType
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

from submission.bundle.functions.carried import restored
from submission.bundle.functions.carried_values import LITERALS, is_data, same_data
from submission.bundle.naming import Symbol


class StateName(NamedTuple):
    """A name of a user's module whose value games may change."""

    symbol: Symbol
    namespace: dict[str, Any]
    in_file: str  # its name in the file
    is_changed: bool  # whether functions of the module visibly change it
    is_unfinished: bool  # whether a statement that is not written also defines or changes it

    @property
    def value(self) -> Any:
        """Its present value; None if it has none."""
        return self.namespace.get(self.symbol.name)


class Unlike(NamedTuple):
    """A name whose value must be written out, or a function or a class of which parts must be."""

    symbol: Symbol
    attributes: Mapping[str, Any] | None = None  # the parts; None for the whole value


DEFINITIONS = (type, FunctionType, BuiltinFunctionType, Enum)

UNKNOWN = object()
"""Stands for what a value consists of where that is not known."""


def unlike_the_source(
    state: Iterable[StateName],
    loaded: Mapping[str, Any],
    load_again: Callable[[], dict[str, Any]],
    play: Callable[[dict[str, Any]], None],
) -> tuple[list[Unlike], Mapping[str, Any]]:
    """Find the names whose present values must be written out, and what games change.

    Such values differ at each loading, being made by chance; or they are objects that differ from
    the file's in what games leave as it is: something else has changed them, such as training; or
    anything that a loop in which the file is built has changed, and games have not; or what
    functions and classes keep, if that is so made or changed.

    Args:
        state: the names that the function uses.
        loaded: what the file has defined.
        load_again: loads the file again.
        play: plays games with what the file has defined.

    Returns:
        The names, and what the file has defined and then changed in games.
    """
    differing = [
        each
        for each in state
        if (each.is_unfinished or not isinstance(each.value, (*LITERALS, float)))
        and not _is_same(each.value, loaded.get(each.in_file))
    ]
    if not differing:
        return [], loaded  # it plays as it is, whatever games change
    again = load_again()
    by_chance = [
        each
        for each in differing
        if not _is_same(loaded.get(each.in_file), again.get(each.in_file))
    ]
    kept_by_chance = _kept_unlike(differing, loaded, again, lambda one: not one.is_lasting)
    play(again)
    learnt = [
        each
        for each in differing
        if (each.is_unfinished or not (is_data(each.value) or isinstance(each.value, DEFINITIONS)))
        and _is_unplayed(each, loaded.get(each.in_file), again.get(each.in_file))
    ]
    whole = [
        Unlike(each.symbol)
        for each in (*by_chance, *learnt)
        if not isinstance(each.value, DEFINITIONS) and _data_of(each.value) is not UNKNOWN
    ]
    kept = _kept_unlike(differing, loaded, again, lambda one: one.is_own)
    return [*whole, *kept_by_chance, *kept], again


class Kept(NamedTuple):
    """Data that a function or a class keeps in one place."""

    holder: Any
    attribute: str
    now: Any
    written: Any  # by the file
    played: Any  # by the file, after games

    @property
    def is_lasting(self) -> bool:
        """Whether the file keeps the same."""
        return _is_same(self.written, self.played)

    @property
    def is_own(self) -> bool:
        """Whether it differs from the file's for another reason than games."""
        return _is_own(self.now, self.written, self.played)


def _kept_data(value: Any, written: Any, played: Any) -> Iterator[Kept]:
    """The data that a function or a class keeps."""
    others, after = _places(written), _places(played)
    for name, place in _places(value).items():
        now, first, later = (_read(each) for each in (place, others.get(name), after.get(name)))
        if is_data(now):
            yield Kept(*place, now, first, later)


def _kept_unlike(
    names: Iterable[StateName],
    loaded: Mapping[str, Any],
    again: Mapping[str, Any],
    is_unlike: Callable[[Kept], bool],
) -> list[Unlike]:
    """The functions and classes that keep such data."""
    found = {
        each.symbol: {
            one.attribute: one.now
            for one in _kept_data(each.value, loaded.get(each.in_file), again.get(each.in_file))
            if one.holder is each.value and is_unlike(one)
        }
        for each in names
    }
    return [Unlike(symbol, parts) for symbol, parts in found.items() if parts]


def _is_unplayed(name: StateName, written: Any, played: Any) -> bool:
    """Whether a value has all that games change as the file has `written` it."""
    own, first, later = map(_attributes, (name.value, written, played))
    if not own or type(name.value).__qualname__ != type(written).__qualname__:
        return not name.is_changed and _is_same(written, played)
    return all(
        _is_same(first.get(each), later.get(each)) or _is_same(first.get(each), own.get(each))
        for each in first.keys() | later.keys()
    )


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values consist of the same data, as far as that is known."""
    return same_data(_data_of(one), _data_of(other))


def _data_of(value: Any) -> Any:
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
        kept = [_read(place) for place in _places(value).values()]
        return [str(getattr(value, "__qualname__", value)), *filter(is_data, kept)]
    if id(value) in within or isinstance(value, ModuleType):
        raise TypeError(value)
    inner = within | {id(value)}
    if isinstance(value, dict):
        return [[_as_data(each, inner) for each in pair] for pair in value.items()]
    if isinstance(value, tuple | list | set | frozenset):
        return [_as_data(each, inner) for each in value]
    attributes = {name: _as_data(each, inner) for name, each in _attributes(value).items()}
    return [type(value).__qualname__, attributes]


def _attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object, also those in slots, without Python's own."""
    in_slots = {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
    names = sorted({*getattr(value, "__dict__", ()), *in_slots})
    found = {name: getattr(value, name, UNKNOWN) for name in names if not name.startswith("__")}
    return {name: each for name, each in found.items() if each is not UNKNOWN}


def last_callable(loaded: Mapping[str, Any]) -> Any:
    """The agent of a file that has defined these names, as Kaggle finds it."""
    return [value for value in loaded.values() if callable(value)][-1]


@contextmanager
def as_written(
    agent: Any, state: Sequence[StateName], loaded: Mapping[str, Any], played: Mapping[str, Any]
) -> Iterator[Any]:
    """Give names the values that they have before a game; restore the old ones in the end.

    Args:
        agent: a function, or another object that is called.
        state: the names that it uses.
        loaded: what the file has just defined.
        played: the same after games, in which the file has changed it.

    Returns:
        The one to ask for moves: the function, or a copy of the object.
    """
    memo = _counterparts(state, loaded)  # shared objects stay shared
    with ExitStack() as restoring:
        for each in state:
            name, namespace = each.symbol.name, each.namespace
            if name not in namespace:
                restoring.callback(namespace.pop, name, None)
                continue
            restoring.callback(namespace.__setitem__, name, each.value)
            if each.in_file in loaded:
                stages = each.value, loaded[each.in_file], played.get(each.in_file)
                _take_back(*stages, restoring, memo)
                namespace[name] = _before_a_game(*stages, each.is_changed, memo)
            elif each.is_changed:
                del namespace[name]  # a game has made it
        stages = agent, last_callable(loaded), last_callable(played)
        _take_back(*stages, restoring, memo)
        yield _before_a_game(*stages, False, memo)


def _counterparts(state: Sequence[StateName], loaded: Mapping[str, Any]) -> dict[int, Any]:
    """The module's own functions, classes and members of enumerations, by the ids of the file's."""
    found = dict[int, Any]()
    for (_, name), namespace, in_file, *_ in state:
        own, written = namespace.get(name), loaded.get(in_file)
        for kind in (type, FunctionType):
            if isinstance(own, kind) and isinstance(written, kind):
                found[id(written)] = own
        if isinstance(own, EnumType) and isinstance(written, EnumType):
            members: Mapping[str, Any] = written.__members__
            found |= {id(each): own.__members__.get(name) for name, each in members.items()}
    return found


def _before_a_game(
    value: Any, written: Any, played: Any, is_changed: bool, memo: dict[int, Any]
) -> Any:
    """The value with which a function begins a game: a copy of the file's, or of the module's.

    It is the module's where the two differ for another reason than games, for that is what the file
    must be compared with. For an object of the user's class each attribute is decided by itself.
    """
    begun = value if not is_changed and _is_own(value, written, played) else written
    is_alike = type(value).__qualname__ == type(written).__qualname__
    try:
        if not is_alike or (is_data(value) and is_data(written)):
            return _copied(begun, memo)
        if isinstance(value, DEFINITIONS):
            return value
        if isinstance(value, list | dict | set):
            return _copied(begun, memo)
        if type(value) is not type(written):
            return _object_before_a_game(value, written, played, memo)
        return value if callable(value) else _copied(written, memo)
    except Exception:  # not everything can be copied
        return value


def _object_before_a_game(value: Any, written: Any, played: Any, memo: dict[int, Any]) -> Any:
    if id(written) in memo:
        return memo[id(written)]
    own, first, later = map(_attributes, (value, written, played))
    memo[id(value)] = memo[id(written)] = twin = copy(value)
    for name, each in own.items():
        if name in first:
            begun = _before_a_game(each, first[name], later.get(name), False, memo)
            object.__setattr__(twin, name, begun)
        elif name in later:
            object.__delattr__(twin, name)  # a game has made it
    return twin


def _is_own(value: Any, written: Any, played: Any) -> bool:
    """Whether the module's value differs from the file's for another reason than games."""
    return _is_same(written, played) and not _is_same(written, value)


def _take_back(
    value: Any, written: Any, played: Any, restoring: ExitStack, memo: dict[int, Any]
) -> None:
    """Reset what games have changed of the data that a function or a class keeps."""
    for one in _kept_data(value, written, played):
        if is_data(one.written) and not one.is_own:
            with suppress(Exception):  # a metaclass may not let a class change
                setattr(one.holder, one.attribute, _copied(one.written, memo))
                restoring.callback(setattr, one.holder, one.attribute, one.now)


def _places(value: Any) -> dict[str, tuple[Any, str]]:
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


def _read(place: tuple[Any, str] | None) -> Any:
    try:
        return UNKNOWN if place is None else getattr(*place)
    except (AttributeError, ValueError):  # an empty cell
        return UNKNOWN


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    """A deep copy, in which functions and classes of the file become those of the module.

    From Python 3.14 on `copy.deepcopy` does not look for functions and classes in its memo.
    """
    if id(value) in memo:
        return memo[id(value)]
    if type(value) in (tuple, frozenset):
        return type(value)(_copied(each, memo) for each in value)
    if copy(value) is value:
        return value
    memo.setdefault(id(memo), []).append(value)  # so that nothing new gets its id
    if hasattr(value, "__deepcopy__"):
        return deepcopy(value, memo)
    parts: tuple[Any, ...] = (*value.__reduce_ex__(4), None, None, None)
    make, arguments, state, items, pairs = parts[:5]
    memo[id(value)] = twin = make(*_copied(arguments, memo))
    contents = [each and [_copied(one, memo) for one in each] for each in (items, pairs)]
    return restored(lambda: twin, (), _copied(state, memo), *contents)
