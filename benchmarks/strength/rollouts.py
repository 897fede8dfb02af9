"""Matches of the rollout policies against uniform rollouts, in plain Python, with equal budgets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from agents import MCTSAgent
from agents.guidance.rollouts import ROLLOUTS
from agents.reporting.stats import Estimate, score_estimate
from benchmarks.results import Report, interval, table
from benchmarks.strength.matches import match_points, openings
from envs import ConnectFour

BUDGETS: Mapping[str, Mapping[str, Any]] = {
    "100 simulations": {"simulations": 100},
    "10 ms": {"simulations": None, "time_limit": 0.01},
}
"""The budgets of both sides for a move."""
OPENING_PLIES = 2
POLICIES = [policy for policy in ROLLOUTS if policy != "uniform"]


@dataclass(frozen=True)
class RolloutMatch:
    """A policy against uniform rollouts with the same budget."""

    policy: str
    budget: str

    def score(self, rounds: int) -> Estimate:
        """The policy's share of the points; a round is two games from each opening."""
        env, seeds = ConnectFour(), Random(1)
        points: list[float] = []
        for _ in range(rounds):
            player, opponent = (
                MCTSAgent(
                    rollout=rollout,
                    engine="reference",
                    keep_tree=False,
                    seed=seeds.getrandbits(32),
                    **BUDGETS[self.budget],
                )
                for rollout in (self.policy, "uniform")
            )
            points += match_points(env, player, opponent, openings(env, OPENING_PLIES))
        return score_estimate(sum(points), 2 * len(points))


def rollout_matches() -> list[RolloutMatch]:
    """Each policy with each budget."""
    return [RolloutMatch(policy, budget) for policy in POLICIES for budget in BUDGETS]


def rollout_report(matches: Sequence[RolloutMatch], scores: Sequence[Estimate]) -> Report:
    """A row for each policy."""
    rows = table("policy", *BUDGETS, words=("policy",))
    for policy in POLICIES:
        own = [s for match, s in zip(matches, scores, strict=True) if match.policy == policy]
        rows.add_row(policy, *map(interval, own))
    return [
        "Rollout policies: per cent of the points against uniform, with the 95 % interval; "
        "Connect Four in plain Python",
        rows,
    ]
