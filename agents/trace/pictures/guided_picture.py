"""A picture of a guided search at its root: the prior, visits and value of each column.

The numbers stand below the columns of the board. A column that is full or loses at once has no
node, and so no numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import NamedTuple

from agents.trace.pictures.nodes import EDGE, FAINT_INK, GRID, INK, LABEL, PRINCIPAL
from agents.tree import SearchedNode
from envs.board import BoardState
from envs.connectx import ConnectX
from envs.render import CELL, COLOURS, board_svg
from envs.svg import CHARACTER, document, element, polyline, text, text_width, translated

Root = SearchedNode[int]

BORDER = 16.0
TITLE = 16.0
SPACE = 18.0
"""Between two parts of the picture."""
MARGIN = 180.0
"""On the left of the board, for what the rows show."""
LINE = 1.5 * LABEL
BAR = 30.0
"""Width of a bar."""
SHARE_HEIGHT = 60.0
"""Of a bar that stands for a share of 1."""
VALUE_HEIGHT = 44.0
"""From the value -1 to 1."""
NOTHING = "\N{EN DASH}"


class Bar(NamedTuple):
    """A number of a column."""

    words: str
    low: float
    high: float
    """The part of the row's height that it fills, from 0 to 1."""
    colour: str


class BarRow(NamedTuple):
    """A number of all columns."""

    words: str
    bars: Mapping[int, Bar]
    """By column, of those that have it."""
    ground: float
    """Where the bars begin: the part of the height that is below."""
    height: float


class Part(NamedTuple):
    """A part of the picture, drawn at the origin."""

    svg: str
    height: float


def draw_guided(env: ConnectX, state: BoardState, roots: Sequence[Root]) -> str:
    """Draw what simulations make of a network's priors, as a stand-alone SVG document.

    Values are from player 1's view; columns are counted from 1.

    Args:
        env: the rules.
        state: the position at the root.
        roots: the root after a few simulations, after more, and so on: of trees that one network
            has guided, such as `AlphaZeroAgent.tree`.

    Raises:
        ValueError: there is no root, or one has no children: two plies decide the position.
    """
    if not roots or not all(root.children for root in roots):
        raise ValueError("a picture needs a root with children: one that two plies do not decide")
    chosen = [
        f"column {favoured(root, lambda node: node.visits) + 1} after {root.visits}"
        for root in roots
    ]
    name = f"Most visits: {', '.join(chosen)} simulations"
    notes = (
        f"Player {state.player} is to move. The prior is the network's; a simulation goes where "
        "prior, visits and value together promise most. Values are player 1's, from -1 to 1."
    )
    width = max(MARGIN + env.columns * CELL, text_width(name, TITLE))
    parts = [
        heading(name, notes, width),
        board(env, state),
        *(painted(row, env.columns) for row in rows_of(roots)),
    ]
    content, y = [], BORDER
    for part in parts:
        content.append(translated(part.svg, (BORDER, y)))
        y += part.height + SPACE
    return document((width + 2 * BORDER, y - SPACE + BORDER), name, notes, content)


def favoured(root: Root, merit: Callable[[Root], float]) -> int:
    """The column whose node has the highest merit, the first of equals."""
    return max(root.children, key=lambda column: merit(root.children[column]))


def rows_of(roots: Sequence[Root]) -> list[BarRow]:
    """The priors, then the visits and the values in each root."""
    first = roots[0].children
    rows = [
        shares(
            "prior", {column: (node.prior, f"{node.prior:.0%}") for column, node in first.items()}
        )
    ]
    for root in roots:
        visits = {
            column: (node.visits / root.visits, str(node.visits))
            for column, node in root.children.items()
        }
        rows += [shares(f"{root.visits} simulations: visits", visits), values(root)]
    return rows


def shares(words: str, found: Mapping[int, tuple[float, str]]) -> BarRow:
    """Shares and how they are written, by column; the largest in a colour of its own."""
    largest = max(found, key=lambda column: found[column][0])
    bars = {
        column: Bar(label, 0.0, share, PRINCIPAL if column == largest else EDGE)
        for column, (share, label) in found.items()
    }
    return BarRow(words, bars, ground=0.0, height=SHARE_HEIGHT)


def values(root: Root) -> BarRow:
    """The values of the children that have one, in the colour of the player who is ahead."""
    bars = {}
    for column, node in root.children.items():
        if node.visits or node.proven is not None:
            low, high = sorted((0.5, (1 + node.value) / 2))
            label = f"{node.value:+z.2f}" if node.proven is None else f"= {node.proven:z.0f}"
            bars[column] = Bar(label, low, high, COLOURS[1 if node.value > 0 else 2])
    return BarRow("value", bars, ground=0.5, height=VALUE_HEIGHT)


def heading(name: str, notes: str, width: float) -> Part:
    """The title and the notes, broken into lines."""
    lines = [text(name, (0.0, TITLE), TITLE, fill=INK, font_weight="bold")]
    y = TITLE + 4
    for line in wrap(notes, int(width / (CHARACTER * LABEL))):
        y += LINE
        lines.append(text(line, (0.0, y), LABEL, fill=INK))
    return Part("\n".join(lines), y)


def board(env: ConnectX, state: BoardState) -> Part:
    """The board, with the numbers of the columns below."""
    height = env.rows * CELL + LINE
    drawn = translated(board_svg(env, state).strip(), (MARGIN, 0.0))
    numbers = [centred(str(column + 1), column, height, INK) for column in range(env.columns)]
    return Part("\n".join([drawn, *numbers]), height)


def centred(words: str, column: int, y: float, colour: str) -> str:
    """A text below a column."""
    return text(words, (middle_of(column), y), LABEL, text_anchor="middle", fill=colour)


def middle_of(column: int) -> float:
    """The middle of a column."""
    return MARGIN + (column + 0.5) * CELL


def painted(row: BarRow, columns: int) -> Part:
    """A row: what it shows on the left, and below each column a bar and a number."""
    ground, height = row.height * (1 - row.ground), row.height + LINE
    shapes = [
        text(row.words, (0.0, ground), LABEL, fill=INK),
        polyline([(MARGIN, ground), (MARGIN + columns * CELL, ground)], stroke=GRID),
    ]
    for column in range(columns):
        if column in row.bars:
            bar = row.bars[column]
            shapes += [upright(bar, column, row.height), centred(bar.words, column, height, INK)]
        else:
            shapes.append(centred(NOTHING, column, height, FAINT_INK))
    return Part("\n".join(shapes), height)


def upright(bar: Bar, column: int, height: float) -> str:
    """A bar of a row of this height."""
    return element(
        "rect",
        x=middle_of(column) - BAR / 2,
        y=height * (1 - bar.high),
        width=BAR,
        height=height * (bar.high - bar.low),
        fill=bar.colour,
    )
