"""Game records and matches made by hand."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from random import Random

from envs.board import BoardGame
from envs.connectx import ConnectFour
from submission.arena.game_record import GameRecord, Result
from submission.arena.players import Identity, PlayerKind
from submission.executors.local_workers import Versions
from submission.executors.work import Completion
from submission.match.match import Match
from submission.match.results_file import ResultsHeader, new_results
from submission.match.schedule import Settings

WIN = GameRecord(
    player="hero",
    opponent="rival",
    game=0,
    seed=11,
    seat=1,
    opening=(),
    columns=(0, 1, 0, 1, 0, 1, 0),
    statuses=("DONE", "DONE"),
    rewards=(1, -1),
    result=Result.WIN,
    durations=((0.5, 0.1, 0.1, 0.1), (0.4, 0.2, 0.3)),
)
LOSS = replace(WIN, game=1, seat=2, result=Result.LOSS)
DRAW = replace(
    WIN,
    game=2,
    columns=tuple(map(int, "436014551150160155104632660465204242223333")),
    rewards=(0, 0),
    result=Result.DRAW,
    durations=((0.5, *[0.1] * 20), (0.4, 0.3, *[0.2] * 19)),
)
PLAYER_FAILED = replace(
    WIN,
    game=4,
    columns=(0, 1),
    statuses=("ERROR", "DONE"),
    rewards=(None, 0),
    result=Result.PLAYER_FAILED,
    durations=((0.5, 0.7), (0.4,)),
    cause="ValueError: boom",
    stderr=("ValueError: boom",),
)
OPPONENT_FAILED = replace(
    WIN,
    game=6,
    columns=(0,),
    statuses=("DONE", "INVALID"),
    rewards=(0, None),
    result=Result.OPPONENT_FAILED,
    durations=((0.5,), (0.4,)),
    cause="the agent returned column 9, which does not exist: columns run from 0 to 6",
)


def match_of(
    *records: GameRecord,
    games: int | None = None,
    completion: Completion = Completion.COMPLETE,
    names: Sequence[str] = ("hero", "rival"),
) -> Match:
    """A match of these games; each player is paired with all who are named after it."""
    return Match(
        players=tuple(Identity(name, PlayerKind.FILE, "0" * 64) for name in names),
        pairings=tuple(combinations(names, 2)),
        settings=Settings(len(records) if games is None else games, seed=1, opening_plies=0),
        versions=Versions("0.1.0", "1.33.2", "3.11.7"),
        completion=completion,
        records=records,
    )


def games(*records: GameRecord) -> list[GameRecord]:
    """The records as games 0, 1, 2 … of a pairing."""
    return [replace(record, game=game) for game, record in enumerate(records)]


def opened_games(*records: GameRecord, openings: int = 1000) -> list[GameRecord]:
    """The same games, in pairs that play the openings in turn."""
    return [
        replace(game, opening=opening, columns=(*opening, *game.columns))
        for game in games(*records)
        for opening in [(game.pair % openings,)]
    ]


def write_ladder(path: Path, rounds: int = 1) -> Path:
    """Write a results file of three players; each round has 15 games, with every result."""
    match = match_of(games=8 * rounds, names=("hero", "rival", "third"))
    header = ResultsHeader(match.players, match.pairings, match.settings, match.versions)
    with new_results(path, header) as results:
        for first, (player, opponent) in product(range(0, 8 * rounds, 8), match.pairings):
            for record in (WIN, LOSS, DRAW, PLAYER_FAILED, OPPONENT_FAILED):
                game = first + record.game
                results.append(replace(record, game=game, player=player, opponent=opponent))
    return path


def unfinished_game(rng: Random, plies: int, env: BoardGame | None = None) -> list[int]:
    """The actions of a random game, by default of Connect Four, unfinished after these plies."""
    env = env or ConnectFour()
    while True:
        state, actions = env.initial_state(), list[int]()
        while len(actions) < plies and (legal := env.get_available_actions(state)):
            actions.append(rng.choice(legal))
            state = env.get_next_state(state, actions[-1])
        if len(actions) == plies and env.get_available_actions(state):
            return actions


def without_durations(match: Match) -> list[GameRecord]:
    """The games of a match without their times, which differ from run to run."""
    return [replace(record, durations=((), ())) for record in match.records]
