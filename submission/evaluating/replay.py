"""A recorded game as a page that Kaggle's own player shows."""

from collections.abc import Sequence
from html import escape
from typing import Any

from submission.evaluating.game_record import GameConfiguration, GameRecord, Result
from submission.kaggle import DONE, kaggle_environments


def game_to_show(records: Sequence[GameRecord]) -> GameRecord | None:
    """The first game that the player did not win, else the first; None where there is no game."""
    not_won = (record for record in records if record.result is not Result.WIN)
    return next(not_won, records[0] if records else None)


def replay_html(record: GameRecord, configuration: GameConfiguration) -> str:
    """A page that replays a game in a browser, with the players' names.

    Args:
        record: the game to show.
        configuration: the board and the clock that it was played with.

    Raises:
        ModuleNotFoundError: kaggle_environments is not installed.
    """
    names = [record.player, record.opponent]
    if record.seat == 2:
        names.reverse()
    env = _replayed(record, configuration)
    # Kaggle writes the names into a script of the page as they are.
    env.info["TeamNames"] = [escape(name) for name in names]
    page: str = env.render(mode="html")
    return page


def _replayed(record: GameRecord, configuration: GameConfiguration) -> Any:
    """Kaggle's environment after the game."""
    env = kaggle_environments().make("connectx", configuration.for_kaggle())
    for column in record.columns:
        _step_as_recorded(env, column)
    for status in record.statuses:
        if status != DONE:
            _step_as_recorded(env, _action_with_status(status))
    return env


def _step_as_recorded(env: Any, action: Any) -> None:
    """Let the seat whose turn it is act."""
    env.step([action if state.status == "ACTIVE" else None for state in env.state])


def _action_with_status(status: str) -> Any:
    """What an agent hands to Kaggle's environment to end with this status."""
    if status == "TIMEOUT":
        return kaggle_environments().errors.DeadlineExceeded()
    return -1 if status == "INVALID" else RuntimeError(status)
