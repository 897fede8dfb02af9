"""Playing a match: its games, wherever there is room, until all are played or decided."""

from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, closing
from itertools import islice
from typing import NamedTuple, Protocol

from submission.kaggle import kaggle_environments
from submission.match.game_record import GameConfiguration, GameRecord
from submission.match.kaggle_referee import hold_on_kaggle
from submission.match.match import Ending, Evaluation, Identity, Versions
from submission.match.own_referee import PlayedGame, hold_in_own_arena, record_game
from submission.match.players import Pairing, Player, PlayerKind, players_of
from submission.match.schedule import Arena, GameSpecification, Settings, schedule
from submission.match.seats import Seat, open_seat, open_seat_here, seat_seed
from submission.match.sprt import Decision, SequentialTest, Sprt


class SeatOpener(Protocol):
    """Puts a player at the board until the `with` block ends."""

    def __call__(self, player: Player, *, seed: int) -> AbstractContextManager[Seat]:
        """See `submission.match.seats.open_seat`."""


class Rules(NamedTuple):
    """How an arena plays."""

    open_seat: SeatOpener
    hold_game: Callable[[tuple[Seat, Seat], tuple[int, ...], GameConfiguration], PlayedGame]


ARENAS = {
    Arena.KAGGLE: Rules(open_seat, hold_on_kaggle),
    Arena.OWN: Rules(open_seat_here, hold_in_own_arena),
}


def play_game(specification: GameSpecification) -> GameRecord:
    """Play a game and record it.

    Whatever a player does wrong is recorded as that player's failure; only Ctrl-C goes through.

    Raises:
        ModuleNotFoundError: kaggle_environments is needed and not installed.
        OSError: a player's process cannot be started.
    """
    arena, seed = ARENAS[specification.arena], specification.seed
    first, second = specification.seats
    with (
        arena.open_seat(first, seed=seat_seed(seed, 1)) as seat_1,
        arena.open_seat(second, seed=seat_seed(seed, 2)) as seat_2,
    ):
        game = arena.hold_game((seat_1, seat_2), specification.opening, specification.configuration)
    return record_game(specification, game)


IN_FLIGHT = 256
"""How many games an executor holds at a time, which is enough for as many workers."""


def play_games(
    specifications: Iterable[GameSpecification],
    is_needed: Callable[[GameSpecification], bool],
    executor: Executor | None,
) -> Generator[GameRecord, None, None]:
    """Play the games that are needed and yield each as it ends.

    Games are called off as soon as they are not needed any more, and when the iterator is closed;
    those that have begun go on, and are not waited for.

    Args:
        specifications: asked for the next game only when there is room for it.
        is_needed: asked again after each game.
        executor: any of the `concurrent.futures` kind; None plays in this process.

    Raises:
        BrokenExecutor: the executor can play no more; all games that ended have been yielded.
    """
    needed = filter(is_needed, specifications)
    if executor is None:
        yield from map(play_game, needed)
        return
    waiting: dict[Future[GameRecord], GameSpecification] = {}
    try:
        while True:
            for specification in islice(needed, IN_FLIGHT - len(waiting)):
                waiting[executor.submit(play_game, specification)] = specification
            if not waiting:
                return
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=_has_failed):
                del waiting[future]
                yield _record(future)
            for future in [each for each in waiting if not is_needed(waiting[each])]:
                del waiting[future]
                future.cancel()
    finally:
        for future in waiting:
            future.cancel()


def _has_failed(future: Future[GameRecord]) -> bool:
    return future.cancelled() or future.exception() is not None


def _record(future: Future[GameRecord]) -> GameRecord:
    if future.cancelled():
        raise BrokenExecutor("the executor has called off a game")
    return future.result()


