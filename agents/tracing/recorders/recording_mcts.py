"""Monte Carlo tree search that tells a recorder what each simulation does."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from agents.mcts import Node, Tree, uct
from agents.mcts_agent import MCTSAgent
from agents.policies import Rollout
from agents.tracing.recorders.simulation_recorder import SimulationRecorder
from agents.tracing.trace import ChildStatistics
from envs.protocol import Action, Env, State


@dataclass
class RecordingMCTSAgent(MCTSAgent):
    """An MCTS agent whose new trees, of the reference, tell a recorder how they grow."""

    recorder: SimulationRecorder = field(kw_only=True)

    def _new_tree(self, env: Env[State, Action], state: State) -> Tree[State, Action]:
        tree = super()._new_tree(env, state)
        return RecordingTree(
            self.recorder,
            tree.env,
            tree.root.state,
            tree.exploration,
            recording_rollout(tree.rollout, self.recorder),
            tree.rollouts_per_leaf,
            tree.solver,
            tree.decisive_moves,
            tree.rng,
        )


class RecordingTree(Tree[State, Action]):
    """A tree whose growth is recorded.

    Args:
        recorder: what to tell.
        *rules: what the search itself is made of.
    """

    def __init__(self, recorder: SimulationRecorder, *rules: Any) -> None:
        super().__init__(*rules)
        self.recorder = recorder
        recorder.plant(self.root)

    def simulate(self) -> None:
        """As the search does, with the simulation recorded."""
        self.recorder.start_simulation()
        super().simulate()
        self.recorder.back_up(self.rollouts_per_leaf)

    def best_child(self, node: Node[State, Action]) -> Node[State, Action]:
        """As the search does, with the statistics of all children recorded."""
        best = super().best_child(node)
        children = {action: self.statistics(node, child) for action, child in node.children.items()}
        self.recorder.select(children, action_to(node, best))
        return best

    def random_child(self, node: Node[State, Action]) -> Node[State, Action]:
        """As the search does, with the outcome recorded."""
        child = super().random_child(node)
        self.recorder.draw(action_to(node, child))
        return child

    def statistics(self, node: Node[State, Action], child: Node[State, Action]) -> ChildStatistics:
        """What a child of `node` looks like at this moment."""
        bound = uct(node.sign * child.total, child.visits, node.visits, self.exploration)
        return ChildStatistics(child.visits, child.total, bound, child.proven)

    def expand(self, node: Node[State, Action]) -> Node[State, Action]:
        """As the search does, with the new child recorded."""
        child = super().expand(node)
        self.recorder.expand(action_to(node, child))
        return child


def recording_rollout(rollout: Rollout, recorder: SimulationRecorder) -> Rollout:
    """The same policy, with each result recorded."""

    def recorded_rollout(env: Any, state: Any, rng: Random) -> float:
        result = rollout(env, state, rng)
        recorder.play_out(result)
        return result

    return recorded_rollout


def action_to(node: Node[State, Action], child: Node[State, Action]) -> Hashable:
    """The action of `node` that leads to this child."""
    return next(action for action, other in node.children.items() if other is child)
