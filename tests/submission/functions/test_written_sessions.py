"""Functions of notebooks, scripts and prompts."""

import ast
import doctest
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from submission.bundle.functions.function_file import function_file
from tests.helpers.processes import completed, output_of
from tests.helpers.written_modules import FREE, of_file

needs_ipython = pytest.mark.skipif(not find_spec("IPython"), reason="a notebook needs IPython")

CELLS = [
    "import random\nBEST = 3",
    "def helper(free):\n    return free[0]",
    "%time DEPTH = 1",
    "%%time\n!true\ndef agent(obs, config):\n    history.append(1)\n"
    f"    return BEST if BEST in {FREE} else helper({FREE})",
    "history = []",
    "this is no Python",
    "!true\nfor k in range(3):\n    history.append(agent({'board': [0] * 42}, {}))",
    "from scores import last\ndef helper(free):\n    return last(free)",
    "BEST = 4\nBEST += 1",
    "%time BEST = BEST - 1",
    "agent.__code__.co_filename, history",
]
IN_A_NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in {cells!r}:
    shell.run_cell(cell, store_history=True)
"""


def said_in_a_notebook(cells: list[str], folder: Path) -> str:
    return output_of(IN_A_NOTEBOOK.format(cells=cells), folder=folder)


@needs_ipython
def test_cells_of_a_notebook_are_what_was_written(tmp_path: Path) -> None:
    """The last definition counts, and games in the cells do not."""
    (tmp_path / "scores.py").write_text("def last(moves):\n    return moves[-1]\n")
    said = said_in_a_notebook(
        [*CELLS, "import connectx", "connectx.build(agent).save('built.py')\nBEST = 0"], tmp_path
    )
    built = (tmp_path / "built.py").read_text(encoding="utf-8")
    assert "DEPTH" not in built
    assert "free[0]" not in built
    assert "\nfor" not in built
    agent = of_file(built)
    assert agent.__globals__["history"] == []
    assert agent.__globals__["BEST"] == 4
    assert agent({"board": [0] * 42}, {}) == 4
    assert agent({"board": [0, 0, 0, 1, 1, 0, 1]}, {}) == 5
    assert "Error" not in said.replace("SyntaxError", "")


RAISING = [
    "import connectx",
    "%%time\nBEST, WORTHS = 1, []\ndef agent(obs):\n    return BEST + sum(WORTHS)\n"
    "for worth in (2, 30, 400):\n    WORTHS.append(worth)\n    1 / (worth - 30)\n"
    "BEST = 5000\ndef agent(obs): ...",
    "import missing_module\nWORTHS = [60000]",
    "agent = agent\ndef unused():\n    1 / 0\nunused()\nBEST = 7",
    "connectx.build(agent).save('built.py')",
]


@needs_ipython
def test_what_stands_below_the_line_that_raised_is_not_written(tmp_path: Path) -> None:
    """A loop that raised half-way is written as what it has set."""
    assert "Traceback" in said_in_a_notebook(RAISING, tmp_path)
    assert of_file((tmp_path / "built.py").read_text())({}) == 33


@needs_ipython
def test_a_file_that_a_cell_runs_what_a_shell_says_and_what_is_awaited_are_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.py").write_text("BEST = 3\ndef mine(obs):\n    return BEST\n")
    cells = [
        "import connectx",
        "%run mine.py",
        "lines = !echo 5",
        "connectx.build(mine).save('1.py')",
        "connectx.build(lambda obs: int(lines[0])).save('2.py')",
        "async def numbers():\n    yield 7",
        "first = [n async for n in numbers()]\nasync for n in numbers():\n    first.append(n)",
        "connectx.build(lambda obs: sum(first)).save('3.py')",
        "lock = await __import__('asyncio').sleep(0, __import__('threading').Lock())",
        "try: connectx.build(lambda obs: lock and 1)\nexcept ValueError as error: print(error)",
    ]
    said = said_in_a_notebook(cells, tmp_path)
    assert [of_file((tmp_path / f"{n}.py").read_text())({}) for n in (1, 2, 3)] == [3, 5, 14]
    assert said.splitlines()[-1] == (
        "the agent uses lock, a lock that cannot be written into a file: create it inside the agent"
    )


@needs_ipython
def test_what_no_cell_defines_is_refused_in_a_sentence(tmp_path: Path) -> None:
    said = said_in_a_notebook(
        [
            "exec('ORDER = [1]')\nN = 2",
            "# mine\ndef agent(obs):\n    return ORDER[0]",
            "def other(obs):\n    return __file__",
            "def shown(obs):\n    display(obs)",
            "import connectx\nfor each in (agent, other, shown):\n    try: connectx.build(each)\n"
            "    except ValueError as error: print(error)",
        ],
        tmp_path,
    )
    assert said.splitlines()[-3:] == [
        "cell 2, line 3: agent uses ORDER, but the statement that defines it cannot be found: "
        "write `ORDER = ...` above",
        "cell 3, line 2: cannot bundle __file__, which is different in Kaggle's loader: no other "
        "file lies beside a bundle; read it at the top of a function's module, by a statement "
        "such as NAME = ..., or declare it as an agent's option by `agents.options.file_option`",
        "cell 4, line 2: shown uses display, which only a notebook has: leave it out",
    ]


SCRIPT = """
import connectx
def agent(obs, config):
    return WORTH[0]
