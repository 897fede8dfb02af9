"""Checks that a file plays like the function from which it was made."""

import logging
import random
import signal
import sys
from _thread import interrupt_main
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from copy import deepcopy
from io import StringIO
from pathlib import Path
from threading import Event, Timer, current_thread, main_thread
from time import perf_counter
from types import FrameType
from typing import Any, NamedTuple

from envs.board import moves_text
from submission.arena.game_record import GameConfiguration
from submission.arena.own_referee import OwnGame
from submission.bundle.functions.fresh_state import StateName, as_written, last_callable
from submission.bundle.hidden_files import hidden_files
from submission.sandbox.causes import DO_NOT_PICKLE, NO_MODULE_TO_PICKLE, UNPICKLED
from submission.sandbox.inside.player_process import seed_generators

POSITIONS = 100

PROOF_SECONDS = 2.0  # seconds after which no further position is asked about
LOAD_SECONDS = 20.0  # how long the file may take to load

REPEATS = 20
"""How often both are asked again if they differ, because chance or clocks may be the reason."""

LEAST_REPEATS = 4  # for slow players that always answer the same, or if one of them fails

RULES = GameConfiguration()  # those of the competition

FAILURE = "an exception"

READ_ABOVE = (
    "read it at the top of its module, by a statement such as NAME = ..., so that its value goes "
    "into the file"
)

CHANGED_SINCE = (
    "Something that it uses has changed since it was defined, or is filled in by code that does "
    "not go into the file, such as fill(TABLE), or is only named in a text, as in "
    "globals()['NAME']: run its definition again, fill it in by a statement such as "
    "TABLE[key] = value, or save it and read it from a file"
)


class Position(NamedTuple):
    """A position of Connect Four."""

    moves: str  # columns counted from 1
    observation: dict[str, Any]

    def __str__(self) -> str:
        if not self.moves:
            return "on the empty board"
        return f"after the moves {self.moves} (columns counted from 1)"


class Answer(NamedTuple):
    """An agent's answer; all failures count as equal."""

    text: str
    error: BaseException | None = None

    def __str__(self) -> str:
        return f"fails with {self.error!r}" if self.error else f"answers {self.text}"


def require_same(
    agent: Any,
    name: str,
    state: Sequence[StateName],
    loaded: Mapping[str, Any],
    played: Mapping[str, Any],
) -> str | None:
    """Ask a function and its file for moves in positions of random games, in both seats.

    Both start with the values in the source, not with those left by games, and draw the same random
    numbers. They differ if neither ever gives an answer that the other gives. `name` is the
    function's in messages; for the other arguments see `as_written`.

    Returns:
        A sentence about the first position in which both fail; None if there is none.

    Raises:
        ValueError: they differ, or read a file.
    """
    with (
        _unnoticed(),
        as_written(agent, state, loaded, played) as asked,
        hidden_files(name, READ_ABOVE),
    ):
        note, from_file = None, last_callable(loaded)
        for number, position in _positions_in_time():
            ours, theirs = (_ask(player, position, number) for player in (asked, from_file))
            if ours.text != theirs.text and _are_apart(asked, from_file, position):
                raise ValueError(
                    f"{name} and its file differ: {position} {name} {ours} and the file {theirs}. "
                    + (_without_module(theirs.error) or CHANGED_SINCE)
                )
            if ours.error and theirs.error and note is None:
                note = f"It {ours} {position}."
        return note


def play(name: str, loaded: Mapping[str, Any]) -> None:
    """Ask a loaded file for moves in the same positions; ValueError if it reads a file."""
    agent = last_callable(loaded)
    with _unnoticed(), hidden_files(name, READ_ABOVE):
        for number, position in _positions_in_time():
            _ask(agent, position, number)


def _positions_in_time() -> Iterator[tuple[int, Position]]:
    end = None
    for number, position in enumerate(positions()):
        yield number, position
        end = end or perf_counter() + PROOF_SECONDS  # the first answer may include compiling
        if perf_counter() > end:
            return


