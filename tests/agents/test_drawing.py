"""Pictures of traces: what they show is read from the SVG itself and compared with the trace."""

import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import AlphaBetaAgent, ExpectimaxAgent, MCTSAgent, MinimaxAgent
from agents.trace.growth import trace_after
from agents.trace.pictures.drawing import draw
from agents.trace.recording import recorded
from agents.trace.story import tell, trace_text
from agents.trace.trace import (
    Path,
    ReturnReason,
    SearchTrace,
    TracedNode,
    decimals_of,
    number_label,
)
from envs import ChanceNode, ConnectX, ExplicitTree, TicTacToe, state_from_moves
from tests.helpers.clocks import ticking_clock
from tests.helpers.random_trees import mixed_trees
from tests.helpers.strategies import connect_games, late_positions
from tests.helpers.svg_reading import Drawing, read_drawing
from tests.helpers.systems import small_stack
from tests.helpers.textbook import PLAIN, TEXTBOOK
from tests.helpers.traces import depth_first_agents, growing_agents, trace_of

leaves = st.integers(-(10**15), 10**15) | st.floats(-1e20, 1e20) | st.floats(-1, 1)
names = st.text(st.characters(exclude_categories=["C", "Z", "M"]), min_size=1, max_size=40)
odd_trees = st.recursive(
    leaves, lambda trees: st.dictionaries(names, trees, min_size=1, max_size=5), max_leaves=30
).filter(lambda tree: isinstance(tree, dict))
"""Trees with actions and values of any length."""


def traces(
    agents: st.SearchStrategy[Any], trees: st.SearchStrategy[Any], positions: st.SearchStrategy[Any]
) -> st.SearchStrategy[SearchTrace]:
    games = trees.map(lambda tree: (ExplicitTree(tree), ())) | positions
    return st.builds(lambda agent, game: trace_of(agent, *game), agents, games)


search_traces = traces(
    depth_first_agents(st.none()),
    odd_trees | mixed_trees(40),
    late_positions(connect_games(5, longest_line=4), 3),
)
"""Of trees with odd names, of trees with chance, and of games on boards."""
grown_traces = traces(
    growing_agents(), odd_trees, late_positions(connect_games(7, longest_line=4), 9)
)
"""Of Monte Carlo tree searches."""


def written(trace: SearchTrace, path: Path) -> str:
    """How a path is written: actions on a board are counted from 1."""
    names = [str(a + 1) if trace.columns and isinstance(a, int) else str(a) for a in path]
    return ",".join(names) or "the root"


def drawn(drawing: Drawing, kind: str | None = None) -> Counter[str]:
    """The names of the nodes of a kind, or else of all that the search visited."""
    return Counter(
        node.name
        for node in drawing.nodes
        if (kind in node.classes if kind else not {"unvisited", "folded"} & set(node.classes))
    )


def folded(drawing: Drawing) -> int:
    """How many nodes the marks in their place stand for."""
    marks = [node.texts[0] for node in drawing.nodes if "folded" in node.classes]
    return sum(int(mark.removeprefix("+ ")) for mark in marks)


def statistics(trace: SearchTrace) -> dict[Path, tuple[int, float]]:
    """The visits and the total of each node after the last simulation."""
    return {
        path: (visits, total)
        for simulation in trace.simulations
        for path, visits, total in simulation.backed_up
    }


def pruned(nodes: list[TracedNode]) -> list[Path]:
    """What was left out for good: by a cutoff, or because it never happens."""
    return [
        (*node.path, action)
        for node in nodes
        if node.ending in (ReturnReason.CUTOFF, ReturnReason.COMPLETE)
        for action in node.unvisited
    ]


def assert_nothing_overlaps(drawing: Drawing) -> None:
    for (words, box), (other_words, other_box) in combinations(drawing.texts, 2):
        assert not box.overlaps(other_box), f"{words!r} is drawn over {other_words!r}"
    for node, other in combinations(drawing.nodes, 2):
        assert not node.box.overlaps(other.box), f"{node.name!r} is drawn over {other.name!r}"
    for line in drawing.lines:
        for start, end in pairwise(line.points):
            crossed = [node.name for node in drawing.nodes if node.box.is_crossed_by(start, end)]
            assert crossed == []


