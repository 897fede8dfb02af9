"""The evaluation curve: how often a policy won in its trials, as a picture."""

from collections.abc import Sequence
from io import BytesIO

from matplotlib.figure import Figure

from submission.training.trial import SeatRecord, Trial

COLOURS = ("#1d4e89", "#e4572e")


def curve_png(trials: Sequence[Trial]) -> bytes:
    """The curve as a PNG; bands are 95 % intervals."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    steps = [trial.steps for trial in trials]
    seats: dict[str, list[SeatRecord]] = {
        "as player 1": [trial.first for trial in trials],
        "as player 2": [trial.second for trial in trials],
    }
    for (label, records), colour in zip(seats.items(), COLOURS, strict=True):
        won = [record.won for record in records]
        axes.plot(steps, [100 * share.value for share in won], color=colour, label=label)
        axes.fill_between(
            steps,
            [100 * share.low for share in won],
            [100 * share.high for share in won],
            color=colour,
            alpha=0.15,
            linewidth=0,
        )
    axes.set_xscale("symlog", linthresh=max(1, steps[min(1, len(steps) - 1)]))
    axes.set_xlabel("steps learnt from")
    axes.set_ylabel("games won against random actions, %")
    axes.set_ylim(0, 101)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    file = BytesIO()
    figure.savefig(file, dpi=120, format="png")
    return file.getvalue()
