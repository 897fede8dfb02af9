"""The Monte Carlo tree search agent: budgets, the final move, the tree kept between moves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from agents.clock import Clock
from agents.mcts import Node, Tree
from agents.options import choose, option, require_at_least
from agents.policies import ROLLOUTS, Rollout
from agents.protocol import Agent, SearchResult, legal_actions
from agents.seeds import make_rng
from agents.tactics import sensible_actions
from envs.protocol import Action, Env, State

FINAL_MOVES: Mapping[str, Callable[[Node[Any, Any], int], float]] = {
    "visits": lambda child, sign: child.visits,
    "value": lambda child, sign: sign * child.value,
    "total": lambda child, sign: sign * child.total,
}
"""What the final move maximises, for the player with this sign."""


@dataclass
class MCTSAgent(Agent):
    """Grows a tree where simulated games go well (UCT); needs no heuristic.

    A proven win is always played and a proven loss avoided; among the rest `final_move` decides.
    """

    unlimited = {"simulations": None, "time_limit": None}  # noqa: RUF012

    simulations: int | None = option(1000, "simulations for each move; none: until the time is up")
    time_limit: float | None = option(None, "seconds for each move; none: no limit")
    exploration: float = option(1.0, "exploration constant C of UCT, for results in [-1, 1]")
    rollout: str | Rollout = option("uniform", "rollout policy: uniform, decisive")
    rollouts_per_leaf: int = option(1, "games played out from each new leaf")
    solver: bool = option(True, "carry proven wins, draws and losses up the tree")
    decisive_moves: bool = option(True, "where a win is at hand, consider nothing else")
    final_move: str = option("visits", "play the child with the highest visits, value or total")
    keep_tree: bool = option(True, "keep the tree for the next move of the same game")
    seed: int | None = option(None, "seed of the random numbers; none: different in every run")
    _rng: Random = field(init=False, repr=False, compare=False)
    _tree: Tree[Any, Any] | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        require_at_least("simulations", self.simulations, 1)
        require_at_least("time_limit", self.time_limit, 0)
        require_at_least("exploration", self.exploration, 0)
        require_at_least("rollouts_per_leaf", self.rollouts_per_leaf, 1)
        choose("rollout", self.rollout, ROLLOUTS)
        choose("final_move", self.final_move, FINAL_MOVES)
        self._rng = make_rng(self.seed)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Simulate until a budget is used up or the value is proven; at least one simulation.

        The `action_values` are proven values or else mean results.

        Raises:
            ValueError: the game is over; or there is no budget, and no solver to end the search.
        """
        if self.simulations is self.time_limit is time_limit is None and not self.solver:
            raise ValueError("without a solver the search needs simulations or a time_limit")
        clock = Clock(self.time_limit, time_limit)
        actions = legal_actions(env, state)
        tree = self._tree_at(env, state)
        if self.decisive_moves:
            tree.restrict_root(sensible_actions(env, state, actions))
        nodes = tree.nodes
        simulations = 0
        while True:
            tree.simulate()
            simulations += 1
            if tree.root.proven is not None or simulations == self.simulations or clock.expired():
                break

        root = tree.root
        action = self._final_action(root)
        return SearchResult(
            action,
            root.children[action].value,
            principal_variation=self._principal_variation(root),
            action_values={action: child.value for action, child in root.children.items()},
            nodes=tree.nodes - nodes,
            simulations=simulations,
            elapsed=clock.elapsed,
        )

    def _tree_at(self, env: Env[State, Action], state: State) -> Tree[State, Action]:
        """The kept tree, if `state` is in it, or a new one."""
        tree = self._tree
        if not (self.keep_tree and tree is not None and tree.env == env and tree.descend(state)):
            tree = Tree(
                env,
                state,
                self.exploration,
                choose("rollout", self.rollout, ROLLOUTS),
                self.rollouts_per_leaf,
                self.solver,
                self.decisive_moves,
                self._rng,
            )
        self._tree = tree
        return tree

    def _final_action(self, node: Node[State, Action]) -> Action:
        """The best child's action: a proven win, or else by `final_move`, losses last.

        A proven draw, which the simulations have left alone, is taken where the rest looks worse.
        """
        criterion = FINAL_MOVES[self.final_move]

        def merit(action: Action) -> tuple[bool, bool, float]:
            child = node.children[action]
            won, lost = child.proven == node.sign, child.proven == -node.sign
            return won, not lost, criterion(child, node.sign)

        best = max(node.children, key=merit)
        if node.drawn_at_least and node.sign * node.children[best].value < 0:
            return next(action for action, child in node.children.items() if child.proven == 0.0)
        return best

    def _principal_variation(self, node: Node[State, Action]) -> tuple[Action, ...]:
        line = []
        while node.children:
            line.append(self._final_action(node))
            node = node.children[line[-1]]
        return tuple(line)
