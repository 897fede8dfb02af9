"""All that must be known to play a game, as a picklable value."""

from dataclasses import dataclass

from submission.evaluating.game_record import GameConfiguration
from submission.evaluating.pairing import Pairing
from submission.evaluating.players import Player
from submission.evaluating.settings import Arena


@dataclass(frozen=True, slots=True)
class GameSpecification:
    """A game that any process can play."""

    pairing: Pairing
    game: int
    """Number of the game in this pairing, from 0."""
    seed: int
    opening: tuple[int, ...]
    """The first columns, which nobody chooses."""
    configuration: GameConfiguration
    arena: Arena

    @property
    def seat(self) -> int:
        """The player's seat: 1 in games of even number, else 2."""
        return 1 + self.game % 2

    @property
    def seats(self) -> tuple[Player, Player]:
        """Who sits on seat 1 and on seat 2."""
        players = self.pairing.player, self.pairing.opponent
        return players if self.seat == 1 else (players[1], players[0])
