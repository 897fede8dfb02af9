"""Counts the points of player 2 from the empty board, where it loses against perfect play.

Player 2 depends on its opponents' mistakes, which differ from kind to kind. So points are counted
against many kinds, and a book of traps is judged by opponents that are not in its model.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, product
from statistics import fmean
from typing import NamedTuple

from rich.table import Table

from agents.networks.shipped import known_policy, require_known_game
from agents.reporting.stats import Estimate, score_estimate
from benchmarks.results import Report, table
from benchmarks.strength.matches import points
from benchmarks.strength.seeded_games import GAME, Games, Pairing, play_pairings

PLAYERS = ("perfect:resistance=traps,time_limit=1", "perfect:resistance=longest,time_limit=1")
"""The players tested by default."""


def _each(specification: str, values: Iterable[object]) -> tuple[str, ...]:
    return tuple(specification.format(value) for value in values)


_ALPHA_BETA = "alphabeta:depth={},time_limit=none"
_COMPILED = range(4, 15)
_IN_PYTHON = range(4, 10)
"""Depths for the heuristic `threats`, which is not compiled: less than a second per move."""
_BUDGETS = (50, 100, 250, 600, 800, 2000, 5000)
_GUMBEL_BUDGETS = (50, 100, 250)
_ROLLOUT_BUDGETS = (500, 1000, 5000, 20_000, 50_000)
_TEMPERATURES = (0, 0.4, 0.7, 1)

REPORTED_OPPONENTS: Mapping[str, tuple[str, ...]] = {
    "alphabeta, open_lines": _each(f"{_ALPHA_BETA},heuristic=open_lines,weights=none", _COMPILED),
    "alphabeta, zero": _each(f"{_ALPHA_BETA},heuristic=zero,weights=none", _COMPILED),
    "alphabeta, threats": _each(f"{_ALPHA_BETA},heuristic=threats,weights=none", _IN_PYTHON),
    "alphabeta, network": _each(_ALPHA_BETA, range(4, 13)),
    "mcts, rollouts": _each("mcts:simulations={},weights=none", _ROLLOUT_BUDGETS),
    "mcts, network": _each("mcts:simulations={}", _ROLLOUT_BUDGETS),
    "alphazero, distilled": (
        *_each("alphazero:simulations={}", _BUDGETS),
        *_each("alphazero:simulations={},root=gumbel", _GUMBEL_BUDGETS),
    ),
    "alphazero, zero": (
        *_each("alphazero:simulations={},weights=zero", _BUDGETS),
        *_each("alphazero:simulations={},root=gumbel,weights=zero", _GUMBEL_BUDGETS),
    ),
    "policy, distilled": _each("policy:temperature={}", _TEMPERATURES),
    "policy, zero": _each("policy:temperature={},weights=zero", _TEMPERATURES),
    "levels": _each("level:n={}", range(5, 10)),
}
"""Opponents by group; none is in the model of the book of traps."""

BOOK_OPPONENTS = (
    *_each("alphazero:simulations={}", (160, 300, 400, 700, 1200, 1600, 2500, 7000)),
    "alphazero:simulations=150,root=gumbel",
    *_each("alphazero:simulations={},weights=zero", (70, 200, 400, 1500)),
    *_each("mcts:simulations={}", (400, 800, 2500, 8000)),
    "alphabeta:depth=7,time_limit=none,weights=zero",
    "policy:temperature=0.5",
    "policy:temperature=0.3,weights=zero",
)
"""Opponents from the model of the shipped book of traps. Its others had former networks: alphazero
with 400 to 1000 simulations, mcts with 1500 and 2500, alphabeta at depths 6 to 10, and policies."""

NETWORK_OPPONENTS = (
    *_each("alphazero:simulations={},weights=FILE", (100, 600, 2000, 5000)),
    "mcts:simulations=3000,weights=FILE",
    *_each("alphabeta:depth={},time_limit=none,weights=FILE", (8, 9)),
    "policy:temperature=0.4,weights=FILE",
)
"""Opponents with a newly trained network, whose file replaces FILE."""


class Pool(StrEnum):
    """A choice of opponents."""

    REPORTED = "reported"
    BOOK = "book"
    ALL = "all"


class Opponent(NamedTuple):
    """An opponent, and the group in which it is counted."""

    group: str
    specification: str


@dataclass(frozen=True)
class Encounter:
    """The games of a player, who has the second seat, against an opponent."""

    player: str
    opponent: Opponent
    games: Games
    """The games, some of which may be the same."""

    @property
    def distinct(self) -> int:
        """The number of different games."""
        return len(set(self.games))

    @property
    def score(self) -> Estimate:
        """The player's points per game, in [0, 1], with half a point for a draw.

        The mean is over all games. The interval counts only distinct games, because a repeated game
        is no new evidence.
        """
        mean = fmean(points(game.result, seat=2) for game in self.games)
        return score_estimate(mean * self.distinct, self.distinct)

    @property
    def tally(self) -> tuple[int, int, int]:
        """The player's wins, draws and losses."""
        results = Counter(game.result for game in self.games)
        return results[-1], results[0], results[1]

    @property
    def errs(self) -> bool:
        """Whether the opponent gave its win away in any game."""
        return self.tally[2] < len(self.games)