class Ledger:
    """Takes the games of some pairings in any order.

    Args:
        pairings: the names of the player and the opponent of each; each pairing once.
        sprt: the test that decides a pairing; None decides none.
    """

    def __init__(self, pairings: Iterable[tuple[str, str]], sprt: Sprt | None) -> None:
        self._games: dict[tuple[str, str], dict[int, GameRecord]] = {
            names: {} for names in pairings
        }
        self._tests = {} if sprt is None else {names: SequentialTest(sprt) for names in self._games}

    def add(self, record: GameRecord) -> None:
        """Take a game.

        Raises:
            ValueError: its pairing is not among those of the evaluation, or it is there already.
        """
        games = self._games.get(record.pairing)
        if games is None:
            raise ValueError(f"{record.player} against {record.opponent} is not to be played")
        if record.game in games:
            raise ValueError(
                f"game {record.game} of {record.player} against {record.opponent} was played twice"
            )
        games[record.game] = record
        if self._tests:
            self._tests[record.pairing].add(record)

    def needs(self, specification: GameSpecification) -> bool:
        """Whether this game is still to be played."""
        names = specification.pairing.names
        return specification.game not in self._games[names] and self._decision(names) is None

    @property
    def decisions(self) -> dict[tuple[str, str], Decision]:
        """What the sequential test says of the pairings that it has decided."""
        decisions = {names: self._decision(names) for names in self._games}
        return {names: decision for names, decision in decisions.items() if decision is not None}

    @property
    def records(self) -> tuple[GameRecord, ...]:
        """The games by pairing and number; of a decided pairing, those that decided it.

        Games that were under way by then are left out, so that the number of workers changes
        nothing.
        """
        return tuple(
            games[number]
            for names, games in self._games.items()
            for number in self._counted(names, sorted(games))
        )

    def _decision(self, names: tuple[str, str]) -> Decision | None:
        return self._tests[names].decision if self._tests else None

    def _counted(self, names: tuple[str, str], numbers: Sequence[int]) -> Sequence[int]:
        decision = self._decision(names)
        return numbers if decision is None else range(decision.games)


OnGame = Callable[[GameRecord], None]


def _say_nothing(_: GameRecord) -> None:
    pass


def evaluate(
    pairings: Sequence[Pairing],
    settings: Settings,
    *,
    executor: Executor | None = None,
    played: Iterable[GameRecord] = (),
    on_game: OnGame = _say_nothing,
) -> Evaluation:
    """Play the games of each pairing, the player on seat 1 in every other one.

    Every game has a seed of its own, from which each seat's random numbers come; so players that
    draw from `random` alone repeat their games whatever executor plays them, and in whatever order.
    Ctrl-C and the death of the executor's workers end the evaluation early with the games that were
    played until then; `Evaluation.ending` tells.

    Args:
        pairings: who meets whom.
        settings: which games, on which board, and when a pairing is decided.
        executor: any executor of the `concurrent.futures` kind; None plays in this process.
        played: games that need not be played again.
        on_game: called after each game, in the order in which they end.

    Raises:
        ValueError: no pairings, one that is named twice, openings that the board does not have, or
            a played game that is not among those to play.
        ModuleNotFoundError: kaggle_environments is needed and not installed.
    """
    _require_playable(pairings, settings)
    ledger = Ledger([pairing.names for pairing in pairings], settings.sprt)
    for record in played:
        ledger.add(record)
    games = schedule(pairings, settings)

    def keep(record: GameRecord) -> None:
        ledger.add(record)
        on_game(record)

    with closing(play_games(games, ledger.needs, executor)) as records:
        ending = _take(records, keep)
    return Evaluation(
        players=tuple(map(Identity.of, players_of(pairings))),
        pairings=tuple(pairing.names for pairing in pairings),
        settings=settings,
        versions=Versions.current(),
        ending=ending,
        records=ledger.records,
    )


def _require_playable(pairings: Sequence[Pairing], settings: Settings) -> None:
    names = [pairing.names for pairing in pairings]
    if not names:
        raise ValueError("there is nobody to play: name at least one opponent")
    for player, opponent in names:
        if names.count((player, opponent)) > 1:
            raise ValueError(f"{player!r} against {opponent!r} is named twice: name it once")
    all_ours = all(player.kind is PlayerKind.AGENT for player in players_of(pairings))
    if settings.arena is Arena.KAGGLE or not all_ours:
        kaggle_environments()


def _take(records: Iterable[GameRecord], keep: OnGame) -> Ending:
    """Keep the games until there are no more, or something puts an end to them."""
    try:
        for record in records:
            keep(record)
    except KeyboardInterrupt:
        return Ending.INTERRUPTED
    except BrokenExecutor:
        return Ending.WORKER_DIED
    return Ending.COMPLETE
