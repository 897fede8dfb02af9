"""The agent that plays a trained policy without a search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import getrandbits
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, Clock, SearchResult, legal_actions
from agents.networks.features import mirrored_actions
from agents.networks.network import Floats, PolicyNetwork, TrainedPolicy, evaluate_network
from agents.networks.shipped import known_policy, require_known_game, weights_option
from agents.options import option, require_at_least
from envs.board import BoardGame, BoardState
from envs.compiled.random_stream import DRAWN_BITS, DRAWN_MASK, next_stream, stream_of_seed
from envs.protocol import Action, Env, State

LARGEST_GUESS = 0.99  # estimates stay below the value of a proof


@dataclass
class PolicyAgent(Agent):
    """Plays the move that a trained network prefers, on the board that it was trained for.

    It does not search: the network's own estimate is the value. Its answers for the position and
    for its mirror image are averaged.
    """

    weights: str | bytes = weights_option()
    temperature: float = option(
        0.0, "0: the preferred action; above 0: drawn in proportion to exp(logit / temperature)"
    )
    seed: int | None = option(None, "seed of the random numbers; none: different in every run")
    policy: TrainedPolicy = field(init=False, repr=False, compare=False)
    """The network, and the game that it was trained for."""
    _stream: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_at_least("temperature", self.temperature, 0)
        self.policy = known_policy(self.weights)
        self._stream = stream_of_seed(getrandbits(62) if self.seed is None else self.seed)

    def require_playable(self, env: Env[Any, Any]) -> None:
        """Raise ValueError unless the weights were trained for a game."""
        require_known_game(self.policy, env)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Evaluate the position with the network.

        Raises:
            ValueError: the game is over, or not the one that the policy was trained for.
        """
        clock = Clock()
        legal_actions(env, state)
        game = require_known_game(self.policy, env)
        position: Any = state  # games that a policy plays have board states
        logits, values = legal_logits(evaluate_network, self.policy.network, game, [position])
        chances = action_chances(logits[0], self.temperature)
        if self.temperature > 0:
            self._stream = next_stream(self._stream)
        action: Any = drawn_action(chances, (self._stream & DRAWN_MASK) / (1 << DRAWN_BITS))
        value = float(np.clip(values[0], -LARGEST_GUESS, LARGEST_GUESS))
        return SearchResult(
            action,
            value if position.player == 1 else -value,
            principal_variation=(action,),
            nodes=1,
            elapsed=clock.elapsed,
        )


Evaluate = Callable[[PolicyNetwork, BoardGame, Sequence[BoardState]], tuple[Floats, Floats]]


def averaged(
    evaluate: Evaluate, network: PolicyNetwork, game: BoardGame, states: Sequence[BoardState]
) -> tuple[Floats, Floats]:
    """The means of a network's outputs for positions and for their mirror images.

    Returns:
        The logits of all actions, shape (positions, actions), and the values, shape (positions,),
        for the player to move.
    """
    images = [state.mirrored(game.rows, game.columns) for state in states]
    logits, values = evaluate(network, game, [*states, *images])
    count, half = len(states), np.float32(0.5)
    of_images = logits[count:, mirrored_actions(game)]
    return half * (logits[:count] + of_images), half * (values[:count] + values[count:])


def legal_logits(
    evaluate: Evaluate, network: PolicyNetwork, game: BoardGame, states: Sequence[BoardState]
) -> tuple[NDArray[np.float64], Floats]:
    """The `averaged` logits, -inf for illegal actions, and values."""
    logits, values = averaged(evaluate, network, game, states)
    allowed = np.full(logits.shape, -np.inf)
    for row, found, state in zip(allowed, logits, states, strict=True):
        legal = list(game.get_available_actions(state))
        row[legal] = found[legal]
    return allowed, values


def action_chances(logits: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """[action] The probability of playing each action.

    It is in proportion to exp(logit / temperature); at temperature 0 the first action with the
    highest logit has probability 1.
    """
    if temperature == 0:
        return np.asarray(np.eye(len(logits))[logits.argmax()])
    weights = np.exp((logits - logits.max()) / temperature)
    return np.asarray(weights / weights.sum())


def drawn_action(chances: NDArray[np.float64], draw: float) -> int:
    """The action that `draw`, a number in [0, 1), selects by the chances [action]."""
    upto = chances.cumsum()
    # The last sum counts as 1, however it is rounded: no draw goes beyond the last action.
    return int((draw * upto[-1] < upto).argmax())
