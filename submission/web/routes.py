"""The routes of `connectx web`."""

import asyncio
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from agents.registry import make_agent
from submission import __version__
from submission.web.position_view import position_view
from submission.web.questions import move_question, parse_body, position_field, require_fields
from submission.web.setup_form import (
    DEFAULT_SECONDS,
    LEAST_SECONDS,
    MOST_SECONDS,
    agent_forms,
    game_forms,
)

PAGE_FOLDER = Path(__file__).with_name("page")


async def setup(request: Request) -> Response:
    """Answer with all that can be chosen."""
    return JSONResponse(
        {
            "version": __version__,
            "games": game_forms(),
            "agents": agent_forms(),
            "levels": [],
            "seconds": {"default": DEFAULT_SECONDS, "least": LEAST_SECONDS, "most": MOST_SECONDS},
            "files": [],
        }
    )


async def position(request: Request) -> Response:
    """Answer with a position."""
    fields = parse_body(await request.body())
    require_fields(fields, ["game", "moves"])
    return JSONResponse(position_view(position_field(fields)))


async def move(request: Request) -> Response:
    """Answer with an agent's move."""
    question = move_question(parse_body(await request.body()))

    def search() -> dict[str, Any]:
        agent = make_agent(question.agent, **question.options)
        result = agent.search(question.position.env, question.position.state, question.seconds)
        return {
            "action": int(result.action),
            "value": float(result.value) if result.action_values else None,
            "engine": result.engine,
            "elapsed": result.elapsed,
        }

    return JSONResponse(await asyncio.to_thread(search))


def make_app() -> Starlette:
    """The application, which the guard stands before."""
    return Starlette(
        routes=[
            Route("/api/setup", setup, methods=["GET"]),
            Route("/api/position", position, methods=["POST"]),
            Route("/api/move", move, methods=["POST"]),
            Mount("/", StaticFiles(directory=PAGE_FOLDER, html=True, check_dir=False)),
        ],
        exception_handlers={ValueError: refuse, HTTPException: refuse_route},
    )


async def refuse(request: Request, error: Exception) -> Response:
    """Answer a question that cannot be answered."""
    return JSONResponse({"error": str(error)}, status_code=400)


async def refuse_route(request: Request, error: Exception) -> Response:
    """Answer a request for what is not there."""
    assert isinstance(error, HTTPException)  # noqa: S101
    return JSONResponse({"error": error.detail}, status_code=error.status_code)
