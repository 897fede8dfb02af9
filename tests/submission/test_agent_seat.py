"""Our agents in this process: each with its own seed, timed, and what its bundle is."""

import pickle
import random
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from agents import Agent, RandomAgent, SearchResult
from agents.policy.network import encode_policy
from envs import Action, ConnectFour, Env, State
from submission.arena.players import find_player
from submission.arena.seats import AgentSeat, open_seat, open_seat_here
from tests.helpers.arena_games import played
from tests.helpers.trained_policies import random_policy

CONFIGURATION = {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 2}
EMPTY_BOARD = {"board": [0] * 42, "mark": 1, "step": 0, "remainingOverageTime": 60}


def test_the_seed_decides_the_game_of_agents_without_one() -> None:
    names = ("random:", "mcts:simulations=5,engine=reference")
    records = [played(names, seed=seed) for seed in range(6)]
    assert len({record.columns for record in records}) == 6
    assert [played(names, seed=seed) for seed in range(6)] == records


def test_a_game_leaves_the_global_generator_as_it_was() -> None:
    before = random.getstate()
    played(("random:", "random"))
    assert random.getstate() == before


def test_two_threads_do_not_draw_from_each_others_seed() -> None:
    drawn: dict[int, float] = {}

    def play(seed: int) -> None:
        def make_agent() -> Agent:
            time.sleep(0.05)  # enough for the other thread to get here
            drawn[seed] = random.random()
            return RandomAgent()

        AgentSeat(make_agent, seed).act(EMPTY_BOARD, CONFIGURATION)

    with ThreadPoolExecutor(2) as executor:
        assert [*executor.map(play, (1, 2))] == [None, None]
    assert drawn == {seed: random.Random(seed).random() for seed in (1, 2)}


@dataclass
class SlowAgent(Agent):
    """Takes 20 ms to be made, and as long for a move."""

    def __post_init__(self) -> None:
        time.sleep(0.02)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        time.sleep(0.02)
        return SearchResult(env.get_available_actions(state)[0], value=0.0)


def test_the_first_move_has_the_making_of_the_agent_in_its_seconds() -> None:
    seat = AgentSeat(SlowAgent, seed=1)
    first = seat.act(EMPTY_BOARD, CONFIGURATION)
    second = seat.act({**EMPTY_BOARD, "board": [0] * 40 + [1, 2], "step": 2}, CONFIGURATION)
    assert (first.column, first.failure) == (0, None)
    assert first.seconds >= 0.04
    assert 0.02 <= second.seconds < first.seconds


def test_a_policy_plays_as_its_bundle_does_and_needs_its_file_no_more(tmp_path: Path) -> None:
    file = tmp_path / "trained.npz"
    file.write_bytes(encode_policy(random_policy(ConnectFour(), seed=3)))
    player = find_player(f"policy:weights={file},temperature=1")
    file.unlink()
    elsewhere = pickle.loads(pickle.dumps(player))  # as for a worker on another machine
    for seed in range(3):
        with open_seat_here(elsewhere, seed=seed) as here, open_seat(player, seed=seed) as bundle:
            ours, its = (seat.act(EMPTY_BOARD, CONFIGURATION) for seat in (here, bundle))
            assert (ours.column, ours.failure) == (its.column, its.failure)
