"""Plays the games of a match, on any executor, until all are played or decided."""

import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

from agents.agent import Clock
from agents.options import alternatives
from agents.parallel.workers import Workers
from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.arena.kaggle_referee import hold_on_kaggle, hold_on_open_spiel
from submission.arena.own_referee import PlayedGame, hold_in_own_arena
from submission.arena.players import Pairing, PlayerKind, players_of
from submission.arena.seats import Seat, open_seat, open_seat_here, seat_seed
from submission.executors.work import EarlyEnd, chosen_executor
from submission.kaggle import environment_of
from submission.match.match import Match, ScoreBoard
from submission.match.results_file import ResultsFile, ResultsHeader, new_results, resumed_results
from submission.match.schedule import Arena, GameSpecification, Settings, schedule
from submission.terminal import progress_bar


def play_match(
    pairings: Sequence[Pairing],
    settings: Settings,
    *,
    executor: Executor | None = None,
    played: Iterable[GameRecord] = (),
    on_game: Callable[[GameRecord], None] = lambda _: None,
) -> Match:
    """Play the games of each pairing, with the player in seat 1 in every other one.

    Every game has its own seed, from which each seat's random numbers are derived; so players that
    draw only from `random` repeat their games with any executor and in any order. If Ctrl-C or the
    death of the executor's workers ends the match early, it has the games played until then, and
    `Match.completion` says so.

    Args:
        pairings: who plays whom.
        settings: which games, on which board, and when a pairing is decided.
        executor: any `concurrent.futures` executor; None plays in this process.
        played: games that need not be played again.
        on_game: called after each game, in the order in which they end.

    Raises:
        ValueError: no pairings, a pairing that is named twice, a built-in agent that the referee
            does not have, weights for another board, openings that the board does not have, or a
            played game that is not among those to play.
        ModuleNotFoundError: kaggle_environments or OpenSpiel is needed and not installed.
    """
    _require_playable(pairings, settings)
    score_board = ScoreBoard([pairing.names for pairing in pairings], settings.sprt)
    for record in played:
        score_board.add(record)
    games = schedule(pairings, settings)
    with EarlyEnd() as ending, closing(play_games(games, score_board.needs, executor)) as records:
        for record in records:
            score_board.add(record)
            on_game(record)
    return Match.of(pairings, settings, completion=ending.completion, records=score_board.records)


def _require_playable(pairings: Sequence[Pairing], settings: Settings) -> None:
    names = [pairing.names for pairing in pairings]
    if not names:
        raise ValueError("there is nobody to play: name at least one opponent")
    for player, opponent in names:
        if names.count((player, opponent)) > 1:
            raise ValueError(f"{player!r} against {opponent!r} is named twice: name it once")
    referee = settings.configuration.referee
    players = players_of(pairings)
    for each in players:
        if each.kind is PlayerKind.BUILT_IN and each.name not in referee.built_in_agents:
            known = alternatives(referee.built_in_agents)
            raise ValueError(
                f"{referee} has no agent {each.name!r}: name {known}, one of our agents, or a file"
            )
        each.require_playable(settings.configuration.env)
    all_ours = all(each.kind is PlayerKind.AGENT for each in players)
    if settings.arena is Arena.KAGGLE or not all_ours:
        environment_of(referee)


IN_FLIGHT = 256  # the most games that an executor holds at a time: one for each of its workers


def play_games(
    specifications: Iterable[GameSpecification],
    is_needed: Callable[[GameSpecification], bool],
    executor: Executor | None,
) -> Generator[GameRecord, None, None]:
    """Play the games that are needed and yield each as it ends; see `Workers.run`.

    Args:
        specifications: the games, of which the next is only taken when there is room for it.
        is_needed: whether a game is needed, which is decided again after each game.
        executor: any `concurrent.futures` executor; None plays in this process.

    Raises:
        BrokenExecutor: the executor is broken; all finished games have been yielded.
    """
    needed = filter(is_needed, specifications)
    if executor is None:
        yield from map(play_game, needed)
        return
    tasks = ((specification, partial(play_game, specification)) for specification in needed)
    for _, record in Workers(executor, IN_FLIGHT).run(tasks, Clock(), is_needed):
        yield record


