"""The schedule of a match: its settings, its openings, and its games in order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from random import Random
from typing import Any

from agents.options import require_one_of, require_whole
from envs.board import BoardState
from submission.arena.game_record import GameConfiguration
from submission.arena.players import Pairing, Player
from submission.kaggle import Referee
from submission.match.sprt import Sprt


class Arena(StrEnum):
    """The referee of the games."""

    KAGGLE = "kaggle"  # Kaggle's own environment
    OWN = "own"  # this package's referee: the same games, many times faster

    @classmethod
    def _missing_(cls, value: Any) -> None:
        require_one_of("arena", value, tuple(cls))


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a match; equal settings and players give equal games, unless a clock decides.

    Raises:
        ValueError: no games, a seed or a number of plies that is negative or not whole, or an arena
            that does not have the referee's games.
    """

    games: int
    """Games of each pairing; the maximum, if a sequential test may end the pairing early."""
    seed: int = 0
    opening_plies: int = 2
    """Games begin in turn from each position of this ply, once in each seat."""
    configuration: GameConfiguration = field(default_factory=GameConfiguration)
    arena: Arena = Arena.KAGGLE
    sprt: Sprt | None = None
    """The test that ends a pairing as soon as it is decided; None plays all games."""

    def __post_init__(self) -> None:
        require_whole("the number of games", self.games, 1)
        require_whole("the seed", self.seed, 0, inf)
        require_whole("the plies of an opening", self.opening_plies, 0)
        referee = self.configuration.referee
        if self.arena is Arena.OWN and referee.is_open_spiel:
            raise ValueError(
                f"the arena own holds only games of {Referee.CONNECTX}: leave it out for {referee}"
            )


def require_pairs(games: int) -> int:
    """The number of games if it is even and at least 2; ValueError otherwise."""
    if type(games) is not int or games % 2 or games < 2:
        raise ValueError(
            "each opening is played from both seats: ask for an even number of games, at least 2, "
            f"not {games!r}"
        )
    return games


Opening = tuple[int, ...]  # the columns, from 0, that lead from the empty board to a position


@dataclass(frozen=True, slots=True)
class GameSpecification:
    """All that a process needs to play a game."""

    pairing: Pairing
    game: int  # number of the game in this pairing, from 0
    seed: int
    opening: Opening  # the first columns, which the players do not choose
    configuration: GameConfiguration
    arena: Arena

    @property
    def seat(self) -> int:
        """The player's seat; see `seat_in`."""
        return seat_in(self.game)

    @property
    def seats(self) -> tuple[Player, Player]:
        """The players in seat 1 and in seat 2."""
        players = self.pairing.player, self.pairing.opponent
        return players if self.seat == 1 else (players[1], players[0])


def schedule(pairings: Sequence[Pairing], settings: Settings) -> Iterator[GameSpecification]:
    """Schedule a game of each pairing in turn, so that after an early end all have played as many.

    Games 2k and 2k + 1 of a pairing share an opening, with the seats exchanged.

    Raises:
        ValueError: there are no such openings on this board; raised here, not at the first game.
    """
    openings = shuffled_openings(settings)
    return (
        game_of(pairing, game, settings, openings)
        for game in range(settings.games)
        for pairing in pairings
    )


def game_of(
    pairing: Pairing, game: int, settings: Settings, openings: Sequence[Opening]
) -> GameSpecification:
    """The game with this number in a pairing that plays the openings in the given order.

    Its seed does not depend on other pairings.
    """
    player, opponent = pairing.names
    source = f"{settings.seed}/{player}/{opponent}/{game}"  # a file's name need not be in UTF-8
    return GameSpecification(
        pairing=pairing,
        game=game,
        seed=Random(source.encode(errors="surrogatepass")).getrandbits(32),
        opening=openings[game // 2 % len(openings)],
        configuration=settings.configuration,
        arena=settings.arena,
    )


def seat_in(game: int) -> int:
    """The player's seat: 1 in games with an even number, else 2."""
    return 1 + game % 2


def shuffled_openings(settings: Settings) -> list[Opening]:
    """The openings in random order, so that a match that ends early still samples all of them."""
    order = openings(settings.configuration, settings.opening_plies)
    Random(settings.seed).shuffle(order)
    return order


MOST_OPENINGS = 50_000
"""More than any match plays; on Kaggle's board there are fewer after up to six plies."""


def openings(configuration: GameConfiguration, plies: int) -> list[Opening]:
    """List the unfinished positions of a ply, each as one line of moves that leads to it.

    Different orders of the same moves lead to one position, which is listed once. Mirror images are
    both listed: an agent need not play them alike, and leaving one out would favour one side of the
    board. The order is ascending, and the same in every process. After two plies on Kaggle's board
    there are 49 positions.

    Raises:
        ValueError: all games are over before these plies, or there are more than `MOST_OPENINGS`
            positions after them.
    """
    env = configuration.env
    found = {env.initial_state(): Opening()}
    for ply in range(1, plies + 1):
        advice = f"the plies of an opening must be at most {ply - 1} here, not {plies}"
        later: dict[BoardState, Opening] = {}
        for state, opening in found.items():
            for column in env.get_available_actions(state):
                child = env.get_next_state(state, column)
                if env.get_available_actions(child):
                    later.setdefault(child, (*opening, column))
            if len(later) > MOST_OPENINGS:
                where = f"after ply {ply} on this board"
                raise ValueError(f"there are more than {MOST_OPENINGS} positions {where}: {advice}")
        if not later:
            latest = f"after ply {ply} at the latest"
            raise ValueError(f"every game on this board is over {latest}: {advice}")
        found = later
    return list(found.values())
