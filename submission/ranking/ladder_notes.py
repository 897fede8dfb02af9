"""What must be known to read the tables of a ladder."""

from collections.abc import Iterator

from submission.evaluating.evaluation import Evaluation
from submission.evaluating.evaluation_notes import early_end, failures, repetitions
from submission.evaluating.settings import Arena
from submission.ranking.ladder import Ladder

RULES = (
    "W-D-L: wins, draws and losses; who fails has lost. Elo: the likeliest ratings of the "
    "Bradley-Terry model, in which a draw is half a game won; points above {anchor}. The interval "
    "is the Bayesian bootstrap's over pairs of games, one opening from both seats; it is open on a "
    "side where the games set no limit. For both, each player counts one game won and one lost "
    "that were not played, spread over its opponents. Above next: how probable it is that the "
    "player is stronger than the one below."
)

ENOUGH_GAMES = 20
"""Of each two players, for intervals that hold the true rating about as often as they say."""


def ladder_title(ladder: Ladder) -> str:
    """What was played."""
    settings = ladder.evaluation.settings
    configuration = settings.configuration
    referee = "Kaggle's environment" if settings.arena is Arena.KAGGLE else "the own arena"
    return (
        f"Ladder of {len(ladder.rungs)} players: {len(ladder.evaluation.records)} games on "
        f"{configuration.rows}x{configuration.columns}, {configuration.inarow} in a row, "
        f"{configuration.act_timeout:g} s a move, {referee}"
    )


def ladder_notes(ladder: Ladder) -> list[str]:
    """How the games ended, what went wrong, and what the columns mean."""
    return [
        *early_end(ladder.evaluation),
        *repetitions(ladder.evaluation),
        *failures(ladder.evaluation),
        *few_games(ladder.evaluation),
        RULES.format(anchor=ladder.anchor),
        _conditions(ladder.evaluation),
    ]


def few_games(evaluation: Evaluation) -> Iterator[str]:
    """What to think of the ratings where some pairing has played little."""
    fewest = min(summary.games for summary in evaluation.summaries())
    if fewest < ENOUGH_GAMES:
        yield (
            f"The fewest games of two players are {fewest}: with less than {ENOUGH_GAMES} of each "
            "two the intervals are too narrow, and ratings that lie far apart too close."
        )


def _conditions(evaluation: Evaluation) -> str:
    """What it takes to play the same games again."""
    settings, versions = evaluation.settings, evaluation.versions
    return (
        f"Seed {settings.seed}, openings of {settings.opening_plies} plies, at most "
        f"{settings.games} games of each two; connectx-agents {versions.package}, "
        f"kaggle-environments {versions.kaggle_environments or 'not installed'}, "
        f"Python {versions.python}."
    )
