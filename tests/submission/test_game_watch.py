"""How long a game is played, what a full one would take, and the opponent that makes games long."""

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from random import Random
from typing import Any

import pytest

from envs import ConnectFour, TicTacToe
from submission.arena.game_record import GameConfiguration
from submission.checking.game_plan import GamePlan, Limits, Seat
from submission.checking.game_watch import (
    Chooser,
    doubtful_seats,
    has_shown_enough,
    lasting_opponent,
    of_full_game,
    overtimes,
)
from submission.sandbox.move import Move
from tests.helpers.bitbully_judge import Judge

LIMITS = Limits(act_timeout=2, bank=60, run_timeout=1200, memory=2**30)

PLAN = GamePlan(GameConfiguration(), (1,), seconds=10, decides=True)
LONG = replace(PLAN, is_long=True)


class Game:
    """The moves of a game, and the time since its first one."""

    def __init__(self, plan: GamePlan = PLAN) -> None:
        self.moves: dict[Seat, list[Move]] = {seat: [] for seat in plan.seats}
        self._plan = plan
        self._since_first = -inf

    def move(self, seconds: float, seat: Seat = 1) -> None:
        self._since_first = max(0.0, self._since_first + seconds)
        self.moves[seat].append(Move(0, seconds))

    def has_shown_enough(self, later: float = 0.0) -> bool:
        return has_shown_enough(self.moves, self._plan, LIMITS, self._since_first + later)


@pytest.mark.parametrize(
    ("earlier", "bank_left"), [([], 60), ([1.9, 0.1], 60), ([5.0, 12.0], 47), ([50.0, 20.0], -6)]
)
def test_a_move_takes_from_its_seats_bank_what_is_over_its_limit(
    earlier: list[float], bank_left: float
) -> None:
    game = Game(replace(PLAN, seats=(1, 2)))
    game.move(32, seat=2)
    for seconds in earlier:
        game.move(seconds)
    assert 60 - sum(overtimes(game.moves[1], act_timeout=2)) == pytest.approx(bank_left)
    assert overtimes(game.moves[2], act_timeout=2) == [30]


@pytest.mark.parametrize(
    ("pace", "enough"),
    [
        (2.0, True),
        (4.7, True),  # 2.7 s of the bank a move: 20 moves after the first take 54 s
        (5.1, False),  # 3.1 s: 62 s
    ],
)
def test_a_long_game_goes_on_as_long_as_the_bank_could_run_out(pace: float, enough: bool) -> None:
    game, other = Game(LONG), Game()
    for each in (game, other):
        each.move(0.1)
        each.move(pace)
        assert not each.has_shown_enough()
    assert game.has_shown_enough(10) is enough
    assert other.has_shown_enough(10), "a long game follows it"
    assert doubtful_seats(other.moves, PLAN, LIMITS) == ([] if enough else [1])


def test_the_first_move_says_nothing_of_the_pace_but_takes_from_the_bank() -> None:
    game = Game(LONG)
    game.move(20)  # with the loading of the file
    assert not game.has_shown_enough(11)
    game.move(4.0)  # at most 20 moves that take 2 s, besides the 18 s that are taken
    assert game.has_shown_enough(11)
    game.move(4.3)  # 2.3 s for 19 more moves and those two: 18 + 2 + 2.3 + 19 * 2.3 > 60
    assert not game.has_shown_enough(11)


def test_games_that_do_not_decide_are_stopped_in_any_case() -> None:
    game = Game(replace(PLAN, decides=False))
    assert not game.has_shown_enough(10**6), "no game before its first move has ended"
    game.move(30)
    assert not game.has_shown_enough(9.9)
    assert game.has_shown_enough(10.1)


def test_the_seats_of_a_full_board() -> None:
    small = replace(PLAN, rules=GameConfiguration(rows=3, columns=3))
    assert [plan.most_moves(seat) for plan in (PLAN, small) for seat in (1, 2)] == [21, 21, 5, 4]


