"""Best-first expectimax: the move after which a fallible opponent is most likely to err.

Under perfect play all moves that keep a result (in a lost position, all moves) have the same value.
Against an opponent who errs they differ: at the turns of the player who sets traps the search takes
the best move, at the opponent's turns the mean over the replies of a model. A win that the opponent
allows counts one point, because from there on the solver plays; a draw counts half a point, plus
the chances of a later win.

The tree grows trial by trial, as in Monte Carlo tree search, but values are carried up exactly, as
the best of the moves and the mean of the replies (T. Keller and M. Helmert, "Trial-based heuristic
tree search for finite horizon MDPs", 2013: DP-UCT). Transpositions and mirror images share a node
(`agents.traps.trap_tree`).
"""

from collections.abc import Callable, Iterable, Sequence
from math import log, sqrt
from operator import mul
from typing import TypeAlias

from agents.guidance.opponent_models import posterior
from agents.traps.trap_tree import (
    Belief,
    Reply,
    ReplyTurn,
    TrapNode,
    TrapTurn,
    Trial,
    Turn,
    likely_models,
)
from envs.board import BoardState
from envs.connectx import ConnectX

EXPLORATION = 0.6  # constant C of UCT among the moves of a late turn, for points from 0 to 1
EARLY_EXPLORATION = 2.4
"""Divided by the number of the ply, it is added to the constant. The more plies follow, the more a
search finds after a move, so that a move with few trials looks too bad."""
HOPE = 1.05  # trials prefer replies with the most left to win: HOPE minus the value of the reply
DOUBT = 0.05
"""The least probability of a reply when beliefs are updated, so that no reply refutes a model:
another opponent may reach the same node in another game."""


Guess: TypeAlias = Callable[[BoardState, Turn], Sequence[float]]
"""Guesses the values of the moves of a position in which the player who sets traps is to move.

It gives no values if a position is not worth examining."""


class TrapSearch:
    """A tree of traps for one player.

    A trial is a `select`, which descends from the root to an opponent's position with unknown
    replies, and an `expand` with these replies. Several trials may be under way at the same time.
    A `guess` gives the values of moves that no trial has reached; `even_share`, from 0 to 1, is the
    share of a turn's visits that is spread evenly over its moves. If there are `scouts`, the first
    so many models, they are asked in every position, and the others, which are stronger, only after
    some visits, fewer where a scout may err. Until then they are expected to reply like the scouts.
    """

    def __init__(
        self, env: ConnectX, guess: Guess, even_share: float = 0.0, scouts: int = 0
    ) -> None:
        self.env = env
        self.guess = guess
        self.even_share = even_share
        self.scouts = (1 << scouts) - 1  # as a set of models
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
            known = TrapTurn(image, turn, self.guess(image, turn), belief)
            self.turns[image.key] = known
        return known

    def reply_turn(self, state: BoardState, value: float, belief: Belief) -> ReplyTurn:
        """The node of a position in which the opponent is to move."""
        image = self._image(state)
        known = self.replies.get(image.key)
        if known is None:
            is_over = not self.env.get_available_actions(image)
            value = (float(image.won) or 0.5) if is_over else value
            known = ReplyTurn(image, value, belief, self.scouts)
            if is_over:
                known.close()
            self.replies[image.key] = known
        return known

    def select(self, root: TrapNode) -> Trial | None:
        """The path from a node to an opponent's position with unknown replies.

        Each node on the path counts a visit, so that the next trial prefers another path. None if
        there is nothing left to learn.
        """
        belief = root.belief
        models = likely_models(belief)
        while not root.is_settled(models):
            trial = self._walk(root, belief, models)
            if not trial.path[-1].is_settled(trial.likely):
                return trial
            _carry_up(trial.path)
        return None

    def expand(self, trial: Trial, replies: Iterable[Reply]) -> None:
        """Enter the replies in a trial's last node, and carry the values up its path."""
        leaf = trial.path[-1]
        if isinstance(leaf, ReplyTurn):
            self._enter(leaf, replies, trial.belief)
        _carry_up(trial.path)

    def settle_all(self) -> None:
        """Carry all values up the whole tree; a trial carries them only up its own path."""
        nodes: list[TrapNode] = [*self.turns.values(), *self.replies.values()]
        for node in sorted(nodes, key=lambda node: -node.state.ply):
            node.settle()

    def column(self, state: BoardState) -> int | None:
        """The best column of a position, the first of equals; None if no trial has reached it."""
        image = self._image(state)
        node = self.turns.get(image.key)
        best = None if node is None else node.best()
        if best is None:
            return None
        return best[0] if image == state else self.env.columns - 1 - best[0]

    def moves(self, state: BoardState) -> Sequence[tuple[int, ReplyTurn]]:
        """The moves of a position with their nodes; empty if the position was never visited."""
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

    def _walk(self, node: TrapNode, belief: Belief, models: int) -> Trial:
        """The path to a node without known replies, or to one that turns out to be settled."""
        path = [node]
        while True:
            node.visit(belief)
            if node.is_settled(models):
                break
            if isinstance(node, TrapTurn):
                node = self._best_child(node, models)
            elif node.unasked(models):
                break
            elif (reply := _wanting_reply(node, belief)) is not None:
                node, belief, models = reply
            elif node.hurry(models):  # nothing else is left to learn
                break
            else:  # the remaining replies are too unlikely
                node.closed |= models
                break
            path.append(node)
        return Trial(path, belief, models)

    def _best_child(self, node: TrapTurn, models: int) -> ReplyTurn:
        """The move to try next, by UCT, among those after which something is left to learn."""
        if not node.children:
            for column, guess in zip(node.moves, node.guesses, strict=True):
                following = self.env.get_next_state(node.state, column)
                node.children.append(self.reply_turn(following, guess, node.belief))
        open_children = [child for child in node.children if not child.is_settled(models)]
        if not open_children:
            return node.children[0]
        rarest = min(open_children, key=lambda child: child.visits)
        if rarest.visits + 1 < self.even_share * node.visits / len(node.children):
            return rarest
        exploration = EXPLORATION + EARLY_EXPLORATION / (node.state.ply + 1)
        spread = exploration * sqrt(log(node.visits + 1))
        return max(
            open_children,
            key=lambda child: node.worth(child.values) + spread / sqrt(child.visits + 1),
        )

    def _enter(self, node: ReplyTurn, replies: Iterable[Reply], belief: Belief) -> None:
        """Enter the replies of models whose replies were unknown."""
        before = node.asked
        for reply in replies:
            told = {model: p for model, p in reply.chances.items() if not before >> model & 1}
            if told:
                node.enter(reply.column, told, reply.turn)
        if node.asked == before:
            return
        node.children = []
        for chances, (column, (_, turn)) in zip(node.chances(), node.found.items(), strict=True):
            following = self.env.get_next_state(node.state, column)
            child = self.turn(following, turn, posterior(belief, chances, DOUBT))
            node.children.append((chances, child))


