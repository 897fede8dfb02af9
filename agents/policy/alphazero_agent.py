"""The agent that searches with a trained network as its guide."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from math import log
from random import Random
from typing import Any, TypeGuard

from agents.agent import Clock, SearchResult, legal_actions, make_rng
from agents.compiled.compilation import Compilation, is_compiled_game
from agents.compiled.compiled_puct import PuctSettings, PuctTree, puct_on
from agents.compiled.pooled_trees import Forest
from agents.engines import TreeAgent
from agents.guidance.final_move import principal_variation, safest_action
from agents.guidance.ordering import sensible_actions
from agents.networks.network import PolicyNetwork, TrainedPolicy, evaluate_network
from agents.networks.shipped import known_policy, require_known_game, weights_option
from agents.options import (
    ENGINES,
    option,
    require_at_least,
    require_one_of,
    require_whole,
    require_within,
)
from agents.policy.policy_agent import action_chances, legal_logits
from agents.policy.puct import (
    Evaluation,
    GuidedTree,
    gumbel_merits,
    halve_sequentially,
    noisy_priors,
)
from agents.tree import SearchedNode
from envs.bitboard import fits_in_wide_word
from envs.board import BoardGame, BoardState
from envs.connectx import ConnectX
from envs.protocol import Action, Env, State

ROOTS = ("puct", "gumbel")  # how simulations are shared among the actions of the root

SMALLEST_ALPHA, LARGEST_ALPHA = 0.01, 1_000_000
"""The limits of Dirichlet's alpha. Below them all drawn numbers could round to 0; far above them,
Python's `gammavariate` does not end."""

AnyTree = GuidedTree[BoardState, int] | Forest


