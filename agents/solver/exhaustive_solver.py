"""Exact scores of small games, such as tic-tac-toe, by looking at each position once."""

from agents.agent import legal_actions
from envs.board import BoardGame, BoardState


class ExhaustiveSolver:
    """Solves positions of any board game; only small boards have few enough of them.

    Scores are those of `agents.solver.solver.ScoreBounds`: from the view of the player to move, one
    more than the stones that the winner has left.

    Args:
        env: the game.
    """

    def __init__(self, env: BoardGame) -> None:
        self.env = env
        self._known: dict[BoardState, int] = {}

    def score(self, state: BoardState) -> int:
        """The exact score of a position.

        Raises:
            ValueError: the game is over.
        """
        if state not in self._known:
            self._known[state] = max(self.scores(state).values())
        return self._known[state]

    def outcome(self, state: BoardState) -> int:
        """1 where the player to move wins, 0 for a draw, -1 for a loss.

        Raises:
            ValueError: the game is over.
        """
        score = self.score(state)
        return (score > 0) - (score < 0)

    def scores(self, state: BoardState) -> dict[int, int]:
        """The score of each legal action, from the view of the player to move in `state`.

        Raises:
            ValueError: the game is over.
        """
        return {
            action: self._score_of_move(self.env.get_next_state(state, action))
            for action in legal_actions(self.env, state)
        }

    def _score_of_move(self, child: BoardState) -> int:
        if child.won:
            return (self.env.rows * self.env.columns + 2 - child.mask.bit_count()) // 2
        return -self.score(child) if self.env.get_available_actions(child) else 0
