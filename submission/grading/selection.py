"""Which of many positions go into a set, so that it holds enough of each kind."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from envs.board import BoardState
from envs.notation import state_from_moves
from submission.grading.solved_position import GAME, Outcome, SolvedPosition


def select(candidates: Iterable[SolvedPosition], count: int) -> list[SolvedPosition]:
    """Select up to `count` positions of one ply, of each kind those that come first.

    Half of them are hard, a sixth is tactical, and in the others some columns keep what is at stake
    and some do not, or the game is lost and can be lost sooner; of each kind there are wins, draws
    and losses in turn. What one kind lacks is made up by the kinds in this order. No two are equal
    or mirror images.

    Args:
        candidates: solved positions in the order in which they were drawn.
        count: how many to select.
    """
    distinct = [position for position in _distinct(candidates) if position.has_choice]
    kinds = [
        list(_in_turn([position for position in distinct if is_of_kind(position)]))
        for is_of_kind in (_is_hard, _is_tactical, _is_other)
    ]
    half, sixth = (count + 1) // 2, count // 6
    shares = [half, sixth, count - half - sixth]
    selected = [kind[:share] for kind, share in zip(kinds, shares, strict=True)]
    left_out = [kind[share:] for kind, share in zip(kinds, shares, strict=True)]
    return [*chain(*selected), *chain(*left_out)][:count]


def _is_hard(position: SolvedPosition) -> bool:
    return position.is_hard


def _is_tactical(position: SolvedPosition) -> bool:
    return position.is_tactical


def _is_other(position: SolvedPosition) -> bool:
    at_stake = position.is_at_stake or position.outcome is Outcome.LOSS
    return at_stake and not position.is_hard and not position.is_tactical


def _in_turn(positions: Sequence[SolvedPosition]) -> Iterator[SolvedPosition]:
    """A win, a draw, a loss, and so on for as long as there are any."""
    queues = [
        deque(position for position in positions if position.outcome is outcome)
        for outcome in (Outcome.WIN, Outcome.DRAW, Outcome.LOSS)
    ]
    while any(queues):
        yield from [queue.popleft() for queue in queues if queue]


def _distinct(positions: Iterable[SolvedPosition]) -> list[SolvedPosition]:
    """The first of those that are equal or mirror images of each other."""
    first: dict[BoardState, SolvedPosition] = {}
    for position in positions:
        first.setdefault(_mirror_free_state(position.moves), position)
    return list(first.values())


def _mirror_free_state(moves: str) -> BoardState:
    mirrored = "".join(str(GAME.columns + 1 - int(column)) for column in moves)
    return min(state_from_moves(GAME, moves), state_from_moves(GAME, mirrored))
