"""The games of a vector environment: their plies, replies, restarts and observations."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from envs.board import BoardState
from envs.compiled.jit import Flags, Words, compiled, fastest
from envs.compiled.random_stream import stream_of_seed
from envs.learning.opponents import AnyOpponent
from envs.learning.single_env import PLAYERS, RANDOM_SEAT, BoardGameEnv
from envs.learning.vector.vector_boards import Boards
from envs.learning.vector.vector_kernels import (
    SELF_PLAY,
    Bytes,
    Rewards,
    StepKernel,
    StepKind,
    drawn_seat,
    make_shared_step,
    make_step,
    random_reply,
)
from envs.learning.vector.vector_replies import KernelReplies, Replies, make_replies
from envs.learning.vector.vector_threads import ThreadedKernel, useful_threads


class StepArrays(NamedTuple):
    """The arrays that a step fills, with a row for each game."""

    observations: Bytes
    action_masks: Bytes
    rewards: Rewards
    terminations: Flags


class Games:
    """Many games: in all, the learners play, then the opponents reply, then all are observed.

    The rules and the arguments are those of `game`, a single environment in self-play.
    """

    def __init__(
        self, game: BoardGameEnv, boards: Boards, replies: Replies | None, observation: str
    ) -> None:
        count = len(boards)
        self.boards = boards
        self.is_self_play = replies is None  # the learner plays both sides
        self.over = np.ones(count, np.bool_)  # until they start
        self._game = game
        self._replies = replies
        self._draws_seats = replies is not None and game.seat == RANDOM_SEAT
        seat = SELF_PLAY if replies is None else PLAYERS.get(game.seat, SELF_PLAY)
        self._seats = np.full(count, seat, np.int8)
        self._streams = np.zeros(count, np.int64)
        self._observation = observation

    @property
    def playing(self) -> Words | None:
        """The index of the opponent in each game, if there are several."""
        return None if self._replies is None else self._replies.playing

    def go_on_from(self, before: "Games") -> None:
        """Continue the games of another object on the same boards, against these opponents."""
        self.over[:] = before.over
        self._seats[:] = before._seats
        self._streams[:] = before._streams
        if self._replies is not None:
            for index, stream in enumerate(self._streams.tolist()):
                self._replies.seed(index, stream)
            self._replies.begin(np.ones_like(self.over), self._streams)

    def seed(self, index: int, seed: int) -> None:
        """Reset the random stream of a game."""
        stream = stream_of_seed(seed)
        self._streams[index] = stream
        if self._replies is not None:
            self._replies.seed(index, stream)

    def begin(self, which: Flags, state: BoardState) -> None:
        """Start these games in `state`; the opponents move where it is their turn.

        Raises:
            ValueError: a game is over before its learner has moved.
        """
        self.boards.start(which, state)
        self.over &= ~which
        if self._draws_seats:
            draw: Any = drawn_seat  # takes arrays as well as numbers
            self._seats[which], self._streams[which] = draw(self._streams[which])
        if self._replies is not None:
            self._replies.begin(which, self._streams)
            self._reply(self._replies, which & (self._seats != state.player), np.zeros(len(which)))
        if np.any(self.over & which):
            raise over_at_once()

    def step(self, actions: Words, arrays: StepArrays) -> None:
        """Restart the games that are over; in the others, play the learners' actions and replies.

        Raises:
            ValueError: a game is over before its learner has moved.
        """
        resumed = ~self.over
        if self.over.any():
            self.begin(self.over.copy(), self._game.initial_state())
        arrays.rewards[:] = 0.0
        self.boards.play(actions, resumed, 1.0, self.over, arrays.rewards)
        if self._replies is not None:
            self._reply(self._replies, resumed & ~self.over, arrays.rewards)
        arrays.terminations[:] = self.over
        self.observe(np.ones(len(resumed), np.bool_), arrays)

    def observe(self, which: Flags, arrays: StepArrays) -> None:
        """Write the observations of these games, and the legal actions of all games."""
        self.boards.observe(which, self._seats, self._observation, arrays.observations)
        self.boards.write_action_masks(self.over, arrays.action_masks)

    def _reply(self, replies: Replies, turn: Flags, rewards: Rewards) -> None:
        if not turn.any():  # no compilation if the learner always moves first
            return
        actions = self._game.ask(replies.choose, self.boards, turn, self._streams)
        self.boards.play(actions, turn, -1.0, self.over, rewards)


class FusedGames(Games):
    """Games that one kernel steps, in self-play or against an opponent that a kernel plays."""

    def __init__(
        self,
        game: BoardGameEnv,
        boards: Boards,
        replies: KernelReplies | None,
        observation: str,
        threads: int,
    ) -> None:
        super().__init__(game, boards, replies, observation)
        answers = replies or KernelReplies(random_reply, (boards.lowest, boards.cells))
        is_answered, is_flat = replies is not None, observation == "flat"
        kind = StepKind(game.rows, game.inarow, boards.board, is_flat, is_answered, answers.reply)
        self._step: StepKernel = partial(fastest(make_step(kind)), 0)
        shared_by = useful_threads(threads, len(boards))
        if shared_by > 1:
            self._step = ThreadedKernel(self._step, compiled(make_shared_step(kind)), shared_by)
        games = boards.mover, boards.mask, self.over, self._seats, self._streams
        self._constant = (
            answers.tables,
            self._draws_seats,
            (*games, answers.streams(self._streams)),
            (boards.lowest, boards.cells, boards.highest, boards.shifts),
        )

    def step(self, actions: Words, arrays: StepArrays) -> None:
        """Do what `Games` does in one call of a kernel."""
        if self._step(*self._constant, actions, tuple(arrays)):
            raise over_at_once()


def make_games(
    game: BoardGameEnv, boards: Boards, opponent: AnyOpponent, observation: str, threads: int
) -> Games:
    """Make games on these boards, fused if the boards are compiled and a kernel replies.

    Raises:
        ValueError: `make_replies` refuses the opponent, or threads do not speed it up.
    """
    replies = make_replies(game, boards, opponent, threads)
    if boards.is_compiled and isinstance(replies, KernelReplies | None):
        return FusedGames(game, boards, replies, observation, threads)
    if boards.is_compiled and threads > 1:
        raise ValueError(
            f"threads must be 1, not {threads}, if the opponent is Python code or a list of "
            "opponents, which threads do not speed up"
        )
    return Games(game, boards, replies, observation)


def over_at_once() -> ValueError:
    """Make the error for a game that is over before the learner's first action."""
    return ValueError(
        "a game is over before its learner's first action: start from fewer moves, or let the "
        "learner be the first player"
    )
