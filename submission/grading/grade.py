"""A grade as a value: who was asked what, under which conditions, and every answer."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from submission.evaluating.evaluation import Ending, Identity, Versions
from submission.grading.answer import Answer
from submission.grading.grade_settings import GradeSettings
from submission.grading.groups import Group, by_kind, by_ply

FORMAT = "connectx grade, version 1"


@dataclass(frozen=True, slots=True)
class Grade:
    """A player's answers to solved positions."""

    player: Identity
    positions_sha256: str
    """What the player was to be asked about, as `PositionSet.sha256` tells it."""
    asked: int
    """How many positions these are."""
    settings: GradeSettings
    versions: Versions
    ending: Ending
    answers: tuple[Answer, ...]
    """In the order of the positions."""

    def to_json(self) -> str:
        """All of it as JSON, with the figures for other programs to read; columns from 0."""
        document = {
            "format": FORMAT,
            "player": asdict(self.player),
            "positions_sha256": self.positions_sha256,
            "asked": self.asked,
            "settings": asdict(self.settings),
            "versions": asdict(self.versions),
            "ending": self.ending,
            "by_kind": _figures(by_kind(self.answers)),
            "by_ply": _figures(by_ply(self.answers)),
            "answers": [_answer(answer) for answer in self.answers],
        }
        return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _figures(groups: Sequence[Group]) -> dict[str, Any]:
    return {group.name: asdict(group.figures) for group in groups}


def _answer(answer: Answer) -> dict[str, Any]:
    position, failure = answer.position, answer.failure
    return {
        "moves": position.moves,
        "ply": position.ply,
        "phase": position.phase,
        "scores": position.scores,
        "hard": position.is_hard,
        "column": answer.column,
        "keeps": answer.keeps,
        "best": answer.is_best,
        "half_points_lost": answer.half_points_lost,
        "seconds": answer.seconds,
        "failure": None if failure is None else failure._asdict(),
    }
