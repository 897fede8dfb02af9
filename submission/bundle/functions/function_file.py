"""Builds a submission file from a function and the parts of its module that it uses."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from inspect import getattr_static
from itertools import chain
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from submission.bundle.bundle import project_folders
from submission.bundle.closure import Closure, close
from submission.bundle.compose import compose_function
from submission.bundle.definitions import (
    DRAWING,
    TELLING_TIME,
    BundleError,
    Definition,
    calls,
    since_replaced,
)
from submission.bundle.functions.fresh_state import (
    StateName,
    Unlike,
    as_written,
    unclear,
    unlike_the_source,
)
from submission.bundle.functions.proof import load, play, require_same
from submission.bundle.functions.user_module import UserModule
from submission.bundle.functions.user_tree import UserTree
from submission.bundle.functions.value_data import LITERALS
from submission.bundle.naming import Symbol
from submission.bundle.sources import Import
from submission.sandbox.folders import owned_folder

NAMELESS = "the agent"

SHORT = re.compile(r"[\w '()*+,./:=\[\]-]{1,50}")
"""Text that fits into a table, and between the quotation marks of a command."""

LOST = (
    "In the file these begin as in the source, because games change them: {names}. What {trainers} "
    "did to them is left out, unless you save it and read it from a file."
)


class FunctionFile(NamedTuple):
    """The file of a function."""

    name: str  # the function's
    text: str
    note: str | None  # where the function fails, or what may be missing in the file


def function_file(agent: Any) -> FunctionFile:
    """Write a submission whose agent is a function, and check that it plays the same.

    All that the function uses is copied from the source: its module, a notebook's cells, or the
    modules beside it. So values are those before any game. A value that was read from a file is
    written as data, and so is one without source, such as a variable in a closure.

    Args:
        agent: a function of Kaggle's observation and optionally the configuration, which returns a
            column; or another object that can be called like this.

    Raises:
        ValueError: it is no such function, it uses something that cannot be written into a file, or
            the file plays differently.
        OSError: the source of a module cannot be read.
    """
    function = _function_in(agent)
    if function is None or isinstance(agent, type):
        raise ValueError(
            f"{agent!r} is not an agent: give one, its name, or a function of an observation and a "
            "configuration"
        )
    with owned_folder() as folder:
        return _proven(agent, function, folder / "submission.py")


def _proven(agent: Any, function: FunctionType, path: Path) -> FunctionFile:
    """The file of an agent with this function, tested at a path, where Numba may cache."""
    whose = _title(agent)
    tree = UserTree(_namespace(agent, function), function.__code__, project_folders(), whose)
    try:
        symbol = _symbol(tree, agent)
        title = (tree.home.name_of(agent) or _description(agent)) if whose == NAMELESS else whose
        draft = _draft(tree, symbol, title, path)
        if tree.train(symbol, draft.unclear, draft.closure):
            draft = _draft(tree, symbol, title, path)
        refusals, done = dict[Symbol, ValueError](), set[tuple[Symbol, tuple[str, ...]]]()
        # A statement that changes what is carried is left out: what else it changes differs next.
        while unlike := [each for each in draft.unlike if each.key not in done]:
            begun = partial(as_written, agent, draft.state, draft.loaded, draft.played)
            refusals |= _carry(tree, unlike, begun)
            done |= {each.key for each in unlike}
            try:
                draft = _draft(tree, symbol, title, path)
            except ValueError:  # something, such as a metaclass, needed a value earlier
                break
        left_out = tree.left_out(symbol, draft.unclear, draft.closure)
        # What chance has made was put into the objects that were loaded.
        is_as_loaded = not any(each.by_chance for each in draft.unlike)
        loaded = draft.loaded if is_as_loaded else load(title, draft.text, path)
    except BundleError as error:
        if error.path != tree.home.path:
            raise
        place = tree.home.session.place(error.line)
        raise ValueError(f"{place}{error.problem}") from error
    except RecursionError as error:
        raise ValueError(f"{whose} uses data nested too deeply to be written") from error
    state = [each._replace(is_kept=each.symbol in refusals) for each in draft.state]
    lost = {each.symbol.name: each.trainer for each in state if each.is_lost(loaded)}
    if lost and not left_out:
        trainers = " and ".join(sorted({*filter(None, lost.values())}))
        left_out = LOST.format(names=", ".join(sorted(lost)), trainers=trainers)
    try:
        note = require_same(agent, title, state, loaded, draft.played)
    except ValueError as error:
        raise next(iter(refusals.values()), error) from error
    return FunctionFile(title, draft.text, " ".join(filter(None, (note, left_out))) or None)


def _carry(
    tree: UserTree, unlike: Iterable[Unlike], begun: Callable[[], AbstractContextManager[Any]]
) -> dict[Symbol, ValueError]:
    """Write values out; return why some cannot be. The proof shows whether that matters."""
    refusals = dict[Symbol, ValueError]()
    for each in unlike:
        try:
            with begun() if each.is_played else nullcontext():
                tree.carry(each.symbol, each.attributes)
        except ValueError as error:
            refusals[each.symbol] = error
    return refusals


def _symbol(tree: UserTree, agent: Any) -> Symbol:
    """The name of the agent, a new one if necessary, in the module that makes it."""
    name = tree.writer(tree.home).name(agent, "agent")
    match tree.home.parsed.imports.get(name):
        case Import(module=module, name=str(imported)):
            return Symbol(module, imported)
    return Symbol(tree.home.name, name)


class Draft(NamedTuple):
    """A file, and what is found out by loading it and playing with it."""

    text: str
    closure: Closure
    state: Sequence[StateName]  # the names whose values may change
    loaded: Mapping[str, Any]  # what the file defines
    unlike: Sequence[Unlike]  # what must be written out
    played: Mapping[str, Any]  # what it defines after games

    @property
    def unclear(self) -> Iterator[Symbol]:
        """The objects that something besides games may have changed."""
        return unclear(self.state, self.loaded, self.played)


def _draft(tree: UserTree, symbol: Symbol, title: str, path: Path) -> Draft:
    """The file of what is in the tree; ValueError if it cannot be loaded."""
    closure = close(tree, [symbol], {})
    text = compose_function(closure, title, _last_line(closure, symbol))
    state, loaded = list(_state(tree, closure)), load(title, text, path)
    again = partial(load, title, text, path)
    unlike, played = unlike_the_source(state, loaded, again, partial(play, title))
    return Draft(text, closure, state, loaded, unlike, played)


def _function_in(agent: Any) -> FunctionType | None:
    """The Python function inside an agent; None if there is none."""
    match agent:
        case FunctionType():
            return agent
        case partial(func=inner) | MethodType(__func__=inner):
            return _function_in(inner)
    called = getattr(agent, "__wrapped__", None) or getattr_static(type(agent), "__call__", None)
    return called if isinstance(called, FunctionType) else None


def _title(agent: Any) -> str:
    name = getattr(agent, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else NAMELESS


def _description(agent: Any) -> str:
    """A short text for an agent without a name: its arguments, its `repr` or its class."""
    match agent:
        case partial(func=inner, args=args, keywords=keywords):
            title = _title(inner)
            short = _description(inner) if title == NAMELESS else title
            given = [*map(repr, args), *(f"{name}={value!r}" for name, value in keywords.items())]
            text = f"{short}({', '.join(given)})"
        case FunctionType():
            return "agent"
        case _:
            short = text = type(agent).__name__
            with suppress(Exception):  # from code of the user's
                text = repr(agent)  # Python's default has a <, which `SHORT` refuses
    return text if SHORT.fullmatch(text) else short


def _namespace(agent: Any, function: FunctionType) -> dict[str, Any]:
    """The namespace that has a name for the agent, or else that of its function."""
    modules = [
        sys.modules.get(str(name)) for name in (getattr(agent, "__module__", ""), "__main__")
    ]
    written = [
        vars(module) for module in modules if module and {"__file__", "In"} & {*vars(module)}
    ]
    for namespace in (function.__globals__, *written):
        if any(value is agent for value in namespace.values()):
            return namespace
    return function.__globals__


def _last_line(closure: Closure, symbol: Symbol) -> str:
    """The line that makes the agent the last callable; empty if its definition already does."""
    written = [one for one in closure.definitions if one.module == symbol.module]
    own = [one for one in written if symbol.name in one.names]
    if own == written[-1:] and own[0].is_called_later:
        return ""
    taken = {*closure.names.values()}
    last = next(name for name in ("agent", "kaggle_agent", "last_agent") if name not in taken)
    return f"{last} = {closure.names[symbol]}"


def _state(tree: UserTree, closure: Closure) -> Iterator[StateName]:
    """The names of the user's modules that are in the file, or that a game may add."""
    written = {*closure.definitions}
    for module in closure.modules:
        user = tree.user_module(module.name)
        if user is None:
            continue
        own = [one for one in closure.definitions if one.module == module.name]
        played = [one for one in own if one.is_called_later and one in closure.playing]
        changed = {name for one in played for name in one.changed}
        changed -= user.parsed.imports.keys()  # their values belong to other modules
        for name in sorted(changed.union(*(one.names for one in own))):
            symbol = Symbol(module.name, name)
            in_file = closure.names.get(symbol, name)
            setting = since_replaced(user.parsed.definitions.get(name, ()), name)
            is_number = isinstance(user.namespace.get(name), (*LITERALS, float))
            is_changed = name in changed
            tells_time = tree.may_call(TELLING_TIME, setting) or any(
                calls(one.statement, TELLING_TIME, user.namespace) for one in setting
            )
            runs_on = is_number and (is_changed or tells_time)
            unfinished = (
                name in user.parsed.unfinished
                or not written.issuperset(setting)
                or (not runs_on and tree.may_call(DRAWING, setting))
            )
            yield StateName(
                *(symbol, user.namespace, in_file, is_changed, unfinished, runs_on, tells_time),
                trainer=next(_trainers(user, name, setting, written), None),
            )


def _trainers(
    user: UserModule, name: str, setting: Sequence[Definition], written: Set[Definition]
) -> Iterator[str]:
    """The functions and statements that are not in the file and visibly change a name's value."""
    for one in chain.from_iterable(user.parsed.definitions.values()):
        if one.is_called_later and name in one.changed and one not in written:
            yield f"{', '.join(one.names)}()"
    for one in setting:
        if one not in written:
            yield user.session.place(one.line).removesuffix(": ")
