"""The zip for Kaggle: complete beside the image's own packages, and installed without an index."""

import subprocess
import sys
import zipfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from submission.checking import wheelhouse
from submission.checking.kaggle_image import LIST, image_python
from tests.helpers.checks import GOOD
from tests.helpers.processes import completed

OF_THE_IMAGE = ("jinja2", "psutil", "rich", "typer")
"""What the package needs of Kaggle's image that `make kaggle-image` leaves out."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("wheelhouse") / "wheelhouse.zip"
    try:
        wheelhouse.make_wheelhouse(output)
    except ChildProcessError as error:
        pytest.skip(f"no index is reached: {error}")
    return output


def test_it_has_this_package_and_what_the_image_lacks(archive: Path) -> None:
    with zipfile.ZipFile(archive) as content:
        wheels = {name.split("-")[0] for name in content.namelist() if name.endswith(".whl")}
        text = content.read("README.md").decode()
    assert wheels == {"connectx_agents", "msgspec"}
    assert wheelhouse.LINES in text
    assert len(wheelhouse.LINES.splitlines()) == 3
    assert "--no-index" in wheelhouse.LINES


def is_in_image(requirement: Requirement) -> bool:
    lines = LIST.read_text(encoding="utf-8").splitlines()
    entries = [Requirement(line) for line in lines if line and not line.startswith("#")]
    name = canonicalize_name(requirement.name)
    pins = [entry.specifier for entry in entries if canonicalize_name(entry.name) == name]
    versions = [pin.version for pinned in pins for pin in pinned if pin.operator == "=="]
    return bool(pins) and (not versions or requirement.specifier.contains(versions[-1]))


@pytest.mark.parametrize("packed", ["connectx-agents", *wheelhouse.LACKING])
def test_the_image_has_all_else_that_its_wheels_need(packed: str) -> None:
    needed = [Requirement(line) for line in metadata.requires(packed) or []]
    for extra in ("", "kaggle-light", "notebook", "web"):
        for each in needed:
            if each.marker is None or each.marker.evaluate({"extra": extra}):
                assert is_in_image(each) != (each.name in wheelhouse.LACKING), each


def run(command: Sequence[str | Path], folder: Path) -> str:
    return completed(command, folder, PYTHONPATH=None).stdout


def test_kaggles_versions_install_it_without_an_index(archive: Path, tmp_path: Path) -> None:
    python = image_python()
    if python is None:
        pytest.skip("there is no environment with Kaggle's versions: make kaggle-image")
    with zipfile.ZipFile(archive) as content:
        content.extractall(tmp_path / "input")
    run([python, "-m", "venv", "--without-pip", tmp_path / "venv"], tmp_path)
    own = tmp_path / "venv" / "bin"
    paths = "import sysconfig; print(sysconfig.get_path('purelib'))"
    shared = run([python, "-c", paths], tmp_path).strip()
    packages = Path(run([own / "python", "-c", paths], tmp_path).strip())
    (packages / "image.pth").write_text(f"{shared}\n", encoding="utf-8")
    lines = LIST.read_text(encoding="utf-8").splitlines()
    versions = [
        line for line in lines if line.lower().startswith(tuple(f"{n}==" for n in OF_THE_IMAGE))
    ]
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", own / "python", "install"]
    pip += ["--quiet", "--disable-pip-version-check", "--no-compile"]
    if subprocess.run([*pip, *versions], check=False).returncode:
        pytest.skip("no index is reached")

    links: list[str | Path] = ["--no-index", "--find-links", tmp_path / "input"]
    run([*pip, *links, "connectx-agents"], tmp_path)
    (tmp_path / "mine.py").write_text(GOOD)
    quickly = ["--patience", "0", "--game-seconds", "0"]
    assert "Accepted" in run([own / "connectx", "check", "mine.py", *quickly], tmp_path)


def test_a_failure_of_pip_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ChildProcessError, match="pip wheel has failed"):
        wheelhouse.make_wheelhouse(tmp_path / "none.zip", root=tmp_path)
    assert not (tmp_path / "none.zip").exists()
