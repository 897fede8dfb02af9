"""Measures how often and how soon `connectx compare` is right about players of known strength.

The players take a win, or else block one, or else play at random; a share of their moves is blind.
The shares make the difference in strength, which long matches have measured.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from statistics import fmean

from benchmarks.results import Report, table
from submission.arena.players import Pairing, Player, PlayerKind, trusted
from submission.comparing.comparison import Comparison
from submission.comparing.finding import ComparisonSettings, Finding
from submission.comparing.trials import play_until_decided

SOURCE = """
import random

LOOKS_AWAY = {slips}


def wins(board, column, mark, conf):
    row = max(r for r in range(conf.rows) if board[r * conf.columns + column] == 0)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        stones = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < conf.rows and 0 <= c < conf.columns:
                if board[r * conf.columns + c] != mark:
                    break
                stones += 1
                r, c = r + sign * down, c + sign * right
        if stones >= conf.inarow:
            return True
    return False


def agent(obs, conf):
    legal = [column for column in range(conf.columns) if obs.board[column] == 0]
    if random.random() >= LOOKS_AWAY:
        for mark in (obs.mark, 3 - obs.mark):
            for column in legal:
                if wins(obs.board, column, mark, conf):
                    return column
    return random.choice(legal)
"""

OLD_SLIPS = 0.5


@dataclass(frozen=True, slots=True)
class KnownPair:
    """A new player with a known lead over the old one."""

    name: str
    slips: float
    """The share of the new player's moves that are blind; half for the old one."""
    elo: str
    """The lead from 12 000 games from openings of four plies, with the 95 % interval."""


KNOWN_PAIRS = (
    KnownPair("equal", OLD_SLIPS, "0, the same"),
    KnownPair("a little better", 0.43, "+28 [+22, +35]"),
    KnownPair("better", 0.27, "+103 [+96, +109]"),
)


@dataclass(frozen=True, slots=True)
class Trials:
    """The comparisons of one pair, each with its own games."""

    pair: KnownPair
    games: Sequence[Comparison]


def compare_known_pairs(
    pairs: Sequence[KnownPair], trials: int, margin: float, seed: int, executor: Executor
) -> Iterator[Trials]:
    """Compare the players of each pair several times."""
    old = player("old", OLD_SLIPS)
    for pair in pairs:
        pairing = Pairing(player("new", pair.slips), old)
        settings = [
            ComparisonSettings(margin=margin, seed=seed + number) for number in range(trials)
        ]
        yield Trials(
            pair,
            [play_until_decided(pairing, each, executor, lambda *_: None) for each in settings],
        )


def player(name: str, slips: float) -> Player:
    """A submission of such a player, which runs in the worker."""
    source = SOURCE.replace("{slips}", f"{slips}").encode()
    return trusted(Player(name, PlayerKind.FILE, source))


def comparison_report(measured: Sequence[Trials], margin: float) -> Report:
    """The findings, the games and the seconds of each pair."""
    findings = [*Finding]
    rows = table("pair", "Elo", *findings, "games", "most", "seconds", words=["pair", "Elo"])
    for trials in measured:
        counts = Counter(games.finding for games in trials.games)
        games = [len(each.match.records) for each in trials.games]
        rows.add_row(
            trials.pair.name,
            trials.pair.elo,
            *(str(counts[finding]) for finding in findings),
            f"{fmean(games):.0f}",
            str(max(games)),
            f"{fmean(each.seconds for each in trials.games):.1f}",
        )
    most = ComparisonSettings().games
    return [
        f"`connectx compare` with a margin of {margin:g} Elo and at most {most} games, on pairs of "
        "files whose difference is known. Games and seconds of one comparison on average, without "
        "its checks, the solved positions and the slow machine.",
        rows,
    ]
