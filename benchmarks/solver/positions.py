"""Six sets of solved Connect Four positions: their kinds, their files, and the workloads.

A line of a file is a move string and the exact score from the view of the player to move, on the
scale of `agents.solver.score_words`. The kinds are those of P. Pons' solver tutorial: phases by
the plies played, difficulties by the plies left under best play.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from agents.solver.score_words import plies_left

FOLDER = Path(__file__).parents[1] / "positions"
CELLS = 42

SIZE = 1000
"""Positions in a set."""

END, MIDDLE, BEGIN = range(29, CELLS), range(15, 29), range(1, 15)
EASY, MEDIUM, HARD = range(15), range(15, 29), range(29, CELLS)


class ScoredPosition(NamedTuple):
    """A solved position."""

    moves: str
    """The plies from the empty board: a digit for each column, counted from 1."""
    score: int
    """From the view of the player to move."""


@dataclass(frozen=True)
class PositionSet:
    """Positions of one phase and one difficulty."""

    name: str
    plies: range
    """The possible numbers of plies played."""
    plies_left: range
    """The possible numbers of plies left under best play."""

    @property
    def path(self) -> Path:
        """The file that holds the positions."""
        return FOLDER / f"{self.name}.txt"

    def admits(self, position: ScoredPosition) -> bool:
        """Whether a position is of this phase and difficulty."""
        plies = len(position.moves)
        return plies in self.plies and plies_left(CELLS, plies, position.score) in self.plies_left


SETS = (
    PositionSet("end-easy", END, EASY),
    PositionSet("mid-easy", MIDDLE, EASY),
    PositionSet("mid-medium", MIDDLE, MEDIUM),
    PositionSet("begin-easy", BEGIN, EASY),
    PositionSet("begin-medium", BEGIN, MEDIUM),
    PositionSet("begin-hard", BEGIN, HARD),
)


def read_positions(path: Path) -> list[ScoredPosition]:
    """The positions of a file written by `write_positions`."""
    lines = path.read_text(encoding="ascii").splitlines()
    return [ScoredPosition(moves, int(score)) for moves, score in map(str.split, lines)]


def write_positions(path: Path, positions: Iterable[ScoredPosition]) -> None:
    """Write a file of positions, one a line."""
    lines = (f"{moves} {score}\n" for moves, score in positions)
    path.write_text("".join(lines), encoding="ascii")


GOALS = {
    "end-easy": 0.22,
    "mid-easy": 0.30,
    "mid-medium": 0.48,
    "begin-easy": 0.06,
    "begin-medium": 0.70,
    "begin-hard": 0.55,
}
"""The goal for each set: at most this share of BitBully's time."""

SAMPLE = 100
SAMPLES = {"begin-hard": 20}
"""Smaller samples than `SAMPLE`, because BitBully takes seconds for each position."""


@dataclass(frozen=True)
class SolverWorkload:
    """Positions whose exact scores are to be found."""

    name: str
    positions: list[ScoredPosition]
    goal: float | None = None
    """At most this share of BitBully's time; None for no goal."""
    cleared: bool = True
    """Whether the table is cleared before each position, rather than only before the first."""


EMPTY_BOARD = SolverWorkload("empty board", [ScoredPosition("", 1)], goal=0.14)
"""The whole game, which player 1 wins with the last of their stones."""


def solver_workloads(sample: int | None = None) -> Iterator[SolverWorkload]:
    """The workloads: `sample` positions of each set.

    Clearing BitBully's table takes much longer than solving an easy position. That time is not
    counted, but the processor's caches are cold afterwards; so the easiest set is also solved
    without clearing.
    """
    for kind in SETS:
        size = sample if sample is not None else SAMPLES.get(kind.name, SAMPLE)
        positions = spread_out(read_positions(kind.path), size)
        yield SolverWorkload(kind.name, positions, GOALS[kind.name])
        if kind.name == "end-easy":
            yield SolverWorkload(f"{kind.name}, 1 table", positions, cleared=False)


def spread_out(positions: list[ScoredPosition], number: int) -> list[ScoredPosition]:
    """This number of the positions, from all over the set.

    There are few positions of one or two plies, so they are near the beginning of a set.
    """
    return positions[:: max(1, len(positions) // number)][:number]
