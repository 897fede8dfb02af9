"""Where commands print."""

from rich.console import Console

console = Console()


def say(text: str) -> None:
    """Print plain text, however long its lines."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
