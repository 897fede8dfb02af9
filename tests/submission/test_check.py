"""What the check says of many submissions, most of them bad.

Where a submission can be run safely in the tests' own process, its status is compared with what
`kaggle_environments` itself says of it.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import pytest

from envs import ConnectX
from submission import build
from submission.bundle.bundle import build_bundle
from submission.checking.check import check_submission
from submission.checking.check_report import CheckReport
from submission.checking.observed_game import Fault
from submission.sandbox.causes import of_late_move
from tests.helpers.archives import archive
from tests.helpers.checks import (
    FIRST_FREE,
    GOOD,
    check_file,
    check_source,
    first_fault,
    rows_of,
    text_of,
    told,
)
from tests.helpers.own_agent import own_agent
from tests.helpers.shell import Shell, printed
from tests.helpers.systems import needs_posix
from tests.helpers.trained_policies import policy_file

Check = Callable[..., CheckReport]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Checks a source; by default without the games that do not decide."""
    return partial(check_source, folder=tmp_path)


BAD: list[Any] = [
    (
        "INVALID",
        "column 7, which does not exist: columns run from 0 to 6",
        "def agent(o, c): return 7",
    ),
    ("ERROR", "is a command of notebooks", f"%%writefile submission.py\n{GOOD}"),
    ("ERROR", "is a command of notebooks", f"{GOOD}\n!pip install numba\n"),
    (
        "ERROR",
        "score (line 4, 3 arguments) and not agent (line 1)",
        f"{GOOD}\ndef score(board, mark, depth): return board[mark]\n",
    ),
    pytest.param(
        "TIMEOUT",
        "while the file was loaded, it had not finished after",
        f"import time; time.sleep(60)\n{GOOD}",
        marks=needs_posix,
    ),
    pytest.param(
        "TIMEOUT",
        "in move 2 on seat 1, a move took 0.8 s: over 0.2 s and over its bank",
        f"import time\ndef agent(obs, conf):\n    time.sleep(0.8)\n    return {FIRST_FREE}\n",
        marks=needs_posix,
    ),
]
"""A submission for each of Kaggle's statuses, and the cause that is told.

`test_isolation.py` has other causes; `test_kaggle_referee.py` compares statuses with Kaggle's own.
"""


@pytest.mark.parametrize(("status", "cause", "source"), BAD)
def test_bad_submissions_are_refused_with_status_and_cause(
    status: str, cause: str, source: str, check: Check
) -> None:
    limits = {"act_timeout": 0.2, "bank": 1, "memory": None} if status == "TIMEOUT" else {}
    report = check(source, **limits)
    fault = first_fault(report)
    assert not report.accepted
    assert cause in told(fault)
    assert fault.status == status


def test_a_sibling_is_named_and_may_come_in_an_archive(tmp_path: Path) -> None:
    tactics = b"def first_free(board, columns):\n    return board.index(0)\n"
    (tmp_path / "tactics.py").write_bytes(tactics)
    main = tmp_path / "main.py"
    main.write_text(f"import tactics\n{GOOD}")
    fault = first_fault(check_file(main))
    assert "the module tactics lies beside the submission" in fault.cause
    assert fault.lines == ("main.py, line 1, in <module>: import tactics",)
    members = ("main.py", main.read_bytes()), ("./tactics.py", tactics)
    assert check_file(archive(tmp_path / "submission.tar.gz", *members), pair_only=True).accepted


def test_an_import_in_a_move_of_what_is_packed_is_told_apart_from_a_missing_one(
    tmp_path: Path,
) -> None:
    """Kaggle's loader takes the folder off the search path once the file is loaded."""
    main = b"def agent(obs, conf):\n    import tactics\n    return tactics.COLUMN\n"
    members = ("main.py", main), ("tactics.py", b"COLUMN = 3\n")
    fault = first_fault(check_file(archive(tmp_path / "submission.tar.gz", *members)))
    assert "the module tactics is imported during a move" in fault.cause
    assert fault.mend == "import it at the top of main.py"
    assert fault.lines == ("main.py, line 2, in agent: import tactics",)


def test_a_syntax_error_without_a_line_shows_where_it_was_raised(check: Check) -> None:
    fault = first_fault(check("def agent(obs, conf):\n    raise SyntaxError('odd')\n"))
    assert fault.lines == ("submission.py, line 2, in agent: raise SyntaxError('odd')",)
    nul = first_fault(check(f"{GOOD}\n\0"))
    assert "null" in nul.cause
    assert nul.lines == ()


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("returned <object object>", "def agent(obs, conf):\n    return object()\n"),
        ("<function agent>", "def agent(obs, conf):\n    raise ValueError(agent)\n"),
        (
            "working/weights.bin",
            "import os\ndef agent(obs, conf):\n"
            "    return open(os.path.join(os.getcwd(), 'weights.bin')).read()\n",
        ),
    ],
)
def test_a_fault_that_two_games_show_is_told_once(check: Check, name: str, source: str) -> None:
    report = check(source)
    text = text_of(report)
    assert name in text
    assert text.count("To fix it: ") == 1
    assert "in 6x7x4 on seat 1" in text
    assert "in 6x7x4 on seat 2" in text


