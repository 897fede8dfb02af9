"""Random games in which many lines lead to the same states, also at different plies."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from envs.protocol import CHANCE, Env

ENDS = (-1.0, -1.0, -0.5, 0.0, 0.0, 0.5, 1.0, 1.0)
GUESSES = (-0.9, -0.5, -0.3, 0.0, 0.0, 0.3, 0.5, 0.9)


class Graph:
    """A game given by the target of each action: another state, or the reward at an end.

    Args:
        ways: for each unfinished state, the targets of its actions; the game begins in the first
            one.
        players: the player to move in each state.
        guesses: the heuristic value of each state.
    """

    def __init__(
        self,
        ways: Mapping[Any, Sequence[Any]],
        players: Mapping[Any, int],
        guesses: Mapping[Any, float],
    ) -> None:
        self.ways, self.players, self.guesses = ways, players, guesses

    def initial_state(self) -> Any:
        return next(iter(self.ways))

    def current_player(self, state: Any) -> int:
        return self.players.get(state, 1)

    def get_available_actions(self, state: Any) -> Sequence[int]:
        return range(len(self.ways.get(state, ())))

    def get_next_state(self, state: Any, action: int) -> Any:
        following = self.ways[state][action]
        return (state, action) if isinstance(following, float) else following

    def reward(self, state: Any, action: int) -> float:
        following = self.ways[state][action]
        return following if isinstance(following, float) else 0.0

    def guess(self, env: Env[Any, Any], state: Any) -> float:
        """The heuristic value of a state."""
        return self.guesses[state]


class RandomGraph(Graph):
    """A game on the numbers from 0 up, each of which leads to greater ones or to ends.

    The graph is drawn from a seed, and so are the heuristic values of its states.

    Args:
        seed: the seed.
        states: the number of unfinished states.
        with_chance: whether chance decides in some of them, except the first.
    """

    def __init__(self, seed: int, states: int = 14, with_chance: bool = False) -> None:
        rng = Random(seed)
        ways, players, guesses = dict[int, Any](), dict[int, int](), dict[int, float]()
        self.chances: dict[int, list[float]] = {}
        for state in range(states):
            is_chance = with_chance and state > 0 and rng.random() < 0.2
            players[state] = CHANCE if is_chance else rng.choice((1, 2))
            later = range(state + 1, min(states, state + 5))
            ways[state] = tuple(
                rng.choice(ENDS) if not later or rng.random() < 0.2 else rng.choice(later)
                for _ in range(rng.randint(1, 4))
            )
            guesses[state] = rng.choice(GUESSES)
            weights = [rng.randint(1, 4) for _ in ways[state]]
            self.chances[state] = [weight / sum(weights) for weight in weights]
        super().__init__(ways, players, guesses)

    def chance_probabilities(self, state: Any) -> Mapping[int, float]:
        return dict(enumerate(self.chances[state]))

    def worth(self, state: int) -> float:
        """The value of a state for player 1, by definition."""
        values = list(self.values(state))
        if self.players[state] == CHANCE:
            return sum(map(float.__mul__, self.chances[state], values))
        return max(values) if self.players[state] == 1 else min(values)

    def values(self, state: int) -> Iterator[float]:
        """The values of a state's actions."""
        for following in self.ways[state]:
            yield following if isinstance(following, float) else self.worth(following)
