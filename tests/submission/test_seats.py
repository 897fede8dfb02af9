"""Players at the board: built-ins in this process, submissions in their own."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submission.arena.players import Player, PlayerKind
from submission.arena.seats import open_seat, seat_seed
from submission.kaggle import BUILT_IN_AGENTS, kaggle_environments

CONFIGURATION = {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 60, "runTimeout": 1200}
POSITIONS: list[dict[str, Any]] = [
    {
        "board": [0] * (42 - stones) + [1 + cell % 2 for cell in range(stones)],
        "mark": 1 + stones % 2,
        "step": stones,
        "remainingOverageTime": 60,
    }
    for stones in range(0, 8, 3)
] * 3


@pytest.mark.parametrize("name", BUILT_IN_AGENTS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_built_in_plays_as_kaggles_does_with_that_seed(name: str, seed: int) -> None:
    kaggle = kaggle_environments()
    structify = kaggle.utils.structify
    function = kaggle.environments["connectx"]["agents"][name]
    random.seed(seed)
    expected = [function(structify(shown), structify(CONFIGURATION)) for shown in POSITIONS]
    before = random.getstate()
    with open_seat(Player(name, PlayerKind.BUILT_IN), seed=seed) as seat:
        moves = [seat.act(shown, CONFIGURATION) for shown in POSITIONS]
    assert [move.column for move in moves] == expected
    assert all(move.failure is None and 0 <= move.seconds < 5 for move in moves)
    assert random.getstate() == before, "the process's own generator is left alone"


def test_two_seats_of_one_built_in_do_not_disturb_each_other() -> None:
    player = Player("random", PlayerKind.BUILT_IN)

    def alone(seed: int) -> list[int | None]:
        with open_seat(player, seed=seed) as seat:
            return [seat.act(shown, CONFIGURATION).column for shown in POSITIONS]

    with open_seat(player, seed=1) as one, open_seat(player, seed=2) as two:
        asked = [
            (one.act(shown, CONFIGURATION).column, two.act(shown, CONFIGURATION).column)
            for shown in POSITIONS
        ]
    assert asked == list(zip(alone(1), alone(2), strict=True))
    assert alone(1) != alone(2)


def test_ctrl_c_goes_through_a_built_in_and_its_errors_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def raising(obs: Any, config: Any) -> None:
        raise [KeyboardInterrupt, ValueError][obs["step"]]

    agents = kaggle_environments().environments["connectx"]["agents"]
    monkeypatch.setitem(agents, "random", raising)
    with open_seat(Player("random", PlayerKind.BUILT_IN), seed=1) as seat:
        with pytest.raises(KeyboardInterrupt):
            seat.act({**POSITIONS[0], "step": 0}, CONFIGURATION)
        move = seat.act({**POSITIONS[0], "step": 1}, CONFIGURATION)
    assert move.failure is not None
    assert move.failure[:2] == ("ERROR", "ValueError")


def test_a_submission_plays_one_position_after_the_other() -> None:
    source = "def agent(observation): return observation.board.count(0) % 7"
    with open_seat(Player("mine.py", PlayerKind.FILE, source.encode()), seed=1) as seat:
        columns = [seat.act(shown, CONFIGURATION).column for shown in POSITIONS]
    assert columns == [shown["board"].count(0) % 7 for shown in POSITIONS]


def test_a_submission_draws_from_the_seat_s_seed() -> None:
    source = "import random\ndef agent(observation): return random.randrange(7)"
    player = Player("mine.py", PlayerKind.FILE, source.encode())
    for seed in (0, 5, 2**32 - 1):
        generator = random.Random(seed)
        with open_seat(player, seed=seed) as seat:
            columns = [seat.act(shown, CONFIGURATION).column for shown in POSITIONS]
        assert columns == [generator.randrange(7) for _ in POSITIONS]


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_seats_and_games_have_seeds_of_their_own(first: int, second: int) -> None:
    seeds = {(game, seat): seat_seed(game, seat) for game in (first, second) for seat in (1, 2)}
    assert len(set(seeds.values())) == len(seeds)
    assert all(0 <= seed < 2**32 for seed in seeds.values())
