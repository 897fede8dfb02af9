import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor

import pytest

from submission.evaluating.evaluate import evaluate
from submission.evaluating.evaluation import Ending, Evaluation
from submission.evaluating.game_record import GameConfiguration, GameRecord, Result
from submission.evaluating.players import Player, PlayerKind
from submission.evaluating.workers import local_executor

RANDOM = Player("random", PlayerKind.BUILT_IN)
NEGAMAX = Player("negamax", PlayerKind.BUILT_IN)
SMALL = GameConfiguration(rows=4, columns=5, inarow=3)


def submitted(name: str, source: str) -> Player:
    return Player(name, PlayerKind.FILE, source.encode())


UNSEEDED = submitted(
    "unseeded",
    "import random\n"
    "def agent(observation, configuration):\n"
    "    board = observation['board']\n"
    "    return random.choice([c for c in range(configuration.columns) if not board[c]])\n",
)
DEADLY = submitted("deadly", "import os\ndef agent(observation): os._exit(1)")


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Executor]:
    with local_executor(2) as executor:
        yield executor


def moves(evaluation: Evaluation) -> list[tuple[str, int, int, int, tuple[int, ...]]]:
    """All of the games but their durations."""
    return [
        (record.opponent, record.game, record.seat, record.seed, record.columns)
        for record in evaluation.records
    ]


def test_negamax_beats_random() -> None:
    evaluation = evaluate(NEGAMAX, [RANDOM], games=6, seed=1, configuration=SMALL)
    assert sum(record.result is Result.WIN for record in evaluation.records) >= 5
    assert evaluation.ending is Ending.COMPLETE
    assert not evaluation.interrupted


def test_seats_alternate_and_seeds_differ() -> None:
    records = evaluate(RANDOM, [NEGAMAX], games=4, seed=1, configuration=SMALL).records
    assert [record.seat for record in records] == [1, 2, 1, 2]
    assert len({record.seed for record in records}) == 4


def test_games_do_not_depend_on_who_plays_them(two_workers: Executor) -> None:
    def played_by(executor: Executor | None) -> Evaluation:
        opponents = [RANDOM, UNSEEDED]
        return evaluate(NEGAMAX, opponents, games=4, seed=3, executor=executor, configuration=SMALL)

    here = played_by(None)
    assert moves(here) == moves(played_by(two_workers))
    with local_executor(1) as one_worker:
        assert moves(here) == moves(played_by(one_worker))


def test_another_seed_makes_other_games() -> None:
    first, second = (evaluate(UNSEEDED, [RANDOM], games=3, seed=seed) for seed in (0, 1))
    assert moves(first) != moves(second)


def test_a_further_opponent_changes_no_game() -> None:
    alone = evaluate(UNSEEDED, [RANDOM], games=3, seed=0)
    together = evaluate(UNSEEDED, [UNSEEDED, RANDOM], games=3, seed=0)
    assert [game for game in moves(together) if game[0] == "random"] == moves(alone)


def test_records_are_in_order_of_opponent_and_game(two_workers: Executor) -> None:
    evaluation = evaluate(
        UNSEEDED, [UNSEEDED, RANDOM], games=3, seed=0, executor=two_workers, configuration=SMALL
    )
    places = [(record.opponent, record.game) for record in evaluation.records]
    assert places == [(name, game) for name in ("unseeded", "random") for game in range(3)]


def test_each_game_is_reported_once(two_workers: Executor) -> None:
    reported: list[GameRecord] = []
    evaluation = evaluate(
        RANDOM, [RANDOM], games=5, seed=0, executor=two_workers, on_game=reported.append
    )
    assert sorted(reported, key=lambda record: record.game) == list(evaluation.records)


class CtrlC:
    """Interrupts after some games."""

    def __init__(self, games: int) -> None:
        self.games = games

    def __call__(self, record: GameRecord) -> None:
        self.games -= 1
        if self.games == 0:
            raise KeyboardInterrupt


def test_ctrl_c_keeps_what_was_played_here() -> None:
    evaluation = evaluate(RANDOM, [RANDOM], games=50, seed=0, on_game=CtrlC(3))
    assert evaluation.interrupted
    assert [record.game for record in evaluation.records] == [0, 1, 2]


def test_ctrl_c_keeps_what_was_played_by_workers(two_workers: Executor) -> None:
    started = time.perf_counter()
    dawdler = submitted(
        "dawdler", "import time\ndef agent(observation):\n    time.sleep(0.1)\n    return 0"
    )
    evaluation = evaluate(
        dawdler, [RANDOM], games=500, seed=0, executor=two_workers, on_game=CtrlC(2)
    )
    assert evaluation.interrupted
    assert len(evaluation.records) == 2
    two_workers.submit(time.time).result()
    assert time.perf_counter() - started < 10, "what had not begun should have been cancelled"


def test_a_dead_worker_keeps_what_was_played() -> None:
    with local_executor(1) as executor:
        evaluation = evaluate(RANDOM, [RANDOM, DEADLY], games=4, seed=0, executor=executor)
        assert evaluation.ending is Ending.WORKER_DIED
        assert [record.opponent for record in evaluation.records] == ["random"]
        again = evaluate(RANDOM, [RANDOM], games=1, seed=0, executor=executor)
        assert again.ending is Ending.WORKER_DIED


def test_any_executor_of_the_kind_will_do() -> None:
    with ThreadPoolExecutor(1) as executor:
        evaluation = evaluate(RANDOM, [RANDOM], games=2, seed=0, executor=executor)
    assert moves(evaluation) == moves(evaluate(RANDOM, [RANDOM], games=2, seed=0))


@pytest.mark.parametrize(
    ("opponents", "games", "seed", "message"),
    [
        ([RANDOM], 0, 0, "at least 1, not 0"),
        ([RANDOM], -1, 0, "at least 1, not -1"),
        ([RANDOM], 1, -1, "seed must be at least 0, not -1"),
        ([], 1, 0, "at least one opponent"),
        ([RANDOM, NEGAMAX, RANDOM], 1, 0, "'random' is named twice"),
    ],
)
def test_bad_input_is_refused(opponents: list[Player], games: int, seed: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(RANDOM, opponents, games=games, seed=seed)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"rows": 0}, "rows must be at least 1"),
        ({"columns": -1}, "columns must be at least 1"),
        ({"inarow": 0}, "inarow must be at least 1"),
        ({"act_timeout": 0}, "above 0"),
        ({"act_timeout": float("nan")}, "above 0"),
        ({"act_timeout": float("inf")}, "above 0"),
    ],
)
def test_impossible_configurations_are_refused(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GameConfiguration(**sizes)
