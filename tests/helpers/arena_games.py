"""Games between players given by source or by name, without the seconds of their moves."""

from dataclasses import replace
from functools import cache
from textwrap import dedent

from submission.arena.game_record import GameConfiguration, GameRecord
from submission.arena.players import Pairing, Player, PlayerKind, find_player
from submission.match.run import play_game
from submission.match.schedule import Arena, GameSpecification

KAGGLES_BOARD = GameConfiguration()
RANDOM = Player("random", PlayerKind.BUILT_IN)

_player = cache(find_player)


def submitted(source: str, name: str = "mine") -> Player:
    return Player(name, PlayerKind.FILE, dedent(source).encode())


def play(
    player: Player,
    opponent: Player = RANDOM,
    *,
    game: int = 0,
    seed: int = 1,
    opening: tuple[int, ...] = (),
    configuration: GameConfiguration = KAGGLES_BOARD,
    arena: Arena = Arena.KAGGLE,
) -> GameRecord:
    pairing = Pairing(player, opponent)
    return play_game(GameSpecification(pairing, game, seed, opening, configuration, arena))


def played(
    names: tuple[str, str],
    seed: int = 1,
    opening: tuple[int, ...] = (),
    configuration: GameConfiguration = KAGGLES_BOARD,
    arena: Arena = Arena.OWN,
) -> GameRecord:
    """Play the game with this number and seed."""
    pairing = Pairing(*map(_player, names))
    specification = GameSpecification(pairing, seed, seed, opening, configuration, arena)
    return replace(play_game(specification), durations=((), ()))