def test_the_same_time_out_is_told_once(check: Check) -> None:
    report = check("def agent(obs, conf):\n    return 9\n")
    late = [
        replace(game, fault=Fault("TIMEOUT", of_late_move(63 + number, 2).text, "be quick", "late"))
        for number, game in enumerate(report.games)
    ]
    text = text_of(replace(report, games=tuple(late)))
    assert "TIMEOUT: a move took 63.0 s: over 2 s and over its bank." in text
    assert text.count("TIMEOUT: ") == 1


def test_none_is_column_0_and_a_warning(check: Check) -> None:
    report = check(f"def agent(obs, conf):\n    return {FIRST_FREE} or None\n")
    assert report.accepted
    assert any("None, which Kaggle plays as column 0" in warning for warning in report.warnings)


def test_a_bundle_that_falls_back_is_a_warning(tmp_path: Path, check: Check) -> None:
    source = tmp_path / "my_agent.py"
    failing = "if state == env.initial_state():\n            raise KeyError('opening')"
    source.write_text(own_agent(body=failing))
    report = check(build_bundle("MyAgent", {}, source))
    assert report.accepted
    assert report.upload_command is not None
    moves = sum(game.moves for game in report.games)
    assert report.warnings == (
        f"in 2 of {moves} moves the agent gave no column that could be played, and a makeshift one "
        "was played instead: fix its search (KeyError: 'opening')",
    )


