"""The games of a new version of a player against the old one, until they decide."""

from concurrent.futures import Executor
from contextlib import closing
from math import inf
from time import perf_counter

from agents.agent import OnProgress
from submission.arena.game_record import GameRecord
from submission.arena.players import Pairing
from submission.comparing.comparison import Comparison, duration
from submission.comparing.finding import ComparisonSettings, ThreeWayTest
from submission.match.completion import early_end
from submission.match.match import Match
from submission.match.run import play_games
from submission.match.schedule import schedule

FORECAST_SECONDS = 0.5  # from one forecast to the next


def play_until_decided(
    pairing: Pairing, settings: ComparisonSettings, executor: Executor, on_progress: OnProgress
) -> Comparison:
    """Play the new player against the old one, until the test decides or all games are played.

    Ctrl-C and the death of a worker process end it early, see `Match.completion`.
    """
    test, records = ThreeWayTest(settings.margin), dict[int, GameRecord]()
    forecast_at, forecast, begin = 0.0, "", perf_counter()
    games = schedule([pairing], settings.match)
    on_progress(0, settings.games, "")
    with (
        early_end() as ending,
        closing(play_games(games, lambda _: test.games is None, executor)) as played,
    ):
        for record in played:
            test.add(record)
            records[record.game] = record
            if (passed := perf_counter() - begin) > forecast_at + FORECAST_SECONDS:
                more, forecast_at = test.games_to_come([*records.values()]), passed
                time = duration(more * passed / len(records))
                forecast = f"about {more} games more, {time}"
            on_progress(len(records), settings.games, forecast)
    end = inf if test.games is None else test.games
    counted = [records[game] for game in sorted(records) if game < end]
    return Comparison(
        settings=settings,
        match=Match.of(
            [pairing], settings.match, completion=ending.completion, records=tuple(counted)
        ),
        finding=test.finding,
        seconds=perf_counter() - begin,
        games_to_come=test.games_to_come(counted),
    )
