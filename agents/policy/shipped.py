"""Weights that come with the package, by name, and the files of others: policies as options."""

from functools import lru_cache
from importlib.resources import files
from typing import Any

from agents.options import alternatives, file_content, file_option
from agents.policy.network import TrainedPolicy, decode_policy, policy_scope
from envs.board import BoardGame

FOLDER = "agents.policy"
SHIPPED = ("distilled", "zero")
"""Weights for Connect Four: taught by the solver, and by nothing but games against themselves."""


def weights_option() -> Any:
    """A dataclass field, of type `str | bytes`, for the weights of a network."""
    return file_option(
        "the network: distilled or zero, for Connect Four, or a file of `connectx train`",
        default=SHIPPED[0],
        read=weights_content,
    )


def weights_content(weights: str | bytes) -> bytes:
    """Read the weights that an option names.

    Args:
        weights: one of `SHIPPED`, a path, or the content of a file.

    Raises:
        OSError: they cannot be read.
    """
    if weights in SHIPPED:
        return files(FOLDER).joinpath(f"{weights!s}.npz").read_bytes()
    try:
        return file_content(weights)
    except OSError as error:
        raise OSError(f"{error}, or name {alternatives(SHIPPED)}") from error


def known_policy(weights: str | bytes) -> TrainedPolicy:
    """The policy of weights, which agents share.

    Args:
        weights: as `weights_content` reads them.

    Raises:
        OSError: they cannot be read.
        ValueError: as `decode_policy`.
    """
    return _decoded(weights_content(weights))


@lru_cache(maxsize=4)
def _decoded(content: bytes) -> TrainedPolicy:
    return decode_policy(content)


def require_known_game(policy: TrainedPolicy, env: object) -> BoardGame:
    """Check that a policy was trained for a game; return that.

    Raises:
        ValueError: it was trained for another one.
    """
    if isinstance(env, BoardGame) and policy_scope(env) == policy.scope:
        return env
    raise ValueError(
        f"this policy was trained for {policy.scope} and cannot play {env!r}: train one for it "
        "with `connectx train`"
    )
