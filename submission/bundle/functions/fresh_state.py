"""Puts a function into its state before the first game, for as long as it is tested."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from copy import copy, deepcopy
from dataclasses import replace
from enum import EnumType
from itertools import product
from time import perf_counter
from types import FunctionType
from typing import Any, NamedTuple

from submission.bundle.functions.carried import restored
from submission.bundle.functions.value_data import (
    DEFINITIONS,
    UNKNOWN,
    Stages,
    data_of,
    is_data,
    is_same,
    place_at,
    places_of,
    taken_apart,
)
from submission.bundle.naming import Symbol


class StateName(NamedTuple):
    """A name in a user's module whose value games may change."""

    symbol: Symbol
    namespace: dict[str, Any]
    in_file: str  # its name in the file
    is_changed: bool  # whether functions of the module visibly change it
    is_unfinished: bool
    """Whether statements that are not in the file contribute to it, if only by drawing before it
    from a generator with a seed."""
    runs_on: bool  # whether it is just a number or text that games or a clock change
    tells_time: bool  # whether a clock is read where it is defined
    trainer: str | None
    """What visibly changes it besides games: a function, or a statement that is not in the file."""
    is_kept: bool = False  # whether the file should begin with its current value, but cannot

    @property
    def value(self) -> Any:
        """Its current value; None if it has none."""
        return self.namespace.get(self.symbol.name)

    def is_lost(self, loaded: Mapping[str, Any]) -> bool:
        """Whether something besides games may have changed it, which is not in the file."""
        return self.trainer is not None and self.differs_from(loaded)

    def differs_from(self, loaded: Mapping[str, Any]) -> bool:
        """Whether its value is another one in the file, which defines these names."""
        return self.symbol.name in self.namespace and not is_same(
            self.value, loaded.get(self.in_file)
        )


class Unlike(NamedTuple):
    """A name whose value, or a function or class whose attributes, must be written out."""

    symbol: Symbol
    attributes: Mapping[str, Any] | None = None  # these; None for the whole value
    is_played: bool = False  # whether games may have changed parts of it, which begin anew
    by_chance: Sequence[tuple[str, ...]] = ()  # the paths of parts that chance has made

    @property
    def key(self) -> tuple[Symbol, tuple[str, ...]]:
        """The name, and the names of the attributes."""
        return self.symbol, tuple(self.attributes or ())


def unlike_the_source(
    state: Iterable[StateName],
    loaded: Mapping[str, Any],
    load_again: Callable[[], dict[str, Any]],
    play: Callable[[dict[str, Any]], None],
) -> tuple[list[Unlike], Mapping[str, Any]]:
    """Find the names whose current values must be written out, and what games change.

    Such values are random, so that they differ each time the file is loaded; or something other
    than games has changed them, such as training, or a loop in which the file is built.

    For `state` and `loaded` see `as_written`; `load_again` loads the file again, and `play` plays
    games with what it then defines. What clocks tell is left to the file, which reads them anew.

    Returns:
        The names, and what the file defines, after games have changed it.
    """
    differing = [
        each
        for each in state
        if (each.is_unfinished or not each.runs_on) and each.differs_from(loaded)
    ]
    if not differing:
        return [], loaded  # the file can stay as it is, whatever games change
    begin = perf_counter()
    before = load_again() if any(each.tells_time for each in differing) else loaded
    again = load_again()
    by_chance = [*_unlike(differing, loaded, before, again, perf_counter() - begin)]
    play(again)
    _keep_chance(state, by_chance, loaded, again)
    made = {each.symbol for each in by_chance if each.attributes is None}
    others = [each for each in differing if each.symbol not in made]
    return [*by_chance, *_unlike(others, loaded, before, again)], again


def _keep_chance(
    state: Iterable[StateName], unlike: Iterable[Unlike], *loadings: Mapping[str, Any]
) -> None:
    """Put what chance has made in parts of the module's objects into the file's objects."""
    names = {each.symbol: each for each in state}
    for each in unlike:
        name = names[each.symbol]
        for path, loaded in product(each.by_chance, loadings):
            with suppress(Exception):  # a game may have replaced the object that had this part
                place_at(loaded[name.in_file], path).write(place_at(name.value, path).read())


