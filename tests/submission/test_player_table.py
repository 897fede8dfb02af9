"""Tables of players, from which nothing is cut off in a terminal of any width, and pages."""

from pathlib import PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from submission import reports
from submission.reports import FOLDED, PlayerTable, render_page, short_names
from tests.helpers.shell import printed

NAMES = ("mcts:simulations=20,seed=1", "mcts:simulations=20,seed=2", "runs/a/agent.py", "negamax")
HEADINGS = ("games", "W-D-L\nfirst", "score, %", "Elo")
FIGURES = ("2", "1-0-1", "50.0\n[10.3, 89.7]", "+0\n[-376, +376]")


@pytest.mark.parametrize("is_ranking", [True, False])
@pytest.mark.parametrize("names", [("x",), NAMES[:1], NAMES], ids=["short", "long", "four"])
def test_nothing_is_cut_off_at_any_width(names: tuple[str, ...], is_ranking: bool) -> None:
    """Names are folded or shortened, so that they are still told apart."""
    table = PlayerTable("Results", "against", HEADINGS, dict.fromkeys(names, FIGURES), is_ranking)
    for width in (*range(30, 100), 200):
        text = printed(table, width)
        assert max(map(len, text.splitlines())) <= width
        assert "\N{HORIZONTAL ELLIPSIS}" not in text, text
        words = "".join(text.split())
        for name, short in short_names(names).items():
            is_whole = len(names) == 1 or width in (30, 200)
            told = name if is_whole else short.rpartition(":")[2]
            assert all(part in words for part in (told[:FOLDED], told[FOLDED:]))
        for cell in FIGURES:
            assert all(text.count(line) >= len(names) for line in cell.split("\n"))


def test_names_keep_what_tells_them_apart() -> None:
    assert short_names(NAMES) == {
        "mcts:simulations=20,seed=1": "mcts:seed=1",
        "mcts:simulations=20,seed=2": "mcts:seed=2",
        "runs/a/agent.py": "agent.py",
        "negamax": "negamax",
    }
    assert [*short_names(["a/x.py", "b/x.py"]).values()] == ["a/x.py", "b/x.py"]
    assert [*short_names(["mcts:seed=1", "greedy"]).values()] == ["mcts:seed=1", "greedy"]


def test_a_drive_letter_begins_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "PurePath", PureWindowsPath)
    names = ["C:\\bots\\a.py", "C:\\bots\\b.py", "policy:weights=C:\\nets\\p.npz"]
    assert [*short_names(names).values()] == ["a.py", "b.py", names[2]]
    assert [*short_names(["C:\\a\\x.py", "D:\\b\\x.py"]).values()] == ["a\\x.py", "b\\x.py"]


words = st.lists(st.sampled_from(["seed=1", "seed=2", "depth=3", "x=1"]), unique=True)
specifications = st.builds(
    lambda agent, options: f"{agent}:{','.join(options)}" if options else agent,
    st.sampled_from(["mcts", "minimax"]),
    words,
)
paths = st.builds("/".join, st.lists(st.sampled_from(["a", "b", "x.py"]), min_size=1))


@given(st.lists(specifications | paths, unique=True))
def test_short_names_are_as_many(names: list[str]) -> None:
    short = short_names(names)
    assert [*short] == names
    assert len({*short.values()}) == len(names)
    assert all(len(short[name]) <= len(name) for name in names)


def test_a_value_that_a_page_lacks_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="title"):
        render_page("page.html")
