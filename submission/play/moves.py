"""The game at the board: its history, and moves as a person types them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, reduce

from envs.board import BoardGame, BoardState
from envs.games import game_entry


@dataclass(frozen=True)
class History:
    """The plies of a game, as a value that can be taken back.

    Args:
        env: the rules.
        actions: every ply from the initial state on.
        opening: how many of them were given before the first move; those are never taken back.
    """

    env: BoardGame
    actions: tuple[int, ...]
    opening: int = 0

    @cached_property
    def state(self) -> BoardState:
        """The position."""
        return self.state_after(len(self.actions))

    @property
    def is_over(self) -> bool:
        """Whether nobody can move any more."""
        return not self.env.get_available_actions(self.state)

    def state_after(self, plies: int) -> BoardState:
        """The position after so many of the plies."""
        return reduce(self.env.get_next_state, self.actions[:plies], self.env.initial_state())

    def after(self, action: int) -> "History":
        """The history one ply later.

        Raises:
            ValueError: the action is illegal.
        """
        self.env.get_next_state(self.state, action)
        return replace(self, actions=(*self.actions, action))

    def before_last_turn_of(self, player: int) -> "History":
        """The history without the last ply of `player` and all that followed it.

        Raises:
            ValueError: the player has not moved yet.
        """
        turns = range(self.opening, len(self.actions))
        own = [ply for ply in turns if self.state_after(ply).player == player]
        if not own:
            raise ValueError("there is no move of yours to take back")
        return replace(self, actions=self.actions[: own[-1]])


class Command(StrEnum):
    """Something that a person can type instead of a move."""

    UNDO = "undo"
    VALUES = "values"
    HINT = "hint"
    HELP = "help"
    QUIT = "quit"


def read_move(env: BoardGame, state: BoardState, text: str) -> int | Command:
    """The legal action, counted from 0, or the command that a person has typed.

    Raises:
        ValueError: neither; the message says why, and lists the legal moves.
    """
    typed = text.strip().lower()
    if typed in list(Command):
        return Command(typed)
    name, used_up = game_entry(env).place
    legal = env.get_available_actions(state)
    advice = f"type one of {numbers(legal)}, or help"
    if not typed:
        raise ValueError(f"nothing was typed: {advice}")
    if not (typed.isascii() and typed.isdigit()):
        raise ValueError(f"{typed!r} is neither a {name} nor a command: {advice}")
    action = {str(action + 1): action for action in range(len(env.action_cells))}.get(
        typed.lstrip("0")
    )
    if action is None:
        raise ValueError(f"there is no {name} {typed}: {advice}")
    if action not in legal:
        raise ValueError(f"{name} {typed} is {used_up}: {advice}")
    return action


def numbers(actions: Iterable[int]) -> str:
    """Actions as a person counts them: `1, 2, 5`."""
    return ", ".join(str(action + 1) for action in actions)
