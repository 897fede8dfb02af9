"""The perfect bundle on Kaggle's environment, each of its moves judged by BitBully.

One that sets traps gives no result away; one that resists longest plays exactly best moves.

In four places: with the packages of this Python, with those of Kaggle's image (which `make
kaggle-image` gets), with the latter on a third of a core, and with neither Numba nor numpy, where
time is the processor's, for how well it plays there depends on its time. A sample of the games is
played always, all 800 by `pytest -m slow tests/submission/test_perfect_bundle.py`.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import monotonic
from typing import Any

import pytest

from agents import make_agent
from agents.perfect import RESISTANCES
from submission.bundle.bundle import build_bundle
from submission.checking.kaggle_image import image_python
from submission.entry import KagglePlayer
from submission.grading.solved_positions import GAME
from submission.kaggle import DONE, kaggle_environments
from submission.sandbox.processes import (
    INTERVAL,
    Throttle,
    can_throttle,
    descendants,
    processor_seconds,
    used_by,
)
from tests.helpers.bitbully_judge import Judge
from tests.helpers.processes import Piped
from tests.helpers.shipped_positions import SHIPPED

SCRIPT = Path(__file__).parents[1] / "helpers" / "bundle_games.py"
OPPONENTS = ("random", "negamax", "alphabeta", "mcts")
GAMES = 200
"""In each place, with both time limits: 25 against each opponent on each seat."""

Player = Callable[[Any, Any], Any]
GoodMoves = Callable[[list[int]], Collection[int]]


@dataclass(frozen=True)
class Place:
    """Where the bundle plays."""

    on_image: bool = False
    fault: str = "nothing"
    speed: float = 1.0
    clock: str = "perf_counter"

    def python(self) -> Path:
        """The interpreter; the test is skipped where there is none."""
        python = image_python() if self.on_image else Path(sys.executable)
        if python is None:
            pytest.skip("there is no environment with Kaggle's versions: `make kaggle-image`")
        if self.speed < 1 and not can_throttle():
            pytest.skip("processes cannot be slowed down here")
        return python


PLACES = {
    "newest": Place(),
    "image": Place(on_image=True),
    "image at a third": Place(on_image=True, speed=1 / 3),
    "plain": Place(fault="no_numba_and_no_numpy", clock="process_time"),
}


@pytest.fixture(scope="module", params=RESISTANCES)
def resistance(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory, resistance: str) -> Path:
    path = tmp_path_factory.mktemp("perfect") / "submission.py"
    path.write_text(build_bundle("perfect", {"resistance": resistance}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def good_moves(judge: Judge, resistance: str) -> GoodMoves:
    """The moves that may be played after others."""
    return judge.moves_that_keep_the_outcome if resistance == "traps" else judge.best_moves


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge()


@contextmanager
def slowed_down(process_id: int, speed: float) -> Iterator[None]:
    """A process, with all that it starts, at a share of a core."""

    def processes() -> list[int]:
        return [process_id, *descendants(process_id)]

    throttle, is_over = Throttle(speed, monotonic(), used_by(processes())), Event()

    def hold() -> None:
        while not is_over.wait(INTERVAL):
            throttle.hold(processes())

    thread = Thread(target=hold)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


@contextmanager
def player_in(place: Place, bundle: Path) -> Iterator[Player]:
    """The bundle in a process of its own, as a function that Kaggle's environment can ask."""
    process = Piped(
        [str(place.python()), "-P", str(SCRIPT), str(bundle), place.fault, place.clock],
        cwd=bundle.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    def ask(observation: Any, configuration: Any) -> Any:
        process.stdin.write(json.dumps([dict(observation), dict(configuration)]) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    try:
        with ExitStack() as stack:
            if place.speed < 1:
                stack.enter_context(slowed_down(process.pid, place.speed))
            if place.clock == "process_time":
                patch = stack.enter_context(pytest.MonkeyPatch.context())
                used = partial(processor_seconds, process.pid)
                patch.setattr(kaggle_environments().agent, "perf_counter", used)
            yield ask
    finally:
        process.kill()
        process.communicate()


def opponent_of(name: str, seed: int) -> str | Player:
    """Alpha-beta's first two moves are random, for it would play one game again and again."""
    if name in ("random", "negamax"):
        return name
    if name == "mcts":
        return KagglePlayer(lambda: make_agent("mcts", simulations=1000, seed=seed)).act
    rng, alpha_beta = Random(seed), KagglePlayer(lambda: make_agent("alphabeta", depth=6))

    def act(observation: Any, configuration: Any) -> int:
        if sum(map(bool, observation["board"])) < 4:
            return rng.randrange(7)
        return alpha_beta.act(observation, configuration)

    return act


def check_game(place: Place, bundle: Path, good_moves: GoodMoves, game: int) -> None:
    """Play the game of this number, of which each 16 have all opponents, seats and time limits."""
    kinds = list(product(OPPONENTS, (1, 2), (2, 0.1)))
    opponent, seat, act_timeout = kinds[game % len(kinds)]
    env = kaggle_environments().make("connectx", {"actTimeout": act_timeout, "randomSeed": game})
    other = opponent_of(opponent, seed=game)
    with player_in(place, bundle) as perfect:
        env.run([perfect, other] if seat == 1 else [other, perfect])
    columns = [step[(number - 1) % 2].action for number, step in enumerate(env.steps) if number]
    statuses = [state.status for state in env.state]
    assert statuses == [DONE, DONE], (opponent, seat, act_timeout, columns)
    for ply in range(seat - 1, len(columns), 2):
        assert columns[ply] in good_moves(columns[:ply]), columns
    if seat == 1:
        assert env.state[0].reward == 1
    bank = env.state[seat - 1].observation.get("remainingOverageTime", 60)
    if place.speed == 1 and act_timeout == 2:
        assert bank > 45


@pytest.mark.parametrize(
    ("resistance", "name", "game"),
    [
        ("traps", "newest", 4),
        ("traps", "image", 10),
        ("traps", "image at a third", 15),
        *((resistance, "plain", 10) for resistance in RESISTANCES),
    ],
    indirect=["resistance"],
)
def test_some_games(name: str, game: int, bundle: Path, good_moves: GoodMoves) -> None:
    """Against negamax as player 1, alphabeta as player 2, and mcts as player 2 at a tenth.

    Player 1 wins and has nothing to resist, and what looks for traps takes longer.
    """
    check_game(PLACES[name], bundle, good_moves, game)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLACES)
def test_no_move_of_two_hundred_games_is_a_mistake(
    name: str, bundle: Path, good_moves: GoodMoves
) -> None:
    for game in range(GAMES):
        check_game(PLACES[name], bundle, good_moves, game)


@pytest.mark.slow
def test_in_plain_python_hard_positions_of_all_plies_are_played_well(bundle: Path) -> None:
    """Wherever a game has led to; each position is the first of a game, and has the whole bank."""
    positions = SHIPPED.positions
    hard = [position for position in positions if position.is_hard]
    kept = 0
    with player_in(PLACES["plain"], bundle) as perfect:
        for position in hard:
            board, mark = GAME.to_board(position.state), position.state.player
            observation = {"board": board, "mark": mark, "remainingOverageTime": 60}
            kept += perfect(observation, {"actTimeout": 2}) in position.keeping
    assert len(hard) == 236
    assert kept / len(hard) >= 0.95
