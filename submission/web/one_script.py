"""Modules of the page as one script, for pages that are opened from the file system."""

import re
from collections.abc import Mapping
from pathlib import Path

PAGE = Path(__file__).with_name("page")
OFFLINE = Path(__file__).with_name("offline")
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([a-z_]+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)
OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
COMMENT = re.compile(r"^\s*(?:/\*\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)


def one_script(entry: str, replaced: Mapping[str, str]) -> str:
    """Bundle a module and its imports in one script without comments, each in its own function.

    Modules are named without their suffix; `replaced` maps modules to those used in their place.
    """
    written: dict[str, str] = {}

    def write(name: str) -> None:
        if name in written:
            return
        text = COMMENT.sub("", _source(replaced.get(name, name)))
        for _, imported in IMPORT.findall(text):
            write(imported)
        exported = ", ".join(found for _, found in EXPORT.findall(text))
        body = EXPORT.sub(r"\1 \2", IMPORT.sub(r"const {\1} = modules.\2;\n", text))
        if odd := OTHER.search(body):
            raise ValueError(f"the module {name} of the page has {odd[0]!r}, which no script can")
        inner = f"{lean(body)}\nreturn {{ {exported} }};"
        written[name] = f"modules.{name} = (() => {{\n{inner}\n}})();\n"

    write(entry)
    return '"use strict";\nconst modules = {};\n' + "".join(written.values())


def lean_script(text: str) -> str:
    """A script without its comments and indentation."""
    return lean(COMMENT.sub("", text))


def lean(text: str) -> str:
    """A text without blank lines, and without blanks at either end of a line."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _source(name: str) -> str:
    path = PAGE / "modules" / f"{name}.js"
    return (path if path.exists() else OFFLINE / path.name).read_text(encoding="utf-8")
