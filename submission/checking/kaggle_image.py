"""Kaggle's Python images: their modules, and similar environments on this machine.

There are two images: one for notebooks and a somewhat older one for games. The list of
distributions says what is known about each.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from submission.sandbox.inside.source_facts import OLDER_PYTHON, Import
from submission.sandbox.interpreter import find_python

ENVIRONMENT = Path(sys.prefix, "kaggle-image")
"""Where `make kaggle-image` puts a virtual environment with the images' versions and the newer of
the two Pythons that may play games: inside the environment that runs this."""

OLDER = ".".join(map(str, OLDER_PYTHON))  # the suffix of the environment with the older Python

LIST = Path(__file__).with_name("kaggle_image.txt")  # distributions, with sources and dates

DISTRIBUTIONS_OF_MODULES = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "Crypto": "pycryptodome",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "jwt": "pyjwt",
    "PIL": "pillow",
    "pyspiel": "open-spiel",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "skopt": "scikit-optimize",
    "yaml": "pyyaml",
}
"""Modules whose names differ from those of their distributions."""


def image_python() -> Path | None:
    """The first of `image_pythons`; None if there is none."""
    return next(image_pythons(), None)


def image_pythons() -> Iterator[Path]:
    """The interpreters of all environments with Kaggle's versions, the newest Python first.

    Raises:
        OSError, ValueError: an environment is incomplete; see `find_python`.
    """
    for environment in (ENVIRONMENT, ENVIRONMENT.with_name(f"{ENVIRONMENT.name}-{OLDER}")):
        if environment.exists():
            yield find_python(environment)


@cache
def kaggles_versions() -> str:
    """The published versions with which Kaggle plays games: `Python 3.11 or 3.12, …`."""
    text = LIST.read_text(encoding="utf-8")
    found = re.findall(r"^# Games are played with (.+)|^(numba|numpy)==(.+)", text, re.MULTILINE)
    return ", ".join(" ".join(filter(None, words)) for words in found)


def image_has(module: str, distributions: Iterable[str] = ()) -> bool:
    """Whether Kaggle's image has a module, judging by its distributions, or by its name if none."""
    named = [*distributions] or [DISTRIBUTIONS_OF_MODULES.get(module, module)]
    return any(_normalized(name) in _listed() for name in named)


def doubt_import(entry: Import) -> str | None:
    """A warning about an import that works only here or only on Kaggle; None for other imports."""
    is_there = image_has(entry.module, entry.distributions)
    if entry.origin == "installed" and not is_there:
        source = ", ".join(entry.distributions) or "unknown"
        return (
            f"the module {entry.module} (distribution {source}) is installed here, but is not "
            "listed for Kaggle's Python image: leave it out, or pack it into a .tar.gz with main.py"
        )
    if is_missing_here_alone(entry):
        return (
            f"the module {entry.module} is missing here, but Kaggle's Python image has it: "
            "install it to check what Kaggle will run"
        )
    return None


def is_missing_here_alone(entry: Import) -> bool:
    """Whether an import fails here, but not on Kaggle."""
    return entry.origin == "missing" and image_has(entry.module)


@cache
def _listed() -> frozenset[str]:
    lines = LIST.read_text(encoding="utf-8").splitlines()
    names = (re.match(r"[\w.-]+", line) for line in lines)
    return frozenset(_normalized(name[0]) for name in names if name)


def _normalized(name: str) -> str:
    """The name of a distribution as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
