"""The wheel is complete: installed alone, away from the sources, the command line works."""

import os
import shutil
import sys
import sysconfig
import tarfile
import venv
import zipfile
from contextlib import chdir
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from hatchling.build import build_sdist, build_wheel
from packaging.requirements import Requirement

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