@settings(max_examples=15)
@given(search_traces | grown_traces, st.sampled_from([5, 25, 100]))
def test_nothing_overlaps_or_leaves_the_frame(trace: SearchTrace, limit: int) -> None:
    drawing = read_drawing(draw(trace, limit))
    assert_nothing_overlaps(drawing)
    frame = drawing.size
    for box in [box for _, box in drawing.texts] + [node.box for node in drawing.nodes]:
        assert frame.left <= box.left <= box.right <= frame.right
        assert frame.top <= box.top <= box.bottom <= frame.bottom


def test_a_wide_fan_passes_below_a_taller_neighbour() -> None:
    leaves = tuple(range(30))
    nodes = [
        TracedNode((), 1, (0, 1), [0, 1], value=0.0),
        TracedNode((0,), 2, leaves, list(leaves), value=0.0),
        *(TracedNode((0, leaf), 1, (), value=0.0, ending=ReturnReason.TERMINAL) for leaf in leaves),
        TracedNode((1,), 2, leaves, window=(0, 1), value=0.0, ending=ReturnReason.TRANSPOSITION),
    ]
    drawing = read_drawing(draw(SearchTrace("alphabeta", nodes=nodes, principal_variation=(0,))))
    assert drawing.named("0").box.bottom < drawing.named("1").box.bottom
    assert drawing.named("0,29").box.right > drawing.named("1").box.right
    assert_nothing_overlaps(drawing)


@settings(max_examples=12)
@given(search_traces)
def test_every_visited_and_every_pruned_node_is_drawn_once(trace: SearchTrace) -> None:
    nodes = trace.last_iteration()
    drawing = read_drawing(draw(trace, limit=len(nodes)))
    assert drawn(drawing) == Counter(written(trace, node.path) for node in nodes)
    assert drawn(drawing, "unvisited") == Counter(written(trace, path) for path in pruned(nodes))
    assert folded(drawing) == 0
    assert "Folded" not in drawing.description

    dashes = [line for line in drawing.lines if line.dashed]
    is_key = bool(dashes)  # the legend has one, too
    assert len(dashes) == len(pruned(nodes)) + is_key


@settings(max_examples=12)
@given(search_traces | grown_traces, st.integers(1, 30))
def test_a_folded_picture_says_what_it_leaves_out(trace: SearchTrace, limit: int) -> None:
    drawing = read_drawing(draw(trace, limit))
    total = len(trace.players) or len(trace.last_iteration())
    shown = drawn(drawing)
    assert shown.total() == min(limit, total)
    assert folded(drawing) == total - shown.total()
    claim = f"Folded: {shown.total()} of {total} nodes are shown"
    assert (claim in drawing.description) == (total > limit)


@settings(max_examples=12)
@given(search_traces, st.integers(1, 30))
def test_text_shows_what_the_drawing_shows(trace: SearchTrace, limit: int) -> None:
    _, tree = trace_text(trace, limit).split("\n\n", 1)
    drawing = read_drawing(draw(trace, limit))
    assert len(tree.splitlines()) == len(drawing.nodes)
    assert tree.count(" not visited: ") == drawn(drawing, "unvisited").total()
    assert tree.count(": estimated ") == drawn(drawing, "depth").total()
    principal = re.findall(r"^[ │]*[╞╘]═ ", tree, re.MULTILINE)
    assert len(principal) == drawn(drawing, "principal").total() - 1


