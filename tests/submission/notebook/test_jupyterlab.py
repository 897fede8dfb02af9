"""A person plays on the board in a real JupyterLab, and an exported page keeps its picture."""

from pathlib import Path
from shutil import copy

import pytest

from envs.render import COLOURS
from tests.helpers.documents import ROOT
from tests.helpers.jupyter import (
    browser_page,
    jupyter_environment,
    jupyterlab,
    require_modules,
    write_notebook,
)

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
