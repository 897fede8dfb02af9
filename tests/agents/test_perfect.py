"""The perfect agent against BitBully, an independent solver, move by move."""

from pathlib import Path
from random import Random
from typing import Any, NoReturn

import pytest

from agents import Agent, PerfectAgent, RandomAgent, make_agent
from agents.agent import Clock, TimeUp
from agents.book.book_format import SHIPPED_TRAPS, encode_repertoire, traps_content
from agents.book.repertoire import RepertoireScope, bit_key, promising_moves
from agents.book.retrieval import make_bit_field
from agents.solver.exact_moves import ExactMoves
from agents.solver.solver import ScoreBounds, Solver
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
    """One that plays exactly best moves."""
    return PerfectAgent(resistance="longest")


def play(first: Agent, second: Agent) -> list[int]:
    """The columns of a whole game."""
    state, moves = CONNECT_FOUR.initial_state(), list[int]()
    while CONNECT_FOUR.get_available_actions(state):
        player = first if state.player == 1 else second
        moves.append(player.act(CONNECT_FOUR, state, 2.0))
        state = CONNECT_FOUR.get_next_state(state, moves[-1])
    return moves


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("seat", [1, 2])
def test_no_move_of_a_game_can_be_bettered(
    seat: int, seed: int, perfect: PerfectAgent, judge: Judge
) -> None:
    """Against opponents that lead the game into all kinds of positions."""
    opponent = RandomAgent(seed) if seed < 2 else make_agent("mcts", simulations=200, seed=seed)
    moves = play(*((perfect, opponent) if seat == 1 else (opponent, perfect)))
    for ply in range(seat - 1, len(moves), 2):
        assert moves[ply] in judge.best_moves(moves[:ply]), (moves, ply)


@pytest.mark.slow
def test_a_third_of_the_time_is_enough(judge: Judge) -> None:
    """Kaggle's machine may be three times slower; the hardest positions come after the book.

    A usual core visits some 14 million nodes a second, and a move has 2.25 seconds.
    """
    agent = PerfectAgent(time_limit=None, resistance="longest")
    rng = Random(1)
    for game in range(200):
        moves = quiet_game(CONNECT_FOUR, 8 + game % 6, rng)
        result = agent.search(CONNECT_FOUR, state_from_moves(CONNECT_FOUR, moves))
        assert result.action in judge.best_moves(moves), moves
        assert result.nodes < 2.25 * 14_000_000 / 3, moves


def test_against_itself_the_first_player_wins_with_the_last_stone_but_one(
    perfect: PerfectAgent,
) -> None:
    """J. Allen and V. Allis, 1988: the first player wins; on the 41st ply, as J. Tromp found."""
    moves = play(perfect, perfect)
    assert len(moves) == 41
    assert moves[0] == 3


@pytest.mark.parametrize("name", ["end-easy", "mid-easy", "mid-medium", "begin-easy"])
def test_published_scores_are_kept(name: str, perfect: PerfectAgent) -> None:
    """After the move, the opponent's score is the position's with a minus."""
    solver = Solver(CONNECT_FOUR)
    for moves, score in published_positions(name, 40):
        state = state_from_moves(CONNECT_FOUR, moves)
        result = perfect.search(CONNECT_FOUR, state)
        assert solver.after(state, result.action).lower == score, moves
        assert result.value == ((score > 0) - (score < 0)) * (1 if state.player == 1 else -1)
        assert result.action in result.action_values


def test_of_equal_moves_the_one_with_most_mistakes_to_make() -> None:
    env = ConnectX(4, 4, 3)
    exact_moves = ExactMoves(Solver(env))
    truth = BruteForce(env)
    tried = 0
    for seed in range(20):
        rng = Random(seed)
        state = state_from_moves(env, quiet_game(env, rng.randint(4, 8), rng))
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
        agent = PerfectAgent(time_limit=0.1)
        agent.act(env, env.initial_state())  # compiles
        clock = Clock()
        assert agent.act(env, env.initial_state()) in env.get_available_actions(env.initial_state())
        assert clock.elapsed < 2


SOLVER = Solver(CONNECT_FOUR)
TRAPPING = PerfectAgent(time_limit=4.0)


