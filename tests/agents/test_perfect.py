"""The perfect agent against BitBully, an independent solver, move by move."""

from math import exp
from random import Random
from typing import Any

import pytest

from agents import Agent, MinimaxAgent, PerfectAgent, RandomAgent, make_agent
from agents.agent import Clock
from agents.solver.exact_moves import ExactMoves
from agents.solver.prospects import Prospects, promise
from agents.solver.solver import Solver
from envs import BoardState, ConnectFour, ConnectX, TicTacToe, state_from_moves
from tests.helpers.bitbully_judge import Judge
from tests.helpers.brute_force import BruteForce, equally_good
from tests.helpers.published_positions import published_positions
from tests.helpers.strategies import WIDE_BOARDS, quiet_game, random_game

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
            chosen = exact_moves.hardest_to_answer(state, score, best, Clock())
            shares = {action: share_of_mistakes(env, truth, state, action) for action in best}
            assert shares[chosen] == max(shares.values())
    assert tried > 5


def share_of_mistakes(
    env: ConnectX, truth: BruteForce[BoardState, int], state: BoardState, action: int
) -> float:
    child = env.get_next_state(state, action)
    replies = env.get_available_actions(child)
    if not replies:
        return 2.0  # the game is over, and so the best that could be had
    return 1 - len(equally_good(env, truth, child)) / len(replies)


def test_other_boards_and_games_are_played_as_well_as_time_allows(perfect: PerfectAgent) -> None:
    boards = (ConnectX(6, 8), WIDE_BOARDS[0], ConnectX(7, 8, 5), ConnectX(3, 3, 3), TicTacToe())
    for env in boards:
        agent = PerfectAgent(time_limit=0.3)
        agent.act(env, env.initial_state())  # compiles
        clock = Clock()
        assert agent.act(env, env.initial_state()) in env.get_available_actions(env.initial_state())
        assert clock.elapsed < 2


SOLVER = Solver(CONNECT_FOUR)
HOPING = PerfectAgent(time_limit=1.0, tie_break="expectimax")


@pytest.mark.thorough
@pytest.mark.parametrize("plies", range(8, 28))
def test_playing_for_mistakes_keeps_the_result(plies: int, judge: Judge) -> None:
    """A win is even taken as fast as can be."""
    rng = Random(plies)
    for _ in range(3):
        moves = quiet_game(CONNECT_FOUR, plies, rng)
        state = state_from_moves(CONNECT_FOUR, moves)
        played = [int(column) - 1 for column in moves]
        result = HOPING.search(CONNECT_FOUR, state)
        assert result.action in judge.moves_that_keep_the_outcome(played), moves
        outcome = SOLVER.outcome(state)
        assert result.value == outcome * (1 if state.player == 1 else -1)
        if outcome == 1:
            assert result.action in judge.best_moves(played), moves


@pytest.mark.parametrize(
    "moves", ["1521345675467154136", "27711257455343133662", "7361267663266221455552"]
)
def test_a_draw_is_not_gambled_away(moves: str, judge: Judge) -> None:
    """Here a move that loses is worth most on average."""
    prospects = Prospects(ExactMoves(SOLVER))
    state = state_from_moves(CONNECT_FOUR, moves)
    safe = judge.moves_that_keep_the_outcome([int(column) - 1 for column in moves])
    assert prospects.best(state, CONNECT_FOUR.get_available_actions(state), Clock()) not in safe
    assert HOPING.act(CONNECT_FOUR, state) in safe


@pytest.mark.parametrize("seed", range(12))
def test_the_prospects_are_those_of_the_definition(seed: int) -> None:
    """Expectimax written down once more, on a board that minimax searches to its end."""
    env, rng = ConnectX(4, 4), Random(seed)
    exact_moves = ExactMoves(Solver(env))
    while True:
        state = state_from_moves(env, quiet_game(env, rng.randint(3, 8), rng))
        score = exact_moves.score(state, Clock())
        if score <= 0:
            break
    is_chosen_by_the_definition(exact_moves, state)


@pytest.mark.parametrize("moves", ["6522417527177146726", "64741765723355217633"])
def test_the_prospects_allow_for_no_gamble_later_on(moves: str) -> None:
    """Another move would be chosen if the next but one could be one that loses."""
    is_chosen_by_the_definition(ExactMoves(SOLVER), state_from_moves(CONNECT_FOUR, moves))


