"""The `connectx` command: runs the command line, and turns errors into one sentence each."""

import sys

from rich.console import Console

USAGE_ERROR = 2
INTERRUPTED = 130


def main() -> None:
    """Run the command line; a mistake of the user's ends it with exit status 2 and no traceback."""
    try:
        from submission.cli import app  # it takes a second, in which Ctrl-C may come

        app()
    except (ValueError, OSError, ModuleNotFoundError) as error:
        Console(stderr=True, soft_wrap=True).print(f"Error: {error}", style="red", markup=False)
        sys.exit(USAGE_ERROR)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
