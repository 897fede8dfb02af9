"""The compilation of searches, before a search or in the background of a game."""

import atexit
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from math import inf
from threading import Event, Lock, Thread
from time import perf_counter
from typing import TypeAlias, TypeGuard

from envs.bitboard import fits_in_wide_word, fits_in_word
from envs.compiled.jit import COMPILED_ANEW, ENDING, compiles
from envs.connectx import ConnectX

SILENT_SECONDS = 1.0
"""Compilation is announced after this time if code is being compiled, not only read from disk."""
LOOK_SECONDS = 0.1
"""The interval of later checks whether to announce it."""
SWITCH_SECONDS = 1e-4
"""The longest wait of the compiler, in the background of a game, for Python's lock after returning
from LLVM. It returns thousands of times, and Python's default of 5 ms would add up to minutes."""
FAREWELL_SECONDS = 10.0  # the longest wait for the compiler when Python exits


class Patience:
    """How long this process waits for searches to be compiled.

    By default it waits until a search is compiled. After `compile_beside_games` searches are
    compiled in the background, and the process waits only for the time set by `allow`.
    """

    def __init__(self) -> None:
        self.beside_games = False
        self.left = inf  # seconds

    def compile_beside_games(self) -> None:
        """Compile in the background from now on, and wait only for the time set by `allow`."""
        self.beside_games, self.left = True, 0.0

    def allow(self, seconds: float) -> None:
        """Let searches wait for this long in total, if they are compiled in the background."""
        if self.beside_games:
            self.left = seconds

    def wait(self, done: Event) -> None:
        """Wait for an event, for at most the time left."""
        begun = perf_counter()
        done.wait(None if self.left == inf else self.left)
        self.left = max(0.0, self.left - (perf_counter() - begun))


PATIENCE = Patience()


class WideBoards:
    """The boards of wide words for which this process compiles searches.

    Machine code is never freed, so a process whose users choose the boards sets `most`: only the
    first `most` boards are compiled, the others are searched in plain Python.
    """

    def __init__(self) -> None:
        self.most: int | None = None  # None: no limit
        self._taken: set[ConnectX] = set()
        self._taking = Lock()

    def take(self, board: ConnectX) -> bool:
        """Admit a board if the limit allows; return whether searches may be compiled for it."""
        with self._taking:
            if self.most is None or len(self._taken) < self.most:
                self._taken.add(board)
            return board in self._taken


WIDE_BOARDS = WideBoards()


IN_TURN = Lock()  # serialises the compilations in the background of a game
CREATING = Lock()  # held while a compilation is looked up, so that threads do not create two


