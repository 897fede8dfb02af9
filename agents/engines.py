"""Agents with two engines: a compiled search where there is one, otherwise the reference."""

from abc import abstractmethod
from typing import Any, ClassVar

from agents.agent import Agent
from agents.compiled.compilation import WIDE_BOARDS, Compilation
from agents.compiled.pooled_trees import Forest
from agents.tree import MonteCarloTree
from envs.compiled.jit import WORDS
from envs.protocol import Env


class TwoEngines(Agent):
    """An agent with the option `engine`, one of `agents.options.ENGINES`."""

    engine: str
    requirement: ClassVar[str]  # the options that the compiled search needs, for a message

    @abstractmethod
    def compilation(self, env: Any) -> Compilation | None:
        """The compiled search of a game; None if there is none for the game or these options."""

    def compile(self, env: Env[Any, Any]) -> None:
        """Compile the search, if it is to be compiled for this game."""
        compilation = None if self.engine == "reference" else self.compilation(env)
        if compilation is not None:
            compilation.begin()

    def is_compiled(self, env: Any) -> bool:
        """Whether the compiled engine searches this game; it is compiled first if necessary.

        Raises ValueError if that engine is required and cannot search the game.
        """
        if self.engine == "reference":
            return False
        compilation = self.compilation(env)
        if compilation is not None and compilation.is_ready():
            return True
        if self.engine == "compiled" and (compilation is None or compilation.has_failed()):
            few = "" if WIDE_BOARDS.most is None else f" (here {WIDE_BOARDS.most} of more than 64)"
            raise ValueError(
                "the compiled engine needs Numba, ConnectX on a board of at most "
                f"{max(WORDS)} bits{few}, and {self.requirement}: choose engine auto or reference"
            )
        return False


class TreeAgent(TwoEngines):
    """An agent that grows a tree, and may keep it for the next move of the same game."""

    tree: MonteCarloTree[Any, Any] | Forest | None = None
    """The tree of the latest search, None before the first."""

    @abstractmethod
    def new_tree(self, env: Any, state: Any, compiled: bool) -> MonteCarloTree[Any, Any] | Forest:
        """A tree for a search of `state`."""

    def tree_at(
        self, env: Any, state: Any, compiled: bool, keeps: bool
    ) -> MonteCarloTree[Any, Any] | Forest:
        """The kept tree, if it belongs to this engine and contains `state`, or a new one."""
        tree = self.tree
        known = tree is not None and isinstance(tree, Forest) == compiled and tree.env == env
        if tree is None or not (keeps and known and tree.descend(state)):
            tree = self.new_tree(env, state, compiled)
        self.tree = tree
        return tree
