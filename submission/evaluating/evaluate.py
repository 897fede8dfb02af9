"""Play a player against its opponents on Kaggle's environment."""

import random
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, as_completed

from submission.evaluating.evaluation import Ending, Evaluation, Identity, Versions
from submission.evaluating.game import GameSpecification, play_game
from submission.evaluating.game_record import GameConfiguration, GameRecord
from submission.evaluating.players import Player

KAGGLE_DEFAULT = GameConfiguration()

OnGame = Callable[[GameRecord], None]


def _say_nothing(_: GameRecord) -> None:
    pass


def evaluate(
    player: Player,
    opponents: Sequence[Player],
    *,
    games: int,
    seed: int,
    executor: Executor | None = None,
    configuration: GameConfiguration = KAGGLE_DEFAULT,
    on_game: OnGame = _say_nothing,
) -> Evaluation:
    """Play `games` games against each opponent, the player on seat 1 in every other one.

    Every game has a seed of its own, to which Python's global generator is set before it; so
    players that draw from `random` alone repeat their games whatever executor plays them, and in
    whatever order. Ctrl-C and the death of a worker process end the evaluation early with the
    games that were played until then; `Evaluation.ending` tells.

    Args:
        player: the player to evaluate.
        opponents: whom it plays, each with a name of its own.
        games: games against each opponent, at least 1.
        seed: at least 0.
        executor: any executor of the `concurrent.futures` kind; None plays in this process.
        configuration: board and clock.
        on_game: called after each game, in the order in which they end.

    Raises:
        ValueError: no games, no opponents, an opponent named twice, a negative seed.
        ModuleNotFoundError: kaggle_environments is not installed.
    """
    _require_playable(opponents, games, seed)
    versions = Versions.current()
    specifications = _schedule(player, opponents, games, seed, configuration)
    records: list[GameRecord] = []

    def keep(record: GameRecord) -> None:
        records.append(record)
        on_game(record)

    ending = _play(specifications, executor, keep)
    places = {opponent.name: place for place, opponent in enumerate(opponents)}
    return Evaluation(
        player=Identity.of(player),
        opponents=tuple(map(Identity.of, opponents)),
        configuration=configuration,
        seed=seed,
        games=games,
        versions=versions,
        ending=ending,
        records=tuple(sorted(records, key=lambda game: (places[game.opponent], game.game))),
    )


def _require_playable(opponents: Sequence[Player], games: int, seed: int) -> None:
    names = [opponent.name for opponent in opponents]
    if not names:
        raise ValueError("there is nobody to play: name at least one opponent")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the opponent {name!r} is named twice: name it once")
    if games < 1:
        raise ValueError(f"the number of games must be at least 1, not {games}")
    if seed < 0:
        raise ValueError(f"the seed must be at least 0, not {seed}")


def _schedule(
    player: Player,
    opponents: Sequence[Player],
    games: int,
    seed: int,
    configuration: GameConfiguration,
) -> list[GameSpecification]:
    """The games in turn against each opponent, so that an early end leaves all as many."""
    return [
        GameSpecification(
            player=player,
            opponent=opponent,
            game=game,
            seed=_game_seed(seed, player, opponent, game),
            configuration=configuration,
        )
        for game in range(games)
        for opponent in opponents
    ]


def _game_seed(seed: int, player: Player, opponent: Player, game: int) -> int:
    """A seed that depends on the pairing and on nothing else that is played."""
    return random.Random(f"{seed}/{player.name}/{opponent.name}/{game}").getrandbits(32)


def _play(
    specifications: Sequence[GameSpecification], executor: Executor | None, keep: OnGame
) -> Ending:
    try:
        if executor is None:
            _play_here(specifications, keep)
        else:
            _play_on(executor, specifications, keep)
    except KeyboardInterrupt:
        return Ending.INTERRUPTED
    except BrokenExecutor:
        return Ending.WORKER_DIED
    return Ending.COMPLETE


def _play_here(specifications: Sequence[GameSpecification], keep: OnGame) -> None:
    for specification in specifications:
        keep(play_game(specification))


def _play_on(executor: Executor, specifications: Sequence[GameSpecification], keep: OnGame) -> None:
    futures = [executor.submit(play_game, specification) for specification in specifications]
    try:
        for future in as_completed(futures):
            keep(future.result())
    finally:
        for future in futures:
            future.cancel()
