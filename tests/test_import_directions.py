"""Imports point one way, submission -> agents -> envs; outside packages have their place."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.helpers.processes import output_of

ROOT = Path(__file__).parent.parent
OURS = ("envs", "agents", "submission")
LEARNERS = {"stable_baselines3", "sb3_contrib", "torch"}
LEARNING_PACKAGES = LEARNERS | {"gymnasium", "pettingzoo"}


def imported_modules(source: str, package: str) -> set[str]:
    """The modules that a module of `package` imports, or takes names from, anywhere."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(package if node.level else node.module or "")
    return found


def top_level(names: set[str]) -> set[str]:
    """The packages at the top of these modules."""
    return {name.split(".")[0] for name in names}


def imported_packages(source: str, package: str) -> set[str]:
    """The top-level packages that a module of `package` imports anywhere in its source."""
    return top_level(imported_modules(source, package))


@cache
def modules(package: str) -> dict[Path, set[str]]:
    """Each source file of a package with what it imports."""
    paths = sorted((ROOT / package).rglob("*.py"))
    assert paths, f"no sources in {package}"
    return {path: imported_modules(path.read_text(encoding="utf-8"), package) for path in paths}


def importers(package: str, wanted: set[str]) -> dict[str, list[str]]:
    """The files of a package that import one of `wanted`, with what they import of it."""
    return {
        path.relative_to(ROOT).as_posix(): sorted(top_level(imports) & wanted)
        for path, imports in modules(package).items()
        if top_level(imports) & wanted
    }


def folder_of(module: str) -> Path:
    """The folder of a module; a package's is its own."""
    path = ROOT / module.replace(".", "/")
    return path if path.is_dir() else path.parent


def test_no_two_folders_import_each_other() -> None:
    """Except a folder and one within it: front doors and the registry list what is there."""
    imported: dict[Path, set[Path]] = {}
    for package in OURS:
        for path, names in modules(package).items():
            ours = {folder_of(name) for name in names if top_level({name}) <= {*OURS}}
            imported.setdefault(path.parent, set()).update(ours - {path.parent})
    pairs = [
        (folder, other)
        for folder, others in imported.items()
        for other in others
        if folder in imported[other]
    ]
    assert pairs != []  # the search finds what it allows
    assert [(a, b) for a, b in pairs if not (a.is_relative_to(b) or b.is_relative_to(a))] == []


@pytest.mark.parametrize(
    ("package", "wanted", "places"),
    [
        ("envs", {"agents", "submission", "kaggle_environments"}, ()),
        ("envs", LEARNING_PACKAGES, ("envs/learning/",)),
        ("agents", {"submission", "kaggle_environments", "gymnasium", "pettingzoo"}, ()),
        ("agents", LEARNERS, ("agents/policy/training/", "agents/policy/learners/")),
        ("submission", {"gymnasium", *LEARNERS}, ()),
        ("submission", {"kaggle_environments"}, ("submission/kaggle.py",)),
        *((package, {"tests", "benchmarks", "pytest", "hypothesis"}, ()) for package in OURS),
    ],
)
def test_packages_are_imported_in_their_places_alone(
    package: str, wanted: set[str], places: tuple[str, ...]
) -> None:
    visitors = importers(package, wanted)
    assert bool(visitors) == bool(places)
    assert [path for path in visitors if not path.startswith(places)] == []


def test_commands_reach_what_learns_only_when_they_train() -> None:
    """What loads with the commands neither imports it nor one of the files that do."""
    program = "import sys; from submission.cli.app import COMMANDS, function_of\n"
    program += "[function_of(name) for name in COMMANDS]\n"
    program += "print(*sys.modules)"
    loaded = output_of(program).split()
    assert "submission.cli.train" in loaded
    assert LEARNERS & set(loaded) == set()


def test_environments_meet_agents_at_one_place_only() -> None:
    """An opponent that is named is made there, late; no other source mentions the package."""
    sources = {path: path.read_text(encoding="utf-8") for path in modules("envs")}
    meeting = [path.name for path, source in sources.items() if 'import_module("agents' in source]
    assert meeting == ["opponents.py"]
