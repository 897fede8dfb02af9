"""A trap in words: what each reply leaves, against full minimax, and a sentence for each case."""

from random import Random

import pytest

from agents.agent import Clock, TimeUp
from agents.solver.solver import Solver
from agents.traps.told_choice import ToldTrap, told_trap
from envs import BoardState, ConnectFour, ConnectX
from tests.helpers.brute_force import BruteForce
from tests.helpers.strategies import random_game

BOARDS = [ConnectX(4, 4, 3), ConnectX(4, 4, 4)]


def trap_by_brute_force(
    env: ConnectX, truth: BruteForce[BoardState, int], state: BoardState, column: int
) -> ToldTrap | None:
    """The replies by their values alone."""
    child = env.get_next_state(state, column)
    replies = env.get_available_actions(child)
    sign = 1 if child.player == 1 else -1
    values = {reply: round(sign * truth.action_value(child, reply)) for reply in replies}
    if not values or max(values.values()) == -1:
        return None
    won, drawn, lost = (
        tuple(reply for reply in replies if values[reply] == value) for value in (1, 0, -1)
    )
    return ToldTrap(True, won, drawn, lost) if won else ToldTrap(False, drawn, (), lost)


def test_replies_are_counted_as_full_minimax_counts_them() -> None:
    """In won and drawn positions with and without mistakes, and where nothing is given away."""
    met = set[object]()
    for env in BOARDS:
        solver, truth, rng = Solver(env, plain=True), BruteForce(env), Random(1)
        for _ in range(15):
            game = random_game(env, rng)
            state = game[rng.randint(min(8, len(game) - 2), len(game) - 2)]
            for column in env.get_available_actions(state):
                told = told_trap(solver, state, column, Clock())
                assert told == trap_by_brute_force(env, truth, state, column)
                met.add(told and (told.is_won, bool(told.drawing), bool(told.losing)))
    won = {(True, drawing, losing) for drawing in (False, True) for losing in (False, True)}
    assert met == {None, (False, False, False), (False, False, True), *won}


TRAPS = [
    (ToldTrap(True, (3,), (0, 1, 2, 4, 5, 6), ()), "6 replies lose the win, 1 keeps it"),
    (ToldTrap(True, (0, 1, 2, 3, 4, 5), (6,), ()), "1 reply loses the win, 6 keep it"),
    (ToldTrap(True, (1,), (2, 3), (0, 4, 5, 6)), "2 replies only draw, 4 lose, 1 keeps the win"),
    (ToldTrap(True, (0, 1, 2, 3, 4), (5,), (6,)), "1 reply only draws, 1 loses, 5 keep the win"),
    (ToldTrap(True, (1, 2, 3), (), (0, 4, 5, 6)), "4 replies lose, 3 keep the win"),
    (ToldTrap(False, (0, 1, 2, 3, 4), (), (5, 6)), "2 replies lose, 5 keep the draw"),
    (ToldTrap(False, (11,), (), (6,)), "1 reply loses, 1 keeps the draw"),
]


@pytest.mark.parametrize(
    ("trap", "sentence"),
    [
        *((trap, f"sets a trap: {words}") for trap, words in TRAPS),
        (ToldTrap(True, (0, 1, 2), (), ()), "every reply keeps the win"),
        (ToldTrap(False, (0, 1), (), ()), "every reply keeps the draw"),
        (ToldTrap(False, (4,), (), ()), "the only reply keeps the draw"),
    ],
)
def test_each_case_has_its_words(trap: ToldTrap, sentence: str) -> None:
    assert trap.sentence == sentence


def test_time_that_is_up_ends_it() -> None:
    env = ConnectFour()
    with pytest.raises(TimeUp):
        told_trap(Solver(env, plain=True), env.initial_state(), 3, Clock(0.0))
    with pytest.raises(TimeUp):
        told_trap(Solver(env, plain=True), env.initial_state(), 3, Clock(0.05))
