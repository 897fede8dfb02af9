"""The display of results: figures, tables that fit any terminal, a notebook's view, and pages."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from agents.reporting.rich_html import WIDEST, html_of
from agents.reporting.stats import Estimate
from envs.svg import in_page
from submission.console_encoding import READABLE
from submission.terminal import console, plain_text

if TYPE_CHECKING:
    from jinja2 import Environment

PICTURE = "background: #ffffff; color: #0b1f38; margin: 0.5em 0; padding: 0.5em"
"""The style of a picture in a notebook, whose own background may be dark."""


class Printed(ABC):
    """A result that prints as the tables of its command, in a terminal and in a notebook."""

    @abstractmethod
    def tables(self) -> RenderableType:
        """The figures, and the rules by which they are counted."""

    @abstractmethod
    def summary(self) -> Sequence[str | Text]:
        """The failures, and the result in a few sentences."""

    def pictures(self) -> Sequence[str]:
        """Pictures as SVG, which a notebook shows below the tables."""
        return ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The whole result for `json.dumps`."""

    def __rich__(self) -> RenderableType:
        """The tables and then the summary, which stays visible in a terminal."""
        return Group(self.tables(), self.brief)

    @property
    def brief(self) -> RenderableType:
        """The summary alone."""
        return Group(*(plain(each) if isinstance(each, str) else each for each in self.summary()))

    def __repr__(self) -> str:
        """The tables as text, as wide as the terminal: for `print` and for Python's prompt."""
        with console.capture() as capture:
            console.print(self, crop=False)
        text = capture.get().rstrip()
        return text.encode(console.encoding, READABLE).decode(console.encoding)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The representations from which a notebook chooses."""
        drawn = (in_page(svg, "a picture of these results", PICTURE) for svg in self.pictures())
        plain = Text.from_ansi(str(self)).plain  # notebooks set FORCE_COLOR
        return {"text/plain": plain, "text/html": "".join([html_of(self.__rich__()), *drawn])}


NOTHING = "-"  # shown where there is no figure


def percent(share: float | None, digits: int = 1) -> str:
    """A share in percent, as in "62.5"."""
    return NOTHING if share is None else f"{100 * share:.{digits}f}"


def seconds(time: float | None) -> str:
    """Seconds, as in "0.125"."""
    return NOTHING if time is None else f"{time:.3f}"


def counted(number: int, things: str) -> str:
    """A number of things, as in "1 game" and "2 games"."""
    return f"1 {things.removesuffix('s')}" if number == 1 else f"{number} {things}"


def size_in_words(size: int) -> str:
    """A size with its unit, as in "512 bytes" and "47 kB"."""
    return counted(size, "bytes") if size < 1000 else f"{size / 1000:.0f} kB"


def elo_interval(elo: Estimate) -> str:
    """The limits of an estimate, as in "[-35, open]"."""
    low, high = (f"{limit:+.0f}" if isfinite(limit) else "open" for limit in (elo.low, elo.high))
    return f"[{low}, {high}]"


def elo_in_words(elo: Estimate) -> str:
    """An estimate with its limits, as in "+89 [+1, open]"."""
    return f"{elo.value:+.0f} {elo_interval(elo)}"


def share_in_words(share: Estimate) -> str:
    """A share with its limits, as in "62.5 % [50.1, 73.2]"."""
    return f"{percent(share.value)} % [{percent(share.low)}, {percent(share.high)}]"


def in_cell(estimate: str) -> str:
    """An estimate in words split into the two lines of a cell, without the percent sign."""
    return estimate.replace(" %", "").replace(" [", "\n[")


def plain(text: str, style: str = "") -> Text:
    """A text that contains untrusted words, such as a player's name from a results file."""
    return Text(plain_text(text), style)


def plain_table(title: str, *labels: str) -> Table:
    """A table with a title and with columns of words, which may be folded."""
    table = Table(
        title=plain(title, "bold"),
        title_justify="left",
        box=SIMPLE_HEAD,
        collapse_padding=True,
        pad_edge=False,
    )
    for label in labels:
        table.add_column(label, overflow="fold")
    return table