@pytest.mark.thorough
@pytest.mark.parametrize("plies", range(8, 28, 3))
def test_traps_give_no_result_away(plies: int, judge: Judge) -> None:
    """A win is even taken as fast as can be."""
    moves = quiet_game(CONNECT_FOUR, plies, Random(plies))
    state = state_from_moves(CONNECT_FOUR, moves)
    result = TRAPPING.search(CONNECT_FOUR, state)
    assert result.action in judge.moves_that_keep_the_outcome(moves), moves
    outcome = SOLVER.outcome(state)
    assert result.value == outcome * (1 if state.player == 1 else -1)
    if outcome == 1:
        assert result.action in judge.best_moves(moves), moves


@pytest.mark.parametrize(
    "moves", ["1521345675467154136", "27711257455343133662", "7361267663266221455552"]
)
def test_a_draw_is_not_gambled_away(moves: str, judge: Judge) -> None:
    """Here a move that loses would leave a fallible opponent most to err in."""
    state = state_from_moves(CONNECT_FOUR, moves)
    assert TRAPPING.act(CONNECT_FOUR, state) in judge.moves_that_keep_the_outcome(moves)


@pytest.mark.parametrize(
    "env", [ConnectX(1, 18, 17), ConnectX(3, 3, 3), TicTacToe()], ids=lambda env: repr(env)
)
def test_any_game_is_played_for_mistakes(env: Any) -> None:
    truth = BruteForce[BoardState, int](env)
    rng = Random(2)
    for _ in range(5):
        state = random_game(env, rng)[-6]
        action = TRAPPING.act(env, state)
        assert truth.action_value(state, action) == truth.value(state)


def test_a_move_that_is_proven_to_win_is_played_though_its_score_is_not_found_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is known of the middle column, which the guess would prefer."""

    def outcomes(*_: object, **__: object) -> dict[int, ScoreBounds]:
        return {2: ScoreBounds(-1, 1), 4: ScoreBounds(1, 1), 0: ScoreBounds(-1, 0)}

    def score(*_: object) -> NoReturn:
        raise TimeUp

    monkeypatch.setattr(PerfectAgent, "_is_compiled", lambda agent, env: False)
    monkeypatch.setattr(ExactMoves, "outcomes", outcomes)
    monkeypatch.setattr(ExactMoves, "score", score)
    env = ConnectX(5, 5)
    assert PerfectAgent(time_limit=0.2).act(env, env.initial_state()) == 4


def test_the_bank_is_for_the_board_whose_hard_positions_are_solved() -> None:
    agent = PerfectAgent()
    assert 0 < agent.bank_share(ConnectFour()) < 1
    assert [agent.bank_share(env) for env in (ConnectX(7, 8), TicTacToe())] == [0, 0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"resistance": "luck"}, "unknown resistance 'luck': choose one of traps, longest"),
        ({"traps": "absent.cxrp"}, "cannot read absent.cxrp"),
        ({"traps": b"CXRP"}, "this is not a valid repertoire"),
        ({"traps": traps_content(SHIPPED_TRAPS)[:-1]}, "this repertoire is damaged"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises((ValueError, OSError), match=sentence):
        PerfectAgent(**options)


def test_a_book_of_traps_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    env, path = ConnectX(4, 5), tmp_path / "traps.cxrp"
    state, scope = env.initial_state(), RepertoireScope(4, 5, 4, 0, 0, -1)
    first, second = promising_moves(scope.board, state)[:2]
    for column, bits in ((first, (1, 0)), (second, (0, 1))):
        field = make_bit_field({bit_key(state, rank): bit for rank, bit in enumerate(bits)})
        path.write_bytes(encode_repertoire(scope, field))
        assert PerfectAgent(traps=str(path)).act(env, state) == column


def test_books_of_another_board_leave_those_of_the_package_in_use() -> None:
    other = encode_repertoire(RepertoireScope(4, 5, 4, -1, 0, 0), make_bit_field({}))
    agent, env = PerfectAgent(repertoire=other, traps=other), ConnectFour()
    assert agent.source(env, env.initial_state()) == "repertoire"
    assert agent.source(env, state_from_moves(env, "4")) == "traps"


def left_behind() -> NoReturn:
    raise OSError("traps.cxrp")


def test_without_the_book_of_traps_the_repertoire_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the bundle of level 10, which plays as this agent does."""
    monkeypatch.setattr("agents.perfect.shipped_traps", left_behind)
    env = ConnectFour()
    assert PerfectAgent().source(env, state_from_moves(env, "4")) == "repertoire"
