"""The command line: what it prints, what it writes, and one sentence for every mistake."""

import ast
import json
import re
import sys
from importlib.metadata import version
from inspect import getdoc
from pathlib import Path
from types import ModuleType

import pytest

from agents.options import agent_options
from agents.registry import REGISTERED
from submission.bundle.bundle import build_bundle
from submission.cli.app import COMMANDS, function_of
from tests.helpers.processes import CONNECTX, completed
from tests.helpers.shell import Shell


def test_help_teaches_every_command(shell: Shell) -> None:
    help_text = shell.run("--help").stdout
    listing = re.findall(r"^  ([a-z]+)  ", help_text.split("Commands:")[1], flags=re.MULTILINE)
    assert listing == list(COMMANDS)
    for command, line in COMMANDS.items():
        assert f"connectx {command}" in help_text
        assert (getdoc(function_of(command)) or "").splitlines()[0] == line
    assert shell.run("--version").stdout == f"connectx-agents {version('connectx-agents')}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_only_options_that_the_command_has(shell: Shell, command: str) -> None:
    """Options of other commands are named in a command line, between backticks."""
    said = shell.output(command, "--help")
    # As Typer writes ranges, types, and defaults in words.
    assert not re.search(r"[<>]|RANGE|default: \([\d.]+\)", said)
    text = re.sub(r"`[^`]*`", "", said)
    options = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, flags=re.MULTILINE))
    assert set(re.findall(r"--[a-z-]*[a-z]", text)) == options
    assert not re.search(r"\.\.\.[]}]\.\.\.", text)


def test_agents_lists_every_option_with_its_default(shell: Shell) -> None:
    listing = shell.run("agents").stdout
    words = " ".join(listing.split())
    for name, agent in REGISTERED.items():
        assert re.search(rf"^{name} ", listing, flags=re.MULTILINE)
        for option in agent_options(agent):
            assert re.search(rf"\b{option.name}=\S+ {re.escape(option.help)}", words)
    one = shell.run("agents", "minimax").stdout.strip()
    assert one in listing
    assert one.startswith("minimax ")
    assert "expectimax  " not in one
    assert "unknown agent 'nobody'" in shell.refusal("agents", "minimax", "nobody")


@pytest.mark.parametrize(
    ("words", "agent", "options"),
    [
        ("minimax --option depth=7 -O time_limit=0.5", "minimax", {"depth": 7, "time_limit": 0.5}),
        ("random:seed=3", "random", {"seed": 3}),
        ("random --option seed=3 -o other.py", "random", {"seed": 3}),
    ],
)
def test_build_writes_the_bundle(
    shell: Shell, tmp_path: Path, words: str, agent: str, options: dict[str, float]
) -> None:
    assert shell.run("build", *words.split()).status == 0
    (written,) = tmp_path.iterdir()
    assert written.name == ("other.py" if "other.py" in words else "submission.py")
    assert written.read_text(encoding="utf-8") == build_bundle(agent, options)


def test_built_again_by_the_command_in_its_header(shell: Shell, tmp_path: Path) -> None:
    shell.run("build", "minimax", "-O", "heuristic=zero", "-O", "depth=none", "-o", "one.py")
    text = (tmp_path / "one.py").read_text(encoding="utf-8")
    command = re.search(r"^ {4}connectx (build .*)$", text, flags=re.MULTILINE)
    assert command is not None
    shell.run(*command[1].split(), "--output", "two.py")
    assert (tmp_path / "two.py").read_text(encoding="utf-8") == text
    assert "MinimaxAgent(heuristic='zero', depth=None)" in text
    assert "kaggle competitions submit -c connectx -f submission.py" in text
    refused = shell.refusal("build", "MyAgent", "--from", "one.py")
    assert "one.py was made by `connectx build`" in refused
    assert "`connectx check one.py` says whether Kaggle would take it" in refused


FILES = {
    "old.jsonl": '{"format": "connectx positions, version 0"}\n',
    "submission.py": "from random import choice\ndef my_agent(observation):\n    return 3\n",
    "mine.py": """
from dataclasses import dataclass
from agents import Agent, SearchResult
from choosing import first

@dataclass
class MyAgent(Agent):
    def search(self, env, state, time_limit=None):
        return SearchResult(first(env.get_available_actions(state)), value=0.0)
""",
    "choosing.py": "def first(actions):\n    return actions[0]\n",
}
NO_CLASS = "submission.py has no class that inherits from agents.Agent, but a function, my_agent"


