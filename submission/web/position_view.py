"""A position as the page shows it: the board, the plies that led to it, who is to move."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from envs.bitboard import cell_bit
from envs.board import BoardGame, BoardState, moves_text, parse_moves
from envs.connectx import ConnectX
from envs.games import GAMES, game_entry, game_id


@dataclass(frozen=True)
class PlayedPosition:
    """A position with the plies that led to it."""

    env: BoardGame
    actions: tuple[int, ...]
    states: tuple[BoardState, ...]
    """The states from the initial one to that of the position."""

    @property
    def state(self) -> BoardState:
        """The position."""
        return self.states[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended in it."""
        return not self.env.get_available_actions(self.state)


def played_position(env: BoardGame, moves: str) -> PlayedPosition:
    """The position after a move string.

    Raises:
        ValueError: not a move string, or an illegal move; the message says at which ply.
    """
    states, actions = [env.initial_state()], tuple(parse_moves(moves))
    for ply, action in enumerate(actions, start=1):
        legal = env.get_available_actions(states[-1])
        if action not in legal:
            numbers = ", ".join(str(number + 1) for number in legal)
            advice = f"legal: {numbers}" if legal else "the game is over"
            raise ValueError(f"move {ply} is {action + 1}: {advice}")
        states.append(env.get_next_state(states[-1], action))
    return PlayedPosition(env, actions, tuple(states))


def game_title(env: BoardGame) -> str:
    """A game's name for people, as in `Connect Four` or `ConnectX 5x6, 4 in a row`."""
    if env == ConnectX():  # the one size that has a name of its own
        return GAMES["connectfour"].title
    entry = game_entry(env)
    sizes = f" {env.rows}x{env.columns}, {env.inarow} in a row" if entry.sizes else ""
    return f"{entry.title}{sizes}"


def position_view(position: PlayedPosition) -> dict[str, Any]:
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
