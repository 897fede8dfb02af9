"""Baselines: agents that play at random or look only two plies ahead."""

from dataclasses import dataclass, field
from random import Random

from agents.agent import Agent, Clock, SearchResult, final_reward, legal_actions, make_rng
from agents.guidance.heuristics import HEURISTICS, Heuristic, guess
from agents.guidance.ordering import ORDERINGS, Ordering, in_order, sensible_actions
from agents.options import choose, option
from envs.protocol import Action, Env, State


@dataclass
class RandomAgent(Agent):
    """Plays uniformly random legal actions: the weakest baseline."""

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


@dataclass
class GreedyAgent(Agent):
    """Wins if it can, else avoids losing at once, else plays the action with the best heuristic."""

    heuristic: str | Heuristic = option(
        "auto", "value of unfinished states: auto, open_lines, zero, open_twos, squares, threats"
    )
    ordering: str | Ordering = option("auto", "order of equal actions: auto, centre, natural")

    def __post_init__(self) -> None:
        choose("heuristic", self.heuristic, HEURISTICS)
        choose("ordering", self.ordering, ORDERINGS)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Compare the sensible actions; `action_values` has only those.

        Raises ValueError if the game is over, or if a value or reward is no number from -1 to 1.
        """
        clock = Clock()
        heuristic = choose("heuristic", self.heuristic, HEURISTICS)
        ordering = choose("ordering", self.ordering, ORDERINGS)
        sensible = sensible_actions(env, state, legal_actions(env, state))

        def value(action: Action) -> float:
            child = env.get_next_state(state, action)
            over = not env.get_available_actions(child)
            return final_reward(env, state, action) if over else guess(heuristic, env, child)

        values = {action: value(action) for action in in_order(ordering, env, state, sensible)}
        best = max if env.current_player(state) == 1 else min
        action = best(values, key=values.__getitem__)
        child = env.get_next_state(state, action)
        return SearchResult(
            action,
            values[action],
            proven=len(sensible) == 1 and not env.get_available_actions(child),
            principal_variation=(action,),
            action_values=values,
            nodes=len(values),
            depth=1,
            elapsed=clock.elapsed,
        )

    def require_playable(self, env: Env[State, Action]) -> None:
        """Raise ValueError unless the heuristic and the ordering are for this game."""
        self.search(env, env.initial_state())
