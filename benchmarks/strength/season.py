"""Simulates seasons of rated games, to estimate what the second seat is worth on a leaderboard.

First each kind of player meets each kind, itself included, from both seats. Then many players of
these kinds meet in simulated seasons and are rated as Kaggle describes its ratings: a player's
skill is estimated by a normal distribution, and an episode moves both means; the move is the
larger, the less expected the result and the less certain the means.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, product
from math import erfc, sqrt
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple

from agents.reporting.stats import Z_95
from benchmarks.results import Report, table
from benchmarks.strength.seeded_games import Pairing, play_pairings

TRAPS = "perfect:resistance=traps,time_limit=0.5"
LONGEST = "perfect:resistance=longest,time_limit=0.5"
"""The two perfect players that are compared; with much less time they err on a busy machine."""
PERFECT_SHARE = 10
"""One in this many players is perfect; half of the perfect players set traps."""
FEWEST_PLAYERS = 2 * PERFECT_SHARE

OTHERS = (
    "random",
    *(f"level:n={n}" for n in range(2, 10)),
    *(f"alphabeta:depth={depth},time_limit=none,weights=none" for depth in (4, 8)),
    *(f"mcts:simulations={simulations}" for simulations in (200, 2000)),
    *(f"alphazero:simulations={simulations}" for simulations in (20, 100)),
)
"""The kinds of all other players; each takes some 20 ms per move or less."""
KINDS = (TRAPS, LONGEST, *OTHERS)

BEGINNING = 600.0
"""The rating of new players, as on Kaggle."""
UNCERTAINTY = BEGINNING / 3
"""The standard deviation of a new rating. Kaggle does not publish it; this ratio and the next are
those of TrueSkill (R. Herbrich, T. Minka, T. Graepel, 2006)."""
LUCK = UNCERTAINTY / 2
"""The standard deviation of a player's performance in one episode."""
LOOKS = 10
"""Opponents drawn for an episode; the one whose rating is nearest plays."""
SMALLEST_CHANCE = 1e-300
"""A less likely win moves the ratings as a draw does."""

STANDARD = NormalDist()

Outcomes = Mapping[Pairing, Sequence[float]]
"""The results of games, from player 1's view: 1 for a win, 0 for a draw, -1 for a loss."""


class Rating(NamedTuple):
    """The estimate of a player's skill: a normal distribution."""

    mu: float = BEGINNING
    sigma: float = UNCERTAINTY


class Episode(NamedTuple):
    """How far an episode moves the ratings of its players."""

    spread: float
    """The standard deviation of the difference of their performances."""
    shift: float
    """Shift of the first mean, in units of its variance over `spread`; the other's is opposite."""
    told: float
    """Relative loss of a variance, in units of the variance over that of the difference."""


class Standing(NamedTuple):
    """The mean standing of the players of a kind at the end of a season."""

    mu: float
    rank: float
    """The rank; 1 is the best."""


@dataclass(frozen=True)
class Seasons:
    """Simulated seasons: the standings by kind in each, and the number of players of each kind."""

    players: Mapping[str, int]
    standings: Sequence[Mapping[str, Standing]]
    episodes: int


def measured_outcomes(
    kinds: Sequence[str], games: int, seed: int, workers: int
) -> dict[Pairing, tuple[float, ...]]:
    """The results of games of each kind against each, itself included, on either seat.

    Other arguments and errors are those of `play_pairings`.
    """
    pairings = [Pairing(*pair) for pair in product(kinds, repeat=2)]
    played = play_pairings(pairings, games, seed, workers)
    results = [tuple(game.result for game in its) for its in played]
    return dict(zip(pairings, results, strict=True))


def simulate(outcomes: Outcomes, players: int, episodes: int, seasons: int, seed: int) -> Seasons:
    """Simulate seasons, each with its own seed.

    A few games leave the frequencies of results uncertain, so each season resamples as many results
    of a pairing as were measured, with replacement (B. Efron's bootstrap).

    `outcomes` needs all pairings of `KINDS`, `players` is at least `FEWEST_PLAYERS`, and `seasons`
    at least two.
    """
    kinds = roster(players)
    standings = []
    for season in range(seasons):
        rng = Random(f"{seed}/{season}")
        drawn = {pair: rng.choices(results, k=len(results)) for pair, results in outcomes.items()}
        standings.append(standings_of(kinds, play_season(kinds, drawn, episodes, rng)))
    return Seasons(Counter(kinds), standings, episodes)


def roster(players: int) -> list[str]:
    """The kind of each player: a tenth is perfect, the rest are spread over all other kinds."""
    of_each = players // (2 * PERFECT_SHARE)
    perfect = [TRAPS] * of_each + [LONGEST] * of_each
    return [*perfect, *islice(cycle(OTHERS), players - len(perfect))]


