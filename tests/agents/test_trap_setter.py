"""Traps in a game: the opponent is recognised, and errs more often than against exact play.

A trap in words: what each reply leaves, against full minimax, and a sentence for each case.
"""

import pickle
from math import inf
from random import Random
from threading import Event

import pytest

from agents import Agent, PerfectAgent, RandomAgent, make_agent, perfect
from agents.agent import Clock, TimeUp
from agents.compiled.compilation import Compilation, Patience
from agents.perfect import RESISTANCES
from agents.solver.solver import Solver
from agents.traps.likely_replies import Judge
from agents.traps.told_choice import ToldTrap, told_trap
from agents.traps.trap_setter import DEPTHS, DEPTHS_IN_PYTHON, TrapSetter, WatchedGame
from agents.traps.trap_tree import Turn
from envs import BoardState, ConnectFour, ConnectX, state_from_moves
from tests.helpers.brute_force import BruteForce
from tests.helpers.quick_agents import end_of_game, points
from tests.helpers.strategies import quiet_game, random_game

ENV = ConnectFour()
SOLVER = Solver(ENV)


def replies_of(agent: Agent, number: int, seed: int) -> list[tuple[BoardState, int]]:
    """Positions of random games, and what an agent plays there."""
    rng, replies = Random(seed), list[tuple[BoardState, int]]()
    while len(replies) < number:
        state = state_from_moves(ENV, quiet_game(ENV, rng.randint(6, 16), rng))
        replies.append((state, agent.act(ENV, state)))
    return replies


@pytest.mark.parametrize("depth", [2, 4, 6])
def test_who_looks_so_far_ahead_is_recognised(depth: int) -> None:
    opponent = make_agent("alphabeta", depth=depth, time_limit=None, weights=None)
    setter = TrapSetter(Judge(SOLVER))
    prior = setter.mixture.weights[DEPTHS.index(depth)]
    setter.watch(replies_of(opponent, 12, seed=depth), Clock())
    weights = setter.mixture.weights
    assert weights[DEPTHS.index(depth)] == max(weights) > prior


def test_what_is_known_of_a_game_is_learnt_once_and_forgotten_after_it() -> None:
    opponent = make_agent("alphabeta", depth=4, time_limit=None, weights=None)
    replies = replies_of(opponent, 6, seed=7)
    setter, other = TrapSetter(Judge(SOLVER)), TrapSetter(Judge(SOLVER))
    prior = setter.mixture.weights
    for known in range(len(replies) + 1):
        setter.watch(replies[:known], Clock())
    other.watch(replies, Clock())
    assert setter.mixture.weights == pytest.approx(other.mixture.weights)
    setter.watch(replies[3:4], Clock())
    other = TrapSetter(Judge(SOLVER))
    other.watch(replies[3:4], Clock())
    assert setter.mixture.weights == pytest.approx(other.mixture.weights)
    setter.watch([], Clock())
    assert setter.mixture.weights == prior


def test_opponents_see_farther_as_soon_as_their_search_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the middle of a game of a bundle, which compiles beside it."""
    patience, goes_on = Patience(), Event()
    patience.compile_beside_games()
    monkeypatch.setattr("agents.compiled.compilation.PATIENCE", patience)
    compilation = Compilation("a test", lambda: goes_on.wait(60))
    monkeypatch.setattr("agents.alpha_beta_agent.alpha_beta_on", lambda *_: compilation)
    setter = TrapSetter(Judge(SOLVER))
    replies = replies_of(make_agent("greedy"), 2, seed=1)
    setter.watch(replies[:1], Clock())
    assert len(setter.mixture.models) == len(DEPTHS_IN_PYTHON)
    goes_on.set()
    patience.allow(60)
    setter.watch(replies, Clock())
    everything = TrapSetter(Judge(SOLVER))
    everything.watch(replies, Clock())
    assert setter.mixture.weights == everything.mixture.weights
    assert len(setter.mixture.weights) == len(DEPTHS)


def test_without_time_the_first_move_is_taken() -> None:
    setter = TrapSetter(Judge(SOLVER))
    state = state_from_moves(ENV, "44444")
    assert setter.best(state, Turn(-18, (5, 1, 3)), Clock(0)) == 5
    setter.watch([(ENV.initial_state(), 3)], Clock(0))
    assert setter.mixture.weights == TrapSetter(Judge(SOLVER)).mixture.weights


def test_the_game_is_followed_and_another_one_noticed() -> None:
    game = WatchedGame()
    state = state_from_moves(ENV, "4")
    game.see(ENV, state)
    assert game.replies == []
    game.play(ENV, state, 2)
    left = ENV.get_next_state(state, 2)
    for _ in range(2):  # whoever asks for the same position again has told nothing new
        state = ENV.get_next_state(left, 5)
        game.see(ENV, state)
        assert game.replies == [(left, 5)]
    game.play(ENV, state, 0)
    game.see(ENV, state_from_moves(ENV, "1"))
    assert game.replies == []


@pytest.mark.thorough
def test_traps_gain_points_from_lost_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a search of four plies, which errs where a loss lies deeper; no clock ends a move."""
    for limit in ("LATEST_TIE", "TIE_SECONDS", "TRAP_SECONDS"):
        monkeypatch.setattr(perfect, limit, inf)
    monkeypatch.setattr(perfect, "TRAP_TRIALS", 20)
    opponent = make_agent("alphabeta", depth=4, time_limit=None, weights=None)
    lost = lost_positions(14, wanted=4)
    gained = {}
    for resistance in RESISTANCES:
        agent = PerfectAgent(time_limit=None, threads=1, resistance=resistance)
        gained[resistance] = sum(
            points(ENV, agent, opponent, state.player, state) for state in lost
        )
    assert gained["traps"] > gained["longest"]


def lost_positions(plies: int, wanted: int) -> list[BoardState]:
    """Positions of random quiet games that are lost for the player to move."""
    rng, lost = Random(1), list[BoardState]()
    while len(lost) < wanted:
        state = state_from_moves(ENV, quiet_game(ENV, plies, rng))
        if SOLVER.outcome(state) == -1:
            lost.append(state)
    return lost


def test_on_other_boards_traps_are_set_too() -> None:
    """Player 2 of 4 rows and 4 columns with 3 in a row is lost, and wins against random play."""
    env, won = ConnectX(4, 4, 3), 0
    for seed in range(10):
        state = end_of_game(env, RandomAgent(seed), PerfectAgent(time_limit=0.5))
        won += env.winner(state) == 2
    assert won >= 5


def test_an_agent_that_has_set_traps_can_be_pickled() -> None:
    """As an opponent of environments that are copied."""
    agent = PerfectAgent(time_limit=0.5, traps=None, table_megabytes=1)
    state = state_from_moves(ENV, "433")
    column = agent.act(ENV, state)
    assert pickle.loads(pickle.dumps(agent)).act(ENV, state) == column


def test_a_move_that_loses_at_once_is_no_trap() -> None:
    """Somebody who plays just anything might overlook the win; nobody else does."""
    env = ConnectX(3, 3, 3)
    state = BoardState(mover=65, mask=369, player=2, won=False)
    scores = Solver(env, table_megabytes=1).scores(state)
    assert {column: bounds.lower for column, bounds in scores.items()} == {0: -2, 2: -1}
    agent = PerfectAgent(time_limit=None, table_megabytes=1)
    assert agent.act(env, state) == 2


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
