"""`connectx explain`: textbook trees as the textbooks solve them, in words and as an exercise."""

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf, log, sqrt
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import MCTSAgent, make_agent
from agents.book.book_format import encode_repertoire
from agents.book.building.repertoire_building import RepertoireBuilder
from agents.book.repertoire import RepertoireScope
from agents.options import alternatives
from agents.trace.exercise import read_open_tree, solve_exercise
from agents.trace.recording import RECORDED_SEARCHES
from agents.trace.story import tell
from agents.trace.subject import leaf_values, search_trace, textbook_tree, tree_subject
from agents.trace.trace_json import from_json
from envs import ConnectX, state_from_moves
from envs.games import GAMES
from tests.helpers import textbook
from tests.helpers.brute_force import BruteForce
from tests.helpers.random_trees import replaced
from tests.helpers.shell import Shell

Nested = float | list["Nested"]
Explain = Callable[..., str]

TEXTBOOK = str(textbook.TEXTBOOK)
COMPARING = alternatives(name for name, search in RECORDED_SEARCHES.items() if search.only_compares)


@pytest.fixture
def explain(shell: Shell) -> Explain:
    return partial(shell.output, "explain")


def alpha_beta(
    tree: Nested, alpha: float, beta: float, maximising: bool, path: tuple[int, ...]
) -> tuple[float, set[tuple[int, ...]]]:
    """The textbook's search of nested lists: the value, and the leaves that it visits."""
    if not isinstance(tree, list):
        return tree, {path}
    best, visited = (-inf if maximising else inf), set[tuple[int, ...]]()
    for index, child in enumerate(tree):
        value, below = alpha_beta(child, alpha, beta, not maximising, (*path, index))
        visited |= below
        if maximising:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best, visited


