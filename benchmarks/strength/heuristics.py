"""A round robin of the heuristics, in alpha-beta searches that are otherwise equal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from rich.table import Table

from agents import AlphaBetaAgent
from agents.reporting.stats import score_estimate
from benchmarks.results import Report, interval, table
from benchmarks.strength.matches import match_points, openings
from envs import ConnectFour, TicTacToe
from envs.board import BoardGame

CONTESTANTS: Mapping[BoardGame, Sequence[str]] = {
    ConnectFour(): ("zero", "open_lines", "threats"),
    TicTacToe(): ("zero", "open_lines", "open_twos", "squares"),
}
DEPTHS = (2, 4)
OPENING_PLIES = 2


@dataclass(frozen=True)
class Pairing:
    """Two heuristics that play each other at the same depth."""

    env: BoardGame
    depth: int
    heuristics: tuple[str, str]


@dataclass(frozen=True)
class PairingScore:
    """The points of the first heuristic of a pairing."""

    pairing: Pairing
    points: float
    games: int

    def of(self, heuristic: str) -> float:
        """The points of one of the two."""
        return self.points if heuristic == self.pairing.heuristics[0] else self.games - self.points


def pairings() -> list[Pairing]:
    """Each heuristic against each other, for each game and depth."""
    return [
        Pairing(env, depth, pair)
        for env, heuristics in CONTESTANTS.items()
        for depth in DEPTHS
        for pair in combinations(heuristics, 2)
    ]


def play_pairing(pairing: Pairing) -> PairingScore:
    """Play two games from each opening."""
    first, second = (
        AlphaBetaAgent(depth=pairing.depth, time_limit=None, heuristic=heuristic)
        for heuristic in pairing.heuristics
    )
    points = match_points(pairing.env, first, second, openings(pairing.env, OPENING_PLIES))
    return PairingScore(pairing, sum(points), games=2 * len(points))


def heuristic_report(scores: Sequence[PairingScore]) -> Report:
    """A table for each game and depth."""
    report: list[str | Table] = [
        f"Heuristics: per cent of the points, with the 95 % interval; from all openings of "
        f"{OPENING_PLIES} plies, mirror images aside, on both seats"
    ]
    for (env, heuristics), depth in product(CONTESTANTS.items(), DEPTHS):
        group = [s for s in scores if (s.pairing.env, s.pairing.depth) == (env, depth)]
        report += [f"{env}, alpha-beta to depth {depth}", round_robin(heuristics, group)]
    return report


def round_robin(heuristics: Sequence[str], scores: Sequence[PairingScore]) -> Table:
    """A row for each heuristic, with its score against each other and against all of them."""
    rows = table("heuristic", *heuristics, "all", words=("heuristic",))
    for heuristic in heuristics:
        own = [score for score in scores if heuristic in score.pairing.heuristics]
        against = {
            opponent: [score for score in own if opponent in score.pairing.heuristics]
            for opponent in heuristics
            if opponent != heuristic
        }
        cells = [_share(heuristic, against.get(opponent, ())) for opponent in heuristics]
        rows.add_row(heuristic, *cells, _share(heuristic, own))
    return rows


def _share(heuristic: str, scores: Sequence[PairingScore]) -> str:
    if not scores:
        return ""
    points = sum(score.of(heuristic) for score in scores)
    return interval(score_estimate(points, sum(score.games for score in scores)))
