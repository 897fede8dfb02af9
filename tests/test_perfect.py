"""The perfect agent against BitBully, an independent solver, move by move."""

from random import Random
from typing import Any

import pytest

from agents import Agent, PerfectAgent, RandomAgent, make_agent
from agents.clock import Clock
from agents.exact.exact_moves import ExactMoves
from agents.exact.solver import Solver
from agents.perfect import hardest_to_answer
from envs import BoardState, ConnectFour, ConnectX, TicTacToe, state_from_moves
from tests.bitbully_judge import Judge
from tests.brute_force import BruteForce
from tests.published_positions import published_positions
from tests.test_solver import quiet_game

CONNECT_FOUR = ConnectFour()


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge()


@pytest.fixture(scope="module")
def perfect() -> PerfectAgent:
    return PerfectAgent()


def play(first: Agent, second: Agent) -> list[int]:
    """The columns of a whole game."""
    state, moves = CONNECT_FOUR.initial_state(), list[int]()
    while CONNECT_FOUR.get_available_actions(state):
        player = first if state.player == 1 else second
        moves.append(player.act(CONNECT_FOUR, state, 2.0))
        state = CONNECT_FOUR.get_next_state(state, moves[-1])
    return moves


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("seat", [1, 2])
def test_no_move_of_a_game_can_be_bettered(
    seat: int, seed: int, perfect: PerfectAgent, judge: Judge
) -> None:
    """Against opponents that lead the game into all kinds of positions."""
    opponent = RandomAgent(seed) if seed < 3 else make_agent("mcts", simulations=200, seed=seed)
    moves = play(*((perfect, opponent) if seat == 1 else (opponent, perfect)))
    for ply in range(seat - 1, len(moves), 2):
        assert moves[ply] in judge.best_moves(moves[:ply]), (moves, ply)


@pytest.mark.slow
def test_a_third_of_the_time_is_enough(judge: Judge) -> None:
    """Kaggle's machine may be three times slower; the hardest positions come after the book."""
    agent = PerfectAgent(time_limit=2.25 / 3)
    rng = Random(1)
    for game in range(200):
        moves = quiet_game(CONNECT_FOUR, 8 + game % 6, rng)
        state = state_from_moves(CONNECT_FOUR, moves)
        played = [int(column) - 1 for column in moves]
        assert agent.act(CONNECT_FOUR, state) in judge.best_moves(played), moves


def test_against_itself_the_first_player_wins_with_the_last_stone_but_one(
    perfect: PerfectAgent,
) -> None:
    """J. Allen and V. Allis, 1988: the first player wins; on the 41st ply, as J. Tromp found."""
    moves = play(perfect, perfect)
    assert len(moves) == 41
    assert moves[0] == 3


@pytest.mark.parametrize("name", ["end-easy", "middle-easy", "middle-medium", "begin-easy"])
def test_published_scores_are_kept(name: str, perfect: PerfectAgent) -> None:
    """After the move, the opponent's score is the position's with a minus."""
    solver = Solver(CONNECT_FOUR)
    for moves, score in published_positions(name, 100):
        state = state_from_moves(CONNECT_FOUR, moves)
        result = perfect.search(CONNECT_FOUR, state)
        child = CONNECT_FOUR.get_next_state(state, result.action)
        left = solver.known(child) or solver.bounds(child)
        assert left.for_opponent().lower == score, moves
        assert result.value == ((score > 0) - (score < 0)) * (1 if state.player == 1 else -1)
        assert result.action in result.action_values


def test_of_equal_moves_the_one_with_most_mistakes_to_make() -> None:
    env = ConnectX(4, 4, 3)
    exact_moves = ExactMoves(Solver(env))
    truth = BruteForce(env)
    tried = 0
    for seed in range(30):
        state = env.initial_state()
        rng = Random(seed)
        for _ in range(rng.randint(2, 8)):
            if env.get_available_actions(state):
                state = env.get_next_state(state, rng.choice(env.get_available_actions(state)))
        if not env.get_available_actions(state):
            continue
        score = exact_moves.solver.score(state)
        best = exact_moves.best(state, score, Clock(), Clock())
        assert sorted(best) == equally_good(env, truth, state)
        if len(best) > 1:
            tried += 1
            chosen = hardest_to_answer(exact_moves, state, score, best, Clock())
            shares = {action: share_of_mistakes(env, truth, state, action) for action in best}
            assert shares[chosen] == max(shares.values())
    assert tried > 5


def merit(env: ConnectX, truth: BruteForce[BoardState, int], state: BoardState, action: int) -> Any:
    """What an action leads to, to be compared: the result, then how soon."""
    sign = 1 if state.player == 1 else -1
    value = sign * truth.action_value(state, action)
    # Wins and losses a ply apart have the same score only where the winner has as many stones.
    plies = truth.plies_after(state, action)
    stones_left = (env.rows * env.columns - state.mask.bit_count() - plies) // 2
    return value, value * stones_left


def equally_good(env: ConnectX, truth: BruteForce[BoardState, int], state: BoardState) -> list[int]:
    actions = env.get_available_actions(state)
    merits = {action: merit(env, truth, state, action) for action in actions}
    return [action for action in actions if merits[action] == max(merits.values())]


def share_of_mistakes(
    env: ConnectX, truth: BruteForce[BoardState, int], state: BoardState, action: int
) -> float:
    child = env.get_next_state(state, action)
    replies = env.get_available_actions(child)
    if not replies:
        return 2.0  # the game is over, and so the best that could be had
    return 1 - len(equally_good(env, truth, child)) / len(replies)


def test_other_boards_and_games_are_played_as_well_as_time_allows(perfect: PerfectAgent) -> None:
    for env in (ConnectX(6, 8), ConnectX(9, 9), ConnectX(7, 8, 5), ConnectX(3, 3, 3), TicTacToe()):
        agent = PerfectAgent(time_limit=0.3)
        agent.act(env, env.initial_state())  # compiles
        clock = Clock()
        assert agent.act(env, env.initial_state()) in env.get_available_actions(env.initial_state())
        assert clock.elapsed < 2