def _carry_up(path: Sequence[TrapNode]) -> None:
    for node in reversed(path):
        node.settle()


def _wanting_reply(node: ReplyTurn, belief: Belief) -> tuple[TrapTurn, Belief, int] | None:
    """The reply to examine next: a likely one with few visits and much left to win.

    It comes with the belief after it, and its likely models; None if nothing is left to learn
    after any reply.
    """
    best, best_want = None, -1.0
    for chances, child in node.children:
        following = posterior(belief, chances, DOUBT)
        value = sum(map(mul, following, child.values))
        want = sum(map(mul, belief, chances)) * (HOPE - value) / (1 + child.visits)
        if want > best_want and not child.is_settled(models := likely_models(following)):
            best, best_want = (child, following, models), want
    return best


def steady_guess(env: ConnectX, mistake: float) -> Guess:
    """Guess the values of moves as if each of the opponent's replies had the same risk.

    `mistake` is the assumed share of mistakes among these replies, from 0 to 1.
    """

    def guess(state: BoardState, turn: Turn) -> Sequence[float]:
        return (promise(stones_left(env, state), turn.score, mistake),) * len(turn.moves)

    return guess


def stones_left(env: ConnectX, state: BoardState) -> int:
    """The number of stones that the opponent of the player to move has left."""
    return (env.rows * env.columns - state.ply) // 2


def promise(stones_left: int, score: int, mistake: float) -> float:
    """Guess the points, from 0 to below 1, of an exact player if each reply may be a mistake.

    The opponent has `stones_left`, and each of their replies is a mistake with the probability
    `mistake`. It is assumed to give half a point: from a loss to a draw, or from a draw to a win.
    The `score` is that of a position that is not won, for the player who sets traps.
    """
    replies = stones_left + score  # in a lost position, those before the opponent's winning move
    return (0.0 if score < 0 else 0.5) + 0.5 * (1.0 - (1.0 - mistake) ** replies)