def leaf_paths(tree: Nested, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    if not isinstance(tree, list):
        return [path]
    return [leaf for i, child in enumerate(tree) for leaf in leaf_paths(child, (*path, i))]


numbers = st.integers(-5, 5).map(float)
trees = st.recursive(numbers, lambda below: st.lists(below, min_size=1, max_size=3), max_leaves=9)
inner_trees = trees.filter(lambda tree: isinstance(tree, list))


def story(tree: str, agent: str = "alphabeta", **options: object) -> list[str]:
    subject = tree_subject(textbook_tree(tree))
    return tell(search_trace(subject, agent, options), subject.leaves)


def test_the_walk_of_the_textbooks_tree() -> None:
    assert story(TEXTBOOK) == [
        "enter the root (max), alpha -∞, beta ∞",
        "  enter 0 (min), alpha -∞, beta ∞",
        "    0,0: 3",
        "    beta becomes 3",
        "    0,1: 12",
        "    0,2: 8",
        "  0 returns 3",
        "  alpha becomes 3",
        "  enter 1 (min), alpha 3, beta ∞",
        "    1,0: 2",
        "    beta becomes 2",
        "    alpha 3 ≥ beta 2: the 4 at 1,1 and the 6 at 1,2 are not visited",
        "  1 returns 2: it is worth at most that",
        "  enter 2 (min), alpha 3, beta ∞",
        "    2,0: 14",
        "    beta becomes 14",
        "    2,1: 5",
        "    beta becomes 5",
        "    2,2: 2",
        "    beta becomes 2",
        "  2 returns 2",
        "the root returns 3",
        "the search chooses 0",
    ]


@given(inner_trees)
@settings(max_examples=30)
def test_the_walk_is_the_textbooks(tree: Nested) -> None:
    value, visited = alpha_beta(tree, -inf, inf, True, ())
    lines = [line.strip() for line in story(repr(tree))]
    assert f"the root returns {value:g}" in lines
    told = [line.split(":")[0] for line in lines if re.match(r"[\d,]+: ", line)]
    assert sorted(told) == sorted(",".join(map(str, path)) for path in visited)
    cuts = [line for line in lines if "not visited" in line]
    assert bool(cuts) == (len(visited) < len(leaf_paths(tree)))
    for alpha, beta in re.findall(r"alpha (-?\d+) ≥ beta (-?\d+)", "\n".join(cuts)):
        assert int(alpha) >= int(beta)


@given(inner_trees)
@settings(max_examples=30)
def test_dividing_by_the_scale_and_back_changes_no_leaf(tree: Nested) -> None:
    thirds = json.loads(json.dumps(tree), parse_float=lambda text: float(text) / 3)
    subject = textbook_tree(repr(thirds))
    leaves = list(leaf_values(subject).values())
    written = [float(text) for text in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", repr(thirds))]
    assert leaves == written
    assert subject.scale > max(map(abs, leaves))


TOLD = """
# chance has probabilities, and no alpha of its own: the Hero's tree of the tutorials
--agent expectimax --tree {'Left':{'chance':[[0.5,20],[0.5,-5]]},'Right':5}
enter Left (chance)
Left,0 with 0.5: 20
Left returns 7.5
the search chooses Left

# the mean behind a cutoff can be worked out: 0.9 * -15 + 0.1 * 32 = -10.3, (3 - 0.2 * 32) / 0.8
--tree [3,{'chance':[[0.9,-15],[0.1,[4,6]]]},{'chance':[[0.8,[4,-9]],[0.2,-15]]}]
where chance decides, outcomes still to come count as worth -32 to 32
Where chance decides, outcomes still to come count as worth -32 to 32.
alpha 3 ≥ beta -10.3: 1,1 is not visited
enter 2,0 (max) with 0.8, alpha -4.25, beta ∞

# an impossible outcome, be it one or several
--tree [{'chance':{'a':[0,5],'b':[1,2]}}]
probability 0: the 5 at 0,a is not visited
└─ a not visited: probability 0

# a modelled opponent is told as chance
--agent expectimax --tree [[20,-5],[5,5]]
enter 0 (chance)
0,1 with 0.5: -5
0 returns 7.5

# numbers have the digits that tell them apart
--tree [[0.5004,0.9],[0.5001,0.7]]
the root returns 0.5004
alpha 0.5004 ≥ beta 0.5001: the 0.7 at 1,1 is not visited
│  ├─ 0: 0.5004
╞═ 0: min = 0.5004   alpha -∞, beta ∞ → 0.5004

# probabilities have them, too
--tree [{'chance':[[0.5004,1],[0.4996,2]]},1]
0,0 with 0.5004: 1
├─ 0: chance
│  ├─ 0 (0.5004): 1

# the classic exercise
--tree [[3,12,8],[?,4,6],[14,5,2]]
the 4 at 1,1 and the 6 at 1,2 are not visited when ? ≤ 3
the root reports 3 when ? ≤ 3
the root reports ? when 3 ≤ ? ≤ 4
the root reports 4 when ? ≥ 4

# the time is up
--agent minimax -O time_limit=0 --tree [[3,12],[2,4]]
0: the time is up
the root is given up: the time is up

# a leaf as large as leaves can be
--tree [1e300,[5,-1e300]]
the root returns 1e+300

# an unknown leaf that is never visited
--tree [[3,12,8],[2,'?',6],[14,5,2]]
the ? at 1,1 and the 6 at 1,2 are not visited whatever ? is
the root reports 3 whatever ? is

# minimax prunes nothing
--agent minimax --tree [[0.1234,5],[?,0.1231,4]]
every branch is visited, whatever ? is
the root reports 0.1234 whatever ? is

# the answer is no rounded one
--agent minimax --tree [[0.1231,5],[?,0.1234]]
every branch is visited, whatever ? is
the root reports 0.1231 when ? ≤ 0.1231
the root reports ? when 0.1231 ≤ ? ≤ 0.1234
the root reports 0.1234 when ? ≥ 0.1234

# of iterative deepening the last search
--moves 4453 --agent alphabeta:depth=2 --limit 500
this is the last of 2 searches, each one ply deeper than the one before

# a position with its walk and its tree
--game tictactoe --moves 1425 --agent minimax --limit 500
X  X  3
O  O  6
7  8  9
3: 1
the search chooses 3
Minimax chooses 3, worth 1

# a long walk is cut
--tree [[3,12,8],[2,4,6],[14,5,2]] --limit 5
beta becomes 3
... and 18 more lines: raise --limit to read on
"""


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        pytest.param(words.split(), lines, id=what)
        for block in TOLD.strip().split("\n\n")
        for what, words, *lines in [block.splitlines()]
    ],
)
def test_these_lines_are_told(explain: Explain, words: list[str], lines: list[str]) -> None:
    told = [line.strip() for line in explain(*words).splitlines()]
    if any("?" in word for word in words):
        assert told == lines
    else:
        assert {*lines} <= {*told}
        assert sum(line.startswith("enter the root") for line in told) == 1


