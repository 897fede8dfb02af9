"""ConnectX by Kaggle's own rule functions: the oracle for rules and tactics."""

from dataclasses import dataclass
from functools import cache
from types import ModuleType, SimpleNamespace

from envs import BoardGame, BoardState
from submission.kaggle import kaggle_environments

EMPTY = 0


@cache
def kaggle_rules() -> ModuleType:
    """Kaggle's module with `play`, `is_win` and the interpreter."""
    module: ModuleType = kaggle_environments().envs.connectx.connectx
    return module


@dataclass
class KaggleGame:
    """A position on Kaggle's flat board, changed only by Kaggle's functions."""

    configuration: SimpleNamespace
    board: list[int]
    mark: int = 1
    winner: int | None = None

    @property
    def open_columns(self) -> list[int]:
        """The columns that Kaggle's interpreter accepts."""
        return [c for c in range(self.configuration.columns) if self.board[c] == EMPTY]

    @property
    def over(self) -> bool:
        """Whether the game is over, decided as by Kaggle's interpreter: a win, or a full board."""
        return self.winner is not None or EMPTY not in self.board

    def play(self, column: int) -> None:
        """Drop a stone of the player whose turn it is."""
        kaggle_rules().play(self.board, column, self.mark, self.configuration)
        if kaggle_rules().is_win(self.board, column, self.mark, self.configuration):
            self.winner = self.mark
        self.mark = 3 - self.mark

    def winning_columns(self) -> list[int]:
        """The columns with which the player whose turn it is wins at once."""
        is_win, configuration = kaggle_rules().is_win, self.configuration
        return [
            column
            for column in self.open_columns
            if is_win(self.board, column, self.mark, configuration, has_played=False)
        ]

    def safe_columns(self) -> list[int]:
        """The columns after which the opponent cannot win at once."""
        return [column for column in self.open_columns if not self.after(column).winning_columns()]

    def after(self, column: int) -> "KaggleGame":
        """The position after a stone in `column`."""
        child = KaggleGame(self.configuration, [*self.board], self.mark)
        child.play(column)
        return child


def kaggle_game(env: BoardGame, state: BoardState) -> KaggleGame:
    """The unfinished position `state` as Kaggle's."""
    configuration = SimpleNamespace(rows=env.rows, columns=env.columns, inarow=env.inarow)
    return KaggleGame(configuration, env.to_board(state), state.player)
