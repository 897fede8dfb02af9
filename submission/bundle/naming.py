"""Names in a bundle, where all modules share one namespace.

A name with one meaning in all modules is kept. If several things share a name, definitions are
qualified by their module (`alpha_beta_kernel__visit`) and imports by their library
(`from math import log as math__log`). Builtins, `import library` and the bundle's own names are
never renamed.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from textwrap import dedent
from typing import ClassVar, NamedTuple

from submission.bundle.definitions import BundleError, Definition
from submission.bundle.references import find_names
from submission.bundle.scopes import Reference, SourceText
from submission.bundle.sources import Import


class Symbol(NamedTuple):
    """A definition's name in its module."""

    module: str
    name: str


@dataclass(frozen=True)
class Builtin:
    """A built-in name, which every module has."""

    name: str
    module: ClassVar[str] = ""


Meaning = Symbol | Import | Builtin


class Use(NamedTuple):
    """A reference in a definition, with its meaning."""

    definition: Definition
    reference: Reference
    meaning: Meaning
    parts: int
    """How many parts of the reference's path name the meaning: more than one for `module.name`."""

    @property
    def full_name(self) -> str:
        """The full name of what is used, such as `importlib.import_module`."""
        names = (self.meaning.module, self.meaning.name, *self.reference.path[self.parts :])
        return ".".join(filter(None, names))

    def error(self, problem: str) -> BundleError:
        """The error for this use."""
        return self.definition.error(self.reference, problem)


Uses = Mapping[Definition, Sequence[Use]]
OwnNames = Mapping[str, Import | None]
"""Names that the bundle itself defines, with the import that defines them, if any."""


def bundle_names(uses: Uses, own: OwnNames) -> dict[Meaning, str]:
    """Choose the name of each thing in the bundle; BundleError if two must have the same name."""
    every_use = [*chain.from_iterable(uses.values())]
    wanted: dict[str, set[Meaning]] = defaultdict(set)
    for use in every_use:
        wanted[_plain_name(use.meaning)].add(use.meaning)
    captured = {use.meaning for use in every_use if _is_captured(use)}
    names: dict[Meaning, str] = {}
    clashing: list[Meaning] = []
    for name, meanings in wanted.items():
        keeping = _keeping(name, meanings, own) - captured
        names |= dict.fromkeys(keeping, name)
        clashing += meanings - keeping
    for use in every_use:
        if use.meaning in clashing and _is_fixed(use.meaning):
            raise use.error(
                f"{_plain_name(use.meaning)} has another meaning in the bundle: "
                "import it under another name"
            )
    taken = {*wanted, *own, *chain.from_iterable(definition.found.local for definition in uses)}
    order = {
        one: (type(one).__name__, one.module, f"{_plain_name(one)} {one!r}") for one in clashing
    }
    for meaning in sorted(clashing, key=order.__getitem__):
        names[meaning] = next(name for name in _qualified(meaning) if name not in taken)
        taken.add(names[meaning])
    return names


def renamed(definition: Definition, uses: Iterable[Use], names: Mapping[Meaning, str]) -> str:
    """The source of a definition with the bundle's names; BundleError if one cannot be inserted."""
    uses_at = {use.reference: use for use in uses if use.meaning in names}
    source, expected = definition.source, list[tuple[str, ...]]()
    for reference in reversed(definition.references):
        path = reference.path
        if reference in uses_at:
            _, _, meaning, parts = uses_at[reference]
            path = (names[meaning], *path[parts:])
            if path != reference.path:
                start, end = (
                    offset - definition.start
                    for offset in (reference.start, reference.ends[parts - 1])
                )
                source = source[:start] + names[meaning] + source[end:]
        expected.insert(0, path)
    text = _at_the_margin(definition, source)
    if source != definition.source:
        _prove(definition, text, expected)
    return text


def _at_the_margin(definition: Definition, source: str) -> str:
    """The source of a definition without its indentation, unless that would change a string."""
    if not source[:1].isspace():
        return source
    moved = ast.parse(dedent(definition.source)).body[0]
    if ast.dump(moved) == ast.dump(definition.statement):
        return dedent(source)
    return f"if True:\n{source}"


def _plain_name(meaning: Meaning) -> str:
    return meaning.bound if isinstance(meaning, Import) else meaning.name


def _is_fixed(meaning: Meaning) -> bool:
    """Whether it cannot be renamed, like a builtin or `import library`."""
    match meaning:
        case Import(name=None, alias=None) | Builtin():
            return True
    return False


def _keeping(name: str, meanings: set[Meaning], own: OwnNames) -> set[Meaning]:
    """The meanings that keep the unqualified name; several only for the same module."""
    if name in own:
        return {meaning for meaning in meanings if meaning == own[name]}
    builtins: set[Meaning] = {meaning for meaning in meanings if isinstance(meaning, Builtin)}
    fixed = set(filter(_is_fixed, meanings))
    imports: set[Meaning] = {meaning for meaning in meanings if isinstance(meaning, Import)}
    first = builtins or fixed or imports or meanings
    return first if fixed or len(first) == 1 else set()


def _is_captured(use: Use) -> bool:
    """Whether a local name would hide `x`, which is used by an alias: `from m import x as y`."""
    name = _plain_name(use.meaning)
    spelling = ".".join(use.reference.path[: use.parts])
    return name != spelling and name in use.definition.found.local


def _qualified(meaning: Meaning) -> Iterator[str]:
    """Candidates for a qualified name, the most readable first."""
    name = _plain_name(meaning).lstrip("_")
    stem, full = map(_identifier, (meaning.module.rpartition(".")[2], meaning.module))
    yield f"{stem}__{name}"
    yield f"{full}__{name}"
    for number in count(2):
        yield f"{full}_{number}__{name}"


def _identifier(module: str) -> str:
    """A module's name as the start of an identifier that classes do not mangle."""
    text = re.sub(r"\W", "_", module).strip("_")
    return text if text.isidentifier() else f"module_{text}"


def _prove(definition: Definition, text: str, expected: list[tuple[str, ...]]) -> None:
    """Check that a changed text refers to the expected names, and no inner scope hides one."""
    try:
        references = find_names(ast.parse(text).body[0], SourceText(text)).references
        is_as_meant = [reference.path for reference in references] == expected
    except SyntaxError:
        is_as_meant = False
    if not is_as_meant or _imported(text) != _imported(dedent(definition.source)):
        raise definition.error(
            definition.statement,
            f"cannot bundle {min(definition.names)}: it uses a name that another module has too, "
            "where it cannot be replaced; rename one of the two",
        )


def _imported(text: str) -> list[str]:
    return [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.alias)]
