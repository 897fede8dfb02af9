"""The `connectx` command: runs the command line and reports an error in one sentence."""

import os
import signal
import sys
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

Handler: TypeAlias = Callable[[int, FrameType | None], Any]

USAGE_ERROR = 2
INTERRUPTED = 130


def main() -> None:
    """Run the command line; a user's mistake ends it with exit status 2 and without a traceback.

    Ctrl-C exits with 130. Before the command starts and after it has ended, Ctrl-C and the other
    signals end the process at once: Python would lose their exceptions there or print a traceback.
    """
    in_order = _handlers()
    at_once = dict.fromkeys(in_order, _leave_at_once)
    _heed(at_once)
    sys.unraisablehook = _leave_if_interrupted
    if sys.stdin is None:  # the caller has closed it
        sys.stdin = StringIO()
    if os.environ.get("COLUMNS") == "0":  # the width is not known: rich would print nothing
        del os.environ["COLUMNS"]
    try:
        from submission.cli import app
        from submission.console_encoding import show_all_characters

        show_all_characters(sys.stdout, sys.stderr)
        try:
            _heed(in_order)
            app()
        finally:
            _heed(at_once)
    except (Exception, KeyboardInterrupt) as error:
        if _is_interruption(error):
            sys.exit(INTERRUPTED)
        if not isinstance(error, ValueError | OSError | ModuleNotFoundError):
            raise
        from rich.console import Console

        Console(stderr=True, soft_wrap=True).print(
            f"Error: {_told(error)}", style="red", markup=False, emoji=False
        )
        sys.exit(USAGE_ERROR)


def _told(error: Exception) -> object:
    """The error, unless the system raised it because the current folder was deleted."""
    if isinstance(error, OSError):
        try:
            Path.cwd()
        except FileNotFoundError:
            return "the current folder was deleted: change to another one"
    return error


def _handlers() -> dict[int, Handler]:
    """Handlers that raise an exception, for the signals that would end the process at once.

    Signals that this system lacks or that already have a handler are left out.
    """
    orderly = {"SIGINT": signal.default_int_handler, "SIGTERM": _leave, "SIGHUP": _leave}
    numbers = {getattr(signal, name, None): handler for name, handler in orderly.items()}
    default = (signal.SIG_DFL, signal.default_int_handler)
    return {
        number: handler
        for number, handler in numbers.items()
        if number is not None and signal.getsignal(number) in default
    }


def _heed(handlers: Mapping[int, Handler]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _leave_at_once(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


def _leave_if_interrupted(lost: Any) -> None:
    """Report an error that no code can catch, as in `__del__`; if it is Ctrl-C, exit."""
    if _is_interruption(lost.exc_value):
        os._exit(INTERRUPTED)
    sys.__unraisablehook__(lost)


def _is_interruption(error: BaseException | None) -> bool:
    """Whether Ctrl-C caused an error; Python 3.11 wraps it in another in a class statement."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


if __name__ == "__main__":
    main()
