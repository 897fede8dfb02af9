"""The `connectx` command: runs the command line, and turns errors into one sentence each."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console

from submission.console_encoding import show_all_characters

USAGE_ERROR = 2
INTERRUPTED = 130

ENDING_SIGNALS = ("SIGTERM", "SIGHUP")
"""Of which the second says that the terminal was closed; not every system has both."""


def main() -> None:
    """Run the command line; a mistake of the user's ends it with exit status 2 and no traceback."""
    show_all_characters(sys.stdout, sys.stderr)
    try:
        with ending_in_order():
            from submission.cli import app  # it takes a second, in which Ctrl-C may come

            app()
    except (ValueError, OSError, ModuleNotFoundError) as error:
        Console(stderr=True, soft_wrap=True).print(
            f"Error: {error}", style="red", markup=False, emoji=False
        )
        sys.exit(USAGE_ERROR)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Have signals that would end this process at once end it as an exception does."""
    numbers = [getattr(signal, name) for name in ENDING_SIGNALS if hasattr(signal, name)]
    heeded = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in heeded:
        signal.signal(number, _leave)
    try:
        yield
    finally:
        for number in heeded:
            signal.signal(number, signal.SIG_DFL)


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
