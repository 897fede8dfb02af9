"""Whom the learners of a vector environment play against."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np

from envs.board import BoardGame
from envs.learning.observations import action_count
from envs.learning.opponents import RANDOM, Opponent, make_opponent
from envs.learning.vector_arguments import first_illegal, require_actions
from envs.learning.vector_boards import Boards
from envs.learning.vector_kernel import Bytes, Flags, Words


@runtime_checkable
class BatchOpponent(Protocol):
    """Chooses the actions of many games at once, as a network does."""

    def choose_actions(
        self, observations: Bytes, action_masks: Bytes, sub_environments: Words
    ) -> Words:
        """The actions in all games in which the opponent is to move.

        Args:
            observations: planes of shape (n, 2, rows, columns), the opponent's stones first.
            action_masks: of shape (n, actions), 1 for each legal action.
            sub_environments: the numbers of the games, of shape (n,).

        Returns:
            A legal action for each game, of shape (n,).
        """


class Replies(Protocol):
    """How the opponents of some games choose."""

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """An action for each game whose turn it is; what stands in the other places is of no use.

        Raises:
            ValueError: an opponent chose an illegal action.
        """

    def seed(self, index: int, stream: int) -> None:
        """Let the opponent of a game begin anew with these random numbers."""


def make_replies(
    game: BoardGame, opponent: str | Opponent | BatchOpponent | None
) -> Replies | None:
    """How the opponents of some games choose; None in self-play.

    Raises:
        ValueError: an opponent that `make_opponent` does not know.
    """
    if opponent is None:
        return None
    if opponent == RANDOM:
        return RandomReplies()
    if isinstance(opponent, BatchOpponent):
        return BatchReplies(game, opponent)
    make_opponent(opponent, seed=0)
    return SingleReplies(game, partial(make_opponent, opponent))


class RandomReplies:
    """Legal actions, all equally likely, from the streams of the games."""

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """An action for each game whose turn it is."""
        actions = np.zeros(len(turn), np.int64)
        boards.draw_actions(turn, streams, actions)
        return actions

    def seed(self, index: int, stream: int) -> None:
        """Nothing to do: the streams are handed in."""


class SingleReplies:
    """An opponent of its own for each game: one Python call for each reply.

    Args:
        game: the rules.
        make: makes the opponent that has this seed.
    """

    def __init__(self, game: BoardGame, make: Callable[[int], Opponent]) -> None:
        self._game = game
        self._make = make
        self._opponents: dict[int, Opponent] = {}

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """An action for each game whose turn it is."""
        actions = np.zeros(len(turn), np.int64)
        for index in np.flatnonzero(turn).tolist():
            state = boards.state(index)
            action = self._opponents[index](self._game, state)
            legal = self._game.get_available_actions(state)
            if action not in legal:
                raise illegal_reply(index, action, legal)
            actions[index] = action
        return actions

    def seed(self, index: int, stream: int) -> None:
        """Make the opponent of a game anew."""
        self._opponents[index] = self._make(stream)


class BatchReplies:
    """One opponent for all games.

    Args:
        game: the rules.
        opponent: chooses for all games in one call.
    """

    def __init__(self, game: BoardGame, opponent: BatchOpponent) -> None:
        self._opponent = opponent
        self._planes_shape = (2, game.rows, game.columns)
        self._actions = action_count(game)

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """An action for each game whose turn it is."""
        count = len(turn)
        actions = np.zeros(count, np.int64)
        planes = np.zeros((count, *self._planes_shape), np.int8)
        masks = np.zeros((count, self._actions), np.int8)
        boards.write_planes(turn, np.zeros(count, np.int8), planes)
        boards.write_action_masks(~turn, masks)
        games = np.flatnonzero(turn)
        if len(games):
            chosen = self._opponent.choose_actions(planes[games], masks[games], games)
            actions[games] = require_actions(chosen, len(games))
            illegal = first_illegal(actions[games], masks[games])
            if illegal is not None:
                index = games[illegal]
                raise illegal_reply(index, actions[index], np.flatnonzero(masks[index]).tolist())
        return actions

    def seed(self, index: int, stream: int) -> None:
        """Nothing to do: the opponent has random numbers of its own."""


def illegal_reply(index: int, action: object, legal: Sequence[int]) -> ValueError:
    """What is wrong with an opponent's action."""
    return ValueError(
        f"the opponent in sub-environment {index} plays the illegal action {action}: "
        f"legal: {', '.join(map(str, legal))}"
    )
