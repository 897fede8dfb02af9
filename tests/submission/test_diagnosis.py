"""Causes in plain words, from games that are written down here."""

from pathlib import Path

import pytest

from submission.arena.game_record import GameConfiguration
from submission.checking.diagnosis import describe_choice, diagnose, doubt_choice, mend_choice
from submission.checking.game_plan import GamePlan
from submission.checking.observed_game import Fault, ObservedGame
from submission.kaggle import kaggle_environments
from submission.sandbox import causes
from submission.sandbox.causes import Raised
from submission.sandbox.inside.kaggle_agent import describe_choice as describe
from submission.sandbox.inside.source_facts import Import, SourceFacts, read_source
from submission.sandbox.messages import Choice, Loaded
from submission.sandbox.move import Failure, Move, failure

NEIGHBOURS = {"tactics", "numbers"}

NO_FACTS = SourceFacts()

CHOICE = Choice("agent", "function", 1, 2, "main.py", is_own=True)

HELPER = Choice("helper", "function", 9, 0, "main.py", is_own=True)
"""What Kaggle takes though it is no agent."""

DOUBT = (
    "Kaggle takes the last callable that the file defines or imports as the agent, which takes no "
)

PLAN = GamePlan(GameConfiguration(), (2,), seconds=10, decides=True)

MEMORY = 3 * 2**30


def game(reason: Failure | None, choice: Choice = CHOICE) -> ObservedGame:
    return ObservedGame(
        plan=PLAN,
        ready=None,
        loaded=Loaded(0.1, choice),
        moves={2: [Move(1, 0.1)]},
        failure=reason,
        when="in move 1 on seat 2",
        is_complete=True,
        hidden=(),
        stderr="",
    )


def fault(record: ObservedGame, source: SourceFacts = NO_FACTS) -> Fault:
    found = diagnose(record, source, NEIGHBOURS)
    assert found is not None
    return found


def of_failure(kind: str, message: str, module: str | None = None) -> Fault:
    error = Raised(kind, message, module, (), "3.12.1")
    cause = causes.of_exception(error, MEMORY, hidden=[])
    return fault(game(failure("ERROR", cause, error=error)))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("PicklingError", "Can't pickle <class 'Net'>: attribute lookup Net on builtins failed"),
        ("PicklingError", "Can't pickle <class 'Net'>: it's not found as builtins.Net"),
        ("PicklingError", "Can't pickle <function f>: it's not the same object as __main__.f"),
        ("AttributeError", "Can't get attribute 'Net' on <module '__main__' (built-in)>"),
    ],
)
def test_pickle_finds_nothing_of_a_file_that_is_no_module(kind: str, message: str) -> None:
    found = of_failure(kind, message)
    assert found.cause.startswith(
        f"{kind}: {message}: Kaggle executes the file's text, which is no"
    )
    assert "threads instead of processes" in found.mend
    assert "correct the line" in of_failure(kind, "'Net' object has no attribute 'x'").mend


def test_no_fault_of_the_submission() -> None:
    assert diagnose(game(None, HELPER), NO_FACTS, NEIGHBOURS) is None
    assert diagnose(game(None), SourceFacts(newer_line=3), NEIGHBOURS) is None


def test_syntax_that_kaggle_cannot_read() -> None:
    source = SourceFacts(newer_line=3, unreadable_line=5)
    found = diagnose(game(None), source, NEIGHBOURS)
    assert found is not None
    assert (found.status, "read line 5" in found.cause) == ("ERROR", True)


@pytest.mark.parametrize(
    ("returned", "action", "cause"),
    [
        ("int", "6", "the agent returned column 6, which is full"),
        ("int", "7", "column 7, which does not exist: columns run from 0 to 6"),
        ("NoneType", "None", "None, which Kaggle plays as column 0, and that column is full"),
        ("bool", "True", "True, of type bool, but Kaggle takes only a plain int"),
        ("numpy.int64", "np.int64(3)", "returned np.int64(3), of type numpy.int64"),
    ],
)
def test_invalid_actions(returned: str, action: str, cause: str) -> None:
    found = fault(game(failure("INVALID", causes.of_returned(returned, action, {"columns": 7}))))
    assert found.status == "INVALID"
    assert cause in found.cause


@pytest.mark.parametrize(
    ("module", "cause", "is_kaggles"),
    [
        ("agents.mcts", "belongs to this project", False),
        ("tactics", "lies beside the submission", False),
        ("torch.nn", "no module torch.nn here, though Kaggle's Python image has it", True),
        ("sklearn", "no module sklearn here, though Kaggle's", True),
        ("pachi_py", "no module pachi_py here, nor is it listed for Kaggle's", False),
    ],
)
def test_missing_modules(module: str, cause: str, is_kaggles: bool) -> None:
    """One that Kaggle has may be all that is wrong."""
    found = of_failure("ModuleNotFoundError", f"No module named {module!r}", module)
    assert cause in found.cause
    assert found.missing == ((module,) if is_kaggles else ())


def test_a_missing_module_may_explain_a_failure_but_not_a_wrong_choice() -> None:
    death = failure("ERROR", causes.of_death(3, MEMORY))
    without_torch = SourceFacts((Import("torch", "missing", (), is_guarded=True),))
    assert fault(game(death), without_torch).missing == ("torch",)
    assert fault(game(death, HELPER), without_torch).missing == ()


def test_files_of_the_submission_are_told_from_missing_ones() -> None:
    path = "/kaggle_simulations/agent/weights.npy"
    found = of_failure("FileNotFoundError", f"No such file: {path!r}")
    assert found.cause.startswith("a file is read that is not part of the submission")
    missing = of_failure("FileNotFoundError", "No such file: 'w.npy'")
    assert "a file is missing" in missing.cause
    assert "read it from /kaggle_simulations/agent" in missing.mend  # where it may be packed


