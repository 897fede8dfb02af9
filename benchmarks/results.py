"""Results of benchmarks: printed, kept as JSON, and shown in the README of this folder.

A report consists of paragraphs and tables, in reading order. `--json FILE` keeps it in `results/`,
and `python -m benchmarks readme` copies the kept reports into the README, between
`<!-- results/NAME.json -->` and `<!-- end -->`; the text around them is written by hand.
"""

import json
import os
import platform
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from agents.reporting.stats import Estimate

Report = Sequence[str | Table]

FOLDER = Path(__file__).parent
README = FOLDER / "README.md"
PLACE = re.compile(r"<!-- (results/\w+\.json) -->\n.*?<!-- end -->", flags=re.DOTALL)
"""Where the README shows the results of a file."""
LIBRARIES = {
    "numba": "numba",
    "numpy": "numpy",
    "gymnasium": "gymnasium",
    "kaggle-environments": "kaggle_environments",
    "bitbully": "bitbully",
    "easyAI": "easyAI",
    "open_spiel": "pyspiel",
    "pettingzoo": "pettingzoo",
    "pgx": "pgx",
}
"""The libraries whose versions are recorded: pip's name of each, and the imported module."""


def table(*columns: str, words: Sequence[str]) -> Table:
    """An empty table: columns in `words` are aligned left, those of figures right."""
    empty = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for column in columns:
        empty.add_column(column, justify="left" if column in words else "right")
    return empty


def interval(share: Estimate, digits: int = 0) -> str:
    """A share in percent with its 95 % interval, such as `62 (50-73)`."""
    value, low, high = (f"{100 * each:.{digits}f}" for each in (share.value, share.low, share.high))
    return f"{value} ({low}-{high})"


def print_report(report: Report, console: Console) -> None:
    """Print paragraphs and tables."""
    console.print()
    for part in report:
        console.print(part, highlight=False, markup=False)


def report_json(report: Report, timings: Sequence[object] = ()) -> str:
    """The report as JSON, with its command and conditions, and all timings behind its medians."""
    content = {
        "command": f"python -m benchmarks {shlex.join(sys.argv[1:])}",
        "conditions": _conditions(),
        "report": [part if isinstance(part, str) else _plain_table(part) for part in report],
        "timings": timings,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _conditions() -> str:
    used = [name for name, module in LIBRARIES.items() if module in sys.modules]
    versions = [f"{name} {version(name)}" for name in used]
    python = f"Python {platform.python_version()}"
    return ", ".join([f"{os.cpu_count()} cores", python, *versions])


def _plain_table(rows: Table) -> dict[str, Any]:
    return {
        "columns": [str(column.header) for column in rows.columns],
        "align": [column.justify for column in rows.columns],
        "rows": [*zip(*(map(str, column.cells) for column in rows.columns), strict=True)],
    }


def with_results(text: str, folder: Path) -> str:
    """A document with a folder's current results inserted in their places.

    Raises:
        ValueError: the document has no place for a file.
        FileNotFoundError: it has a place for a file that does not exist.
    """
    unused = {path.relative_to(folder).as_posix() for path in folder.glob("results/*.json")}
    unused -= set(PLACE.findall(text))
    if unused:
        raise ValueError(f"the document has no place for {', '.join(sorted(unused))}")

    def shown(place: re.Match[str]) -> str:
        content = json.loads((folder / place[1]).read_text(encoding="utf-8"))
        return f"<!-- {place[1]} -->\n{results_markdown(content)}\n<!-- end -->"

    return PLACE.sub(shown, text)


def results_markdown(content: dict[str, Any]) -> str:
    """A file of results in Markdown: its report, then its command and conditions."""
    parts = [
        part if isinstance(part, str) else _markdown_table(**part) for part in content["report"]
    ]
    command = f"`{content['command']}`; " if content["command"] else ""
    return "\n\n".join([*parts, f"*{command}{content['conditions']}*"])


def _markdown_table(columns: list[str], align: list[str], rows: list[list[str]]) -> str:
    rules = ["--:" if side == "right" else "---" for side in align]
    return "\n".join(map(_markdown_row, [columns, rules, *rows]))


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
