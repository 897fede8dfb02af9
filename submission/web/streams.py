"""Server-sent events of searches, which pages can follow, leave and come back to."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Coroutine, Hashable
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from submission.web.searching.search_pool import Busy, Job, SearchPool

LINGER_SECONDS = 5.0  # time for a page to come back before its search is cancelled
LEAST_SECONDS_BETWEEN = 0.1  # ten snapshots a second are enough
HEARTBEAT_SECONDS = 15.0
"""Seconds without events after which a comment is sent, to notice a dead connection."""
MOST_STREAMS = 512  # of all pages together; a page has one of each kind
KEPT_RESULTS = 1000  # results that are kept for pages with the same question
KEPT_BYTES = 32 * 1024  # the largest result that is kept


@dataclass(eq=False)
class Stream:
    """A search that a page follows, and its latest snapshot."""

    page: str
    kind: str
    question: Hashable
    job: Job | None = None
    latest: str = ""  # the latest snapshot as JSON
    error: str = ""  # the reason for a refusal, as JSON
    version: int = 0  # of the latest snapshot
    done: bool = False
    follower: object = None  # the latest connection that follows it
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, event: str, content: Any) -> None:
        """Record an event of the search."""
        if event == "refused":
            self.error = json.dumps({"error": content})
        else:
            self.latest = json.dumps(content, allow_nan=False, separators=(",", ":"))
        self.done = event != "snapshot"
        self.version += 1
        self.changed.set()

    def end(self) -> None:
        """End the events for the page that follows."""
        self.done = True
        self.follower = None
        self.changed.set()


class Streams:
    """The streams of all pages, whose searches run in a pool."""

    def __init__(self, pool: SearchPool) -> None:
        self._pool = pool
        self._streams: dict[tuple[str, str], Stream] = {}
        self._values: OrderedDict[Hashable, str] = OrderedDict()  # results, by question
        self._latest_jobs: OrderedDict[tuple[str, str], Job] = OrderedDict()

    def follow(self, page: str, kind: str, question: Any) -> Response:
        """Stream the events of the search that the page was following, or of a new one.

        A page has one search of each kind: a new question cancels the former one. Raises `Busy` or
        `Refusal`.
        """
        stream = self._streams.get((page, kind))
        if stream is None or stream.question != question or stream.error:
            if stream is not None:
                self._leave(stream)
            stream = self._begin(page, kind, question)
        return EventStream(self, stream)

    def latest_job(self, page: str, kind: str) -> Job | None:
        """The latest search of a kind that a page has begun, running or not."""
        return self._latest_jobs.get((page, kind))

    def let_go(self, stream: Stream, follower: object) -> None:
        """Note that a connection is gone; cancel the search unless another one comes soon."""
        if stream.follower is follower:
            stream.follower = None
            asyncio.get_running_loop().call_later(LINGER_SECONDS, self._leave_unless_back, stream)

    def keep(self, stream: Stream) -> None:
        """Keep the result of a search for other pages with the same question."""
        if stream.kind == "values" and not stream.error and len(stream.latest) <= KEPT_BYTES:
            self._values[stream.question] = stream.latest
            while len(self._values) > KEPT_RESULTS:
                self._values.popitem(last=False)

    def end_all(self) -> None:
        """End all streams, because the server ends."""
        for stream in list(self._streams.values()):
            self._leave(stream)

    def _begin(self, page: str, kind: str, question: Any) -> Stream:
        if len(self._streams) >= MOST_STREAMS:
            raise Busy("too many pages look at searches: try again in a moment")
        stream = Stream(page, kind, question)
        known = self._values.get(question) if kind == "values" else None
        if known is not None:
            self._values.move_to_end(question)
            stream.latest, stream.done, stream.version = known, True, 1
        else:
            former = self.latest_job(page, kind)
            if former is not None and former.question != question:
                former = None
            stream.job = self._pool.grow(kind, question, stream.tell, former)
            self._latest_jobs[page, kind] = stream.job
            while len(self._latest_jobs) > MOST_STREAMS:
                self._latest_jobs.popitem(last=False)
        self._streams[page, kind] = stream
        return stream

    def _leave(self, stream: Stream) -> None:
        if self._streams.get((stream.page, stream.kind)) is stream:
            del self._streams[stream.page, stream.kind]
        if stream.job is not None:
            self._pool.cancel(stream.job)
        stream.end()

    def _leave_unless_back(self, stream: Stream) -> None:
        if stream.follower is None:
            self._leave(stream)


class EventStream(StreamingResponse):
    """A stream as server-sent events, each a complete snapshot; the last event is `end`."""

    def __init__(self, streams: Streams, stream: Stream) -> None:
        headers = {"x-accel-buffering": "no"}
        super().__init__(self._events(), headers=headers, media_type="text/event-stream")
        self._streams = streams
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the stream is done or the connection is gone."""
        self._stream.follower = self
        self._stream.changed.set()
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._streams.let_go(self._stream, self)

    async def _events(self) -> AsyncIterator[str]:
        stream, sent = self._stream, 0
        yield "retry: 1000\n\n"
        while stream.follower is self:
            stream.changed.clear()
            done, version = stream.done, stream.version
            if version > sent:
                sent = version
                name = "event: error-message\n" if stream.error else ""
                yield f"{name}id: {version}\ndata: {stream.error or stream.latest}\n\n"
            if done:
                self._streams.keep(stream)
                break
            await asyncio.sleep(LEAST_SECONDS_BETWEEN if sent else 0)
            try:
                await asyncio.wait_for(stream.changed.wait(), HEARTBEAT_SECONDS)
            except TimeoutError:
                yield ": still there\n\n"
        yield "event: end\ndata: {}\n\n"


async def until_disconnected(request: Request, answering: Coroutine[Any, Any, Any]) -> Any:
    """Await a coroutine; cancel it and return None if the connection is lost."""

    async def disconnected() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    work, leaving = asyncio.ensure_future(answering), asyncio.ensure_future(disconnected())
    try:
        await asyncio.wait({work, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return await work if work.done() else None
    finally:
        work.cancel()
        leaving.cancel()
        await asyncio.gather(work, leaving, return_exceptions=True)
