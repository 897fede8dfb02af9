"""Observations: arrays of boards, against the flat board."""

import numpy as np
import pytest
from hypothesis import given

from envs import ConnectX, TicTacToe, state_from_moves
from envs.learning.observations import action_mask, make_observer
from tests.helpers.strategies import Position, board_games, positions


@given(positions(board_games()))
def test_planes_are_the_viewers_stones_and_the_others(position: Position) -> None:
    game, state = position
    observer = make_observer("planes", game)
    board = np.array(game.to_board(state)).reshape(game.rows, game.columns)
    for viewer in (1, 2):
        planes = observer.observe(state, viewer)
        assert planes.dtype == np.int8
        assert (planes == np.array([board == viewer, board == 3 - viewer])).all()
        assert planes in observer.space


@given(positions(board_games()))
def test_the_flat_board_is_the_same_for_both(position: Position) -> None:
    game, state = position
    observer = make_observer("flat", game)
    for viewer in (1, 2):
        board = observer.observe(state, viewer)
        assert board.dtype == np.int8
        assert board.tolist() == game.to_board(state)
        assert board in observer.space


@given(positions(board_games()))
def test_masks_have_the_legal_actions(position: Position) -> None:
    game, state = position
    legal = game.get_available_actions(state)
    mask = action_mask(legal, len(game.action_cells))
    assert mask.dtype == np.int8
    assert mask.tolist() == [int(action in legal) for action in range(len(mask))]
    mask[:] = 1
    assert action_mask(legal, len(mask)).sum() == len(legal)


def test_actions_are_columns_or_cells() -> None:
    assert len(ConnectX(rows=3, columns=11).action_cells) == 11
    assert len(TicTacToe().action_cells) == 9


def test_a_picture_drawn_by_hand() -> None:
    game = ConnectX(rows=2, columns=3, inarow=3)
    planes = make_observer("planes", game).observe(state_from_moves(game, "113"), viewer=2)
    assert planes.tolist() == [[[1, 0, 0], [0, 0, 0]], [[0, 0, 0], [1, 0, 1]]]


@pytest.mark.parametrize("name", ["plane", ""])
def test_unknown_observations_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="choose one of planes, flat"):
        make_observer(name, TicTacToe())
