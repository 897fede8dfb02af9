"""Observations: arrays of boards, against the flat board."""

import numpy as np
import pytest
from hypothesis import given

from envs import ConnectX, TicTacToe, state_from_moves
from envs.learning.observations import action_mask, make_observer
from tests.helpers.strategies import Position, board_games, positions


@given(positions(board_games()))
def test_arrays_show_the_flat_board_and_the_legal_actions(position: Position) -> None:
    game, state = position
    cells = game.to_board(state)
    board = np.array(cells).reshape(game.rows, game.columns)
    for name in ("planes", "flat"):
        observer = make_observer(name, game)
        for viewer in (1, 2):
            shown = observer.observe(state, viewer)
            planes = np.array([board == viewer, board == 3 - viewer])
            assert (shown == (planes if name == "planes" else cells)).all()
            assert shown.dtype == np.int8
            assert shown in observer.space
    legal = game.get_available_actions(state)
    mask = action_mask(legal, game.action_count)
    assert mask.dtype == np.int8
    assert mask.tolist() == [int(action in legal) for action in range(len(mask))]
    mask[:] = 1
    assert action_mask(legal, len(mask)).sum() == len(legal)


def test_a_picture_drawn_by_hand() -> None:
    game = ConnectX(rows=2, columns=3, inarow=3)
    planes = make_observer("planes", game).observe(state_from_moves(game, "113"), viewer=2)
    assert planes.tolist() == [[[1, 0, 0], [0, 0, 0]], [[0, 0, 0], [1, 0, 1]]]


@pytest.mark.parametrize("name", ["plane", ""])
def test_unknown_observations_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="choose one of planes, flat"):
        make_observer(name, TicTacToe())