def add_figures(table: Table, *headings: str) -> None:
    """Add columns of figures to a table."""
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)


def finite(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with None in place of infinite numbers, which JSON lacks."""
    return {name: _finite(value) for name, value in fields.items()}


def _finite(value: Any) -> Any:
    match value:
        case float() if not isfinite(value):
            return None
        case Mapping():
            return finite(value)
        case list() | tuple():
            return [_finite(each) for each in value]
    return value


FOLDED = 16  # the width of names that are folded into several lines to make a table fit


@dataclass(frozen=True)
class PlayerTable:
    """Figures by player, or by something else that has a name.

    If the table is too wide, names are shortened, then folded; if that is not enough, each name
    gets a paragraph.
    """

    title: str
    label: str  # the heading above the names
    headings: Sequence[str]
    rows: Mapping[str, Sequence[str]]
    """The figures of each name, in the order of the headings; cells may have several lines."""
    is_ranking: bool = False  # whether the rows are numbered

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The widest form that fits."""
        full, short = {name: name for name in self.rows}, short_names([*self.rows])
        for names, folded in ((full, WIDEST), (short, WIDEST), (short, FOLDED)):
            table = self._table(names, folded)
            wide = options.update(width=WIDEST)
            if console.measure(table, options=wide).maximum <= options.max_width:
                yield table
                return
        yield plain(self.title, "bold")
        for rank, (name, cells) in enumerate(self.rows.items(), start=1):
            yield plain(f"\n{f'{rank} ' if self.is_ranking else ''}{name}", "bold")
            for heading, cell in zip(self.headings, cells, strict=True):
                yield Text(f"  {in_one_line(heading)}: {in_one_line(cell)}")
        yield Text()

    def _table(self, names: Mapping[str, str], folded: int) -> Table:
        """The table, in which a name of more than `folded` characters may take several lines."""
        table = plain_table(self.title)
        if self.is_ranking:
            table.add_column("", justify="right", no_wrap=True)
        width = max(map(len, [self.label, *names.values()]))
        table.add_column(self.label, overflow="fold", width=min(folded, width))
        add_figures(table, *self.headings)
        for rank, (name, cells) in enumerate(self.rows.items(), start=1):
            number = [str(rank)] if self.is_ranking else []
            table.add_row(*number, plain(names[name]), *map(Text, cells))
        return table


def in_one_line(text: str) -> str:
    """The lines of a cell joined into one."""
    return " ".join(text.split("\n"))


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Each name shortened to what distinguishes it: its options, or the end of its path."""
    short = {name: _short(name, names) for name in names}
    return short if len({*short.values()}) == len(short) else {name: name for name in names}


def _short(name: str, names: Sequence[str]) -> str:
    others = [other for other in names if other != name]
    if re.search(r"[/\\]", name) and not re.match(r"\w{2,}:", name):  # a path, no agent's options
        parts = PurePath(name).parts
        ends = [str(PurePath(*parts[-count:])) for count in range(1, len(parts) + 1)]
        return next((end for end in ends if not any(o.endswith(end) for o in others)), name)
    agent, _, options = name.partition(":")
    alike = [other.partition(":") for other in others if other.partition(":")[0] == agent]
    common = set.intersection(*({*rest.split(",")} for _, _, rest in alike)) if alike else {""}
    kept = [word for word in options.split(",") if word not in common]
    return f"{agent}:{','.join(kept)}" if any(kept) else agent


def render_page(template: str, **values: object) -> str:
    """Fill in the template in the file of this name; a missing value raises `UndefinedError`.

    Strings are escaped unless the template marks them `safe`, which only pictures from `envs.svg`
    are.
    """
    return _templates().get_template(template).render(values)


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # no other command needs it

    return Environment(
        loader=PackageLoader("submission"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