def test_what_plays_another_board_alone_is_not_to_be_submitted(
    tmp_path: Path, check: Check, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kaggle would take it, for its bundle answers; its agent plays 4 rows and 5 columns."""
    weights = policy_file(ConnectX(4, 5, inarow=4), tmp_path)
    note = "On Kaggle's board all its moves will be makeshift: this policy was trained for 4 rows"
    options = {"weights": weights}
    with monkeypatch.context() as patch:
        patch.setattr("submission.building.build_bundle", lambda *asked: "")  # not read
        assert note in repr(build("policy", **options))
        assert note not in repr(build("policy"))
        for search, without in (("mcts", True), ("alphabeta", True), ("alphazero", False)):
            left_out = "On Kaggle's board it searches without its network: this policy was trained"
            assert (left_out in repr(build(search, **options))) == without
        assert "network:" not in repr(build("mcts", weights="zero"))
    assert note in shell.run("build", "policy", "-O", f"weights={weights}").stdout
    report = check(build_bundle("policy", options), pair_only=True)
    assert report.accepted
    moves = sum(game.moves for game in report.games)
    assert report.makeshift == moves > 0
    assert report.upload_command is None
    said = f"Do not submit it yet: its agent chose only 0 of {moves} moves in the games that decide"
    assert said in text_of(report)


def test_each_move_that_falls_back_is_counted(check: Check) -> None:
    report = check(
        "import sys\ndef agent(obs, conf):\n"
        "    print('x' * 900, '; falling back', sep='', file=sys.stderr)\n"
        f"    return {FIRST_FREE}\n"
    )
    moves = sum(game.moves for game in report.games)
    assert report.warnings[0].startswith(f"in {moves} of {moves} moves the agent gave no column")


def test_a_column_that_both_seats_fill(check: Check) -> None:
    report = check("def agent(obs, conf):\n    return None\n")
    assert not report.accepted
    fault = report.games[2].fault
    assert fault is not None
    assert fault.status == "INVALID"
    assert told(fault).startswith(
        "in move 4 on seat 1, the agent returned None, which Kaggle plays"
    )
    left_out = "those that only warn were left out on purpose, by a patience of 0."
    assert f"8 of 11 games were not played: {left_out}" in text_of(report)


def test_games_without_time_are_told_apart_from_games_left_out(check: Check) -> None:
    """And memory may be written as a fraction."""
    report = check(GOOD, patience=0.001, memory=4e9)
    assert report.accepted
    assert rows_of(report)["imports"] == "only of Python's standard library"
    text = text_of(report)
    assert "there was no time left; give more with --patience SECONDS." in text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"patience": float("nan")}, "patience must be at least 0, not nan"),
        ({"patience": -1}, "patience must be at least 0, not -1"),
        ({"patience": "soon"}, "patience must be a number, not 'soon'"),
        ({"game_seconds": float("nan")}, "game_seconds must be at least 0, not nan"),
        ({"memory": float("inf")}, "memory must be finite, not inf"),
        ({"bank": float("inf")}, "bank must be at least 0 seconds and finite, not inf"),
    ],
)
def test_limits_that_are_none(check: Check, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        check(GOOD, **options)


def test_no_more_games_are_played_than_there_are_processors_that_may_be_used(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_threads(workers: int) -> NoReturn:
        raise RuntimeError(f"{workers} at a time")

    monkeypatch.setattr("submission.checking.check.CORES", 1)
    monkeypatch.setattr("submission.checking.check.ThreadPoolExecutor", no_threads)
    with pytest.raises(RuntimeError, match=r"^1 at a time$"):
        check(GOOD)


def test_a_source_that_cannot_be_parsed_has_unknown_imports(check: Check) -> None:
    report = check("import torch\ndef agent(obs, conf)\n    return 0\n")
    assert not report.accepted
    assert rows_of(report)["imports"] == "could not be read"
    assert rows_of(report)["standard library"] == "could not be read"
    assert "9 of 11 games were not played: the submission had failed." in text_of(report)


def test_other_sizes_only_warn(check: Check) -> None:
    source = (
        "import sys\n"
        "def agent(obs, conf):\n"
        "    print('size', conf.rows, '\\x1b[2J', file=sys.stderr)\n"
        "    return [c for c in range(7) if obs.board[c] == 0][-1]\n"
    )
    heard = []
    report = check(source, patience=60, on_progress=lambda *news: heard.append(news))
    assert report.accepted
    failed = [game.name for game in report.games if game.fault]
    assert failed == ["4x5x3 on seat 1", "4x5x3 on seat 2", "1x1x1 on seat 1"]
    assert [(done, total) for done, total, _ in heard] == [(n, 11) for n in range(1, 12)]
    assert {name for *_, name in heard} == {game.name for game in report.games}
    text = text_of(report)
    assert "were not played" not in text
    assert str(report.upload_command) in text
    like_an_option = text_of(replace(report, path="-agent.py"))
    assert "kaggle competitions submit -c connectx -f ./-agent.py -m" in like_an_option
    assert "size 6 \N{REPLACEMENT CHARACTER}[2J" in text
    assert "Warning, ERROR in 1x1x1 on seat 1: IndexError: list index out of range; corr" in text
    assert "File " not in text


def test_the_report_of_a_good_submission(tmp_path: Path) -> None:
    path = tmp_path / "my submission.py"
    path.write_text(
        "import math\nimport time\nimport numpy.random\ntime.sleep(0.3)\n"
        f"def my_agent(obs, conf):\n    time.sleep(0.02)\n    return {FIRST_FREE}\n"
        + "#"
        * 5_000_000
    )
    report = check_submission(path, act_timeout=0.25, bank=3, patience=0)
    assert report.accepted
    assert report.agent == "my_agent (line 5, 2 arguments)"
    assert report.standard_imports == ("math", "time")
    assert report.other_imports == ("numpy",)
    assert report.size == path.stat().st_size
    assert report.timing is not None
    timing = report.timing
    assert 0.3 <= timing.loading < timing.first_move == timing.longest
    assert timing.longest_later is not None
    assert 0.02 <= timing.longest_later < timing.first_move
    assert rows_of(report)["longest later move"] == f"{timing.longest_later:.3f} s"
    assert "\N{HORIZONTAL ELLIPSIS}" not in printed(report.tables(), 40), "nothing is cut off"
    assert 0.02 <= timing.mean < timing.percentile_99 <= timing.longest
    assert timing.first_move - 0.25 <= timing.bank_taken + 1e-6
    assert timing.bank_taken <= timing.bank_of_full_game
    assert timing.bank_left == 3 - timing.bank_of_full_game
    assert any("5.0 MB is large" in warning for warning in report.warnings)
    assert report.upload_command == (
        f"kaggle competitions submit -c connectx -f '{path}' -m \"MESSAGE\""
    )
    data = json.loads(json.dumps(report.to_dict()))
    assert (data["verdict"], data["accepted"]) == ("accepted", True)
    assert data["timing"]["bank_taken"] == timing.bank_taken
    assert data["games"][2]["name"] == "6x7x4 against itself"


def test_ctrl_c_ends_the_games(check: Check) -> None:
    waits = "time.sleep(600 if obs.mark == 2 else 0)"
    source = f"import time\ndef agent(obs, conf):\n    {waits}\n    return {FIRST_FREE}\n"

    def interrupt(done: int, total: int, name: str) -> None:
        raise KeyboardInterrupt

    began = monotonic()
    with pytest.raises(KeyboardInterrupt):
        check(source, patience=60, on_progress=interrupt)
    assert monotonic() - began < 30
