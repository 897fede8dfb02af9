"""The agent that plays a trained policy without a search."""

from collections.abc import Callable, Mapping, Sequence
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

CLOSE = 1.5
"""Moves whose logits are within this of the best are close: a network can mistake their order."""
VALUE_WEIGHT = 4.0
"""How much the value of the position after such a move counts, beside its logit."""
DECIDED = 0.99
"""In a position of this value, or lost by as much, the move with the best logit will do."""


@dataclass
class PolicyAgent(Agent):
    """Plays the move that a trained network prefers, on the board that it was trained for.

    It does not search: the network's own estimate is the value. Its answers for the position and
    for its mirror image are averaged. Where the logits of several moves are close to the best, the
    network's values of the positions after them decide as well (`favourite_actions`).
    """

    weights: str | bytes = weights_option()
    temperature: float = option(
        0.0, "0: the favourite action; above 0: drawn in proportion to exp(logit / temperature)"
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
        game, position = self._known_position(env, state)
        network, nodes = self.policy.network, 1
        action: Any
        if self.temperature == 0:
            actions, values, nodes = favourite_actions(evaluate_network, network, game, [position])
            action = int(actions[0])
        else:
            logits, values = legal_logits(evaluate_network, network, game, [position])
            self._stream = next_stream(self._stream)
            draw = (self._stream & DRAWN_MASK) / (1 << DRAWN_BITS)
            action = drawn_action(action_chances(logits[0], self.temperature), draw)
        value = float(np.clip(values[0], -LARGEST_GUESS, LARGEST_GUESS))
        return SearchResult(
            action,
            value if position.player == 1 else -value,
            principal_variation=(action,),
            nodes=nodes,
            elapsed=clock.elapsed,
        )

    def chances(self, env: Env[Any, Any], state: Any) -> Mapping[Any, float]:
        """The probability of each action that the agent may choose; raises like `search`."""
        if self.temperature == 0:
            return {self.act(env, state): 1.0}
        game, position = self._known_position(env, state)
        logits, _ = legal_logits(evaluate_network, self.policy.network, game, [position])
        probabilities = action_chances(logits[0], self.temperature)
        return {a: float(probabilities[a]) for a in env.get_available_actions(state)}

    def _known_position(self, env: Env[Any, Any], state: Any) -> tuple[BoardGame, BoardState]:
        """The game of the policy and an unfinished position of it; raises like `search`."""
        legal_actions(env, state)
        return require_known_game(self.policy, env), state  # such games have board states


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


def favourite_actions(
    evaluate: Evaluate, network: PolicyNetwork, game: BoardGame, states: Sequence[BoardState]
) -> tuple[NDArray[np.int64], Floats, int]:
    """The favourite legal actions of a network, and its values of the positions.

    The favourite is the action with the highest logit. Unless the game is `DECIDED`, the value of
    the position after each move that is `CLOSE` to it counts as well: there the network sees what
    the move changes. It evaluates such a position or its mirror image, not both.

    Returns:
        The actions and the values for the player to move, each of shape (positions,); and the
        number of positions evaluated.
    """
    logits, values = legal_logits(evaluate, network, game, states)
    margins = np.where(np.abs(values) < DECIDED, CLOSE, 0.0)
    close = logits >= (logits.max(axis=1) - margins)[:, np.newaxis]
    logits[~close] = -np.inf
    unfinished: dict[tuple[int, int], BoardState] = {}
    for row, action in np.argwhere(close & (close.sum(axis=1, keepdims=True) > 1)).tolist():
        after = game.get_next_state(states[row], action)
        if game.get_available_actions(after):
            unfinished[row, action] = min(after, after.mirrored(game.rows, game.columns))
        elif after.won:
            logits[row, action] += VALUE_WEIGHT
    if unfinished:
        rows, actions = zip(*unfinished, strict=True)
        _, of_others = evaluate(network, game, [*unfinished.values()])
        logits[rows, actions] -= VALUE_WEIGHT * of_others
    return logits.argmax(axis=1), values, len(states) + len(unfinished)


def action_chances(logits: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """[action] The probability of each action, in proportion to exp(logit / temperature)."""
    weights = np.exp((logits - logits.max()) / temperature)
    return np.asarray(weights / weights.sum())


def drawn_action(chances: NDArray[np.float64], draw: float) -> int:
    """The action that `draw`, a number in [0, 1), selects by the chances [action]."""
    upto = chances.cumsum()
    # The last sum counts as 1, however it is rounded: no draw goes beyond the last action.
    return int((draw * upto[-1] < upto).argmax())
