"""Matches that measure the gain from the perfect agent's traps against opponents who err."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import sqrt
from statistics import mean, stdev
from types import SimpleNamespace
from typing import Any

from agents import PerfectAgent, Solver, make_agent
from agents.reporting.stats import Z_95
from benchmarks.results import Report, table
from envs import BoardState, ConnectFour
from submission.kaggle import kaggle_environments

FEWEST_PLIES = 8
MOST_PLIES = 16
RESULTS = {"lost": -1, "drawn": 0}
"""The results of the matches' starting positions, for the player to move."""
TIME_LIMIT = 2.0
"""Seconds of the perfect agent for each move, as on Kaggle."""

GAME = ConnectFour()
Player = Callable[[BoardState], int]


@dataclass(frozen=True)
class Match:
    """The points (win 1, draw 1/2) from the same positions with either resistance."""

    result: str
    opponent: str
    by_longest: list[float]
    by_traps: list[float]

    @property
    def gain(self) -> tuple[float, float]:
        """The mean gain in points a game, and half the width of its 95 % interval (paired)."""
        gains = [new - old for new, old in zip(self.by_traps, self.by_longest, strict=True)]
        return mean(gains), Z_95 * stdev(gains) / sqrt(len(gains))


def play_matches(positions: int, seed: int) -> Iterator[Match]:
    """Play against each opponent from `positions` positions of each result and resistance."""
    by_longest = PerfectAgent(time_limit=TIME_LIMIT, resistance="longest")
    by_traps = PerfectAgent(time_limit=TIME_LIMIT, resistance="traps")
    for result, outcome in RESULTS.items():
        openings = random_positions(outcome, positions, seed)
        for name, opponent in OPPONENTS.items():
            yield Match(
                result,
                name,
                [play(by_longest, opponent, state, game) for game, state in enumerate(openings)],
                [play(by_traps, opponent, state, game) for game, state in enumerate(openings)],
            )


def searcher(name: str, **options: Any) -> Player:
    """A registered agent as a player."""
    agent = make_agent(name, **options)
    return lambda state: agent.act(GAME, state)


def kaggles_negamax(state: BoardState) -> int:
    """Kaggle's negamax, whose random choices come from Python's global generator."""
    negamax = kaggle_environments().environments["connectx"]["agents"]["negamax"]
    observation = SimpleNamespace(board=GAME.to_board(state), mark=state.player)
    configuration = SimpleNamespace(rows=GAME.rows, columns=GAME.columns, inarow=GAME.inarow)
    return int(negamax(observation, configuration))


OPPONENTS: Mapping[str, Player] = {
    "negamax (Kaggle)": kaggles_negamax,
    "alphabeta depth 4": searcher("alphabeta", depth=4, time_limit=None, weights=None),
    "alphabeta depth 2": searcher("alphabeta", depth=2, time_limit=None, weights=None),
}
"""The opponents, which may err."""
MATCHES = len(RESULTS) * len(OPPONENTS)


def play(agent: PerfectAgent, opponent: Player, state: BoardState, seed: int) -> float:
    """The points of the agent, who is to move in `state`."""
    random.seed(seed)
    player = state.player
    while GAME.get_available_actions(state):
        column = agent.act(GAME, state) if state.player == player else opponent(state)
        state = GAME.get_next_state(state, column)
    winner = GAME.winner(state)
    return 0.5 if winner is None else float(winner == player)


def random_positions(outcome: int, wanted: int, seed: int) -> list[BoardState]:
    """Positions after 8 to 16 random plies with this exact result for the player to move."""
    solver, rng = Solver(GAME), random.Random(seed)
    positions: list[BoardState] = []
    for number in count():
        plies = FEWEST_PLIES + number % (MOST_PLIES - FEWEST_PLIES + 1)
        state = random_position(plies, rng)
        if GAME.get_available_actions(state) and solver.outcome(state) == outcome:
            positions.append(state)
            if len(positions) == wanted:
                break
    return positions


def random_position(plies: int, rng: random.Random) -> BoardState:
    """The position after this many random plies, or fewer if the game ends sooner."""
    state = GAME.initial_state()
    for _ in range(plies):
        actions = GAME.get_available_actions(state)
        if not actions:
            break
        state = GAME.get_next_state(state, rng.choice(actions))
    return state


def tie_break_report(matches: Sequence[Match]) -> Report:
    """The points per game with either resistance, and the gain of the second."""
    rows = table("position", "opponent", "longest", "traps", "gain", words=("position", "opponent"))
    for match in matches:
        gain, uncertainty = match.gain
        rows.add_row(
            match.result,
            match.opponent,
            f"{mean(match.by_longest):.3f}",
            f"{mean(match.by_traps):.3f}",
            f"{gain:+.3f} ± {uncertainty:.3f}",
        )
    games = len(matches[0].by_longest)
    return [f"The perfect agent's resistance: points a game, {games} positions each", rows]
