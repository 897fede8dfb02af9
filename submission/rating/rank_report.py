"""A player's rank for the terminal: its scores against the levels, and its place among them."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from agents.levels import LEVELS
from submission.match.match import Completion, PairingStats
from submission.match.match_report import failures
from submission.rating.ladder_report import interval
from submission.rating.rank import Rank
from submission.reports import PlayerTable

RULES = (
    "Elo: the likeliest rating by the games, above level 1, with its 95 % interval; one game won "
    "and one lost that were not played count, too. The levels' own ratings are taken as known; "
    "they come from 540 games of each, with intervals of 60 to 110 Elo on either side."
)


def render_rank(rank: Rank) -> RenderableType:
    """The results against each level, and the rules."""
    return Group(_scores_table(rank), Text(RULES, "dim"))


def _scores_table(rank: Rank) -> PlayerTable:
    elo = {score.level.n: score.level.elo for score in rank.scores}
    return PlayerTable(
        f"{rank.player} against the levels",
        "level",
        ("Elo", "games", "W-D-L\nfirst", "W-D-L\nsecond", "points, %"),
        {
            f"{score.level.n}, {score.level.name}": [
                f"{elo[score.level.n]:+d}",
                *_results(stats),
                f"{100 * score.points / score.games:.1f}",
            ]
            for score, stats in zip(rank.scores, rank.match.stats(), strict=True)
        },
    )


def _results(stats: PairingStats) -> Iterator[str]:
    yield from (str(stats.games), str(stats.as_first), str(stats.as_second))


EARLY_ENDINGS = {
    Completion.INTERRUPTED: "Interrupted after {played} games.",
    Completion.WORKER_DIED: "A worker process died after {played} games: take fewer --workers.",
}


def rank_summary(rank: Rank) -> list[str]:
    """All that went wrong, and the rank."""
    played, asked = len(rank.match.records), rank.match.settings.games
    early = EARLY_ENDINGS.get(rank.match.completion, "")
    if not early and played < asked:
        early = "The time was over after {played} of {asked} games: give more with --minutes."
    notes = [early.format(played=played, asked=asked)] if early else []
    return [
        *notes,
        *failures(rank.match),
        _rank_in_words(rank) if played else "No game was played.",
    ]


def _rank_in_words(rank: Rank) -> str:
    level, last = rank.nearest, LEVELS[-1]
    return (
        f"{rank.player} plays about like level {level.n}, {level.name}: Elo "
        f"{rank.elo.value:+.0f} {interval(rank.elo)} by {len(rank.match.records)} games, where "
        f"{LEVELS[0].name} play has 0, level {level.n} {level.elo:+d} and {last.name} play "
        f"{last.elo:+d}."
    )
