"""`connectx agents`, `play` and `web`: opponents, and where to play against them."""

from pathlib import Path

from rich.table import Table
from rich.text import Text

from agents.options import agent_help, agent_options
from agents.registry import REGISTERED, agent_class, option_texts
from envs.board import parse_moves
from submission.cli.games import CONNECT_X, GAME_OPTIONS, chosen_game, unfinished_position
from submission.cli.options import argument, declared, flag, setting
from submission.play.game_history import History
from submission.play.opponent import find_opponent
from submission.play.session import Session
from submission.terminal import console, say
from submission.web.export import INDEX, export_page


@declared(names=argument("AGENT", "The agents to list; all if none is named."))
def agents(names: list[str] | None = None) -> None:
    """List the agents, their options and the defaults."""
    for name, agent in {name: agent_class(name) for name in names or REGISTERED}.items():
        console.print(Text.assemble((name, "bold"), f"  {agent_help(agent)}"))
        table = Table(box=None, show_header=False, padding=(0, 2))
        for option in agent_options(agent):
            is_file = option.is_file and not isinstance(option.default, str)
            (text,) = option_texts({option.name: "FILE" if is_file else option.default})
            table.add_row(text.replace("=null", "=none"), option.help)
        if table.row_count:
            console.print(table)
        console.print()


@declared(
    GAME_OPTIONS,
    opponent=argument(
        "OPPONENT",
        "Whom to play: an agent, as in `mcts:simulations=500,seed=1`; or a submission, a "
        ".py file or a .tar.gz.",
    ),
    seat=setting("S", "Your seat: 1 moves first, 2 second.", min=1, max=2),
    time_limit=setting("SECONDS", "Time for each estimate and opponent's move.", min=0.01),
)
def play(
    opponent: str = "mcts",
    game: str = CONNECT_X,
    seat: int = 1,
    moves: str = "",
    time_limit: float = 2.0,
    rows: int | None = None,
    columns: int | None = None,
    inarow: int | None = None,
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


@declared(
    files=argument("FILE", "Results files, or episodes downloaded from Kaggle."),
    host=setting("HOST", "The address to listen on."),
    port=setting("PORT", "The port to listen on, or another one if it is taken.", min=0, max=65535),
    open_browser=flag("Open the page in the browser.", "--open"),
    export=setting("FOLDER", "Write the page as a folder that needs no server, and exit."),
)
def web(
    files: list[Path] | None = None,
    host: str = "127.0.0.1",
    port: int = 8642,
    open_browser: bool = False,
    export: Path | None = None,
) -> None:
    """Play against agents in the browser, and look at values, searches and replays.

    Prints the address of the page, which contains a token of this run. Only this machine can reach
    the page unless --host says otherwise. Ctrl-C ends the server. Needs the extra `web`.

    With --export the page becomes a folder for any web host, or to open from the file system:
    Connect Four with exact values, judged games and ten levels, of which the last is perfect.
    """
    if export is not None:
        if files or open_browser:
            raise ValueError("--export writes only the page: leave the files and --open out")
        export_page(export)
        say(f"Wrote {export}: open {export / INDEX} in a browser, or put the folder on a web host.")
        return
    try:
        from submission.web.serve import serve
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'connectx web needs {error.name}: install the extra `web` by `pip install -e ".[web]"`'
        ) from error
    serve(files or [], host, port, open_browser)
