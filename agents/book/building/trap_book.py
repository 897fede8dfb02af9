"""The growth of a book of traps from the empty board, by workers of any executor.

The workers find the opponent's likely replies in a position and the scores after them, which takes
nearly all of the time; the main process grows the tree, which chooses the positions. A checkpoint
stores the replies (`agents.book.building.replies_file`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from math import atanh, ceil, inf
from typing import Any

from agents.agent import Clock, OnProgress, TimeUp, player_sign
from agents.book.building.book_building import told_how_to_go_on
from agents.book.building.replies_file import RepliesFile, TrapScope, joined_replies
from agents.book.building.shards import kept_by_thread
from agents.book.opening_book import shipped_book_of
from agents.compiled.learned_value import LearnedValue
from agents.guidance.opponent_models import (
    OpponentMixture,
    OpponentModel,
    epsilon_greedy,
    uniform_replies,
    visit_shares,
)
from agents.networks.shipped import SHIPPED, StoredPolicy
from agents.parallel.workers import Task, Workers
from agents.registry import agent_from_text
from agents.solver.solver import Solver
from agents.traps.likely_replies import Judge
from agents.traps.trap_search import Guess, TrapSearch, promise, steady_guess, stones_left
from agents.traps.trap_tree import Reply, TrapNode, Trial, Turn
from envs.board import BoardState
from envs.connectx import ConnectX

MISTAKE = 0.03  # the assumed share of a strong opponent's mistakes that no trial has reached
UNDOUBTED_MISTAKE = 0.005  # the same where networks guess and have no doubt
MISTAKE_OF_DOUBT = 0.03  # what each unit of doubt, on the scale of atanh, adds to it
SURE = 0.99  # the least value, for the player to move, at which a network has no doubt
DRAWN_MISTAKE = 0.02  # the assumed share of mistakes in a drawn position that looks decided
TEMPERATURE = 0.5  # of the models that draw moves of tree searches by their visits
FAVOURITE = 0.5  # the share of moves in which these models play what the search itself plays
EPSILON = 0.05  # the assumed share of random moves of any other agent
SAMPLES = 20  # how often an agent that draws its moves is asked for one
OPENING_SHARE = 0.2  # the assumed share of games that begin with a random move
EVEN_SHARE = 0.3
"""Share of a turn's visits that is spread evenly over its moves. A deep trap looks bad until trials
reach it, and UCT alone visits such a move only a few times."""
GUIDED_SHARE = 0.1  # the same if networks guess which moves are traps
SCOUTS = 4
"""The first opponents of the list, which should be quick: they are asked in every position, the
others only where a scout may err or many trials pass. In 99 % of the positions of a book no
mistake was likelier than 0.3 % for four `alphazero` with at most 400 simulations, and there those
with 700 to 7000 made 1 of their 376 mistakes."""
SEEN_STONES = 8
"""Lost positions are not examined if the opponent has no more stones left than these: `alphazero`
with 1200 to 7000 simulations made 1 mistake in 400 000 such positions."""
BOOK_BONUS, BEST_GUESS = 0.15, 0.97
"""A move of an earlier book is guessed to be worth so much more than the others; the most that is
guessed."""
LEAST_VISITS = 4  # the least visits of a position whose move enters the book
TRIES = 8  # paths to try until one ends in a position that no worker has


def strong_opponents(rows: int, columns: int, inarow: int) -> tuple[str, ...]:
    """Strong opponents for a book of traps, which only subtle traps can catch; quick ones first.

    In Connect Four networks guide some of them.
    """
    plain = (
        "mcts:simulations=5000,weights=none,seed=1",
        "mcts:simulations=50000,weights=none,seed=1",
        "alphabeta:depth=10,time_limit=none,weights=none",
        "alphabeta:depth=16,time_limit=none,weights=none",
    )
    if ConnectX(rows, columns, inarow) != ConnectX():
        return plain
    return (
        "alphazero:simulations=400",
        "alphazero:simulations=400,weights=zero",
        "mcts:simulations=8000,seed=1",
        "alphazero:simulations=3000",
        "alphazero:simulations=4000,weights=zero",
        plain[-1],
    )


OnReplies = Callable[[Mapping[int, Sequence[Reply]]], None]
"""Takes the found replies, by the keys of their positions."""


class TrapBookBuilder:
    """Grows the tree of traps of a book."""

    def __init__(
        self,
        scope: TrapScope,
        table_megabytes: int,
        known: Mapping[int, Sequence[Reply]],
        on_replies: OnReplies,
        earlier: Mapping[int, int] | None = None,
    ) -> None:
        self.scope = scope
        self.known = dict(known)
        self.search = _new_search(ConnectX(*scope[:3]), len(scope.opponents))
        if earlier:
            self.search.guess = book_first(self.search.guess, earlier)
        self.root = self._new_root(table_megabytes)  # the node at which the game begins
        self._table_megabytes = table_megabytes
        self._on_replies = on_replies
        self._under_way: set[int] = set()

    def grow_again(self, on_trial: Callable[[], None]) -> None:
        """Grow by the replies of an earlier run, until too many trials need unknown replies."""
        left = ceil(len(self.known) / 10)
        while left > 0 and (trial := self.search.select(self.root)) is not None:
            left -= bool(self._left_to_ask(trial))
            self.search.expand(trial, self.known.get(trial.state.key, ()))
            on_trial()

    def grow(
        self, executor: Executor, workers: int, clock: Clock, on_trial: Callable[[], None]
    ) -> None:
        """Run trials until the time is up, or there is nothing left to learn."""
        with suppress(TimeUp):
            for trial, replies in Workers(executor, workers + 1).run(self._tasks(), clock):
                self._enter(trial, replies)
                on_trial()
        self.search.settle_all()

    def _enter(self, trial: Trial, replies: Sequence[Reply]) -> None:
        """Enter the replies found by a worker.

        Another worker may have found different replies of the same opponents meanwhile: the first
        ones count.
        """
        key = trial.state.key
        self._under_way.discard(key)
        earlier = self.known.get(key, ())
        if left := opponents_asked(replies) - opponents_asked(earlier):
            new = [
                reply._replace(chances={number: reply.chances[number] for number in left})
                for reply in replies
                if any(reply.chances[number] for number in left)
            ]
            self.known[key] = joined_replies(earlier, new)
            self._on_replies({key: new})
        self.search.expand(trial, self.known[key])

    def columns(self) -> dict[int, int]:
        """The column of each position with enough visits, by its key."""
        return {
            key: column
            for key, node in self.search.turns.items()
            if node.visits >= LEAST_VISITS
            and (column := self.search.column(node.state)) is not None
        }

    def _new_root(self, table_megabytes: int) -> TrapNode:
        begin, opponents = self.search.env.initial_state(), len(self.scope.opponents)
        belief = (1.0 / opponents,) * opponents
        if self.scope.seat == 2:
            return self.search.reply_turn(begin, 0.5, belief)
        judge = _new_judge(self.scope[:3], table_megabytes)
        return self.search.turn(begin, judge.turn(begin, Clock()), belief)

    def _tasks(self) -> Iterator[Task[Trial, list[Reply]]]:
        """Tasks by their trial; known replies are entered without a task.

        If few positions are left, two workers may get the same one.
        """
        while (trial := self._trial()) is not None:
            models = self._left_to_ask(trial)
            if not models:
                self.search.expand(trial, self.known[trial.state.key])
                continue
            self._under_way.add(trial.state.key)
            state, table_megabytes = trial.state, self._table_megabytes
            yield trial, partial(likely_replies, self.scope, table_megabytes, state, models)

    def _left_to_ask(self, trial: Trial) -> Sequence[int]:
        """The opponents in a trial's last position whose replies are needed and unknown."""
        known = opponents_asked(self.known.get(trial.state.key, ()))
        return [number for number in trial.models if number not in known]

    def _trial(self) -> Trial | None:
        """A trial, if possible to a position that no worker has; None if no position is left."""
        for _ in range(TRIES):
            trial = self.search.select(self.root)
            if trial is None or trial.state.key not in self._under_way:
                break
        return trial


