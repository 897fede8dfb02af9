"""Checks the arguments of single and vector environments; a ValueError says what is valid."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from inspect import Parameter, signature
from operator import index
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from envs.compiled.jit import Flags, Words
from envs.protocol import whole_from

ILLEGAL = ("loss", "raise")  # what an illegal action does: it loses the game, or raises ValueError


def require_choice(name: str, choice: object, known: Collection[object]) -> None:
    """Check an argument that has a few valid values."""
    if not isinstance(choice, Hashable) or choice not in known:
        raise ValueError(f"{name} is {choice!r}: choose one of {', '.join(map(str, known))}")


def require_options(given: Iterable[str], environment: type, sizes: Iterable[str]) -> None:
    """Check the names of an environment's options.

    Raises:
        ValueError: there is no such option.
        TypeError: the option is TorchRL's `frameskip`.
    """
    parameters = [*signature(environment.__init__).parameters.values()][1:]  # type: ignore[misc]
    several = Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD
    known = [*sizes, *(each.name for each in parameters if each.kind not in several)]
    for name in given:
        if name in known:
            continue
        if name == "frameskip":  # TorchRL's GymEnv passes it, and retries without it on TypeError
            raise TypeError(f"unexpected keyword argument {name!r}")
        if name == "max_episode_steps":
            raise ValueError(
                "a vector environment has no max_episode_steps because its games always end: leave "
                "it out, or make the environments with vectorization_mode='sync'"
            )
        meant = "".join(f" (is {other} meant?)" for other in get_close_matches(name, known, 1))
        raise ValueError(f"unknown option {name!r}{meant}: choose one of {', '.join(known)}")


def whole_number(action: SupportsIndex, whose: str = "an action") -> int:
    """Return an action, perhaps a NumPy integer or an array of shape (), as a plain integer."""
    try:
        if isinstance(action, bool):
            raise TypeError
        return index(action)
    except TypeError:
        raise ValueError(f"{whose} must be a whole number, not {action!r}") from None


def options_of_reset(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the options of a reset, an empty mapping instead of None."""
    if not isinstance(options, Mapping | None):
        raise ValueError(f"reset options must be a dict like {{'moves': '4453'}}, not {options!r}")
    return options or {}


def moves_of_reset(options: Mapping[str, Any] | None) -> Any:
    """Return the `moves` among the options of a reset, "" if there are none."""
    options = options_of_reset(options)
    for option in options:
        if option != "moves":
            raise ValueError(
                f"unknown option {option!r} of reset: give 'moves' or, in vector environments, "
                "'reset_mask'"
            )
    return options.get("moves", "")


Seed = int | np.integer[Any]
Seeds = Seed | Sequence[Seed | None] | NDArray[np.integer[Any]] | None
"""One seed, from which the seeds of all games follow; or a seed for each game; or none."""


def require_seed(seed: object) -> int:
    """Return a seed, which may be a NumPy integer, as a plain integer."""
    return whole_from(0, seed, "a seed must be")


def seed_of_each(seed: Seeds, count: int) -> Sequence[int | None]:
    """Return a seed, or None, for each game."""
    if seed is None:
        return [None] * count
    if isinstance(seed, np.ndarray):
        seed = seed.tolist()
    if isinstance(seed, str | bytes) or not isinstance(seed, Sequence):
        first = require_seed(seed)
        return range(first, first + count)
    if len(seed) != count:
        raise ValueError(f"{len(seed)} seeds are given for {count} games: give one for each")
    return [None if number is None else require_seed(number) for number in seed]


def reset_mask_and_rest(
    options: Mapping[str, Any] | None, count: int
) -> tuple[Flags, dict[str, Any]]:
    """Split a reset's options into the mask of the games to start (by default all) and the rest."""
    rest = dict(options_of_reset(options))
    if "reset_mask" not in rest:
        return np.ones(count, np.bool_), rest
    mask = rest.pop("reset_mask")
    fits = isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (count,)
    if not fits:
        raise ValueError(
            f"the reset_mask must be a numpy array of bools of shape ({count},), not {mask!r}"
        )
    return mask, rest


def require_actions(actions: NDArray[Any], count: int, whose: str = "actions") -> Words:
    """Return actions as an array of 64-bit integers that the kernels take."""
    array = np.asarray(actions)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"{whose} must be whole numbers, one for each of {count} games: shape ({count},), not "
            f"{array.dtype} of shape {array.shape}"
        )
    if array.dtype == np.int64 and array.flags.carray:
        return array
    return array.astype(np.int64, order="C")


def require_masks(action_masks: NDArray[Any]) -> NDArray[Any]:
    """Return action masks as the array that the sampler's kernel is compiled for."""
    array = np.asarray(action_masks)
    if array.ndim != 2 or array.dtype.kind not in "biu" or not array.dtype.isnative:
        raise ValueError(
            "action masks must be 0 and 1, with a row for each game: shape (n, actions), not "
            f"{array.dtype} of shape {array.shape}"
        )
    is_as_ours = array.dtype == np.int8 and array.flags.c_contiguous and array.flags.writeable
    return array if is_as_ours else (array != 0).astype(np.int8, order="C")
