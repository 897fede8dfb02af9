"""The base of all line games: states, turns, rewards, Kaggle's flat board, move strings.

A move string is a game as text: `"4453"` is four plies, with actions counted from 1.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property, reduce
from typing import NamedTuple

from envs.bitboard import cell_bit, has_line, line_steps, mirrored, winning_lines
from envs.protocol import Action, Env, State, illegal_action, legal_advice, require_count

EMPTY = 0


class BoardState(NamedTuple):
    """A position: bitboards as in `envs.bitboard`, the player to move, and whether it is won."""

    mover: int  # stones of the player to move
    mask: int  # stones of both players
    player: int  # the player to move: 1 or 2
    won: bool  # whether the player who has just moved has a line, which ends the game

    @classmethod
    def of_stones(cls, mover: int, mask: int, won: bool = False) -> "BoardState":
        """Make the position with these stones; their number determines the player to move."""
        return cls(mover, mask, 1 + mask.bit_count() % 2, won)

    @property
    def ply(self) -> int:
        """The number of stones on the board."""
        return self.mask.bit_count()

    @property
    def key(self) -> int:
        """A number unique to these stones."""
        return self.mover + self.mask

    def mirrored(self, rows: int, columns: int) -> "BoardState":
        """The mirror image on a board of this size."""
        mover, mask = (mirrored(rows, columns, stones) for stones in self[:2])
        return BoardState(mover, mask, self.player, self.won)

    def smaller_image(self, rows: int, columns: int) -> "BoardState":
        """The position or its mirror image, whichever has the smaller key."""
        return min(self, self.mirrored(rows, columns), key=lambda state: state.key)


new_state = tuple.__new__
"""`new_state(BoardState, fields)` skips the argument handling of NamedTuple, for speed."""


class BoardGame(ABC):
    """The base of games where two players place stones in turn and the first line wins.

    A subclass defines where a stone may go (`get_available_actions` and `get_next_state`, and
    `action_cells` where an action is not a cell). `envs.games` lists it; other packages add theirs
    by `envs.register_game`. An action is legal while one of its cells is free. The cells of an
    action are adjacent in one column, and the mirror image of an action is an action, too.

    Args:
        rows: height of the board, at least 1.
        columns: width of the board, at least 1.
        inarow: how many stones in a row win, at least 1; if the board is too small for a line, no
            one wins. All three may be NumPy integers.

    Raises:
        ValueError: one of them is not a whole number of at least 1.
    """

    def __init__(self, rows: int, columns: int, inarow: int) -> None:
        self.rows = require_count("rows", rows)
        self.columns = require_count("columns", columns)
        self.inarow = require_count("inarow", inarow)
        self.line_steps = line_steps(self.rows, self.inarow)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(rows={self.rows}, columns={self.columns}, inarow={self.inarow})"
        )

    @property
    def size(self) -> tuple[int, int, int]:
        """Rows, columns and stones in a row."""
        return self.rows, self.columns, self.inarow

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and repr(other) == repr(self)

    def __hash__(self) -> int:
        return hash(repr(self))

    @cached_property
    def winning_lines(self) -> tuple[int, ...]:
        """Every line that wins, as a mask of its cells."""
        return tuple(winning_lines(self.rows, self.columns, self.inarow))

    @cached_property
    def cell_masks(self) -> tuple[int, ...]:
        """The mask of each cell, row by row from the top left, as on Kaggle's flat board."""
        return tuple(
            cell_bit(self.rows, row, column)
            for row in range(self.rows)
            for column in range(self.columns)
        )

    @cached_property
    def action_cells(self) -> Sequence[int]:
        """The mask of the cells that each action can fill; a stone takes the lowest free one.

        By default each cell is an action; other games set this in their constructor.
        """
        return list(self.cell_masks)

    @property
    def action_count(self) -> int:
        """How many actions there are, legal or not."""
        return len(self.action_cells)

    def initial_state(self) -> BoardState:
        """Return the empty board, player 1 to move."""
        return BoardState(mover=0, mask=0, player=1, won=False)

    def current_player(self, state: BoardState) -> int:
        """Return the player to move: 1 or 2."""
        return state.player

    @abstractmethod
    def get_available_actions(self, state: BoardState) -> Sequence[int]:
        """Return the legal actions in ascending order; empty exactly when the game is over."""

    @abstractmethod
    def get_next_state(self, state: BoardState, action: int) -> BoardState:
        """Return the state after `action`.

        Raises:
            ValueError: the action is illegal.
        """

    def reward(self, state: BoardState, action: int) -> float:
        """Return +1.0 when `action` makes player 1 win, -1.0 when it makes player 2 win, else 0.0.

        Raises:
            ValueError: the action is illegal.
        """
        if not self.get_next_state(state, action).won:
            return 0.0
        return 1.0 if state.player == 1 else -1.0

    def stones(self, state: BoardState) -> tuple[int, int]:
        """Return the bitboards of player 1 and of player 2."""
        other = state.mask ^ state.mover
        return (state.mover, other) if state.player == 1 else (other, state.mover)

    def winner(self, state: BoardState) -> int | None:
        """Return the player who has a line, or None."""
        return 3 - state.player if state.won else None

    def result(self, state: BoardState) -> float:
        """Return +1.0 where player 1 has a line, -1.0 where player 2 has, else 0.0."""
        return 0.0 if not state.won else -1.0 if state.player == 1 else 1.0

    def winning_cells(self, state: BoardState) -> list[tuple[int, int]]:
        """Return the cells (row from the top, column) of the winner's lines; none before a win."""
        if not state.won:
            return []
        winner_stones = state.mask ^ state.mover
        covered = 0
        for line in self.winning_lines:
            if winner_stones & line == line:
                covered |= line
        return [divmod(n, self.columns) for n, cell in enumerate(self.cell_masks) if covered & cell]

    def to_board(self, state: BoardState) -> list[int]:
        """Kaggle's flat board: row by row from the top; 0 empty, 1 and 2 the players' stones."""
        player_1, player_2 = self.stones(state)
        return [
            1 if player_1 & cell else 2 if player_2 & cell else EMPTY for cell in self.cell_masks
        ]

    def from_board(self, board: Sequence[int], player: int | None = None) -> BoardState:
        """Return the state of a flat board.

        Args:
            board: `rows * columns` cells in the format of `to_board`.
            player: the player to move; None derives it from the number of stones. If it is given,
                the players may have any numbers of stones, as in a puzzle.

        Raises:
            ValueError: a wrong number of cells, a cell other than 0, 1 and 2, a player other than
                1 and 2, numbers of stones that no game has (if `player` is None), or a line of the
                player to move.
        """
        if len(board) != self.rows * self.columns:
            raise ValueError(
                f"a board of {self.rows} rows and {self.columns} columns has "
                f"{self.rows * self.columns} cells, not {len(board)}"
            )
        stones = {1: 0, 2: 0}
        for index, (content, cell) in enumerate(zip(board, self.cell_masks, strict=True)):
            if content in (1, 2):
                stones[content] |= cell
            elif content != EMPTY:
                raise ValueError(f"cell {index} of the board is {content!r}: 0, 1 or 2 is expected")
        if player is None:
            ahead = stones[1].bit_count() - stones[2].bit_count()
            if ahead not in (0, 1):
                raise ValueError(
                    f"player 1 is {ahead} stones ahead on this board, but 0 or 1 in a game: "
                    "say whose turn it is to allow this"
                )
            player = 1 + ahead
        if player not in (1, 2):
            raise ValueError(f"the player to move must be 1 or 2, not {player!r}")
        if has_line(stones[player], self.line_steps):
            raise ValueError(f"player {player} is to move but has a line already: the game is over")
        return BoardState(
            mover=stones[player],
            mask=stones[1] | stones[2],
            player=player,
            won=has_line(stones[3 - player], self.line_steps),
        )

    def _illegal(self, state: BoardState, action: object) -> ValueError:
        return illegal_action(action, state, self.get_available_actions(state))


