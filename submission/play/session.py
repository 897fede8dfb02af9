"""A game between a person and an opponent in the terminal: prompts, answers and texts."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from math import trunc
from shlex import quote

from rich.console import Console, Group
from rich.status import Status
from rich.text import Text

from agents.reporting.board_text import board_picture
from agents.solver.solver_engine import is_solvable
from envs.board import BoardGame, moves_text
from envs.connectx import ConnectX
from envs.games import GAMES, game_entry
from envs.render import SYMBOLS
from submission.play.game_history import Command, History, read_move
from submission.play.opponent import Opponent, OpponentFailed, move_values


class Leave(Exception):
    """The person wants to stop."""


@dataclass
class Session:
    """One person's games at a console; the answers come from standard input."""

    console: Console
    opponent: Opponent
    person: int  # the person's seat: 1 moves first, 2 second
    time_limit: float  # seconds for each of the opponent's moves, hints and lists of values

    def play(self, history: History) -> History:
        """Play on until the game is over or the person leaves, and print how it ended.

        `quit`, the end of the input and Ctrl-C leave the game; an opponent that fails ends it.
        """
        try:
            self._say(
                f"You are {SYMBOLS[self.person]} and {self.opponent.name} is "
                f"{SYMBOLS[3 - self.person]}; X begins. Type help to see what else you can type."
            )
            self._show(history)
            with self.opponent.seated():
                while not history.is_over:
                    is_persons_turn = history.state.player == self.person
                    take_turn = self._person_answers if is_persons_turn else self._opponent_moves
                    history = take_turn(history)
        except (Leave, EOFError, KeyboardInterrupt):
            self._say("")
        except OpponentFailed as failed:
            self._say(str(failed))
        self._say(verdict(history, self.person, self.opponent.name))
        self._say(ways_on(history, self.person, self.opponent.text))
        return history

    def _opponent_moves(self, history: History) -> History:
        action = self._choice(history)
        self._say(f"{self.opponent.name} plays {game_entry(history.env).place.name} {action + 1}.")
        return self._show(history.after(action))

    def _person_answers(self, history: History) -> History:
        env, state, place = history.env, history.state, game_entry(history.env).place.name
        places = f"{place} 1 to {len(env.action_cells)}"
        try:
            typed = self._ask(f"Your move ({SYMBOLS[state.player]}), {places}: ")
            answer = read_move(env, state, typed)
            if answer is Command.UNDO:
                return self._show(history.before_last_turn_of(self.person))
        except ValueError as error:
            self._say(f"{error}.")
            return history
        match answer:
            case Command.VALUES:
                self._tell_values(history)
            case Command.HINT:
                action = self._choice(history)
                self._say(f"{self.opponent.name} would play {place} {action + 1}.")
            case Command.HELP:
                self._say(help_text(env))
            case Command.QUIT:
                raise Leave
            case int():
                return self._show(history.after(answer))
        return history

    def _tell_values(self, history: History) -> None:
        with self._thinking():
            judge, state = self.opponent.judge, history.state
            values = move_values(judge, history.env, state, self.time_limit)
        self._say(values_text(self.opponent.name, history.env, values))

    def _show(self, history: History) -> History:
        board = board_picture(history.env, history.state, self.console.width)
        self.console.print(Group("", board, ""), soft_wrap=True)
        return history

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _ask(self, question: str) -> str:
        answer = self.console.input(Text(question))
        if not sys.stdin.isatty():
            self._say(answer)  # a terminal has already shown it
        return answer

    def _choice(self, history: History) -> int:
        with self._thinking():
            return self.opponent.choose(history.env, history.state, self.time_limit)

    def _thinking(self) -> Status:
        return self.console.status(Text(f"{self.opponent.name} is thinking ..."))


def best_moves(values: Mapping[int, float | None]) -> list[int]:
    """The moves with the highest value; empty if no value is known."""
    highest = max((value for value in values.values() if value is not None), default=None)
    return [action for action, value in values.items() if value is not None and value == highest]


def value_text(value: float | None) -> str:
    """A value with three decimals; only a proven win or loss reads +1.000 or -1.000."""
    if value is None:
        return "unknown"
    verdict = {1.0: " a win", -1.0: " a loss"}.get(value, "")
    return f"{trunc(value * 1000) / 1000:+.3f}{verdict}"


def help_text(env: BoardGame) -> str:
    """List what can be typed."""
    name, last = game_entry(env).place.name, len(env.action_cells)
    return (
        f"1 to {last}   play in that {name}\n"
        "undo     take your last move and the reply back\n"
        "values   what the agent thinks of each of your moves\n"
        "hint     the move that the agent would play in your place\n"
        "help     this list\n"
        "quit     leave the game (or q, Ctrl-D, or Ctrl-C)"
    )


def values_text(opponent: str, env: BoardGame, values: Mapping[int, float | None]) -> str:
    """The value of each move, for the person; the best ones are marked."""
    best = best_moves(values)
    if not best:
        return f"{opponent} estimates no values, except of moves that end the game"
    name = game_entry(env).place.name
    width = len(str(max(values) + 1))
    lines = [
        f"  {name} {action + 1:{width}}  {value_text(value)}{'  best' if action in best else ''}"
        for action, value in values.items()
    ]
    heading = f"What {opponent} thinks of your moves, from -1 (you lose) to +1 (you win):"
    return "\n".join([heading, *lines])


def verdict(history: History, person: int | None, opponent: str) -> str:
    """Say how the game has ended.

    `person` is the reader's seat, or None if the reader has none; `opponent` names another winner.
    """
    if not history.is_over:
        return "The game is not over."
    winner = history.env.winner(history.state)
    if winner is None:
        return "The game is a draw."
    who = "You win" if winner == person else f"{opponent} wins"
    return f"{who} ({SYMBOLS[winner]})."


def ways_on(history: History, person: int, opponent: str) -> str:
    """The moves, and the commands that continue from them against the same opponent.

    After a finished game they continue from the position before its last ply.
    """
    if not history.actions:
        return "No move was made."
    moves = moves_text(history.actions[:-1] if history.is_over else history.actions)
    where = f"{quote(moves)}{game_options(history.env)}"
    seat = "" if person == 1 else f" --seat {person}"
    commands = [
        f"connectx play {quote(opponent)}{seat} --moves {where}",
        f"connectx explain --moves {where}",
    ]
    if is_solvable(history.env):
        commands.append(f"connectx solve {where}")
    heading = "To go on from before the last one:" if history.is_over else "To go on from there:"
    lines = [f"The moves were {moves_text(history.actions)}. {heading}"]
    return "\n  ".join([*lines, *commands])


def game_options(env: BoardGame) -> str:
    """The options by which a command line names this game; none for Connect Four."""
    is_default = isinstance(env, ConnectX)  # Connect Four is ConnectX of the default size
    entry = GAMES["connectx"] if is_default else game_entry(env)
    sizes = "".join(
        f" --{size} {getattr(env, size)}"
        for size, default in entry.sizes.items()
        if getattr(env, size) != default
    )
    return sizes if is_default else f" --game {entry.name}{sizes}"
