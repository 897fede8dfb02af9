"""The game and the position that a command line names."""

from enum import StrEnum
from typing import Annotated

import typer

from envs.board import BoardGame, BoardState
from envs.connectx import ConnectFour, ConnectX
from envs.notation import state_from_moves
from envs.tic_tac_toe import TicTacToe


class GameName(StrEnum):
    """The games that the command line knows."""

    CONNECTX = "connectx"
    CONNECTFOUR = "connectfour"
    TICTACTOE = "tictactoe"


GAME_HELP = "The game; connectx has a board of any size."
Game = Annotated[GameName, typer.Option(help=GAME_HELP)]
GameOfPosition = Annotated[
    GameName | None, typer.Option("--game", help=GAME_HELP, show_default=GameName.CONNECTX)
]
"""Of a command that may be about something other than a position."""
GameRows = Annotated[
    int | None, typer.Option("--rows", help="Height of the board of connectx.", show_default="6")
]
GameColumns = Annotated[
    int | None, typer.Option("--columns", help="Width of the board of connectx.", show_default="7")
]
GameInarow = Annotated[
    int | None,
    typer.Option("--inarow", help="Stones in a row that win connectx.", show_default="4"),
]
Moves = Annotated[
    str,
    typer.Option(metavar="MOVES", help="The plies played so far, counted from 1: 4453, or 4,4,12."),
]


def chosen_game(
    name: GameName, rows: int | None, columns: int | None, inarow: int | None
) -> BoardGame:
    """The game of this name; None is the standard size.

    Raises:
        ValueError: a size of less than 1, or one for a game that has only one size.
    """
    sizes = {"rows": rows, "columns": columns, "inarow": inarow}
    given = {size: number for size, number in sizes.items() if number is not None}
    if name is GameName.CONNECTX:
        return ConnectX(**given)
    if given:
        raise ValueError(
            f"{name} has one size only: leave --{next(iter(given))} out, or choose --game connectx"
        )
    return ConnectFour() if name is GameName.CONNECTFOUR else TicTacToe()


def unfinished_position(env: BoardGame, moves: str) -> BoardState:
    """The position after the plies of a move string.

    Raises:
        ValueError: not a move string, an illegal move, or the game is over at the end.
    """
    state = state_from_moves(env, moves)
    if not env.get_available_actions(state):
        raise ValueError(f"after {moves!r} the game is over: give fewer moves")
    return state
