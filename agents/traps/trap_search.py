"""Best-first expectimax: the move after which a fallible opponent most likely gives something away.

If both players play exactly, all moves that keep a result are worth the same, and in a lost
position these are all moves. Against an opponent who errs they are not: at the turns of the player
who sets traps the search takes the best move, at the opponent's turns the mean over the replies of
a model. A win that the opponent allows is worth a point, for from there on the solver plays; a draw
is worth half a point, plus the chances of a later win.

The tree grows trial by trial, as that of Monte Carlo tree search does, but values are carried up
exactly, as the best of the moves and the mean of the replies (T. Keller and M. Helmert,
"Trial-based heuristic tree search for finite horizon MDPs", 2013: DP-UCT). Positions that several
lines lead to, and mirror images, are one node.
"""

from collections.abc import Iterable, Sequence
from math import log, sqrt
from typing import NamedTuple, TypeAlias

from agents.guidance.opponent_models import posterior
from envs.board import BoardState
from envs.connectx import ConnectX

EXPLORATION = 0.6  # constant C of UCT among the moves of a turn, for points from 0 to 1
LEAST_LIKELY = 0.02  # replies that are less likely are left out
HOPE = 1.05  # trials prefer replies after which most can still be won: this number less their value
DOUBT = 0.05
"""The least probability with which a model is judged by a reply: none refutes it, for another
opponent may reach the same node in another game."""


class Turn(NamedTuple):
    """A position in which the player who sets traps is to move."""

    score: int  # exact where it is not won, for the player to move; 1 stands for every win
    moves: tuple[int, ...]
    """Columns that keep the result, one at least; none where the position is won or over."""


class Reply(NamedTuple):
    """A reply that the opponent may choose, and the position after it."""

    column: int
    chances: tuple[float, ...]  # the probability that each model of the opponent gives to it
    turn: Turn


Belief: TypeAlias = tuple[float, ...]
"""How likely each model of the opponent is to be right; these add up to 1."""


class TrapTurn:
    """A node in which the player who sets traps is to move."""

    __slots__ = ("belief", "children", "closed", "moves", "score", "state", "value", "visits")

    def __init__(self, state: BoardState, turn: Turn, value: float, belief: Belief) -> None:
        self.state = state
        self.score, self.moves = turn
        self.belief = belief
        """The belief about an opponent who plays the line by which the node was first found."""
        self.value = value  # expected points of the player who sets traps, from 0 to 1
        self.closed = not self.moves  # whether the value is final
        self.visits = 0
        self.children: list[ReplyTurn] = []
        """The positions after the moves, in their order, once the node was visited."""


class ReplyTurn:
    """A node in which the opponent is to move: a chance node, whose chances the models tell."""

    __slots__ = ("belief", "children", "closed", "state", "value", "visits")

    def __init__(self, state: BoardState, value: float, belief: Belief) -> None:
        self.state = state
        self.belief = belief
        self.value = value
        self.closed = False
        self.visits = 0
        self.children: list[tuple[float, TrapTurn]] = []
        """The probability of each reply and where it leads, once the replies are known."""


TrapNode: TypeAlias = TrapTurn | ReplyTurn


