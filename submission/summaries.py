"""What results come to: the few sentences that stand last, and alone with `--brief`."""

from collections.abc import Iterator

from agents.reporting.stats import Estimate
from submission.grading.grade_report import grade_notes
from submission.grading.grade_stats import HARD, AnswerStats, Measured, answer_stats, by_kind
from submission.grading.grading import Grade
from submission.match.match import Match, PairingStats
from submission.match.match_report import match_notes
from submission.rating.ladder import Ladder, Rung
from submission.rating.ladder_report import interval, ladder_warnings
from submission.reviewing.review import Review
from submission.reviewing.review_report import review_notes
from submission.terminal import plain_text


def match_summary(match: Match) -> list[str]:
    """All that went wrong, the verdicts of a sequential test, and the score of each pairing."""
    return [*match_notes(match), *map(_score, match.stats())]


def _score(stats: PairingStats) -> str:
    return f"{stats.player} against {stats.opponent}: {score_in_words(stats)}."


def score_in_words(stats: PairingStats) -> str:
    """As in "62.5 % [50.1, 73.2] of the points in 40 games, Elo +89 [+1, +175]"."""
    games = "1 game" if stats.games == 1 else f"{stats.games} games"
    if stats.score is None or stats.elo is None:
        return f"no pair of games counts, of {games}"
    return f"{percent(stats.score)} of the points in {games}, Elo {elo_in_words(stats.elo)}"


def percent(share: Estimate) -> str:
    """As in "62.5 % [50.1, 73.2]"."""
    return f"{100 * share.value:.1f} % [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def elo_in_words(elo: Estimate) -> str:
    """As in "+89 [+1, open]"."""
    return f"{elo.value:+.0f} {interval(elo)}"


def grade_summary(grade: Grade) -> list[str]:
    """What the answers were like, the share of good moves, and that in hard positions."""
    groups = {group.name: group.stats for group in by_kind(grade.answers)}
    hard = groups.get(HARD)
    return [
        *grade_notes(grade),
        *_kept(grade.player.name, answer_stats(grade.answers), "in all"),
        *([] if hard is None else _kept(grade.player.name, hard, "in hard positions")),
    ]


def _kept(player: str, stats: AnswerStats, where: str) -> Iterator[str]:
    if stats.kept is not None:
        yield (
            f"{player}, {where}: keeps the result in {_beside_random(stats.kept)} of "
            f"{stats.at_stake} positions in which a move can lose it."
        )


def _beside_random(measured: Measured) -> str:
    return f"{percent(measured.player)} (random play: {100 * measured.random:.1f} %)"


def ladder_summary(ladder: Ladder) -> list[str]:
    """All that went wrong, and the ratings, the strongest player first."""
    ranked = enumerate(ladder.rungs, start=1)
    return [
        *ladder_warnings(ladder.match),
        *(f"{rank}  {rung.player}: {_rating(rung, ladder.anchor)}" for rank, rung in ranked),
    ]


def _rating(rung: Rung, anchor: str) -> str:
    return "Elo 0, the anchor" if rung.player == anchor else f"Elo {elo_in_words(rung.elo)}"


def review_summary(review: Review) -> list[str]:
    """What was left out or went wrong, and how often a result was given away."""
    totals = review.totals()["all"]
    kinds = {
        "from a win to a draw": totals.win_to_draw,
        "from a win to a loss": totals.win_to_loss,
        "from a draw to a loss": totals.draw_to_loss,
        "not decided in the time": totals.undecided,
    }
    given_away = totals.win_to_draw + totals.win_to_loss + totals.draw_to_loss
    told = "".join(f"; {count} {kind}" for kind, count in kinds.items() if count)
    games = "1 game" if len(review.games) == 1 else f"{len(review.games)} games"
    return [
        *review_notes(review),
        plain_text(
            f"{review.player} gave the result away in {given_away} of {totals.moves} moves of "
            f"{games}{told}."
        ),
    ]
