"""The values of moves while they become known: right at the end, and never wrong before."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest

from agents.book.opening_book import shipped_book_of
from agents.solver.position_bounds import sign
from agents.solver.solver import Solver
from envs import BoardGame, BoardState, ConnectFour, ConnectX, TicTacToe, state_from_moves
from envs.board import moves_text, parse_moves
from submission.web.searching import best_trap
from submission.web.searching.best_trap import growing_trap
from submission.web.searching.values import PositionValues, growing_values
from submission.web.searching.views import growing_review, values_view
from tests.helpers.bitbully_judge import Judge, plies_of_score, score_in_words
from tests.helpers.brute_force import BruteForce
from tests.helpers.game_records import WIN, unfinished_game

ENV = ConnectFour()


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(ConnectX(), book=shipped_book_of(ConnectX()))


def reached(env: BoardGame, actions: Sequence[int]) -> BoardState:
    return state_from_moves(env, moves_text(actions))


def last(
    env: BoardGame, state: BoardState, solver: Solver | None, seconds: float
) -> PositionValues:
    *_, final = growing_values(env, state, solver, seconds)
    assert final.done
    return final


def named_trap(solver: Solver, actions: Sequence[int]) -> int | None:
    """The move that is named in the end."""
    state = reached(ENV, actions)
    search = growing_trap(solver, state, last(ConnectX(), state, solver, 60))
    while True:
        try:
            next(search)
        except StopIteration as end:
            found: int | None = end.value
            return found


def test_a_trap_is_named_in_lost_positions_alone_and_loses_no_sooner_than_it_must(
    solver: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(best_trap, "TRIALS", 40)
    judge, rng, lost = Judge(), Random(9), 0
    while lost < 6:
        actions = unfinished_game(rng, rng.randrange(16, 32))
        scores, trap = judge.scores(actions), named_trap(solver, actions)
        left = 42 - len(actions)
        resisting = [column for column, score in scores.items() if score > -(left // 2)]
        if max(scores.values()) >= 0 or len(resisting or scores) == 1:
            assert trap is None
            continue
        lost += 1
        assert trap in (resisting or scores)


def test_values_are_those_of_the_solver_and_of_bitbully_in_50_positions(solver: Solver) -> None:
    judge, rng = Judge(), Random(7)
    for _ in range(50):
        actions = unfinished_game(rng, rng.randrange(12, 40))
        values = last(ConnectX(), reached(ENV, actions), solver, 60)
        scores = judge.scores(actions)
        assert {action: value.bounds.lower for action, value in values.moves.items()} == scores
        assert all(value.bounds.exact for value in values.moves.values())
        assert values.best == judge.best_moves(actions)
        for action, value in values.moves.items():
            score = scores[action]
            assert value.kind == ("win" if score > 0 else "loss" if score < 0 else "draw")
            assert value.text == score_in_words(len(actions), score)
            if score:
                assert value.plies == plies_of_score(len(actions), score)


def test_what_is_said_before_the_end_is_true(solver: Solver) -> None:
    """Each bound holds for the exact score, and bounds only become tighter."""
    rng = Random(3)
    solver.forget()
    for plies in (2, 9, 10, 11):
        state = reached(ENV, unfinished_game(rng, plies))
        snapshots = list(growing_values(ConnectX(), state, solver))
        final = snapshots[-1].moves
        for before, after in pairwise(snapshots):
            for action, value in before.moves.items():
                narrower = after.moves[action].bounds
                assert value.bounds.lower <= narrower.lower <= narrower.upper <= value.bounds.upper
                outcome = final[action].bounds.outcome
                assert outcome is not None
                assert sign(value.bounds.lower) <= outcome <= sign(value.bounds.upper)
                assert value.estimate is None or -1 < value.estimate < 1
        for snapshot in snapshots:
            view = values_view(snapshot)
            assert {column["action"] for column in view["columns"]} == {*final}
            for column in view["columns"]:
                is_proven = column["kind"] != "unknown"
                assert is_proven >= column["exact"]
                assert not is_proven or column["estimate"] is None
        assert view["done"]


def test_tic_tac_toe_is_exact_with_distances() -> None:
    env, rng = TicTacToe(), Random(1)
    oracle = BruteForce(env)
    for plies in [0, *(rng.randrange(1, 8) for _ in range(30))]:
        state = reached(env, unfinished_game(rng, plies, env))
        values = last(env, state, None, 10)
        sign = 1 if state.player == 1 else -1
        for action, value in values.moves.items():
            result = sign * oracle.action_value(state, action)
            assert value.kind == {1: "win", 0: "draw", -1: "loss"}[int(result)]
            if result:
                assert value.plies == oracle.plies_after(state, action)


def test_a_board_that_is_too_large_to_solve_has_proofs_of_a_few_plies_and_estimates() -> None:
    env = ConnectX(rows=16, columns=16, inarow=4)
    state = state_from_moves(env, "1,16,1,16,1")  # player 2 must answer 1, or loses in 2
    values = last(env, state, None, 1.5)
    assert values.phase == "estimating"
    assert values.moves[0].kind == "unknown"
    assert values.moves[0].estimate is not None
    losing = {action: value for action, value in values.moves.items() if action != 0}
    assert {value.text for value in losing.values()} <= {"loses in 1 move", "not decided yet"}
    assert any(value.text == "loses in 1 move" for value in losing.values())
    winning = last(env, state_from_moves(env, "1,16,1,16,1,16"), None, 0.5)
    assert winning.moves[0].text == "wins in 1 move"
    assert winning.best == [0]


def test_a_review_names_the_mistakes_and_ends_with_the_result(solver: Solver) -> None:
    """The empty board is won, in the middle alone; next to it is a draw, and at the edge lost."""
    for moves, mistakes in {
        "4": [None],
        "3": ["win-to-draw"],
        "1": ["win-to-loss"],
        "34": ["win-to-draw", None],
        "444444": [None] * 6,
    }.items():
        *_, final = growing_review(ConnectX(), parse_moves(moves), solver)
        assert final["done"]
        assert [ply["mistake"] for ply in final["plies"]] == mistakes
    *_, final = growing_review(ConnectX(), parse_moves("4151"), solver)
    assert [ply["value"] > 0 for ply in final["plies"]] == [True] * 4
    *_, final = growing_review(ConnectX(), WIN.columns, solver)
    assert [ply["ply"] for ply in final["plies"]] == [*range(7)]
    assert final["plies"][-1]["text"] == "wins in 1 move"
    assert final["plies"][-1]["value"] > 0