def unclear(
    state: Iterable[StateName], loaded: Mapping[str, Any], played: Mapping[str, Any]
) -> Iterator[Symbol]:
    """The names of objects that games change, and perhaps something else has in the same places."""
    for each in state:
        if not is_data(each.value) and each.in_file in loaded:
            stages = Stages(each.value, loaded[each.in_file], played.get(each.in_file))
            if stages.is_played and not stages.has_own:
                yield each.symbol


def _unlike(
    names: Iterable[StateName],
    loaded: Mapping[str, Any],
    before: Mapping[str, Any],
    again: Mapping[str, Any],
    seconds: float | None = None,
) -> Iterator[Unlike]:
    """What must be written out, by three loadings, the last one `again`.

    It came within `seconds` of `before`; None: games have changed it since.
    """
    for each in names:
        loadings = [loaded, again, before] if each.tells_time else [loaded, again]
        stages = Stages(each.value, *(loading.get(each.in_file) for loading in loadings))
        if isinstance(each.value, DEFINITIONS):
            parts = {
                place.name: part.now
                for place, part in stages.parts()
                if place.holder is each.value
                and is_data(part.now)
                and (part.is_own if seconds is None else part.is_chance(seconds))
            }
            if parts:
                yield Unlike(each.symbol, parts)
        elif data_of(each.value) is UNKNOWN:
            continue
        elif seconds is not None:
            if stages.is_chance(seconds):
                paths = [*stages.by_chance(seconds)]
                yield Unlike(each.symbol, is_played=bool(paths), by_chance=paths)
        elif _has_learnt(each, stages):
            yield Unlike(each.symbol)
        elif not is_data(each.value) and stages.is_played and stages.has_own:
            yield Unlike(each.symbol, is_played=True)


def _has_learnt(name: StateName, stages: Stages) -> bool:
    """Whether something other than games changed a value: what games change is as in the file."""
    is_proven = is_data(stages.now) and not (name.is_unfinished or name.tells_time or name.trainer)
    if is_proven or not stages.differs:
        return False
    if not (stages.are_alike and places_of(stages.now)):
        only_grows = isinstance(stages.now, defaultdict) and name.trainer  # by asking for a key
        return not name.is_changed and bool(only_grows or not stages.is_changing)
    return not stages.is_played


def last_callable(loaded: Mapping[str, Any]) -> Any:
    """The agent of a file that defines these names, as Kaggle finds it."""
    return [value for value in loaded.values() if callable(value)][-1]


@contextmanager
def as_written(
    agent: Any, state: Sequence[StateName], loaded: Mapping[str, Any], played: Mapping[str, Any]
) -> Iterator[Any]:
    """Give names the values that they have before the first game; restore their own at the end.

    Args:
        agent: a function or another callable object.
        state: the names that it uses.
        loaded: what the file defines when it has just been loaded.
        played: the same after games, which may have changed it.

    Yields:
        The agent to ask for moves: the agent itself, unless it is a container, which is copied.
    """
    memo = _counterparts(state, loaded)  # shared objects stay shared
    with ExitStack() as restoring:
        for each in state:
            name, namespace = each.symbol.name, each.namespace
            if name not in namespace:
                restoring.callback(namespace.pop, name, None)
                continue
            restoring.callback(namespace.__setitem__, name, each.value)
            if each.is_kept:
                continue
            if each.in_file in loaded:
                stages = Stages(each.value, loaded[each.in_file], played.get(each.in_file))
                namespace[name] = _begun(stages, each.is_changed, restoring, memo)
            elif each.is_changed:
                del namespace[name]  # a game has made it
        stages = Stages(agent, last_callable(loaded), last_callable(played))
        yield _begun(stages, False, restoring, memo)


