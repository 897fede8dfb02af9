"""The routes of `connectx web`: each reads a question and answers it."""

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from agents.levels import LEVELS
from submission import __version__
from submission.play.game_history import position_view
from submission.web.guard import read_body
from submission.web.one_script import lean_script
from submission.web.opened_files import OpenedFile, dropped_file
from submission.web.questions import (
    FileQuestion,
    MoveQuestion,
    PageQuestion,
    PositionQuestion,
    ReplaysQuestion,
    StandingsQuestion,
    TreeQuestion,
    ValuesQuestion,
    is_quick,
    parse_json,
    read,
    without_twins,
)
from submission.web.saved_game import saved_frame
from submission.web.searching.search_pool import Busy, Refusal, SearchPool
from submission.web.searching.searches import PictureAsked
from submission.web.setup_form import (
    DEFAULT_SECONDS,
    LEAST_SECONDS,
    MOST_SECONDS,
    agent_forms,
    game_forms,
)
from submission.web.streams import Streams, until_disconnected

MOST_DROPPED = 10  # files that pages may open, beside those of the command line
PAGE_FOLDER = Path(__file__).with_name("page")
MODULES = PAGE_FOLDER / "modules"
STREAMS: Mapping[str, type[PageQuestion]] = {
    "values": ValuesQuestion,
    "review": PageQuestion,
    "search": TreeQuestion,
}
"""The type of question for each kind of stream."""
Answer = Callable[[Any], Coroutine[Any, Any, Any]]
"""Takes a question, and returns what is sent as JSON."""


class Server:
    """Answers all questions, with the help of at least one search process."""

    def __init__(self, processes: int, files: Sequence[OpenedFile] = ()) -> None:
        self.pool = SearchPool(processes)
        self.streams = Streams(self.pool)
        self._files = [*files]
        self._standings = asyncio.Lock()
        self._opening = asyncio.Lock()
        self._most_files = len(files) + MOST_DROPPED

    def app(self) -> Starlette:
        """The application, which needs a `Guard` in front of it."""
        # The Windows registry may declare scripts as plain text, which browsers would not run.
        mimetypes.add_type("text/javascript", ".js")
        posts: dict[str, tuple[type[Any], Answer]] = {
            "position": (PositionQuestion, self.position),
            "move": (MoveQuestion, self.move),
            "search/picture": (PictureAsked, self.picture),
            "replays": (ReplaysQuestion, self.replays),
            "standings": (StandingsQuestion, self.standings),
            "files": (FileQuestion, self.open_file),
        }
        return Starlette(
            routes=[
                Route("/api/setup", self.setup, methods=["GET"]),
                Route("/saved.html", self.saved, methods=["GET"]),
                Route("/modules/{name}.js", _module, methods=["GET"]),
                *(
                    Route(f"/api/{path}", partial(_answer_post, *post), methods=["POST"])
                    for path, post in posts.items()
                ),
                *(
                    Route(f"/api/{kind}", partial(self.follow, kind), methods=["GET"])
                    for kind in STREAMS
                ),
                Mount("/", StaticFiles(directory=PAGE_FOLDER, html=True, check_dir=False)),
            ],
            exception_handlers={
                Busy: partial(_refuse, 503),
                HTTPException: _refuse_request,
                Refusal: partial(_refuse, 422),
                ValueError: partial(_refuse, 400),
            },
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        with self.pool.running():
            yield

    async def setup(self, request: Request) -> Response:
        """The choices in the page's forms."""
        return JSONResponse(
            {
                "version": __version__,
                "games": game_forms(),
                "agents": agent_forms(),
                "levels": [{"n": one.n, "name": one.name, "elo": one.elo} for one in LEVELS],
                "seconds": {
                    "default": DEFAULT_SECONDS,
                    "least": LEAST_SECONDS,
                    "most": MOST_SECONDS,
                },
                "files": [file.form(number) for number, file in enumerate(self._files)],
            }
        )

    async def position(self, question: PositionQuestion) -> Any:
        """Describe a position."""
        return position_view(question.position)

    async def move(self, question: MoveQuestion) -> Any:
        """Find an agent's move; the page's previous search for one is cancelled."""
        asked = question.asked
        quick = is_quick(asked)
        return await self.pool.ask("move", asked, asked.seconds, quick, page=question.page)

    async def picture(self, asked: PictureAsked) -> Any:
        """Draw the tree of a page's search as it was after a step."""
        job = self.streams.latest_job(asked.page, "search")
        if job is None:
            raise Refusal("this page has no search: start one")
        return await self.pool.ask_about(job, "picture", asked)

    async def replays(self, asked: ReplaysQuestion) -> Any:
        """List games of a file."""
        file = self._file(asked.file)
        return await asyncio.to_thread(file.replays, asked, asked.offset, asked.count)

    async def standings(self, question: StandingsQuestion) -> Any:
        """Show the table of a file."""
        file = self._file(question.file)
        async with self._standings:  # so that ratings are computed once
            return await asyncio.to_thread(lambda: file.standings)

    def _file(self, number: int) -> OpenedFile:
        if not self._files:
            raise ValueError("no file is open: drop one on the page")
        if number >= len(self._files):
            raise ValueError(f"file is a whole number from 0 to {len(self._files) - 1}")
        return self._files[number]

    async def open_file(self, question: FileQuestion) -> Any:
        """Open a file that was dropped on a page."""
        async with self._opening:
            if len(self._files) >= self._most_files:
                raise Refusal(f"{MOST_DROPPED} files were dropped here: start the server again")
            file = await asyncio.to_thread(dropped_file, question.name, question.text)
            self._files.append(file)
            return file.form(len(self._files) - 1)

    async def saved(self, request: Request) -> Response:
        """The frame of the page in which games are saved."""
        return HTMLResponse(saved_frame())

    async def follow(self, kind: str, request: Request) -> Response:
        """Stream the snapshots of a search as they are made."""
        fields = without_twins(request.query_params.multi_items())
        question = read(STREAMS[kind], fields, strict=False)
        return self.streams.follow(question.page, kind, question.asked)


async def _module(request: Request) -> Response:
    """A module of the page, without its comments."""
    path = MODULES / f"{request.path_params['name']}.js"
    if path not in MODULES.iterdir():
        raise HTTPException(404)
    return Response(lean_script(path.read_text(encoding="utf-8")), media_type="text/javascript")


async def _answer_post(kind: type[Any], answer: Answer, request: Request) -> Response:
    question = read(kind, parse_json(await read_body(request), "the question"))
    return JSONResponse(await until_disconnected(request, answer(question)))


async def _refuse(status: int, request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, status_code=status)


async def _refuse_request(request: Request, error: Any) -> Response:
    known = {404: "there is nothing at this address", 405: "this address takes no such request"}
    sentence = known.get(error.status_code, error.detail)
    return JSONResponse({"error": sentence}, error.status_code, error.headers)
