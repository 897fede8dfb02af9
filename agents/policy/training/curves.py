"""The curves of a training: as a picture, and as logs for TensorBoard."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from agents.policy.training.training import LOSS, Round, Training, Trial
from agents.reporting.output_file import replace_content
from agents.reporting.stats import Estimate

COLOURS = ("#1d4e89", "#e4572e", "#2e8b57", "#8a4fbe", "#b8860b")


@contextmanager
def open_curves(
    picture: Path, logs: Path, training: Training
) -> Iterator[Callable[[Training], None]]:
    """Draw and log the curves of a training in a `with` block.

    It yields a function to call after each round and trial, which logs new figures, and redraws
    the picture after a trial; OSError if the picture cannot be written. Without a round there are
    no logs.
    """
    from torch.utils.tensorboard import SummaryWriter

    told_rounds, told_trials = len(training.rounds), len(training.trials.held)
    purge_step = told_rounds + 1 if told_trials else 0
    writer: Any = None

    def add(training: Training) -> None:
        nonlocal told_rounds, told_trials, writer
        writer = writer or SummaryWriter(str(logs), purge_step=purge_step)
        rounds, trials = training.rounds, training.trials.held
        for done in rounds[told_rounds:]:
            for name, figure in done.figures.items():
                writer.add_scalar(name, figure, done.number)
        for trial in trials[told_trials:]:
            for name, estimate in trial_figures(trial).items():
                writer.add_scalar(f"trial/{name}", estimate.value, trial.rounds)
        writer.flush()
        if len(trials) > told_trials:
            replace_content(picture, curves_png(rounds, trials))
        told_rounds, told_trials = len(rounds), len(trials)

    try:
        yield add
    finally:
        if writer is not None:
            writer.close()


def trial_figures(trial: Trial) -> dict[str, Estimate]:
    """The figures of a trial by their names."""
    judged = trial.judgement
    shares = {} if judged is None else {"keeps the result": judged.keeping, "best": judged.best}
    return {"elo": trial.elo, **shares}


def curves_png(rounds: Sequence[Round], trials: Sequence[Trial]) -> bytes:
    """The curves as a PNG: losses, Elo, and shares of good moves; bands are 95 % intervals."""
    from matplotlib.figure import Figure

    shares = [trial for trial in trials if trial.judgement is not None]
    figure = Figure(figsize=(12 if shares else 8, 4), layout="constrained")
    all_axes = figure.subplots(1, 3 if shares else 2)
    _draw_losses(all_axes[0], rounds)
    _draw_estimates(all_axes[1], "Elo above the beginning", trials, {"elo": "Elo"}, 1)
    if shares:
        labels = {"keeps the result": "keep the result", "best": "are exactly best"}
        _draw_estimates(all_axes[2], "moves in solved positions, %", shares, labels, 100)
        all_axes[2].set_ylim(0, 101)
        all_axes[2].legend(loc="lower right")
    for axes in all_axes:
        axes.set_xlabel("minutes")
        axes.grid(alpha=0.3)
    file = BytesIO()
    figure.savefig(file, dpi=120, format="png")
    return file.getvalue()


def _draw_losses(axes: Any, rounds: Sequence[Round]) -> None:
    axes.set_title("loss")
    names = dict.fromkeys(name for done in rounds for name in done.figures if name.startswith(LOSS))
    for name, colour in zip(names, COLOURS, strict=False):
        known = [done for done in rounds if name in done.figures]
        minutes = [done.seconds / 60 for done in known]
        losses = [done.figures[name] for done in known]
        axes.plot(minutes, losses, color=colour, label=name.removeprefix(LOSS))
    if names:
        axes.legend(loc="upper right")


def _draw_estimates(
    axes: Any, title: str, trials: Sequence[Trial], labels: dict[str, str], unit: float
) -> None:
    axes.set_title(title)
    minutes = [trial.seconds / 60 for trial in trials]
    for (name, label), colour in zip(labels.items(), COLOURS, strict=False):
        found = [trial_figures(trial)[name] for trial in trials]
        middle, low, high = (
            [unit * getattr(estimate, part) for estimate in found]
            for part in ("value", "low", "high")
        )
        axes.plot(minutes, middle, color=colour, label=label, marker=".")
        axes.fill_between(minutes, low, high, color=colour, alpha=0.15, linewidth=0)
