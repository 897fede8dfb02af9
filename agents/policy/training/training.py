"""A training: rounds of a learner until the budget is spent, with trials between them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

from agents.agent import OnProgress
from agents.policy.training.learner import Budget, Learner
from agents.policy.training.trials import Trial, Trials

TRIAL_SPACING = 1.2
"""A trial comes when there are so many times the rounds that there were at the last one."""
LOSS = "loss/"
"""Figures whose names begin so are parts of the loss."""
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
            budget: the end, counted from the beginning of the training; at least one round is
                learnt.
            keep: called after each round and after its trial; what it has kept is what remains
                after an interrupt.
            on_progress: takes the used part of the budget, in per cent, and the latest figures.

        Raises:
            KeyboardInterrupt: Ctrl-C, which may leave the learner amid a round.
        """
        if not self.trials.held:
            on_progress(0, 100, "before the first round")
            self._hold_trial()
        while self._has_room(budget):
            share = budget.share(self.seconds, len(self.rounds))
            on_progress(round(100 * share), 100, self.latest)
            figures = self.learner.advance(share)
            self.rounds.append(Round(len(self.rounds) + 1, self.seconds, figures))
            keep(self)
            if len(self.rounds) >= TRIAL_SPACING * self._last_trial.rounds:
                self._hold_trial()
                keep(self)
        if self._last_trial.rounds < len(self.rounds):
            self._hold_trial()
            keep(self)

    def _hold_trial(self) -> None:
        self.trials.hold(self.learner.policy, len(self.rounds), self.seconds)

    @property
    def _last_trial(self) -> Trial:
        return self.trials.held[-1]

    def _has_room(self, budget: Budget) -> bool:
        """Whether enough of another round fits into the budget, as long as the last one was."""
        if not self.rounds:
            return True
        *_, before, end = 0.0, *(done.seconds for done in self.rounds)
        return budget.share(self.seconds + LEAST_PART * (end - before), len(self.rounds)) < 1

    @property
    def latest(self) -> str:
        """The latest figures in some words."""
        trial = self._last_trial
        words = [f"Elo {trial.elo.value:+.0f}"]
        if trial.judgement is not None:
            keeping, best = trial.judgement
            words += [f"keeps {keeping.value:.0%}", f"best {best.value:.0%}"]
        if self.rounds:
            parts = [
                part for name, part in self.rounds[-1].figures.items() if name.startswith(LOSS)
            ]
            words.insert(0, f"loss {sum(parts):.3f}")
        return ", ".join(words)
