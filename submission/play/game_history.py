"""A game that a person plays: its plies, typed, played or taken back, and its position as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

from envs.bitboard import cell_bit
from envs.board import BoardGame, BoardState, moves_text, parse_moves
from envs.connectx import ConnectX
from envs.games import GAMES, game_entry, game_id
from envs.protocol import legal_advice


@dataclass(frozen=True)
class History:
    """The plies of a game, as an immutable value."""

    env: BoardGame
    actions: tuple[int, ...]  # all plies from the initial state on
    opening: int = 0  # how many of them were given at the start, and are never taken back

    @cached_property
    def states(self) -> tuple[BoardState, ...]:
        """The states from the initial to the current one."""
        play = self.env.get_next_state
        return tuple(accumulate(self.actions, play, initial=self.env.initial_state()))

    @property
    def state(self) -> BoardState:
        """The position."""
        return self.states[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return not self.env.get_available_actions(self.state)

    def after(self, action: int) -> "History":
        """The history one ply later; ValueError if the action is illegal."""
        self.env.get_next_state(self.state, action)
        return replace(self, actions=(*self.actions, action))

    def before_last_turn_of(self, player: int) -> "History":
        """The history without the player's last ply and what followed; ValueError if none."""
        turns = range(self.opening, len(self.actions))
        own = [ply for ply in turns if self.states[ply].player == player]
        if not own:
            raise ValueError("there is no move of yours to take back")
        return replace(self, actions=self.actions[: own[-1]])


class Command(StrEnum):
    """A word that a person can type instead of a move."""

    UNDO = "undo"
    VALUES = "values"
    HINT = "hint"
    HELP = "help"
    QUIT = "quit"


COMMANDS = {**{command.value: command for command in Command}, "q": Command.QUIT}
"""The commands by the words that can be typed."""


def read_move(env: BoardGame, state: BoardState, text: str) -> int | Command:
    """The legal action, counted from 0, or the command that a person has typed; else ValueError."""
    typed = text.strip().lower()
    if typed in COMMANDS:
        return COMMANDS[typed]
    name, used_up = game_entry(env).place
    legal = env.get_available_actions(state)
    advice = f"type one of {', '.join(str(action + 1) for action in legal)}, or help"
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


def played_position(env: BoardGame, moves: str) -> History:
    """The position after a move string; a ValueError gives the number of an illegal move."""
    state, actions = env.initial_state(), tuple(parse_moves(moves))
    for ply, action in enumerate(actions, start=1):
        legal = [number + 1 for number in env.get_available_actions(state)]
        if action + 1 not in legal:
            raise ValueError(f"move {ply} is {action + 1}: {legal_advice(legal)}")
        state = env.get_next_state(state, action)
    return History(env, actions)


def game_title(env: BoardGame) -> str:
    """A game's displayed name, such as `Connect Four` or `ConnectX 5x6, 4 in a row`."""
    if env == ConnectX():  # the one size that has a name of its own
        return GAMES["connectfour"].title
    entry = game_entry(env)
    sizes = f" {env.rows}x{env.columns}, {env.inarow} in a row" if entry.sizes else ""
    return f"{entry.title}{sizes}"


def position_view(position: History) -> dict[str, Any]:
    """The position as JSON; cells are numbered row by row from the top left."""
    env, state = position.env, position.state
    placed = placed_cells(env, position.states)
    return {
        "game": game_id(env),
        "title": game_title(env),
        "rows": env.rows,
        "columns": env.columns,
        "inarow": env.inarow,
        "place": game_entry(env).place.name,
        "moves": moves_text(position.actions),
        "actions": list(position.actions),
        "cells": env.to_board(state),
        "placed": placed,
        "player": env.current_player(state),
        "legal": list(env.get_available_actions(state)),
        "over": position.is_over,
        "winner": env.winner(state),
        "line": [row * env.columns + column for row, column in env.winning_cells(state)],
        "last": placed[-1] if placed else None,
    }


def placed_cells(env: BoardGame, states: Sequence[BoardState]) -> list[int]:
    """The cell that each ply has filled."""
    number = {
        cell_bit(env.rows, row, column): row * env.columns + column
        for row in range(env.rows)
        for column in range(env.columns)
    }
    return [number[after.mask ^ before.mask] for before, after in pairwise(states)]