class Compilation:
    """The compiled form of a search, created once per process.

    Args:
        search: the name of the search in messages.
        prove: compiles the search, and returns whether its results equal those of plain Python.
        board: the board of wide words for which it is compiled; None if one serves all boards.
        otherwise: how the search is run if that fails.
    """

    def __init__(
        self,
        search: str,
        prove: Callable[[], bool],
        board: ConnectX | None = None,
        otherwise: str = "run in plain Python",
    ) -> None:
        self._search = search
        self._prove = prove
        self._board = board
        self._otherwise = otherwise
        self._begun = False
        self._beginning = Lock()
        self._done = Event()
        self._usable = False

    def begin(self, beside: bool = False) -> None:
        """Begin to compile the search, in the background if `beside` or `PATIENCE.beside_games`."""
        with self._beginning:
            begins, self._begun = not self._begun, True
        if not begins:
            return
        self._done.clear()
        if beside or PATIENCE.beside_games:
            name = f"compiling {self._search}"
            thread = Thread(target=self._compile_beside, name=name, daemon=True)
            thread.start()
            atexit.register(end_thread, thread)
        else:
            Thread(target=self._announce, args=[len(COMPILED_ANEW)], daemon=True).start()
            self._compile()

    def is_ready(self, patient: bool = True) -> bool:
        """Whether the compiled search can be used now; begins to compile it if necessary.

        If `patient`, wait for the compiler as long as `PATIENCE` allows.
        """
        self.begin()
        if patient:
            PATIENCE.wait(self._done)
        return self._usable

    def has_failed(self) -> bool:
        """Whether compiling has failed."""
        return self._done.is_set() and not self._usable

    def _compile_beside(self) -> None:
        with IN_TURN, suppress(SystemExit):  # raised in the compiler by `ENDING`
            usual = sys.getswitchinterval()
            sys.setswitchinterval(SWITCH_SECONDS)
            try:
                self._compile()
            finally:
                sys.setswitchinterval(usual)

    def _compile(self) -> None:
        try:
            self._usable = compiles() and self._is_admitted() and self._proven()
        except KeyboardInterrupt:
            self._begun = False  # the next search tries again
            raise
        finally:
            self._done.set()

    def _announce(self, before: int) -> None:
        """Print that the search is being compiled, unless all of its code is cached on disk.

        `before` is the length of `COMPILED_ANEW` at the beginning.
        """
        silence = SILENT_SECONDS
        while not self._done.wait(silence):
            if len(COMPILED_ANEW) > before:
                self._say("being compiled, which takes some seconds")
                return
            silence = LOOK_SECONDS

    def _is_admitted(self) -> bool:
        if self._board is None or WIDE_BOARDS.take(self._board):
            return True
        self._say(f"{self._otherwise} ({WIDE_BOARDS.most} other large boards are compiled)")
        return False

    def _proven(self) -> bool:
        try:
            if self._prove():
                return True
            problem = "its results differ when it is compiled"
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        self._say(f"{self._otherwise} ({problem})")
        return False

    def _say(self, what: str) -> None:
        print(f"{self._search}: the search is {what}", file=sys.stderr)


def end_thread(thread: Thread) -> None:
    """Stop a compiling thread before the interpreter exits, because LLVM would crash."""
    ENDING.set()
    thread.join(FAREWELL_SECONDS)


RULES = ("initial_state", "current_player", "get_available_actions", "get_next_state", "reward")
"""The methods that a compiled game must inherit from ConnectX unchanged."""


def is_compiled_game(env: object) -> TypeGuard[ConnectX]:
    """Whether `env` is ConnectX on a board for which `fits_in_wide_word` is true.

    It is false for a subclass that changes the rules, which only the references search.
    """
    return (
        isinstance(env, ConnectX)
        and all(getattr(type(env), rule) is getattr(ConnectX, rule) for rule in RULES)
        and fits_in_wide_word(*env.size)
    )


def takes_wide_words(env: object) -> TypeGuard[ConnectX]:
    """Whether `env` can be compiled but needs more than 64 bits, and so its own compilation."""
    return is_compiled_game(env) and not fits_in_word(*env.size)


PROOF_BOARD = ConnectX(rows=4, columns=5, inarow=3)
"""The board on which code for all boards of 64 bits is compared with plain Python."""
Prove: TypeAlias = Callable[[ConnectX, bool | None], bool]
"""Compares a search on a board, with `rounded` of `compilation_on`."""


def compilation_on(env: ConnectX, search: str, prove: Prove, rounded: bool | None) -> Compilation:
    """The compilation of a search for a board; one serves all boards of 64 bits.

    A search by a learned value has its own, with `rounded` as in `LearnedValue.is_rounded`; None is
    a search without one.
    """
    with CREATING:
        return _known_compilation(env if takes_wide_words(env) else None, search, prove, rounded)


@lru_cache
def _known_compilation(
    wide: ConnectX | None, search: str, prove: Prove, rounded: bool | None
) -> Compilation:
    kind = "" if rounded is None else " with a network"
    place = "" if wide is None else f" on {wide!r}"
    return Compilation(f"{search}{kind}{place}", partial(prove, wide or PROOF_BOARD, rounded), wide)
