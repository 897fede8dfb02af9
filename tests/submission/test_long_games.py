"""Files that run out of their bank of time in long games, and others that do not.

The players are no processes here: they tell the seconds that they would have taken. In long games
both sides play the columns of a known draw.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from envs import BoardGame
from submission.checking import check, observed_game
from submission.checking.check import check_submission
from submission.checking.check_report import CheckReport, CheckVerdict
from submission.checking.game_watch import Chooser
from submission.sandbox.messages import Choice, Loaded
from submission.sandbox.move import Failure, Move
from tests.helpers.checks import GOOD, first_fault, text_of
from tests.helpers.game_records import DRAW
from tests.helpers.systems import needs_throttling

Agent = Callable[[Mapping[str, Any]], Move]


class ToldPlayer:
    """A player whose moves a function tells, with their seconds."""

    ready, hidden, is_loading, has_ended = None, (), False, False

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        choice = Choice("agent", "function", 1, 2, "main.py", is_own=True)
        self.loaded = Loaded(0.0, choice)

    def act(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Move:
        return self._agent(observation)

    def finish(self) -> str:
        return ""


def scripted_opponent(env: BoardGame, otherwise: Chooser) -> Chooser:
    return lambda played, legal: scripted(len(played), legal)


def scripted(step: int, legal: Sequence[int]) -> int:
    return DRAW.columns[step] if DRAW.columns[step] in legal else legal[0]


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., CheckReport]:
    """Checks a file in place of which agents play that a function makes, one for each game."""
    file = tmp_path / "mine.py"
    file.write_text(GOOD)

    def check_of(
        make_agent: Callable[[], Agent],
        lasting: Callable[[BoardGame, Chooser], Chooser] = scripted_opponent,
        **options: Any,
    ) -> CheckReport:
        class ToldLauncher:
            def __init__(self, python: Path | None) -> None:
                pass

            @contextmanager
            def start_player(self, *job: object, **limits: object) -> Iterator[ToldPlayer]:
                yield ToldPlayer(make_agent())

            def close(self) -> None:
                pass

        monkeypatch.setattr(check, "Launcher", ToldLauncher)
        monkeypatch.setattr(observed_game, "lasting_opponent", lasting)
        return check_submission(file, game_seconds=0, patience=0, **options)

    return check_of


def column_in(observation: Mapping[str, Any]) -> int:
    legal = [column for column in range(7) if observation["board"][column] == 0]
    return scripted(observation["step"], legal)


def taking(seconds: Callable[[Mapping[str, Any]], float]) -> Callable[[], Agent]:
    """An agent that takes these seconds for a move."""
    return lambda: lambda observation: Move(column_in(observation), seconds(observation))


def long_games(report: CheckReport) -> list[int]:
    """How many moves were made in each."""
    return [game.moves for game in report.games if game.name.endswith(", a long game")]


def test_the_move_at_which_a_full_game_times_out(checked: Callable[..., CheckReport]) -> None:
    """By the clock of Kaggle: 3.5 s of its 60 s of overtime go with each move."""
    report = checked(taking(lambda observation: 5.5))
    assert report.verdict is CheckVerdict.REFUSED
    assert report.upload_command is None
    assert [game.fault for game in report.games[:2]] == [None, None]
    assert long_games(report) == [18, 18]
    assert first_fault(report).status == "TIMEOUT"
    assert first_fault(report).cause.startswith("a full game would time out at move 18: ")
    assert "9 of 13 games were not played: the submission had failed." in text_of(report)


@pytest.mark.parametrize(
    "seconds",
    [
        lambda observation: 5.5 if observation["remainingOverageTime"] > 12 else 1,
        lambda observation: 2 + observation["remainingOverageTime"] / 8,
    ],
    ids=["some of it", "a share"],
)
def test_a_file_that_plans_with_its_bank_is_accepted(
    seconds: Callable[[Mapping[str, Any]], float], checked: Callable[..., CheckReport]
) -> None:
    report = checked(taking(seconds))
    assert report.accepted, text_of(report)
    assert report.timing is not None
    assert report.timing.bank_of_full_game <= 60


@needs_throttling
def test_a_pair_of_slow_games_tells_it_too(checked: Callable[..., CheckReport]) -> None:
    report = checked(taking(lambda observation: 5.5), pair_only=True, speed=1 / 3)
    assert "a full game would time out at move 18" in first_fault(report).cause


def test_an_answer_to_an_unprepared_position_is_not_held_against_it(
    checked: Callable[..., CheckReport],
) -> None:
    """A long game that ends early goes on elsewhere; if that fails, what it has shown counts.

    The opponent plays at random, so that it does end early.
    """

    def make_agent(seconds: float) -> Callable[[], Agent]:
        def fresh() -> Agent:
            seen = [0] * 42

            def agent(observation: Mapping[str, Any]) -> Move:
                board = observation["board"]
                if any(before not in (0, now) for before, now in zip(seen, board, strict=True)):
                    return Move(None, 0.1, Failure("ERROR", "KeyError: the board", (), "mend"))
                seen[:] = board
                return Move(column_in(observation), seconds)

            return agent

        return fresh

    assert checked(make_agent(4.8), lambda env, otherwise: otherwise).accepted
    report = checked(make_agent(5.5), lambda env, otherwise: otherwise)
    guessed = [game.fault.cause for game in report.games if game.fault]
    pattern = r"a full game would time out at move 18: \d+ moves took .* 3.5 s each"
    assert len(guessed) == 2
    assert all(re.match(pattern, cause) for cause in guessed), guessed


def test_a_failure_in_a_long_game_is_a_failure(checked: Callable[..., CheckReport]) -> None:
    def agent(observation: Mapping[str, Any]) -> Move:
        failure = Failure("INVALID", "a full column", (), "mend")
        late = observation["step"] > 16
        return Move(column_in(observation), 5.0, failure if late else None)

    report = checked(lambda: agent)
    assert (first_fault(report).status, first_fault(report).cause) == ("INVALID", "a full column")


def test_a_fast_file_plays_no_long_game(checked: Callable[..., CheckReport]) -> None:
    report = checked(taking(lambda observation: 2.0))
    assert report.accepted
    assert long_games(report) == []
    assert report.planned == 11