def test_simulations_are_told_step_by_step() -> None:
    lines = story("[[3, 12, 8], [2, 4, 6], [14, 5, 2]]", "mcts", simulations=6, seed=1)
    assert lines[:2] == ["simulation 1", "  add 0"]
    assert sum(line.startswith("simulation ") for line in lines) == 6
    assert sum(line.startswith("  back up: ") for line in lines) == 6
    assert any(re.match(r"  at the root select \d: \d has UCT ", line) for line in lines)
    totals = [re.search(r"the root n (\d+), t (-?\d+)", line) for line in lines]
    visits = [int(total[1]) for total in totals if total is not None]
    assert visits == [1, 2, 3, 4, 5, 6]


def test_a_choice_is_told_by_both_terms_of_uct_from_the_choosers_view() -> None:
    """Player 2 chooses, and has tried each of three leaves once; C is 32, the tree's scale."""
    second = 32 * sqrt(log(4))
    by_5, by_14, by_2 = (f"{second - leaf:.3f} = {-leaf} + {second:.3f}" for leaf in (5, 14, 2))
    choice = f"at 2 select 2: 1 has UCT {by_5}; 0 has UCT {by_14} and 2 has UCT {by_2}"
    assert f"  {choice}" in story(TEXTBOOK, "mcts", simulations=12, seed=1, solver=False)


def test_draws_proofs_and_fallbacks_of_simulations_are_told() -> None:
    tree = "[[3, 12], {'chance': [[1, [4, 2]], [0, 5]]}]"
    lines = story(tree, "mcts", simulations=30, rollouts_per_leaf=2, seed=0)
    assert lines.count("  at 1 chance draws 0") == 2
    assert "  0,1 is proven: 12" in lines  # and not 24, the sum of two results
    assert any("; 0 n 6, t 27, for the player can fall back on 3; " in line for line in lines)
    assert lines[-2:] == ["the root is proven: 4", "the search chooses 1"]


def condition_holds(text: str, unknown: float) -> bool:
    """Whether `... when 3 < ? ≤ 5` or `... whatever ? is` is true of a number."""
    if text.endswith("whatever ? is"):
        return True
    python = text.rsplit(" when ", 1)[1].replace("?", f"({unknown})")
    return bool(eval(python.replace("≤", "<=").replace("≥", ">=").replace(" = ", " == ")))


@given(inner_trees, st.data())
@settings(max_examples=30)
def test_an_unknown_leaf_is_solved_for_every_number(tree: Nested, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(leaf_paths(tree)))
    exercise = read_open_tree(repr(replaced(tree, path, "?")))
    assert exercise is not None
    solution = solve_exercise(exercise, "alphabeta", {})
    cuts = [line for line in solution if "not visited" in line]
    reports = [line for line in solution if line.startswith("the root reports")]
    for unknown in [-100.0, *(number / 4 for number in range(-24, 25)), 100.0]:
        value, visited = alpha_beta(replaced(tree, path, unknown), -inf, inf, True, ())
        pruned = [
            branch
            for line in cuts
            if condition_holds(line, unknown)
            for branch in re.findall(r"(?:^|[ ;])(\d+(?:,\d+)*)(?=;| and| is| are)", line)
        ]
        left_out = {
            leaf
            for leaf in leaf_paths(tree)
            for branch in pruned
            if ",".join(map(str, leaf[: branch.count(",") + 1])) == branch
        }
        assert left_out == set(leaf_paths(tree)) - visited
        reported = {
            unknown if line.split()[3] == "?" else float(line.split()[3])
            for line in reports
            if condition_holds(line, unknown)
        }
        assert reported == {value}


