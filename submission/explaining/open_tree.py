"""A tree in which one leaf is unknown, written as `?`."""

import re
from dataclasses import dataclass
from functools import cached_property

from agents.tracing.trace import Path
from envs.explicit_tree import ExplicitTree
from submission.explaining.intervals import UNKNOWN
from submission.explaining.textbook import leaf_values, textbook_tree

QUOTED_OR_UNKNOWN = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\?)(\s*:)?""")
"""A text in quotes or an unknown, with the colon after it that makes it the name of an action."""


@dataclass(frozen=True)
class OpenTree:
    """The text of a tree before and after its one unknown leaf."""

    before: str
    after: str

    def with_leaf(self, value: float) -> ExplicitTree:
        """The tree in which the unknown leaf is this number."""
        return textbook_tree(f"{self.before}({value!r}){self.after}")

    @cached_property
    def unknown(self) -> Path:
        """Where the unknown leaf is.

        Raises:
            ValueError: what is unknown is no leaf, or the text is no tree.
        """
        zero, one = leaf_values(self.with_leaf(0.0)), leaf_values(self.with_leaf(1.0))
        differing = [path for path, value in zero.items() if one.get(path) != value]
        if len(differing) != 1:
            raise ValueError(f"the {UNKNOWN} is no leaf of the tree: write it in place of a number")
        return differing[0]

    @cached_property
    def known_leaves(self) -> dict[Path, float]:
        """All other leaves with their numbers."""
        leaves = leaf_values(self.with_leaf(0.0))
        del leaves[self.unknown]
        return leaves


def read_open_tree(text: str) -> OpenTree | None:
    """The tree of a text with an unknown leaf, `?` or `"?"`; None where all are known.

    Raises:
        ValueError: more than one leaf is unknown.
    """
    found = [
        match
        for match in QUOTED_OR_UNKNOWN.finditer(text)
        if match[1].strip("'\"") == UNKNOWN and match[2] is None
    ]
    if len(found) > 1:
        raise ValueError(
            f"{len(found)} leaves of the tree are {UNKNOWN}: give all but one of them a number"
        )
    return OpenTree(text[: found[0].start()], text[found[0].end() :]) if found else None
