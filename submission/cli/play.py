"""`connectx agents` and `play`: who there is to play against, and a game in the terminal."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from agents.options import agent_help, agent_options
from agents.registry import REGISTERED
from envs.board import parse_moves
from submission.cli.games import (
    CONNECT_X,
    Game,
    GameColumns,
    GameInarow,
    GameRows,
    Moves,
    chosen_game,
    unfinished_position,
)
from submission.play.game_history import History
from submission.play.opponent import find_opponent
from submission.play.session import Session
from submission.terminal import console


def agents() -> None:
    """List the agents, their options and the defaults."""
    for name, agent in REGISTERED.items():
        console.print(Text.assemble((name, "bold"), f"  {agent_help(agent)}"))
        table = Table(box=None, show_header=False, padding=(0, 2))
        for option in agent_options(agent):
            is_file = option.is_file and not isinstance(option.default, str)
            value = "FILE" if is_file else _as_text(option.default)
            table.add_row(f"{option.name}={value}", option.help)
        if table.row_count:
            console.print(table)
        console.print()


def _as_text(value: object) -> str:
    """A default as it is written on the command line."""
    return (
        "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )


def play(
    opponent: Annotated[
        str,
        typer.Argument(
            metavar="OPPONENT",
            help="Whom to play: an agent, as in `mcts:simulations=500,seed=1`; or a submission, a "
            ".py file or a .tar.gz.",
        ),
    ] = "mcts",
    game: Game = CONNECT_X,
    seat: Annotated[int, typer.Option(min=1, max=2, help="Yours: 1 moves first, 2 second.")] = 1,
    moves: Moves = "",
    time_limit: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="For each move or judgement of the opponent."),
    ] = 2.0,
    rows: GameRows = None,
    columns: GameColumns = None,
    inarow: GameInarow = None,
) -> None:
    """Play against an agent or a submission in the terminal.

    Answer with the number of a column or cell; `help` lists what else you can type: take a move
    back, see what the opponent thinks of each of your moves, ask for a hint, leave.
    """
    env = chosen_game(game, rows, columns, inarow)
    unfinished_position(env, moves)
    opening = tuple(parse_moves(moves))
    session = Session(console, find_opponent(opponent, env), seat, time_limit)
    session.play(History(env, opening, len(opening)))