def _are_apart(agent: Callable[..., Any], other: Callable[..., Any], position: Position) -> bool:
    """Whether the two, asked several times, have no answer in common."""
    ours, theirs = set[str](), set[str]()
    end = perf_counter() + PROOF_SECONDS
    for seed in range(REPEATS):
        if seed >= LEAST_REPEATS and perf_counter() > end:
            return len(ours | theirs) == 2 or FAILURE in ours | theirs
        ours.add(_ask(agent, position, seed).text)
        theirs.add(_ask(other, position, seed).text)
        if not ours.isdisjoint(theirs):
            return False
    return True


def _ask(agent: Callable[..., Any], position: Position, seed: int) -> Answer:
    seed_generators(seed)
    asked = [_Struct(**deepcopy(position.observation)), _Struct(**RULES.for_players())]
    code = getattr(agent, "__code__", None)
    try:
        answer = agent(*asked[: code.co_argcount if code else 2])
        return Answer(repr(deepcopy(answer)))  # Kaggle copies it, too
    except (Exception, SystemExit) as error:
        return Answer(FAILURE, error.with_traceback(None))  # which would keep what it answered


class _Struct(dict[str, Any]):
    """A dict whose items are attributes as well, like Kaggle's."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(fields)
        self.__dict__ = self


def positions() -> Iterator[Position]:
    """The positions that player 1 meets in one random game, player 2 in the next, and so on."""
    chance = random.Random(0)
    met, seat = 0, 0
    while met < POSITIONS:
        game = OwnGame(RULES)
        while met < POSITIONS and not game.over:
            if game.mover == seat:
                met += 1
                yield Position(moves_text(game.columns), game.observation())
            game.drop(chance.choice(game.legal_columns()))
        seat = 1 - seat


def load(name: str, text: str, path: Path) -> dict[str, Any]:
    """What a file defines when it is loaded as on Kaggle; ValueError if it fails or is slow.

    It is first written to a path, as on Kaggle: Numba's `cache=True` needs an existing file.
    """
    loaded: dict[str, Any] = {}
    with hidden_files(name, READ_ABOVE):
        path.write_text(text, encoding="utf-8")
        try:
            with _unnoticed(), _limited(LOAD_SECONDS):
                seed_generators(None)
                exec(compile(text, path, "exec"), loaded)  # noqa: S102
        except TimeoutError as error:
            raise ValueError(
                f"the file of {name} takes more than {LOAD_SECONDS:.0f} s to load: compute its "
                "values beforehand, save them by numpy.save or json.dump, and read them instead, "
                "so that they go into the file as data"
            ) from error
        except (Exception, SystemExit) as error:
            why = _without_module(error)
            raise ValueError(
                f"the file of {name} fails when it is loaded: {error!r}{why and f'. {why}'}"
            ) from error
    return loaded


def _without_module(error: BaseException | None) -> str:
    """Why pickle fails in a file, and what to do instead; empty for another error or none."""
    return f"{NO_MODULE_TO_PICKLE}: {DO_NOT_PICKLE}" if UNPICKLED.search(str(error)) else ""


@contextmanager
def _unnoticed() -> Iterator[None]:
    """Suppress output and logs, and restore the state of the random generators."""
    numpy = sys.modules.get("numpy")
    before = random.getstate(), numpy.random.get_state() if numpy else None
    unlogged = logging.root.manager.disable
    logging.disable()
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            yield
    finally:
        logging.disable(unlogged)
        random.setstate(before[0])
        if numpy:
            numpy.random.set_state(before[1])


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError if the block takes longer; only the main thread can be interrupted."""
    former = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or former is None:  # None: not set from Python
        yield
        return
    is_late = Event()

    def interrupt() -> None:
        is_late.set()
        interrupt_main()

    def interrupted(number: int, frame: FrameType | None) -> None:
        if is_late.is_set():
            raise KeyboardInterrupt
        if callable(former):  # in a background job Ctrl-C is ignored
            former(number, frame)

    timer = Timer(seconds, interrupt)
    timer.daemon = True
    signal.signal(signal.SIGINT, interrupted)
    try:
        timer.start()
        yield
    except KeyboardInterrupt:
        if not is_late.is_set():
            raise
        raise TimeoutError from None
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, former)
