"""The tables of the reports in the terminal."""

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text


def plain_table(title: str) -> Table:
    """A table without columns under a title, which is shown as it is."""
    return Table(
        title=Text(title, style="bold"),
        title_justify="left",
        box=SIMPLE_HEAD,
        collapse_padding=True,
        pad_edge=False,
    )
