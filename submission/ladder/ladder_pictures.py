"""Pictures of a ladder: the ratings, and a game that a reader steps through."""

from collections.abc import Iterator
from html import escape
from json import dumps
from math import ceil, floor, isfinite

from agents.stats import Estimate
from agents.trace.pictures.nodes import FAINT_INK, GRID, INK, PRINCIPAL
from envs.connectx import ConnectX
from envs.notation import moves_text
from envs.render import COLOURS, board_svg
from envs.svg import document, element, polygon, text, text_width, title
from submission.ladder.ladder import Ladder, Rung
from submission.match.game_record import GameConfiguration, GameRecord
from submission.match.match import failing_status

WIDTH = 560.0
"""Pixels of the scale."""
ROW = 26.0
MARGIN, ARROW = 18.0, 14.0
SIZE = 12.0
LONGEST_NAME = 42
STEPS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""Elo points from one line of the scale to the next."""
MOST_LINES = 8


OPEN = "open"


def interval(elo: Estimate) -> str:
    """The limits of an interval."""
    low, high = (f"{limit:+.0f}" if isfinite(limit) else OPEN for limit in (elo.low, elo.high))
    return f"[{low}, {high}]"


def rating_chart(ladder: Ladder) -> str:
    """The ratings with their 95 % intervals, the strongest on top; an arrow where one is open."""
    names = [_shortened(rung.player) for rung in ladder.rungs]
    scale = Scale(ladder.rungs, left=MARGIN + max(text_width(name, SIZE) for name in names))
    bottom = MARGIN + ROW * len(names)
    rows = [
        _row(rung, name, MARGIN + ROW * (rank + 0.5), scale)
        for rank, (rung, name) in enumerate(zip(ladder.rungs, names, strict=True))
    ]
    return document(
        (scale.right + MARGIN, bottom + 3 * SIZE),
        "Elo ratings with 95 % intervals",
        f"Points above {ladder.anchor}. An arrow: the games set no limit on this side.",
        [*_grid(scale, bottom), *rows],
    )


class Scale:
    """Where a rating is drawn.

    Args:
        rungs: the players, all of whose ratings and limits find room.
        left: where the names end, in pixels.
    """

    def __init__(self, rungs: tuple[Rung, ...], left: float) -> None:
        numbers = [number for rung in rungs for number in (rung.elo.value, *_limits(rung))]
        spread = max(numbers) - min(numbers)
        self._step = next((step for step in STEPS if spread <= MOST_LINES * step), STEPS[-1])
        self._first = floor(min(numbers) / self._step)
        self._last = max(ceil(max(numbers) / self._step), self._first + 1)
        self.left = left + ARROW + SIZE
        self.right = self.left + WIDTH + ARROW

    @property
    def lines(self) -> range:
        """The ratings at which there is a line."""
        return range(self._first * self._step, self._last * self._step + 1, self._step)

    def x(self, elo: float) -> float:
        """The place of a rating, in pixels."""
        share = (elo / self._step - self._first) / (self._last - self._first)
        return self.left + share * WIDTH


def _limits(rung: Rung) -> list[float]:
    """The limits of the interval that the games set."""
    return [limit for limit in (rung.elo.low, rung.elo.high) if isfinite(limit)]


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _grid(scale: Scale, bottom: float) -> Iterator[str]:
    for elo in scale.lines:
        x = scale.x(elo)
        colour = FAINT_INK if elo == 0 else GRID
        yield element("path", d=f"M{x:.1f} {MARGIN}V{bottom:.1f}", stroke=colour)
        label = f"{elo:+d}" if elo else "0"
        yield text(label, (x, bottom + 1.5 * SIZE), SIZE, fill=FAINT_INK, text_anchor="middle")


def _row(rung: Rung, name: str, y: float, scale: Scale) -> str:
    low, high = rung.elo.low, rung.elo.high
    start = scale.x(low) if isfinite(low) else scale.left - ARROW
    end = scale.x(high) if isfinite(high) else scale.right
    heads = [
        _arrow_head(tip, y, direction)
        for limit, tip, direction in ((low, start, 1), (high, end, -1))
        if not isfinite(limit)
    ]
    line = f"M{start:.1f} {y:.1f}H{end:.1f}"
    return element(
        "g",
        title(f"{rung.player}: {rung.elo.value:+.0f} {interval(rung.elo)}"),
        text(name, (MARGIN, y + SIZE / 3), SIZE, fill=INK),
        element("path", d=line, stroke=PRINCIPAL, stroke_width=2),
        *heads,
        element("circle", cx=scale.x(rung.elo.value), cy=y, r=4, fill=PRINCIPAL),
    )


def _arrow_head(tip: float, y: float, direction: int) -> str:
    """A triangle that points away from `direction`: 1 is to the right."""
    back = tip + direction * 8
    return polygon([(tip, y), (back, y - 4), (back, y + 4)], fill=PRINCIPAL)


REPLAY_STYLE = """
.replay { margin: 0; width: 17rem; }
.replay svg { width: 100%; height: auto; }
.replay input { width: 100%; }
.replay .last { stroke: #ffffff; stroke-width: 4; }
.replay figcaption { overflow-wrap: anywhere; }
"""

REPLAY_SCRIPT = """
const free = "FREE";
for (const replay of document.querySelectorAll(".replay")) {
  const cells = JSON.parse(replay.dataset.cells);
  const stones = [...replay.querySelectorAll("svg circle")];
  const final = stones.map(stone => [stone.getAttribute("fill"), stone.getAttribute("stroke")]);
  const slider = replay.querySelector("input"), ply = replay.querySelector("output");
  const show = () => {
    const plies = slider.valueAsNumber;
    const played = new Set(cells.slice(0, plies));
    stones.forEach((stone, cell) => {
      const [fill, ring] = final[cell];
      stone.setAttribute("fill", played.has(cell) ? fill : free);
      stone.setAttribute("stroke", plies === cells.length && ring ? ring : "none");
      stone.classList.toggle("last", plies < cells.length && cell === cells[plies - 1]);
    });
    ply.value = `ply ${plies} of ${cells.length}`;
  };
  const go = by => { slider.valueAsNumber += by; show(); };
  const [back, forward] = replay.querySelectorAll("button");
  back.onclick = () => go(-1);
  forward.onclick = () => go(1);
  slider.oninput = show;
}
""".replace("FREE", COLOURS[0])


def replay_figure(record: GameRecord, configuration: GameConfiguration) -> str:
    """The board at the end of a game, with a slider to go back; `REPLAY_SCRIPT` makes it move.

    Without the script it is a picture.
    """
    env = ConnectX(configuration.rows, configuration.columns, configuration.inarow)
    state = env.initial_state()
    cells: list[int] = []
    for column in record.columns:
        row = env.to_board(state)[column :: env.columns].count(0) - 1
        cells.append(row * env.columns + column)
        state = env.get_next_state(state, column)
    plies = len(cells)
    slider = element("input", type="range", min=0, max=plies, value=plies, aria_label="ply")
    return element(
        "figure",
        board_svg(env, state),
        slider,
        _button("◀", "one ply back"),
        _button("▶", "one ply on"),
        element("output", f" ply {plies} of {plies}"),
        element("figcaption", _caption(record)),
        class_="replay",
        data_cells=dumps(cells),
    )


def _button(sign: str, words: str) -> str:
    return element("button", sign, type="button", aria_label=words, title=words)


def _caption(record: GameRecord) -> str:
    """Who played, which opening, and how it ended."""
    names = record.pairing if record.seat == 1 else record.pairing[::-1]
    lines = [
        *(
            f"{_disc(colour)} {escape(name)}"
            for colour, name in zip(COLOURS[1:], names, strict=True)
        ),
        escape(f"Opening {moves_text(record.opening) or 'none'}. {_ending(record)}"),
    ]
    return "<br>".join(lines)


def _disc(colour: str) -> str:
    return element("span", "●", style=f"color: {colour}")


def _ending(record: GameRecord) -> str:
    failed = record.failing_player
    if failed is None:
        return f"Over after {len(record.columns)} plies."
    status = failing_status(record)
    return f"{status} of {failed} after {len(record.columns)} plies: {record.cause}."
