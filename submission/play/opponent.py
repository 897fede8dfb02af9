"""The opponent of a person: an agent of this package, or a submission in its sandbox."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import fspath
from pathlib import Path
from random import getrandbits

from agents.agent import Agent
from agents.baselines import RandomAgent
from agents.registry import agent_from_text
from envs.board import BoardGame, BoardState
from envs.connectx import ConnectX
from submission.arena.own_referee import move_in
from submission.arena.players import Player, find_player
from submission.arena.seats import Seat, open_seat
from submission.sandbox.staging import SUBMISSIONS


class OpponentFailed(Exception):
    """The opponent gives no move; the message says why, in one or more lines."""


@dataclass(eq=False)
class Opponent:
    """An agent of this package, in this process; the moves that it chooses serve as hints, too."""

    name: str
    text: str  # its name and options, as the person typed them
    judge: Agent  # which also values moves

    @contextmanager
    def seated(self) -> Iterator[None]:
        """Keep it ready for moves while the `with` block runs."""
        yield

    def choose(self, env: BoardGame, state: BoardState, time_limit: float) -> int:
        """Choose a move for the player to move; `OpponentFailed` if it gives none."""
        return self.judge.act(env, state, time_limit)


class SubmissionOpponent(Opponent):
    """A submission, called as on Kaggle, but with a full bank of time for each move.

    It gives no values, so moves are valued by an agent without estimates: only the values of moves
    that end the game are known.
    """

    _seat: Seat  # while it is seated

    def __init__(self, player: Player) -> None:
        super().__init__(Path(player.name).name, player.name, RandomAgent())
        self._player = player

    @contextmanager
    def seated(self) -> Iterator[None]:
        """Run it in a process of its own while the `with` block runs; see `open_seat`."""
        with open_seat(self._player, seed=getrandbits(32)) as self._seat:
            yield

    def choose(self, env: BoardGame, state: BoardState, time_limit: float) -> int:
        """See `Opponent`."""
        move = move_in(self._seat, _of_submissions(env), state, time_limit)
        failure = move.failure
        if failure is None:
            return int(move.column or 0)
        told = [f"{self.name} failed with {failure.status}: {failure.cause}."]
        where = [f"  {line}" for line in failure.lines]
        raise OpponentFailed("\n".join([*told, *where, f"To fix it, {failure.mend}."]))


def find_opponent(wanted: str | Path | Agent | Player, env: BoardGame) -> Opponent:
    """The opponent for an agent or its name, such as `mcts:seed=1`, or for a submission.

    Raises:
        ValueError: an unknown agent or option, not a submission, or a game that the agent, or any
            submission, cannot play.
        OSError: the submission cannot be read.
    """
    if isinstance(wanted, Agent):
        name = type(wanted).__name__
        return Opponent(name, name, wanted)
    if isinstance(wanted, str | Path) and not fspath(wanted).endswith(SUBMISSIONS):
        text = fspath(wanted)
        agent = agent_from_text(text)
        agent.require_playable(env)
        return Opponent(text.partition(":")[0], text, agent)
    _of_submissions(env)
    return SubmissionOpponent(wanted if isinstance(wanted, Player) else find_player(fspath(wanted)))


def _of_submissions(env: BoardGame) -> ConnectX:
    """The game if it is ConnectX, the only one that submissions play; else ValueError."""
    if not isinstance(env, ConnectX):
        raise ValueError("a submission plays only ConnectX: leave --game out, or name an agent")
    return env


def move_values(
    agent: Agent, env: BoardGame, state: BoardState, time_limit: float
) -> dict[int, float | None]:
    """Value each move for its player, from -1 to 1; None if the agent gives no estimate.

    The agent searches the position after each move, because a search of `state` gives at most
    bounds for all moves but the best. `time_limit` is in seconds for all of them together.
    """
    legal = env.get_available_actions(state)
    sign = 1 if state.player == 1 else -1
    values: dict[int, float | None] = {}
    for action in legal:
        child = env.get_next_state(state, action)
        if not env.get_available_actions(child):
            values[action] = sign * env.reward(state, action)
        else:
            result = agent.search(env, child, time_limit / len(legal))
            values[action] = sign * result.value if result.action_values else None
    return values
