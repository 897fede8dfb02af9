"""Some games of a vector environment: plies, replies, new games, what the learners see."""

from typing import NamedTuple

import numpy as np
from gymnasium.vector import AutoresetMode

from envs.board import BoardState
from envs.learning.observations import action_count
from envs.learning.single_env import PLAYERS, RANDOM_SEAT, BoardGameEnv
from envs.learning.vector_arguments import first_illegal
from envs.learning.vector_boards import make_boards
from envs.learning.vector_kernel import Bytes, Flags, Rewards, Words, draw_seats
from envs.learning.vector_opponents import Replies
from envs.random_stream import stream_of_seed

SELF_PLAY = 0
"""The seat of a learner who plays both sides."""


class StepArrays(NamedTuple):
    """What a step fills, a row for each game."""

    observations: Bytes
    action_masks: Bytes
    rewards: Rewards
    terminated: Flags
    final_observations: Bytes
    """The last observation of the games that have ended; other rows are of no use."""

    def rows(self, rows: slice) -> "StepArrays":
        """The same arrays, of some games."""
        return StepArrays(
            self.observations[rows],
            self.action_masks[rows],
            self.rewards[rows],
            self.terminated[rows],
            self.final_observations[rows],
        )


class Games:
    """So many games, played together.

    Args:
        game: the single environment in self-play, whose rules and arguments are taken.
        count: how many there are.
        replies: how the opponents choose, None in self-play.
        observation: what the learners see.
        autoreset_mode: when a game that is over begins anew.
    """

    def __init__(
        self,
        game: BoardGameEnv,
        count: int,
        replies: Replies | None,
        observation: str,
        autoreset_mode: AutoresetMode,
    ) -> None:
        self.boards = make_boards(game, count)
        self.over = np.zeros(count, np.bool_)
        self._game = game
        self._autoreset_mode = autoreset_mode
        self._replies = replies
        self._draws_seats = replies is not None and game.seat == RANDOM_SEAT
        seat = SELF_PLAY if replies is None else PLAYERS.get(game.seat, SELF_PLAY)
        self._seats = np.full(count, seat, np.int8)
        self._streams = np.zeros(count, np.int64)
        self._all = np.ones(count, np.bool_)
        self._write_observations = {
            "planes": self.boards.write_planes,
            "flat": self.boards.write_flat_boards,
        }[observation]

    def seed(self, index: int, seed: int) -> None:
        """Let the random numbers of a game begin anew."""
        stream = stream_of_seed(seed)
        self._streams[index] = stream
        if self._replies is not None:
            self._replies.seed(index, stream)

    def begin(self, which: Flags, state: BoardState) -> None:
        """Begin these games in `state`; the opponents move where it is their turn.

        Raises:
            ValueError: a game is over before its learner has moved.
        """
        self.boards.start(which, state)
        self.over &= ~which
        if self._draws_seats:
            draw_seats(which, self._streams, self._seats)
        if self._replies is not None:
            self._reply(self._replies, which & (self._seats != state.player), np.zeros(len(which)))
        if np.any(self.over & which):
            raise ValueError(
                "a game is over before its learner's first action: begin earlier, or let the "
                "learner be the first player"
            )

    def step(self, actions: Words, arrays: StepArrays) -> None:
        """Play the learners' actions and the replies; begin anew what the autoreset mode says.

        `arrays.rewards` are zeros when they come.
        """
        resumed = ~self.over
        if self._autoreset_mode is AutoresetMode.NEXT_STEP:
            self.begin(~resumed, self._game.initial_state())
        self.boards.play(actions, resumed, 1.0, self.over, arrays.rewards)
        if self._replies is not None:
            self._reply(self._replies, resumed & ~self.over, arrays.rewards)
        arrays.terminated[:] = self.over
        if self._autoreset_mode is AutoresetMode.SAME_STEP:
            self._write_observations(self.over, self._seats, arrays.final_observations)
            self.begin(self.over.copy(), self._game.initial_state())
        self.observe(arrays)

    def observe(self, arrays: StepArrays) -> None:
        """Write what the learners see, and what is legal."""
        self._write_observations(self._all, self._seats, arrays.observations)
        self.write_action_masks(arrays.action_masks)

    def write_action_masks(self, masks: Bytes) -> None:
        """Write what is legal: nothing where the game is over."""
        self.boards.write_action_masks(self.over, masks)

    def require_legal(self, actions: Words, offset: int) -> None:
        """Check the actions of all games that are not over.

        Args:
            actions: one for each game.
            offset: the number of the first game among all sub-environments.

        Raises:
            ValueError: one is illegal; the message names the sub-environment.
        """
        masks = np.empty((len(actions), action_count(self._game)), np.int8)
        self.boards.write_action_masks(self.over, masks)
        playing = np.flatnonzero(~self.over)
        illegal = first_illegal(actions[playing], masks[playing])
        if illegal is not None:
            index = int(playing[illegal])
            try:
                self._game.get_next_state(self.boards.state(index), int(actions[index]))
            except ValueError as error:
                raise ValueError(f"sub-environment {offset + index}: {error}") from None

    def _reply(self, replies: Replies, turn: Flags, rewards: Rewards) -> None:
        actions = replies.choose(self.boards, turn, self._streams)
        self.boards.play(actions, turn, -1.0, self.over, rewards)
