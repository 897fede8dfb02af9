"""An analysis as one line, for other programs: plain, or JSON."""

import json

from agents.exact.solver import ScoreBounds
from submission.solving.analysis import Analysis
from submission.solving.words import score_text

FULL_COLUMN = "-"


def as_plain_line(analysis: Analysis) -> str:
    """The moves and the score; then the score of each column from the left, if they were solved."""
    columns = [
        score_text(analysis.columns[column]) if column in analysis.columns else FULL_COLUMN
        for column in range(analysis.position.env.columns if analysis.columns else 0)
    ]
    return " ".join([analysis.position.moves, score_text(analysis.bounds), *columns])


def as_json_line(analysis: Analysis) -> str:
    """The same as a JSON object, with columns counted from 1; an unknown score is null."""
    record: dict[str, object] = {"moves": analysis.position.moves, **_bounds(analysis.bounds)}
    if analysis.columns:
        record["best"] = [column + 1 for column in analysis.best]
        record["columns"] = [
            {"column": column + 1, **_bounds(bounds)} for column, bounds in analysis.columns.items()
        ]
    return json.dumps(record)


def _bounds(bounds: ScoreBounds) -> dict[str, int | None]:
    return {
        "score": bounds.lower if bounds.exact else None,
        "lower": bounds.lower,
        "upper": bounds.upper,
    }
