"""Results of searches, scores and traces show themselves; no submission carries that."""

import ast

import pytest
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from agents import SearchResult, Solver, make_agent
from agents.reporting.rich_html import COLOURS, html_of
from agents.solver.analysis import analyse, as_json_line, read_position
from agents.trace import SearchTrace, draw, recorded
from envs import ConnectFour, ExplicitTree
from submission.bundle.bundle import build_bundle
from tests.helpers.html_reading import Page, drawings, shown
from tests.helpers.svg_reading import SVG

FOUR = ConnectFour()


def test_a_result_has_a_table_of_its_values() -> None:
    result = make_agent("minimax", depth=2).search(FOUR, FOUR.initial_state())
    page = shown(result)
    for action in result.action_values:
        assert str(action) in page.text
    assert page.tags.count("tr") == 1 + len(result.action_values)
    assert "chosen" in page.text


def test_actions_of_strangers_are_escaped() -> None:
    wicked = "<img src=x onerror=alert(1)>\x1b[2J"
    result = SearchResult(wicked, 0.25, (wicked,), {wicked: 0.25})
    page = shown(result)
    assert page.text.count("<img src=x onerror=alert(1)>\N{REPLACEMENT CHARACTER}[2J") == 3
    tree = ExplicitTree({wicked: [1, 2], "b": [3, 4]})
    trace = SearchTrace()
    recorded(make_agent("minimax", depth=None), trace).search(tree, ())
    assert shown(trace).tags.count("img") == 1  # our own


def test_an_analysis_has_the_board_and_the_scores() -> None:
    analysis = analyse(Solver(FOUR, plain=True), read_position(FOUR, "4444435352335533222262"), 5.0)
    page = shown(analysis)
    (picture,) = drawings(analysis)
    assert len([*picture.findall(f"{SVG}path")]) == 11
    for column, bounds in analysis.columns.items():
        assert f"column {column + 1}" in page.text
        assert str(bounds.lower) in page.text
    assert as_json_line(analysis).count('"score"') == 1 + len(analysis.columns)


@pytest.mark.parametrize("agent", ["alphabeta", "mcts"])
def test_a_trace_is_its_drawing(agent: str) -> None:
    tree, trace = ExplicitTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), SearchTrace()
    assert "no search is recorded yet" in shown(trace).text
    recorded(make_agent(agent, time_limit=None), trace).search(tree, ())
    assert len(drawings(trace)) == 1
    assert draw(trace) in trace._repr_mimebundle_()["text/html"]  # type: ignore[attr-defined]
    shown(trace)


def test_no_submission_carries_a_notebook() -> None:
    names = {
        node.name
        for node in ast.walk(ast.parse(build_bundle("mcts", {})))
        if isinstance(node, ast.FunctionDef)
    }
    assert not {name for name in names if "repr_mime" in name or "html" in name}


def test_tables_become_html_as_rich_prints_them() -> None:
    table = Table(title="A <title>")
    table.add_column("left")
    table.add_column("right", justify="right")
    table.add_row("[b]plain[/b]", Text("red", "bold red"))
    table.add_row("two\nlines", "3", style="bold green")
    page = Page(html_of(Group(table, "", Text("  a & b"))))
    assert page.text == "A <title>leftright[b]plain[/b]redtwolines3  a & b"
    styles = " ".join(value or "" for name, value in page.attributes if name == "style")
    assert COLOURS["red"] in styles
    assert COLOURS["green"] in styles
    assert page.tags.count("br") == 1
    printed = Console(markup=False, width=80)
    with printed.capture() as capture:
        printed.print(table)
    for words in ("A <title>", "[b]plain[/b]", "red", "two", "lines"):
        assert words in capture.get()
    with pytest.raises(TypeError, match="is not a table or text"):
        html_of(3)


@pytest.mark.parametrize("ground", ["#ffffff", "#111111", "#1e1e1e"])
def test_colours_can_be_read_on_light_and_dark_pages(ground: str) -> None:
    """The contrast of WCAG 2; 3 is asked of bold text, which all coloured words are, or large."""
    for colour in COLOURS.values():
        bright, dark = sorted([luminance(colour), luminance(ground)], reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 3.5


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
