"""The tree of the search for traps: what is known of each position, whoever the opponent is.

A line of play tells who the opponent may be, a position does not, for several lines lead to it. So
a node has a value against each model of the opponent, its move is the best one against the
opponents of all lines that have come to it, and a model is asked for its replies as soon as a line
comes along that it may have played.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add, and_, mul
from typing import NamedTuple, TypeAlias

from envs.board import BoardState

LEAST_BELIEF = 0.02
"""Models less likely than this, as a share of the likeliest, are not asked; most soon are."""


class Turn(NamedTuple):
    """A position in which the player who sets traps is to move."""

    score: int  # exact where it is not won, for the player to move; 1 stands for every win
    moves: tuple[int, ...]
    """Columns that keep the result, one at least; none where the position is won or over."""


class Reply(NamedTuple):
    """A reply that the opponent may choose, and the position after it."""

    column: int
    chances: Mapping[int, float]
    """The probability that models of the opponent give to it, by the number of the model."""
    turn: Turn


Belief: TypeAlias = tuple[float, ...]
"""How likely each model of the opponent is to be right; these add up to 1."""


class _Node:
    """A position of the tree. Sets of models are whole numbers: bit n stands for model n."""

    __slots__ = ("closed", "seen", "state", "values", "visits")

    def __init__(self, state: BoardState, value: float, belief: Belief) -> None:
        self.state = state
        self.values: Sequence[float] = (value,) * len(belief)
        """Expected points of the player who sets traps, from 0 to 1, by who the opponent is."""
        self.closed = 0  # the models for which the value is final
        self.visits = 0
        self.seen = belief
        """The beliefs with which the node was found and visited, added up."""

    @property
    def belief(self) -> Belief:
        """The mean belief about an opponent who has come here: several lines may lead here."""
        total = sum(self.seen)
        return tuple(weight / total for weight in self.seen)

    @property
    def value(self) -> float:
        """The expected points against whoever has come here."""
        return self.worth(self.values)

    def worth(self, values: Sequence[float]) -> float:
        """The mean of some values over the models, by the belief here."""
        total: float = sum(map(mul, self.seen, values))
        return total / sum(self.seen)

    def visit(self, belief: Belief) -> None:
        """Count a visit by an opponent of whom something is believed."""
        self.visits += 1
        self.seen = tuple(map(add, self.seen, belief))

    def is_settled(self, models: int) -> bool:
        """Whether the values for some models are final."""
        return not models & ~self.closed

    def close(self) -> None:
        """Take the value as final, whoever the opponent is."""
        self.closed = (1 << len(self.values)) - 1


class TrapTurn(_Node):
    """A node in which the player who sets traps is to move."""

    __slots__ = ("children", "guesses", "moves", "score")

    def __init__(
        self, state: BoardState, turn: Turn, guesses: Sequence[float], belief: Belief
    ) -> None:
        super().__init__(state, _first_value(turn, guesses), belief)
        self.score, self.moves = turn
        self.guesses = guesses
        """The values of the positions after the moves, in their order, before they are searched."""
        self.children: list[ReplyTurn] = []
        """The positions after the moves, in their order, once the node was visited."""
        if not self.moves:
            self.close()

    def settle(self) -> None:
        """Carry the values of the children up."""
        if (best := self.best()) is not None:
            self.values = best[1].values
            self.closed |= reduce(and_, (child.closed for child in self.children))

    def best(self) -> tuple[int, "ReplyTurn"] | None:
        """The best column that was tried, the first of equals, and its node."""
        moves = [*zip(self.moves, self.children, strict=False)]
        tried = [move for move in moves if move[1].visits] or moves[:1]
        return max(tried, key=lambda move: self.worth(move[1].values), default=None)


class ReplyTurn(_Node):
    """A node in which the opponent is to move: a chance node, whose chances the models tell."""

    __slots__ = ("asked", "children", "found")

    def __init__(self, state: BoardState, value: float, belief: Belief) -> None:
        super().__init__(state, value, belief)
        self.asked = 0  # the models whose chances are known
        self.found: dict[int, tuple[dict[int, float], Turn]] = {}
        """By column of a reply: its probability by the models asked, and what it leaves."""
        self.children: list[tuple[Belief, TrapTurn]] = []
        """The probability of each reply by each model, and where it leads."""

    def settle(self) -> None:
        """Carry the values of the children up."""
        if self.children:
            points = [[*map(mul, chances, child.values)] for chances, child in self.children]
            self.values = [*map(sum, zip(*points, strict=True))]
            self.closed |= self.asked & reduce(and_, map(_closed_or_unlikely, self.children))

    def unasked(self, models: int) -> int:
        """Those of some models whose chances are not known."""
        return models & ~self.asked

    def chances(self) -> Iterator[Belief]:
        """The probability of each reply by all models; those who were not asked play the mean."""
        models = range(len(self.values))
        totals = {
            model: total
            for model in models
            if self.asked >> model & 1
            and (total := sum(told[model] for told, _ in self.found.values()))
        }
        for told, _ in self.found.values():
            scaled = {model: told[model] / total for model, total in totals.items()}
            mean = sum(scaled.values()) / len(scaled)
            yield tuple(scaled.get(model, mean) for model in models)


TrapNode: TypeAlias = TrapTurn | ReplyTurn


class Trial(NamedTuple):
    """A path through the tree, to an opponent's position of whose replies some are not known."""

    path: Sequence[TrapNode]
    belief: Belief  # about an opponent who plays the path
    likely: int  # the models that are worth asking by this belief, as a set

    @property
    def state(self) -> BoardState:
        """The position at the end."""
        return self.path[-1].state

    @property
    def models(self) -> Sequence[int]:
        """The numbers of the models to ask there."""
        leaf = self.path[-1]
        wanted = leaf.unasked(self.likely) if isinstance(leaf, ReplyTurn) else 0
        return [model for model in range(len(self.belief)) if wanted >> model & 1]


def _first_value(turn: Turn, guesses: Sequence[float]) -> float:
    """The value of a new node: exact where the game is decided, else a guess."""
    if turn.score > 0:
        return 1.0
    if not turn.moves:
        return 0.5 if turn.score == 0 else 0.0
    return max(guesses)


def likely_models(belief: Belief) -> int:
    """The models that are worth asking, as a set."""
    least, models = LEAST_BELIEF * max(belief), 0
    for model, weight in enumerate(belief):
        if weight >= least:
            models |= 1 << model
    return models


def _closed_or_unlikely(reply: tuple[Belief, TrapTurn]) -> int:
    """The models that have nothing to tell behind a reply: it is closed, or they do not play it."""
    chances, child = reply
    return child.closed | sum(1 << model for model, chance in enumerate(chances) if not chance)
