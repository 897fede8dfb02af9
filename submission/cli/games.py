"""The game and the position that a command line names."""

from collections.abc import Mapping
from typing import Any

import typer

from envs.board import BoardGame, BoardState, state_from_moves
from envs.games import GAMES, load_games
from submission.cli.options import size

CONNECT_X = "connectx"
load_games()  # before the options list them


def _known_name(name: str | None) -> str | None:
    if name is not None and name not in GAMES:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(map(repr, GAMES))}.")
    return name


def game_option(**options: Any) -> Any:
    """The option `--game`; a command that also works without a game passes its `show_default`."""
    sized = [entry.name for entry in GAMES.values() if entry.sizes]
    have = "has" if len(sized) == 1 else "have"
    return typer.Option(
        "--game",
        help=f"The game; {' and '.join(sized)} {have} a board of any size.",
        metavar="|".join(GAMES),
        callback=_known_name,
        autocompletion=lambda: list(GAMES),
        **options,
    )


def _size_option(name: str, meaning: str) -> Any:
    defaults = {entry.name: entry.sizes[name] for entry in GAMES.values() if name in entry.sizes}
    told = ", ".join(map(str, dict.fromkeys(defaults.values())))
    return size(f"{meaning} {' and '.join(defaults)}.", default=told)


GAME_OPTIONS: Mapping[str, Any] = {
    "game": game_option(),
    "rows": _size_option("rows", "Height of the board in"),
    "columns": _size_option("columns", "Width of the board in"),
    "inarow": _size_option("inarow", "Stones in a row that win in"),
    "moves": typer.Option(
        metavar="MOVES", help="Columns or cells played so far, counted from 1: 4453, or 4,4,12."
    ),
}


def chosen_game(name: str, rows: int | None, columns: int | None, inarow: int | None) -> BoardGame:
    """Make the game of this name; a size of None is the game's own."""
    entry = GAMES[name]
    sizes = {"rows": rows, "columns": columns, "inarow": inarow}
    given = {size: number for size, number in sizes.items() if number is not None}
    for side in given:
        if side not in entry.sizes:
            fixed = f"no --{side}" if entry.sizes else "one size only"
            raise ValueError(
                f"{name} has {fixed}: leave --{side} out, or choose --game {CONNECT_X}"
            )
    return entry.make(**given)


def unfinished_position(env: BoardGame, moves: str) -> BoardState:
    """The position after a move string; ValueError if the game is over there."""
    state = state_from_moves(env, moves)
    if not env.get_available_actions(state):
        raise ValueError(f"after {moves!r} the game is over: give fewer moves")
    return state