@pytest.fixture
def files(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("files")
def test_a_bundle_of_two_files_is_built_again_but_over_no_other(shell: Shell) -> None:
    refused = shell.run("build", "MyAgent", "--from", "mine.py", "-o", "choosing.py", "--force")
    assert "choosing.py is read and would be overwritten: write to another" in refused.stderr
    for name in ("one.py", "one.py", "two.py"):
        assert shell.run("build", "MyAgent", "--from", "mine.py", "-o", name).status == 0
    assert shell.run("build", "greedy", "--force").status == 0
    assert shell.run("build", "random").status == 0
    assert Path("submission.py").read_text(encoding="utf-8") == build_bundle("random", {})


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("juggle", "No such command 'juggle'"),
        ("evaluat", "Did you mean 'evaluate'?"),
        ("build stockfish", "unknown agent 'stockfish': choose one of " + ", ".join(REGISTERED)),
        ("build mcts -O depth=3", "agent mcts has no option 'depth'; its options: simulations"),
        ("build level:n=3 -O n=4", "option n is given twice"),
        ("build a.py", "a.py is a file and not the name of an agent: `connectx check a.py`"),
        ("build MyAgent --from absent.py", "there is no file absent.py"),
        ("build MyAgent --from submission.py -o a.py", NO_CLASS),
        ("build MyAgent --from submission.py", "submission.py is read and would be overwritten"),
        ("build MyAgent --from mine.py -o ./mine.py", "mine.py is read and would be overwritten"),
        ("build policy -O file=mine.py -o mine.py", "mine.py is read and would be overwritten"),
        ("build perfect -O traps=old.jsonl", "is not a valid repertoire: compute one with"),
        ("build perfect -O repertoire=old.jsonl", "is not a valid repertoire: compute one with"),
        ("build perfect -O repertoire=absent.cxrp", "absent.cxrp"),
        ("build greedy", "--force"),
        ("prepare greedy", "--force"),
        ("prepare MyAgent --from mine.py -o mine.py", "mine.py is read and would be overwritten"),
        ("prepare a.py -O n=4", "a.py is checked and played as it is: leave out --option"),
        ("prepare a.tar.gz -o a.py", "a.tar.gz is checked and played as it is: leave out"),
        ("prepare a.py", "there is no file a.py"),
        ("check absent.py", "absent.py"),
        ("check .", "."),
        ("play nobody", "unknown agent 'nobody': choose one of random, greedy"),
        ("play absent.py", "cannot read the player absent.py"),
        ("play absent.tar.gz", "cannot read the player absent.tar.gz"),
        ("play a.py --game tictactoe", "a submission plays only ConnectX: leave --game out"),
        ("play greedy --seat 3", "--seat"),
        ("play greedy --time-limit -1", "--time-limit"),
        ("play greedy --game chess", "--game"),
        ("play greedy --moves 48", "move 2 of '48' is 8: legal: 1, 2, 3, 4, 5, 6, 7"),
        ("play greedy --moves 1212121", "after '1212121' the game is over: give fewer moves"),
        ("play greedy --game tictactoe --rows 4", "tictactoe has one size only: leave --rows out"),
        ("play mine.py --time-limit 0", "--time-limit"),
        ("grade nobody", "unknown player 'nobody'"),
        ("grade absent.py", "cannot read the player absent.py"),
        ("grade random --positions absent.jsonl", "cannot read the positions absent.jsonl"),
        ("grade random --positions old.jsonl", "not 'connectx positions, version 0'"),
        ("grade random --positions old.jsonl --json old.jsonl", "old.jsonl is read and would be"),
        ("explain -O file=mine.py --svg mine.py", "mine.py is read and would be overwritten"),
        ("grade mine.py --json mine.py", "mine.py is read and would be overwritten"),
        ("grade mine.py --html mine.py", "mine.py is read and would be overwritten"),
        ("grade mine.py --json x --html x", "another file"),
        ("grade random --json - --html -", "cannot write - (it must be a file, not standard"),
        ("grade random --sample 0", "the sample must be of 1 to"),
        ("grade random --sample 9999", "the sample must be of 1 to"),
        ("grade random --seed -1", "the seed must be at least 0"),
        ("grade random --act-timeout 0", "the seconds for a move must be above 0"),
        ("grade random --workers 0", "the number of workers must be at least 1"),
        ("positions --per-ply 0", "the positions for each ply must be at least 1"),
        ("positions --seed -1", "the seed must be at least 0"),
        ("positions --first-ply 9 --last-ply 8", "not from 9 to 8"),
        ("positions --last-ply 41", "not from 0 to 41"),
        ("positions --output absent/set.jsonl", "cannot write absent/set.jsonl"),
    ],
)
def test_mistakes_are_one_sentence_with_status_2_and_leave_nothing(
    shell: Shell, tmp_path: Path, words: str, sentence: str
) -> None:
    assert sentence in shell.refusal(*words.split())
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.*")} == FILES


