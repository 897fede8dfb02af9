"""The referee on Kaggle's environment beside Kaggle's own `env.run`, with the same files."""

import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import pytest

from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.arena.kaggle_referee import kaggle_game
from submission.kaggle import kaggle_environments
from tests.helpers.arena_games import play, submitted
from tests.helpers.processes import output_of

DEFAULT = GameConfiguration()

STEADY = """
def agent(observation, configuration):
    size = configuration.columns
    wanted = (observation.mark * 3 + observation.step // 2) % size
    free = [column for column in range(size) if observation.board[column] == 0]
    return wanted if wanted in free else free[0]
"""

KINDS = {
    "legal": "def agent(observation, configuration): return observation.step // 2 % 7",
    "one column": "def agent(observation): return 4",
    "no arguments": "def agent(): return 3",
    "three arguments": "def agent(a, b, c): return 3",
    "default argument": "def agent(a, b, c=3): return c",
    "star arguments": "def agent(*arguments): return len(arguments)",
    "keyword only": "def agent(*, observation): return 3",
    "last callable": "def agent(observation): return 3\ndef helper(board): return 'no column'",
    "class": "class Agent:\n    def __init__(self, observation, configuration): pass",
    "callable object": "class Agent:\n    def __call__(self, o, c): return 3\nagent = Agent()",
    "every attribute": "class Proxy:\n    def __getattr__(self, name): return 1\n"
    "    def __call__(self, o, c): return 3\nagent = Proxy()",
    "lambda": "agent = lambda observation, configuration: 2",
    "no callable": "moves = 3",
    "empty": "",
    "syntax error": "def agent(:",
    "byte order mark": "\ufeffdef agent(o): return 3",
    "relative import": "from . import helper\ndef agent(o): return 3",
    "its own path": "HERE = __file__\ndef agent(o): return 3",
    "endless recursion": "def agent(o): return agent(o)",
    "error while loading": "raise OSError('no weights')",
    "exit while loading": "raise SystemExit(2)",
    "numpy int": "import numpy\ndef agent(o): return numpy.int64(3)",
    "enumeration": "import enum\nclass Column(enum.IntEnum): A = 3\n"
    "column = Column.A\ndef agent(o): return column",
    "bool": "def agent(o): return True",
    "text": "def agent(o): return '3'",
    "none": "def agent(o): pass",
    "list": "def agent(o): return [3]",
    "function": "def agent(o): return agent",
    "generator": "def agent(o): yield 3",
    "lock": "import threading\ndef agent(o): return threading.Lock()",
    "fraction": "from fractions import Fraction\ndef agent(o): return Fraction(3)",
    "float": "def agent(o): return 3.0",
    "broken float": "def agent(o): return 3.5",
    "float off the board": "def agent(o): return 9.0",
    "negative float": "def agent(o): return -3.0",
    "infinite": "def agent(o): return float('inf')",
    "not a number": "def agent(o): return float('nan')",
    "negative": "def agent(o): return -1",
    "off the board": "def agent(o): return 7",
    "huge": "def agent(o): return 10**5000",
    "full column": "def agent(o): return 0 if o.step < 20 else None",
    "float for a full column": "def agent(o): return 3 if o.board[3] == 0 else 3.0",
    "returned exception": "def agent(o): return ValueError('three')",
    "exception at move 1": "def agent(o): raise KeyError('boom')",
    "exception at move 3": "def agent(o): return 5 if o.step < 4 else {}[o.step]",
    "exception without text": "class Odd(Exception):\n"
    "    def __str__(self): return 1 / 0\ndef agent(o): raise Odd",
    "assertion": "def agent(o): assert False",
    "exit": "import sys\ndef agent(o): sys.exit(0)",
    "exit at move 3": "def agent(o): return 5 if o.step < 4 else exit()",
    "generator exit": "def agent(o): raise GeneratorExit",
    "prints": "print('loading' * 999)\ndef agent(o): print('x' * 10**6); return o.step // 2 % 7",
    "no output": "import sys\ndef agent(o): sys.stdout = None; return 3",
    "changes what it gets": "def agent(o, c):\n    o.board[:] = [1] * 42\n    c['columns'] = 1\n"
    "    o['remainingOverageTime'] = -5\n    return 3",
    "attributes and items": "def agent(o, c): return o.mark + o['mark'] + c.inarow - c['inarow']",
    "folder": "import os, sys\nassert os.listdir(sys.path[-1]) == ['main.py']\n"
    "def agent(o, c): return int(os.path.basename(c['__raw_path__']) == 'main.py')",
}


class Ending(NamedTuple):
    columns: tuple[int, ...]
    statuses: tuple[str, str]
    rewards: tuple[int | None, int | None]


def ending_of(record: GameRecord) -> Ending:
    return Ending(record.columns, record.statuses, record.rewards)


def ending_by_kaggle(
    sources: Sequence[str],
    folder: Path,
    opening: tuple[int, ...] = (),
    configuration: GameConfiguration = DEFAULT,
) -> Ending:
    """By `env.run` with the files; what gets past it is an ERROR of the seat whose turn it is."""
    files = []
    for seat, source in enumerate(sources):
        (folder / str(seat)).mkdir()
        file = folder / str(seat) / "main.py"
        file.write_text(dedent(source))
        files.append(str(file))
    env = kaggle_environments().make("connectx", configuration.for_kaggle())
    for column in opening:
        env.step([column, column])
    statuses, rewards = None, None
    try:
        env.run(files)
    except BaseException:
        failed = 0 if env.state[0].status == "ACTIVE" else 1
        statuses = [("ERROR", "DONE"), ("DONE", "ERROR")][failed]
        rewards = [(None, 0), (0, None)][failed]
    movers = [step[ply % 2] for ply, step in enumerate(env.steps[1:])]
    return Ending(
        tuple(mover.action for mover in movers if mover.status in ("DONE", "INACTIVE")),
        statuses or (env.state[0].status, env.state[1].status),
        rewards or (env.state[0].reward, env.state[1].reward),
    )


