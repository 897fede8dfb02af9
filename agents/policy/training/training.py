"""A training: rounds of a learner until the budget is spent, with trials between them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

from agents.policy.training.learner import Budget, Learner
from agents.policy.training.trials import Trial, Trials
from agents.search import OnProgress

TRIAL_SPACING = 1.2
"""A trial comes when there are so many times the rounds that there were at the last one."""
LEAST_PART = 0.5
"""Of a round that must fit into the time left, judged by the last one, for it to begin."""


class Round(NamedTuple):
    """A round of learning."""

    number: int
    """From 1."""
    seconds: float
    """Time that the training had taken at its end."""
    figures: Mapping[str, float]
    """As `Learner.advance` gives them."""


@dataclass
class Training:
    """A learner with all that is known of its progress.

    Args:
        learner: who learns; at the beginning of its training, or restored.
        trials: those that were held.
        rounds: those that were learnt.
        begun: the moment from which time counts, by `time.monotonic`; of a training that goes on,
            earlier by what it has taken.
    """

    learner: Learner
    trials: Trials
    rounds: list[Round] = field(default_factory=list)
    begun: float = field(default_factory=monotonic)

    @property
    def seconds(self) -> float:
        """Time taken by now, for whatever it was."""
        return monotonic() - self.begun

    def run(
        self, budget: Budget, keep: Callable[["Training"], None], on_progress: OnProgress
    ) -> None:
        """Learn until the budget is spent.

        Args:
            budget: the end, counted from the beginning of the training.
            keep: called after each round, and once after the first trial; what it has kept is what
                remains after an interrupt.
            on_progress: takes the used part of the budget, in per cent, and the latest figures.

        Raises:
            KeyboardInterrupt: Ctrl-C, which may leave the learner amid a round.
        """
        if not self.trials.held:
            self._hold_trial()
            keep(self)
        while self._has_room(budget):
            share = budget.share(self.seconds, len(self.rounds))
            on_progress(round(100 * share), 100, self.latest)
            figures = self.learner.advance(share)
            self.rounds.append(Round(len(self.rounds) + 1, self.seconds, figures))
            if len(self.rounds) >= TRIAL_SPACING * self.trials.held[-1].rounds:
                self._hold_trial()
            keep(self)
        if self.trials.held[-1].rounds < len(self.rounds):
            self._hold_trial()
            keep(self)

    def _hold_trial(self) -> Trial:
        return self.trials.hold(self.learner.policy, len(self.rounds), self.seconds)

    def _has_room(self, budget: Budget) -> bool:
        """Whether another round is to begin; the first one does as long as any time is left."""
        ends = [0.0, *(done.seconds for done in self.rounds[-2:])]
        next_seconds = ends[-1] - ends[-2] if len(ends) > 1 else 0.0
        ahead = LEAST_PART * next_seconds
        return budget.share(self.seconds + ahead, len(self.rounds)) < 1

    @property
    def latest(self) -> str:
        """The latest figures in some words."""
        losses = self.rounds[-1].figures if self.rounds else {}
        loss = sum(figure for name, figure in losses.items() if name.startswith("loss/"))
        words = [f"loss {loss:.3f}"] if losses else []
        if self.trials.held:
            words.append(strength(self.trials.held[-1]))
        return ", ".join(words)


def strength(trial: Trial) -> str:
    """A trial's figures in some words."""
    words = f"Elo {trial.elo.value:+.0f}"
    if trial.judgement is not None:
        keeping, best = trial.judgement
        words += f", keeps {keeping.value:.0%}, best {best.value:.0%}"
    return words
