"""A bundle computes what its modules compute, whatever their definitions are called."""

import ast
import importlib
import re
import symtable
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import envs
import submission
from submission.bundle.closure import close
from submission.bundle.definitions import BundleError
from submission.bundle.naming import Symbol
from submission.bundle.references import find_names
from submission.bundle.scopes import SourceText
from submission.bundle.source_tree import SourceTree

NAMES = ("f", "_g", "escape", "repr", "agent", "m0__f")
"""Names to clash: of definitions, imports, modules and locals; of a builtin and of the bundle; one
that a definition might be renamed to."""
PACKAGE_NUMBERS = count()

FORMS = (
    'def {own}(x):\n    return "{tag}" + {a}(x)',
    "def {own}(x, {n}={a}):\n    return {n}(x) + {b}(x)",
    'def {own}({n}):\n    return "{tag}" + {a}({n})',
    'def {own}(x):\n    def {n}(y):\n        return "{tag}" + y\n    return {n}({b}(x))',
    'def {own}(x):\n    return "".join({n}(x) for {n} in [{a}, {b}])',
    'def {own}(x):\n    return "".join([{a}({n}) for {n} in x[:1] for {m} in {b}(x)[:1]])',
    "def {own}(x):\n    return (lambda {n}: {n}(x) + {b}(x))({a})",
    'def {own}(x):\n    return f"{{{a}(x)!s:>{{len({b}(x))}}}} {{{{{n}}}}} {n}" f"{{{a}(x)}}"',
    'def {own}(x):\n    return f"""{{{a}(\n        x)}}\n    {{{b}(x)}}"""',
    "def {own}(x):\n    return (lambda **k: k['{n}'](x))({n}={a})",
    "def {own}(x):\n    for {n} in [{a}, {b}]:\n        x = {n}(x)[:99]\n    return x",
    "def {own}(x):\n    if ({n} := {a}):\n        return {n}(x)",
    'def {own}(x):\n    [{n} := "{tag}" for _ in x]\n    return {n}',
    "def {own}(x):\n    match [{a}]:\n        case [{n}]:\n            return {n}({b}(x)[:99])",
    "def {own}(x):\n    try:\n        raise ValueError({a}(x))\n    except ValueError as {n}:\n"
    "        return str({n})",
    "def {own}(x):\n    import html as {n}\n    return {n}.escape(x)",
    "def {own}(x):\n    {n} = {b}(x)\n    def inner():\n        nonlocal {n}\n        {n} += x\n"
    "    inner()\n    return {n}",
    'def {own}(x: "{a}", *{n}: {b}) -> "list[{b}]":\n    return "{tag}{n}" + {a}(x)  # {n}',
    "@(lambda {n}: {n} if {a} else None)\ndef {own}(x):\n    return {b}(x)",
    'class {own}:\n    {n} = {a}\n    def __new__(cls, x):\n        return "{tag}" + cls.{n}(x)',
    'class {own}:\n    def {n}(x, k={a}):\n        return "{tag}" + k(x)\n'
    "    def __new__(cls, x, k={b}):\n        return cls.{n}(x) + k(x)",
    "class {own}:\n    {n} = {a}\n    def __new__(cls, x):\n        return cls.{n}(x) + {b}(x)",
    "class {own}({a} if isinstance({a}, type) and {a} is not str else object):\n"
    "    def __new__(cls, {n}):\n        return {b}({n})",
    "{own} = lambda {n}: {a}({n})",
    "{own}: object = {a}",
    "{own} = [k for k in [{a}, {b}]][0]",
)
"""Definitions of functions from a text to a text, made of such functions.

Where one is given the text of another, that is cut, for it might grow beyond all memory.
"""
LIBRARY_IMPORTS = {
    "from html import escape{as_}": ("escape", ""),
    "from re import escape{as_}": ("escape", ""),
    "import html": ("html", ".escape"),
    "import re{as_}": ("re", ".escape"),
}


