"""Monte Carlo tree search that tells a recorder what each simulation does."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from agents.agent import Agent
from agents.guidance.rollouts import Rollout
from agents.mcts import Tree, uct
from agents.mcts_agent import MCTSAgent
from agents.options import agent_options
from agents.trace.recorder import OnVisit, Recorder
from agents.trace.trace import ChildStatistics, Path, SearchTrace, Selection, Simulation
from agents.tree import Node
from envs.protocol import Action, Env, State


class SimulationRecorder(Recorder):
    """Enters one simulation after the other in the trace, with the tree that grows by them.

    A search calls `plant`. In each simulation it calls `start_simulation`, then for each step down
    `select`, or `draw` where chance decides, then `expand` if it adds a node, `play_out` for each
    rollout, and `back_up`. After the last one it calls `end`. The trace holds whole simulations at
    any time.
    """

    def __init__(self, algorithm: str, trace: SearchTrace, limit: int, on_visit: OnVisit) -> None:
        super().__init__(algorithm, trace, limit, on_visit)
        self._nodes: list[Node[Any, Any]] = []
        """The root, and the nodes of the path that the simulation has taken so far."""
        self._simulation = _nothing_yet()

    def plant(self, root: Node[Any, Any]) -> None:
        """Record the root of the tree that is to grow."""
        self._nodes = [root]
        self._describe((), root)

    def start_simulation(self) -> None:
        """Begin a simulation at the root."""
        self._simulation = _nothing_yet()
        del self._nodes[1:]
        self.count_visit()

    def select(self, children: Mapping[Any, ChildStatistics], chosen: Hashable) -> None:
        """Record which child of the present node is selected, and by what statistics."""
        selection = Selection(self._simulation.path, children, chosen)
        self._simulation.selections.append(selection)
        self._descend(chosen)

    def draw(self, outcome: Hashable) -> None:
        """Record what chance has drawn at the present node."""
        self._descend(outcome)

    def expand(self, action: Hashable) -> None:
        """Record that the child behind `action` is added."""
        self._simulation.expanded = True
        self._descend(action)

    def play_out(self, result: float) -> None:
        """Record the result of a rollout from the last node."""
        self._simulation.rollouts.append(result)

    def back_up(self, rollouts_per_leaf: int) -> None:
        """Record that the result has been added to the nodes of the path."""
        simulation, last = self._simulation, self._nodes[-1]
        if last.proven is None:
            simulation.result = sum(simulation.rollouts)
        else:
            simulation.result = last.proven * rollouts_per_leaf
        simulation.backed_up = [
            (simulation.path[:depth], node.visits, node.total)
            for depth, node in enumerate(self._nodes)
        ][::-1]
        for depth, node in enumerate(self._nodes):
            if node.proven is not None:
                self.trace.proven[simulation.path[:depth]] = node.proven
        self.trace.simulations.append(simulation)

    def _descend(self, action: Hashable) -> None:
        self.count_visit()
        self._nodes.append(self._nodes[-1].children[action])
        path = self._simulation.path = (*self._simulation.path, action)
        if path not in self.trace.players:
            self._describe(path, self._nodes[-1])

    def _describe(self, path: Path, node: Node[Any, Any]) -> None:
        self.trace.players[path] = self.env.current_player(node.state)
        board = self.board(node.state)
        if board is not None:
            self.trace.boards[path] = board


def _nothing_yet() -> Simulation:
    return Simulation(selections=[], path=(), expanded=False, result=0.0, rollouts=[], backed_up=[])


def recording_mcts_agent(agent: Agent, recorder: SimulationRecorder) -> MCTSAgent:
    """An MCTS agent with the same options, but for its kept tree, that tells a recorder."""
    options = {info.name: getattr(agent, info.name) for info in agent_options(type(agent))}
    return RecordingMCTSAgent(**{**options, "keep_tree": False}, recorder=recorder)


@dataclass
class RecordingMCTSAgent(MCTSAgent):
    """An MCTS agent whose trees, of the reference, tell a recorder how they grow."""

    recorder: SimulationRecorder = field(kw_only=True)

    def _new_tree(self, env: Env[State, Action], state: State) -> Tree[State, Action]:
        return RecordedTree(self.recorder, super()._new_tree(env, state))


class RecordedTree(Tree[State, Action]):
    """A tree whose growth is recorded.

    Args:
        recorder: what to tell.
        tree: the tree that is to grow, a root alone.
    """

    def __init__(self, recorder: SimulationRecorder, tree: Tree[State, Action]) -> None:
        super().__init__(
            tree.env,
            tree.root.state,
            tree.exploration,
            recording_rollout(tree.rollout, recorder),
            tree.rollouts_per_leaf,
            tree.solver,
            tree.decisive_moves,
            tree.rng,
        )
        self.recorder = recorder
        recorder.plant(self.root)

    def simulate(self, through: Action | None = None) -> None:
        """As the search does, with the simulation recorded."""
        self.recorder.start_simulation()
        super().simulate(through)
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
        """The statistics of a child of `node` at this moment."""
        bound = uct(node.sign * child.total, child.visits, node.visits, self.exploration)
        return ChildStatistics(child.visits, child.total, bound, child.proven)

    def expand(self, path: list[Node[State, Action]]) -> None:
        """As the search does, with the new child recorded."""
        super().expand(path)
        self.recorder.expand(action_to(*path[-2:]))


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