if __name__ == "__main__":
    WORTH = [2]
    WORTH[0] += 1
    print([connectx.build(agent).source])
    WORTH = None
WORTH = [5]
def agent(obs): ...
"""

SWEEP = """
import connectx
DEPTH, WEIGHTS, history = 1, [1], []
class Bot:
    def __init__(self, first):
        self.first = first
    def __call__(self, obs, config):
        return self.first
def agent(obs, config):
    history.append(obs)
    return DEPTH + WEIGHTS[0] + len(history)
if __name__ == "__main__":
    built = []
    for DEPTH in (20, 30):
        history = []
        WEIGHTS[0] = 400
        agent({}, {})
        scale = 2
        def own(obs, config):
            return DEPTH * scale
        bot = Bot(DEPTH)
        built += [connectx.build(each).source for each in (agent, own, bot)]
    print(built)
"""

ATTRIBUTES = """
import random
import connectx
WORTHS, lost = [1], 0
class Bot:
    first, played, by_chance = 1, 0, random.random()
    def __call__(self, obs, config):
        Bot.played += 1
        return self.first + Bot.played + self.by_chance
def agent(obs, config):
    return agent.first + WORTHS[0]
agent.first = 0
def first_as_written():
    return [connectx.build(each).source for each in (Bot(), agent)]
if __name__ == "__main__":
    built = []
    for first in (20, 30):
        Bot.first = agent.first = WORTHS[0] = first
        Bot()({}, {})
        built += first_as_written()
        lost += 1
    if __file__:
        built += [connectx.build(each).source for each in (Bot(), agent)]
    print([text.replace(str(Bot.by_chance), "0") for text in built])
"""

TUNED = """
import connectx
def made(depth):
    def agent(obs, config): return depth
    return agent
worths, best = {}, None
for depth in (5, 3):
    worths[depth] = len(connectx.build(made(depth)).name) + depth
    best = best or (worths[depth], depth)
built = connectx.build(made(4))
TOP, DEPTH, LENGTH = max(worths, key=worths.get), best[1], len(built.name)
def agent(obs, config):
    return TOP + 10 * DEPTH + 100 * LENGTH
print([connectx.build(agent).source])
"""

PLAYED = """
from kaggle_environments import make
import submission
WORTHS, first = [1], 1
def agent(obs, config):
    return first + WORTHS[0]
for first in (2, 3):
    WORTHS[0] = first
    make("connectx").run([agent, "random"])
print([submission.build(agent).source])
"""


MADE_ELSEWHERE = """
import connectx
from pathlib import Path
Path("bots.py").write_text("def made(depth):\\n    return lambda obs, config: depth")
from bots import made
built = []
for bot in (made(2), made(5)):
    built.append(connectx.build(bot).source)
print(built)
"""


@pytest.mark.parametrize(
    ("script", "answers"),
    [
        pytest.param(SCRIPT, [3], id="as far as it has run"),
        pytest.param(SWEEP, [421, 40, 20, 431, 60, 30], id="what a running loop has set"),
        pytest.param(
            ATTRIBUTES, [21, 40, 31, 60, 31, 60], id="what it sets of classes and functions"
        ),
        pytest.param(TUNED, [555], id="what is made of findings"),
        pytest.param(PLAYED, [6], id="what a loop sets that has played"),
        pytest.param(MADE_ELSEWHERE, [2, 5], id="agents of a loop that another module makes"),
    ],
)
def test_what_a_script_has_set_is_written_but_not_its_loops(
    script: str, answers: list[int], tmp_path: Path
) -> None:
    """Nor what games have changed: `history`, `played`."""
    (tmp_path / "script.py").write_text(script)
    said = completed([sys.executable, "script.py"], tmp_path).stdout
    built = ast.literal_eval(said.splitlines()[-1])
    assert [of_file(text)({}, {}) for text in built] == answers
    assert not any(word in text for text in built for word in ("connectx.build", "run("))


PROMPT = """
>>> import connectx
>>> LAST = [1]
>>> def agent(obs):
...     return LAST[0]
>>> LAST[0] = = 2
>>> LAST[0] = 2
>>> def agent(obs):
...     return LAST[0] + 1
>>> built.append(connectx.build(agent).source)
"""


def test_pieces_of_a_session_are_what_was_written() -> None:
    """As of a doctest, which keeps all that was typed."""
    built: list[str] = []
    typed = doctest.DocTestParser().get_doctest(PROMPT, {"built": built}, "prompt", None, None)
    doctest.DocTestRunner().run(typed)
    assert of_file(built[0])({}) == 3


@pytest.mark.skipif(sys.version_info < (3, 14), reason="its prompt keeps what was typed elsewhere")
def test_what_was_typed_at_the_prompt_is_what_was_written() -> None:
    built: list[str] = []
    prompt = import_module("_pyrepl.console").InteractiveColoredConsole({"built": built})
    for number, piece in enumerate(doctest.DocTestParser().get_examples(PROMPT)):
        prompt.push(piece.source, filename=f"<python-input-{number}>")
    assert of_file(built[0])({}) == 3


def test_a_function_without_source_is_refused(modules: Path) -> None:
    namespace: dict[str, Any] = {}
    exec(compile("def agent(obs): return 1", "<nowhere>", "exec"), namespace)
    with pytest.raises(ValueError, match="the source of agent cannot be found: put it into a file"):
        function_file(namespace["agent"])