@st.composite
def modules(draw: st.DrawFn, package: str) -> list[str]:
    """The texts of modules `m0`, `m1`, …, each of which may import from those before it."""
    pick: Callable[..., Any] = lambda *choices: draw(st.sampled_from(choices))  # noqa: E731
    texts: list[str] = []
    defined: list[list[str]] = []
    for number in range(3):
        free, lines, usable = list(NAMES), list[str](), list[str]()
        for _ in range(3):
            own, as_ = "", pick("", "as")
            if as_:
                own = pick(*free)
                as_ = f" as {own}"
            if number and pick(True, True, True, False):
                origin = draw(st.integers(0, number - 1))
                name, module = pick(*defined[origin]), f"{package}.m{origin}"
                statement, bound, used = pick(
                    (f"from {module} import {name}", name, ""),
                    (f"from {package} import m{origin}", f"m{origin}", f".{name}"),
                    (f"import {module}", "" if as_ else package, f".m{origin}.{name}"),
                )
                if as_ and statement.startswith("import"):
                    used = f".{name}"
                statement += as_
            else:
                template = pick(*LIBRARY_IMPORTS)
                bound, used = LIBRARY_IMPORTS[template]
                own = own if "as_" in template else ""
                statement = template.format(as_=as_)
            bound = own or bound
            if bound in NAMES:
                if bound not in free or len(free) == 2:
                    continue
                free.remove(bound)
            if statement not in lines:
                lines.append(statement)
            usable.append(bound + used)
        if "repr" in free:
            usable.append("repr")
        defined.append([])
        for position in range(len(free)):
            own = pick(*free)
            free.remove(own)
            usable = [name for name in usable if name != own]
            form = pick(*FORMS).format(
                own=own,
                tag=f"m{number}.{position} ",
                a=pick(*usable or ["ascii"]),
                b=pick(*usable or ["ascii"]),
                n=pick(*NAMES),
                m=pick(*NAMES),
            )
            lines.append(form)
            usable.append(own)
            defined[-1].append(own)
        texts.append("\n".join(lines) + "\n")
    return texts


def outcome(function: Callable[[str], str]) -> object:
    try:
        return function("<x>")
    except Exception as error:
        return type(error)


def written(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in {"__init__": "", **texts}.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def bundled(folder: Path, *start: Symbol) -> tuple[str, dict[Symbol, Any]]:
    """The text of everything that some symbols need, and what they are when it is run."""
    try:
        closure = close(SourceTree({folder.name: folder}), [*start], {"agent": None})
    except BundleError as error:
        if "may mean the builtin" not in str(error):
            raise
        reject()
    sources = [source for module in closure.modules for source in closure.sources[module.name]]
    text = "\n".join([*closure.imports, *sources, ""])
    namespace: dict[str, Any] = {}
    exec(compile(text, "bundle.py", "exec"), namespace)
    assert "agent" not in namespace
    return text, {symbol: namespace[closure.names[symbol]] for symbol in start}


def assert_computes_the_same(folder: Path, last: str) -> str:
    sys.path.insert(0, str(folder.parent))
    try:
        module = importlib.import_module(f"{folder.name}.{last}")
    except (AttributeError, TypeError):  # a class's base or a decorator that is none
        reject()
    finally:
        sys.path.remove(str(folder.parent))
    tree = SourceTree({folder.name: folder})
    symbols = [Symbol(module.__name__, name) for name in tree.module(module.__name__).definitions]
    text, values = bundled(folder, *symbols)
    for symbol, value in values.items():
        assert outcome(value) == outcome(getattr(module, symbol.name)), text
    return text


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_packages_of_clashing_names(data: st.DataObject) -> None:
    package = f"clashing_{next(PACKAGE_NUMBERS)}"
    texts = data.draw(modules("clashing"))
    with TemporaryDirectory() as place:
        named = {f"m{i}": re.sub(r"\bclashing\b", package, text) for i, text in enumerate(texts)}
        assert_computes_the_same(written(Path(place) / package, named), f"m{len(texts) - 1}")


FIRST = '''
from math import log

$total = 0
"""Of all calls of `count`."""


# What count takes: a Node
class $Node:
    total: int = $total
    log = $log

    def count(self, count: "int" = 1) -> "list[$Node] | None":
        """Of a Node, whose total is its own."""
        return [self] * (self.total + count)


def $count(node: "$Node", *, total_more: int = 0) -> int:
    global $total
    $total += 1 + total_more
    return len(node.count(count=$total))  # count, not Node.count


def add(log: float) -> str:
    return f"{$total!r:>{$total + 3}} total {log:.1f}" "{total}"
'''
"""The names that others share are marked by `$` where they mean this module's."""

SECOND = """
import pair.first as counting
from pair.first import Node as Tree
from pair import first
from cmath import log

total = 10


class Node(Tree):
    total = total


def count(Node: type = Node) -> object:
    total = counting.count(Node(), total_more=1)
    return total, counting.total, first.add(total), log(1), str(Tree().total)
"""
SECOND_BUNDLED = """
second__total = 10
class second__Node(first__Node):
    total = second__total
def second__count(Node: type = second__Node) -> object:
    total = first__count(Node(), total_more=1)
    return total, first__total, add(total), cmath__log(1), str(first__Node().total)
"""


def test_only_what_clashes_is_renamed_and_only_where_it_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path / "pair", {"first": FIRST.replace("$", ""), "second": SECOND})
    text, values = bundled(folder, Symbol("pair.second", "count"))
    monkeypatch.syspath_prepend(tmp_path)
    imported = importlib.import_module("pair.second").count()
    assert values[Symbol("pair.second", "count")]() == imported
    assert imported == (12, 2, "    2 total 12.0{total}", 0, "0")
    renamed = FIRST.replace("$log", "math__log").replace("$", "first__").replace("\n\n\n", "\n")
    assert text == (
        "from cmath import log as cmath__log\nfrom math import log as math__log\n"
        + renamed[renamed.index("first__total = 0") :]
        + SECOND_BUNDLED.lstrip()
    )


