"""A trace as text: the tree with its values for a terminal."""

from collections.abc import Iterator

from agents.trace.pictures.picture import LIMIT, PictureNode, Shape, picture_of
from agents.trace.trace import SearchTrace

BRANCHES = {
    (False, False): "├─ ",
    (False, True): "└─ ",
    (True, False): "╞═ ",
    (True, True): "╘═ ",
}
"""By whether the node is on the principal variation, and whether it is its parent's last."""


def trace_text(trace: SearchTrace, limit: int = LIMIT) -> str:
    """The tree of a search as lines of text; what it shows is what `drawing.draw` shows.

    Args:
        trace: what `agents.trace.recording.recorded` has filled.
        limit: nodes to show; subtrees that have no room become one line `+ n nodes`.

    Raises:
        ValueError: the trace holds no search, or the limit is below 1.
    """
    picture = picture_of(trace, limit)
    heading = [picture.title, *picture.notes, "Double lines: the line that is expected.", ""]
    return "\n".join([*heading, *_lines(picture.root)])


def _lines(root: PictureNode) -> Iterator[str]:
    """A line for each place, each before those of its children."""
    yield _words(root)
    waiting = [("", root, child) for child in reversed(root.children)]
    while waiting:
        indent, parent, node = waiting.pop()
        is_last = node is parent.children[-1]
        yield indent + BRANCHES[node.principal, is_last] + _described(parent, node)
        below = indent + ("   " if is_last else "│  ")
        waiting += [(below, node, child) for child in reversed(node.children)]


def _described(parent: PictureNode, node: PictureNode) -> str:
    """What is said of a child of `parent`."""
    if node.shape is Shape.FOLDED:
        return f"{node.value} {node.mark}"
    label = f"{node.action} ({node.probability})" if node.probability else node.action
    if node.shape is Shape.UNVISITED:
        return f"{label} not visited: {parent.cutoff}"
    return f"{label}: {_words(node)}"


def _words(node: PictureNode) -> str:
    """What is said of a place that was visited."""
    kind = "" if node.shape in (Shape.TERMINAL, Shape.DEPTH) else node.shape
    mean = "" if node.visits is None else f"n {node.visits}, mean"
    window = f"  alpha {node.alpha}, beta {node.beta}" if node.alpha else ""
    return " ".join(filter(None, (kind, mean, node.value, window, node.mark)))