def test_an_interrupt_while_the_command_line_loads_has_no_traceback(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(name: str) -> None:
        raise KeyboardInterrupt

    loading = ModuleType("submission.cli")
    monkeypatch.setattr(loading, "__getattr__", interrupt, raising=False)
    monkeypatch.setitem(sys.modules, "submission.cli", loading)
    outcome = shell.run("agents")
    assert (outcome.status, outcome.stdout, outcome.stderr) == (130, "", "")


@pytest.mark.parametrize(
    ("library", "words", "sentence"),
    [
        (
            "kaggle_environments",
            "evaluate random --against negamax",
            "pip install --no-deps kaggle-environments",
        ),
        ("torch", "train", "install the extra `train`"),
        ("pyarrow", "positions --labels 5 -o labels.parquet", "install the extra `parquet`"),
        ("uvicorn", "web", "install the extra `web`"),
    ],
)
def test_a_missing_library_is_said_with_what_installs_it(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, library: str, words: str, sentence: str
) -> None:
    from submission.kaggle import kaggle_environments

    kaggle_environments.cache_clear()
    monkeypatch.delitem(sys.modules, "submission.web.serve", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    try:
        assert sentence in shell.refusal(*words.split())
    finally:
        kaggle_environments.cache_clear()


def test_help_imports_no_command() -> None:
    program = "import sys; from submission.__main__ import main; sys.argv[1:] = ['--help']\n"
    program += "try: main()\nfinally: print(sorted(sys.modules), file=sys.stderr)"
    result = completed([sys.executable, "-c", program])
    assert "connectx explain" in result.stdout
    loaded = set(ast.literal_eval(result.stderr))
    assert not {"numpy", "numba", "gymnasium", "submission.front_door", "agents"} & loaded


def test_json_alone_is_printed_where_it_is_asked_for(shell: Shell, tmp_path: Path) -> None:
    match = "evaluate greedy --against random --games 2 --arena own"
    printed = json.loads(shell.run(*match.split(), "--json", "-").stdout)
    assert printed["pairings"] == [["greedy", "random"]]
    assert len(printed["records"]) == 2
    assert printed["stats"][0]["games"] == 2
    outcome = shell.run(*match.split(), "--json", "match.json")
    assert "Results of greedy" in outcome.stdout
    written = json.loads((tmp_path / "match.json").read_text(encoding="utf-8"))
    assert {game["result"] for game in written["records"]} <= {"win", "draw", "loss"}
    assert {path.name for path in tmp_path.iterdir()} == {"match.json"}


@pytest.mark.parametrize(
    "command", ["evaluate bad.py --against random --games 2", "grade bad.py --sample 2"]
)
def test_a_player_that_fails_in_every_game_is_an_exit_status(shell: Shell, command: str) -> None:
    Path("bad.py").write_text("def agent(observation): return 99\n", encoding="utf-8")
    assert shell.run(*command.split()).status == 1


@pytest.mark.parametrize(
    ("words", "status"), [("solve", 2), ("solve --rows 5", 2), ("solve -", 0), ("play greedy", 0)]
)
def test_a_standard_input_that_is_closed_is_an_empty_one(
    shell: Shell, words: str, status: int
) -> None:
    closed, empty = (shell.run(*words.split(), stdin=stdin) for stdin in (None, ""))
    assert closed == empty
    assert closed.status == status


def test_where_the_width_is_not_known_all_is_printed() -> None:
    """Rich takes the 0 of a terminal of no width for one without room."""
    command = [sys.executable, *CONNECTX, "solve", "4444"]
    assert completed(command, COLUMNS="0").stdout == completed(command, COLUMNS=None).stdout != ""


STRANGE = "[/b]/:bug:[red].py"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (f"check {STRANGE} --act-timeout 0.5 --game-seconds 0 --patience 0", STRANGE),
        (f"evaluate {STRANGE} --against random --games 2 --workers 1", f"Results of {STRANGE}"),
        (f"grade {STRANGE} --sample 2 --workers 1", STRANGE),
        (f"ladder {STRANGE} random --games 2 --workers 1", STRANGE),
        (f"build greedy --force --output {STRANGE}", f"Wrote {STRANGE}"),
        (f"explain --tree [1,2] --svg {STRANGE}", f"Wrote {STRANGE}"),
        (f"explain --tree {{'[/b]':1,':bug:':2}} --svg {STRANGE}", "the search chooses :bug:"),
    ],
)
def test_a_users_text_is_shown_as_it_is(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, shown: str
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal, with its progress bars
    path = tmp_path / STRANGE
    path.parent.mkdir(parents=True)
    path.write_text("def agent(observation): return observation.board.index(0)")
    said = shell.output(*words.split())
    assert shown in re.sub(r"\x1b\[[\d;]*m", "", said)