def play_season(
    kinds: Sequence[str], outcomes: Outcomes, episodes: int, rng: Random
) -> list[Rating]:
    """The ratings of players of these kinds after `episodes` games between neighbours in rating."""
    ratings = [Rating() for _ in kinds]
    for _ in range(episodes):
        seats = _matched(ratings, rng)
        rng.shuffle(seats)
        first, second = seats
        result = rng.choice(outcomes[Pairing(kinds[first], kinds[second])])
        ratings[first], ratings[second] = updated(ratings[first], ratings[second], result)
    return ratings


def _matched(ratings: Sequence[Rating], rng: Random) -> list[int]:
    """A random player, and one of similar rating."""
    player, *others = rng.sample(range(len(ratings)), min(1 + LOOKS, len(ratings)))
    mu = ratings[player].mu
    return [player, min(others, key=lambda other: abs(ratings[other].mu - mu))]


def updated(first: Rating, second: Rating, result: float) -> tuple[Rating, Rating]:
    """The ratings after an episode.

    The winner's mean rises and the loser's falls, more so if that was unexpected; a draw pulls both
    together. Each moves in proportion to its own variance, which shrinks. The result is from player
    1's view: 1, 0 or -1.
    """
    episode = _episode(first, second, result)
    return _moved(first, episode.shift, episode), _moved(second, -episode.shift, episode)


def _episode(first: Rating, second: Rating, result: float) -> Episode:
    """TrueSkill's update for two players, with a draw margin of 0.

    The better performance wins an episode. The difference of the performances is normally
    distributed, with mean m and variance 1 in units of the spread. Knowing that it is positive
    (negative, or 0) changes its mean by v and reduces its variance by w. For the winner
    v = phi(m) / Phi(m) and w = v (v + m); for a draw v = -m and w = 1.
    """
    spread = sqrt(2 * LUCK**2 + first.sigma**2 + second.sigma**2)
    ahead = (first.mu - second.mu) / spread
    chance = erfc(-result * ahead / sqrt(2)) / 2
    if result == 0 or chance < SMALLEST_CHANCE:
        return Episode(spread, -ahead, 1.0)
    surprise = STANDARD.pdf(ahead) / chance
    return Episode(spread, result * surprise, surprise * (surprise + result * ahead))


def _moved(rating: Rating, shift: float, episode: Episode) -> Rating:
    share = rating.sigma**2 / episode.spread
    kept = 1 - share / episode.spread * episode.told
    return Rating(rating.mu + share * shift, rating.sigma * sqrt(kept))


def standings_of(kinds: Sequence[str], ratings: Sequence[Rating]) -> dict[str, Standing]:
    """The mean rating and rank of the players of each kind."""
    order = sorted(range(len(kinds)), key=lambda player: -ratings[player].mu)
    ranks = {player: rank for rank, player in enumerate(order, start=1)}
    return {
        kind: Standing(
            fmean(ratings[player].mu for player in ranks if kinds[player] == kind),
            fmean(ranks[player] for player in ranks if kinds[player] == kind),
        )
        for kind in dict.fromkeys(kinds)
    }


def season_report(seasons: Seasons) -> Report:
    """The standings of the kinds, and the lead of traps over the longest resistance."""
    means = {
        kind: Standing(*map(fmean, zip(*(each[kind] for each in seasons.standings), strict=True)))
        for kind in seasons.players
    }
    rows = table("kind", "players", "mu at the end", "rank", words=("kind",))
    for kind, mean in sorted(means.items(), key=lambda item: item[1].rank):
        rows.add_row(f"`{kind}`", str(seasons.players[kind]), f"{mean.mu:.1f}", f"{mean.rank:.1f}")
    return [
        f"Means of {len(seasons.standings)} simulated seasons of {sum(seasons.players.values())} "
        f"players and {seasons.episodes} episodes, rated as on Kaggle from {BEGINNING:g} on",
        rows,
        f"`{TRAPS}` is ahead of `{LONGEST}` by {_gain_text(seasons, 'mu', 1)} in mu and by "
        f"{_gain_text(seasons, 'rank', -1)} places: the mean of the seasons with its 95 % "
        "interval, and in brackets the spread of 95 % of the seasons, by luck and few measured "
        "games.",
    ]


def _gain_text(seasons: Seasons, field: str, sign: int) -> str:
    gains = [
        sign * (getattr(each[TRAPS], field) - getattr(each[LONGEST], field))
        for each in seasons.standings
    ]
    within = Z_95 * stdev(gains)
    return f"{fmean(gains):+.1f} ± {within / sqrt(len(gains)):.1f} (± {within:.1f})"


def outcome_figures(outcomes: Outcomes) -> list[dict[str, object]]:
    """The measured wins, draws and losses of player 1 in each pairing."""
    return [
        {
            "first": pairing.first,
            "second": pairing.second,
            "wins": results.count(1),
            "draws": results.count(0),
            "losses": results.count(-1),
        }
        for pairing, results in outcomes.items()
    ]
