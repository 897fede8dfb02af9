"""The numbers that tutorials and papers print, each with its source."""

from collections.abc import Mapping
from math import ceil, floor, inf
from typing import Any

import pytest

from agents import AlphaBetaAgent, ExpectimaxAgent, MinimaxAgent
from agents.agent import Clock, Found
from agents.alpha_beta import AlphaBeta, TranspositionTable
from agents.guidance.heuristics import zero
from agents.guidance.ordering import natural
from envs import Env, ExplicitTree, TicTacToe, state_from_moves
from tests.helpers import textbook

PLAIN = AlphaBetaAgent(**textbook.PLAIN)
"""Alpha-beta as textbooks have it."""


def plain_alpha_beta(env: Env[Any, Any]) -> AlphaBeta[Any, Any]:
    """One search of it."""
    return AlphaBeta(env, zero, natural, Clock(), TranspositionTable(0), killer_moves=False)


class ObservedTree(ExplicitTree):
    """Writes down the leaves that a search visits, in the tree's own numbers."""

    def __init__(self, tree: Any) -> None:
        super().__init__(tree)
        self.visited: list[float] = []

    def reward(self, state: Any, action: Any) -> float:
        reward = super().reward(state, action)
        self.visited.append(reward * self.scale)
        return reward


def test_o_in_the_corner_with_x_beside_it_is_a_win_for_o() -> None:
    """G. Crassous, "Tree Search algorithms for solving games"; O has begun and is to move.

    O . .      O X .
    X . .  or  . . .      In every other reading (X has begun; X is to move) the game is drawn.
    . . .      . . .
    """
    env = TicTacToe()
    for moves in ("14", "12"):
        o_to_move = state_from_moves(env, moves)
        assert o_to_move.player == 1
        assert MinimaxAgent(depth=None).search(env, o_to_move).value == 1.0
        assert PLAIN.search(env, o_to_move).value == 1.0
    x_has_begun = state_from_moves(env, "21")
    assert MinimaxAgent(depth=None).search(env, x_has_begun).value == 0.0


def test_plain_alpha_beta_visits_18_297_nodes_of_tic_tac_toe() -> None:
    """OpenSpiel's `alpha_beta_search` visits as many, cells in natural order, each node counted.

    Its window is open: it does not know that 1 is the most there is. With the window of the known
    bounds, with which the agent begins, a win ends a node at once.
    """
    env = TicTacToe()
    state = env.initial_state()
    search = plain_alpha_beta(env)
    value, *_ = search.state_value(state, env.get_available_actions(state), inf, 0, -inf, inf)
    assert value == 0.0
    assert search.nodes == 18_297
    assert PLAIN.search(env, state).nodes == 16_811


HERO_AND_VILLAIN = {"Left": {"a": 20, "b": -5}, "Right": {"a": 1, "b": 4}}
VILLAIN: Mapping[tuple[Any, ...], Mapping[str, float]] = {
    ("Left",): {"a": 0.5, "b": 0.5},
    ("Right",): {"a": 0.4, "b": 0.6},
}


def test_minimax_picks_right_and_expectimax_left() -> None:
    """The Hero moves first, the Villain answers (Crassous, as above)."""
    env = ExplicitTree(HERO_AND_VILLAIN)
    for careful in (MinimaxAgent(), PLAIN):
        result = careful.search(env, ())
        assert result.action == "Right"
        assert result.value * env.scale == 1

    hopeful = ExpectimaxAgent(opponent=lambda env, state: VILLAIN[state]).search(env, ())
    assert (hopeful.action, hopeful.principal_variation) == ("Left", ("Left",))
    assert hopeful.action_values["Left"] * env.scale == pytest.approx(7.5, abs=1e-12)
    assert hopeful.action_values["Right"] * env.scale == pytest.approx(2.8, abs=1e-12)


def test_alpha_beta_in_natural_order_never_visits_4_and_6() -> None:
    """S. Russell and P. Norvig, "Artificial Intelligence: A Modern Approach", figure 5.5."""
    env = ObservedTree(textbook.TEXTBOOK)
    plain_alpha_beta(env).search_root((), (0, 1, 2), inf, Found[int]())
    assert env.visited == [3, 12, 8, 2, 14, 5, 2]

    result = PLAIN.search(env, ())
    assert (result.action, result.value * env.scale) == (0, 3)
    assert result.principal_variation == (0, 0)
    assert result.nodes == 1 + 3 + 7


def ordered_tree(width: int, depth: int, value: int = 0, player: int = 1) -> Any:
    """A uniform tree worth `value` in which each first branch is its player's best."""
    if depth == 0:
        return value
    worse = -1 if player == 1 else 1
    return [
        ordered_tree(width, depth - 1, value + worse * branch, 3 - player)
        for branch in range(width)
    ]


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 6])
def test_perfectly_ordered_trees_take_as_few_leaves_as_knuth_and_moore_prove(
    width: int, depth: int
) -> None:
    """D. E. Knuth and R. W. Moore, "An Analysis of Alpha-Beta Pruning" (1975), section 5."""
    env = ObservedTree(ordered_tree(width, depth))
    plain_alpha_beta(env).search_root((), range(width), inf, Found[int]())
    least = width ** ceil(depth / 2) + width ** floor(depth / 2) - 1
    assert len(env.visited) == least
