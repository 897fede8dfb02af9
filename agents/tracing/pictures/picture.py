"""What a picture of a trace shows, whether it is drawn or written."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from agents.tracing.trace import Path


class Shape(StrEnum):
    """What stands in a place of the tree."""

    MAX = "max"
    """Player 1 chooses."""
    MIN = "min"
    """Player 2 chooses."""
    CHANCE = "chance"
    """Chance decides, or a player of whom only the probabilities are known."""
    TERMINAL = "terminal"
    """The game is over."""
    DEPTH = "depth"
    """The search looked no deeper."""
    UNVISITED = "unvisited"
    """A branch that was pruned, or that never happens."""
    FOLDED = "folded"
    """Nodes that there was no room for."""


@dataclass(eq=False)
class PictureNode:
    """A place in the tree, with its texts in the numbers of the game; "" where there is none."""

    path: Path
    shape: Shape
    action: str = ""
    """The action that leads here."""
    probability: str = ""
    """How likely that action is."""
    value: str = ""
    visits: int | None = None
    """Simulations that went through it."""
    alpha: str = ""
    """On entry, and on return where it changed: `-14 → 3`."""
    beta: str = ""
    cutoff: str = ""
    """Why children of this node were not visited."""
    mark: str = ""
    """What else is to be said."""
    board: tuple[int, ...] | None = None
    principal: bool = False
    """Whether it lies on the principal variation."""
    share: float = 0.0
    """The part of its parent's simulations that went through it, in [0, 1]."""
    children: list["PictureNode"] = field(default_factory=list)

    def walk(self) -> Iterator["PictureNode"]:
        """This place and all below it, each before its children, from left to right."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


@dataclass(frozen=True)
class Picture:
    """A tree with what is said above it."""

    title: str
    notes: tuple[str, ...]
    root: PictureNode
