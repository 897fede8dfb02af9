"""Measures the strength of learned agents: weights, by the parts for their game."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.table import Table

from agents.networks.network import policy_scope
from agents.networks.shipped import known_policy
from benchmarks.results import Report, table
from benchmarks.strength.learned_parts import LearnedSettings, Measured, Part

PEER = "AlphaZero.jl"


class Measurement(NamedTuple):
    """The measurement of weights by one part."""

    weights: str
    part: Part
    measured: Measured


def fitting_parts(weights: Sequence[str], parts: Sequence[Part]) -> list[tuple[str, Part]]:
    """Pair weights with each of the parts for their game.

    Raises:
        OSError: weights cannot be read.
        ValueError: they are damaged, or none of the parts is for their game.
    """
    pairs = []
    for each in weights:
        scope = known_policy(each).scope
        fitting = [part for part in parts if policy_scope(part.game) == scope]
        if not fitting:
            games = sorted({str(policy_scope(part.game)) for part in parts})
            raise ValueError(
                f"{each} was trained for {scope}, and no part that was chosen measures that, but "
                f"{'; '.join(games)}: leave it out"
            )
        pairs += [(each, part) for part in fitting]
    return pairs


def measure_learned(
    pairs: Sequence[tuple[str, Part]], settings: LearnedSettings
) -> Iterator[Measurement]:
    """Measure weights by their parts, one after the other.

    Raises:
        KeyboardInterrupt, ValueError, OSError, ModuleNotFoundError: see `Part.measure`.
    """
    for weights, part in pairs:
        yield Measurement(weights, part, part.measure(weights, settings))


def learned_report(measurements: Sequence[Measurement], settings: LearnedSettings) -> Report:
    """A table for each game, with a column for each of its weights."""
    positions = max(map(len, settings.sets.positions.values()))
    report: list[str | Table] = [
        f"Learned agents: in %, with 95 % intervals; {settings.games} games of each match, from "
        f"openings that each side begins once, and {positions} positions of each set"
    ]
    games = dict.fromkeys(measurement.part.game for measurement in measurements)
    for game in games:
        of_game = [each for each in measurements if each.part.game == game]
        report += [str(game), _game_table(of_game)]
    notes = [note for each in measurements for note in each.measured.notes]
    return [*report, *dict.fromkeys(notes)]


def _game_table(measurements: Sequence[Measurement]) -> Table:
    weights = list(dict.fromkeys(each.weights for each in measurements))
    cells: dict[str, dict[str, str]] = {}
    for each in measurements:
        for figure in each.measured.figures:
            row = cells.setdefault(figure.name, {PEER: figure.published})
            row[each.weights] = str(figure)
    columns = [*weights, PEER] if any(row[PEER] for row in cells.values()) else weights
    rows = table("", *columns, words=("",))
    for name, row in cells.items():
        rows.add_row(name, *(row.get(column, "") for column in columns))
    return rows


def learned_figures(measurement: Measurement) -> list[dict[str, object]]:
    """The figures as numbers."""
    return [
        {
            "weights": measurement.weights,
            "part": measurement.part.name,
            "figure": figure.name,
            "value": figure.share.value,
            "low": figure.share.low,
            "high": figure.share.high,
            "of": figure.of,
        }
        for figure in measurement.measured.figures
    ]
