"""DAgger: a network learns the results of those positions that its own searches ask it about.

Self-play and labelled games hold positions that occur in play. A search asks about others, too:
those after the mistakes that it must refute. So positions are drawn from the searches themselves,
and the solver tells how they end (S. Ross, G. Gordon and D. Bagnell, "A Reduction of Imitation
Learning and Structured Prediction to No-Regret Online Learning", 2011). Only the value is learnt
anew: the policy is to stay as it is, and so is the value of positions too early to be solved.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future
from random import Random

import numpy as np

from agents.compiled.pooled_tree import PooledNode
from agents.compiled.puct_tree import PuctTree
from agents.policy.learners.alphazero import LEAST_RATE, PLAY, SHARES, AlphaZeroLearner
from agents.policy.learners.targets import Targets, results_of
from agents.policy.network import PolicyNetwork
from agents.policy.training.learner import TrainingSettings
from agents.solver.solver_engine import is_solvable
from envs.bitboard import word_of_board
from envs.board import BoardGame, BoardState
from envs.compiled.jit import words_of
from envs.compiled.random_stream import STREAMS
from envs.connectx import ConnectX

SIMULATIONS = 600
OPENING_LEFT = 32  # free cells after the longest opening of random moves, on a large board
LEAVES = 64  # positions drawn from a search
SOLVED_LEFT = 29  # with at most so many free cells, a position is solved
LEARNING_RATE = 2e-3  # at the beginning; it falls in proportion to what is left of the budget
PASSES = 12.0  # how often a position is learnt from, on average


class DaggerLearner(AlphaZeroLearner):
    """Learns from the solver what its own searches ask.

    Args:
        game: ConnectX on a board that the solver takes.
        settings: as those of `AlphaZeroLearner`.
        executor: as `AlphaZeroLearner` takes it; its workers search and solve.

    Raises:
        ValueError: the solver does not take the game.
    """

    def __init__(
        self, game: BoardGame, settings: TrainingSettings, executor: Executor | None = None
    ) -> None:
        if not is_solvable(game):
            raise ValueError(
                f"the solver does not take {game!r}: choose ConnectX on a smaller board"
            )
        super().__init__(game, settings, executor)
        self._game = game
        self._simulations = settings.simulations or SIMULATIONS

    def advance(self, spent: float) -> Mapping[str, float]:
        """Search, solve and learn; raises as `AlphaZeroLearner.advance`."""
        rate = LEARNING_RATE * max(LEAST_RATE, 1 - spent)
        losses, positions = self._iterations(rate, PASSES)
        return {**losses, "positions": positions}

    def _begun(self, players: Executor) -> list[Future[Targets]]:
        streams = (1 + self.rng.integers(STREAMS, size=SHARES)).tolist()
        same = self._game, self.network.as_numpy(), self._simulations
        return [players.submit(asked_positions, *same, stream) for stream in streams]


def asked_positions(
    game: ConnectX, network: PolicyNetwork, simulations: int, stream: int
) -> Targets:
    """Positions about which a search from a random opening has asked the network."""
    rng = Random(stream)
    tree = PuctTree(game, random_opening(game, rng), network, PLAY.tree)
    tree.require_room(simulations)
    tree.grow(simulations)
    found = dict(drawn_leaves(game, tree, rng))
    states = sorted(found, key=lambda state: state.ply)
    early = [state for state in states if game.rows * game.columns - state.ply > SOLVED_LEFT]
    late = states[len(early) :]
    answers = [found[state].sign * found[state].evaluation for state in early]
    policies = np.zeros((len(states), game.action_count), np.float16)
    for policy, state in zip(policies, states, strict=True):
        for action, child in found[state].children.items():
            policy[action] = child.prior
    word = word_of_board(*game.size)
    return Targets(
        words_of([state.mover for state in states], word),
        words_of([state.mask for state in states], word),
        policies,
        np.array([*answers, *results_of(game, late)], np.float32),
    )


def random_opening(game: ConnectX, rng: Random) -> BoardState:
    """A position in which the game goes on; later ones are likelier, for there are more of them."""
    cells = game.rows * game.columns
    most = max(cells // 4, cells - OPENING_LEFT)
    while True:
        state = game.initial_state()
        for _ in range(max(rng.randint(0, most), rng.randint(0, most))):
            legal = game.get_available_actions(state)
            state = game.get_next_state(state, rng.choice(legal)) if legal else state
        if game.get_available_actions(state):
            return state


def drawn_leaves(
    game: ConnectX, tree: PuctTree, rng: Random
) -> Iterator[tuple[BoardState, PooledNode]]:
    """Draw simulations of a tree, and tell what each of them asked; all are equally likely."""
    root = tree.root
    for _ in range(LEAVES):
        state, node, below = tree.state, root, [*root.children.values()]
        # Of the visits of a node, one was its own.
        while below and rng.randrange(node.visits):
            node = rng.choices(below, [child.visits for child in below])[0]
            state = game.get_next_state(state, node.action)
            below = [*node.children.values()]
        if node.evaluation:  # 0.0 where the rules have told the value
            yield state, node