def _counterparts(state: Sequence[StateName], loaded: Mapping[str, Any]) -> dict[int, Any]:
    """The module's functions, classes, enumeration members and kept values, by the file's ids."""
    found = dict[int, Any]()
    for each in state:
        own, written = each.value, loaded.get(each.in_file)
        for kind in (type, FunctionType):
            if each.is_kept or (isinstance(own, kind) and isinstance(written, kind)):
                found[id(written)] = own
        if isinstance(own, EnumType) and isinstance(written, EnumType):
            members: Mapping[str, Any] = written.__members__
            found |= {id(each): own.__members__.get(name) for name, each in members.items()}
    return found


def _begun(stages: Stages, is_changed: bool, restoring: ExitStack, memo: dict[int, Any]) -> Any:
    """The value with which a function starts a game: a copy of the file's, or of the module's.

    It is the module's if the two differ for a reason other than games, because the file must be
    compared with that. In functions, classes and the user's objects this is decided for each part,
    which is replaced in place, or in a copy if an object has contents besides its attributes.
    """
    now, written = stages.now, stages.written
    begun = now if not is_changed and stages.is_own else written
    try:
        is_changeable = isinstance(now, list | dict | set)
        if not stages.are_alike or is_changeable or (is_data(now) and is_data(written)):
            return _copied(begun, memo)
        if not isinstance(now, DEFINITIONS):
            if type(now) is type(written):
                return now if callable(now) else _copied(begun, memo)
            if id(written) in memo:
                return memo[id(written)]
            if _has_contents(now):
                stages = replace(stages, now=copy(now))
            memo[id(now)] = memo[id(written)] = stages.now
        _begin_parts(stages, restoring, memo)
    except Exception:  # not everything can be copied
        return now
    return stages.now


def _has_contents(value: Any) -> bool:
    """Whether an object holds more than its attributes, like one whose class inherits `deque`."""
    try:
        make, arguments, _, items, pairs = taken_apart(value)
    except Exception:  # the user's code may raise anything
        return False
    is_plain = getattr(make, "__name__", None) == "__newobj__" and len(arguments) == 1
    return not is_plain or items is not None or pairs is not None


def _begin_parts(stages: Stages, restoring: ExitStack, memo: dict[int, Any]) -> None:
    """Give each part of a function, a class or an object the value with which games start."""
    only_data = isinstance(stages.now, DEFINITIONS)
    restoring.callback(_remove_others, stages.now, {*places_of(stages.now)})
    for place, part in [*stages.parts()]:
        is_unknown = part.written is UNKNOWN and part.played is UNKNOWN
        if is_unknown or (only_data and not (is_data(part.now) and is_data(part.written))):
            continue
        is_made = part.written is UNKNOWN  # by a game
        begun = UNKNOWN if is_made else _begun(part, False, restoring, memo)
        with suppress(Exception):  # a metaclass may not let a class change
            place.write(begun)
            restoring.callback(place.write, part.now)


def _remove_others(value: Any, names: set[str]) -> None:
    """Remove what games have added to a function, a class or an object besides these names."""
    for name, place in places_of(value).items():
        if name not in names:
            with suppress(Exception):
                place.write(UNKNOWN)


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    """A deep copy, in which functions and classes of the file become those of the module.

    From Python 3.14 on `copy.deepcopy` does not look up functions and classes in its memo.
    """
    if id(value) in memo:
        return memo[id(value)]
    if type(value) in (tuple, frozenset):
        return type(value)(_copied(each, memo) for each in value)
    # A shallow copy of an object with a finaliser would, when deleted, close what both have opened.
    if not hasattr(type(value), "__del__") and copy(value) is value:
        return value
    memo.setdefault(id(memo), []).append(value)  # keeps it alive, so that its id is not reused
    if hasattr(value, "__deepcopy__"):
        return deepcopy(value, memo)
    make, arguments, state, items, pairs = taken_apart(value)
    memo[id(value)] = twin = make(*_copied(arguments, memo))
    contents = [each and [_copied(one, memo) for one in each] for each in (items, pairs)]
    return restored(lambda: twin, (), _copied(state, memo), *contents)
