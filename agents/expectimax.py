"""Expectimax: the value of a state against an opponent whose move probabilities are known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.agent import BackedUp, Clock, Found
from agents.guidance.heuristics import Heuristic
from agents.guidance.opponent_models import OpponentModel, opponent_models, probabilities_of
from agents.minimax import Minimax, MinimaxAgent
from agents.options import choose, option, require_whole
from envs.protocol import CHANCE, Action, Env, State


@dataclass
class ExpectimaxAgent(MinimaxAgent):
    """Plays for the opponent's mistakes: its values are means under a model of the opponent.

    A value is proven if it follows only from ends of the game and the model; 1 or -1 is a proof
    against any opponent if the model rules no action out. A time limit does not interrupt a model
    that searches at each of the opponent's states.
    """

    opponent: str | OpponentModel = option(
        "uniform", "how the opponent plays: uniform, epsilon_greedy, softmax"
    )
    epsilon: float = option(0.1, "how often the epsilon_greedy opponent plays a random action")
    temperature: float = option(
        0.2, "the softmax opponent draws actions in proportion to exp(value / temperature)"
    )
    opponent_depth: int = option(2, "plies that an epsilon_greedy or softmax opponent looks ahead")

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("opponent_depth", self.opponent_depth, 1)
        self._opponent()

    def _opponent(self) -> OpponentModel:
        alike = MinimaxAgent(self.opponent_depth, heuristic=self.heuristic, ordering=self.ordering)
        models = opponent_models(alike, self.epsilon, self.temperature)
        return choose("opponent", self.opponent, models)

    def new_search(self, env: Env[State, Action], clock: Clock) -> "Expectimax[State, Action]":
        """Make the recursion."""
        return Expectimax(env, self.chosen_heuristic(), clock, self._opponent())


class Expectimax(Minimax[State, Action]):
    """One expectimax search: minimax with the opponent as a chance player.

    The player whose turn it is at the root decides; the other follows the model. Its methods raise
    ValueError if the model returns no distribution over legal actions.
    """

    def __init__(
        self, env: Env[State, Action], heuristic: Heuristic, clock: Clock, opponent: OpponentModel
    ) -> None:
        super().__init__(env, heuristic, clock)
        self.opponent = opponent
        self.player = 1  # the player who decides

    def search_root(
        self, state: State, actions: Iterable[Action], depth: float, found: Found[Action]
    ) -> None:
        """Examine `actions` as minimax does, for the player whose turn it is."""
        self.player = self.env.current_player(state)
        super().search_root(state, actions, depth, found)

    def state_value(self, state: State, actions: Sequence[Action], depth: float) -> BackedUp:
        """The value of the best of `actions`, or their mean where the opponent moves."""
        if self.env.current_player(state) in (self.player, CHANCE):
            return super().state_value(state, actions, depth)
        self.clock.check()
        replies = probabilities_of(self.opponent, self.env, state)
        return self.mean_value(state, replies, depth)
