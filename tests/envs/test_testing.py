"""The contract suite: it passes every game, and names what is wrong with a broken one."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
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


class ShuffledNim(Nim):
    """Its actions come in another order each time."""

    def get_available_actions(self, state: NimState) -> Sequence[Take]:
        self.turn = not getattr(self, "turn", False)
        return list(super().get_available_actions(state))[:: 1 if self.turn else -1]


class GenerousNim(Nim):
    """It pays for each move."""

    def reward(self, state: NimState, action: Take) -> float:
        return 0.5


class LaxNim(Nim):
    """It carries out whatever it is asked to."""

    def get_next_state(self, state: NimState, action: Take) -> NimState:
        left = [max(0, size - action.objects) for size in state.heaps]
        return NimState(tuple(left), 3 - state.player)


class BooleanNim(Nim):
    """It says whether somebody has won."""

    def reward(self, state: NimState, action: Take) -> float:
        return super().reward(state, action) != 0


class ListNim(Nim):
    """Its states are lists."""

    def initial_state(self) -> Any:
        return [3, 4]


class EndlessNim(Nim):
    """Nobody can take anything away."""

    def get_next_state(self, state: NimState, action: Take) -> NimState:
        super().get_next_state(state, action)
        return NimState(state.heaps, 3 - state.player)


class ThirdPlayersNim(Nim):
    """Counts its players from 0 to 2."""

    def current_player(self, state: NimState) -> int:
        return state.player + 1


class ZeroBasedNim(Nim):
    """Counts its players from 0, as OpenSpiel does."""

    def current_player(self, state: NimState) -> int:
        return state.player - 1


class MisereTicTacToe(TicTacToe):
    """Who has a line has lost."""

    def reward(self, state: BoardState, action: int) -> float:
        return -super().reward(state, action)


class PeacefulTicTacToe(TicTacToe):
    """Nobody wins."""

    def get_next_state(self, state: BoardState, action: int) -> BoardState:
        return super().get_next_state(state, action)._replace(won=False)


class BegunTicTacToe(TicTacToe):
    """The first stone lies in the middle: vector environments would begin without it."""

    def initial_state(self) -> BoardState:
        return TicTacToe().get_next_state(super().initial_state(), 4)


class Beyond(TicTacToe):
    """It has an answer to numbers that are no actions: cells, or what happens then."""

    def __init__(self, answers: Mapping[int, int | Exception] = MappingProxyType({-1: 8})) -> None:
        super().__init__()
        self.answers = answers

    def get_next_state(self, state: BoardState, action: int) -> BoardState:
        answer = self.answers.get(action, action)
        if isinstance(answer, Exception):
            raise answer
        return super().get_next_state(state, answer)


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


@pytest.mark.parametrize(
    ("game", "complaint"),
    [
        (ShuffledNim(3, 4), r"get_available_actions\(.*when called again"),
        (GenerousNim(3, 4), r"reward\(.* is 0.5, but the game goes on"),
        (LaxNim(3, 4), "accepts an illegal action"),
        (BooleanNim(3, 4), "return a finite number"),
        (ListNim(3, 4), r"initial_state\(\) is \[3, 4\], which cannot be hashed"),
        (EndlessNim(3, 4), "has not ended after 1000 plies"),
        (ThirdPlayersNim(3, 4), "is 3, not 1 or 2"),
        (ZeroBasedNim(3, 4), "there are no chance_probabilities: .* number the players 1 and 2"),
        (MisereTicTacToe(), r"is -?1.0 and won is True with a line: in a BoardGame the first"),
        (PeacefulTicTacToe(), r"is 0.0 and won is False with a line: in a BoardGame the first"),
        (TicTacToe, r"^TicTacToe is a class: give a game, as in TicTacToe\(\)$"),
        (BegunTicTacToe(), "a BoardGame begins with an empty board"),
        (Beyond({-1: 8}), r"get_next_state\(.*, -1\) accepts an illegal action"),
        (Beyond({9: 8}), r"get_next_state\(.*, 9\) accepts an illegal action"),
        (Beyond({-1: KeyError(-1)}), r"get_next_state\(.*, -1\) raises KeyError\(-1\) instead"),
        (Beyond({9: IndexError()}), r"get_next_state\(.*, 9\) raises IndexError\(\) instead"),
    ],
)
def test_a_broken_game_is_told_what_is_wrong(game: Any, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_game(game)
