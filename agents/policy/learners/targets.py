"""Positions and what a network is to say of them: batches, parts, mirror images."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.policy.features import mirrored_actions
from envs.bitboard import mirrored
from envs.board import BoardGame


class Targets(NamedTuple):
    """Positions and what a network is to say of them."""

    movers: NDArray[np.int64]
    masks: NDArray[np.int64]
    policies: NDArray[np.floating[Any]]
    """Shape (positions, actions): probabilities; those of illegal actions are 0."""
    values: NDArray[np.float32]
    """Shape (positions,): for the player to move, from -1 to 1."""

    def take(self, chosen: NDArray[np.integer[Any]] | NDArray[np.bool_] | slice) -> "Targets":
        """Some of the positions, by their numbers, by whether they are meant, or by a range."""
        movers, masks, policies, values = self
        return Targets(movers[chosen], masks[chosen], policies[chosen], values[chosen])


def no_targets(actions: int) -> Targets:
    """No positions, of a game with so many actions."""
    return Targets(
        np.empty(0, np.int64),
        np.empty(0, np.int64),
        np.empty((0, actions), np.float16),
        np.empty(0, np.float32),
    )


def joined(parts: Sequence[Targets]) -> Targets:
    """Positions of several parts, one part after the other."""
    movers, masks, policies, values = zip(*parts, strict=True)
    return Targets(
        np.concatenate(movers),
        np.concatenate(masks),
        np.concatenate(policies),
        np.concatenate(values),
    )


def mirror_images(env: BoardGame, targets: Targets) -> Targets:
    """Turn positions left to right, with their targets: nothing in the game changes by that."""
    size = env.rows, env.columns
    movers, masks, policies, values = targets
    return Targets(
        np.asarray(mirrored(*size, movers)),  # type: ignore[arg-type]  # whole arrays, as well
        np.asarray(mirrored(*size, masks)),  # type: ignore[arg-type]
        policies[:, mirrored_actions(env)],
        values,
    )


def drawn_batch(
    env: BoardGame, targets: Targets, rng: np.random.Generator, positions: int
) -> Targets:
    """Draw positions, half of them turned left to right."""
    drawn = targets.take(rng.integers(len(targets.movers), size=positions))
    half = positions // 2
    turned = mirror_images(env, drawn.take(slice(half)))
    return joined([turned, drawn.take(slice(half, None))])
