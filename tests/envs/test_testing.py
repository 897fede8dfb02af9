"""The contract suite: it passes every game, and names what is wrong with a broken one."""

from collections.abc import Callable, Sequence
from copy import copy
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from envs import (
    BoardGame,
    BoardState,
    ChanceNode,
    ConnectFour,
    ExplicitTree,
    MaxNode,
    TicTacToe,
    parse_tree,
    register_game,
    state_from_moves,
)
from envs.testing import check_game
from tests.helpers.small_games import Nim, NimState, Race, Take
from tests.helpers.strategies import board_games


@settings(max_examples=30)
@given(board_games(8))
def test_every_game_of_the_table_keeps_the_contract(game: BoardGame) -> None:
    check_game(game, games=5)


@pytest.mark.parametrize("setting", ["games", "most_plies"])
def test_a_check_of_nothing_is_refused(setting: str) -> None:
    with pytest.raises(
        ValueError, match=f"^{setting} must be a whole number of at least 1, not 0$"
    ):
        check_game(TicTacToe(), **{setting: 0})


@pytest.mark.parametrize(
    "game",
    [
        ConnectFour(),
        TicTacToe(),
        Nim(3, 4, 5),
        Nim(2, 2, misere=True),
        Race(4),
        parse_tree("[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"),
        ExplicitTree(MaxNode([ChanceNode([(0.5, 3), (0.5, 4)]), 2])),
    ],
    ids=lambda game: type(game).__name__,
)
def test_games_that_are_no_boards_keep_the_contract(game: Any) -> None:
    check_game(game)


class GivenNim(Nim):
    """Its actions are numbers of objects from the only heap, in another kind of container."""

    def __init__(self, container: Callable[[Sequence[int]], Any]) -> None:
        super().__init__(5)
        self.container = container

    def get_available_actions(self, state: NimState) -> Any:
        return self.container(range(1, min(3, state.heaps[0]) + 1))

    def get_next_state(self, state: NimState, action: Any) -> NimState:
        return Nim(5).get_next_state(state, Take(0, int(action)))


def test_actions_in_a_list_of_numpys_numbers_keep_the_contract() -> None:
    check_game(GivenNim(lambda actions: [*np.array(actions)]))


@pytest.mark.parametrize("container", [np.array, set, iter, lambda actions: dict.fromkeys(actions)])
def test_actions_that_are_no_sequence_are_told(container: Callable[[Any], Any]) -> None:
    complaint = r"get_available_actions\(.*: return a list or a tuple"
    with pytest.raises(AssertionError, match=complaint):
        check_game(GivenNim(container))
    rules: Any = type(
        "Given", (GivenNim,), {"__init__": lambda self: GivenNim.__init__(self, container)}
    )
    with pytest.raises(ValueError, match=complaint):
        register_game("given", rules)


def changed(game: Any, **methods: Callable[..., Any]) -> Any:
    """The game with some of its methods replaced."""
    other = copy(game)
    vars(other).update(methods)
    return other


NIM, BOARD = Nim(3, 4), TicTacToe()
TURNS = count()


def in_another_order(state: NimState) -> Sequence[Take]:
    return list(NIM.get_available_actions(state))[:: 1 if next(TURNS) % 2 else -1]


def whatever_is_asked(state: NimState, action: Take) -> NimState:
    left = [max(0, size - action.objects) for size in state.heaps]
    return NimState(tuple(left), 3 - state.player)


def taking_nothing(state: NimState, action: Take) -> NimState:
    return NimState(state.heaps, NIM.get_next_state(state, action).player)


def nobody_wins(state: BoardState, action: int) -> BoardState:
    return BOARD.get_next_state(state, action)._replace(won=False)


def beyond(number: int, answer: int | Exception) -> Any:
    """Tic-tac-toe with an answer to a number that is no action: a cell, or what happens then."""

    def get_next_state(state: BoardState, action: int) -> BoardState:
        if action == number and isinstance(answer, Exception):
            raise answer
        return BOARD.get_next_state(state, answer if action == number else action)  # type: ignore[arg-type]

    return changed(BOARD, get_next_state=get_next_state)


COMPLAINTS = {
    r"get_available_actions\(.*when called again": changed(
        NIM, get_available_actions=in_another_order
    ),
    r"reward\(.* is 0.5, but the game goes on": changed(NIM, reward=lambda *_: 0.5),
    r"\) accepts an illegal action": changed(NIM, get_next_state=whatever_is_asked),
    "return a finite number": changed(NIM, reward=lambda *move: NIM.reward(*move) != 0),
    r"initial_state\(\) is \[3, 4\], which cannot be hashed": changed(
        NIM, initial_state=lambda: [3, 4]
    ),
    "has not ended after 1000 plies": changed(NIM, get_next_state=taking_nothing),
    "is 3, not 1 or 2": changed(NIM, current_player=lambda state: state.player + 1),
    "there are no chance_probabilities: .* number the players 1 and 2": changed(
        NIM, current_player=lambda state: state.player - 1
    ),
    r"is -?1.0 and won is True with a line: in a BoardGame the first": changed(
        BOARD, reward=lambda *move: -BOARD.reward(*move)
    ),
    r"is 0.0 and won is False with a line: in a BoardGame the first": changed(
        BOARD, get_next_state=nobody_wins
    ),
    r"^TicTacToe is a class: give a game, as in TicTacToe\(\)$": TicTacToe,
    "a BoardGame begins with an empty board": changed(
        BOARD, initial_state=lambda: state_from_moves(BOARD, "5")
    ),
    r"get_next_state\(.*, -1\) accepts an illegal action": beyond(-1, 8),
    r"get_next_state\(.*, 9\) accepts an illegal action": beyond(9, 8),
    r"get_next_state\(.*, -1\) raises KeyError\(-1\) instead": beyond(-1, KeyError(-1)),
    r"get_next_state\(.*, 9\) raises IndexError\(\) instead": beyond(9, IndexError()),
}


@pytest.mark.parametrize(("complaint", "game"), COMPLAINTS.items())
def test_a_broken_game_is_told_what_is_wrong(complaint: str, game: Any) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_game(game)
