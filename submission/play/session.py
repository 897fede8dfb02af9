"""A person and an agent at the board: what is asked, and how each answer is met."""

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
    move_values,
    prompt_text,
    values_text,
    verdict,
    ways_on,
)
from submission.play.moves import Match, Opponent, Word, read_move


class Leave(Exception):
    """The person wants to stop."""


@dataclass
class Session:
    """One sitting.

    Args:
        console: where the board and the words go; answers come from standard input.
        opponent: the agent to play against.
        person: the person's seat: 1 moves first, 2 second.
        time_limit: seconds for each of the agent's moves, hints and lists of values.
    """

    console: Console
    opponent: Opponent
    person: int
    time_limit: float

    def play(self, match: Match) -> Match:
        """Play on until the game is over or the person leaves, and say how it ended.

        `quit`, the end of the input and Ctrl-C leave it.
        """
        try:
            self._say(greeting(self.person, self.opponent))
            self._show(match)
            while not match.is_over:
                match = self._turn(match)
        except (Leave, EOFError, KeyboardInterrupt):
            self._say("")
        self._say(verdict(match, self.person, self.opponent.name))
        self._say(ways_on(match, self.person, self.opponent))
        return match

    def _turn(self, match: Match) -> Match:
        if match.state.player == self.person:
            return self._person_answers(match)
        return self._agent_moves(match)

    def _agent_moves(self, match: Match) -> Match:
        action = self._choice(match)
        self._say(f"{self.opponent.name} plays {game_entry(match.env).place.name} {action + 1}.")
        return self._show(match.after(action))

    def _person_answers(self, match: Match) -> Match:
        """The match after the next answer; unchanged where that is no move."""
        try:
            answer = read_move(match.env, match.state, self._ask(prompt_text(match)))
        except ValueError as error:
            self._say(f"{error}.")
            return match
        if isinstance(answer, Word):
            return self._reactions[answer](match)
        return self._show(match.after(answer))

    @property
    def _reactions(self) -> dict[Word, Callable[[Match], Match]]:
        return {
            Word.UNDO: self._take_back,
            Word.VALUES: self._tell_values,
            Word.HINT: self._give_hint,
            Word.HELP: self._help,
            Word.QUIT: self._leave,
        }

    def _take_back(self, match: Match) -> Match:
        try:
            earlier = match.before_last_turn_of(self.person)
        except ValueError as error:
            self._say(f"{error}.")
            return match
        return self._show(earlier)

    def _tell_values(self, match: Match) -> Match:
        with self._thinking():
            values = move_values(self.opponent.agent, match.env, match.state, self.time_limit)
        self._say(values_text(self.opponent.name, match.env, values))
        return match

    def _give_hint(self, match: Match) -> Match:
        action = self._choice(match)
        self._say(
            f"{self.opponent.name} would play {game_entry(match.env).place.name} {action + 1}."
        )
        return match

    def _help(self, match: Match) -> Match:
        self._say(help_text(match.env))
        return match

    def _leave(self, match: Match) -> Match:
        raise Leave

    def _show(self, match: Match) -> Match:
        self.console.print(Group("", board_picture(match.env, match.state), ""))
        return match

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _ask(self, question: str) -> str:
        answer = self.console.input(Text(question))
        if not sys.stdin.isatty():
            self._say(answer)  # a terminal has shown it already
        return answer

    def _choice(self, match: Match) -> int:
        """What the agent would play."""
        with self._thinking():
            return self.opponent.agent.act(match.env, match.state, self.time_limit)

    def _thinking(self) -> Status:
        return self.console.status(f"{self.opponent.name} is thinking ...")