def opponents_asked(replies: Iterable[Reply]) -> set[int]:
    """The numbers of the opponents whose replies these are."""
    return {number for reply in replies for number in reply.chances}


def _new_search(env: ConnectX, opponents: int) -> TrapSearch:
    """A search guided by the package's networks for the game, if there are any."""
    scouts = SCOUTS if opponents > SCOUTS else 0
    networks = shipped_networks(env)
    if networks:
        return TrapSearch(env, network_guess(env, networks), GUIDED_SHARE, scouts)
    return TrapSearch(env, steady_guess(env, MISTAKE), EVEN_SHARE, scouts)


def network_guess(env: ConnectX, networks: Sequence[LearnedValue]) -> Guess:
    """Guess where a strong opponent will err: where networks misjudge the position.

    For a book of traps strong searches choose their replies, which takes a tenth of a second per
    position; networks, of which there is at least one, take microseconds. In lost positions of
    player 2 of Connect Four the opponents of the shipped book erred eleven times as often, and the
    two strongest 25 times as often, if `distilled` was not sure of their win. In drawn positions
    they erred twelve times as often if the values of the networks added up to more than 0.6 as if
    they were near 0. In a lost position the guess counts the replies before the opponent's winning
    move, and those before `SEEN_STONES`.
    """

    def values(state: BoardState) -> list[float]:
        """What the networks think of a position, for the player to move; empty if it is over."""
        known = networks if env.get_available_actions(state) else ()
        sign = player_sign(env, state)
        return [sign * network(env, state) for network in known]

    def guess(state: BoardState, turn: Turn) -> Sequence[float]:
        left = stones_left(env, state)
        if turn.score < 0 and left <= SEEN_STONES:
            return []
        told = [values(env.get_next_state(state, column)) for column in turn.moves]
        if turn.score < 0:
            mistakes = (UNDOUBTED_MISTAKE + MISTAKE_OF_DOUBT * doubt(of_move) for of_move in told)
            return [promise(left, min(turn.score, -SEEN_STONES), share) for share in mistakes]
        distances = (min(1.0, sum(map(abs, of_move))) for of_move in told)
        return [promise(left, 0, DRAWN_MISTAKE * distance) for distance in distances]

    return guess


