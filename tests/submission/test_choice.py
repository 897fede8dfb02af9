"""Which callable Kaggle takes, and when it is probably not the one that was meant."""

from pathlib import Path

import pytest

from submission.checking.diagnosis import describe_choice, doubt_choice, mend_choice
from submission.kaggle import kaggle_environments
from submission.sandbox.inside.kaggle_agent import describe_choice as describe
from submission.sandbox.inside.source_facts import SourceFacts, read_source
from submission.sandbox.messages import Choice

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
            "partial (obj",
        ),
        ("class Bot:\n    def __call__(self, o, c): pass\nbot = Bot()\n", "Bot (object, line 1)"),
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
    ],
)
def test_what_looks_wrong(source: str, doubt: str, tmp_path: Path) -> None:
    assert doubt in (doubt_choice(*chosen(source, tmp_path)) or "")


def test_a_decorator_s_wrapper_must_name_the_arguments(tmp_path: Path) -> None:
    timed = "def timed(f):\n    def wrapper(*args): return f(*args)\n    return wrapper\n@timed\n"
    choice, facts = chosen(timed + AGENT, tmp_path)
    assert "wrapper (line 2, 0 arguments) and not agent" in (doubt_choice(choice, facts) or "")
    assert "`def wrapper(observation, configuration)`" in mend_choice(choice)


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
