"""Moves that lose value: a win that becomes a draw or a loss, or a draw that becomes a loss.

A slower win loses no value. AlphaZero.jl counts mistakes in the same way, in the sets of P. Pons'
solver tutorial. The positions of a set have scores; a solver proves the result of each move.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from agents.agent import Agent
from agents.book.opening_book import shipped_book_of
from agents.solver.position_bounds import sign
from agents.solver.solver import Solver
from benchmarks.solver.positions import SETS, ScoredPosition, read_positions
from envs.board import BoardGame, BoardState, state_from_moves
from envs.connectx import ConnectFour

PUBLISHED_FILES = {
    "end-easy": "Test_L3_R1",
    "mid-easy": "Test_L2_R1",
    "mid-medium": "Test_L2_R2",
    "begin-easy": "Test_L1_R1",
    "begin-medium": "Test_L1_R2",
    "begin-hard": "Test_L1_R3",
}
"""The files of P. Pons' sets, by the names of our sets of the same kinds."""

PUBLISHED, OWN = "P. Pons' sets", "this package's sets of the kinds of P. Pons'"

Outcome = Callable[[BoardState], int]
"""Gives an unfinished position's outcome: 1, 0 or -1, from the view of the player to move."""


class DrawnSets(NamedTuple):
    """Positions of six kinds."""

    origin: str
    positions: Mapping[str, Sequence[ScoredPosition]]
    """By the names of the kinds."""


def draw_positions(folder: Path | None, sample: int, seed: int) -> DrawnSets:
    """Draw `sample` positions of each of the six sets, or all if there are fewer.

    Args:
        folder: the folder of P. Pons' files; None draws from our own sets of the same kinds.
        sample: the number of positions of each set.
        seed: the same seed draws the same positions.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file holds something else.
    """
    drawn: dict[str, Sequence[ScoredPosition]] = {}
    for kind in SETS:
        path = kind.path if folder is None else folder / PUBLISHED_FILES[kind.name]
        positions = _readable_positions(path)
        rng = Random(f"{seed}/{kind.name}")
        drawn[kind.name] = rng.sample(positions, min(sample, len(positions)))
    return DrawnSets(OWN if folder is None else PUBLISHED, drawn)


def _readable_positions(path: Path) -> list[ScoredPosition]:
    try:
        return read_positions(path)
    except OSError as error:
        raise OSError(
            f"cannot read {path} ({error.strerror}): give the folder of P. Pons' six files, or "
            "none for the sets of this package"
        ) from error
    except ValueError as error:
        raise ValueError(f"{path} must hold lines of moves and a score") from error


def losses_in_sets(agent: Agent, sets: DrawnSets) -> Iterator[tuple[str, bool]]:
    """For each position, the name of its set and whether the agent's move loses value."""
    env = ConnectFour()
    solver = Solver(env, book=shipped_book_of(env))
    for name, positions in sets.positions.items():
        for position in positions:
            before = sign(position.score)
            state = state_from_moves(env, position.moves)
            yield name, loses_value(agent, env, state, before, solver.outcome)


def losses_everywhere(
    agent: Agent, env: BoardGame, outcomes: Mapping[BoardState, int]
) -> Iterable[bool]:
    """For each position of `exact_outcomes`, whether the agent's move loses value."""
    for state, before in outcomes.items():
        yield loses_value(agent, env, state, before, outcomes.__getitem__)


def loses_value(
    agent: Agent, env: BoardGame, state: BoardState, before: int, outcome: Outcome
) -> bool:
    """Whether the agent's move in a position leads to a worse outcome than this one."""
    return outcome_after(env, state, agent.act(env, state), outcome) < before


def outcome_after(env: BoardGame, state: BoardState, action: int, outcome: Outcome) -> int:
    """The outcome of an action, from the view of the player who plays it."""
    if env.reward(state, action):
        return 1
    child = env.get_next_state(state, action)
    return -outcome(child) if env.get_available_actions(child) else 0


def exact_outcomes(env: BoardGame) -> dict[BoardState, int]:
    """Solve a small game by brute force: the outcome of each unfinished position."""
    known: dict[BoardState, int] = {}

    def outcome(state: BoardState) -> int:
        if state not in known:
            actions = env.get_available_actions(state)
            known[state] = max([outcome_after(env, state, action, outcome) for action in actions])
        return known[state]

    outcome(env.initial_state())
    return known
