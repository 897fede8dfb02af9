"""The opponent that makes games long, so that they show what a full one takes of the bank."""

from collections.abc import Callable
from random import Random

import pytest

from envs import ConnectFour, TicTacToe
from envs.board import BoardGame
from submission.checking.game_watch import Chooser, lasting_opponent
from tests.helpers.bitbully_judge import Judge

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
def test_a_perfect_player_needs_all_its_stones(opponent: Chooser, seat: int) -> None:
    """By BitBully's scores the first player wins with its last stone, on the 41st ply."""
    judge = Judge()

    plies = length(opponent, seat, lambda played: judge.best_moves(played)[0])
    assert plies >= 37  # the opponent has a second for each of its moves


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
    game: BoardGame = TicTacToe()
    assert lasting_opponent(game, random_choice) is random_choice
