"""A JupyterLab for tests, and a browser to use it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from socket import create_connection
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.helpers.browser import PATIENCE, opened_browser
from tests.helpers.clocks import wait_until

FAREWELL = 5.0  # seconds that a server has to end


def require_modules(*modules: str) -> None:
    """Skip the test if one of these modules is not installed."""
    for module in modules:
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")


def jupyter_environment(folder: Path) -> dict[str, str]:
    """Variables that give Jupyter its own folders, so that the user's are not read."""
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    folders = {name: str(folder / name.lower()) for name in names}
    shared = {"JUPYTERLAB_DIR": str(_shared() / "lab"), "JUPYTER_PATH": str(_shared())}
    return {**folders, **shared, "JUPYTER_NO_CONFIG": "1"}


def _shared() -> Path:
    """The folder in which Jupyter's pages and the widgets' extension are installed."""
    spec = find_spec("jupyter_client")
    assert spec is not None
    assert spec.origin is not None
    shares = [parent / "share" / "jupyter" for parent in Path(spec.origin).parents]
    return next((share for share in shares if share.exists()), shares[0])


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """Run a JupyterLab on the folder `notebooks` during the block; yields its address."""
    notebooks = folder / "notebooks"
    environment = jupyter_environment(folder)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ServerApp.port=0"]
    command += [f"--ServerApp.root_dir={notebooks}", "--IdentityProvider.token=token"]
    command += ["--allow-root", "--LabApp.news_url=None", "--LabApp.collaborative=False"]
    everything = {**os.environ, **environment}
    with (folder / "jupyterlab.log").open("wb") as log:
        server = subprocess.Popen(command, env=everything, stdout=log, stderr=log)
    try:
        runtime = Path(environment["JUPYTER_RUNTIME_DIR"])
        seconds = PATIENCE / 1000
        wait_until(lambda: server.poll() is not None or [*runtime.glob("jpserver-*.json")], seconds)
        assert server.poll() is None, (folder / "jupyterlab.log").read_text()
        (file,) = runtime.glob("jpserver-*.json")
        address = json.loads(wait_until(lambda: file.read_text().strip(), seconds))["url"]
        wait_until(lambda: _listens(address), seconds)
        yield address
    finally:
        server.terminate()
        try:
            server.wait(FAREWELL)
        except subprocess.TimeoutExpired:  # it waits for a kernel that was stopped while starting
            server.kill()  # its kernels end with it
            server.wait()


def _listens(address: str) -> bool:
    """Whether a server can be reached; Jupyter writes its address before it listens."""
    place = urlsplit(address)
    try:
        create_connection((place.hostname, place.port), 1).close()
    except OSError:
        return False
    return True


@contextmanager
def browser_page() -> Iterator[Any]:
    """A page of a headless Chromium, open during the block."""
    with opened_browser() as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 1300})
        page.set_default_timeout(PATIENCE)
        yield page


def write_notebook(path: Path, *cells: str) -> None:
    """Write a notebook with these cells of Python."""
    import nbformat

    notebook: Any = nbformat.v4.new_notebook()
    notebook.metadata.kernelspec = {
        "name": "python3",
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
    }
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    path.parent.mkdir(exist_ok=True)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
