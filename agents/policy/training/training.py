"""A training: rounds of a learner until the budget is spent, with trials of its strength."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from time import monotonic
from typing import NamedTuple

from agents.agent import OnProgress
from agents.networks.network import TrainedPolicy, decode_policy, encode_policy
from agents.parallel.workers import interrupt_put_off
from agents.policy.training.batch_play import draw_openings, pair_points
from agents.policy.training.learner import Budget, Learner
from agents.policy.training.solved_sample import Judgement, SolvedSample, draw_sample
from agents.reporting.stats import Estimate, likeliest_elo, paired_score_estimate
from envs.board import BoardGame

PAST_SELVES = 4  # the latest past selves that a policy plays in a trial
OPENINGS = 64  # the openings from which it plays each of them
OPENING_SEED = 17


class Trial(NamedTuple):
    """The strength of a policy at some point of its training."""

    rounds: int  # rounds learnt before it
    seconds: float  # seconds that the training had taken
    elo: Estimate
    """Above the first policy, with a 95 % interval that treats the past selves' ratings as
    exact."""
    judgement: Judgement | None  # in solved positions, where there are any


class PastSelf(NamedTuple):
    """The policy of an earlier trial."""

    content: bytes  # its file's
    elo: float


class Trials:
    """Holds the trials of one training, without using its random numbers.

    The solved positions are drawn in the first trial; None leaves their figures out.
    """

    def __init__(
        self, game: BoardGame, draw: Callable[[BoardGame], SolvedSample | None] = draw_sample
    ) -> None:
        self.held: list[Trial] = []
        self.past_selves: list[PastSelf] = []
        self._game = game
        self._draw = draw
        self._openings = draw_openings(game, OPENINGS, OPENING_SEED)

    @cached_property
    def _sample(self) -> SolvedSample | None:
        return self._draw(self._game)

    def hold(self, policy: TrainedPolicy, rounds: int, seconds: float) -> Trial:
        """Measure how well a policy plays, in the form of its file, and remember it.

        Later trials play only against the policies of trials that were due, so that these do not
        depend on the end of a run.
        """
        content = encode_policy(policy)
        policy = decode_policy(content)
        judgement = self._sample.judge(policy, self._game) if self._sample else None
        trial = Trial(rounds, seconds, self._elo(policy), judgement)
        self.held.append(trial)
        if is_due(rounds):
            past = [*self.past_selves, PastSelf(content, trial.elo.value)]
            self.past_selves = past[-PAST_SELVES:]
        return trial

    def _elo(self, policy: TrainedPolicy) -> Estimate:
        """The rating by matches with the past selves, with one drawn pair added.

        Because of that pair no rating is infinite. The first policy has 0.
        """
        if not self.past_selves:
            return Estimate(0.0, 0.0, 0.0)
        points = [1.0]
        for past in self.past_selves:
            points += pair_points(policy, decode_policy(past.content), self._game, self._openings)
        opponents = [(past.elo, 1 / len(self.past_selves)) for past in self.past_selves]
        score = paired_score_estimate(points)
        return Estimate(
            *(likeliest_elo(share, opponents) for share in (score.value, score.low, score.high))
        )


TRIAL_SPACING = 1.2  # the next trial is due after this many times the rounds of the last one
LOSS = "loss/"  # the prefix of figures that are parts of the loss
LEAST_PART = 0.5  # a round begins if this share of the last round's time is left


def is_due(rounds: int) -> bool:
    """Whether a trial is due after this many rounds; a run also ends with one."""
    due = 0
    while due < rounds:
        due = max(due + 1, ceil(TRIAL_SPACING * due))
    return due == rounds


class Round(NamedTuple):
    """A round of learning."""

    number: int  # from 1
    seconds: float  # time that the training had taken at its end
    figures: Mapping[str, float]  # as `Learner.advance` gives them


@dataclass
class Training:
    """A learner with the record of its progress."""

    learner: Learner
    trials: Trials
    rounds: list[Round] = field(default_factory=list)
    begun: float = field(default_factory=monotonic)

    @property
    def seconds(self) -> float:
        """Seconds that the training has taken so far, trials included."""
        return monotonic() - self.begun

    def run(
        self, budget: Budget, keep: Callable[["Training"], None], on_progress: OnProgress
    ) -> None:
        """Learn until the budget is spent.

        Args:
            budget: the end, counted from the beginning of the training; at least one round is
                learnt.
            keep: called after each round and after its trial, to save the training; Ctrl-C waits
                until it returns.
            on_progress: takes the used part of the budget, in per cent, and the latest figures,
                before each round and at the end.

        Raises:
            KeyboardInterrupt: Ctrl-C, which may leave the learner in the middle of a round.
        """
        keep = interrupt_put_off()(keep)
        if not self.trials.held:
            on_progress(0, 100, "before the first round: a trial of some seconds")
            self._hold_trial()
        while True:
            # Also at the start: the previous run may have ended between a round and its trial.
            if self._lacks_trial and is_due(len(self.rounds)):
                self._hold_trial()
                keep(self)
            if not self._has_room(budget):
                break
            share = budget.share(self.seconds, len(self.rounds))
            on_progress(round(100 * share), 100, self.latest)
            figures = self.learner.advance(share)
            self.rounds.append(Round(len(self.rounds) + 1, self.seconds, figures))
            keep(self)
        if self._lacks_trial:
            self._hold_trial()
            keep(self)
        on_progress(100, 100, self.latest)

    def _hold_trial(self) -> None:
        self.trials.hold(self.learner.policy, len(self.rounds), self.seconds)

    @property
    def _lacks_trial(self) -> bool:
        return self.trials.held[-1].rounds < len(self.rounds)

    def _has_room(self, budget: Budget) -> bool:
        """Whether enough of another round, as long as the last one, fits into the budget."""
        if not self.rounds:
            return True
        *_, before, end = 0.0, *(done.seconds for done in self.rounds)
        return budget.share(self.seconds + LEAST_PART * (end - before), len(self.rounds)) < 1

    @property
    def latest(self) -> str:
        """The latest figures in words."""
        trial = self.trials.held[-1]
        words = [f"Elo {trial.elo.value:+z.0f}"]
        if trial.judgement is not None:
            keeping, best = trial.judgement
            words += [f"keeps {keeping.value:.0%}", f"best {best.value:.0%}"]
        if self.rounds:
            parts = [
                part for name, part in self.rounds[-1].figures.items() if name.startswith(LOSS)
            ]
            words.insert(0, f"loss {sum(parts):.3f}")
        return ", ".join(words)
