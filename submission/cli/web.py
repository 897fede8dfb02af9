"""`connectx web`."""

from pathlib import Path
from typing import Annotated

import typer


def web(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...", help="What --results has written, or games downloaded from Kaggle."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="The address to listen at.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Where to listen; another one where it is taken."),
    ] = 8642,
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
) -> None:
    """Play against agents in the browser, and look at values, searches and replays.

    Prints the address of the page, which has a token of this run. Only this machine reaches it
    unless --host says otherwise. Ctrl-C ends it. Needs the extra `web`.
    """
    try:
        from submission.web.serve import serve
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'connectx web needs {error.name}: install the extra `web` by `pip install -e ".[web]"`'
        ) from error
    serve(files or [], host, port, open_browser)
