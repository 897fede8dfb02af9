"""The opponents' replies in many games: by kernels, in batches, or one by one."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envs.board import BoardGame
from envs.compiled.jit import Flags, Words
from envs.compiled.random_stream import next_stream, stream_of_seed
from envs.learning.arguments import require_actions
from envs.learning.opponents import (
    AnyOpponent,
    BatchOpponent,
    Mixture,
    Opponent,
    is_random,
    known_agents,
    legal_answer,
    make_opponent,
    mixture_of,
    require_opponent,
)
from envs.learning.vector.vector_boards import Boards
from envs.learning.vector.vector_kernels import (
    KernelOpponent,
    ReplyKernel,
    make_choose,
    random_reply,
)


class Replies(ABC):
    """The opponents of many games."""

    playing: Words | None = None  # the number of the opponent in each game, if there are several

    def begin(self, which: Flags, streams: Words) -> None:  # noqa: B027  # most draw nothing
        """Draw the opponents of these games, if there are several."""

    @abstractmethod
    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """Choose an action for each game in `turn`, at least one; others get arbitrary numbers.

        Raises:
            ValueError: an opponent chose an illegal action.
        """

    def seed(self, index: int, stream: int) -> None:  # noqa: B027  # some take no seed
        """Reset the opponent of a game, with a new random stream."""


def make_replies(
    game: BoardGame, boards: Boards, opponent: AnyOpponent, threads: int = 1
) -> Replies | None:
    """Make the opponents of many games; None in self-play.

    Raises:
        ValueError: `make_opponent` refuses the opponent, or `mixture_of` the list.
    """
    if opponent is None:
        return None
    mixture = mixture_of(opponent)
    if mixture is not None:
        members = [make_replies(game, boards, each) for each in mixture.members]
        return MixedReplies(mixture, [each for each in members if each], len(boards))
    if is_random(opponent):
        return KernelReplies(random_reply, (boards.lowest, boards.cells))
    if isinstance(opponent, BatchOpponent) and not isinstance(opponent, type):
        return BatchReplies(opponent)
    member: Any = opponent
    require_opponent(member, game)
    if isinstance(opponent, str) and boards.is_compiled:
        kernel: KernelOpponent | None = known_agents().opponent_in_kernels(opponent, game)
        if kernel is not None:
            streams = np.zeros(len(boards), np.int64)
            return KernelReplies(kernel.reply, kernel.tables(threads), streams, kernel.seed)
    return SingleReplies(member)


@dataclass(eq=False)
class KernelReplies(Replies):
    """An opponent that a kernel plays; on boards that are not compiled, only the random one."""

    reply: ReplyKernel
    tables: Any  # the kernel's tables
    own_streams: Words | None = None
    """The kernel's own random streams, by game; None: it draws from the games'."""
    seed_of_all: int | None = None  # None: each game has a seed of its own

    def streams(self, streams: Words) -> Words:
        """Return the random streams that the kernel draws from, given those of the games."""
        return streams if self.own_streams is None else self.own_streams

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """Choose an action for each game in `turn`."""
        actions = np.zeros(len(turn), np.int64)
        choose = boards.kernel(make_choose(self.reply))
        choose(0, self.tables, turn, self.streams(streams), boards.mover, boards.mask, actions)
        return actions

    def seed(self, index: int, stream: int) -> None:
        """Reset the kernel's own random stream of a game, as that of an agent with this seed."""
        if self.own_streams is not None:
            seed = stream if self.seed_of_all is None else self.seed_of_all
            self.own_streams[index] = stream_of_seed(seed)


class MixedReplies(Replies):
    """Several opponents, one of which is drawn at the beginning of each game."""

    def __init__(self, mixture: Mixture, members: Sequence[Replies], count: int) -> None:
        self._mixture = mixture
        self._members = members
        self.playing: Words = np.zeros(count, np.int64)

    def begin(self, which: Flags, streams: Words) -> None:
        """Draw the opponents of these games."""
        advance: Any = next_stream  # takes arrays as well as numbers
        streams[which] = advance(streams[which])
        self.playing[which] = self._mixture.drawn(streams[which])

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """Choose an action for each game in `turn`."""
        actions = np.zeros(len(turn), np.int64)
        for number, member in enumerate(self._members):
            meant = turn & (self.playing == number)
            if meant.any():
                actions[meant] = member.choose(boards, meant, streams)[meant]
        return actions

    def seed(self, index: int, stream: int) -> None:
        """Reset all members in a game."""
        for member in self._members:
            member.seed(index, stream)


@dataclass(eq=False)
class SingleReplies(Replies):
    """Each game has an opponent of its own; a reply is a Python call."""

    opponent: Any  # as `make_opponent` takes it
    opponents: dict[int, Opponent] = field(default_factory=dict)

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """Choose an action for each game in `turn`."""
        actions = np.zeros(len(turn), np.int64)
        for index in np.flatnonzero(turn).tolist():
            state = boards.state(index)
            answer = self.opponents[index](boards.game, state)
            legal = boards.game.get_available_actions(state)
            actions[index] = legal_answer(answer, state, legal, self.opponent, index)
        return actions

    def seed(self, index: int, stream: int) -> None:
        """Make a new opponent for a game."""
        self.opponents[index] = make_opponent(self.opponent, stream)


@dataclass(eq=False)
class BatchReplies(Replies):
    """One opponent for all games."""

    opponent: BatchOpponent

    def choose(self, boards: Boards, turn: Flags, streams: Words) -> Words:
        """Choose an action for each game in `turn`."""
        count, game = len(turn), boards.game
        actions = np.zeros(count, np.int64)
        planes = np.zeros((count, 2, game.rows, game.columns), np.int8)
        masks = np.zeros((count, game.action_count), np.int8)
        boards.observe(turn, np.zeros(count, np.int8), "planes", planes)
        boards.write_action_masks(~turn, masks)
        games = np.flatnonzero(turn)
        chosen = self.opponent.choose_actions(planes[games], masks[games], games)
        actions[games] = require_actions(chosen, len(games), "the opponent's actions")
        boards.require_legal(actions, turn, masks, self.opponent)
        return actions
