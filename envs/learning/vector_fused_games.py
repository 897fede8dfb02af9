"""The games of a vector environment, each step of which is one call of a kernel."""

from envs.jit import compiled, fastest
from envs.learning.opponents import Opponent
from envs.learning.single_env import BoardGameEnv
from envs.learning.vector_boards import CompiledBoards, make_boards
from envs.learning.vector_games import Games, StepArrays, over_at_once
from envs.learning.vector_kernel import Words
from envs.learning.vector_opponents import BatchOpponent, RandomReplies, make_replies
from envs.learning.vector_step_kernel import make_shared_step, make_step
from envs.learning.vector_threads import ThreadedKernel, most_threads, useful_threads


def make_games(
    game: BoardGameEnv,
    count: int,
    opponent: str | Opponent | BatchOpponent | None,
    observation: str,
    threads: int,
) -> Games:
    """So many games, fused where boards and replies are compiled; the others take no threads.

    Args:
        game: the single environment in self-play, whose rules and arguments are taken.
        count: how many there are.
        opponent: whom the learners play against.
        observation: what the learners see.
        threads: how many threads share the games, at most.

    Raises:
        ValueError: an opponent that `envs.learning.opponents.make_opponent` does not know.
    """
    boards, replies = make_boards(game, count), make_replies(game, opponent)
    if isinstance(boards, CompiledBoards) and isinstance(replies, RandomReplies | None):
        return FusedGames(game, boards, replies, observation, threads)
    return Games(game, boards, replies, observation)


class FusedGames(Games):
    """Games on compiled boards, in self-play or against random actions.

    Args:
        game: as `Games` has it.
        boards: the positions.
        replies: None in self-play.
        observation: what the learners see.
        threads: how many threads share the games, at most.
    """

    def __init__(
        self,
        game: BoardGameEnv,
        boards: CompiledBoards,
        replies: RandomReplies | None,
        observation: str,
        threads: int,
    ) -> None:
        super().__init__(game, boards, replies, observation)
        flat = observation == "flat"
        kind = game.rows, game.inarow, boards.board, flat, replies is not None
        self._step = fastest(make_step(*kind))
        shared_by = useful_threads(threads, len(boards))
        if shared_by > 1:
            shared = compiled(make_shared_step(*kind, min(shared_by, most_threads())))
            self._step = ThreadedKernel(self._step, shared)
        self._words = boards.mover, boards.mask, self.over, self._seats, self._streams
        self._tables = boards.lowest, boards.cells, boards.highest, boards.shifts

    def step(self, actions: Words, arrays: StepArrays) -> None:
        """Begin the games that are over; play the learners' actions and the replies in the others.

        Raises:
            ValueError: a game is over before its learner has moved.
        """
        if self._step(self._draws_seats, actions, *self._words, *arrays, *self._tables):
            raise over_at_once()