def test_the_textbook_tree_as_it_is_drawn() -> None:
    a, b = "\N{GREEK SMALL LETTER ALPHA}", "\N{GREEK SMALL LETTER BETA}"
    trace = trace_of(AlphaBetaAgent(**PLAIN), ExplicitTree(TEXTBOOK))
    drawing = read_drawing(draw(trace))
    assert drawing.title == "Alpha-beta chooses 0, worth 3"
    assert read_drawing(draw(replace(trace, algorithm="SSS*"))).title.startswith("SSS* chooses")
    deepened = AlphaBetaAgent(**{**PLAIN, "iterative_deepening": True})
    description = read_drawing(draw(trace_of(deepened, ExplicitTree(TEXTBOOK)))).description
    assert "the last of 2 searches" in description
    assert drawing.named("the root").texts == ["= 3", f"{a} -∞ → 3", f"{b} ∞"]
    assert drawing.named("0").texts == ["0", "= 3", f"{a} -∞", f"{b} ∞ → 3"]
    assert drawing.named("1").texts == ["1", "≤ 2", f"{a} 3", f"{b} ∞ → 2", f"{a} 3 ≥ {b} 2"]
    assert drawing.named("2").texts == ["2", "= 2", f"{a} 3", f"{b} ∞ → 2"]
    assert drawing.named("2,0").texts == ["0", "14"]
    assert drawn(drawing, "unvisited") == Counter(["1,1", "1,2"])
    assert drawn(drawing, "principal") == Counter(["the root", "0", "0,0"])
    assert drawn(drawing, "max") == Counter(["the root"])
    assert drawn(drawing, "min") == Counter("012")
    assert drawn(drawing, "terminal").total() == 7


def test_the_textbook_tree_as_text() -> None:
    trace = trace_of(AlphaBetaAgent(**PLAIN), ExplicitTree(TEXTBOOK))
    heading, tree = trace_text(trace).split("\n\n")
    assert heading.endswith("Double lines: the line that is expected.")
    assert "Double lines" not in trace_text(trace_after(trace, 6))  # none is known yet
    assert tree.splitlines() == [
        "max = 3   alpha -∞ → 3, beta ∞",
        "╞═ 0: min = 3   alpha -∞, beta ∞ → 3",
        "│  ╞═ 0: 3",
        "│  ├─ 1: 12",
        "│  └─ 2: 8",
        "├─ 1: min ≤ 2   alpha 3, beta ∞ → 2",
        "│  ├─ 0: 2",
        "│  ├─ 1 not visited: alpha 3 ≥ beta 2",
        "│  └─ 2 not visited: alpha 3 ≥ beta 2",
        "└─ 2: min = 2   alpha 3, beta ∞ → 2",
        "   ├─ 0: 14",
        "   ├─ 1: 5",
        "   └─ 2: 2",
    ]


SUN = ChanceNode({"hail": (0.4, 1), "sun": (0.6, 4)})


@pytest.mark.parametrize(
    ("tree", "texts", "chance", "unvisited", "best"),
    [
        # The tutorial's two trees: (0.4, 0.6) over (1, 4) is 2.8.
        (
            {"Left": SUN, "Right": 2},
            {"Left": ["Left", "= 2.8"], "Left,sun": ["sun (0.6)", "4"]},
            *(["Left"], [], "Left"),
        ),
        # A modelled opponent averages and does not minimise.
        ([[1, 2], [0, 4]], {"1,0": ["0 (0.5)", "0"]}, ["0", "1"], [], "1"),
        # Impossible outcomes are not said to be cut.
        (
            [ChanceNode([(1.0, 3), (0.0, 9)]), 1],
            {"0": ["0", "= 3", "probability 0"]},
            *(["0"], ["0,1"], "0"),
        ),
    ],
)
def test_probabilities_stand_beside_the_actions_of_chance(
    tree: Any, texts: dict[str, list[str]], chance: list[str], unvisited: list[str], best: str
) -> None:
    trace = trace_of(ExpectimaxAgent(), ExplicitTree(tree))
    drawing = read_drawing(draw(trace))
    assert {name: drawing.named(name).texts for name in texts} == texts
    assert drawn(drawing, "chance") == Counter(chance)
    assert drawn(drawing, "unvisited") == Counter(unvisited)
    assert drawn(drawing, "principal") == Counter(["the root", best])
    assert ("│  └─ sun (0.6): 4" in trace_text(trace).splitlines()) == ("Left" in tree)


