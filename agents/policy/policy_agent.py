"""The agent that plays a trained policy."""

from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, SearchResult, legal_actions
from agents.options import file_content, file_option, option, require_at_least
from agents.policy.network import (
    Floats,
    TrainedPolicy,
    decode_policy,
    evaluate_network,
    policy_scope,
)
from agents.search import Clock, make_rng
from envs.board import BoardGame, BoardState
from envs.protocol import Action, Env, State

LARGEST_GUESS = 0.99
"""An estimate is never as sure as a proof."""


@dataclass
class PolicyAgent(Agent):
    """Plays what a trained network prefers, on the board that it was trained for.

    It does not search: the network's own estimate is the value.
    """

    file: str | bytes = file_option("a trained policy, as `connectx train` writes it")
    temperature: float = option(
        0.0, "0 plays the preferred action; above, actions are drawn by exp(logit / temperature)"
    )
    seed: int | None = option(None, "seed of the random numbers; none: different in every run")
    _policy: TrainedPolicy = field(init=False, repr=False, compare=False)
    _rng: Random = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_at_least("temperature", self.temperature, 0)
        self._policy = decode_policy(file_content(self.file))
        self._rng = make_rng(self.seed)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Ask the network once.

        Raises:
            ValueError: the game is over, or not the one that the policy was trained for.
        """
        clock = Clock()
        # In the games that a policy plays, actions are numbers and states are boards.
        actions: Any = legal_actions(env, state)
        position: Any = state
        if not self._knows(env):
            raise ValueError(
                f"this policy was trained for {self._policy.scope} and cannot play {env!r}: train "
                "one for it with `connectx train`"
            )
        planes = position_planes(env, position)
        logits, values = evaluate_network(self._policy.network, planes[np.newaxis])
        action = actions[self._choose(logits[0, list(actions)])]
        value = float(np.clip(values[0], -LARGEST_GUESS, LARGEST_GUESS))
        return SearchResult(
            action,
            value if position.player == 1 else -value,
            principal_variation=(action,),
            nodes=1,
            elapsed=clock.elapsed,
        )

    def _knows(self, env: object) -> TypeGuard[BoardGame]:
        return isinstance(env, BoardGame) and policy_scope(env) == self._policy.scope

    def _choose(self, logits: Floats) -> int:
        """The place of an action among the legal ones, whose logits these are."""
        if self.temperature == 0:
            return int(logits.argmax())
        chances = np.exp((logits - logits.max()) / self.temperature)
        return self._rng.choices(range(len(logits)), chances.tolist())[0]


def position_planes(env: BoardGame, state: BoardState) -> NDArray[np.float32]:
    """The network's input: the stones of the player to move, and the other's.

    Shape (2, rows, columns), 0 and 1, row 0 on top.
    """
    board = np.array(env.to_board(state)).reshape(env.rows, env.columns)
    return np.stack([board == state.player, board == 3 - state.player]).astype(np.float32)
