"""Pictures of boards, against pictures drawn by hand; positions that show themselves."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs import (
    BoardGame,
    BoardState,
    ConnectFour,
    ConnectX,
    ExplicitTree,
    TicTacToe,
    board_svg,
    board_text,
    show,
    state_from_moves,
)
from envs.render import CELL, board_ansi, board_rgb
from tests.helpers.html_reading import drawings, shown
from tests.helpers.strategies import Position, board_games, positions
from tests.helpers.svg_reading import SVG

WIDE = """\
 .  .  .  .  .  .  .  .  .  .  X
 .  .  .  .  .  .  .  .  .  O  X
 1  2  3  4  5  6  7  8  9 10 11"""


def test_text_of_boards_drawn_by_hand() -> None:
    for env, moves, text in (
        (ConnectX(2, 7, 4), "4453", ". . . O . . .\n. . O X X . .\n1 2 3 4 5 6 7"),
        (TicTacToe(), "519", "O . .\n. X .\n. . X\n1 2 3"),
        (ConnectX(rows=2, columns=11, inarow=4), "11,10,11", WIDE),
    ):
        assert board_text(env, state_from_moves(env, moves)) == text
    won = state_from_moves(TicTacToe(), "14253")
    first_row = board_ansi(TicTacToe(), won).splitlines()[0]
    assert first_row == " ".join(["\x1b[7mX\x1b[0m"] * 3)


@given(positions(board_games()))
def test_text_shows_every_cell_and_ansi_the_winning_stones_in_reverse_video(
    position: Position,
) -> None:
    env, state = position
    text, picture = board_text(env, state), board_ansi(env, state)
    *rows, numbers = text.splitlines()
    assert [".XO".index(cell) for row in rows for cell in row.split()] == env.to_board(state)
    assert numbers.split() == [str(column) for column in range(1, env.columns + 1)]
    assert len({len(line) for line in [*rows, numbers]}) == 1
    assert re.sub(r"\x1b\[\dm", "", picture) == text
    marked = re.findall(r"\x1b\[7m(.)\x1b\[0m", picture)
    assert len(marked) == len(env.winning_cells(state))
    assert set(marked) <= {"X" if state.player == 2 else "O"}


def circles(env: BoardGame, state: BoardState) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(board_svg(env, state)).iter(f"{SVG}circle"))


def test_svg_has_a_circle_for_each_cell_in_the_order_of_the_board() -> None:
    env = ConnectX(rows=2, columns=3, inarow=3)
    shapes = circles(env, state_from_moves(env, "113"))
    colour = {cell: shape.get("fill") for cell, shape in zip("OeeXeX", shapes, strict=True)}
    assert [shape.get("fill") for shape in shapes] == [colour[cell] for cell in "OeeXeX"]
    assert len(set(colour.values())) == 3

    centres = [(float(shape.attrib["cy"]), float(shape.attrib["cx"])) for shape in shapes]
    assert centres == sorted(centres)
    radius = float(shapes[0].attrib["r"])
    for row in (centres[:3], centres[3:]):
        for (_, left), (_, right) in pairwise(row):
            assert right - left > 2 * radius


@given(positions(board_games()))
def test_svg_stays_inside_its_frame_and_the_image_has_its_colours(position: Position) -> None:
    env, state = position
    picture, shapes = ElementTree.fromstring(board_svg(env, state)), circles(env, state)
    left, top, width, height = map(float, picture.attrib["viewBox"].split())
    assert len(shapes) == env.rows * env.columns
    for shape in shapes:
        x, y, radius = (float(shape.attrib[name]) for name in ("cx", "cy", "r"))
        assert left + radius <= x <= left + width - radius
        assert top + radius <= y <= top + height - radius
    image = board_rgb(env, state)
    assert image.shape == (env.rows * CELL, env.columns * CELL, 3)
    middles = image[CELL // 2 :: CELL, CELL // 2 :: CELL].reshape(-1, 3).tolist()
    assert middles == [[*bytes.fromhex(shape.attrib["fill"][1:])] for shape in shapes]


def test_svg_and_image_ring_the_winning_line_alone() -> None:
    env, dark = ConnectX(), np.array([11, 31, 56])
    line = [(2, 0), (3, 0), (4, 0), (5, 0)]
    for moves, expected in (("1213141", line), ("121314", [])):
        state = state_from_moves(env, moves)
        image, shapes = board_rgb(env, state), circles(env, state)
        cells = [divmod(index, env.columns) for index in range(len(shapes))]
        assert [
            c for c, shape in zip(cells, shapes, strict=True) if shape.get("stroke")
        ] == expected
        ringed = [
            (row, column)
            for row, column in cells
            if (image[row * CELL + CELL // 2, column * CELL :][:CELL] == dark).all(1).any()
        ]
        assert ringed == expected


@pytest.mark.parametrize(
    ("moves", "title"),
    [
        ("", "Player 1 to move"),
        ("1", "Player 2 to move"),
        ("14253", "Player 1 has won"),
        ("142597", "Player 1 to move"),
        ("142596", "Player 2 has won"),
        ("123586479", "A draw"),
    ],
)
def test_svg_is_titled_by_the_state_of_the_game(moves: str, title: str) -> None:
    env = TicTacToe()
    picture = ElementTree.fromstring(board_svg(env, state_from_moves(env, moves)))
    assert picture.findtext(f"{SVG}title") == title


# --- positions that show themselves: the picture says what the board says, and runs nothing

FOUR = ConnectFour()


@given(positions(st.sampled_from([FOUR, ConnectX(3, 12, 3), ConnectX(1, 1, 1), TicTacToe()])))
def test_each_stone_has_its_mark(position: Position) -> None:
    env, state = position
    (picture,) = drawings(show(env, state))
    board = env.to_board(state)
    crosses = [*picture.findall(f"{SVG}path")]
    rings = [*picture.findall(f"{SVG}circle")]
    assert (len(crosses), len(rings)) == (board.count(1), board.count(2))
    assert len([*picture.iter(f"{SVG}circle")]) == len(board) + len(rings)
    assert str(show(env, state)).startswith(board_text(env, state))


def texts(picture: object) -> list[str]:
    return [text.text or "" for text in picture.iter(f"{SVG}text")]  # type: ignore[attr-defined]


def test_values_stand_below_their_columns() -> None:
    state = state_from_moves(FOUR, "4")
    view = show(FOUR, state, {3: 0.0, 0: -0.129, 6: 1.0})
    (picture,) = drawings(view)
    assert texts(picture) == ["1", "-0.12", "2", "3", "4", "0", "5", "6", "7", "+1"]
    assert str(view).splitlines()[-4:-1] == ["  1: -0.12  best", "  4: 0", "  7: +1"]
    assert "Player 2 to move (O)" in shown(view).text


def test_the_best_value_is_the_movers() -> None:
    first = show(FOUR, FOUR.initial_state(), {0: -0.5, 1: 0.5})
    second = show(FOUR, state_from_moves(FOUR, "4"), {0: -0.5, 1: 0.5})
    assert "2: +0.50  best" in str(first)
    assert "1: -0.50  best" in str(second)


def test_cells_have_numbers_until_they_are_taken() -> None:
    env = TicTacToe()
    (picture,) = drawings(show(env, state_from_moves(env, "51"), {1: -1.0}))
    assert texts(picture) == ["-1", *"346789"]


def test_a_finished_game_says_who_has_won() -> None:
    assert "Player 1 has won." in shown(show(FOUR, state_from_moves(FOUR, "1212121"))).text


def test_a_game_without_a_board_is_text() -> None:
    tree = ExplicitTree({"<script>alert(1)</script>": [1, 2], "b": 3})
    view = show(tree, tree.initial_state(), {"<script>alert(1)</script>": 0.5})
    assert "<script>alert(1)</script>: +0.50  best" in shown(view).text
    assert "Player 1 to move" in str(view)
    assert str(show(tree, ("b",))).endswith("The game is over")


def test_a_board_too_large_to_draw_is_text() -> None:
    env = ConnectX(50, 51, 4)
    view = show(env, env.initial_state())
    assert view.svg is None
    assert shown(view).tags == ["pre"]


def test_what_is_no_position_is_refused() -> None:
    with pytest.raises(ValueError, match=r"of ConnectFour\(\) must be a BoardState, not \(1, 2"):
        show(FOUR, (1, 2))
    with pytest.raises(ValueError, match="a value is given for 9, which is not a legal action"):
        show(FOUR, FOUR.initial_state(), {9: 0.5})
