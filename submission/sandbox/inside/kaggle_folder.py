"""Kaggle's folder for submissions, on machines that have no such folder.

Linux can mount it (see `containment`). Elsewhere its paths are translated both at their origin and
at their use, since neither covers every path: in the constants of code when the code is compiled,
so that they also suit native code and other programs; and in the arguments of Python's file
functions, whose paths may have been put together or read.
"""

import builtins
import io
import os
import pkgutil
import re
import sys
from collections.abc import Callable
from functools import wraps
from types import CodeType, ModuleType
from typing import Any

KAGGLE_HOME = "/kaggle_simulations"

KAGGLE_FOLDER = f"{KAGGLE_HOME}/agent"

MAIN = "main.py"  # the file in it that Kaggle loads

IN_TEXT = re.compile(rf"(?<!\w){KAGGLE_HOME}\b")
"""Finds the folder's name, also in `file:///kaggle_simulations/agent/book.db`."""

IN_BYTES = re.compile(IN_TEXT.pattern.encode())

FILE_FUNCTIONS: tuple[tuple[ModuleType, tuple[str, ...]], ...] = (
    (builtins, ("open",)),
    (io, ("open",)),
    (sys.modules["_io"], ("open_code",)),  # which reads modules
    (os, ("access", "chdir", "listdir", "lstat", "open", "readlink", "scandir", "stat")),
    # On Windows these do not call `os.stat`.
    (os.path, ("exists", "isdir", "isfile", "islink", "lexists")),
)


def translate_paths(home: str) -> None:
    """Make paths in KAGGLE_HOME lead to another folder, `home`, in this process."""
    for module, names in FILE_FUNCTIONS:
        for name in names:
            setattr(module, name, _with_paths_led(getattr(module, name), home))
    setattr(builtins, "compile", _with_constants_led(compile, home))  # noqa: B010 - mypy minds

    def find_modules(entry: str) -> Any:
        led = path_led(entry, home)
        finder = None if led == entry else pkgutil.get_importer(led)
        if finder is None:
            raise ImportError(f"{entry} is for others to find")
        return finder

    sys.path_hooks.insert(0, find_modules)


def path_led(value: Any, home: str) -> Any:
    """A path, moved to `home` if it lies in KAGGLE_HOME; other values as they are."""
    path = os.fspath(value) if hasattr(value, "__fspath__") else value
    if isinstance(path, bytes):
        return os.fsencode(path_led(os.fsdecode(path), home))
    if isinstance(path, str) and IN_TEXT.match(path.replace(os.sep, "/")):
        return home + path[len(KAGGLE_HOME) :]
    return value


def constant_led(constant: Any, home: str) -> Any:
    """A constant of compiled code, or code itself, with KAGGLE_HOME replaced by `home`."""
    match constant:
        case str():
            return IN_TEXT.sub(lambda named: home, constant)
        case bytes():
            return IN_BYTES.sub(lambda named: os.fsencode(home), constant)
        case tuple() | frozenset():
            return type(constant)(constant_led(item, home) for item in constant)
        case CodeType():
            return constant.replace(co_consts=constant_led(constant.co_consts, home))
    return constant


def _with_paths_led(function: Callable[..., Any], home: str) -> Callable[..., Any]:
    @wraps(function)
    def led(*arguments: Any, **options: Any) -> Any:
        return function(
            *(path_led(argument, home) for argument in arguments),
            **{name: path_led(value, home) for name, value in options.items()},
        )

    return led


def _with_constants_led(function: Callable[..., Any], home: str) -> Callable[..., Any]:
    @wraps(function)
    def led(*arguments: Any, **options: Any) -> Any:
        return constant_led(function(*arguments, **options), home)

    return led
