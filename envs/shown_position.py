"""Positions that a notebook displays as pictures, without JavaScript: `show(env, state)`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from math import trunc
from typing import Any

from envs.board import BoardGame, BoardState
from envs.connectx import ConnectX
from envs.protocol import Env
from envs.render import CELL, LINE_COLOUR, SYMBOLS, board_caption, board_svg, board_text
from envs.svg import drawing, element, in_page, text, text_width, title

MOST_CELLS = 2500  # a board with more cells is shown as text, not drawn
GROUND, INK = "#ffffff", LINE_COLOUR
"""Colours around the board, readable on a dark page, too."""
NOTE = "Values are from player 1's view: +1 player 1 wins, -1 player 2."
LINE_HEIGHT = 24
NUMBER_SIZE, VALUE_SIZE = 15.0, 13.0
ARM, RING_RADIUS, MARK_WIDTH = 7, 8, 3
"""The marks in the stones: half the width of a cross, the radius of a ring, the line width."""


@dataclass(frozen=True)
class PositionView:
    """A position as a notebook shows it: a board, or the text of a state of any other game.

    The values are those of some legal actions, from player 1's view.
    """

    env: Env[Any, Any]
    state: Any
    values: Mapping[Any, float]

    def __str__(self) -> str:
        """The board or the state, whose turn it is, and a line for each value."""
        return "\n".join([_position_text(self.env, self.state), *self._lines()])

    def __repr__(self) -> str:
        return str(self)

    @property
    def svg(self) -> str | None:
        """The picture of a board as a stand-alone document; None where a text is shown."""
        if not isinstance(self.env, BoardGame) or self.env.rows * self.env.columns > MOST_CELLS:
            return None
        return _picture(self.env, self.state, self.values, self._best())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self.as_html()}

    def as_html(self) -> str:
        """The picture and its caption, or the text if there is no picture."""
        if self.svg is None:
            return f'<pre style="overflow-x: auto">{escape(str(self))}</pre>'
        caption = f"{_turn(self.env, self.state)}.{f' {NOTE}' if self.values else ''}"
        picture = in_page(self.svg, _position_text(self.env, self.state))
        return f'{picture}<div style="font-size: 0.9em">{escape(caption)}</div>'

    def _lines(self) -> Iterator[str]:
        yield _turn(self.env, self.state)
        best = self._best()
        for action, value in self.values.items():
            name = action + 1 if isinstance(self.env, BoardGame) else action
            yield f"  {name}: {value_label(value)}{'  best' if action in best else ''}"
        if self.values:
            yield NOTE

    def _best(self) -> set[Any]:
        """The actions with the best value for the player to move."""
        best = max if self.env.current_player(self.state) == 1 else min
        highest = best(self.values.values(), default=0.0)
        return {action for action, value in self.values.items() if value == highest}


def show(env: Env[Any, Any], state: Any, values: Mapping[Any, float] | None = None) -> PositionView:
    """Return a view of a position that displays itself at the end of a notebook's cell.

    Args:
        env: the rules of any game; one without a board is shown as text.
        state: the position.
        values: the values of some legal actions, from player 1's view, like a search's
            `action_values`; shown below the columns or in the cells.

    Raises:
        ValueError: `state` is not a state of the board game, or an action with a value is not
            legal.
    """
    if isinstance(env, BoardGame) and not isinstance(state, BoardState):
        raise ValueError(f"a position of {env!r} must be a BoardState, not {state!r}")
    legal = env.get_available_actions(state)
    for action in values or ():
        if action not in legal:
            raise ValueError(f"a value is given for {action!r}, which is not a legal action there")
    in_order = {action: values[action] for action in legal if action in values} if values else {}
    return PositionView(env, state, in_order)


def value_label(value: float) -> str:
    """A value truncated to two decimals; only exactly +1, 0 and -1 have no decimals."""
    if value in (-1.0, 0.0, 1.0):
        return f"{value:+.0f}" if value else "0"
    return f"{trunc(value * 100) / 100:+.2f}"


def _position_text(env: Env[Any, Any], state: Any) -> str:
    return board_text(env, state) if isinstance(env, BoardGame) else str(state)


def _turn(env: Env[Any, Any], state: Any) -> str:
    if isinstance(env, BoardGame):
        turn = board_caption(env, state)
        return f"{turn} ({SYMBOLS[state.player]})" if turn.endswith("to move") else turn
    if not env.get_available_actions(state):
        return "The game is over"
    player = env.current_player(state)
    return f"Player {player} to move" if player else "Chance decides"


def _picture(env: BoardGame, state: BoardState, values: Mapping[int, float], best: set[int]) -> str:
    """The board with marks in its stones, and the numbers and values of the moves."""
    by_column = isinstance(env, ConnectX)
    width = env.columns * CELL
    height = env.rows * CELL + (LINE_HEIGHT * (2 if values else 1) if by_column else 0)
    moves = _below_columns(env, values, best) if by_column else _in_cells(env, state, values, best)
    ground = element("rect", width=width, height=height, rx=8, fill=GROUND)
    board = title(_turn(env, state)), ground, board_svg(env, state)
    return drawing((width, height), *board, *_marks(env, state), *moves)


def _marks(env: BoardGame, state: BoardState) -> Iterator[str]:
    """A cross in player 1's stones and a ring in player 2's, for readers who see no colours."""
    for index, stone in enumerate(env.to_board(state)):
        x, y = _middle(env, index)
        if stone == 1:
            lines = f"M{x - ARM} {y - ARM}l{2 * ARM} {2 * ARM}m0 {-2 * ARM}l{-2 * ARM} {2 * ARM}"
            yield element("path", d=lines, stroke=INK, stroke_width=MARK_WIDTH)
        elif stone == 2:
            ring = {"r": RING_RADIUS, "fill": "none", "stroke": INK, "stroke_width": MARK_WIDTH}
            yield element("circle", cx=x, cy=y, **ring)


def _below_columns(env: BoardGame, values: Mapping[int, float], best: set[int]) -> Iterator[str]:
    for column in range(env.columns):
        x, y = column * CELL + CELL / 2, env.rows * CELL + 0.75 * LINE_HEIGHT
        yield _words(str(column + 1), (x, y), NUMBER_SIZE)
        if column in values:
            yield from _value(values[column], (x, y + LINE_HEIGHT), column in best)


def _in_cells(
    env: BoardGame, state: BoardState, values: Mapping[int, float], best: set[int]
) -> Iterator[str]:
    for index, stone in enumerate(env.to_board(state)):
        x, y = _middle(env, index)
        if index in values:
            yield from _value(values[index], (x, y + VALUE_SIZE / 3), index in best)
        elif not stone:
            yield _words(str(index + 1), (x, y + NUMBER_SIZE / 3), NUMBER_SIZE)


def _value(value: float, at: tuple[float, float], is_best: bool) -> Iterator[str]:
    """A value, and a frame around the best."""
    (x, y), label = at, value_label(value)
    if is_best:
        width = min(text_width(label, VALUE_SIZE) + 10, CELL - 4)
        frame = {"width": width, "height": 20, "rx": 4, "fill": "none", "stroke": INK}
        yield element("rect", x=x - width / 2, y=y - 15, stroke_width=2, **frame)
    yield _words(label, at, VALUE_SIZE)


def _words(words: str, at: tuple[float, float], size: float) -> str:
    return text(words, at, size, fill=INK, text_anchor="middle")


def _middle(env: BoardGame, index: int) -> tuple[int, int]:
    row, column = divmod(index, env.columns)
    return column * CELL + CELL // 2, row * CELL + CELL // 2
