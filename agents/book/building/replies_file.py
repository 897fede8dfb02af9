"""The checkpoint of a book of traps: the likely replies of the opponents, kept between runs.

A first line names the computation. Then there is a line for each position in which the opponent is
to move, with its key (`BoardState.key`) and its replies, each as `column:chances:score:moves`. The
chances of all opponents are joined by commas, empty for those that are unknown, and the moves by
dots. A later line of the same position adds further opponents. A run that continues against further
opponents, appended to the list, writes a first line of its own.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agents.book.building.book_building import HEADING, FindingsFile, board_words, position_of_key
from agents.registry import agent_from_text
from agents.solver.position_bounds import trivial_bounds
from agents.traps.trap_tree import Reply, Turn
from envs.bitboard import board_masks
from envs.board import BoardState
from envs.connectx import ConnectX

TRIAL_SECONDS = 0.05  # seconds of a search that tests whether an opponent plays on the board


class TrapScope(NamedTuple):
    """A book of traps: a board, the player who sets traps, and the opponents."""

    rows: int
    columns: int
    inarow: int
    seat: int  # the player who sets traps, 1 or 2
    opponents: tuple[str, ...]
    """The agents, at least one, whose mixture is the model of the opponent."""

    def check(self) -> None:
        """Raise ValueError if an opponent is not an agent, or does not play on the board."""
        env = ConnectX(self.rows, self.columns, self.inarow)
        for text in self.opponents:
            agent_from_text(text).act(env, env.initial_state(), TRIAL_SECONDS)


class RepliesFile(FindingsFile[Sequence[Reply]]):
    """The checkpoint of one book of traps."""

    def __init__(self, path: Path, scope: TrapScope) -> None:
        *board, seat, opponents = scope
        begin = f"{HEADING} traps 2: {board_words(*board)}, seat {seat},"
        names = [name.encode("unicode_escape").decode() for name in opponents]  # for any path
        counts = range(1, len(names) + 1)  # a run may add opponents to those of an earlier one
        super().__init__(path, *(" ".join([begin, *names[:count]]) for count in counts))
        self.scope = scope
        self._env = ConnectX(*board)
        self._board = board_masks(*board)

    def line(self, key: int, finding: Sequence[Reply]) -> str:
        """The line of a position's replies."""
        numbers, words = range(len(self.scope.opponents)), [str(key)]
        for column, chances, turn in finding:
            told = ",".join(f"{chances[n]:.4g}" if n in chances else "" for n in numbers)
            words.append(f"{column}:{told}:{turn.score}:{'.'.join(map(str, turn.moves))}")
        return " ".join(words)

    def finding(self, line: str, heading: str) -> tuple[int, list[Reply]]:
        """The key and the replies of a line."""
        opponents = 1 + self.headings.index(heading)
        try:
            key, *words = line.split()
            found = int(key), [_reply(word, opponents) for word in (words[0], *words[1:])]
        except (ValueError, IndexError):
            raise ValueError("a key and replies with a chance for each opponent") from None
        if not self._can_be(*found):
            raise ValueError("a position of the opponent's with replies that it can have")
        return found

    def joined(self, earlier: Sequence[Reply], finding: Sequence[Reply]) -> Sequence[Reply]:
        """The replies of the opponents of both lines."""
        return joined_replies(earlier, finding)

    def _can_be(self, key: int, replies: Sequence[Reply]) -> bool:
        state = position_of_key(self._board, key)
        if state is None or state.player == self.scope.seat:
            return False
        columns = [reply.column for reply in replies]
        legal = self._env.get_available_actions(state)
        return len({*columns}) == len(columns) and all(
            column in legal and self._may_be_left(self._env.get_next_state(state, column), turn)
            for column, _, turn in replies
        )

    def _may_be_left(self, state: BoardState, turn: Turn) -> bool:
        """Whether `turn` is a possible result of `Judge.turn` for the position."""
        legal = self._env.get_available_actions(state)
        if not legal:
            return turn == Turn(-1 if state.won else 0, ())
        least, most = trivial_bounds(self._board, state.mover, state.mask)
        in_range = min(least, 1) <= turn.score <= min(most, 1)
        return in_range and bool(turn.moves) == (turn.score <= 0) and {*turn.moves} <= {*legal}


def _reply(word: str, opponents: int) -> Reply:
    column, told, score, moves = word.split(":")
    of_all = told.split(",")
    chances = {number: float(chance) for number, chance in enumerate(of_all) if chance}
    can_be = any(chances.values()) and all(0 <= chance <= 1 for chance in chances.values())
    if len(of_all) != opponents or not can_be:
        raise ValueError(word)
    turn = Turn(int(score), tuple(map(int, moves.split("."))) if moves else ())
    return Reply(int(column), chances, turn)


def joined_replies(known: Sequence[Reply], more: Sequence[Reply]) -> Sequence[Reply]:
    """Merge the replies of more opponents in a position; a ValueError if they contradict."""
    found = {reply.column: reply for reply in known}
    for column, told, turn in more:
        earlier = found.get(column, Reply(column, {}, turn))
        chances = {**told, **earlier.chances}
        if turn != earlier.turn or any(chances[number] != told[number] for number in told):
            raise ValueError(more)
        found[column] = Reply(column, chances, turn)
    return [*found.values()]
