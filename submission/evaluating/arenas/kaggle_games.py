"""Games of Kaggle's environment, which takes longer to make than to reset."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from submission.evaluating.game_record import GameConfiguration
from submission.kaggle import ONE_AT_A_TIME, kaggle_environments

_idle: defaultdict[GameConfiguration, list[Any]] = defaultdict(list)


@contextmanager
def kaggle_game(configuration: GameConfiguration) -> Iterator[Any]:
    """An environment at the beginning of a game, for one user at a time.

    Raises:
        ModuleNotFoundError: kaggle_environments is not installed.
    """
    with ONE_AT_A_TIME:
        env = _beginning(configuration)
    yield env
    _idle[configuration].append(env)


def _beginning(configuration: GameConfiguration) -> Any:
    try:
        env = _idle[configuration].pop()
    except IndexError:
        return kaggle_environments().make("connectx", configuration.for_kaggle())
    env.logs.clear()
    env.reset()
    return env
