"""`connectx agents`."""

from rich.table import Table
from rich.text import Text

from agents.options import agent_help, agent_options
from agents.registry import REGISTERED
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
