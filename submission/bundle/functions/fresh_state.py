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
    UNKNOWN,
    Place,
    data_of,
    is_data,
    is_same,
    places_of,
    taken_apart,
)
from submission.bundle.naming import Symbol


class StateName(NamedTuple):
    """A name of a user's module whose value games may change."""

    symbol: Symbol
    namespace: dict[str, Any]
    in_file: str  # its name in the file
    is_changed: bool  # whether functions of the module visibly change it
    is_unfinished: bool  # whether a statement that is not written also defines or changes it
    runs_on: bool  # whether it is a mere number or text that games or a clock change

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

    Such values are made by chance, so that they differ at each loading; or something else than
    games has changed them: training, say, or a loop in which the file is built.

    For `state` and `loaded` see `as_written`; `load_again` loads the file anew, and `play` plays
    games with what it then defines.

    Returns:
        The names, and what the file has defined and then changed in games.
    """
    differing = [
        each
        for each in state
        if each.symbol.name in each.namespace
        and (each.is_unfinished or not each.runs_on)
        and not is_same(each.value, loaded.get(each.in_file))
    ]
    if not differing:
        return [], loaded  # it plays as it is, whatever games change
    again = load_again()
    by_chance = [*_unlike(differing, loaded, again, has_played=False)]
    play(again)
    return [*by_chance, *_unlike(differing, loaded, again, has_played=True)], again


class Stages(NamedTuple):
    """A value in the module now, its counterpart in the file, and the latter after games."""

    now: Any
    written: Any
    played: Any

    @property
    def is_changing(self) -> bool:
        """Whether it differs between the two of the file."""
        return not is_same(self.written, self.played)

    @property
    def is_own(self) -> bool:
        """Whether the module's differs from the file's for another reason than games."""
        return not self.is_changing and not is_same(self.written, self.now)

    def parts(self) -> Iterator[tuple[Place, "Stages"]]:
        """What a function, a class or an object keeps, and where."""
        others = places_of(self.written), places_of(self.played)
        for name, place in places_of(self.now).items():
            counterparts = (each[name].read() if name in each else UNKNOWN for each in others)
            yield place, Stages(place.read(), *counterparts)


def _unlike(
    names: Iterable[StateName],
    loaded: Mapping[str, Any],
    again: Mapping[str, Any],
    has_played: bool,
) -> Iterator[Unlike]:
    """What must be written out, by what two loadings define; the second may have played games."""
    for each in names:
        stages = Stages(each.value, loaded.get(each.in_file), again.get(each.in_file))
        if isinstance(each.value, DEFINITIONS):
            parts = {
                place.name: part.now
                for place, part in stages.parts()
                if place.holder is each.value
                and is_data(part.now)
                and (part.is_own if has_played else part.is_changing)
            }
            if parts:
                yield Unlike(each.symbol, parts)
        elif (_has_learnt(each, stages) if has_played else stages.is_changing) and (
            data_of(each.value) is not UNKNOWN
        ):
            yield Unlike(each.symbol)


def _has_learnt(name: StateName, stages: Stages) -> bool:
    """Whether a value has all that games change as the file has written it."""
    if is_data(stages.now) and not name.is_unfinished:
        return False
    parts = [part for _, part in stages.parts()] if _are_alike(*stages[:2]) else []
    if not parts:
        return not name.is_changed and not stages.is_changing
    return not any(part.is_changing and not is_same(part.now, part.written) for part in parts)


def _are_alike(one: Any, other: Any) -> bool:
    return type(one).__qualname__ == type(other).__qualname__


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
        The one to ask for moves: the agent itself, unless it is a container, which is copied.
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
                stages = Stages(each.value, loaded[each.in_file], played.get(each.in_file))
                namespace[name] = _begun(stages, each.is_changed, restoring, memo)
            elif each.is_changed:
                del namespace[name]  # a game has made it
        stages = Stages(agent, last_callable(loaded), last_callable(played))
        yield _begun(stages, False, restoring, memo)


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


def _begun(stages: Stages, is_changed: bool, restoring: ExitStack, memo: dict[int, Any]) -> Any:
    """The value with which a function begins a game: a copy of the file's, or of the module's.

    It is the module's where the two differ for another reason than games, for that is what the file
    must be compared with. What functions, classes and objects of the user's keep is so decided for
    each part, which is replaced in its place; or in a copy, of an object with other contents.
    """
    now, written, _ = stages
    begun = now if not is_changed and stages.is_own else written
    try:
        is_changeable = isinstance(now, list | dict | set)
        if not _are_alike(now, written) or is_changeable or (is_data(now) and is_data(written)):
            return _copied(begun, memo)
        if not isinstance(now, DEFINITIONS):
            if type(now) is type(written):
                return now if callable(now) else _copied(begun, memo)
            if id(written) in memo:
                return memo[id(written)]
            if _has_contents(now):
                stages = stages._replace(now=copy(now))
            memo[id(now)] = memo[id(written)] = stages.now
        _begin_parts(stages, restoring, memo)
    except Exception:  # not everything can be copied
        return now
    return stages.now


def _has_contents(value: Any) -> bool:
    """Whether an object holds more than its attributes, as one does whose class is a `deque`."""
    try:
        make, arguments, _, items, pairs = taken_apart(value)
    except Exception:  # from code of the user's, any
        return False
    is_plain = getattr(make, "__name__", None) == "__newobj__" and len(arguments) == 1
    return not is_plain or items is not None or pairs is not None


def _begin_parts(stages: Stages, restoring: ExitStack, memo: dict[int, Any]) -> None:
    """Give each part of a function, a class or an object the value with which games begin."""
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
    """Remove what games have made in a function, a class or an object beside these names."""
    for name, place in places_of(value).items():
        if name not in names:
            with suppress(Exception):
                place.write(UNKNOWN)


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    """A deep copy, in which functions and classes of the file become those of the module.

    From Python 3.14 on `copy.deepcopy` does not look for functions and classes in its memo.
    """
    if id(value) in memo:
        return memo[id(value)]
    if type(value) in (tuple, frozenset):
        return type(value)(_copied(each, memo) for each in value)
    if not hasattr(type(value), "__del__") and copy(value) is value:
        return value  # the end of such a copy would close what the original has opened
    memo.setdefault(id(memo), []).append(value)  # so that nothing new gets its id
    if hasattr(value, "__deepcopy__"):
        return deepcopy(value, memo)
    make, arguments, state, items, pairs = taken_apart(value)
    memo[id(value)] = twin = make(*_copied(arguments, memo))
    contents = [each and [_copied(one, memo) for one in each] for each in (items, pairs)]
    return restored(lambda: twin, (), _copied(state, memo), *contents)
