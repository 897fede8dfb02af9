"""Reports of a match for the terminal: tables of results, move times and openings, with notes.

`render_match` is the report of one player's games; the notes serve ladders, too.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from agents.book.opening_book import shipped_book_of
from agents.reporting.stats import Estimate
from agents.solver.position_bounds import sign
from envs.board import BoardGame, moves_text
from submission.arena.game_record import GameRecord
from submission.match.match import (
    Completion,
    Match,
    MoveTimes,
    PairingStats,
    Tally,
    pairing_stats,
)
from submission.match.schedule import Opening
from submission.match.sprt import ENOUGH_REPEATS, SequentialTest
from submission.reports import NOTHING, PlayerTable, plain_table

RULES = (
    "W-D-L: wins, draws and losses on the first and on the second seat, among the games in which "
    "both statuses were DONE. Score: of the pairs of games, one opening from both seats; a win is "
    "1, a draw 1/2, a failure of the player 0; left out are pairs in which the opponent failed, "
    "and games whose partner was not played. In brackets the 95 % interval by the spread between "
    "pairs, and for Elo the same limits by 400 log10(s / (1 - s)). The first move includes loading "
    "the submission, and compiling where there is any."
)


def render_match(match: Match) -> RenderableType:
    """Two tables of a player against its opponents, results and times, and how they count."""
    stats = match.stats()
    return Group(results_table(stats), _times_table(stats), Text(RULES))


def match_notes(match: Match) -> list[str]:
    """Verdicts of the sequential test, and all that went wrong."""
    return [*_verdicts(match), *failures(match), *early_end(match), *repetitions(match)]


def results_table(stats: Sequence[PairingStats]) -> PlayerTable:
    """The results of a player against each opponent."""
    return PlayerTable(
        f"Results of {stats[0].player}",
        "against",
        ("games", "W-D-L\nfirst", "W-D-L\nsecond", "score, %", "Elo", "failed"),
        {
            pairing.opponent: (
                str(pairing.games),
                str(pairing.as_first),
                str(pairing.as_second),
                _score(pairing.score),
                _elo(pairing.elo),
                f"{sum(pairing.player_failures.values())} player\n"
                f"{sum(pairing.opponent_failures.values())} opponent",
            )
            for pairing in stats
        },
    )


def _times_table(stats: Sequence[PairingStats]) -> PlayerTable:
    own = ("first", "mean", "max")
    return PlayerTable(
        f"Seconds for a move of {stats[0].player}, and of its opponent",
        "against",
        (*own, *(f"opponent's\n{heading}" for heading in own)),
        {
            pairing.opponent: (
                *_seconds(pairing.player_times),
                *_seconds(pairing.opponent_times),
            )
            for pairing in stats
        },
    )


def _score(score: Estimate | None) -> str:
    if score is None:
        return NOTHING
    return f"{100 * score.value:.1f}\n[{100 * score.low:.1f}, {100 * score.high:.1f}]"


def _elo(elo: Estimate | None) -> str:
    if elo is None:
        return NOTHING
    return f"{elo.value:+.0f}\n[{elo.low:+.0f}, {elo.high:+.0f}]"


def _seconds(times: MoveTimes) -> list[str]:
    seconds = (times.first, times.mean, times.longest)
    return [NOTHING if number is None else f"{number:.3f}" for number in seconds]


EARLY_ENDINGS = {
    Completion.INTERRUPTED: "Interrupted: {played} of {asked} games were played.",
    Completion.UNFINISHED: "So far {played} of {asked} games have been played.",
    Completion.WORKER_DIED: (
        "The workers died after {played} of {asked} games, for want of memory, or with their "
        "scheduler: play fewer games at a time; --resume goes on where there is a results file."
    ),
}


def early_end(match: Match) -> Iterator[str]:
    """Say why games are missing, if some are."""
    if match.completion in EARLY_ENDINGS:
        yield EARLY_ENDINGS[match.completion].format(
            played=len(match.records),
            asked=match.settings.games * len(match.pairings),
        )


def repetitions(match: Match) -> Iterator[str]:
    """Name the pairings that played a game more than once."""
    repeated = [
        f"{pairing.player} and {pairing.opponent}, {pairing.distinct_games} of {pairing.games}"
        for pairing in match.stats()
        if pairing.distinct_games < pairing.games
    ]
    if repeated:
        yield (
            "Games were repeated, but the intervals take all pairs as independent; distinct are, "
            f"of {'; of '.join(repeated)}."
        )


def failures(match: Match) -> Iterator[str]:
    """Say of each player that failed how often, and how and why first."""
    for player in match.players:
        failed = [game for game in match.records if player.name in game.failing_players]
        if failed:
            first = failed[0]
            games = "1 game" if len(failed) == 1 else f"{len(failed)} games"
            yield (
                f"{player.name} failed in {games}, first in {first}: "
                f"{first.status_of(player.name)}, {first.cause}."
            )


def _verdicts(match: Match) -> Iterator[str]:
    """The verdict of the sequential test, if there is one, on each pairing."""
    sprt = match.settings.sprt
    if sprt is None:
        return
    for names in match.pairings:
        test, games = SequentialTest(sprt), match.games_of(names)
        for record in games:
            test.add(record)
        verdict = _verdict(test, pairing_stats(names, games).score)
        if test.decision is None and _ended_by_repeats(match, games):
            count = len({record.opening for record in games})
            openings = "opening" if count == 1 else f"{count} openings"
            verdict += (
                f" Then {ENOUGH_REPEATS} pairs were the earlier ones again, move for move: the "
                f"score is exact for the {openings} of these games, and no sample of others."
            )
        yield f"Against {names[1]}: {verdict}"


def _ended_by_repeats(match: Match, games: Sequence[GameRecord]) -> bool:
    """Whether the test has ended an undecided pairing; `SequentialTest` says when it does."""
    return match.completion is Completion.COMPLETE and len(games) < match.settings.games


def _verdict(test: SequentialTest, score: Estimate | None) -> str:
    sprt, decision = test.sprt, test.decision
    question = f"Elo {sprt.elo0:+g} or {sprt.elo1:+g}?"
    bounds = f"log-likelihood ratio {test.llr:+.2f}, bounds {sprt.lower:+.2f} and {sprt.upper:+.2f}"
    if decision is None or decision.verdict is None or score is None:
        return f"{question} Not decided ({bounds})."
    found = sprt.in_words(decision.verdict)
    if found.startswith("not"):
        found += f"; by the games {_compared(score)}, with {100 * score.value:.1f} % of the points"
    return (
        f"{question} {found[0].upper()}{found[1:]}. Decided after {decision.games} games "
        f"({bounds}). A score at which a test has ended exaggerates; its interval covers about "
        "90 %."
    )


def _compared(score: Estimate) -> str:
    """The player beside its opponent, as far as the interval of the score tells."""
    if score.high < 0.5:
        return "weaker"
    return "stronger" if score.low > 0.5 else "neither stronger nor weaker for certain"


OPENING_RULES = (
    "An opening is the columns, in tic-tac-toe the cells, from 1, that were played before the "
    "players were asked. W-D-L: wins, draws and losses of the player where it moved first and "
    "where it moved second, and of whoever moved first; games in which somebody failed are left "
    "out. Theory: what the opening is worth to whoever moved first, as far as the opening book "
    "knows it."
)

THEORY = {1: "won", 0: "drawn", -1: "lost", None: "-"}
"""Names of the outcomes of perfect play for the first mover, in the table's order."""