def is_chosen_by_the_definition(exact_moves: ExactMoves, state: BoardState) -> None:
    candidates = keeping(exact_moves, state)
    chosen = Prospects(exact_moves).best(state, candidates, Clock())
    hopes = {action: hope(exact_moves, state, action, replies=2) for action in candidates}
    assert hopes[chosen] == pytest.approx(max(hopes.values()))


def keeping(exact_moves: ExactMoves, state: BoardState) -> list[int]:
    """The moves that keep the result of a drawn or lost position."""
    score = exact_moves.score(state, Clock())
    actions = exact_moves.env.get_available_actions(state)
    return list(actions) if score < 0 else exact_moves.best(state, 0, Clock(), Clock())


def hope(exact_moves: ExactMoves, state: BoardState, action: int, replies: int) -> float:
    """What `action` brings its player on average over so many likely replies."""
    env = exact_moves.env
    child = env.get_next_state(state, action)
    if not env.get_available_actions(child):
        return float(child.won)
    seen = MinimaxAgent(depth=4, heuristic="open_lines").search(env, child).action_values
    sign = 1 if child.player == 1 else -1
    weights = {reply: exp(sign * value / 0.1) for reply, value in seen.items()}
    likely = {r: w for r, w in weights.items() if w >= 0.02 * sum(weights.values())}
    total = 0.0
    for reply, weight in likely.items():
        after = env.get_next_state(child, reply)
        if not env.get_available_actions(after):
            total -= weight * after.won
            continue
        score = exact_moves.score(after, Clock())
        if replies > 1 and score <= 0:
            moves = keeping(exact_moves, after)
            total += weight * max(hope(exact_moves, after, move, replies - 1) for move in moves)
        else:
            stones_left = (env.rows * env.columns - after.mask.bit_count()) // 2
            total += weight * promise(stones_left, score)
    return total / sum(likely.values())


@pytest.mark.parametrize(
    "env", [ConnectX(1, 18, 17), ConnectX(3, 3, 3), TicTacToe()], ids=lambda env: repr(env)
)
def test_any_game_is_played_for_mistakes(env: Any) -> None:
    truth = BruteForce[BoardState, int](env)
    rng = Random(2)
    for _ in range(5):
        state = random_game(env, rng)[-6]
        action = HOPING.act(env, state)
        assert truth.action_value(state, action) == truth.value(state)


@pytest.mark.thorough
def test_playing_for_mistakes_gains_points_from_lost_positions() -> None:
    """Against a search of four plies, which errs where a loss lies deeper."""
    opponent = make_agent("alphabeta", depth=4, time_limit=None)
    lost = lost_positions(14, wanted=16)
    by_score = [points(PerfectAgent(), opponent, state) for state in lost]
    hoping = [points(HOPING, opponent, state) for state in lost]
    assert sum(hoping) > sum(by_score)


def lost_positions(plies: int, wanted: int) -> list[BoardState]:
    """Positions of random quiet games that are lost for the player to move."""
    rng, lost = Random(1), list[BoardState]()
    while len(lost) < wanted:
        state = state_from_moves(CONNECT_FOUR, quiet_game(CONNECT_FOUR, plies, rng))
        if SOLVER.outcome(state) == -1:
            lost.append(state)
    return lost


def points(agent: Agent, opponent: Agent, state: BoardState) -> float:
    """1 for a win of `agent`, who is to move, 1/2 for a draw."""
    player = state.player
    while CONNECT_FOUR.get_available_actions(state):
        mover = agent if state.player == player else opponent
        state = CONNECT_FOUR.get_next_state(state, mover.act(CONNECT_FOUR, state))
    winner = CONNECT_FOUR.winner(state)
    return 0.5 if winner is None else float(winner == player)


@pytest.mark.parametrize(
    ("stones_left", "score", "expected"),
    [(9, 4, 1.0), (0, 0, 0.0), (2, 0, 1 - 0.9**2), (3, -1, -(0.9**2)), (3, -3, -1.0)],
)
def test_each_move_of_the_opponent_may_be_a_mistake(
    stones_left: int, score: int, expected: float
) -> None:
    """One in ten; a mistake is worth half of what lies between a loss and a win.

    A loss with a score of -1 is one by the opponent's last stone, and those before may go wrong.
    """
    assert promise(stones_left, score) == pytest.approx(expected)


def test_the_bank_is_for_the_board_whose_hard_positions_are_solved() -> None:
    agent = PerfectAgent()
    assert 0 < agent.bank_share(ConnectFour()) < 1
    assert [agent.bank_share(env) for env in (ConnectX(7, 8), TicTacToe())] == [0, 0]