def test_a_tree_may_stand_in_a_file_or_come_through_a_pipe(shell: Shell, explain: Explain) -> None:
    written = explain("--tree", TEXTBOOK)
    for encoding in ("utf-8", "utf-8-sig"):
        Path("tree.json").write_text(f"{TEXTBOOK}\n", encoding=encoding)
        assert explain("--tree", "@tree.json") == written
    assert explain("--tree", "-", stdin=f"{TEXTBOOK}\n") == written
    Path("open.json").write_text("[[3, 12, 8], [?, 4, 6], [14, 5, 2]]\n")
    assert "the root reports 3 when ? ≤ 3" in explain("--tree", "@open.json")
    refused = shell.refusal("explain", "--tree", "@tree.json", "--svg", "tree.json")
    assert "tree.json is read and would be overwritten" in refused


def test_the_help_tells_how_every_kind_of_node_is_written(explain: Explain) -> None:
    text = " ".join(explain("--help").split())
    for node in re.findall(r"\{'(?:max|min|chance)': [^}]*\}", text):
        assert explain("--tree", f"[{node}, 4]")
    assert {"{'max'", "{'min'", "{'chance'"} <= set(re.findall(r"\{'\w+'", text))
    assert "@FILE" in text


def test_a_search_too_large_for_a_trace_names_the_option_that_helps(shell: Shell) -> None:
    position = ("explain", "--game", "tictactoe", "--moves", "1425", "--agent", "minimax")
    refused = shell.refusal(*position, "--trace-limit", "50")
    option = re.search(r"raise the limit of the trace \((--[a-z-]+)", refused)
    assert option is not None
    assert shell.run(*position, option[1], "1000").status == 0


def test_a_question_mark_in_a_name_is_no_unknown() -> None:
    assert read_open_tree("{'?': 3, 'why?': [1, 2]}") is None


def test_the_quiz_asks_before_it_answers(explain: Explain) -> None:
    shown = explain("--tree", TEXTBOOK, "--quiz")
    sheet, solution = shown.split("3. Which branches are never visited, and by which comparison?")
    assert all(f": {leaf}\n" in sheet for leaf in (3, 12, 8, 2, 4, 6, 14, 5))
    assert "alpha 3" not in sheet
    assert "not visited" not in sheet
    lines = solution.splitlines()
    assert "the root reports 3; alpha -∞, beta ∞ on entry; alpha 3, beta ∞ on return" in lines
    assert (
        "1 reports 2 (in truth ≤ 2); alpha 3, beta ∞ on entry; alpha 3, beta 2 on return" in lines
    )
    assert "at 1: alpha 3 ≥ beta 2: the 4 at 1,1 and the 6 at 1,2 are not visited" in lines
    assert "the root chooses 0" in lines


def test_a_quiz_tells_what_its_answers_rest_on(explain: Explain) -> None:
    shown = explain("--tree", "[3, {'chance': [[0.9, -15], [0.1, 4]]}]", "--quiz")
    asked, _ = shown.split("\n\nthe root reports")
    assert asked.endswith("outcomes still to come count as worth -32 to 32.")


def test_a_quiz_with_an_unknown_does_not_give_it_away(explain: Explain) -> None:
    sheet, solution = explain("--tree", "[[3, 12], [?, 4]]", "--quiz").split("1. For which")
    assert "├─ 0: ?" in sheet
    assert "the 4 at 1,1 is not visited when ? ≤ 3" in solution
    assert "not visited" not in sheet


def test_no_line_of_a_wide_board_is_wrapped(explain: Explain) -> None:
    board = explain("--columns", "60", "--depth", "1").split("enter the root")[0]
    lines = board.rstrip("\n").splitlines()
    assert all(len(line) <= 200 for line in lines)
    numbers = [number for line in lines for number in line.split() if number != "."]
    assert numbers == [str(column) for column in range(1, 61)]


