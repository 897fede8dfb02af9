"""Exports the page as a folder that needs no server, for a web host or the file system."""

import json
import re
from base64 import b64encode
from dataclasses import asdict
from pathlib import Path

from agents.book.book_format import REPERTOIRE
from agents.book.opening_book import OPENINGS
from agents.levels import LEVELS
from agents.package_file import PackageFile
from agents.reporting.output_file import replace_content, replace_text
from submission import __version__
from submission.web.one_script import PAGE, one_script
from submission.web.saved_game import saved_frame

INDEX = "index.html"
SCRIPT = "page.js"
AS_THEY_ARE = ("icon.svg", "style.css", "theme.js")
MODULE = re.compile(r'<script type="module" src="modules/main\.js"></script>')


def export_page(folder: Path) -> None:
    """Write the page, with Connect Four, its opening book and a solver, into a folder.

    Files of the same names are replaced. Raises OSError if `index.html` belongs to another page.
    """
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file: name a folder to write the page into")
    index = folder / INDEX
    if index.exists() and SCRIPT not in index.read_text(encoding="utf-8", errors="replace"):
        raise FileExistsError(
            f"{index} exists and is not a page of connectx: choose another folder, or remove it"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name in AS_THEY_ARE:
        replace_content(folder / name, (PAGE / name).read_bytes())
    replace_text(folder / SCRIPT, page_script())
    replace_text(index, page_index())


def page_index() -> str:
    """The page with one script in place of its modules."""
    text = (PAGE / INDEX).read_text(encoding="utf-8")
    script = f'<script src="{SCRIPT}" defer></script>'
    return MODULE.sub(script, text).replace("<html ", '<html data-offline="true" ', 1)


def page_script() -> str:
    """All modules of the page as one script, with a module that answers in the server's place."""
    exported = {
        "book": _base64_of(OPENINGS),
        "repertoire": _base64_of(REPERTOIRE),
        "levels": [{**asdict(level), "elo": None} for level in LEVELS],  # not measured here
        "saved": saved_frame(),
        "thinker": one_script("thinker", {}),
        "version": __version__,
    }
    return f"window.exported = {json.dumps(exported)};\n{one_script('main', {'api': 'answers'})}"


def _base64_of(file: PackageFile) -> str:
    return b64encode(file.read()).decode("ascii")
