"""What makes the figures of an evaluation less than they look, in sentences."""

from collections.abc import Iterator

from submission.evaluating.evaluation import Ending, Evaluation
from submission.evaluating.summary import failing_status

EARLY_ENDINGS = {
    Ending.INTERRUPTED: "Interrupted: {played} of {asked} games were played.",
    Ending.UNFINISHED: "So far {played} of {asked} games have been played.",
    Ending.WORKER_DIED: (
        "The workers died after {played} of {asked} games, for want of memory, or with their "
        "scheduler: play fewer games at a time; --resume goes on where there is a results file."
    ),
}


def early_end(evaluation: Evaluation) -> Iterator[str]:
    """Why games are missing, if some are."""
    if evaluation.ending in EARLY_ENDINGS:
        yield EARLY_ENDINGS[evaluation.ending].format(
            played=len(evaluation.records),
            asked=evaluation.settings.games * len(evaluation.pairings),
        )


def repetitions(evaluation: Evaluation) -> Iterator[str]:
    """Which pairings played a game more than once."""
    repeated = [
        f"{summary.player} and {summary.opponent}, {summary.distinct_games} of {summary.games}"
        for summary in evaluation.summaries()
        if summary.distinct_games < summary.games
    ]
    if repeated:
        yield (
            "Games were repeated, but the intervals take all pairs as independent; distinct are, "
            f"of {'; of '.join(repeated)}."
        )


def failures(evaluation: Evaluation) -> Iterator[str]:
    """For each player that failed, how often, and how and why first."""
    for player in evaluation.players:
        failed = [game for game in evaluation.records if game.failing_player == player.name]
        if failed:
            first = failed[0]
            games = "1 game" if len(failed) == 1 else f"{len(failed)} games"
            yield (
                f"{player.name} failed in {games}, first in game {first.game} of "
                f"{first.player} against {first.opponent}: {failing_status(first)}, {first.cause}."
            )