TOTAL = "all"


def render_openings(match: Match) -> RenderableType:
    """A table for each pairing, with a row for each opening that was played."""
    env = match.settings.configuration.env
    tables = [_openings_table(env, names, match.games_of(names)) for names in match.pairings]
    return Group(*tables, Text(OPENING_RULES))


def _openings_table(env: BoardGame, names: tuple[str, str], games: Sequence[GameRecord]) -> Table:
    """The openings grouped by their theoretical outcome, each group and the whole with a total."""
    table = plain_table(f"{names[0]} against {names[1]}, by opening")
    table.add_column("opening", overflow="fold")
    table.add_column("theory")
    for heading in ("W-D-L\nfirst", "W-D-L\nsecond", "W-D-L of\nfirst mover"):
        table.add_column(heading, justify="right", no_wrap=True)
    of_opening = _by_opening(games)
    outcomes = {opening: _outcome(env, opening) for opening in of_opening}
    for outcome, theory in THEORY.items():
        group = [opening for opening in of_opening if outcomes[opening] == outcome]
        for opening in group:
            results = _results(names, of_opening[opening])
            table.add_row(moves_text(opening) or "none", theory, *results)
        if group:
            results = _results(names, [game for opening in group for game in of_opening[opening]])
            table.add_row(TOTAL, theory, *results, style="bold", end_section=True)
    table.add_row(TOTAL, "", *_results(names, games), style="bold")
    return table


def _by_opening(games: Sequence[GameRecord]) -> dict[Opening, list[GameRecord]]:
    """The games of each opening, the openings in ascending order."""
    opening = attrgetter("opening")
    return {key: list(group) for key, group in groupby(sorted(games, key=opening), key=opening)}


def _outcome(env: BoardGame, opening: Opening) -> int | None:
    """1, 0 or -1: with perfect play the first mover wins, draws or loses; None if unknown."""
    book = shipped_book_of(env)
    state = env.initial_state()
    for column in opening:
        state = env.get_next_state(state, column)
    score = book.score(state) if book else None
    if score is None:
        return None
    return sign(score) if state.player == 1 else -sign(score)


def _results(names: tuple[str, str], games: Sequence[GameRecord]) -> tuple[str, str, str]:
    """W-D-L of the player moving first and second, and of the first mover in any game."""
    stats = pairing_stats(names, games)
    first, second = stats.as_first, stats.as_second
    first_mover = Tally(
        wins=first.wins + second.losses,
        draws=first.draws + second.draws,
        losses=first.losses + second.wins,
    )
    return str(first), str(second), str(first_mover)