def test_a_game_that_takes_too_long() -> None:
    found = fault(game(failure("TIMEOUT", causes.of_long_game(1200))))
    assert (found.status, found.cause) == ("TIMEOUT", "the whole game took longer than 1200 s")
    assert (found.when, found.mend) == ("in move 1 on seat 2", "take less time for each move")


def test_a_doubtful_choice_comes_first_but_explains_no_time_out() -> None:
    found = fault(game(failure("ERROR", causes.of_death(3, MEMORY)), HELPER))
    assert found.cause.startswith(DOUBT)
    assert "; the process ended" in found.cause
    assert "after everything else" in found.mend
    silence = failure("TIMEOUT", causes.of_silence(63, None))
    assert DOUBT not in fault(game(silence, HELPER)).cause


# --- which callable Kaggle takes, and when it is probably not the one that was meant

AGENT = "def agent(obs, conf):\n    return 0\n"


def chosen(source: str, folder: Path) -> tuple[Choice, SourceFacts]:
    """What Kaggle's own loader takes of a source, and what parsing says of it."""
    path = folder / "main.py"
    path.write_text(source)
    callable_ = kaggle_environments().agent.get_last_callable(source, path=str(path))
    return Choice(**describe(callable_, path)), read_source(path)


@pytest.mark.parametrize(
    ("source", "description"),
    [
        (AGENT, "agent (line 1, 2 arguments)"),
        (
            "def helper():\n    pass\n\ndef my_agent(obs):\n    return 0\n",
            "my_agent (line 4, 1 arg",
        ),
        ("def search(obs, conf):\n    return 0\nmy_agent = search\n", "search (line 1, 2"),
        ("def find_move(obs, conf):\n    return 0\n", "find_move (line 1, 2 arguments)"),
        (
            "import functools\nplay = lambda o, c: 0\nbot = functools.partial(play)\n",
            "<lambda> (partial, line 2)",
        ),
        (
            "import functools\ndef my_agent(depth, o, c): return 0\n"
            "bot = functools.partial(functools.partial(my_agent), 3)\n",
            "my_agent (partial, line 2)",
        ),
        ("class Bot:\n    def __call__(self, o, c): pass\nbot = Bot()\n", "Bot (object, line 1)"),
        (f"from functools import cache\n@cache\n{AGENT}", "agent (object, imported)"),
    ],
)
def test_what_looks_right(source: str, description: str, tmp_path: Path) -> None:
    choice, facts = chosen(source, tmp_path)
    assert describe_choice(choice, facts).startswith(description)
    assert doubt_choice(choice, facts) is None


@pytest.mark.parametrize(
    ("source", "doubt"),
    [
        (
            f"{AGENT}\ndef helper(board):\n    pass\n",
            "helper (line 4, 1 argument) and not agent (line 1)",
        ),
        (
            f"def agent(obs, conf): pass\ndef helper(board): pass\n{AGENT}",
            "helper (line 2, 1 argument) and not agent (line 3)",
        ),
        (f"{AGENT}from math import floor\n", "floor (object, imported) and not agent (line 1)"),
        (
            f"{AGENT}import math\nclass Board: pass\n",
            "Board (class, line 4) and not agent (line 1)",
        ),
        ("class Board: pass\n", "which is a class: Board (class, line 1)"),
        ("from textwrap import dedent\n", "which is imported: dedent (of textwrap.py, 1 argument)"),
        ("play_it = lambda obs: 0\n", "which is a lambda: <lambda> (line 1, 1 argument)"),
        ("def play_it(): pass\n", "takes no observation: play_it (line 1, 0 arguments)"),
        (
            "import contextlib\n@contextlib.contextmanager\ndef agent(obs, conf): return 0\n",
            "takes no observation: agent (of contextlib.py, 0 arguments)",
        ),
    ],
)
def test_what_looks_wrong(source: str, doubt: str, tmp_path: Path) -> None:
    assert doubt in (doubt_choice(*chosen(source, tmp_path)) or "")


def test_a_decorator_s_wrapper_must_name_the_arguments(tmp_path: Path) -> None:
    timed = "def timed(f):\n    def wrapper(*args): return f(*args)\n    return wrapper\n@timed\n"
    choice, facts = chosen(timed + AGENT, tmp_path)
    assert "wrapper (line 2, 0 arguments) and not agent" in (doubt_choice(choice, facts) or "")
    assert "`def wrapper(observation, configuration)`" in mend_choice(choice)
    assert "if a decorator such as @torch.no_grad() has wrapped it" in mend_choice(choice)


def test_definitions_and_imports_are_found_in_every_block(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(
        "try:\n    import numba as nb\nexcept ImportError:\n    nb = None\n"
        "if nb:\n    from . import own\n    def agent():\n        import os.path\n"
        "class A:\n    def method(self): pass\n"
    )
    facts = read_source(path)
    assert facts.modules(standard=False) == ("numba",)
    assert facts.modules(standard=True) == ("os",)
    found = [(entry.name, entry.line, entry.kind) for entry in facts.definitions]
    assert found == [
        ("nb", 2, "import"),
        ("nb", 4, "assignment"),
        ("own", 6, "import"),
        ("agent", 7, "function"),
        ("A", 9, "class"),
    ]


@pytest.mark.parametrize("source", ["def agent(:\n", "(" * 5000, "-" * 100_000 + "1", "\0"])
def test_a_source_that_cannot_be_parsed_has_no_facts(source: str, tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(source)
    facts = read_source(path)
    assert facts == SourceFacts()
    assert facts.modules(standard=False) is facts.modules(standard=True) is None