def test_boards_show_their_stones_where_they_lie() -> None:
    env = ConnectX(rows=2, columns=3, inarow=3)
    drawing = read_drawing(draw(trace_of(MinimaxAgent(1), env, state_from_moves(env, "11"))))
    root = drawing.named("the root")
    figure, value, board, upper, lower = root.boxes
    assert board.left < upper.left
    assert lower.bottom < board.bottom
    assert upper.left == lower.left
    assert upper.right < board.left + (board.right - board.left) / 3 + 0.1
    assert upper.bottom <= lower.top
    assert figure.bottom <= value.bottom <= board.top
    label_box_board_and_stones = 1 + 2 + 1 + 3
    assert [len(drawing.named(column).boxes) for column in "23"] == [label_box_board_and_stones] * 2


def test_states_that_the_table_knew_and_those_without_time_are_marked() -> None:
    env = TicTacToe()
    with_table = AlphaBetaAgent(**{**PLAIN, "table_size": 1000, "depth": 5})
    known = trace_of(with_table, env, state_from_moves(env, "519"))
    with ticking_clock():
        given_up = trace_of(MinimaxAgent(None, time_limit=20), env)
    for trace, ending, mark in (
        (known, ReturnReason.TRANSPOSITION, "from the table"),
        (given_up, ReturnReason.TIME, "time was up"),
    ):
        meant = [node for node in trace.nodes if node.ending is ending]
        assert meant
        drawing = read_drawing(draw(trace, len(trace.nodes)))
        marked = Counter(node.name for node in drawing.nodes if mark in node.texts)
        assert marked == Counter(written(trace, node.path) for node in meant)
    assert drawn(drawing, "unvisited").total() == 0


@settings(max_examples=20)
@given(grown_traces)
def test_a_monte_carlo_tree_shows_visits_means_and_what_is_proven(trace: SearchTrace) -> None:
    drawing = read_drawing(draw(trace, limit=len(trace.players)))
    assert drawn(drawing) == Counter(written(trace, path) for path in trace.players)
    for path, (visits, total) in statistics(trace).items():
        texts = drawing.named(written(trace, path)).texts
        assert f"n {visits}" in texts
        assert trace.value_label(total / visits) in texts
        assert any(text.startswith("proven") for text in texts) == (path in trace.proven)


@settings(max_examples=30)
@given(mixed_trees(), growing_agents())
def test_a_monte_carlo_tree_marks_the_principal_variation_of_the_result(
    tree: Any, growing: MCTSAgent
) -> None:
    trace = SearchTrace()
    agent = recorded(growing, trace)
    line = agent.search(ExplicitTree(tree), ()).principal_variation
    drawing = read_drawing(draw(trace, limit=len(trace.players)))
    prefixes = [line[:plies] for plies in range(len(line) + 1)]
    assert drawn(drawing, "principal") == Counter(written(trace, path) for path in prefixes)


def test_edges_are_as_thick_as_their_share_of_the_simulations() -> None:
    env = TicTacToe()
    agent = MCTSAgent(simulations=80, seed=3, engine="reference", time_limit=None)
    trace = trace_of(agent, env, state_from_moves(env, "51"))
    visits = {path: count for path, (count, _) in statistics(trace).items()}
    drawing = read_drawing(draw(trace))
    widths, places = {}, {}
    for path in (path for path in visits if len(path) == 1):
        box = drawing.named(written(trace, path)).box
        x = (box.left + box.right) / 2
        (width,) = (
            line.width
            for line in drawing.lines
            if abs(line.points[-1][0] - x) < 0.2 and abs(line.points[-1][1] - box.top) < 2
        )
        widths[path], places[path] = width, x
    assert len(widths) == 7
    from_left = [visits[path] for path in sorted(places, key=places.__getitem__)]
    assert from_left == sorted(from_left, reverse=True)
    shares = {path: (width - 1.2) / 7.8 for path, width in widths.items()}
    assert shares == pytest.approx({path: visits[path] / visits[()] for path in widths}, abs=0.01)


def test_the_most_visited_nodes_are_kept() -> None:
    env = ConnectX(4, 4, 3)
    agent = MCTSAgent(simulations=300, seed=5, engine="reference", time_limit=None)
    trace = trace_of(agent, env)
    visits = {written(trace, path): count for path, (count, _) in statistics(trace).items()}
    drawing = read_drawing(draw(trace, limit=20))
    kept = {node.name for node in drawing.nodes if "folded" not in node.classes}
    principal = set(drawn(drawing, "principal"))
    least = min(visits[name] for name in kept - principal)
    assert all(visits[name] <= least for name in visits if name not in kept)


