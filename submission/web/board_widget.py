"""A board in a notebook: a person plays an agent, a submission, or another person.

An anywidget made of the web page's board and `widget.js`. The game is kept in Python; the browser
reports clicks and shows the view that it receives. Searches run in a thread, so that the kernel
stays responsive; a reply to a position that is no longer on the board is discarded.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from threading import RLock
from time import monotonic
from typing import Any

import anywidget
import traitlets
from IPython.display import display

from agents.agent import Agent
from agents.book.opening_book import shipped_book_of
from agents.solver.solver import Solver
from agents.solver.solver_engine import is_solvable
from envs.board import BoardGame, BoardState, moves_text
from envs.connectx import ConnectFour
from envs.games import GAMES, game_entry
from envs.protocol import is_number
from envs.render import SYMBOLS
from envs.shown_position import show
from submission.building import PlayerLike, as_player
from submission.play.game_history import History, played_position, position_view
from submission.play.opponent import OpponentFailed, find_opponent
from submission.play.session import verdict
from submission.web.one_script import one_script
from submission.web.searching.values import growing_values
from submission.web.searching.views import values_view

HERE = Path(__file__).parent
CREATE_BOARD = "const { createBoard } = modules.board;\nconst { h } = modules.dom;\n"
"""JavaScript placed between the bundled modules of the board and `widget.js`."""

LEAST_SECONDS, MOST_SECONDS = 0.01, 60.0
VALUES_SECONDS = 30.0  # for the values of a position; what is unproven by then stays unknown
PAUSE = 0.1  # the least seconds between two updates of the values shown
LARGEST = 20  # the most rows or columns of a board
STAND_IN = {"text/plain": "(the board to play on)", "text/html": ""}
"""Shown where the widget is missing; the picture above it already shows the position."""


class Board(anywidget.AnyWidget):
    """An interactive board, shown as the last line of a cell and played by mouse or keyboard.

    The traits `moves`, `seat` and `values` can be observed and set.

    Args:
        env: a board game; Connect Four by default.
        opponent: an agent or a level by name, such as `mcts:simulations=500` or `level:n=3`; the
            path of a submission; an agent; a submission or a function that `connectx.evaluate`
            accepts; or None for two people.
        seat: the person's seat: 1 moves first, 2 second.
        seconds: the time for each of the opponent's moves.
        moves: the plies already played, as a move string.
        values: whether to show the value of each move.

    Raises:
        ValueError: an unknown game, opponent or seat, an illegal move, or a number out of range.
        OSError: a submission cannot be read.
    """

    _esm = one_script("board", {}) + CREATE_BOARD + (HERE / "widget.js").read_text(encoding="utf-8")
    moves = traitlets.Unicode(help="The plies as a move string: columns or cells from 1.")
    seat = traitlets.Int(1, help="The person's: 1 moves first, 2 second.")
    values = traitlets.Bool(help="Whether to show what each move is worth.")
    view = traitlets.Dict(help="What the browser shows.").tag(sync=True)

    def __init__(
        self,
        env: BoardGame | None = None,
        opponent: PlayerLike | None = "mcts",
        *,
        seat: int = 1,
        seconds: float = 1.0,
        moves: str = "",
        values: bool = False,
    ) -> None:
        # First, because `close` is called even if an argument is refused.
        self._thread = ThreadPoolExecutor(1, "board")
        self._values_thread = ThreadPoolExecutor(1, "board-values")
        self._seated = ExitStack()
        self.env = _playable(ConnectFour() if env is None else env)
        if not is_number(seconds) or not LEAST_SECONDS <= seconds <= MOST_SECONDS:
            limits = f"{LEAST_SECONDS} to {MOST_SECONDS:g}"
            raise ValueError(f"seconds must be from {limits}, not {seconds!r}")
        self.seconds = float(seconds)
        if not isinstance(opponent, str | Path | Agent | None):
            opponent = as_player(opponent)
        self._opponent = None if opponent is None else find_opponent(opponent, self.env)
        self._position = played_position(self.env, moves)
        self._opening = len(self._position.actions)
        self._error = ""
        self._lock = RLock()
        self._asked: History | None = None
        self._valued: History | None = None
        self._move_values: dict[int, Any] | None = None
        self._is_seated = False
        super().__init__(moves=moves_text(self._position.actions), seat=seat, values=values)
        self.on_msg(self._receive)
        self.observe(self._settle, ["moves", "seat", "values"])
        self._settle()

    @property
    def state(self) -> BoardState:
        """The current state of the game."""
        return self._position.state

    def play(self, action: int) -> None:
        """Play an action, counted from 0, for the player to move; an opponent replies in a thread.

        Raises:
            ValueError: the action is illegal.
        """
        with self._lock:
            self.env.get_next_state(self.state, action)
            self.moves = moves_text((*self._position.actions, action))

    def undo(self) -> None:
        """Take back the person's last move and the reply; between two people, the last move.

        Raises:
            ValueError: there is no such move.
        """
        with self._lock:
            history = History(self.env, self._position.actions, self._opening)
            mover = 3 - self.state.player if self._opponent is None else self.seat
            self.moves = moves_text(history.before_last_turn_of(mover).actions)

    def new_game(self) -> None:
        """Begin again from the empty board."""
        self._opening = 0
        self.moves = ""

    def close(self) -> None:
        """Stop the opponent and close the widget."""
        self._valued = None
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._values_thread.shutdown(wait=False, cancel_futures=True)
        self._seated.close()
        super().close()

    def __repr__(self) -> str:
        """The board as text."""
        return str(show(self.env, self.state))

    def _ipython_display_(self) -> None:
        """Display the picture of the position, then the widget, which replaces it.

        The widget appears only after this kernel has answered it, so that a page exported from the
        notebook keeps the picture. The two are separate outputs, because exporters keep only the
        widget of an output that has one.
        """
        position = show(self.env, self.state)
        picture = f'<div class="{self._picture_class}">{position.as_html()}</div>'
        _put_out({"text/plain": str(position), "text/html": picture}, {})
        widget, metadata = self._repr_mimebundle_() or ({}, {})
        _put_out({**widget, **STAND_IN}, metadata)

    @property
    def _picture_class(self) -> str:
        return f"connectx-picture-{self.model_id}"

    @traitlets.validate("moves")
    def _legal_moves(self, proposal: Any) -> str:
        return moves_text(played_position(self.env, proposal["value"]).actions)

    @traitlets.validate("seat")
    def _existing_seat(self, proposal: Any) -> int:
        if proposal["value"] not in (1, 2):
            raise ValueError(f"the seat must be 1 or 2, not {proposal['value']!r}")
        return int(proposal["value"])

    def _receive(self, _: object, content: Mapping[str, Any], buffers: object) -> None:
        """Carry out a command of the browser; an error is shown below the board."""
        commands: dict[str, Callable[[], object]] = {
            "greet": lambda: self.send({"picture": self._picture_class}),
            "play": lambda: self._play_clicked(content.get("action")),
            "undo": self.undo,
            "new_game": self.new_game,
            "swap_seats": lambda: self.set_trait("seat", 3 - self.seat),
            "toggle_values": lambda: self.set_trait("values", not self.values),
        }
        command = commands.get(str(content.get("command")))
        try:
            if command is not None:
                command()
        except ValueError as error:
            self._fail(self._position, f"{error}.")

    def _play_clicked(self, action: object) -> None:
        if isinstance(action, int) and self._is_persons_turn:
            self.play(action)

    @property
    def _is_persons_turn(self) -> bool:
        is_mover = self._opponent is None or self.state.player == self.seat
        return is_mover and not self._position.is_over

    def _settle(self, _: object = None) -> None:
        """Show the position, and start the opponent's reply if it is to move."""
        with self._lock:
            if self.moves != moves_text(self._position.actions):
                self._position = played_position(self.env, self.moves)
                self._opening = min(self._opening, len(self._position.actions))
                self._error = ""
            waits = not (self._is_persons_turn or self._position.is_over)
            if waits and self._asked != self._position:
                self._asked = self._position
                self._thread.submit(self._reply, self._position)
            elif not waits:
                self._asked = None
            self._follow_values()
            self._show()

    def _follow_values(self) -> None:
        """Start to value the moves of the position, if wanted and not yet started."""
        wanted = self._position if self.values and not self._position.is_over else None
        if wanted != self._valued:
            self._valued, self._move_values = wanted, None
            if wanted is not None:
                self._values_thread.submit(self._value_moves, wanted)

    def _value_moves(self, position: History) -> None:
        """Show the values of a position as they become known, until the position changes."""
        if self._valued is not position:
            return
        shown = 0.0
        for found in growing_values(self.env, position.state, self._solver, VALUES_SECONDS):
            with self._lock:
                if self._valued is not position:
                    return
                if found.done or monotonic() - shown > PAUSE:
                    columns = values_view(found)["columns"]
                    self._move_values = {value["action"]: value for value in columns}
                    self._show()
                    shown = monotonic()

    @cached_property
    def _solver(self) -> Solver | None:
        """The solver of the board; None if the game or the board's size is not supported."""
        if is_solvable(self.env):
            return Solver(self.env, book=shipped_book_of(self.env))
        return None

    def _reply(self, position: History) -> None:
        """Play the opponent's move, unless the position has changed."""
        if self._asked is not position or self._opponent is None:
            return
        try:
            if not self._is_seated:
                self._seated.enter_context(self._opponent.seated())
                self._is_seated = True
            action = self._opponent.choose(self.env, position.state, self.seconds)
            position.after(action)
        except (ImportError, OSError, OpponentFailed, ValueError) as error:
            self._fail(position, str(error))
            return
        except Exception as error:  # a bug of an agent under development
            what = f"{type(error).__name__}: {error}"
            self._fail(position, f"{self._opponent.name} has failed ({what}).")
            return
        with self._lock:
            if self._asked is position and self.moves == moves_text(position.actions):
                self.moves = moves_text((*position.actions, action))

    def _fail(self, position: History, sentence: str) -> None:
        with self._lock:
            if self._position is position:
                self._error = sentence
                self._show()

    def _show(self) -> None:
        turns = [*self._position.states[self._opening : -1]]
        self.view = {
            **position_view(self._position),
            "interactive": self._is_persons_turn,
            "values": self._move_values,
            "values_shown": self.values,
            "opponent": None if self._opponent is None else self._opponent.name,
            "undoable": any(self._opponent is None or state.player == self.seat for state in turns),
            "message": self._error or self._message(),
        }

    def _message(self) -> str:
        name = None if self._opponent is None else self._opponent.name
        winner, player = self.env.winner(self.state), self.state.player
        if self._position.is_over:
            person = None if name is None else self.seat
            return verdict(self._position, person, name or f"Player {winner}")
        if name is None:
            return f"Player {player} ({SYMBOLS[player]}) is to move."
        if self._is_persons_turn:
            return f"Your move ({SYMBOLS[player]})."
        return f"{name} ({SYMBOLS[player]}) is thinking …"


def _put_out(forms: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
    display(forms, raw=True, metadata=metadata)  # type: ignore[no-untyped-call]


def _playable(env: BoardGame) -> BoardGame:
    if not isinstance(env, BoardGame):
        raise ValueError(f"a board takes one of the games {', '.join(GAMES)}, not {env!r}")
    game_entry(env)
    if max(env.rows, env.columns) > LARGEST:
        raise ValueError(f"a board has at most {LARGEST} rows and columns, unlike {env!r}")
    return env
