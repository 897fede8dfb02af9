"""Move orderings: which actions a search tries first. Better actions first means more cutoffs.

An ordering is a plain function `(env, state, actions) -> actions`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from envs.connectx import ConnectX

Ordering = Callable[[Any, Any, Sequence[Any]], Sequence[Any]]
Item = TypeVar("Item")


def natural(env: object, state: object, actions: Sequence[Item]) -> Sequence[Item]:
    """Keep the order in which the environment names the actions."""
    return actions


def centre_first(env: ConnectX, state: object, actions: Sequence[int]) -> Sequence[int]:
    """Try columns from the middle outwards: more lines run through the middle."""
    return from_the_middle(env.columns, tuple(actions))


@lru_cache(maxsize=4096)
def from_the_middle(columns: int, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """The chosen ones of `columns` columns, those nearest to the middle first."""
    return tuple(sorted(chosen, key=lambda column: abs(2 * column - columns + 1)))


def automatic_order(env: object, state: object, actions: Sequence[Any]) -> Sequence[Any]:
    """`centre_first` for ConnectX, `natural` for every other game."""
    return centre_first(env, state, actions) if isinstance(env, ConnectX) else actions


ORDERINGS: Mapping[str, Ordering] = {
    "auto": automatic_order,
    "centre": centre_first,
    "natural": natural,
}
