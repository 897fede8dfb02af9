"""Policies as options: the package's own weights, by name, and the user's files."""

from functools import cached_property, lru_cache
from typing import Any

from agents.networks.network import (
    NETWORKS_KEPT,
    PolicyNetwork,
    PolicyScope,
    TrainedPolicy,
    decode_policy,
    decode_scope,
    is_rounded,
    policy_scope,
)
from agents.options import alternatives, file_content, file_option
from agents.package_file import PackageFile
from envs.board import BoardGame

SHIPPED = ("distilled", "zero")
"""Weights for Connect Four: one taught by the solver, the other only by games against itself."""


def weights_option(what: str = "the network", otherwise: str = "") -> Any:
    """A dataclass field for the weights of a network, of type `str | bytes`, or also None.

    Its help says `what` the weights are; `otherwise` adds what None means.
    """
    return file_option(
        f"{what}: distilled or zero, for Connect Four, or a file of `connectx train`{otherwise}",
        default=SHIPPED[0],
        read=weights_content,
    )


def weights_content(weights: str | bytes) -> bytes:
    """Read weights: one of `SHIPPED`, a path, or the content of a file; else an OSError."""
    if weights in SHIPPED:
        return PackageFile("agents.networks", f"{weights!s}.npz").read()
    try:
        return file_content(weights)
    except OSError as error:
        raise OSError(f"{error}, or name {alternatives(SHIPPED)}") from error


def known_policy(weights: str | bytes) -> TrainedPolicy:
    """The policy in some weights, shared by agents; raises as `weights_content` and decoding."""
    return _policy_in(weights_content(weights), weights)


def _policy_in(content: bytes, weights: str | bytes) -> TrainedPolicy:
    """The policy in the content of some weights; an error names the weights."""
    try:
        return _decoded(content)
    except ValueError as error:
        if isinstance(weights, bytes):
            raise
        raise ValueError(f"{weights}: {error}") from error  # several players may each have a file


_decoded = lru_cache(maxsize=NETWORKS_KEPT)(decode_policy)


class StoredPolicy:
    """The policy in some weights, decoded on first use because decoding imports numpy.

    Raises:
        OSError: a file, which is read at once, cannot be read.
        ValueError: it is not a policy; other damage is found only on first use.
    """

    def __init__(self, weights: str | bytes) -> None:
        self._weights = weights
        if isinstance(weights, bytes):
            decode_scope(weights)
        elif weights not in SHIPPED:
            self._weights = weights_content(weights)
            _policy_in(self._weights, weights)

    def __reduce__(self) -> tuple[type["StoredPolicy"], tuple[str | bytes]]:
        return type(self), (self._weights,)

    @cached_property
    def scope(self) -> PolicyScope:
        """The game that it was trained for."""
        return decode_scope(weights_content(self._weights))

    @cached_property
    def is_rounded(self) -> bool:
        """See `agents.networks.network.is_rounded`."""
        return is_rounded(weights_content(self._weights))

    @cached_property
    def network(self) -> PolicyNetwork:
        """Its network."""
        return known_policy(self._weights).network


def require_known_game(policy: TrainedPolicy | StoredPolicy, env: object) -> BoardGame:
    """Return a game after a check that a policy was trained for it; ValueError if it was not."""
    if isinstance(env, BoardGame) and policy_scope(env) == policy.scope:
        return env
    raise ValueError(
        f"this policy was trained for {policy.scope} and cannot play {env!r}: train one for it "
        "with `connectx train`"
    )
