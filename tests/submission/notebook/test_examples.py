"""The notebooks of `examples/` run, and are saved with all that they show."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.documents import ROOT
from tests.helpers.html_reading import Page, require_harmless
from tests.helpers.jupyter import jupyter_environment, require_modules

EXAMPLES = sorted((ROOT / "examples").glob("*.ipynb"))
PATIENCE = 120

every_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


def read(path: Path) -> Any:
    nbformat = pytest.importorskip("nbformat")
    return nbformat.read(path, as_version=4)


def kinds_of_outputs(notebook: Any) -> list[list[tuple[str, ...]]]:
    """What each cell of code has put out: a stream, an error, or a result in some forms."""
    return [
        [
            tuple(sorted(set(output.get("data", {})) - WIDGET)) or (output.output_type,)
            for output in cell.outputs
            if output.get("name") != "stderr"
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


WIDGET = {"application/vnd.jupyter.widget-view+json"}


@every_example
def test_an_example_runs_as_it_was_saved(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_modules("nbclient", "ipykernel", "anywidget")
    from nbclient import NotebookClient

    for name, value in jupyter_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    saved, notebook = read(path), read(path)
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(
        notebook,
        timeout=PATIENCE,
        resources=where,
        kernel_name="python3",
        coalesce_streams=True,  # a slow cell prints in several pieces
    ).execute()
    assert kinds_of_outputs(notebook) == kinds_of_outputs(saved)
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == [*range(1, len(counts) + 1)]


@every_example
def test_what_a_saved_example_shows_is_harmless(path: Path) -> None:
    outputs = [o for cell in read(path).cells for o in cell.get("outputs", ())]
    shown = [Page(o["data"]["text/html"]) for o in outputs if "text/html" in o.get("data", {})]
    assert len(shown) >= 5
    for page in shown:
        require_harmless(page)
    assert sum("svg" in page.tags for page in shown) >= 3
    texts = [o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in outputs]
    assert not [text for text in texts if "\x1b" in text or not text]


@every_example
def test_an_exported_example_keeps_the_pictures(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a page without scripts: none of the outputs needs one."""
    require_modules("nbconvert", "jupyterlab")
    from nbconvert import HTMLExporter

    for name, value in jupyter_environment(Path("unused")).items():
        monkeypatch.setenv(name, value)
    exporter: Any = HTMLExporter
    page, _ = exporter(template_name="basic").from_notebook_node(read(path))
    saved = path.read_text(encoding="utf-8")
    drawn = len(re.findall("<svg", saved))
    assert drawn >= 3
    assert len(re.findall("<svg", page)) == drawn


@every_example
def test_links_of_an_example_lead_somewhere(path: Path) -> None:
    text = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\((?!https:)([^)#]*)", text)
    assert links
    for link in links:
        assert (path.parent / link).exists()


def test_the_first_example_installs_as_the_wheelhouse_says() -> None:
    from submission.checking.wheelhouse import LINES

    (install,) = [line for line in LINES.splitlines() if line.startswith("%pip")]
    assert install in read(ROOT / "examples" / "from_nothing_to_a_submission.ipynb").cells[1].source