def parse_moves(moves: str) -> list[int]:
    """Return the actions of a move string, counted from 0.

    Args:
        moves: a digit for each ply, as in `"4453"`; or numbers separated by commas or blanks, as
            in `"4, 4, 12"`, which numbers above 9 need.

    Raises:
        ValueError: something other than numbers of at least 1, or no number before a comma.
    """
    if not isinstance(moves, str):
        raise ValueError(f"moves must be a string such as '4453', not {moves!r}")
    if ",," in "".join(f",{moves}".split()):
        raise ValueError(f"a number is missing before a comma in the moves {moves!r}")
    numbers = moves.replace(",", " ").split()
    if len(numbers) == 1 and "," not in moves:
        numbers = list(numbers[0])
    for number in numbers:
        if not (number.isascii() and number.isdigit() and int(number) >= 1):
            raise ValueError(f"the moves {moves!r} contain {number!r}: write numbers from 1 on")
    return [int(number) - 1 for number in numbers]


def moves_text(actions: Sequence[int]) -> str:
    """Return the plies as a move string that `parse_moves` reads."""
    if all(action < 9 for action in actions):
        return "".join(str(action + 1) for action in actions)
    separated = ",".join(str(action + 1) for action in actions)
    return separated if "," in separated else f"{separated},"


def state_after(env: Env[State, Action], actions: Iterable[Action]) -> State:
    """Return the state after `actions` from the initial state; ValueError if one is illegal."""
    return reduce(env.get_next_state, actions, env.initial_state())


def state_from_moves(env: Env[State, int], moves: str) -> State:
    """Return the state after the plies of a move string, from the initial state.

    Raises:
        ValueError: not a move string, or an illegal move; the message says at which ply.
    """
    state = env.initial_state()
    for ply, action in enumerate(parse_moves(moves), start=1):
        legal = [number + 1 for number in env.get_available_actions(state)]
        if action + 1 not in legal:
            raise ValueError(f"move {ply} of {moves!r} is {action + 1}: {legal_advice(legal)}")
        state = env.get_next_state(state, action)
    return state
