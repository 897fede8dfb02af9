"""Opponents inside an environment: for one game, and for whole batches."""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from envs.board import BoardGame, BoardState
from envs.compiled.random_stream import DRAWN_MASK, drawn_index, next_stream, random_action
from envs.learning.arguments import first_illegal, require_actions
from envs.learning.vector.vector_boards import Boards
from envs.learning.vector.vector_kernels import Bytes, Flags, Words

Opponent = Callable[[BoardGame, BoardState], int]
"""Chooses the action of the player to move; every agent's `act` is such a function."""

RANDOM = "random"
"""The opponent whose legal actions come from the environment's own random numbers."""


def make_opponent(opponent: str | Opponent, seed: int) -> Opponent:
    """Find the function that plays for an opponent.

    Args:
        opponent: a registered agent, with options if need be (`mcts:simulations=50`); or a function
            that is taken as it is.
        seed: of the agent's random numbers, where it has such an option and is given none.

    Raises:
        ValueError: neither a name nor a function, an unknown agent, or an option that it has not.
    """
    if callable(opponent):
        return opponent
    if not isinstance(opponent, str):
        raise ValueError(
            f"the opponent is {opponent!r}: give the name of an agent, a function "
            "(game, state) -> action such as an agent's `act`, or None for self-play"
        )
    play: Opponent = known_agents().agent_from_text(opponent, seed).act
    return play


def known_agents() -> Any:
    """The module of the agents' names.

    Late and by name: the rules know no agent, and who plays without one loads none.
    """
    return import_module("agents.registry")


class Dice:
    """The random numbers of an environment: seats, and the actions of the random opponent.

    Args:
        stream: where they begin, as `envs.compiled.random_stream` has it.
    """

    def __init__(self, stream: int) -> None:
        self.stream = stream

    def player(self) -> int:
        """Draw 1 or 2, equally likely."""
        self.stream = next_stream(self.stream)
        return 1 + drawn_index(self.stream, 2)

    def action(self, game: BoardGame, state: BoardState) -> int:
        """Draw a legal action, all equally likely."""
        legal = game.get_available_actions(state)
        action, self.stream = random_action(legal, len(game.action_cells), self.stream)
        return action


@runtime_checkable
class BatchOpponent(Protocol):
    """Chooses the actions of many games at once, as a network does."""

    def choose_actions(
        self, observations: Bytes, action_masks: Bytes, sub_environments: Words
    ) -> Words:
        """Choose the actions in all games in which the opponent is to move.

        Args:
            observations: planes of shape (n, 2, rows, columns), the opponent's stones first.
            action_masks: of shape (n, actions), 1 for each legal action.
            sub_environments: the numbers of the games, of shape (n,).

        Returns:
            A legal action for each game, of shape (n,).
        """


class Replies(Protocol):
    """The opponents of many games, as the games ask them."""

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """Choose an action for each game in `turn`; the other places hold anything.

        Raises:
            ValueError: an opponent chose an illegal action.
        """

    def seed(self, index: int, stream: int) -> None:
        """Let the opponent of a game begin anew with these random numbers."""


def make_replies(
    game: BoardGame, opponent: str | Opponent | BatchOpponent | None
) -> Replies | None:
    """Make the opponents of many games; None in self-play.

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
    if isinstance(opponent, str):
        choose = known_agents().chooser_in_all(opponent)
        if choose is not None:
            return DrawnReplies(game, choose)
    return SingleReplies(game, partial(make_opponent, opponent))


class RandomReplies:
    """Legal actions, all equally likely, from the streams of the games."""

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """Choose an action for each game in `turn`."""
        actions = np.zeros(len(turn), np.int64)
        boards.draw_actions(turn, streams, actions)
        return actions

    def seed(self, index: int, stream: int) -> None:
        """Do nothing: the streams are handed in."""


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
        """Choose an action for each game in `turn`."""
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


ChooseInAll = Callable[[BoardGame, Sequence[BoardState], NDArray[np.float64]], Words]
"""Chooses an action in each state, with a random number from 0 to less than 1 for each."""


class DrawnReplies:
    """One agent for all games; its random numbers come from the streams of the games.

    Args:
        game: the rules.
        choose: chooses for all games in one call.
    """

    def __init__(self, game: BoardGame, choose: ChooseInAll) -> None:
        self._game = game
        self._choose = choose

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """Choose an action for each game in `turn`."""
        actions = np.zeros(len(turn), np.int64)
        games = np.flatnonzero(turn)
        if len(games):
            states = [boards.state(index) for index in games.tolist()]
            drawn: Words = np.array([next_stream(stream) for stream in streams[games].tolist()])
            streams[games] = drawn
            draws = (drawn & DRAWN_MASK) / (DRAWN_MASK + 1)
            actions[games] = self._choose(self._game, states, draws)
        return actions

    def seed(self, index: int, stream: int) -> None:
        """Do nothing: the streams are handed in."""


class BatchReplies:
    """One opponent for all games.

    Args:
        game: the rules.
        opponent: chooses for all games in one call.
    """

    def __init__(self, game: BoardGame, opponent: BatchOpponent) -> None:
        self._opponent = opponent
        self._planes_shape = (2, game.rows, game.columns)
        self._actions = len(game.action_cells)

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """Choose an action for each game in `turn`."""
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
        """Do nothing: the opponent has random numbers of its own."""


def illegal_reply(index: int, action: object, legal: Sequence[int]) -> ValueError:
    """Make the error for an opponent's illegal action."""
    return ValueError(
        f"the opponent in sub-environment {index} plays the illegal action {action}: "
        f"legal: {', '.join(map(str, legal))}"
    )