def test_a_local_name_captures_nothing(tmp_path: Path) -> None:
    """One is the short name of what is used, the other looks qualified already."""
    base = "def scale(x):\n    return 2 * x\ndef shift(x):\n    return x + 1\n"
    user = "from .base import scale as base_scale, shift as base_shift\n"
    user += "def run(scale):\n    base__scale = base_shift(0)\n"
    user += "    return base_scale(scale) + base__scale\n"
    folder = written(tmp_path / "alias", {"base": base, "user": user})
    text, values = bundled(folder, Symbol("alias.user", "run"))
    assert values[Symbol("alias.user", "run")](4) == 9
    assert "base__scale = shift(0)" in text


@pytest.mark.parametrize(
    ("user", "line", "problem"),
    [
        ("import place.base\nx = [place.base.y]\nplace.base.y = 3\n", 3, "side effect"),
        (
            "import place.base\ndef x():\n    place.base.y = 3\n",
            3,
            "a change of another module's y",
        ),
        ("import place.base as b\ndef x():\n    return b\n", 3, "the module place.base as a value"),
        ("from place import base\ndef x():\n    return base.nil\n", 3, "place.base defines no nil"),
        ("from place.base import nil\ndef x():\n    return nil\n", 1, "place.base defines no nil"),
        ("import place.none\ndef x():\n    return place.none.y\n", 3, "place defines no none"),
        ("from place.base import y\ndef x():\n    global y\n    y = 2\n", 3, "`global y`"),
        ("x = max(1, 2)\ndef max(*y):\n    return y\n", 1, "max may mean the builtin here"),
        (
            "@(lambda f: max and f)\ndef x():\n    return 1\ndef max(*y):\n    return y\n",
            2,
            "max may mean the builtin here",
        ),
        ("def x():\n    global json\n    import json\njson = y = 1", 1, "cannot be replaced"),
        ("import json\nx = [json]\n", 2, "json has another meaning in the bundle"),
    ],
)
def test_what_cannot_be_named_is_an_error_with_file_and_line(
    user: str, line: int, problem: str, tmp_path: Path
) -> None:
    base = "y = 1\njson = 2\ndef get():\n    return y, json\n"
    folder = written(tmp_path / "place", {"base": base, "user": user})
    start = [Symbol("place.base", "get"), Symbol("place.user", "x")]
    own = {"json": None} if user.startswith("import json") else {}
    with pytest.raises(BundleError, match=problem) as caught:
        close(SourceTree({"place": folder}), start, own)
    assert f"user.py:{line}: " in str(caught.value)


def symtable_globals(table: symtable.SymbolTable) -> set[str]:
    top_level = table.get_type() == "module"
    names = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if (symbol.is_referenced() or symbol.is_assigned()) and (top_level or symbol.is_global())
    }
    return names.union(*(symtable_globals(child) for child in table.get_children()))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="comprehensions are no scopes any more")
@pytest.mark.parametrize("package", [envs, submission])
def test_references_are_what_pythons_symbol_tables_call_global(package: Any) -> None:
    for path in Path(package.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        source, lines = SourceText(text), text.splitlines()
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign):
                references = find_names(statement, source).references
                found = {reference.path[0] for reference in references if not reference.quoted}
                parts = (statement, *getattr(statement, "decorator_list", ()))
                first = min(part.lineno for part in parts)
                written = "\n".join(lines[first - 1 : statement.end_lineno])
                table = symtable.symtable(written, "statement", "exec")
                assert found == symtable_globals(table)
                for reference in references:
                    assert text[reference.start : reference.ends[0]] == reference.path[0]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("class A:\n    x = (y := y)", {"A", "y"}),
        pytest.param(
            "def f():\n    type N[T] = list[T]\n    return N",
            {"f", "list"},
            marks=pytest.mark.skipif(sys.version_info < (3, 12), reason="no type statement"),
        ),
    ],
)
def test_a_value_is_read_before_it_has_its_name_which_is_local(code: str, names: set[str]) -> None:
    found = find_names(ast.parse(code).body[0], SourceText(code)).references
    assert {reference.path[0] for reference in found} == names
