"""Causes in plain words, from games that are written down here."""

import signal
from dataclasses import replace

import pytest
from submission.checking.diagnosis import Fault, diagnose
from submission.checking.exception_causes import Surroundings
from submission.checking.observed_game import (
    ChannelClosed,
    Choice,
    Died,
    Ended,
    Ending,
    Escaped,
    Failure,
    GamePlan,
    Move,
    ObservedGame,
    Overdue,
    Stopped,
    TooLong,
    Versions,
)

SURROUNDINGS = Surroundings(
    neighbours=frozenset({"tactics", "numbers"}),
    project_packages=frozenset({"agents"}),
    python="3.12.1",
    hidden=("/home/me/book.bin",),
    memory=3 * 2**30,
)

PLAN = GamePlan(6, 7, 4, (2,), act_timeout=2, seconds=10, decides=True)

MOVE = Move(seat=2, legal=(0, 1), seconds=0.1, type="int", action="1")


def game(ending: Ending, *moves: Move, failure: Failure | None = None) -> ObservedGame:
    return ObservedGame(
        plan=PLAN,
        versions=Versions("3.12.1", None, "2.0.2"),
        choice=Choice("agent", "function", 1, 2, "main.py", is_own=True),
        load_seconds=0.1,
        moves=moves or (MOVE,),
        is_loading=False,
        seat=None,
        hidden=(),
        failure=failure,
        ending=ending,
        stderr="",
    )


def fault(record: ObservedGame, doubt: str | None = None) -> Fault:
    found = diagnose(record, SURROUNDINGS, doubt)
    assert found is not None
    return found


def of_failure(kind: str, message: str = "", module: str | None = None, *lines: str) -> Fault:
    failure = Failure(kind, message, module, lines)
    return fault(game(Ended(("DONE", "ERROR")), failure=failure))


@pytest.mark.parametrize(
    "ending", [Stopped(), Ended(("DONE", "DONE")), Ended(("ERROR", "DONE"))], ids=str
)
def test_no_fault_of_the_submission(ending: Ending) -> None:
    assert diagnose(game(ending), SURROUNDINGS, doubt="a doubt") is None


@pytest.mark.parametrize(
    ("returned", "action", "cause"),
    [
        ("int", "6", "the agent returned column 6, which is full"),
        ("int", "7", "column 7, which does not exist: columns run from 0 to 6"),
        ("NoneType", "None", "None, which Kaggle plays as column 0, and that column is full"),
        ("bool", "True", "returned True, a bool, and Kaggle takes a plain int only"),
        ("numpy.int64", "np.int64(3)", "returned np.int64(3), a numpy.int64"),
    ],
)
def test_invalid_actions(returned: str, action: str, cause: str) -> None:
    move = replace(MOVE, type=returned, action=action)
    found = fault(game(Ended(("DONE", "INVALID")), move))
    assert found.status == "INVALID"
    assert cause in found.cause


@pytest.mark.parametrize(
    ("module", "cause"),
    [
        ("agents.mcts", "this project's"),
        ("tactics", "lies beside the submission"),
        ("torch.nn", "no module torch.nn here, though Kaggle's Python image has it"),
        ("sklearn", "no module sklearn here, though Kaggle's"),
        ("pachi_py", "no module pachi_py here, nor is it listed for Kaggle's"),
    ],
)
def test_missing_modules(module: str, cause: str) -> None:
    message = f"No module named {module!r}"
    assert cause in of_failure("ModuleNotFoundError", message, module).cause


def test_exceptions_keep_their_message_and_lines() -> None:
    found = of_failure("KeyError", "'board'", None, "main.py, line 3, in agent: obs['board']")
    assert found.cause == "KeyError: 'board'"
    assert found.when == "in move 1 on seat 2"
    assert found.lines == ("main.py, line 3, in agent: obs['board']",)


def test_files_of_kaggles_machine_are_told_from_missing_ones() -> None:
    path = "/kaggle_simulations/agent/weights.npy"
    assert "Kaggle's machine" in of_failure("FileNotFoundError", f"No such file: {path!r}").cause
    assert "a file is missing" in of_failure("FileNotFoundError", "No such file: 'w.npy'").cause


@pytest.mark.parametrize(
    ("ending", "status", "cause"),
    [
        (Died(3), "ERROR", "ended itself with exit status 3"),
        (Died(-signal.SIGKILL), "ERROR", "out of memory (it may use 3 GiB)"),
        (Died(-signal.SIGSEGV), "ERROR", "crashed (Segmentation fault)"),
        (Died(-signal.SIGTERM), "ERROR", "signal 15 (Terminated)"),
        (ChannelClosed(), "ERROR", "file descriptors"),
        (Overdue(63.21, "line 9, in search"), "TIMEOUT", "63 s (it was at line 9, in search)"),
        (TooLong(1200), "TIMEOUT", "the whole game took longer than 1200 s"),
        (Escaped(Failure("SystemExit", "", None, ())), "ERROR", "sys.exit"),
        (Ended(("DONE", "TIMEOUT")), "TIMEOUT", "0.1 s were taken"),
    ],
    ids=str,
)
def test_endings(ending: Ending, status: str, cause: str) -> None:
    found = fault(game(ending))
    assert found.status == status
    assert cause in found.cause


def test_a_doubtful_choice_comes_first_but_explains_no_time_out() -> None:
    doubt = "Kaggle takes helper and not agent"
    found = fault(game(Died(3)), doubt)
    assert found.cause.startswith(f"{doubt}; the process ended")
    assert "after everything else" in found.mend
    assert doubt not in fault(game(Overdue(63, None)), doubt).cause


def test_when_a_fault_shows() -> None:
    record = game(Died(3), MOVE, MOVE)
    assert fault(record).when == "in move 2 on seat 2"
    assert fault(replace(record, seat=2)).when == "in move 3 on seat 2"
    assert fault(replace(record, seat=2, is_loading=True)).when == "while the file was loaded"
    assert fault(replace(record, moves=())).when == "before its first move"
    assert fault(record) == fault(replace(record, seat=2))
