"""The picture of a guided search: its numbers are read from the SVG and compared with the tree."""

from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings

from agents.agent import Clock
from agents.policy.puct import GuidedTree
from agents.trace.pictures.guided_picture import MARGIN, draw_guided
from agents.tree import Node
from envs import BoardGame, BoardState, ConnectFour, ConnectX, state_from_moves
from envs.render import CELL
from tests.helpers.strategies import Position, connect_games, unfinished_positions

SVG = "{http://www.w3.org/2000/svg}"
FOUR = ConnectFour()
NOTHING = "\N{EN DASH}"


def uneven(env: BoardGame, state: BoardState) -> tuple[dict[int, float], float]:
    """A guess that tells actions and states apart."""
    weights = {action: 1.0 + action for action in env.get_available_actions(state)}
    chances = {action: weight / sum(weights.values()) for action, weight in weights.items()}
    return chances, ((state.mover * 7 + state.mask) % 19 - 9) / 10


def grown(env: ConnectX, state: BoardState, simulations: int) -> Node[BoardState, int]:
    tree = GuidedTree(env, state, uneven, exploration=1.5, fpu=0.2)
    tree.grow(simulations, Clock())
    return tree.root


def numbers_by_row(picture: str, columns: int) -> list[list[str]]:
    """What stands below the columns, from the top to the bottom of the picture."""
    rows = []
    for part in ElementTree.fromstring(picture).findall(f"{SVG}g"):
        places = {MARGIN + (column + 0.5) * CELL: "" for column in range(columns)}
        for words in part.findall(f"{SVG}text"):
            if words.get("text-anchor") == "middle":
                places[float(words.attrib["x"])] = words.text or ""
        if any(places.values()):
            rows.append(list(places.values()))
    return rows


def shown(root: Node[BoardState, int], columns: int) -> tuple[list[str], list[str]]:
    """The visits and the values of all columns, as they are to be written."""
    visits, values = [NOTHING] * columns, [NOTHING] * columns
    for column, node in root.children.items():
        visits[column] = str(node.visits)
        if node.proven is not None:
            values[column] = f"= {node.proven:z.0f}"
        elif node.visits:
            values[column] = f"{node.value:+z.2f}"
    return visits, values


@given(position=unfinished_positions(connect_games(largest=7)))
@settings(max_examples=30, deadline=None)
def test_the_numbers_are_the_trees(position: Position) -> None:
    env, state = position
    assert isinstance(env, ConnectX)
    early, late = (grown(env, state, simulations) for simulations in (1, 40))
    assume(early.children and late.children)
    columns, first, *rows = numbers_by_row(draw_guided(env, state, [early, late]), env.columns)
    assert columns == [str(column + 1) for column in range(env.columns)]
    priors = {column: node.prior for column, node in early.children.items()}
    assert first == [f"{priors[c]:.0%}" if c in priors else NOTHING for c in range(env.columns)]
    written = [row for root in (early, late) for row in shown(root, env.columns)]
    assert rows == written


def test_all_that_is_drawn_lies_in_the_frame() -> None:
    state = state_from_moves(FOUR, "3555533344122532352211")
    picture = draw_guided(FOUR, state, [grown(FOUR, state, 16), grown(FOUR, state, 200)])
    document = ElementTree.fromstring(picture)
    width, height = (float(document.attrib[side]) for side in ("width", "height"))
    for part in document.findall(f"{SVG}g"):
        shift = part.attrib["transform"].removeprefix("translate(").removesuffix(")").split()
        right, down = map(float, shift)
        for bar in part.findall(f"{SVG}rect"):
            x, y, wide, tall = (float(bar.attrib[k]) for k in ("x", "y", "width", "height"))
            assert 0 <= right + x <= right + x + wide <= width
            assert 0 <= down + y <= down + y + tall <= height
            assert tall >= 0


def test_two_plies_leave_nothing_to_draw() -> None:
    state = state_from_moves(FOUR, "44553")  # two ends of a row are open
    with pytest.raises(ValueError, match="one that two plies do not decide"):
        draw_guided(FOUR, state, [grown(FOUR, state, 10)])
    with pytest.raises(ValueError, match="needs a root with children"):
        draw_guided(FOUR, state, [])
