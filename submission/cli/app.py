"""The commands, in the order in which the help shows them; each is imported when it is called."""

import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

HELP = """Game-tree search agents for Kaggle's ConnectX: build, check and evaluate submissions.
`connectx COMMAND --help` explains a command and its options.

\b
  connectx agents                     the agents and their options
  connectx prepare perfect            submission.py: built, checked, evaluated
  connectx build mcts --option seed=7 submission.py, built with an option
  connectx check submission.py        would Kaggle accept it?
  connectx evaluate submission.py --against negamax --against mcts
  connectx compare new.py old.py      is the new version better?
  connectx rank submission.py         its level, from 1 to 10, and its Elo
  connectx ladder greedy mcts negamax a round robin with Elo ratings
  connectx report games.jsonl         the games saved by --results
  connectx grade submission.py        its moves compared with exact scores
  connectx review episode-1-replay.json --player "My Team"
                                      moves that gave a win or a draw away
  connectx positions --seed 7         more positions to grade with
  connectx solve 44444353             the exact score of each column
  connectx book --plies 8             an opening book of the first 8 plies
  connectx train --minutes 10         a network that learns by playing itself
  connectx play perfect --seat 2      play against an agent, in the terminal
  connectx web --open                 games, values, searches in the browser
  connectx explain --tree "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"
                                      a search in words and as a tree
"""

COMMANDS = {
    "agents": "List the agents, their options and the defaults.",
    "build": "Bundle an agent into one self-contained file for Kaggle.",
    "check": "Say whether Kaggle would accept a submission, and why not.",
    "prepare": "Build, check and evaluate a submission in one go.",
    "evaluate": "Play a player against others, each opening from both seats.",
    "compare": "Say whether a new version of a player is better than the old one.",
    "rank": "Find a player's level, from 1 to 10, and its Elo with an interval.",
    "ladder": "Rate players by a round robin.",
    "report": "Show the games of a results file, even while it is being written.",
    "grade": "Compare a player's moves with the exact scores of solved positions.",
    "review": "Find the moves that gave a win or a draw away, in games already played.",
    "positions": "Make solved positions, to grade players with or to train networks.",
    "solve": "Print the exact score of each column, with the board and in words.",
    "book": "Solve a board's openings in advance.",
    "train": "Train a policy network, for `connectx build alphazero --option weights=policy.npz`.",
    "play": "Play against an agent or a submission in the terminal.",
    "web": "Play against agents in the browser, and look at values, searches and replays.",
    "explain": "Show how a search thinks: its steps in words, and its tree.",
}
"""The first line of each command's help, so that the list is shown without importing them."""

CHAPTERS = {
    "submit": ("build", "check", "prepare"),
    "matches": ("evaluate", "ladder", "report", "compare", "rank"),
    "judging": ("grade", "review", "positions"),
    "play": ("agents", "play", "web"),
}
"""The modules of several commands; any other command has a module of its own name."""

TAKEN = {
    r"(-?\d+)<=x<=(\d+)": r"from \1 to \2",
    r"x>=(-?\d+)": r"at least \1",
    r"x<=(\d+)": r"at most \1",
    r"default: \(([\d.]+)\)": r"default: \1",
    r" <(str|path|list\[\w+\])>$": "",
    r"<(\w+(\|\w+)+)>$": r"\1",
}
"""Patterns of Typer's notation for limits and types, and their wording in this help."""


def function_of(command: str) -> Callable[..., None]:
    """Import the module of a command, and return the command's function."""
    chapter = next((name for name, held in CHAPTERS.items() if command in held), command)
    function: Callable[..., None] = getattr(import_module(f"submission.cli.{chapter}"), command)
    return function


class CommandGroup(TyperGroup):
    """Imports only the command that is called; types are `Any` where Typer's versions differ."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = COMMANDS  # Typer suggests these names for a mistyped one

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in their order."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, imported."""
        if cmd_name not in COMMANDS:
            return None
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(cmd_name)(function_of(cmd_name))
        command = typer.main.get_command(single)
        for option in command.params:
            record: Any = option.get_help_record
            option.get_help_record = partial(_in_words, record)  # type: ignore[method-assign]
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the names and the first lines of their help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _in_words(record: Callable[[Any], tuple[str, str] | None], ctx: Any) -> Any:
    """An option's or argument's name and help, with its limits and types in words."""
    told: tuple[str, ...] = record(ctx) or ()
    for written, words in TAKEN.items():
        told = tuple(re.sub(written, words, text) for text in told)
    return told or None


def _print_version(wanted: bool) -> None:
    if wanted:
        from submission import __version__

        typer.echo(f"connectx-agents {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None
)


@app.callback(help=HELP)
def connectx(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version, and exit."
        ),
    ] = False,
) -> None:
    """Hold the options of all commands."""
