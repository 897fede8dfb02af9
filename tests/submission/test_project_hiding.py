"""Hiding the project from the submissions that it runs."""

import sys
import tomllib
from pathlib import Path

import pytest

from submission.sandbox.file_guard import PROJECT_MODULES, PROJECT_PLACES, ProjectHider


def package(folder: Path, name: str) -> Path:
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").touch()
    return folder / name


def test_the_project_is_hidden_and_a_package_of_that_name_elsewhere_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    hider = ProjectHider(["agents"], [package(ours, "agents")])
    package(ours, "other")
    monkeypatch.setattr(sys, "path", [str(ours)])
    with pytest.raises(ModuleNotFoundError, match="No module named 'agents'"):
        hider.find_spec("agents", None)
    assert hider.find_spec("other", None) is None
    assert hider.find_spec("kaggle_environments.agents", None) is None
    monkeypatch.setattr(sys, "path", [str(ours), str(theirs)])
    package(theirs, "agents")
    spec = hider.find_spec("agents", None)
    assert spec is not None
    assert spec.origin == str(theirs / "agents" / "__init__.py")


def test_a_module_that_is_one_file_is_hidden_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = tmp_path / "connectx.py"
    door.touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    hider = ProjectHider(["connectx"], [door])
    with pytest.raises(ModuleNotFoundError, match="No module named 'connectx'"):
        hider.find_spec("connectx", None)


def test_all_that_is_installed_is_hidden() -> None:
    """What the wheel has at its top, by the project's own list."""
    root = Path(__file__).parents[2]
    build = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    installed = build["build"]["targets"]["wheel"]["only-include"]
    assert {*PROJECT_PLACES} == {root / name for name in installed}
    assert {*PROJECT_MODULES} == {place.stem for place in PROJECT_PLACES}