IN_BOTH_SEATS = (
    *("legal", "default argument", "syntax error", "exit while loading", "none", "float"),
    *("broken float", "full column", "float for a full column", "exception at move 1"),
    *("exception at move 3", "exit at move 3", "changes what it gets", "attributes and items"),
)
"""What may depend on the seat: by its moves and by how its game ends."""


@pytest.mark.parametrize(
    ("kind", "seat"), [*((kind, 1) for kind in KINDS), *((kind, 2) for kind in IN_BOTH_SEATS)]
)
def test_a_file_fares_as_with_kaggles_own_runner(
    kind: str, seat: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = KINDS[kind]
    monkeypatch.setattr("sys.path", list(sys.path))  # `env.run` leaves a failing file's folder
    record = play(submitted(source), submitted(STEADY), game=seat - 1)
    sources = (source, STEADY) if seat == 1 else (STEADY, source)
    assert ending_of(record) == ending_by_kaggle(sources, tmp_path)
    failed = record.statuses[seat - 1] != "DONE"
    assert (record.result is Result.PLAYER_FAILED) == failed
    assert (record.cause is not None) == failed
    assert "\n" not in (record.cause or "")


def test_a_player_sees_what_kaggle_shows(tmp_path: Path) -> None:
    """Both players write down all that they get; `env.run` and the referee show them the same."""

    def shown(name: str, writer: str) -> list[str]:
        return (tmp_path / f"{name}{writer}").read_text().splitlines()

    def writing(name: str, writer: str) -> str:
        return STEADY + dedent(f"""
            def write(observation, configuration):
                configuration.pop("__raw_path__", None)
                told = dict(observation), vars(observation), dict(configuration)
                told[0]["remainingOverageTime"] = told[1]["remainingOverageTime"] = 60
                with open({str(tmp_path / f"{name}{writer}")!r}, "a") as file:
                    print(*(sorted(fields.items()) for fields in told), file=file)
                return agent(observation, configuration)
            """)

    opening, rules = (3, 4, 3), GameConfiguration(4, 5, 3)
    kaggles, ours = ([writing(name, seat) for seat in ("1", "2")] for name in ("kaggle", "ours"))
    as_options_give_it = replace(rules, act_timeout=2.0)
    record = play(*map(submitted, ours), opening=opening, configuration=as_options_give_it)
    assert ending_of(record) == ending_by_kaggle(kaggles, tmp_path, opening, rules)
    assert record.columns[:3] == opening
    assert sum(map(len, record.durations)) == len(record.columns) - len(opening)
    for writer in ("1", "2"):
        assert shown("ours", writer) == shown("kaggle", writer)
        assert len(shown("ours", writer)) > 2


@pytest.mark.parametrize("columns", [(0, 1) * 3 + (0,), (2, 9), (3, 3, 3), ()])
def test_an_environment_is_used_again_as_if_it_were_new(columns: tuple[int, ...]) -> None:
    def states(env: Any) -> list[Any]:
        for column in columns:
            env.step([column, column], [{"duration": 5.0}, {"duration": 5.0}])
        return [env.steps, env.logs, env.configuration, env.done]

    with kaggle_game(DEFAULT) as used:
        used.step([3, 3], [{"duration": 9.0}, {}])
        used.step([None, -1], [{}, {"duration": 9.0}])
    with kaggle_game(DEFAULT) as again:
        assert again is used
        assert states(again) == states(kaggle_environments().make("connectx"))


def test_two_games_at_a_time_have_an_environment_each() -> None:
    with kaggle_game(DEFAULT) as one, kaggle_game(DEFAULT) as other:
        assert one is not other


def test_the_process_that_plays_is_left_as_it_was() -> None:
    before = random.getstate(), list(sys.path)
    play(submitted("raise ValueError"), game=1)
    assert (random.getstate(), list(sys.path)) == before


GRAMMAR = """
print("loaded")
def is_valid_syntax(rule, text): return (rule, text) == ("iri", "https://straße.de/ü")
"""


@pytest.mark.parametrize("has_jsonschema", [False, True])
def test_kaggle_comes_without_a_grammar_that_takes_seconds(
    has_jsonschema: bool, tmp_path: Path
) -> None:
    """The grammar is loaded when it is asked for, or by an earlier import of jsonschema.

    Two threads import Kaggle, and leave the output alone.
    """
    script = f"""
from threading import Barrier, Thread
if {has_jsonschema}: import jsonschema
from submission.kaggle import kaggle_environments
both = Barrier(2)
threads = [Thread(target=lambda: (both.wait(), kaggle_environments())) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("Kaggle's")
from jsonschema import Draft202012Validator as Draft
iri = Draft({{"format": "iri"}}, format_checker=Draft.FORMAT_CHECKER)
print([iri.is_valid(text) for text in ("https://straße.de/ü", "no iri")])
"""
    (tmp_path / "rfc3987_syntax.py").write_text(GRAMMAR, encoding="utf-8")
    events = ["loaded", "Kaggle's"] if has_jsonschema else ["Kaggle's", "loaded"]
    said = output_of(script, PYTHONPATH=tmp_path).splitlines()
    assert said == [*events, "[True, False]"]
