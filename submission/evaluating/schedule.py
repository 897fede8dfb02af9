"""Which games an evaluation plays, and in which order."""

import random
from collections.abc import Iterator, Sequence
from itertools import product

from submission.evaluating.arenas.game_specification import GameSpecification
from submission.evaluating.openings import shuffled_openings
from submission.evaluating.pairing import Pairing
from submission.evaluating.settings import Settings


def schedule(pairings: Sequence[Pairing], settings: Settings) -> Iterator[GameSpecification]:
    """The games in turn of each pairing, so that an early end leaves all as many.

    Games 2k and 2k + 1 of a pairing share an opening, with the seats exchanged.

    Raises:
        ValueError: there are no such openings on this board; at once, not with the first game.
    """
    openings = shuffled_openings(settings.configuration, settings.opening_plies, settings.seed)
    return (
        GameSpecification(
            pairing=pairing,
            game=game,
            seed=game_seed(settings.seed, pairing, game),
            opening=openings[game // 2 % len(openings)],
            configuration=settings.configuration,
            arena=settings.arena,
        )
        for game, pairing in product(range(settings.games), pairings)
    )


def game_seed(seed: int, pairing: Pairing, game: int) -> int:
    """A seed that depends on the pairing and on nothing else that is played."""
    player, opponent = pairing.names
    return random.Random(f"{seed}/{player}/{opponent}/{game}").getrandbits(32)
