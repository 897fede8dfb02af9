"""Hiding the project from the submissions that it runs."""

import sys
from pathlib import Path

import pytest

from submission.sandbox.file_guard import ProjectHider


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
