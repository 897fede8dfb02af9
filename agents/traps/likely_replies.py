"""Likely replies of an opponent: their probabilities by models, and their scores by the solver."""

from collections.abc import Mapping, Sequence

from agents.agent import Clock
from agents.book.repertoire import promising_moves
from agents.guidance.opponent_models import OpponentModel, probabilities_of
from agents.solver.exact_moves import ExactMoves
from agents.solver.solver import Solver
from agents.traps.trap_tree import Reply, Turn
from envs.bitboard import board_masks
from envs.board import BoardState

LEAST_LIKELY = 0.02  # replies that are less likely by every model are left out


class Judge:
    """Evaluates positions for a player who sets traps."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.env = solver.env
        self._board = board_masks(*self.env.size)
        self._known: dict[BoardState, Turn] = {}

    def forget(self) -> None:
        """Forget the judgements, for a new game."""
        self._known.clear()

    def turn(self, state: BoardState, clock: Clock) -> Turn:
        """Judge a position in which the player who sets traps is to move.

        Its moves are those that keep the draw in a drawn position, and those that prevent an
        immediate win in a lost one. TimeUp if the score was not proven in time.
        """
        if state not in self._known:
            self._known[state] = self._judged(state, clock)
        return self._known[state]

    def _judged(self, state: BoardState, clock: Clock) -> Turn:
        if not self.env.get_available_actions(state):
            return Turn(-1 if state.won else 0, ())
        clock.check()
        score = self.solver.bounds(state, clock.left, within=(-self._board.cells, 1)).proven()
        if score > 0:
            return Turn(1, ())
        return Turn(score, tuple(self._moves(state, score, clock)))

    def replies(
        self, state: BoardState, models: Mapping[int, OpponentModel], clock: Clock
    ) -> Sequence[Reply]:
        """Judge the opponent's replies that are likely by some model; `TimeUp` as in `turn`.

        `models` are keyed by their numbers in the search.
        """
        told = {n: probabilities_of(model, self.env, state) for n, model in models.items()}
        least = min(LEAST_LIKELY, *(max(chances.values()) for chances in told.values()))
        replies = []
        for column in self.env.get_available_actions(state):
            chances = {n: chance.get(column, 0.0) for n, chance in told.items()}
            if max(chances.values()) >= least:
                turn = self.turn(self.env.get_next_state(state, column), clock)
                replies.append(Reply(column, chances, turn))
        return replies

    def _moves(self, state: BoardState, score: int, clock: Clock) -> Sequence[int]:
        """The moves to choose from in a position that is not won."""
        moves = promising_moves(self._board, state)
        return moves if score < 0 else [c for c in moves if self._keeps_draw(state, c, clock)]

    def _keeps_draw(self, state: BoardState, column: int, clock: Clock) -> bool:
        clock.check()
        return self.solver.after(state, column, clock.left, within=(-1, 0)).proven() >= 0


class ExactJudge(Judge):
    """A judge for a player who sets traps only with exactly best moves."""

    def __init__(self, solver: Solver) -> None:
        super().__init__(solver)
        self._exact_moves = ExactMoves(solver)

    def _moves(self, state: BoardState, score: int, clock: Clock) -> Sequence[int]:
        return self._exact_moves.best(state, score, clock, Clock())
