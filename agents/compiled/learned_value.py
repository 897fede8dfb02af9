"""Values of leaves by a trained network, as whole numbers that searches add and compare.

If two plies of look-ahead do not decide a state, the network guesses its value. The compiled
searches and their references call the same compiled function, so that they get the same numbers.
"""

from collections.abc import Mapping
from contextlib import suppress
from threading import local
from typing import Any, NamedTuple

from agents.compiled.alpha_beta_tables import slot_of
from agents.compiled.compilation import PATIENCE
from agents.compiled.compiled_puct import seen_value
from agents.compiled.tree_kernel import UNPROVEN
from agents.networks.features import feature_board, features_of_turn
from agents.networks.network import PolicyNetwork, TrainedPolicy, policy_scope
from agents.networks.network_kernel import NetworkArrays, evaluate_position, network_arrays
from agents.networks.shipped import StoredPolicy, require_known_game, weights_option
from envs.bitboard import fits_in_word
from envs.board import BoardGame, BoardState
from envs.compiled.jit import Words, compiled, compiles, inlined, jit

CERTAINTY = 1 << 20
"""The guess that corresponds to a value of 1. A power of 2, so that fractions of it are exact."""
SEEN = CERTAINTY - 1  # the guess of a state that is won within two plies; less than a proof
SUREST = 0.99  # the limit to which a network's values are clipped

CACHE_SIZE = 1 << 18  # guesses in the cache of a search, 16 bytes each


@inlined
def guess_of(network: NetworkArrays, mover: int, mask: int) -> int:
    """Guess the value of an unfinished state for the player to move, in parts of CERTAINTY."""
    seen = seen_value(network.board, mover, mask)
    if seen != UNPROVEN:
        return -seen * SEEN
    value = evaluate_position(network, mover, mask)
    return int(min(max(value, -SUREST), SUREST) * CERTAINTY)


@jit
def guess_position(network: NetworkArrays, mover: int, mask: int) -> int:
    """`guess_of` as a kernel to be called from Python."""
    return guess_of(network, mover, mask)


class GuessArrays(NamedTuple):
    """A network, and a cache of its guesses."""

    network: NetworkArrays
    known: Words  # [slot, 0] The key of a state, `mover + mask`; [slot, 1] its guess


@inlined
def known_guess(arrays: GuessArrays, mover: int, mask: int) -> int:
    """`guess_of`, with a cache."""
    key = int(mover + mask)
    slot = slot_of(arrays.known, key)
    if arrays.known[slot, 0] != key:
        arrays.known[slot, 0] = key
        arrays.known[slot, 1] = guess_of(arrays.network, mover, mask)
    return int(arrays.known[slot, 1])


class ArraysOfThread(local):
    """The networks of a thread by game, each with its working memory.

    Kernels run without Python's global lock, so threads must not share that memory.
    """

    def __init__(self) -> None:
        self.of_game: dict[BoardGame, NetworkArrays] = {}


class LearnedValue:
    """A trained network as a heuristic, and as a rollout policy that plays no moves.

    Each thread has its own working memory; copies, also in other processes, start without any.
    """

    def __init__(self, policy: TrainedPolicy | StoredPolicy) -> None:
        self.policy = policy
        self._known = ArraysOfThread()

    def __reduce__(self) -> tuple[type["LearnedValue"], tuple[TrainedPolicy | StoredPolicy]]:
        return type(self), (self.policy,)

    def __call__(self, env: BoardGame, state: BoardState, rng: object = None) -> float:
        """The value of an unfinished state, from player 1's view, in (-1, 1).

        It is compiled where possible, unless games, which cannot wait, compile in the background.
        Raises ValueError if the network is for another game.
        """
        known = self._known.of_game
        if env not in known:
            known[env] = self.arrays(env)
        guess = guess_position
        fits = fits_in_word(*env.size)
        if fits and not PATIENCE.beside_games and compiles():
            guess = compiled(guess_position)
        value = guess(known[env], state.mover, state.mask) / CERTAINTY
        return value if state.player == 1 else -value

    @classmethod
    def of_stones(cls, env: BoardGame, rounded: bool = True) -> "LearnedValue":
        """A network with exact sums, for tests of kernels: a weighted count of stones.

        If `rounded`, the sums are of whole numbers, else of floats, as of a file without rounding.
        """
        import numpy as np

        scope, board = policy_scope(env), feature_board(env)
        outputs, bits = scope.actions + 1, board.bits
        features = np.zeros((board.features, outputs), np.float32)
        weights = np.arange(bits) / 256 + (0 if rounded else 2.0**-9 + 2.0**-15)
        for own in (0, features_of_turn(bits, len(board.lines), board.inarow)):
            features[own : own + bits, -1] = weights
            features[own + bits : own + 2 * bits, -1] = -weights
        shapes = {"bias": (outputs,), "dense": (0, 0), "dense_bias": (0,), "outputs": (0, outputs)}
        others = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        network = PolicyNetwork(features, **others)
        return cls(TrainedPolicy(scope, network))

    def knows(self, env: object) -> bool:
        """Whether the network was trained for a game; False if a bundle omits the weights."""
        with suppress(OSError):
            return isinstance(env, BoardGame) and policy_scope(env) == self.policy.scope
        return False

    def serves_compiled(self, env: BoardGame) -> bool:
        """Whether compiled searches can use it for a game: the board must also fit 64 bits."""
        return self.knows(env) and fits_in_word(*env.size)

    @property
    def is_rounded(self) -> bool:
        """Whether the rows in the network's file are rounded, as training does."""
        return isinstance(self.policy, TrainedPolicy) or self.policy.is_rounded

    def arrays(self, env: BoardGame) -> NetworkArrays:
        """The network for a kernel, with its own memory; a ValueError for another game."""
        return network_arrays(self.policy.network, require_known_game(self.policy, env))


def rounding_of(value: object) -> bool | None:
    """`LearnedValue.is_rounded`; None for other values of leaves."""
    return value.is_rounded if isinstance(value, LearnedValue) else None


def learned_weights_option(use: str) -> Any:
    """A dataclass field, of type `str | bytes | None`, for the weights of learned values.

    `use` is the name of the agent's option that may be `learned`.
    """
    return weights_option(f"network for {use}=learned", "; none: no network")


LEARNED = "learned"


def learned_values(
    use: str, choice: object, weights: str | bytes | None
) -> Mapping[str, LearnedValue]:
    """The learned value by its name, with the network read on first use; empty without weights.

    `use` is the name of the agent's option that may be `learned`, and `choice` its value.

    Raises:
        OSError: the weights cannot be read.
        ValueError: the weights are invalid, or missing although `choice` needs them.
    """
    if weights is not None:
        return {LEARNED: LearnedValue(StoredPolicy(weights))}
    if choice == LEARNED:
        raise ValueError(
            f"{use}=learned needs weights: give distilled, zero or a file of `connectx train`"
        )
    return {}
