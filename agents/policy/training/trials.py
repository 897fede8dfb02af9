"""Trials: the strength of a policy in training, in solved positions and against its own past."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from agents.policy.network import TrainedPolicy, decode_policy, encode_policy
from agents.policy.training.batch_play import draw_openings, pair_points
from agents.policy.training.solved_sample import Judgement, SolvedSample, draw_sample
from agents.reporting.stats import Estimate, expected_score, paired_score_estimate
from envs.board import BoardGame

PAST_SELVES = 4
"""The latest that are played against ..."""
OPENINGS = 64
"""... each from so many openings."""
OPENING_SEED = 17

FARTHEST = 2000.0
"""Elo points beyond the best and the worst opponent between which a rating is looked for."""
BISECTIONS = 40


class Trial(NamedTuple):
    """The strength of a policy at some point of its training."""

    rounds: int
    """Rounds learnt by then."""
    seconds: float
    """Time taken by then."""
    elo: Estimate
    """Above the policy that began, with a 95 % interval that takes the past selves' for exact."""
    judgement: Judgement | None
    """In solved positions, where there are any."""


class PastSelf(NamedTuple):
    """The policy of an earlier trial."""

    content: bytes
    """Its file's."""
    elo: float


class Trials:
    """Holds the trials of one training; they take nothing from its random numbers.

    Args:
        game: the game that is learnt.
        draw: draws the solved positions when the first trial is held; None leaves their figures
            out.
    """

    def __init__(
        self,
        game: BoardGame,
        draw: Callable[[BoardGame], SolvedSample | None] = draw_sample,
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
        """Find out how well a policy plays, as its file holds it, and remember it."""
        content = encode_policy(policy)
        policy = decode_policy(content)
        judgement = self._sample.judge(policy, self._game) if self._sample else None
        trial = Trial(rounds, seconds, self._elo(policy), judgement)
        self.held.append(trial)
        self.past_selves = [*self.past_selves, PastSelf(content, trial.elo.value)][-PAST_SELVES:]
        return trial

    def _elo(self, policy: TrainedPolicy) -> Estimate:
        """The rating by matches with the past selves, as if one more pair had been drawn.

        By that pair no rating is infinite. The first policy has 0.
        """
        if not self.past_selves:
            return Estimate(0.0, 0.0, 0.0)
        points = [1.0]
        for past in self.past_selves:
            points += pair_points(policy, decode_policy(past.content), self._game, self._openings)
        opponents = [past.elo for past in self.past_selves]
        score = paired_score_estimate(points)
        return Estimate(
            *(rating(share, opponents) for share in (score.value, score.low, score.high))
        )


def rating(score: float, opponents: Sequence[float]) -> float:
    """The Elo at which a score is expected against equally many games with each opponent.

    Args:
        score: in [0, 1].
        opponents: their ratings, at least one.

    Returns:
        The likeliest rating by Elo's model; no more than `FARTHEST` beyond all of the opponents.
    """
    low, high = min(opponents) - FARTHEST, max(opponents) + FARTHEST
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        expected = sum(expected_score(middle - other) for other in opponents) / len(opponents)
        low, high = (middle, high) if expected < score else (low, middle)
    return (low + high) / 2
