"""Puts a function into its state before the first game, while it is tested."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from copy import copy, deepcopy
from enum import EnumType
from types import FunctionType
from typing import Any, NamedTuple

from submission.bundle.functions.carried import restored
from submission.bundle.functions.value_data import (
    DEFINITIONS,
    LITERALS,
    UNKNOWN,
    attributes_of,
    data_of,
    is_data,
    is_same,
    places_of,
    read_place,
)
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

    For `state` and `loaded` see `as_written`; `load_again` loads the file anew, and `play` plays
    games with what it then defines.

    Returns:
        The names, and what the file has defined and then changed in games.
    """
    differing = [
        each
        for each in state
        if (each.is_unfinished or not isinstance(each.value, (*LITERALS, float)))
        and not is_same(each.value, loaded.get(each.in_file))
    ]
    if not differing:
        return [], loaded  # it plays as it is, whatever games change
    again = load_again()
    by_chance = [
        each for each in differing if not is_same(loaded.get(each.in_file), again.get(each.in_file))
    ]
    kept_by_chance = _kept_unlike(
        differing, loaded, again, lambda one: not is_same(one.written, one.played)
    )
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
        if not isinstance(each.value, DEFINITIONS) and data_of(each.value) is not UNKNOWN
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
    def is_own(self) -> bool:
        """Whether it differs from the file's for another reason than games."""
        return _is_own(self.now, self.written, self.played)


def _kept_data(value: Any, written: Any, played: Any) -> Iterator[Kept]:
    """The data that a function or a class keeps."""
    others, after = places_of(written), places_of(played)
    for name, place in places_of(value).items():
        now, first, later = (
            read_place(each) for each in (place, others.get(name), after.get(name))
        )
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
    own, first, later = map(attributes_of, (name.value, written, played))
    if not own or type(name.value).__qualname__ != type(written).__qualname__:
        return not name.is_changed and is_same(written, played)
    return all(
        is_same(first.get(each), later.get(each)) or is_same(first.get(each), own.get(each))
        for each in first.keys() | later.keys()
    )


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
        is_changeable = isinstance(value, list | dict | set)
        if not is_alike or is_changeable or (is_data(value) and is_data(written)):
            return _copied(begun, memo)
        if isinstance(value, DEFINITIONS):
            return value
        if type(value) is not type(written):
            return _object_before_a_game(value, written, played, memo)
        return value if callable(value) else _copied(written, memo)
    except Exception:  # not everything can be copied
        return value


def _object_before_a_game(value: Any, written: Any, played: Any, memo: dict[int, Any]) -> Any:
    if id(written) in memo:
        return memo[id(written)]
    own, first, later = map(attributes_of, (value, written, played))
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
    return is_same(written, played) and not is_same(written, value)


def _take_back(
    value: Any, written: Any, played: Any, restoring: ExitStack, memo: dict[int, Any]
) -> None:
    """Reset what games have changed of the data that a function or a class keeps."""
    for one in _kept_data(value, written, played):
        if is_data(one.written) and not one.is_own:
            with suppress(Exception):  # a metaclass may not let a class change
                setattr(one.holder, one.attribute, _copied(one.written, memo))
                restoring.callback(setattr, one.holder, one.attribute, one.now)


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
