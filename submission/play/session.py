"""A person and an opponent at the board: what is asked, and how each answer is met."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console, Group
from rich.status import Status
from rich.text import Text

from agents.solver.analysis import board_picture
from envs.games import game_entry
from submission.play.advice import (
    greeting,
    help_text,
    prompt_text,
    values_text,
    verdict,
    ways_on,
)
from submission.play.moves import Command, History, read_move
from submission.play.opponent import Opponent, OpponentFailed


class Leave(Exception):
    """The person wants to stop."""


@dataclass
class Session:
    """One sitting.

    Args:
        console: where the board and the words go; answers come from standard input.
        opponent: whom to play against.
        person: the person's seat: 1 moves first, 2 second.
        time_limit: seconds for each of the opponent's moves, hints and lists of values.
    """

    console: Console
    opponent: Opponent
    person: int
    time_limit: float

    def play(self, history: History) -> History:
        """Play on until the game is over or the person leaves, and say how it ended.

        `quit`, the end of the input and Ctrl-C leave it, and an opponent that fails ends it.
        """
        try:
            self._say(greeting(self.person, self.opponent.name))
            self._show(history)
            with self.opponent.seated():
                while not history.is_over:
                    history = self._turn(history)
        except (Leave, EOFError, KeyboardInterrupt):
            self._say("")
        except OpponentFailed as failed:
            self._say(str(failed))
        self._say(verdict(history, self.person, self.opponent.name))
        self._say(ways_on(history, self.person, self.opponent.text))
        return history

    def _turn(self, history: History) -> History:
        if history.state.player == self.person:
            return self._person_answers(history)
        return self._opponent_moves(history)

    def _opponent_moves(self, history: History) -> History:
        action = self._choice(history)
        self._say(f"{self.opponent.name} plays {game_entry(history.env).place.name} {action + 1}.")
        return self._show(history.after(action))

    def _person_answers(self, history: History) -> History:
        """The history after the next answer; unchanged where that is no move."""
        try:
            answer = read_move(history.env, history.state, self._ask(prompt_text(history)))
        except ValueError as error:
            self._say(f"{error}.")
            return history
        if isinstance(answer, Command):
            return self._reactions[answer](history)
        return self._show(history.after(answer))

    @property
    def _reactions(self) -> dict[Command, Callable[[History], History]]:
        return {
            Command.UNDO: self._take_back,
            Command.VALUES: self._tell_values,
            Command.HINT: self._give_hint,
            Command.HELP: self._help,
            Command.QUIT: self._leave,
        }

    def _take_back(self, history: History) -> History:
        try:
            earlier = history.before_last_turn_of(self.person)
        except ValueError as error:
            self._say(f"{error}.")
            return history
        return self._show(earlier)

    def _tell_values(self, history: History) -> History:
        with self._thinking():
            values = self.opponent.values(history.env, history.state, self.time_limit)
        self._say(values_text(self.opponent.name, history.env, values))
        return history

    def _give_hint(self, history: History) -> History:
        action = self._choice(history)
        self._say(
            f"{self.opponent.name} would play {game_entry(history.env).place.name} {action + 1}."
        )
        return history

    def _help(self, history: History) -> History:
        self._say(help_text(history.env))
        return history

    def _leave(self, history: History) -> History:
        raise Leave

    def _show(self, history: History) -> History:
        board = board_picture(history.env, history.state, self.console.width)
        self.console.print(Group("", board, ""), soft_wrap=True)
        return history

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _ask(self, question: str) -> str:
        answer = self.console.input(Text(question))
        if not sys.stdin.isatty():
            self._say(answer)  # a terminal has shown it already
        return answer

    def _choice(self, history: History) -> int:
        """The opponent's move."""
        with self._thinking():
            return self.opponent.choose(history.env, history.state, self.time_limit)

    def _thinking(self) -> Status:
        return self.console.status(Text(f"{self.opponent.name} is thinking ..."))
