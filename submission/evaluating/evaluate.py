"""Play pairings of players, wherever there is room, and say what came of it."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import closing

from submission.evaluating.evaluation import Ending, Evaluation, Identity, Versions
from submission.evaluating.game_record import GameRecord
from submission.evaluating.ledger import Ledger
from submission.evaluating.pairing import Pairing, players_of
from submission.evaluating.players import PlayerKind
from submission.evaluating.playing import play_games
from submission.evaluating.schedule import schedule
from submission.evaluating.settings import Arena, Settings
from submission.kaggle import kaggle_environments

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
