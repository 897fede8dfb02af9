"""How long a game is waited for, on a clock that the tests wind."""

from dataclasses import replace
from typing import Any

import pytest
from submission.checking.game_watch import GRACE, STEP_SECONDS, GameWatch, Limits
from submission.checking.observed_game import GamePlan

LIMITS = Limits(act_timeout=2, bank=60, run_timeout=1200, memory=2**30)

PLAN = GamePlan(6, 7, 4, (1,), act_timeout=2, seconds=10, decides=True)


class Game:
    """A watch and its clock."""

    def __init__(self, plan: GamePlan = PLAN, limits: Limits = LIMITS) -> None:
        self.now = 100.0
        self.watch = GameWatch(plan, limits, self.now)
        versions = {"python": "3.12.1", "numba": None, "numpy": "2.0.2"}
        self.hear("ready", versions=versions)

    def hear(self, event: str, **fields: Any) -> None:
        self.watch.hear({"event": event, **fields}, self.now)

    def begin(self, seat: int = 1) -> None:
        self.hear("move", seat=seat, legal=[0, 1])

    def move(self, seconds: float, seat: int = 1) -> None:
        self.begin(seat)
        self.now += seconds
        self.hear("moved", seconds=seconds, type="int", action="0")

    def overdue_after(self) -> float:
        """Seconds from now after which the step is overdue, to a tenth."""
        tenths = (tenth for tenth in range(2000) if self.watch.is_overdue(self.now + tenth / 10))
        return next(tenths) / 10


@pytest.mark.parametrize(
    ("earlier", "bank_left"), [([], 60), ([1.9, 0.1], 60), ([5.0, 12.0], 47), ([50.0, 20.0], 0)]
)
def test_a_move_may_take_its_limit_and_the_bank(earlier: list[float], bank_left: float) -> None:
    game = Game()
    for seconds in earlier:
        game.move(seconds)
    game.begin()
    assert game.overdue_after() == pytest.approx(2 + bank_left + GRACE, abs=0.11)


def test_the_banks_of_the_seats_are_apart() -> None:
    game = Game(replace(PLAN, seats=(1, 2)))
    game.move(32, seat=1)
    game.begin(seat=2)
    assert game.overdue_after() == pytest.approx(62 + GRACE, abs=0.11)


def test_between_moves_the_patience_is_short() -> None:
    game = Game()
    game.move(1)
    assert game.overdue_after() == pytest.approx(STEP_SECONDS, abs=0.11)


@pytest.mark.parametrize(
    ("pace", "enough"),
    [
        (2.0, True),
        (4.7, True),  # 2.7 s of the bank a move: 20 moves after the first take 54 s
        (5.1, False),  # 3.1 s: 62 s
    ],
)
def test_a_game_goes_on_as_long_as_the_bank_could_run_out(pace: float, enough: bool) -> None:
    game = Game()
    game.move(0.1)
    game.move(pace)
    assert not game.watch.has_shown_enough(game.now)
    assert game.watch.has_shown_enough(game.now + 10) is enough


def test_the_first_move_says_nothing_of_the_pace_but_takes_from_the_bank() -> None:
    game = Game()
    game.move(20)  # with the loading of the file
    assert not game.watch.has_shown_enough(game.now + 11)
    game.move(4.0)  # at most 20 moves that take 2 s, besides the 18 s that are taken
    assert game.watch.has_shown_enough(game.now + 11)
    game.move(4.3)  # 2.3 s for 19 more moves and those two: 18 + 2 + 2.3 + 19 * 2.3 > 60
    assert not game.watch.has_shown_enough(game.now + 11)


def test_games_that_do_not_decide_are_stopped_in_any_case() -> None:
    game = Game(replace(PLAN, decides=False))
    game.move(30)
    assert not game.watch.has_shown_enough(game.now + 9.9)
    assert game.watch.has_shown_enough(game.now + 10.1)


def test_no_game_is_stopped_in_a_move_beyond_its_limit() -> None:
    game = Game()
    game.move(0.1)
    game.move(0.1)
    game.now += 11
    game.begin()
    assert game.watch.has_shown_enough(game.now + 1.9)
    assert not game.watch.has_shown_enough(game.now + 2.1)


@pytest.mark.parametrize(
    "change",
    [{"act_timeout": 0}, {"bank": -1}, {"run_timeout": 0}, {"memory": 0}, {"bank": float("nan")}],
)
def test_limits_that_leave_nothing(change: dict[str, float]) -> None:
    values: dict[str, Any] = {"act_timeout": 2, "bank": 60, "run_timeout": 9, "memory": 2**30}
    with pytest.raises(ValueError, match=next(iter(change))):
        Limits(**{**values, **change})
