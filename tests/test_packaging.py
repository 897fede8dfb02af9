"""The wheel is complete: installed alone, away from the sources, the command line works."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.helpers.documents import DOCUMENTS, ROOT, links_of

SUFFIXES = (".py", ".cxrp", ".jsonl", ".npz", ".txt", ".html", ".css", ".js")


def built(kind: str, folder: Path) -> Path:
    """The archive that `python -m build` makes."""
    subprocess.run(
        [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "-o", folder, ROOT],
        check=True,
        capture_output=True,
    )
    return next(folder.iterdir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", tmp_path_factory.mktemp("dist"))


def test_the_wheel_has_every_module(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == {"connectx.py"} | {
        path.relative_to(ROOT).as_posix()
        for package in ("agents", "envs", "submission")
        for path in (ROOT / package).rglob("*")
        if path.suffix in SUFFIXES or path.name in ("py.typed", "icon.svg")
    }


def test_the_source_archive_has_the_documents_and_all_that_they_show(tmp_path: Path) -> None:
    with tarfile.open(built("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
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


def test_all_works_from_the_wheel_alone_installed_read_only(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv")
    binaries = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def run(command: str, *words: str | Path) -> str:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        environment["HOME"] = str(tmp_path / "nowhere")
        return subprocess.run(
            [binaries / command, *words],
            cwd=elsewhere,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    pip = [sys.executable, "-m", "pip", "--python", str(tmp_path / "venv")]
    options = ["--quiet", "--disable-pip-version-check", "--no-compile"]  # most is never imported
    install = [*pip, "install", *options, str(wheel)]
    subprocess.run(install, cwd=elsewhere, check=True, capture_output=True)
    make_read_only(tmp_path / "venv")
    assert "alphabeta" in run("connectx", "agents")
    run("connectx", "build", "mcts")
    loaded = run("python", "-c", "import submission; print(submission.agent({'board': [0]}, {}))")
    assert loaded.strip() == "0"
    assert "Results of greedy" in run("python", "-c", STRANGER)