def test_a_fold_keeps_the_principal_variation_and_the_upper_levels() -> None:
    tree: Any = 0
    for _ in range(5):
        tree = [tree, tree, tree]
    drawing = read_drawing(draw(trace_of(MinimaxAgent(None), ExplicitTree(tree)), limit=20))
    levels = Counter(0 if name == "the root" else name.count(",") + 1 for name in drawn(drawing))
    assert levels == {0: 1, 1: 3, 2: 9, 3: 5, 4: 1, 5: 1}
    assert drawn(drawing, "principal").total() == 6


def test_names_that_are_no_text_of_xml() -> None:
    trace = trace_of(MinimaxAgent(None), ExplicitTree({"a\x00\n<&\"'>\ud800": 1, "": 0}))
    drawing = read_drawing(draw(trace))
    replaced = "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}<&\"'>\N{REPLACEMENT CHARACTER}"
    assert drawing.named(replaced).texts == [replaced, "1"]
    assert drawing.title == f"Minimax chooses {replaced}, worth 1"


def test_deep_trees_are_drawn() -> None:
    """A picture is not as deep as Python's stack."""
    depth = 200
    nodes = [TracedNode(("a",) * ply, 1, ("a",), ["a"], value=0.0) for ply in range(depth)]
    nodes[-1].actions, nodes[-1].visited = (), []
    trace = SearchTrace("minimax", nodes=nodes, principal_variation=("a",) * depth)
    with small_stack(150):
        assert draw(trace, depth).count('class="node max principal"') == depth
        assert trace_text(trace, depth).count("a: max = 0") == depth - 1


@pytest.mark.parametrize(
    ("number", "label"),
    [
        (14.0, "14"),
        (3 / 14 * 14, "3"),
        (-0.0, "0"),
        (2.8, "2.8"),
        (-1 / 3, "-0.333"),
        (0.0123456, "0.012"),
        (0.9999, "0.9999"),
        (-0.00004, "-0.00004"),
        (1234567.0, "1234567"),
        (12.5e12, "1.25e+13"),
        (-3e-20, "-3e-20"),
        (float("-inf"), "-∞"),
    ],
)
def test_numbers_are_written_short_and_no_guess_like_a_proof(number: float, label: str) -> None:
    assert number_label(number) == label


@given(st.sets(st.floats(-1e20, 1e20), min_size=1, max_size=8))
def test_numbers_are_shown_with_as_many_digits_as_tell_them_apart(numbers: set[float]) -> None:
    labels = {number_label(number, decimals_of(numbers)) for number in numbers}
    assert len(labels) == len(numbers)
    assert number_label(1 / 3, decimals_of([1 / 3, 2 / 3, 0.25])) == "0.333"


@given(st.sets(st.decimals(-1000, 1000, places=6), min_size=1, max_size=8))
def test_numbers_written_by_hand_are_shown_as_they_are(written: set[Decimal]) -> None:
    decimals = decimals_of(map(float, written))
    assert all(Decimal(number_label(float(number), decimals)) == number for number in written)


@given(st.floats(-1e6, 1e6))
def test_a_number_can_be_read_back(number: float) -> None:
    assert abs(Decimal(number_label(number)) - Decimal(number)) <= Decimal("0.0005")


@pytest.mark.parametrize("show", [draw, trace_text, tell])
def test_an_empty_trace_cannot_be_shown(show: Any) -> None:
    with pytest.raises(ValueError, match="the trace is empty: search with recorded"):
        show(SearchTrace())


@pytest.mark.parametrize("show", [draw, trace_text])
def test_a_picture_has_a_node_at_least(show: Any) -> None:
    with pytest.raises(ValueError, match="limit must be at least 1, not 0"):
        show(trace_of(MinimaxAgent(None), ExplicitTree([1, 2])), limit=0)