@pytest.mark.parametrize(
    ("seen", "late"),
    [
        ([5.5] * 10, 18),  # 3.5 s of the bank a move: 17 leave half a second
        ([7.0] * 10, 13),
        ([4.8] * 10, None),  # 58.8 s in 21 moves
        ([9.0] * 5 + [2.0] * 5, None),  # deep in the opening, fast when few cells are left
        ([1.9] * 6 + [8.0] * 4, 18),  # 24 s are taken, of the later half 4.8 s a move
        ([40.0] + [1.5] * 9, None),  # compiled in its first move
        ([60.0, 3.0, 1.0, 1.0, 2.5], 8),  # half a second is left, and a quarter goes each time
        ([2.0], None),
    ],
)
def test_unseen_moves_are_as_slow_as_the_later_seen_ones(
    seen: list[float], late: int | None
) -> None:
    moves = [Move(0, seconds) for seconds in seen]
    cause = of_full_game(moves, 21, LIMITS)
    assert (cause and cause.text.partition(":")[0]) == (
        late and f"a full game would time out at move {late}"
    )


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("act_timeout", 0, "above 0 seconds, not 0"),
        ("run_timeout", 0, "above 0 seconds, not 0"),
        ("bank", -1, "at least 0 seconds and finite, not -1"),
        ("bank", nan, "at least 0 seconds and finite, not nan"),
        ("memory", 0, "at least 536870912 bytes, not 0"),
        *(("speed", speed, "above 0 and at most 1, not") for speed in (0, -1, 1.01, nan, inf)),
    ],
)
def test_limits_that_leave_nothing(name: str, value: float, sentence: str) -> None:
    limits: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=f"^{name} must be {sentence}"):
        replace(LIMITS, **limits)


# --- the opponent that prolongs a game

ENV = ConnectFour()

Plays = Callable[[list[int]], int]


def random_choice(played: object, legal: object) -> int:
    raise AssertionError("the solver takes this board")


@pytest.fixture(scope="module")
def opponent() -> Chooser:
    return lasting_opponent(ENV, random_choice)


def length(opponent: Chooser, seat: int, plays: Plays) -> int:
    """The plies of a game against who sits on a seat."""
    state, played = ENV.initial_state(), list[int]()
    while legal := ENV.get_available_actions(state):
        column = plays(played) if state.player == seat else opponent(played, legal)
        played.append(column)
        state = ENV.get_next_state(state, column)
    return len(played)


@pytest.mark.parametrize("seat", [1, 2])
def test_a_perfect_player_needs_all_its_stones(
    opponent: Chooser, seat: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By BitBully's scores the first player wins with its last stone, on the 41st ply."""
    monkeypatch.setattr("submission.checking.game_watch.SOLVER_SECONDS", 60.0)
    judge = Judge()

    assert length(opponent, seat, lambda played: judge.best_moves(played)[0]) >= 41


@pytest.mark.parametrize("seat", [1, 2])
def test_a_game_against_a_weak_player_is_far_longer_than_against_random(
    opponent: Chooser, seat: int
) -> None:
    def first_free(played: list[int]) -> int:
        return next(column for column in range(7) if played.count(column) < 6)

    rng = Random(1)
    by_chance = [
        length(lambda played, legal: rng.choice(legal), seat, first_free) for _ in range(20)
    ]
    assert length(opponent, seat, first_free) > 2 * sum(by_chance) / 20


def test_it_wins_only_where_nothing_else_is_left(opponent: Chooser) -> None:
    rng, declined = Random(3), 0
    while declined < 10:
        state, played = ENV.initial_state(), list[int]()
        while len(played) < 26 and (legal := ENV.get_available_actions(state)):
            wins = [column for column in legal if ENV.reward(state, column)]
            if len(played) > 18 and wins and len(wins) < len(legal):
                assert opponent(played, legal) not in wins
                declined += 1
            played.append(rng.choice(legal))
            state = ENV.get_next_state(state, played[-1])


def test_another_game_is_left_to_who_plays_otherwise() -> None:
    assert lasting_opponent(TicTacToe(), random_choice) is random_choice