class TrapSearch:
    """A tree of traps for one player.

    A trial is a `select`, which goes from the root to an opponent's position whose replies are not
    known, and an `expand` with these replies. Several trials may be under way at the same time.

    Args:
        env: the rules.
        mistake: the assumed share of mistakes among the opponent's moves, from 0 to 1, for nodes
            that no trial has reached.
        even_share: the part of a turn's visits that is spread evenly over its moves, from 0 to 1.
    """

    def __init__(self, env: ConnectX, mistake: float, even_share: float = 0.0) -> None:
        self.env = env
        self.mistake = mistake
        self.even_share = even_share
        self.turns: dict[int, TrapTurn] = {}  # by the key of the position
        self.replies: dict[int, ReplyTurn] = {}
        """By the key of the position, where the opponent is to move."""

    def turn(self, state: BoardState, turn: Turn, belief: Belief) -> TrapTurn:
        """The node of a position in which the player who sets traps is to move."""
        image = self._image(state)
        known = self.turns.get(image.key)
        if known is None:
            if image != state:
                turn = Turn(turn.score, self._mirrored(turn.moves))
            known = TrapTurn(image, turn, self._first_value(image, turn), belief)
            self.turns[image.key] = known
        return known

    def reply_turn(self, state: BoardState, value: float, belief: Belief) -> ReplyTurn:
        """The node of a position in which the opponent is to move."""
        image = self._image(state)
        key = image.key
        if key not in self.replies:
            self.replies[key] = ReplyTurn(image, value, belief)
            if not self.env.get_available_actions(image):
                self.replies[key].value, self.replies[key].closed = float(image.won) or 0.5, True
        return self.replies[key]

    def select(self, root: TrapNode) -> list[TrapNode] | None:
        """The path from a node to an opponent's position whose replies are not known.

        Each node on it counts a visit, so that the next trial prefers another path. None if there
        is nothing left to learn.
        """
        while not root.closed:
            path = self._walk(root)
            if not path[-1].closed:
                return path
            _carry_up(path)
        return None

    def expand(self, path: Sequence[TrapNode], replies: Iterable[Reply]) -> None:
        """Enter the replies of a path's last node, and carry the values up the path."""
        leaf = path[-1]
        if isinstance(leaf, ReplyTurn) and not leaf.children:
            for probability, reply in likely_replies(replies, leaf.belief):
                following = self.env.get_next_state(leaf.state, reply.column)
                belief = posterior(leaf.belief, reply.chances, DOUBT)
                leaf.children.append((probability, self.turn(following, reply.turn, belief)))
        _carry_up(path)

    def settle_all(self) -> None:
        """Carry all values up: a trial carries them up its own path alone."""
        nodes: list[TrapNode] = [*self.turns.values(), *self.replies.values()]
        for node in sorted(nodes, key=lambda node: -node.state.mask.bit_count()):
            settle(node)

    def column(self, state: BoardState) -> int | None:
        """The best column of a position, the first of equals; None where no trial has been."""
        moves = self.moves(state)
        tried = [(column, child) for column, child in moves if child.visits] or moves[:1]
        return max(tried, key=lambda move: move[1].value)[0] if tried else None

    def moves(self, state: BoardState) -> Sequence[tuple[int, ReplyTurn]]:
        """The moves of a position, each with the node that it leads to, once it was visited."""
        image = self._image(state)
        node = self.turns.get(image.key)
        if node is None or not node.children:
            return ()
        moves = node.moves if image == state else self._mirrored(node.moves)
        return [*zip(moves, node.children, strict=True)]

    def _image(self, state: BoardState) -> BoardState:
        return state.smaller_image(self.env.rows, self.env.columns)

    def _mirrored(self, columns: Iterable[int]) -> tuple[int, ...]:
        return tuple(self.env.columns - 1 - column for column in columns)

    def _walk(self, root: TrapNode) -> list[TrapNode]:
        """The path to a node without known replies, or to one that turns out to be closed."""
        path, node = [root], root
        while not node.closed and (isinstance(node, TrapTurn) or node.children):
            node.visits += 1
            node = self._best_child(node) if isinstance(node, TrapTurn) else _wanting_child(node)
            path.append(node)
        node.visits += 1
        return path

    def _best_child(self, node: TrapTurn) -> ReplyTurn:
        """The move to try next, by UCT; those after which nothing is left to learn are left out."""
        if not node.children:
            for column in node.moves:
                following = self.env.get_next_state(node.state, column)
                node.children.append(self.reply_turn(following, node.value, node.belief))
        open_children = [child for child in node.children if not child.closed]
        if not open_children:
            return node.children[0]
        rarest = min(open_children, key=lambda child: child.visits)
        if rarest.visits < self.even_share * node.visits / len(node.children):
            return rarest
        spread = EXPLORATION * sqrt(log(node.visits + 1))
        return max(open_children, key=lambda child: child.value + spread / sqrt(child.visits + 1))

    def _first_value(self, state: BoardState, turn: Turn) -> float:
        """The value of a new node: exact where the game is decided, else a guess."""
        if turn.score > 0:
            return 1.0
        if not turn.moves:
            return 0.5 if turn.score == 0 else 0.0
        stones_left = (self.env.rows * self.env.columns - state.mask.bit_count()) // 2
        return promise(stones_left, turn.score, self.mistake)


def likely_replies(replies: Iterable[Reply], belief: Belief) -> Sequence[tuple[float, Reply]]:
    """The replies of an opponent who is believed to be one of several models.

    Returns:
        Probabilities that add up to 1, and the replies; unlikely ones are left out.
    """
    told = [
        (sum(weight * chance for weight, chance in zip(belief, reply.chances, strict=True)), reply)
        for reply in replies
    ]
    most = max((probability for probability, _ in told), default=0.0)
    likely = [pair for pair in told if pair[0] >= min(LEAST_LIKELY, most)]
    total = sum(probability for probability, _ in likely)
    return [(probability / total, reply) for probability, reply in likely]


def _carry_up(path: Sequence[TrapNode]) -> None:
    for node in reversed(path):
        settle(node)


def settle(node: TrapNode) -> None:
    """Carry the values of a node's children up to it."""
    if not node.children:
        return
    if isinstance(node, TrapTurn):
        node.value = max(child.value for child in node.children)
        node.closed = all(child.closed for child in node.children)
    else:
        node.value = sum(chance * child.value for chance, child in node.children)
        node.closed = all(child.closed for _, child in node.children)


def _wanting_child(node: ReplyTurn) -> TrapTurn:
    """The reply to look at next: a likely one that was seldom visited and is not nearly won."""
    best, best_want = node.children[0][1], -1.0
    for probability, child in node.children:
        want = probability * (HOPE - child.value) / (1 + child.visits)
        if not child.closed and want > best_want:
            best, best_want = child, want
    return best


def promise(stones_left: int, score: int, mistake: float) -> float:
    """Guess the points of a player who plays exactly, where each reply may be a mistake.

    Args:
        stones_left: how many stones the opponent has left.
        score: the exact score of a position that is not won, for the player who sets traps.
        mistake: how often a reply is a mistake. One is thought to be worth half a point: from a
            loss to a draw, or from a draw to a win.

    Returns:
        Points, from 0 to below 1.
    """
    replies = stones_left + score  # before the winning one, where the position is lost
    return (0.0 if score < 0 else 0.5) + 0.5 * (1.0 - (1.0 - mistake) ** replies)
