"""Two players who meet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from submission.evaluating.players import Player


@dataclass(frozen=True, slots=True)
class Pairing:
    """A player, from whose view results are counted, and its opponent."""

    player: Player
    opponent: Player

    @property
    def names(self) -> tuple[str, str]:
        """The names of the player and the opponent."""
        return self.player.name, self.opponent.name


def against_each(player: Player, opponents: Sequence[Player]) -> list[Pairing]:
    """A player against each opponent."""
    return [Pairing(player, opponent) for opponent in opponents]


def round_robin(players: Sequence[Player]) -> list[Pairing]:
    """Every player against every other, each pair once."""
    return [Pairing(*pair) for pair in combinations(players, 2)]


def players_of(pairings: Iterable[Pairing]) -> list[Player]:
    """Everybody who plays, each once, in the order in which they are named first."""
    players = {
        player.name: player for pairing in pairings for player in (pairing.player, pairing.opponent)
    }
    return [*players.values()]
