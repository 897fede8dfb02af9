"""`connectx build`."""

from collections.abc import Sequence
from pathlib import Path

from agents.output_file import require_distinct, require_writable
from agents.registry import parse_options
from submission.bundle.bundle import build_bundle
from submission.cli.arguments import (
    AgentName,
    Options,
    Output,
    Source,
    files_of_options,
    modules_beside,
)
from submission.terminal import say


def build(
    agent: AgentName,
    option: Options = None,
    source: Source = None,
    output: Output = Path("submission.py"),
) -> None:
    """Bundle an agent into one self-contained file for Kaggle.

    Options that you leave out have the defaults that `connectx agents` lists, but for limits of
    time and of simulations: on Kaggle the clock is the limit.
    """
    write_bundle(agent, option or [], source, output)


def write_bundle(agent: str, options: Sequence[str], source: Path | None, output: Path) -> None:
    """Bundle an agent into a file, and say how large it is."""
    chosen = parse_options(options)
    require_distinct(output, read=[source, *files_of_options(chosen)])
    text = build_bundle(agent, chosen, source)
    require_distinct(output, read=modules_beside(source))
    require_writable(output)
    output.write_text(text, encoding="utf-8", newline="\n")
    say(f"Wrote {output}, {len(text.encode()) / 1000:.0f} kB.")
