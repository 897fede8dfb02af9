"""Games without boards, of which searches can only use the protocol, and odd rules on boards."""

from collections.abc import Sequence
from functools import reduce
from operator import xor
from typing import Any, NamedTuple

from envs import BoardState, ConnectX


class NimState(NamedTuple):
    """The heaps, and whose turn it is."""

    heaps: tuple[int, ...]
    player: int


class Take(NamedTuple):
    """Take `objects` from the heap with the number `heap`."""

    heap: int
    objects: int


class Nim:
    """Take any number of objects from one heap; taking the last one wins, or loses in misère."""

    def __init__(self, *heaps: int, misere: bool = False) -> None:
        self.heaps = heaps
        self.misere = misere

    def initial_state(self) -> NimState:
        return NimState(self.heaps, 1)

    def current_player(self, state: NimState) -> int:
        return state.player

    def get_available_actions(self, state: NimState) -> Sequence[Take]:
        return [
            Take(heap, objects)
            for heap, size in enumerate(state.heaps)
            for objects in range(1, size + 1)
        ]

    def get_next_state(self, state: NimState, action: Take) -> NimState:
        if action not in self.get_available_actions(state):
            raise ValueError(f"illegal action {action} in {state}")
        heaps = list(state.heaps)
        heaps[action.heap] -= action.objects
        return NimState(tuple(heaps), 3 - state.player)

    def reward(self, state: NimState, action: Take) -> float:
        if any(self.get_next_state(state, action).heaps):
            return 0.0
        return 1.0 if (state.player == 1) != self.misere else -1.0


def nim_value(env: Nim, state: NimState) -> float:
    """The value from player 1's view, by C. L. Bouton's theorem (1901)."""
    if env.misere and max(state.heaps) <= 1:
        mover_wins = sum(state.heaps) % 2 == 0
    else:
        mover_wins = reduce(xor, state.heaps) != 0
    return 1.0 if mover_wins == (state.player == 1) else -1.0


class RaceState(NamedTuple):
    """The sum so far, and whose turn it is."""

    total: int
    player: int


class Race:
    """Add 1, 2 or 3; exactly `target` wins, more draws, and a multiple of 5 gives another turn."""

    def __init__(self, target: int) -> None:
        self.target = target

    def initial_state(self) -> RaceState:
        return RaceState(0, 1)

    def current_player(self, state: RaceState) -> int:
        return state.player

    def get_available_actions(self, state: RaceState) -> Sequence[int]:
        return (1, 2, 3) if state.total < self.target else ()

    def get_next_state(self, state: RaceState, action: int) -> RaceState:
        if action not in self.get_available_actions(state):
            raise ValueError(f"illegal action {action} in {state}")
        total = state.total + action
        return RaceState(total, state.player if total % 5 == 0 else 3 - state.player)

    def reward(self, state: RaceState, action: int) -> float:
        if self.get_next_state(state, action).total != self.target:
            return 0.0
        return 1.0 if state.player == 1 else -1.0


class PassingRace(Race):
    """A race in which the action None takes the place of adding 3."""

    def get_available_actions(self, state: RaceState) -> Sequence[Any]:
        return [None if action == 3 else action for action in super().get_available_actions(state)]

    def get_next_state(self, state: RaceState, action: Any) -> RaceState:
        return Race(self.target).get_next_state(state, action or 3)


class MisereConnectX(ConnectX):
    """ConnectX in which completing a line loses."""

    def reward(self, state: BoardState, action: int) -> float:
        return -super().reward(state, action)
