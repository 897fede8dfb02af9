"""The workflows of GitHub, beside their schema, by which `make check` reads them."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

SYSTEMS = ["ubuntu-latest", "macos-latest", "windows-latest"]


def read(path: Path) -> dict[str, Any]:
    workflow: dict[str, Any] = YAML(typ="safe").load(path)
    return workflow


def steps_of(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def commands_of(job: dict[str, Any]) -> str:
    return "\n".join(step.get("run", "") for step in job["steps"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_only_read_and_its_actions_have_a_major_version(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert not any("permissions" in job for job in workflow["jobs"].values())
    actions = [step["uses"] for step in steps_of(workflow) if "uses" in step]
    assert actions
    assert [action for action in actions if not re.fullmatch(r"actions/[\w-]+@v\d+", action)] == []


def test_every_python_of_the_project_is_tested_on_every_system() -> None:
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert re.findall(r"^PYTHONS := (.*)$", MAKEFILE, re.MULTILINE) == [" ".join(versions)]
    jobs = read(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    for name in ("tests", "wheel"):
        assert jobs[name]["strategy"]["matrix"] == {"os": SYSTEMS, "python": versions}


def test_what_workflows_install_and_make_is_there() -> None:
    for job in [job for path in WORKFLOWS for job in read(path)["jobs"].values()]:
        commands = commands_of(job)
        for extras in re.findall(r'"\.\[(.*?)\]"', commands):
            assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
        for kaggle in re.findall(r'"(kaggle-environments.*?)"', commands):
            assert [kaggle] == PROJECT["optional-dependencies"]["kaggle"]
        for target in re.findall(r"^make (\S+)$", commands, re.MULTILINE):
            assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)
            assert job["runs-on"] == "ubuntu-latest", "not every system has make"
