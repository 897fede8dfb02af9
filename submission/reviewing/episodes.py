"""Reads Kaggle's episodes, as `env.toJSON()` of kaggle_environments writes them, in one form."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from submission.entry import STONES
from submission.kaggle import DONE, Referee


@dataclass(frozen=True, slots=True)
class Episode:
    """The unchecked content of an episode of either environment."""

    referee: Referee
    sizes: tuple[Any, Any, Any]  # rows, columns and stones in a row
    act_timeout: Any  # seconds for a move
    boards: Sequence[Sequence[int]]
    """After each step, flat, the top row first; 1 and 2 are the players' stones."""
    opening: Sequence[int]
    """The first columns, from 0, which no player chose; the boards begin after them."""
    statuses: tuple[str, str]  # Kaggle's final statuses
    info: Mapping[str, Any]  # `TeamNames` and `EpisodeId`, in episodes played on Kaggle


def connectx_episode(document: Mapping[str, Any]) -> Episode:
    """Read an episode of ConnectX; a damaged one may raise any exception."""
    settings = document["configuration"]
    return Episode(
        referee=Referee.CONNECTX,
        sizes=(settings["rows"], settings["columns"], settings["inarow"]),
        act_timeout=settings.get("actTimeout", 2),
        boards=[step[0]["observation"]["board"] for step in document["steps"]],
        opening=(),
        statuses=(str(document["statuses"][0]), str(document["statuses"][1])),
        info=document.get("info") or {},
    )


def open_spiel_episode(document: Mapping[str, Any]) -> Episode:
    """Read an episode of OpenSpiel's Connect Four, as Kaggle's Game Arena plays it."""
    settings, info = document["configuration"], document.get("info") or {}
    sizes = settings["openSpielGameParameters"]
    seen = [step[0]["observation"].get("observationString") for step in document["steps"]]
    positions = [json.loads(position) for position in seen if position]
    return Episode(
        referee=Referee.OPEN_SPIEL_CONNECT_FOUR,
        sizes=(sizes["rows"], sizes["columns"], sizes["x_in_row"]),
        act_timeout=settings["actTimeout"],
        boards=[
            # Flat and with the top row first, as in ConnectX; here the bottom row comes first.
            [STONES[cell] for row in reversed(position["board"]) for cell in row]
            for position in positions
        ],
        opening=list(info.get("initialActions", ())),
        statuses=_statuses(document, positions),
        info=info,
    )


def _statuses(
    document: Mapping[str, Any], positions: Sequence[Mapping[str, Any]]
) -> tuple[str, str]:
    """The statuses as ConnectX reports them: the failure of one seat, and DONE for the other.

    After an illegal move, which leaves the position unchanged, the environment reports DONE for
    both and gives the other seat the win. An exception may have voided the game for both; then the
    seat to move raised it.
    """
    statuses = [str(status) for status in document["statuses"]]
    rewards = document["rewards"]
    before, last = positions[-2:] if len(positions) > 1 else (None, None)
    if statuses == [DONE, DONE] and last == before and last is not None:
        statuses[0 if rewards[0] < rewards[1] else 1] = "INVALID"
    elif positions and not {DONE, "ACTIVE", "INACTIVE"} & {*statuses}:
        statuses[1 if positions[-1]["current_player"] == "x" else 0] = DONE
    return statuses[0], statuses[1]
