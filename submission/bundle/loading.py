"""Chooses the statements that must run at loading to give names their values."""

import ast
import re
from collections.abc import Collection, Iterator, Set
from contextlib import suppress

from submission.bundle.called_functions import CalledFunctions, keeps_argument, method_of
from submission.bundle.definitions import BundleError, Definition, since_replaced
from submission.bundle.naming import Symbol, Use
from submission.bundle.source_tree import SourceTree

SETTING_UP = re.compile(
    r"(.*\.)?(gc\.disable|sys\.setrecursionlimit|threading\.stack_size"
    r"|warnings\.(filterwarnings|simplefilter))"
)
"""Full names of functions that change settings of the whole process."""


class Loading:
    """Chooses, among the statements that give names their values, those that `start` needs."""

    def __init__(self, tree: SourceTree, start: Collection[Symbol]) -> None:
        self._tree = tree
        self._start = start
        self._lasting: dict[Symbol, list[Definition]] = {}
        self._read: dict[Definition, list[Use]] = {}
        self._players: dict[Definition, bool] = {}

    def lasting(self, symbol: Symbol) -> list[Definition]:
        """The statements that give a name its last value, in order; not those left out."""
        if symbol not in self._lasting:
            written = list(since_replaced(self._tree.needed(symbol), symbol.name))
            self._lasting[symbol] = [
                one
                for one in written
                if symbol in self._start or one.replaces(symbol.name) or not self._is_left_out(one)
            ] or written
        return self._lasting[symbol]

    def missing(self, kept: Collection[Definition]) -> Iterator[Definition]:
        """The further definitions that must run before or between the kept ones."""
        needed = {(one.module, reference.path[0]) for one in kept for reference in one.references}
        needed -= self._tree.carried
        for module, name in sorted(needed):
            if len(self._tree.module(module).definitions.get(name, ())) > 1:
                yield from self._earlier(Symbol(module, name), kept)
        playing = self.playing()
        for module in sorted({one.module for one in kept}):
            for one in self._tree.module(module).running:
                if one not in kept and self._prepares(one, needed, playing):
                    yield one

    def refuse_hidden_builtins(self, kept: Collection[Definition]) -> None:
        """Raise BundleError if a name first means a builtin such as `max`, then the user's own."""
        for one in kept:
            module = self._tree.module(one.module)
            for place, name in self._read_by(one) if module.hides_builtins else ():
                if place == one.module and one.line <= module.hides_builtins.get(name, 0):
                    raise BundleError(
                        module.path, one.line, f"{name} may mean the builtin here: rename your own"
                    )

    def _earlier(self, symbol: Symbol, kept: Collection[Definition]) -> Iterator[Definition]:
        """The statements that give a name earlier values, if these are read or shared."""
        first = self.lasting(symbol)[0].line
        earlier = [one for one in self._tree.definitions(symbol) if one.line < first]
        if any(one not in kept for one in earlier) and any(
            one.module == symbol.module
            and one.line < first
            and (
                symbol in self._read_by(one)
                # after `a = b = []` a change to `a` also changes `b`
                or (len(one.names) > 1 and symbol.name in one.names)
            )
            for one in kept
        ):
            yield from earlier

    def _prepares(
        self, statement: Definition, needed: Set[tuple[str, str]], playing: set[Definition]
    ) -> bool:
        """Whether a statement fills in needed values, or sets up the process.

        A call such as `init()`, a decorator such as `@register` or `@rules.add`, or a class that
        its base or its metaclass registers can fill in values. A call that only tries out the
        agent does not count.
        """
        called = [
            use
            for use in self._uses(statement)
            if not (statement.is_called_later and use.reference.deferred)
        ]
        if self._is_left_out(statement):
            return False
        if statement.is_called_later and (
            self._is_kept_by_decorator(statement, called, needed)
            or self._is_registered(statement, called, needed)
        ):
            return True
        if statement.is_called_later and not statement.decorators:
            return False  # only a base class could be called here
        return any(SETTING_UP.fullmatch(use.full_name) for use in called) or any(
            one.is_called_later
            and not needed.isdisjoint((one.module, name) for name in one.changed)
            for one in self._reached(called) - playing
        )

    def _is_kept_by_decorator(
        self, statement: Definition, called: list[Use], needed: Set[tuple[str, str]]
    ) -> bool:
        """Whether a method of a needed object decorates a function or a class, and keeps it."""
        spans = [statement.text.span(each) for each in statement.decorators]
        decorating = [
            use for use in called if any(begin <= use.reference.start < end for begin, end in spans)
        ]
        roots = {(statement.module, use.reference.path[0]) for use in decorating}
        methods = {method_of(each) for each in statement.decorators}
        return not needed.isdisjoint(roots) and any(
            isinstance(node, ast.FunctionDef) and node.name in methods and keeps_argument(node)
            for one in self._reached(decorating)
            if isinstance(one.statement, ast.ClassDef)
            for node in one.statement.body
        )

    def _is_registered(
        self, statement: Definition, called: list[Use], needed: Set[tuple[str, str]]
    ) -> bool:
        """Whether a class runs an `__init_subclass__` or a metaclass that changes needed names."""
        if not isinstance(statement.statement, ast.ClassDef):
            return False
        reached = self._reached(called)
        metaclasses = {
            ast.unparse(keyword.value)
            for one in (statement, *reached)
            for keyword in getattr(one.statement, "keywords", ())
            if keyword.arg == "metaclass"
        }
        return any(
            not needed.isdisjoint((one.module, name) for name in {*one.names, *one.changed})
            for one in reached
            if not metaclasses.isdisjoint(one.names)
            or any(
                isinstance(node, ast.FunctionDef) and node.name == "__init_subclass__"
                for node in one.nodes
            )
        )

    def training(self, symbol: Symbol) -> dict[Definition, bool]:
        """The statements that may have trained an object, and whether the file can do it, too.

        They change it by functions of the user's, as `bot.train(50)` does. In the file this is
        right if games do not call these, and if change is due to more than asking for moves, as in
        `evaluate(bot)`; and possible if the statement does not ask the agent itself.
        """
        found, playing = dict[Definition, bool](), self.playing()
        for one in self._tree.module(symbol.module).running:
            if one.is_called_later or symbol not in self._read_by(one, without=playing):
                continue
            functions = self._functions_in(one)
            is_training = functions.is_training(one.statement)
            plays = self._calls_agent(one) if symbol in self._start else self._plays(one)
            if is_training or (not plays and functions.changes(one.statement)):
                found[one] = is_training and not plays
        return found

    def _functions_in(self, statement: Definition) -> CalledFunctions:
        agent = self._started()
        reached = self._reached([use for one in (*agent, statement) for use in self._uses(one)])
        return CalledFunctions([*reached, *agent], [one.statement for one in agent])

    def playing(self) -> set[Definition]:
        """The definitions reachable from the agent, except through names of data."""
        return self._reached(
            [use for one in self._started() for use in self._uses(one)], with_data=False
        ).union(self._started())

    def _started(self) -> list[Definition]:
        return [one for symbol in self._start for one in self._tree.definitions(symbol)]

    def _is_left_out(self, statement: Definition) -> bool:
        """Whether a statement only plays, or changes a value anew that is written out already."""
        return self._plays(statement) or self._changes_carried(statement)

    def _changes_carried(self, statement: Definition) -> bool:
        if statement.is_called_later or not self._tree.carried:
            return False
        called = [one for one in self._called_by(statement) if one.is_called_later]
        changed = {Symbol(statement.module, name) for name in statement.changed_at_once}
        changed |= {Symbol(one.module, name) for one in called for name in one.changed}
        if not changed.isdisjoint(self._tree.carried):
            return True
        objects = {each for each in self._tree.carried if not self._tree.holds_data(each)}
        return (
            bool(objects)
            and not objects.isdisjoint(self._read_by(statement, without=self.playing()))
            and self._functions_in(statement).changes(statement.statement)
        )

    def _plays(self, definition: Definition) -> bool:
        """Whether a definition calls the agent itself, or passes it on."""
        if definition not in self._players:
            self._players[definition] = any(
                use.meaning in self._start
                for one in (definition, *self._called_by(definition))
                for use in self._uses(one)
            )
        return self._players[definition]

    def _called_by(self, definition: Definition) -> set[Definition]:
        """What is reachable from a definition, apart from what else changes what it changes."""
        changed = definition.changed_at_once
        return self._reached(
            [use for use in self._uses(definition) if use.reference.path[0] not in changed]
        )

    def _calls_agent(self, definition: Definition) -> bool:
        """Whether a statement names the agent, but not to call a method of it."""
        paths = [use.reference.path for use in self._uses(definition)]
        return any((symbol.name,) in paths for symbol in self._start)

    def _read_by(
        self, definition: Definition, without: Set[Definition] = frozenset()
    ) -> set[Symbol]:
        """The names read while a definition runs, by it and by functions that it calls."""
        at_once = [use for use in self._uses(definition) if not use.reference.deferred]
        read = {Symbol(definition.module, use.reference.path[0]) for use in at_once}
        for one in self._reached(at_once) - without:
            read |= {Symbol(one.module, use.reference.path[0]) for use in self._uses(one)}
        return read

    def _reached(self, uses: list[Use], with_data: bool = True) -> set[Definition]:
        """All definitions reachable from some uses, through names of data only if `with_data`."""
        reached = set[Definition]()
        pending = list(uses)
        while pending:
            meaning = pending.pop().meaning
            if isinstance(meaning, Symbol) and (with_data or not self._tree.holds_data(meaning)):
                for one in self._tree.definitions(meaning):
                    if one not in reached:
                        reached.add(one)
                        pending += self._uses(one)
        return reached

    def _uses(self, definition: Definition) -> list[Use]:
        """The uses in a definition that read a name; none if the definition cannot be bundled.

        A file that does not need such a definition leaves it out.
        """
        if definition not in self._read:
            self._read[definition] = []
            with suppress(BundleError):
                uses = self._tree.uses(definition)
                self._read[definition] = [use for use in uses if not use.reference.binds]
        return self._read[definition]
