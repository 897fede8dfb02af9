"""The perfect bundle on Kaggle's environment, each of its moves judged by BitBully.

Takes minutes: `pytest -m slow tests/test_perfect_bundle.py`.
"""

import pytest

from submission.bundling.bundle import build_bundle
from submission.evaluating.evaluate import evaluate
from submission.evaluating.game_record import Result
from submission.evaluating.pairing import against_each
from submission.evaluating.players import Player, PlayerKind, find_player
from submission.evaluating.settings import Settings
from submission.executors.workers import local_executor
from tests.bitbully_judge import Judge

OPPONENTS = ("negamax", "mcts:time_limit=0.1", "alphabeta:time_limit=0.1")


@pytest.mark.slow
def test_every_move_of_forty_games_against_each_opponent_is_exactly_best() -> None:
    judge = Judge()
    perfect = Player("perfect", PlayerKind.FILE, build_bundle("perfect", {}).encode())
    pairings = against_each(perfect, [find_player(name) for name in OPPONENTS])
    with local_executor(2) as executor:
        evaluation = evaluate(pairings, Settings(40, seed=1, opening_plies=0), executor=executor)
    assert len(evaluation.records) == 40 * len(OPPONENTS)
    for record in evaluation.records:
        assert record.statuses == ("DONE", "DONE")
        if record.seat == 1:
            assert record.result is Result.WIN
        for ply in range(record.seat - 1, len(record.columns), 2):
            assert record.columns[ply] in judge.best_moves(record.columns[:ply]), record.columns
