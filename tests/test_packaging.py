"""The wheel works alone, away from the sources; the zip for Kaggle beside the image's packages."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from contextlib import chdir
from importlib.metadata import Distribution, distribution, requires
from pathlib import Path

import pytest
from hatchling.build import build_sdist, build_wheel
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from submission.checking import wheelhouse
from submission.checking.kaggle_image import LIST, image_python
from tests.helpers.checks import GOOD
from tests.helpers.documents import DOCUMENTS, ROOT, links_of
from tests.helpers.processes import completed

SUFFIXES = (".py", ".cxbk", ".cxrp", ".jsonl", ".npz", ".txt", ".html", ".css", ".js")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    with chdir(ROOT):
        return folder / build_wheel(str(folder))


def test_the_wheel_has_every_module(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == {"connectx.py"} | {
        path.relative_to(ROOT).as_posix()
        for package in ("agents", "envs", "submission")
        for path in (ROOT / package).rglob("*")
        if path.suffix in SUFFIXES or path.name in ("py.typed", "icon.svg")
    }


def test_the_source_archive_has_the_documents_and_all_that_they_show(tmp_path: Path) -> None:
    """And what `make test` takes, of which CONTRIBUTING.md tells."""
    with chdir(ROOT), tarfile.open(tmp_path / build_sdist(str(tmp_path))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {"Makefile", ".github/workflows/tests.yml", ".pre-commit-config.yaml"}
    for document in DOCUMENTS:
        assert document.relative_to(ROOT).as_posix() in names
        for linked, _ in links_of(document):
            assert linked.relative_to(ROOT).as_posix() in names


STRANGER = """
import connectx
print(connectx.build("greedy").save("main.py"))
print(connectx.evaluate("greedy", "random:", games=2, arena="own", workers=1))
"""


def make_read_only(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)


def needed_packages(wheel: Path) -> set[str]:
    """The top names of all that a wheel says it needs, and of what that needs."""
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith("METADATA")]
        lines = archive.read(metadata).decode().partition("\n\n")[0].splitlines()
    needed = [line.partition(": ")[2] for line in lines if line.startswith("Requires-Dist")]
    found: dict[str, Distribution] = {}
    while needed:
        requirement = Requirement(needed.pop())
        holds = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if holds and requirement.name not in found:
            found[requirement.name] = distribution(requirement.name)
            needed += found[requirement.name].requires or []
    files = [file for each in found.values() for file in each.files or []]
    return {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}


def test_all_works_from_the_wheel_alone_installed_read_only(wheel: Path, tmp_path: Path) -> None:
    """Beside what it says that it needs, which is taken from this environment."""
    venv.create(tmp_path / "venv")
    binaries = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def run(command: str, *words: str | Path) -> str:
        home = tmp_path / "nowhere"
        run_here = [binaries / command, *words]
        return completed(run_here, elsewhere, PYTHONPATH=None, HOME=home).stdout

    pip = [sys.executable, "-m", "pip", "--python", str(tmp_path / "venv")]
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    completed([*pip, "install", *options, str(wheel)], elsewhere)
    make_read_only(tmp_path / "venv")
    needed = tmp_path / "needed"
    needed.mkdir()
    for name in needed_packages(wheel):
        put(Path(sysconfig.get_path("purelib")) / name, needed / name)
    paths = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run("python", "-c", paths).strip())
    packages.chmod(0o755)
    (packages / "needed.pth").write_text(f"{needed}\n", encoding="utf-8")
    packages.chmod(0o555)
    run("connectx", "build", "minimax")
    loaded = run("python", "-c", "import submission; print(submission.agent({'board': [0]}, {}))")
    assert loaded.strip() == "0"
    assert "Results of greedy" in run("python", "-c", STRANGER)


def put(package: Path, place: Path) -> None:
    """As a link, where the system lets everybody make one."""
    if os.name != "nt":
        place.symlink_to(package)
    elif package.is_dir():
        shutil.copytree(package, place)
    else:
        shutil.copy(package, place)


# --- the zip for Kaggle, which is complete and installed without an index

OF_THE_IMAGE = ("jinja2", "psutil", "rich", "typer")
"""What the package needs of Kaggle's image that `make kaggle-image` leaves out."""


@pytest.fixture(scope="module")
def wheelhouse_zip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("wheelhouse") / "wheelhouse.zip"
    try:
        wheelhouse.make_wheelhouse(output)
    except ChildProcessError as error:
        pytest.skip(f"no index is reached: {error}")
    return output


def test_the_zip_has_this_package_and_what_the_image_lacks(wheelhouse_zip: Path) -> None:
    with zipfile.ZipFile(wheelhouse_zip) as content:
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
def test_the_image_has_all_else_that_the_zips_wheels_need(packed: str) -> None:
    needed = [Requirement(line) for line in requires(packed) or []]
    for extra in ("", "kaggle-light", "notebook", "web"):
        for each in needed:
            if each.marker is None or each.marker.evaluate({"extra": extra}):
                assert is_in_image(each) != (each.name in wheelhouse.LACKING), each


def run_apart(command: Sequence[str | Path], folder: Path) -> str:
    return completed(command, folder, PYTHONPATH=None).stdout


def test_kaggles_versions_install_the_zip_without_an_index(
    wheelhouse_zip: Path, tmp_path: Path
) -> None:
    python = image_python()
    if python is None:
        pytest.skip("there is no environment with Kaggle's versions: make kaggle-image")
    with zipfile.ZipFile(wheelhouse_zip) as content:
        content.extractall(tmp_path / "input")
    run_apart([python, "-m", "venv", "--without-pip", tmp_path / "venv"], tmp_path)
    own = tmp_path / "venv" / "bin"
    paths = "import sysconfig; print(sysconfig.get_path('purelib'))"
    shared = run_apart([python, "-c", paths], tmp_path).strip()
    packages = Path(run_apart([own / "python", "-c", paths], tmp_path).strip())
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
    run_apart([*pip, *links, "connectx-agents"], tmp_path)
    (tmp_path / "mine.py").write_text(GOOD)
    quickly = ["--patience", "0", "--game-seconds", "0"]
    assert "Accepted" in run_apart([own / "connectx", "check", "mine.py", *quickly], tmp_path)


def test_a_failure_of_pip_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ChildProcessError, match="pip wheel has failed"):
        wheelhouse.make_wheelhouse(tmp_path / "none.zip", root=tmp_path)
    assert not (tmp_path / "none.zip").exists()