@pytest.mark.parametrize("game", GAMES)
def test_a_position_of_each_game_is_explained(explain: Explain, game: str) -> None:
    assert "the search chooses" in explain("--game", game, "--moves", "12", "--depth", "1")


@pytest.mark.parametrize("agent", RECORDED_SEARCHES)
@pytest.mark.parametrize(
    "subject", [("--tree", TEXTBOOK), ("--moves", "1212", "--game", "connectx")]
)
def test_each_recorded_search_is_told_drawn_and_asked_about(
    explain: Explain, agent: str, subject: tuple[str, ...]
) -> None:
    """With its own options a search ends long before a trace is full."""
    told = explain(*subject, "--agent", agent, "--svg", "tree.svg", "--json", "trace.json")
    assert "Wrote tree.svg." in told
    assert "Wrote trace.json." in told
    assert from_json(Path("trace.json").read_text()).algorithm == agent
    title = RECORDED_SEARCHES[agent].title
    texts = [text.text or "" for text in Xml.parse("tree.svg").iter() if "text" in text.tag]
    assert any(text.startswith(f"{title} chooses ") for text in texts)
    if "--tree" in subject and not isinstance(make_agent(agent), MCTSAgent):
        assert "the root chooses " in explain(*subject, "--agent", agent, "--quiz")


SMALL = ("--rows", "4", "--columns", "4", "--inarow", "3")
PERFECT = ("--agent", "perfect", *SMALL)
CHOICE = re.compile(r"^perfect plays column (\d), (.*)\.$", re.MULTILINE)
TABLE_ROW = re.compile(r"(\d)  \D+\d* moves?  +([\d-])  +([\d-])$")


def chosen_by_perfect(shown: str) -> tuple[int, str]:
    """The column that is played, from 1, and whence it comes."""
    ((column, source),) = CHOICE.findall(shown)
    return int(column), source


def test_how_perfect_chooses_is_told_move_by_move(explain: Explain) -> None:
    """The result, the choice, and what each move leaves, against full minimax."""
    env = ConnectX(4, 4, 3)
    truth, state = BruteForce(env), state_from_moves(env, "2")
    shown = explain(*PERFECT, "--moves", "2")
    lines = [line.strip() for line in shown.splitlines()]
    plies = truth.plies(state)
    assert f"Player 2 (O) is to move: loses in {plies // 2} moves." in lines
    assert f"Under best play the game ends with move {1 + plies}." in lines
    rows = [found.groups() for line in lines if (found := TABLE_ROW.match(line))]
    for column, row in enumerate(rows):
        child = env.get_next_state(state, column)
        values = [truth.action_value(child, reply) for reply in env.get_available_actions(child)]
        kept = values.count(1.0)
        assert tuple(map(int, row)) == (column + 1, kept, len(values) - kept)
    assert len(rows) == 4
    column, source = chosen_by_perfect(shown)
    assert source == "by search"
    _, keeping, _ = rows[column - 1]
    assert lines[-1].startswith(f"Column {column} sets a trap: ")
    assert re.search(rf", {keeping} keeps? (it|the win)\b.*\.$", lines[-1])


def test_where_perfect_has_a_move_from_is_told(explain: Explain, tmp_path: Path) -> None:
    scope = RepertoireScope(4, 4, 3, -1, -1, 7)
    with ThreadPoolExecutor(1) as executor:
        builder = RepertoireBuilder(scope, executor, 1, {}, lambda _: None, lambda *_: None)
        (tmp_path / "book.cxrp").write_bytes(encode_repertoire(scope, builder.build()))
    for words, source in {
        ("traps=book.cxrp",): "by heart: its book of traps has the position",
        ("traps=none", "repertoire=book.cxrp"): "by heart: its repertoire has the position",
        ("traps=book.cxrp", "resistance=longest"): "by search",
        ("traps=book.cxrp", "book=false"): "by search",
    }.items():
        options = [word for option in words for word in ("--option", option)]
        shown = explain(*PERFECT, "--moves", "2", *options)
        assert chosen_by_perfect(shown)[1] == source


