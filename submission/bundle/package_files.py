"""Puts the package's data files into a bundle."""

import ast
from base64 import b85encode
from collections.abc import Iterable
from functools import lru_cache

from agents.package_file import PackageFile
from submission.bundle.definitions import Definition
from submission.bundle.naming import Symbol, Use

LINE_LENGTH = 94
PACKAGE_FILE = Symbol(PackageFile.__module__, PackageFile.__name__)


def with_content(definition: Definition, uses: Iterable[Use], text: str) -> str:
    """The text of a definition, with the content of the package file added to a `PackageFile`."""
    match definition.statement:
        case ast.Assign(
            value=ast.Call(args=[ast.Constant(value=str(package)), ast.Constant(value=str(name))])
        ) if any(use.meaning == PACKAGE_FILE for use in uses):
            lines = base85_lines(PackageFile(package, name).read())
            return text.replace(f'"{name}")', f'"{name}",\n{lines}\n)', 1)
    return text


@lru_cache(maxsize=8)
def base85_lines(content: bytes) -> str:
    """Indented lines of string literals that together are `content` in base85."""
    text = b85encode(content).decode("ascii")
    starts = range(0, len(text), LINE_LENGTH)
    return "\n".join(f'    "{text[start : start + LINE_LENGTH]}"' for start in starts)
