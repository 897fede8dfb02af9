"""A game as a board that a reader steps through: the last position, and the way to it."""

from html import escape
from json import dumps

from envs.connectx import ConnectX
from envs.notation import moves_text
from envs.render import COLOURS, board_svg
from envs.svg import element
from submission.evaluating.game_record import GameConfiguration, GameRecord
from submission.evaluating.summary import failing_status

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
