"""The agent that knows the rules and nothing else."""

from dataclasses import dataclass, field
from random import Random

from agents.options import option
from agents.protocol import Agent, SearchResult, legal_actions
from agents.seeds import make_rng
from envs.protocol import Action, Env, State


@dataclass
class RandomAgent(Agent):
    """Plays uniformly random legal actions: the least that every other agent must beat."""

    seed: int | None = option(None, "seed of the random numbers; none: different in every run")
    _rng: Random = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._rng = make_rng(self.seed)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Draw a legal action; its value is not estimated."""
        action = self._rng.choice(legal_actions(env, state))
        return SearchResult(action, value=0.0, principal_variation=(action,))