@dataclass
class AlphaZeroAgent(TreeAgent):
    """Searches with a trained network as its guide (PUCT), on the board that it was trained for.

    A proven win is always played and a proven loss avoided; else the action with the most visits,
    or, with a Gumbel root, the last one that sequential halving leaves.

    On boards of up to 256 bits (with a guard bit for each column) the search is compiled, with the
    network, and does the same as the reference. The first search of a process on boards of up to
    64, 128 or 256 bits compiles it, which takes seconds that its clock does not count.
    """

    unlimited = {"simulations": None, "time_limit": None}  # noqa: RUF012
    quick = {"simulations": 20}  # noqa: RUF012
    requirement = "weights that were trained for it"

    weights: str | bytes = weights_option()
    simulations: int | None = option(600, "simulations for each move; none: until the time is up")
    time_limit: float | None = option(None, "seconds for each move; none: no limit")
    exploration: float = option(1.5, "exploration constant C of PUCT, for values in [-1, 1]")
    fpu: float = option(0.2, "how much lower than its parent an unvisited move is valued")
    root: str = option("puct", "search at the root: puct, or gumbel with sequential halving")
    considered: int = option(16, "number of moves with which a gumbel root begins")
    noise: float = option(0.0, "root noise, 0 to 1: share of Dirichlet, or factor of Gumbel noise")
    noise_alpha: float = option(1.0, "alpha of Dirichlet noise: the smaller, the more uneven")
    temperature: float = option(
        0.0, "0: the best move; above 0: drawn in proportion to visits ^ (1 / temperature)"
    )
    keep_tree: bool = option(True, "keep the tree for the next move, if root=puct and noise=0")
    seed: int | None = option(None, "seed of the random numbers; none: different in every run")
    engine: str = option("auto", "auto (the faster), compiled (up to 256 bits), reference (Python)")
    _policy: TrainedPolicy = field(init=False, repr=False, compare=False)
    _rng: Random = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("simulations", "considered"):
            require_whole(name, getattr(self, name), 1)
        for name in ("time_limit", "exploration", "fpu", "noise", "temperature"):
            require_at_least(name, getattr(self, name), 0)
        require_within("noise", self.noise, 0, 1)
        require_within("noise_alpha", self.noise_alpha, SMALLEST_ALPHA, LARGEST_ALPHA)
        require_one_of("root", self.root, ROOTS)
        require_one_of("engine", self.engine, ENGINES)
        if self.root == "gumbel" and self.simulations is None:
            raise ValueError("a gumbel root needs a number of simulations: set simulations")
        self._policy = known_policy(self.weights)
        self._rng = make_rng(self.seed)

    def require_playable(self, env: Env[Any, Any]) -> None:
        """Raise ValueError unless the weights were trained for a game."""
        require_known_game(self._policy, env)

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Simulate until a budget is used up or the value is proven.

        The `action_values` are proven values or else mean results, for the moves that have one.

        Raises:
            ValueError: the game is over, or not the one that the weights were trained for; or the
                compiled engine is required and cannot search it.
        """
        legal_actions(env, state)
        # In the games that a policy plays, actions are numbers and states are boards.
        game, position = require_known_game(self._policy, env), state
        compiled = self.is_compiled(game)  # before the clock starts: compiling may take seconds
        clock = Clock(self.time_limit, time_limit)
        keeps = self.keep_tree and self.noise == 0 and self.root == "puct"
        tree: Any = self.tree_at(game, position, compiled, keeps)
        nodes = tree.nodes
        simulations = tree.grow(1, clock)
        root: SearchedNode[Any] = tree.root
        if not root.children:  # two plies of look-ahead decide
            return self._decided(game, position, root.value)
        noise = self._noise(root)
        simulations += self._grow(tree, noise, simulations, clock)
        root = tree.root
        action: Any = self._choose(root, noise)
        known = {
            action: child.value
            for action, child in root.children.items()
            if child.visits or child.proven is not None
        }
        return SearchResult(
            action,
            known.get(action, root.value),
            proven=root.proven is not None,
            principal_variation=(action, *principal_variation(root.children[action], most_visited)),
            action_values=known,
            nodes=tree.nodes - nodes,
            simulations=simulations,
            elapsed=clock.elapsed,
            engine="compiled" if compiled else "reference",
        )

    def compilation(self, env: Any) -> Compilation | None:
        """The compiled search of a game; None if it does not support the game."""
        return puct_on(env, self._policy.network) if can_compile(env) else None

    def new_tree(self, env: Any, state: Any, compiled: bool) -> AnyTree:
        """A tree for a search of `state`."""
        network = self._policy.network
        if compiled:
            settings = PuctSettings(float(self.exploration), float(self.fpu))
            return Forest([PuctTree(env, state, network, settings)])
        evaluator = partial(network_evaluation, network)
        return GuidedTree(env, state, evaluator, self.exploration, self.fpu)

    def _grow(self, tree: AnyTree, noise: Mapping[int, float], done: int, clock: Clock) -> int:
        """Run more simulations until a budget is used up; return how many were run."""
        left = None if self.simulations is None else self.simulations - done
        if clock.expired():
            return 0
        if self.root == "gumbel" and left is not None:
            return halve_sequentially(tree, noise, self.considered, left, clock)
        if self.noise > 0:
            tree.set_priors(noisy_priors(tree.root, noise, self.noise))
        return tree.grow(left, clock)

    def _noise(self, root: SearchedNode[int]) -> dict[int, float]:
        """A random number for each action of the root, of a Gumbel or a gamma distribution."""
        if self.root == "puct":
            return {a: self._rng.gammavariate(self.noise_alpha, 1.0) for a in root.children}
        return {a: -self.noise * log(self._rng.expovariate(1.0)) for a in root.children}

    def _choose(self, root: SearchedNode[int], gumbel: Mapping[int, float]) -> int:
        """The action to play at a root that has children."""
        most = max(child.visits for child in root.children.values())
        if self.temperature > 0 and most and root.proven is None:
            weights = [
                0.0
                if child.proven == -root.sign
                else (child.visits / most) ** (1 / self.temperature)
                for child in root.children.values()
            ]
            if any(weights):
                return self._rng.choices(list(root.children), weights)[0]
        if self.root == "puct":
            return most_visited(root)
        merits = gumbel_merits(root, gumbel)
        return safest_action(root, lambda action: (root.children[action].visits, merits[action]))

    def _decided(self, game: BoardGame, state: Any, value: float) -> SearchResult[Any]:
        """The sensible action that the network prefers, if these lead to a known result."""
        actions = sensible_actions(game, state, game.get_available_actions(state))
        chances, _ = network_evaluation(self._policy.network, game, state)
        action = max(actions, key=chances.__getitem__)
        return SearchResult(action, value, (action,), {action: value}, nodes=1, proven=True)


def can_compile(env: object) -> TypeGuard[BoardGame]:
    """Whether the compiled search supports a game: a class with the rules of `BoardGame`.

    A class that inherits ConnectX and changes its rules is searched by the reference.
    """
    if isinstance(env, ConnectX):
        return is_compiled_game(env)
    return isinstance(env, BoardGame) and fits_in_wide_word(*env.size)


def most_visited(node: SearchedNode[int]) -> int:
    """The most visited action, on ties that with the highest prior; see also `safest_action`."""
    children = node.children
    return safest_action(node, lambda action: (children[action].visits, children[action].prior))


def network_evaluation(network: PolicyNetwork, env: BoardGame, state: BoardState) -> Evaluation:
    """An `Evaluator`: the means of a network's outputs for a state and for its mirror image."""
    logits, values = legal_logits(evaluate_network, network, env, [state])
    chances = action_chances(logits[0], temperature=1.0)
    value = float(values[0])
    probabilities = {a: float(chances[a]) for a in env.get_available_actions(state)}
    return probabilities, value if state.player == 1 else -value
