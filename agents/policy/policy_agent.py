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
    for its mirror image are averaged. A network that has learnt only values has no preference: it
    then values the position after each action, and the action with the highest value for the player
    to move is preferred.
    """

    weights: str | bytes = weights_option()
    temperature: float = option(
        0.0,
        "0 plays the preferred action; above, actions are drawn by exp(logit / temperature), or by "
        "exp(value / temperature) if the network has learnt only values",
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
        """Ask the network.

        Raises:
            ValueError: the game is over, or not the one that the policy was trained for.
        """
        clock = Clock()
        legal_actions(env, state)
        game = require_known_game(self.policy, env)
        position: Any = state  # in the games that a policy plays, it is a board's
        worths, values = action_worths(evaluate_network, self.policy.network, game, [position])
        chances = action_chances(worths, self.temperature)
        if self.temperature > 0:
            self._stream = next_stream(self._stream)
        draw = (self._stream & DRAWN_MASK) / (1 << DRAWN_BITS)
        action: Any = int(drawn_actions(chances, np.array([draw]))[0])
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
    """The means of a network's logits and values for positions and for their mirror images."""
    images = [state.mirrored(game.rows, game.columns) for state in states]
    logits, values = evaluate(network, game, [*states, *images])
    count, half = len(states), np.float32(0.5)
    of_images = logits[count:, mirrored_actions(game)]
    return half * (logits[:count] + of_images), half * (values[:count] + values[count:])


def action_worths(
    evaluate: Evaluate, network: PolicyNetwork, game: BoardGame, states: Sequence[BoardState]
) -> tuple[NDArray[np.float64], Floats]:
    """A network's preference for each action, without a search, and its values of the positions.

    Returns:
        The logits, shape (positions, actions); or, if the network has learnt only values, so that
        all logits are 0, the values after the actions, for the player to move. Both are -inf for
        illegal actions. And the values, shape (positions,).
    """
    logits, values = averaged(evaluate, network, game, states)
    if logits.any():
        legal = [game.get_available_actions(state) for state in states]
        return legal_logits(logits, legal), values
    worths = np.full((len(states), network.actions), -np.inf)
    places, children = [], []
    for position, state in enumerate(states):
        for action in game.get_available_actions(state):
            child = game.get_next_state(state, action)
            worths[position, action] = float(child.won)
            if game.get_available_actions(child):
                places.append((position, action))
                children.append(child)
    if children:
        _, replies = averaged(evaluate, network, game, children)
        worths[tuple(zip(*places, strict=True))] = -replies
    return worths, values


def legal_logits(logits: Floats, legal: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """[position, action] The logits of the legal actions, -inf for the others."""
    allowed = np.full(logits.shape, -np.inf)
    for row, found, actions in zip(allowed, logits, legal, strict=True):
        row[list(actions)] = found[list(actions)]
    return allowed


def action_chances(worths: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """The probability with which each action is to be played, shape (positions, actions).

    They are in proportion to exp(worth / temperature) of the `action_worths`; at the temperature 0
    the first of the highest has probability 1.
    """
    if temperature == 0:
        return np.asarray(np.eye(worths.shape[1])[worths.argmax(axis=1)])
    weights = np.exp((worths - worths.max(axis=1, keepdims=True)) / temperature)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def drawn_actions(chances: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.int64]:
    """[position] The actions that numbers in [0, 1) draw by chances [position, action]."""
    upto = chances.cumsum(axis=1)
    # The last sum counts as 1, however it is rounded: no draw goes beyond the last action.
    drawn = (draws * upto[:, -1])[:, np.newaxis] < upto
    return np.asarray(drawn.argmax(axis=1))
