"""Hard positions from games of strong players, and how often an agent keeps their result.

In each position some move gives the win or the draw away, and a look-ahead of two plies does not
show which. They come from games of a solver against itself that prefers moves with better exact
scores but sometimes plays at random, so that both seats have something to lose.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from pathlib import Path
from random import Random

from agents.agent import Agent
from agents.book.opening_book import shipped_book_of
from agents.guidance.opponent_models import preferences
from agents.reporting.stats import score_estimate
from agents.solver.solver import Solver
from benchmarks.results import Report, interval, table
from benchmarks.solver.make_positions import mirror_free_identity
from benchmarks.solver.positions import FOLDER
from envs.board import BoardState
from submission.grading.solved_positions import GAME, SolvedPosition

HARD_POSITIONS = FOLDER / "hard.txt"
"""A line per position: its moves, and the score of each column from the left, - for a full one."""

PLIES = range(3, 36)
PER_PLY = 4

TEMPERATURE = 0.8
"""A move whose score is lower by this much is 1 / e times as likely."""
RANDOM_SHARE = 0.02
"""The share of random moves."""

FULL = "-"

EARLY = 14
"""The plies of the opening, from which no search reaches the end of the game."""


def make_hard_positions(seed: int) -> Iterator[SolvedPosition]:
    """Make the positions of the set; the same seed gives the same ones.

    Each comes from its own game, and none equals another or its mirror image.
    """
    solver = Solver(GAME, book=shipped_book_of(GAME))
    rng = Random(seed)
    seen: set[BoardState] = set()
    for ply in PLIES:
        found = 0
        while found < PER_PLY:
            position = drawn_position(ply, solver, rng)
            if position is None or mirror_free_identity(position.moves) in seen:
                continue
            seen.add(mirror_free_identity(position.moves))
            found += 1
            yield position


def drawn_position(ply: int, solver: Solver, rng: Random) -> SolvedPosition | None:
    """Play a game up to a ply; return its position if that is unfinished and hard, else None."""
    moves, state = "", GAME.initial_state()
    while GAME.get_available_actions(state):
        scores = exact_scores(solver, state)
        if len(moves) == ply:
            position = SolvedPosition(moves, tuple(map(scores.get, range(GAME.columns))))
            return position if position.is_at_stake and not position.is_tactical else None
        action = drawn_action(scores, rng)
        state = GAME.get_next_state(state, action)
        moves += str(action + 1)
    return None


def exact_scores(solver: Solver, state: BoardState) -> Mapping[int, int]:
    """The score of each legal column, from the view of the player to move."""
    return {column: bounds.lower for column, bounds in solver.scores(state).items()}


def drawn_action(scores: Mapping[int, int], rng: Random) -> int:
    """Draw a move of a strong player."""
    if rng.random() < RANDOM_SHARE:
        return rng.choice(list(scores))
    chances = preferences(scores, TEMPERATURE)
    return rng.choices(list(chances), list(chances.values()))[0]


def write_hard_positions(path: Path, positions: Sequence[SolvedPosition]) -> None:
    """Write a file of hard positions."""
    lines = (
        " ".join([position.moves, *map(_score_text, position.scores)]) for position in positions
    )
    path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


def read_hard_positions(path: Path) -> list[SolvedPosition]:
    """The positions of a file written by `write_hard_positions`."""
    rows = map(str.split, path.read_text(encoding="ascii").splitlines())
    return [SolvedPosition(moves, tuple(map(_read_score, scores))) for moves, *scores in rows]


def kept_results(
    agents: Sequence[Agent], positions: Sequence[SolvedPosition]
) -> Iterator[tuple[bool, ...]]:
    """For each position, whether each agent's move keeps the result.

    The agents move in turn, so that other load on the machine slows all of them equally.
    """
    for position in positions:
        yield tuple(agent.act(GAME, position.state) in position.keeping for agent in agents)


def hard_report(
    names: Sequence[str],
    positions: Sequence[SolvedPosition],
    kept: Sequence[tuple[bool, ...]],
) -> Report:
    """The share of the moves that keep the result, for each agent."""
    rows = table("agent", "all", f"before ply {EARLY}", words=("agent",))
    early = [position.ply < EARLY for position in positions]
    for name, answers in zip(names, zip(*kept, strict=True), strict=True):
        rows.add_row(f"`{name}`", _share(answers), _share([*compress(answers, early)]))
    return [
        f"Moves that keep the win or the draw, in %, with the 95 % interval, of {len(kept)} "
        f"positions of plies {PLIES[0]} to {PLIES[-1]} from games of strong players: some move "
        "gives it away, and two plies do not show which",
        rows,
    ]


def _share(kept: Sequence[bool]) -> str:
    return interval(score_estimate(sum(kept), len(kept)), digits=1)


def _score_text(score: int | None) -> str:
    return FULL if score is None else str(score)


def _read_score(text: str) -> int | None:
    return None if text == FULL else int(text)
