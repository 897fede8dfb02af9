"""One game in the arena that its specification names."""

from submission.evaluating.game_record import GameRecord
from submission.evaluating.game_specification import GameSpecification
from submission.evaluating.kaggle_referee import play_on_kaggle
from submission.evaluating.own_referee import play_in_own_arena
from submission.evaluating.settings import Arena

REFEREES = {Arena.KAGGLE: play_on_kaggle, Arena.OWN: play_in_own_arena}


def play_game(specification: GameSpecification) -> GameRecord:
    """Play a game and record it.

    Whatever a player does wrong is recorded as that player's failure; only Ctrl-C goes through.

    Raises:
        ModuleNotFoundError: kaggle_environments is needed and not installed.
    """
    return REFEREES[specification.arena](specification)
