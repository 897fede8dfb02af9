"""The tree of the search for traps, with values of each position against each opponent.

A line of play gives evidence about the opponent, but several lines may lead to the same position.
So a node has a value against each model of the opponent, its move is the best one against the
opponents of all lines that have reached it, and a model is evaluated at a node as soon as a line
that it may have played reaches the node.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add, and_, mul
from typing import NamedTuple, TypeAlias

from agents.solver.position_bounds import sign
from envs.board import BoardState

MANY_VISITS = 16  # of a position, after which not only scouts are asked for their replies
FEW_VISITS = 4  # the same for a position in which a scout may err
LEAST_BELIEF = 0.02
"""Models less likely than this share of the likeliest are not evaluated; most soon become so."""


class Turn(NamedTuple):
    """A position in which the player who sets traps is to move."""

    score: int  # for the player to move: exact if not positive; 1 for every win
    moves: tuple[int, ...]
    """The columns that keep the result, at least one; empty if the position is won or over."""


class Reply(NamedTuple):
    """A reply that the opponent may choose, and the position after it."""

    column: int
    chances: Mapping[int, float]
    """The probability of the reply by models of the opponent, keyed by the number of the model."""
    turn: Turn


Belief: TypeAlias = tuple[float, ...]
"""The probability of each model of the opponent; the sum is 1."""


class _Node:
    """A position of the tree. Sets of models are bit masks: bit n stands for model n."""

    __slots__ = ("closed", "seen", "state", "values", "visits")

    def __init__(self, state: BoardState, value: float, belief: Belief) -> None:
        self.state = state
        self.values: Sequence[float] = (value,) * len(belief)
        """Expected points of the player who sets traps, from 0 to 1, against each model."""
        self.closed = 0  # the models for which the value is final
        self.visits = 0
        self.seen = belief
        """The sum of the beliefs with which the node was created and visited."""

    @property
    def belief(self) -> Belief:
        """The mean belief about the opponent over all visits, possibly by several lines."""
        total = sum(self.seen)
        return tuple(weight / total for weight in self.seen)

    @property
    def value(self) -> float:
        """The expected points against an opponent by the mean belief."""
        return self.worth(self.values)

    def worth(self, values: Sequence[float]) -> float:
        """The mean of values over the models, weighted by the mean belief."""
        total: float = sum(map(mul, self.seen, values))
        return total / sum(self.seen)

    def visit(self, belief: Belief) -> None:
        """Count a visit with a belief about the opponent."""
        self.visits += 1
        self.seen = tuple(map(add, self.seen, belief))

    def is_settled(self, models: int) -> bool:
        """Whether the values for these models are final."""
        return not models & ~self.closed

    def close(self) -> None:
        """Mark the values as final for all models."""
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
        """The guessed values of the positions after the moves, in their order; empty if the
        position is not examined."""
        self.children: list[ReplyTurn] = []
        """The positions after the moves, in their order; empty until the node is visited."""
        if not guesses:
            self.close()

    def settle(self) -> None:
        """Carry the values of the children up."""
        if (best := self.best()) is not None:
            self.values = best[1].values
            self.closed |= reduce(and_, (child.closed for child in self.children))

    def best(self) -> tuple[int, "ReplyTurn"] | None:
        """The best column that was visited, the first of equals, and its node."""
        moves = [*zip(self.moves, self.children, strict=False)]
        tried = [move for move in moves if move[1].visits] or moves[:1]
        return max(tried, key=lambda move: self.worth(move[1].values), default=None)


class ReplyTurn(_Node):
    """A node in which the opponent is to move: a chance node with the models' probabilities."""

    __slots__ = ("asked", "children", "found", "patience", "scouts")

    def __init__(self, state: BoardState, value: float, belief: Belief, scouts: int) -> None:
        super().__init__(state, value, belief)
        self.asked = 0  # the models whose probabilities are known
        self.scouts = scouts
        """The models that are asked first, likely or not; none if all likely ones are."""
        self.patience = MANY_VISITS
        """The visits after which the other models are asked, too."""
        self.found: dict[int, tuple[dict[int, float], Turn]] = {}
        """By column of a reply: its probability by each known model, and the position after it."""
        self.children: list[tuple[Belief, TrapTurn]] = []
        """The probability of each reply by each model, and the node after it."""

    def settle(self) -> None:
        """Carry the values of the children up."""
        if self.children:
            points = [[*map(mul, chances, child.values)] for chances, child in self.children]
            self.values = [*map(sum, zip(*points, strict=True))]
            self.closed |= self.asked & reduce(and_, map(_closed_or_unlikely, self.children))

    def unasked(self, models: int) -> int:
        """The models among `models` that are to be asked for their probabilities."""
        if self.scouts and self.visits < self.patience:
            models = self.scouts
        return models & ~self.asked

    def hurry(self, models: int) -> bool:
        """Where a scout may err, wait for no more visits; whether models are left to be asked."""
        if self.patience < MANY_VISITS:
            self.patience = 0
        return self.patience == 0 and bool(models & ~self.asked)

    def enter(self, column: int, chances: Mapping[int, float], turn: Turn) -> None:
        """Enter the probability of a reply by some models."""
        self.found.setdefault(column, (defaultdict(float), turn))[0].update(chances)
        self.asked |= sum(1 << model for model in chances)
        if len({sign(turn.score) for _, turn in self.found.values()}) > 1:  # a mistake is likely
            self.patience = min(self.patience, FEW_VISITS)

    def chances(self) -> Iterator[Belief]:
        """The probability of each reply by all models; unknown ones are the mean of the others."""
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
    """A path through the tree, to an opponent's position with unknown replies."""

    path: Sequence[TrapNode]
    belief: Belief  # about an opponent who plays the path
    likely: int  # the likely models by this belief, as a set

    @property
    def state(self) -> BoardState:
        """The position at the end of the path."""
        return self.path[-1].state

    @property
    def models(self) -> Sequence[int]:
        """The numbers of the likely models whose replies there are unknown."""
        leaf = self.path[-1]
        wanted = leaf.unasked(self.likely) if isinstance(leaf, ReplyTurn) else 0
        return [model for model in range(len(self.belief)) if wanted >> model & 1]


def _first_value(turn: Turn, guesses: Sequence[float]) -> float:
    """The value of a new node: exact if the game is decided, else a guess."""
    if turn.score > 0:
        return 1.0
    return max(guesses, default=0.5 if turn.score == 0 else 0.0)


def likely_models(belief: Belief) -> int:
    """The models that are likely enough to be evaluated, as a set."""
    least, models = LEAST_BELIEF * max(belief), 0
    for model, weight in enumerate(belief):
        if weight >= least:
            models |= 1 << model
    return models


def _closed_or_unlikely(reply: tuple[Belief, TrapTurn]) -> int:
    """The models for which a reply is closed, or which never play it."""
    chances, child = reply
    return child.closed | sum(1 << model for model, chance in enumerate(chances) if not chance)
