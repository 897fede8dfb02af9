"""The modules that a user's function uses, and the data that they have read."""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.util import decode_source
from itertools import chain
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from submission.bundle.closure import Closure
from submission.bundle.definitions import READING, BundleError, Definition, calls, since_replaced
from submission.bundle.functions.carried_values import ValueWriter
from submission.bundle.functions.user_module import UserModule
from submission.bundle.functions.user_session import Session, find_session
from submission.bundle.functions.value_data import is_data
from submission.bundle.hidden_files import INSTALLED
from submission.bundle.loading import Loading
from submission.bundle.naming import Builtin, Meaning, Symbol
from submission.bundle.source_tree import NOTEBOOK_BUILTINS, SourceTree, modules_in
from submission.bundle.sources import MAIN, Module

LEFT_OUT = (
    "is left out of the file, because games change the same: if it is training, save what it has "
    "learnt, and read that from a file"
)


class Training(NamedTuple):
    """A statement that may have trained an object."""

    symbol: Symbol
    statement: Definition
    is_certain: bool


class UserTree(SourceTree):
    """The source modules that define a function's names; ValueError if its source is missing.

    A statement that reads a file, which Kaggle would not have, is replaced by the value read.

    Args:
        namespace: the current namespace of the function's module.
        code: the code of a function in it.
        project: the folder of each package of the project.
        whose: the function's name, for messages.
    """

    def __init__(
        self, namespace: dict[str, Any], code: CodeType, project: Mapping[str, Path], whose: str
    ) -> None:
        session = find_session(namespace, code)
        if not session.text.strip():
            raise ValueError(
                f"the source of {whose} cannot be found: put it into a file or a notebook cell"
            )
        name = _import_name(namespace)
        own = _modules_around(name, session.path)
        super().__init__(project, own)
        self._whose = whose
        self._own = own.keys() - project.keys()
        self.home = UserModule(name, namespace, session, frozenset(self.roots))
        self._users = {name: self.home}
        self._seen = set[Symbol]()
        self._not_calling = defaultdict[re.Pattern[str], set[Definition]](set)

    def module(self, name: str) -> Module:
        """The parsed module of this import name."""
        user = self.user_module(name)
        return user.parsed if user else super().module(name)

    def user_module(self, name: str) -> UserModule | None:
        """The user's module of this import name; None for any other module."""
        if name not in self._users and name.partition(".")[0] in self._own:
            path = self.path(name)
            session = Session([decode_source(path.read_bytes())], path)
            namespace = vars(sys.modules[name]) if name in sys.modules else {}
            self._users[name] = UserModule(name, namespace, session, frozenset(self.roots))
        return self._users.get(name)

    def writer(self, module: UserModule) -> ValueWriter:
        """A writer of values for a user's module."""
        return ValueWriter(module, self.user_module, self._whose)

    def needed(self, symbol: Symbol) -> list[Definition]:
        """The statements that define a name.

        A statement with the value replaces them if they read a file, or depend on a statement that
        is left out, such as a loop that evaluates players.
        """
        user = self.user_module(symbol.module)
        if user and symbol not in self._seen:
            self._seen.add(symbol)
            written = since_replaced(self.definitions(symbol), symbol.name)
            if symbol.name in user.namespace and self.may_call(READING, written):
                self.carry(symbol)
            elif self._rests_on_unfinished(symbol, written):
                with suppress(ValueError):  # the proof shows whether that matters
                    self.carry(symbol)
        return self.definitions(symbol)

    def carry(self, symbol: Symbol, attributes: Mapping[str, Any] | None = None) -> None:
        """Replace the statements that define a name by its current value, or set its attributes.

        Raises:
            ValueError: the value cannot be written.
        """
        user = self._users[symbol.module]
        user.forget_names()
        writer = self.writer(user)
        if attributes is not None:
            for name, each in attributes.items():
                user.add(f"{symbol.name}.{name} = {writer.anew(each, name)}")
            return
        value = user.namespace[symbol.name]
        text = f"{symbol.name} = {writer.anew(value, symbol.name)}"
        used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        lines = [one.line for name in used for one in user.parsed.definitions.get(name, ())]
        user.add(text, None if writer.made else max(lines, default=None))
        self.carried.add(symbol)

    def train(self, agent: Symbol, names: Iterable[Symbol], written: Closure) -> bool:
        """Add the statements that certainly have trained objects; whether there are any."""
        added = [each for each in self._training(agent, names, written) if each.is_certain]
        for symbol, statement, _ in added:
            self._users[symbol.module].credit(symbol.name, statement)
        return bool(added)

    def left_out(self, agent: Symbol, names: Iterable[Symbol], written: Closure) -> str | None:
        """A note about a statement that is not in the file, but may have trained an object."""
        for symbol, statement, _ in self._training(agent, names, written):
            line = ast.unparse(statement.statement).partition("\n")[0]
            place = self._users[symbol.module].session.place(statement.line)
            return f"{place}`{line}` {LEFT_OUT}"
        return None

    def _training(
        self, agent: Symbol, names: Iterable[Symbol], written: Closure
    ) -> Iterator[Training]:
        loading = Loading(self, [agent])
        for symbol in names:
            for statement, is_certain in loading.training(symbol).items():
                if statement not in written.definitions:
                    yield Training(symbol, statement, is_certain)

    def holds_data(self, symbol: Symbol) -> bool:
        """Whether the value of a name is data, which call nothing."""
        user = self.user_module(symbol.module)
        return user is not None and is_data(user.namespace.get(symbol.name, print))

    def undefined(self, module: str, name: str, place: tuple[Path, int]) -> Meaning:
        """An undefined name, an error only when it is used; BundleError if it has a value."""
        user = self.user_module(module)
        if user is None:
            return super().undefined(module, name, place)
        if name in NOTEBOOK_BUILTINS:
            raise BundleError(
                *place, f"{self._whose} uses {name}, which only a notebook has: leave it out"
            )
        if name in user.parsed.unfinished & user.namespace.keys():
            try:
                self.carry(Symbol(module, name))
            except ValueError as error:
                raise BundleError(*place, str(error)) from error
            return Symbol(module, name)
        is_set_by_a_function = re.search(rf"\bglobal\b.*\b{name}\b", user.session.text)
        if name in user.namespace and not is_set_by_a_function:
            raise BundleError(
                *place,
                f"{self._whose} uses {name}, but the statement that defines it cannot be found: "
                f"write `{name} = ...` above",
            )
        return Builtin(name)

    def _rests_on_unfinished(self, symbol: Symbol, written: Iterable[Definition]) -> bool:
        """Whether a name holds data that depend on left-out statements, and no function changes."""
        module = self.module(symbol.module)
        at_once = [one for one in written if not one.is_called_later]
        used = {symbol.name, *(each.path[0] for one in at_once for each in one.references)}
        return (
            self.holds_data(symbol)
            and not used.isdisjoint(module.unfinished)
            and not any(
                one.is_called_later and symbol.name in one.changed
                for one in chain.from_iterable(module.definitions.values())
            )
        )

    def may_call(self, names: re.Pattern[str], written: Iterable[Definition]) -> bool:
        """Whether top-level statements, or functions that they call, call one of `names`."""
        seen = self._not_calling[names].copy()
        pending = [one for one in written if not one.is_called_later]
        while pending:
            one = pending.pop()
            if one not in seen:
                seen.add(one)
                if calls(one.statement, names, self._users[one.module].namespace):
                    return True
                pending += [
                    needed
                    for use in self.known_uses(one)
                    if isinstance(use.meaning, Symbol) and self.user_module(use.meaning.module)
                    if not use.reference.binds
                    and (one.is_called_later or not use.reference.deferred)
                    for needed in self.definitions(use.meaning)
                ]
        self._not_calling[names] = seen
        return False


def _import_name(namespace: dict[str, Any]) -> str:
    """The name of the module with this namespace; `__main__` if it has none."""
    name = namespace.get("__name__")
    module = sys.modules.get(name) if isinstance(name, str) else None
    return str(name) if module is not None and vars(module) is namespace else MAIN


def _modules_around(name: str, path: Path) -> dict[str, Path]:
    """The user's modules that a module may import: its package, or the modules beside it."""
    package, dot, _ = name.partition(".")
    if dot:
        folder, *_ = getattr(sys.modules[package], "__path__", [path])
        return {package: Path(folder)}
    folder = path.resolve().parent  # for cells, the current folder
    return {} if folder.name in INSTALLED else modules_in(folder)
