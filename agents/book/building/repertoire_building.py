"""The computation of a repertoire, in shards that any executor can run.

A player's plies are computed in turn: the moves of one ply, and every reply to them, give the
positions of the next.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

from agents.agent import Clock, OnProgress
from agents.book.building.shards import kept_by_thread, run_shards
from agents.book.opening_book import shipped_book_of
from agents.book.repertoire import Repertoire, RepertoireScope, bit_key, promising_moves
from agents.book.retrieval import BitField, make_bit_field
from agents.solver.exact_moves import ExactMoves
from agents.solver.solver import Solver
from agents.traps.likely_replies import ExactJudge, Judge
from agents.traps.trap_setter import TrapSetter
from agents.traps.trap_tree import Turn
from envs.board import BoardState
from envs.connectx import ConnectX

OnMoves = Callable[[Mapping[int, int]], None]
"""Takes the found columns, by the keys of their positions."""

TRIALS = 15  # trials of the search for traps in a position that is not won


@dataclass
class RepertoireBuilder:
    """Finds the moves of a repertoire."""

    scope: RepertoireScope
    executor: Executor
    table_megabytes: int  # size of each worker's transposition table
    columns: dict[int, int]
    """By key, the column of each position with several promising moves: at first those of an
    earlier run, in the end all of them."""
    on_moves: OnMoves  # takes each new column as soon as it is found
    on_ply: OnProgress
    """Takes the number of finished positions of a ply, their total, and the ply."""
    choice: str = "best"
    """The choice of moves in positions that a player meets, one of `MoveChooser.choices`."""

    def __post_init__(self) -> None:
        self.board = self.scope.board
        self.game = ConnectX(*self.scope[:3])
        self._bits: dict[int, int] = {}

    def build(self) -> BitField:
        """Find all moves."""
        for player in (1, 2):
            last = self.scope.plies_of(player)
            for ply, positions in positions_met(self.game, player, last, self._column):
                self._find(positions, f"player {player}, ply {ply} of {last}", self.choice)
        positions, last = [self.game.initial_state()], self.scope.all_plies
        for ply in range(last + 1):
            self._find(positions, f"all positions, ply {ply} of {last}", "first")
            positions = following(self.game, positions)
        return make_bit_field(self._bits)

    def _column(self, state: BoardState) -> int:
        """The column of the repertoire's move."""
        columns = promising_moves(self.board, state)
        return columns[0] if len(columns) == 1 else self.columns[state.key]

    def _find(self, positions: Iterable[BoardState], ply: str, choice: str) -> None:
        """Find the moves of the positions of a ply, and enter their bits."""
        choices = {
            state: columns
            for state in sorted(positions, key=lambda state: state.key)
            if len(columns := promising_moves(self.board, state)) > 1
        }
        unknown = [state for state in choices if state.key not in self.columns]
        done = len(choices) - len(unknown)
        self.on_ply(done, len(choices), ply)
        work = partial(columns_of, self.game, self.table_megabytes, choice)
        for columns_found in run_shards(self.executor, work, unknown):
            found = {state.key: column for state, column in columns_found.items()}
            self.on_moves(found)
            self.columns |= found
            done += len(found)
            self.on_ply(done, len(choices), ply)
        for state, columns in choices.items():
            chosen = columns.index(self.columns[state.key])
            for rank in range(min(chosen + 1, len(columns) - 1)):
                self._bits[bit_key(state, rank)] = int(rank == chosen)


def following(game: ConnectX, states: Iterable[BoardState]) -> list[BoardState]:
    """The unfinished positions after each move, without mirror images."""
    found = dict[int, BoardState]()
    for state in states:
        for column in game.get_available_actions(state):
            child = game.get_next_state(state, column)
            if game.get_available_actions(child):
                image = child.smaller_image(game.rows, game.columns)
                found[image.key] = image
    return [*found.values()]


def positions_met(
    game: ConnectX, player: int, last: int, column: Callable[[BoardState], int]
) -> Iterator[tuple[int, list[BoardState]]]:
    """The plies of a player up to the last one, each with the positions that the player can meet.

    The player's `column` in these positions is asked for only before the next ply.
    """
    positions = [game.initial_state()]
    if player == 2:
        positions = following(game, positions)
    for ply in range(player - 1, last + 1, 2):
        yield ply, positions
        if ply + 2 <= last:
            moved = (game.get_next_state(state, column(state)) for state in positions)
            positions = following(game, moved)


def columns_of_book(book: Repertoire, player: int) -> dict[int, int]:
    """By key, the columns in the positions that a player meets who follows a book."""
    game, last, found = ConnectX(*book.scope[:3]), book.scope.plies_of(player), dict[int, int]()
    for _, positions in positions_met(game, player, last, lambda state: found[state.key]):
        found.update({state.key: book.column(state) for state in positions})
    return found


def columns_of(
    game: ConnectX, table_megabytes: int, choice: str, states: Sequence[BoardState]
) -> list[int]:
    """The columns of some positions, in their order, by one of `MoveChooser.choices`."""
    chooser = _chooser(game, table_megabytes)
    chooser.forget()
    return [chooser.choices[choice](state) for state in states]


class MoveChooser:
    """Chooses moves of a repertoire that keep the result."""

    def __init__(self, env: ConnectX, table_megabytes: int) -> None:
        solver = Solver(env, table_megabytes, book=shipped_book_of(env))
        self.exact_moves = ExactMoves(solver)
        self._exact = TrapSetter(ExactJudge(solver))
        self._traps = TrapSetter(Judge(solver))
        self.choices: Mapping[str, Callable[[BoardState], int]] = {
            "first": self.first,
            "best": self.best,
            "traps": self.trap,
        }
        """By name: a function that chooses the column in an unfinished position."""

    def forget(self) -> None:
        """Forget the judgements, to limit memory, but keep the solver's table."""
        self._exact.forget()
        self._traps.forget()

    def first(self, state: BoardState) -> int:
        """The first exactly best move that is found."""
        score = self.exact_moves.score(state, Clock())
        return self.exact_moves.best(state, score, Clock(), Clock(0))[0]

    def best(self, state: BoardState) -> int:
        """The exactly best move after which the opponent is most likely to err.

        In a won position it is the one after which the largest share of replies are mistakes.
        """
        score = self.exact_moves.score(state, Clock())
        best = self.exact_moves.best(state, score, Clock(), Clock())
        if score > 0:
            return self.exact_moves.hardest_to_answer(state, score, best, Clock())
        return self._exact.best(state, Turn(score, tuple(best)), Clock(), TRIALS)

    def trap(self, state: BoardState) -> int:
        """The move that keeps the result and after which a likely opponent errs most."""
        turn = self._traps.judge.turn(state, Clock())
        if turn.score > 0:
            return self.first(state)
        return self._traps.best(state, turn, Clock(), TRIALS)


_chooser = kept_by_thread(MoveChooser)  # its solver's table serves all shards