def opponents_of(pool: Pool, networks: Sequence[str] = (), only: str = "") -> list[Opponent]:
    """The opponents of a pool, and those with newly trained networks.

    Args:
        pool: the pool, to which those with networks are always added.
        networks: files made by `connectx train`.
        only: keeps opponents with this text in their group or specification, ignoring case.

    Raises:
        OSError: a network cannot be read.
        ValueError: a network is damaged or for another game, or no opponent is left.
    """
    groups: dict[str, Sequence[str]] = {}
    if pool is not Pool.BOOK:
        groups |= REPORTED_OPPONENTS
    if pool is not Pool.REPORTED:
        groups["of the book"] = BOOK_OPPONENTS
    for file in networks:
        require_known_game(known_policy(file), GAME)
        groups[f"with {file}"] = [text.replace("FILE", file) for text in NETWORK_OPPONENTS]
    known = [Opponent(group, text) for group, texts in groups.items() for text in texts]
    chosen = [each for each in known if any(only.lower() in text.lower() for text in each)]
    if not chosen:
        raise ValueError(
            f"no opponent has {only!r} in its name or group; the groups are {'; '.join(groups)}"
        )
    return chosen


def play_encounters(
    players: Sequence[str], opponents: Sequence[Opponent], games: int, seed: int, workers: int
) -> list[Encounter]:
    """Play each player against each opponent, who moves first; game n has the same seed for all.

    Other arguments and errors are those of `play_pairings`.
    """
    met = [*product(dict.fromkeys(players), opponents)]
    pairings = [Pairing(opponent.specification, player) for player, opponent in met]
    played = play_pairings(pairings, games, seed, workers)
    return [
        Encounter(player, opponent, its)
        for (player, opponent), its in zip(met, played, strict=True)
    ]


def second_seat_report(encounters: Sequence[Encounter]) -> Report:
    """The means of the groups, and a row for each opponent."""
    players = list(dict.fromkeys(each.player for each in encounters))
    letters = {player: chr(ord("A") + number) for number, player in enumerate(players)}
    names = "; ".join(f"{letter} is `{player}`" for player, letter in letters.items())
    erring = {each.opponent for each in encounters if each.errs}
    worst = "; ".join(_worst_text(encounters, erring, player) for player in players if erring)
    return [
        "Points a game as player 2 from the empty board, where each of its moves loses against "
        f"perfect play: a win counts 1, a draw 1/2. {names}",
        _group_table(encounters, erring, letters),
        "An opponent errs if it gives the win away at least once, to any player. "
        f"{'The least points against such opponents: ' if worst else 'Nobody errs'}{worst}.",
        _opponent_table(encounters, erring, letters),
        "With 95 % intervals over the distinct games; agents without random numbers play one game, "
        "or the same game twice.",
    ]


def _group_table(
    encounters: Sequence[Encounter], erring: Set[Opponent], letters: Mapping[str, str]
) -> Table:
    """For each group, how many opponents err, and each player's mean points."""
    rows = table("opponents", "number", "err", *letters.values(), words=("opponents",))
    groups = {
        group: [each for each in encounters if each.opponent.group == group]
        for group in dict.fromkeys(each.opponent.group for each in encounters)
    }
    of_erring = [each for each in encounters if each.opponent in erring]
    for name, some in {**groups, "all": encounters, "all who err": of_erring}.items():
        opponents = {each.opponent for each in some}
        means = [_mean_text(some, player) for player in letters]
        rows.add_row(name, str(len(opponents)), str(len(opponents & erring)), *means)
    return rows


def _mean_text(encounters: Sequence[Encounter], player: str) -> str:
    means = [each.score.value for each in encounters if each.player == player]
    return f"{fmean(means):.3f}" if means else ""


def _worst_text(encounters: Sequence[Encounter], erring: Set[Opponent], player: str) -> str:
    """A player's lowest points against an opponent that errs."""
    own = [each for each in encounters if each.player == player and each.opponent in erring]
    worst = min(own, key=lambda each: each.score.value)
    against = worst.opponent.specification
    return f"{worst.score.value:.3f} of `{player}` against `{against}`"


def _opponent_table(
    encounters: Sequence[Encounter], erring: Set[Opponent], letters: Mapping[str, str]
) -> Table:
    """The points, results and number of games of each player against each opponent."""
    kinds = ("points", "wins-draws-losses", "distinct games")
    columns = [f"{letter}: {kind}" for letter, kind in product(letters.values(), kinds)]
    rows = table("opponent", "errs", *columns, words=("opponent",))
    for opponent in dict.fromkeys(each.opponent for each in encounters):
        cells = [_cells(each) for each in encounters if each.opponent == opponent]
        errs = "yes" if opponent in erring else "no"
        rows.add_row(f"`{opponent.specification}`", errs, *chain.from_iterable(cells))
    return rows


def _cells(encounter: Encounter) -> Sequence[str]:
    score = encounter.score
    return (
        f"{score.value:.3f} ({score.low:.3f}-{score.high:.3f})",
        "-".join(map(str, encounter.tally)),
        f"{encounter.distinct} of {len(encounter.games)}",
    )


def encounter_figures(encounter: Encounter) -> dict[str, object]:
    """The figures of an encounter, as numbers and words."""
    wins, draws, losses = encounter.tally
    return {
        "player": encounter.player,
        "group": encounter.opponent.group,
        "opponent": encounter.opponent.specification,
        "points": encounter.score.value,
        "low": encounter.score.low,
        "high": encounter.score.high,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "games": len(encounter.games),
        "distinct": encounter.distinct,
        "errs": encounter.errs,
    }