def test_a_win_at_hand_is_told_without_a_trap(explain: Explain) -> None:
    shown = explain("--agent", "perfect", "--moves", "121212")
    source = "at sight: two plies of look-ahead leave no other move"
    assert chosen_by_perfect(shown) == (1, source)
    assert "Player 1 (X) is to move: wins in 1 move." in shown
    assert re.search(r"^ +1  wins in 1 move +-  +- *$", shown, re.MULTILINE)
    assert "trap" not in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--tree", "[[3, 12"], "the tree '[[3, 12' cannot be read"),
        (["--tree", "@absent.json"], "cannot read the tree absent.json (No such file"),
        (["--tree", "@."], "cannot read the tree . ("),
        (["--tree", __file__], f"is a file: write @{__file__} for the tree in it"),
        (["--tree", "-"], "the tree '' cannot be read"),
        (["--tree", "[[3, ?], 4]", "--trace-limit", "2"], "the search visits more than 2 nodes"),
        (["--tree", "[['?', 3], ['?', 2]]"], "2 leaves of the tree are ?"),
        (["--tree", "[3?, 2]"], "the tree '[3?, 2]' cannot be read"),
        (["--tree", "[[3, '?'], {'chance': [[1, 3]]}]"], "chance decides in the tree"),
        (["--tree", "{'chance': [[1, 3]]}"], "chance decides at the root of the tree"),
        (["--tree", "[[3, '?'], 2]", "--agent", "mcts"], f"only for {COMPARING}, not mcts"),
        (["--tree", "[[3, '?'], 2]", "--svg", "x.svg"], "give the ? a number"),
        (["--tree", "[[3, '?'], 2]", "-O", "time_limit=0"], "the time was up"),
        (["--tree", "[[3, '?'], 2]", "--limit", "9"], "leave --limit out"),
        (["--tree", TEXTBOOK, "--moves", "44"], "leave --tree or --moves out"),
        (["--tree", TEXTBOOK, "--game", "connectx"], "leave --tree or --game out"),
        (["--tree", TEXTBOOK, "--rows", "5"], "leave --tree or --rows out"),
        (["--tree", TEXTBOOK, "--svg", "x", "--json", "./x"], "x is named for two outputs"),
        (["--tree", TEXTBOOK, "--agent", "mcts", "--quiz"], "choose the agent alphabeta"),
        (["--tree", TEXTBOOK, "--agent", "random"], "mcts or perfect, not random: choose"),
        (["--tree", TEXTBOOK, "--limit", "0"], "--limit"),
        (["--moves", "44", "--quiz"], "a quiz needs a tree"),
        (["--moves", "48"], "move 2 of '48' is 8"),
        (["--moves", "1212121"], "after '1212121' the game is over: give fewer moves"),
        (["--moves", "44", "--agent", "nobody"], "mcts or perfect, not nobody: choose"),
        (["--moves", "44", "--depth", "3", "-O", "depth=4"], "option depth is given twice"),
        (["--agent", "alphabeta:depth=3", "--depth", "3"], "option depth is given twice"),
        (["--moves", "44", "--depth", "0"], "--depth"),
        (["--moves", "44", "-O", "engine=compiled"], "compiled code cannot be recorded"),
        (["--game", "tictactoe", "--columns", "4"], "tictactoe has one size only"),
        ([*PERFECT, "--tree", TEXTBOOK], "leave --agent perfect or --tree out"),
        ([*PERFECT, "--svg", "x.svg"], "leave --agent perfect or --svg out"),
        ([*PERFECT, "--quiz"], "leave --agent perfect or --quiz out"),
        ([*PERFECT, "--depth", "9"], "agent perfect has no option 'depth'"),
        ([*PERFECT, "--moves", "12121"], "after '12121' the game is over: give fewer moves"),
        (["--agent", "perfect", "--game", "tictactoe"], "not on TicTacToe()"),
        (["--agent", "perfect", "--rows", "20", "--columns", "20"], "choose another agent"),
    ],
)
def test_mistakes_are_one_sentence_and_status_2(
    shell: Shell, words: list[str], sentence: str
) -> None:
    assert sentence in shell.refusal("explain", *words)