def play_game(specification: GameSpecification) -> GameRecord:
    """Play a game and record it.

    Any error of a player is recorded as that player's failure; only Ctrl-C is passed on.

    Raises:
        ModuleNotFoundError: kaggle_environments is needed and not installed.
        OSError: a player's process cannot be started.
    """
    configuration, seed = specification.configuration, specification.seed
    referee = configuration.referee
    arena = OPEN_SPIEL if referee.is_open_spiel else ARENAS[specification.arena]
    first, second = specification.seats
    with (
        arena.open_seat(first, seed=seat_seed(seed, 1), referee=referee) as seat_1,
        arena.open_seat(second, seed=seat_seed(seed, 2), referee=referee) as seat_2,
    ):
        game = arena.hold_game((seat_1, seat_2), specification.opening, configuration)
    return _recorded(specification, game)


class Rules(NamedTuple):
    """How an arena opens seats and plays a game."""

    open_seat: Callable[..., AbstractContextManager[Seat]]  # see `submission.arena.seats`
    hold_game: Callable[[tuple[Seat, Seat], tuple[int, ...], GameConfiguration], PlayedGame]


ARENAS = {
    Arena.KAGGLE: Rules(open_seat, hold_on_kaggle),
    Arena.OWN: Rules(open_seat_here, hold_in_own_arena),
}
"""The arenas for ConnectX."""

OPEN_SPIEL = Rules(open_seat, hold_on_open_spiel)


def _recorded(specification: GameSpecification, game: PlayedGame) -> GameRecord:
    player, opponent = specification.pairing.names
    first, second = game.durations
    return GameRecord(
        player=player,
        opponent=opponent,
        game=specification.game,
        seed=specification.seed,
        seat=specification.seat,
        opening=specification.opening,
        columns=tuple(game.columns),
        statuses=game.statuses,
        rewards=game.rewards,
        result=Result.of(game.statuses, game.rewards, specification.seat),
        durations=(tuple(first), tuple(second)),
        cause=None if game.failure is None else game.failure.cause,
        stderr=() if game.failure is None else game.failure.stderr,
    )


@dataclass(frozen=True)
class Run:
    """Where games are played, and where their results are stored."""

    workers: int
    dask: str | None = None
    """Address of a Dask scheduler, whose workers play instead of `workers` processes here."""
    results: Path | None = None
    resume: bool = False
    progress: bool = True  # whether to show a progress bar on stderr

    def __post_init__(self) -> None:
        if self.resume and self.results is None:
            raise ValueError("--resume goes on from a file: name it with --results FILE")

    def play(self, title: str, pairings: Sequence[Pairing], settings: Settings) -> Match:
        """Play the games that are not yet in the results file, and add them there.

        Raises:
            ValueError, OSError, ModuleNotFoundError: bad input, before any game is played.
        """
        with (
            self._results_file(pairings, settings) as results,
            chosen_executor(self.workers, self.dask) as executor,
        ):
            played = () if results is None else results.played
            if results is not None and results.was_torn:
                sys.stderr.write("The last game of the file was incomplete: it is played again.\n")
            total, numbers = settings.games * len(pairings), count(len(played) + 1)
            with progress_bar(title, self.progress) as show:
                show(len(played), total, "")

                def keep(record: GameRecord) -> None:
                    if results is not None:
                        results.append(record)
                    show(next(numbers), total, f"{record.player} against {record.opponent}")

                return play_match(
                    pairings, settings, executor=executor, played=played, on_game=keep
                )

    def _results_file(
        self, pairings: Sequence[Pairing], settings: Settings
    ) -> AbstractContextManager[ResultsFile | None]:
        if self.results is None:
            return nullcontext()
        header = ResultsHeader.of(pairings, settings)
        return (resumed_results if self.resume else new_results)(self.results, header)
