"""The Monte Carlo tree search agent: engines, budgets, its kept tree, the final move."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from agents.agent import Clock, SearchResult, legal_actions, make_rng
from agents.compiled.compilation import Compilation, is_compiled_game
from agents.compiled.compiled_mcts import UctTree, mcts_on
from agents.compiled.learned_value import (
    LearnedValue,
    learned_values,
    learned_weights_option,
    rounding_of,
)
from agents.compiled.pooled_trees import Forest
from agents.engines import TreeAgent
from agents.guidance.final_move import FINAL_MOVES, final_action, principal_variation, root_value
from agents.guidance.ordering import sensible_actions
from agents.guidance.rollouts import ROLLOUTS, Rollout, decisive, uniform
from agents.mcts import Tree, TreeSettings
from agents.options import ENGINES, choose, option, require_at_least, require_one_of, require_whole
from agents.tree import MonteCarloTree, SearchedNode
from envs.compiled.random_stream import STREAMS
from envs.protocol import Action, Env, State

PLAYOUTS = (uniform, decisive)  # the rollouts that are compiled


@dataclass
class MCTSAgent(TreeAgent):
    """Grows a tree where simulated games go well (UCT); needs no heuristic.

    A proven win is always played and a proven loss avoided; among the rest `final_move` decides.

    On ConnectX boards of up to 256 bits (with a guard bit for each column), with uniform, decisive
    or learned rollouts, the search is compiled. It does the same as the reference, some fifty times
    as fast, except that with `decisive_moves` it leaves out moves that lose at once at every node,
    not only at the root; the reference searches the states that this decides. The first search of a
    process compiles it, which takes seconds that its clock does not count. In a compiled search of
    Connect Four, the game of the weights, the rollout `auto` is the learned value.
    """

    unlimited = {"simulations": None, "time_limit": None}  # noqa: RUF012
    quick = {"simulations": 30}  # noqa: RUF012
    requirement = "the rollout uniform, decisive or learned"

    simulations: int | None = option(1000, "simulations for each move; none: until the time is up")
    time_limit: float | None = option(None, "seconds for each move; none: no limit")
    exploration: float = option(1.0, "exploration constant C of UCT, for results in [-1, 1]")
    rollout: str | Rollout = option(
        "auto",
        "rollout policy: uniform, decisive, heuristic or learned (nothing is played, the new leaf "
        "is valued), auto (if compiled, learned, or decisive in games that the weights do not "
        "know; else uniform)",
    )
    rollouts_per_leaf: int = option(1, "games played out from each new leaf")
    solver: bool = option(True, "carry proven wins, draws and losses up the tree")
    decisive_moves: bool = option(True, "if a move wins at once, consider no other")
    final_move: str = option("visits", "which move to play: most visits, or highest value or total")
    keep_tree: bool = option(True, "keep the tree for the next move of the same game")
    seed: int | None = option(None, "seed of the random numbers; none: different in every run")
    engine: str = option("auto", "auto (the faster), compiled (ConnectX only), reference (Python)")
    threads: int = option(1, "trees that the compiled engine grows at the same time")
    weights: str | bytes | None = learned_weights_option("rollout")
    _learned: Mapping[str, LearnedValue] = field(init=False, repr=False, compare=False)
    _rng: Random = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_whole("simulations", self.simulations, 1)
        require_at_least("time_limit", self.time_limit, 0)
        require_at_least("exploration", self.exploration, 0)
        require_whole("rollouts_per_leaf", self.rollouts_per_leaf, 1)
        require_whole("threads", self.threads, 1)
        self._learned = learned_values("rollout", self.rollout, self.weights)
        self._rollout(None, compiled=False)
        choose("final_move", self.final_move, FINAL_MOVES)
        require_one_of("engine", self.engine, ENGINES)
        self._rng = make_rng(self.seed)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Simulate until a budget is used up or the value is proven.

        The `action_values` are proven values or else mean results, which include one extra draw.

        Raises:
            ValueError: the game is over; there is no budget, and no solver to end the search; or
                the compiled engine is required and cannot search the game.
        """
        if self.simulations is self.time_limit is time_limit is None and not self.solver:
            raise ValueError("without a solver the search needs simulations or a time_limit")
        legal_actions(env, state)
        compiled = self.is_compiled(env)  # before the clock starts: compiling may take seconds
        clock = Clock(self.time_limit, time_limit)
        tree = self._tree_at(env, state, compiled)
        nodes = tree.nodes
        simulations = tree.grow(self.simulations, clock)
        root: SearchedNode[Any] = tree.root
        action = final_action(root, self.final_move)
        return SearchResult(
            action,
            root_value(root, action),
            proven=root.proven is not None,
            principal_variation=principal_variation(
                root, lambda node: final_action(node, self.final_move)
            ),
            action_values={action: child.value for action, child in root.children.items()},
            nodes=tree.nodes - nodes,
            simulations=simulations,
            elapsed=clock.elapsed,
            engine="compiled" if isinstance(tree, Forest) else "reference",
        )

    def require_playable(self, env: Any) -> None:
        """Raise ValueError if the rollout is a network that does not fit this game."""
        rollout = self._rollout(env, compiled=True)
        if isinstance(rollout, LearnedValue):
            rollout.arrays(env)

    def compilation(self, env: Any) -> Compilation | None:
        """The compiled search of a game; None if it does not support the game or the rollout."""
        rollout = self._rollout(env, compiled=True)
        if not is_compiled_game(env):
            return None
        if isinstance(rollout, LearnedValue):
            serves = rollout.serves_compiled(env)
        else:
            serves = rollout in PLAYOUTS
        return mcts_on(env, rounding_of(rollout)) if serves else None

    def _rollout(self, env: Any, compiled: bool) -> Rollout:
        """The function that the option names; `auto` is `learned` if compiled and fit for `env`."""
        learned = (value for value in self._learned.values() if value.knows(env))
        automatic: Rollout = next(learned, decisive) if compiled else uniform
        known: Mapping[str, Rollout] = {**ROLLOUTS, **self._learned, "auto": automatic}
        return choose("rollout", self.rollout, known)

    def new_tree(self, env: Any, state: Any, compiled: bool) -> Tree[Any, Any] | Forest:
        """A tree for a search of `state`."""
        if not compiled:
            return self.reference_tree(env, state)
        rollout = self._rollout(env, compiled=True)
        settings = self._settings(rollout)
        streams = [1 + self._rng.randrange(STREAMS) for _ in range(self.threads)]
        learned = rollout if isinstance(rollout, LearnedValue) else None
        return Forest(
            [UctTree(env, state, settings, stream, learned=learned) for stream in streams]
        )

    def _tree_at(self, env: Any, state: Any, compiled: bool) -> MonteCarloTree[Any, Any] | Forest:
        """The kept tree or a new one, prepared for a search."""
        tree = self.tree_at(env, state, compiled, self.keep_tree)
        if isinstance(tree, Forest) and tree.root.proven is not None and not tree.root.children:
            tree = self.tree = self.reference_tree(env, state)  # two plies of look-ahead decide
        if isinstance(tree, Tree) and self.decisive_moves:
            tree.restrict_root(sensible_actions(env, state, env.get_available_actions(state)))
        return tree

    def reference_tree(self, env: Env[State, Action], state: State) -> Tree[State, Action]:
        """A tree of the reference for a search of `state`."""
        rollout = self._rollout(env, compiled=False)
        return Tree(env, state, self._settings(rollout), rollout, self._rng)

    def _settings(self, rollout: Rollout) -> TreeSettings:
        return TreeSettings(
            float(self.exploration),  # an int would have the kernel compiled again
            self.rollouts_per_leaf,
            self.solver,
            self.decisive_moves,
            rollout is decisive,
        )
