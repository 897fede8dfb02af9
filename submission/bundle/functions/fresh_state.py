"""Puts a function into its state before the first game, while it is tested."""

import logging
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from copy import copy, deepcopy
from enum import Enum, EnumType
from io import StringIO
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


def made_by_chance(
    state: Iterable[StateName],
    loaded: Mapping[str, Any],
    load_again: Callable[[], Mapping[str, Any]],
) -> list[StateName]:
    """The names whose values differ at each loading, so that the function's values must be kept.

    The file has `loaded` them, and can be loaded again.
    """
    values = [_data_of(loaded.get(each.in_file)) for each in state]
    differing = [
        (each, value)
        for each, value in zip(state, values, strict=True)
        if value is not None
        and (now := _data_of(each.namespace.get(each.symbol.name))) is not None
        and not same_data(value, now)
    ]
    again = load_again() if differing else {}
    return [
        each for each, value in differing if not same_data(value, _data_of(again.get(each.in_file)))
    ]


def _data_of(value: Any) -> Any:
    """What a value consists of, if it is more than a number; None if that is not all data."""
    try:
        data = _as_data(value, frozenset())
    except (TypeError, RecursionError):
        return None
    return None if isinstance(data, (*LITERALS, float)) else data


def _as_data(value: Any, within: frozenset[int]) -> Any:
    """A value with each object replaced by its attributes, and each definition by its name.

    Raises:
        TypeError: something in it has no attributes, is a module or one of the objects it is
            `within`.
    """
    if is_data(value):
        return value
    if isinstance(value, type | FunctionType | BuiltinFunctionType | Enum):
        return str(getattr(value, "__qualname__", value))
    if id(value) in within or isinstance(value, ModuleType):
        raise TypeError(value)
    inner = within | {id(value)}
    if isinstance(value, dict):
        return [[_as_data(each, inner) for each in pair] for pair in value.items()]
    if isinstance(value, tuple | list | set | frozenset):
        return [_as_data(each, inner) for each in value]
    return {name: _as_data(each, inner) for name, each in vars(value).items()}


@contextmanager
def as_written(
    agent: Any, from_file: Any, state: Sequence[StateName], loaded: Mapping[str, Any]
) -> Iterator[Any]:
    """Give names the values that they have before a game; restore the old ones in the end.

    Args:
        agent: a function, or another object that is called.
        from_file: the same, as the file defines it.
        state: the names that it uses.
        loaded: what the file has just defined.

    Returns:
        The one to ask for moves: the function, or a copy of the object.
    """
    memo = _counterparts(state, loaded)  # shared objects stay shared
    changed = {id(loaded.get(each.in_file)) for each in state if each.is_changed}
    with ExitStack() as restoring:
        for (_, name), namespace, in_file, is_changed in state:
            if name not in namespace:
                restoring.callback(namespace.pop, name, None)
                continue
            value, written = namespace[name], loaded.get(in_file)
            restoring.callback(namespace.__setitem__, name, value)
            if in_file in loaded:
                _take_back(value, written, restoring, memo)
                namespace[name] = _before_a_game(value, written, id(written) in changed, memo)
            elif is_changed:
                del namespace[name]  # a game has made it
        _take_back(agent, from_file, restoring, memo)
        yield _before_a_game(agent, from_file, False, memo)


def _counterparts(state: Sequence[StateName], loaded: Mapping[str, Any]) -> dict[int, Any]:
    """The module's own functions, classes and members of enumerations, by the ids of the file's."""
    found = dict[int, Any]()
    for (_, name), namespace, in_file, _ in state:
        own, written = namespace.get(name), loaded.get(in_file)
        for kind in (type, FunctionType):
            if isinstance(own, kind) and isinstance(written, kind):
                found[id(written)] = own
        if isinstance(own, EnumType) and isinstance(written, EnumType):
            members: Mapping[str, Any] = written.__members__
            found |= {id(each): own.__members__.get(name) for name, each in members.items()}
    return found


def _before_a_game(value: Any, written: Any, is_changed: bool, memo: dict[int, Any]) -> Any:
    """The value that a function starts with.

    Values that games do not change are the function's own, with which the file is compared. The
    others are copies of the file's; of an object, of its attributes, if they are data. A container
    that neither games nor the file have filled is the function's own, too.
    """
    try:
        if is_data(value) and is_data(written):
            return _copied(written, memo) if is_changed else value
        if isinstance(value, FunctionType | type | Enum):
            return value
        if type(value) is not type(written):
            memo[id(value)] = memo[id(written)] = twin = copy(value)
            twin.__dict__ = _copied(vars(written if is_data(vars(written)) else value), memo)
            return twin
        if callable(value):
            return value
        is_filled_unseen = (
            isinstance(value, list | dict | set) and len(value) != len(written) and not is_changed
        )
        return _copied(value if is_filled_unseen else written, memo)
    except Exception:  # not everything can be copied
        return value


def _take_back(value: Any, written: Any, restoring: ExitStack, memo: dict[int, Any]) -> None:
    """Reset the defaults, attributes and closure of a function, or the containers of a class."""
    places: list[tuple[Any, Any, str]] = []
    if isinstance(value, FunctionType) and isinstance(written, FunctionType):
        places = [(value, written, name) for name in ("__defaults__", "__kwdefaults__", "__dict__")]
        cells = zip(value.__closure__ or (), written.__closure__ or (), strict=False)
        places += [(cell, other, "cell_contents") for cell, other in cells]
    elif isinstance(value, type):
        kept = {name for name, each in vars(value).items() if isinstance(each, list | dict | set)}
        places = [(value, written, name) for name in kept]
    for holder, other, name in places:
        now, first = getattr(holder, name, None), getattr(other, name, None)
        if is_data(now) and is_data(first):
            restoring.callback(setattr, holder, name, now)
            setattr(holder, name, _copied(first, memo))


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    """A deep copy in which the memo's functions and classes take the places of others.

    `copy.deepcopy` does not look for these in its memo from Python 3.14 on.
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


@contextmanager
def unnoticed() -> Iterator[None]:
    """Suppress output and logs, and restore the state of the random generators."""
    numpy = sys.modules.get("numpy")
    before = random.getstate(), numpy.random.get_state() if numpy else None
    unlogged = logging.root.manager.disable
    logging.disable()
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            yield
    finally:
        logging.disable(unlogged)
        random.setstate(before[0])
        if numpy:
            numpy.random.set_state(before[1])