def book_first(guess: Guess, columns: Mapping[int, int]) -> Guess:
    """A guess by which the moves of a book, by the keys of their positions, are tried first."""

    def guess_with_book(state: BoardState, turn: Turn) -> Sequence[float]:
        values, column = [*guess(state, turn)], columns.get(state.key)
        if values and column in turn.moves:
            values[turn.moves.index(column)] = min(BEST_GUESS, max(values) + BOOK_BONUS)
        return values

    return guess_with_book


def doubt(values: Iterable[float]) -> float:
    """How far networks with these values are from being sure that the player to move wins."""
    return sum(atanh(SURE) - atanh(min(SURE, max(-SURE, value))) for value in values)


def shipped_networks(env: ConnectX) -> Sequence[LearnedValue]:
    """The networks of the package for a game."""
    networks = (LearnedValue(StoredPolicy(name)) for name in SHIPPED)
    return [network for network in networks if network.knows(env)]


def likely_replies(
    scope: TrapScope, table_megabytes: int, state: BoardState, numbers: Sequence[int]
) -> list[Reply]:
    """The likely replies in a position, by the opponents of the scope with these numbers."""
    judge, known = _kept_judge(scope[:3], table_megabytes), _kept_models(scope.opponents)
    models: Mapping[int, OpponentModel] = {number: known[number] for number in numbers}
    if not state.mask:
        shares = (1.0 - OPENING_SHARE, OPENING_SHARE)
        models = {n: OpponentMixture((models[n], uniform_replies), shares) for n in models}
    return [*judge.replies(state, models, Clock())]


def model_of_agent(agent: Any) -> OpponentModel:
    """A model of an agent: mostly the agent's moves, and sometimes others."""
    if hasattr(agent, "tree"):
        agent.keep_tree = False  # else earlier searches would change its moves
        return visit_shares(agent, TEMPERATURE, FAVOURITE)
    if hasattr(agent, "chances"):
        return OpponentMixture((agent.chances, uniform_replies), (1.0 - EPSILON, EPSILON))
    return epsilon_greedy(agent, EPSILON, SAMPLES if hasattr(agent, "seed") else 1)


def _new_judge(board: tuple[int, int, int], table_megabytes: int) -> Judge:
    env = ConnectX(*board)
    return Judge(Solver(env, table_megabytes, book=shipped_book_of(env)))


_kept_judge = kept_by_thread(_new_judge)


@kept_by_thread
def _kept_models(opponents: tuple[str, ...]) -> list[OpponentModel]:
    return [model_of_agent(agent_from_text(text)) for text in opponents]


def build_traps(
    checkpoint: RepliesFile,
    known: Mapping[int, Sequence[Reply]],
    executor: Executor,
    workers: int,
    table_megabytes: int,
    seconds: float,
    on_progress: OnProgress,
    earlier: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """Grow a tree of traps, and return its columns by the keys of their positions.

    The columns of an `earlier` book are tried first. The `seconds` begin when the tree has grown by
    the `known` replies. Raises like `build_book`.
    """
    scope, keep = checkpoint.scope, checkpoint.append
    builder = TrapBookBuilder(scope, table_megabytes, known, keep, earlier)

    def tell(elapsed: float) -> None:
        promised = f"{builder.root.value:.3f} points promised after {builder.root.visits} trials"
        total = 0 if seconds == inf else int(seconds)
        words = f"{promised}, {len(builder.known)} positions"
        on_progress(int(min(elapsed, seconds)), total, words)

    with told_how_to_go_on(lambda: f"the replies of {len(builder.known)} positions are found"):
        builder.grow_again(lambda: tell(0.0))
        clock = Clock(seconds)
        builder.grow(executor, workers, clock, lambda: tell(clock.elapsed))
    return builder.columns()
