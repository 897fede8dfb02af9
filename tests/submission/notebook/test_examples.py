"""The notebooks of `examples/` run and are saved with all that they show; a person plays in one."""

import re
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from envs.render import COLOURS
from tests.helpers.documents import ROOT
from tests.helpers.html_reading import Page, require_harmless
from tests.helpers.jupyter import (
    browser_page,
    jupyter_environment,
    jupyterlab,
    require_modules,
    write_notebook,
)

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


# --- a person in JupyterLab


PLAY = """\
import connectx
board = connectx.Board(opponent="greedy", seconds=0.1)
board"""
READ = """\
from envs import ConnectFour, show, state_from_moves
assert board.state == state_from_moves(ConnectFour(), board.moves)
print(f"moves: {board.moves[:1]}, {len(board.moves)} plies")"""


def test_a_person_plays_in_jupyterlab(tmp_path: Path) -> None:
    require_modules("jupyterlab", "anywidget", "ipykernel")
    notebook = tmp_path / "notebooks" / "play.ipynb"
    write_notebook(notebook, PLAY, READ, "show(ConnectFour(), board.state)")
    copy(ROOT / "examples" / "see_a_search_think.ipynb", notebook.parent)
    with browser_page() as page, jupyterlab(tmp_path) as address:
        page.goto(f"{address}lab/tree/play.ipynb?token=token&reset")
        page.get_by_text("| Idle").first.wait_for()
        page.locator(".jp-Notebook .jp-CodeCell").first.click()
        page.keyboard.press("Shift+Enter")
        page.get_by_role("button", name="Column 4").click()
        plays = page.locator(".cx-message", has_text="Your move (X).")
        stones = page.locator(".stones .stone")
        page.wait_for_function(COUNT, arg=2)
        page.keyboard.press("1")  # a digit plays where the board has the focus; the cell stays
        page.wait_for_function(COUNT, arg=4)
        plays.wait_for()
        assert not page.locator("[class^=connectx-picture] svg").first.is_visible()
        assert stones.count() == 4
        page.get_by_role("button", name="Undo").click()
        page.wait_for_function(COUNT, arg=2)
        page.locator(".jp-Notebook .jp-CodeCell").nth(1).click()
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("Shift+Enter")
        page.get_by_text("moves: 4, 2 plies").wait_for()
        page.locator(".jp-OutputArea svg[role=img]").last.wait_for()
        assert not page.locator(".jp-OutputArea img").last.is_visible()
        assert page.locator(".jp-MarkdownCell").count() == 0

        page.goto(f"{address}lab/tree/see_a_search_think.ipynb?token=token&reset")
        page.locator(".jp-OutputArea img").first.wait_for()  # somebody else's: it is not trusted
        assert page.locator(".jp-OutputArea svg").count() == 0
        assert page.locator(".jp-OutputArea img").first.bounding_box()["height"] > 100


def test_an_executed_board_is_a_picture_in_an_exported_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With scripts on: no kernel answers the widget, which takes no room."""
    require_modules("anywidget", "ipykernel", "nbclient", "nbconvert")
    from nbclient.client import execute
    from nbconvert import HTMLExporter

    for name, value in jupyter_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    notebook = tmp_path / "notebooks" / "board.ipynb"
    write_notebook(notebook, 'import connectx\nconnectx.Board(opponent=None, moves="4453")')
    import nbformat

    executed = execute(nbformat.read(notebook, as_version=4), cwd=str(ROOT))
    assert executed.metadata.widgets
    content, _ = HTMLExporter().from_notebook_node(executed)
    (tmp_path / "board.html").write_text(content, encoding="utf-8")
    with browser_page() as page:
        page.goto((tmp_path / "board.html").as_uri())
        picture = page.locator(".jp-OutputArea svg[role=img]").first
        assert picture.locator(f"circle[fill='{COLOURS[1]}']").count() == 2
        assert picture.bounding_box()["height"] > 200
        assert page.locator(".jupyter-widgets").bounding_box()["height"] < 30
        assert page.locator(".jp-OutputArea").bounding_box()["height"] < 450


COUNT = """count => [...document.querySelectorAll(".cx-widget > div")]
  .some(host => host.shadowRoot?.querySelectorAll(".stones .stone").length === count)"""
