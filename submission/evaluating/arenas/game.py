"""One game in the arena that its specification names."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from submission.evaluating.arenas.agent_seat import open_seat_here
from submission.evaluating.arenas.game_specification import GameSpecification
from submission.evaluating.arenas.kaggle_referee import hold_on_kaggle
from submission.evaluating.arenas.own_referee import hold_in_own_arena
from submission.evaluating.arenas.played_game import PlayedGame, record_game
from submission.evaluating.arenas.seats import Seat, open_seat, seat_seed
from submission.evaluating.game_record import GameConfiguration, GameRecord
from submission.evaluating.players import Player
from submission.evaluating.settings import Arena


class SeatOpener(Protocol):
    """Puts a player at the board until the `with` block ends."""

    def __call__(self, player: Player, *, seed: int) -> AbstractContextManager[Seat]:
        """See `submission.evaluating.arenas.seats.open_seat`."""


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
