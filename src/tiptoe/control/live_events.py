"""How do live figures reach a page? Server-sent events.

Nothing is queued: each stream sends the newest figures when its client has taken the previous ones. So a slow
client gets fewer events, and delays no other. A stream ends with the session, or when its client stops
reading."""

from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from typing import Any, Final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from tiptoe.control.admission import admit
from tiptoe.control.api_operation import who_calls
from tiptoe.control.control_parts import ControlParts
from tiptoe.control.crawl_facts import crawl_event, overview_event
from tiptoe.control.visitor import Visitor
from tiptoe.control.web_problem import WebProblem

__all__ = ["LiveEvents"]

TURN_SECONDS: Final = 15.0
"""Longest time without an event: after it a comment is sent to keep the connection alive."""

CHECKED_EVERY: Final = 20
"""Turns after which it is checked whether the visitor still has access."""

TURNS_MAX: Final = 4 * 3600
"""Maximum turns of a stream; a page that is still open then opens another one."""

Look = Callable[[float], tuple[float, Any] | None]
"""Called with the moment of the last event; returns a newer event with its moment, if any."""


class _HeldResponse(StreamingResponse):
    """A stream that is counted until it is over, even if its client leaves before the first event."""

    def __init__(self, events: AsyncIterator[bytes], held: ExitStack) -> None:
        super().__init__(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._held:
            await super().__call__(scope, receive, send)


class LiveEvents:
    """The event streams of the server."""

    def __init__(self, parts: ControlParts) -> None:
        self._parts = parts

    async def of_crawl(self, request: Request) -> Response:
        """Stream the figures of one crawl to a program."""
        return await self._crawl_stream(request, await who_calls(request, self._parts))

    async def of_crawl_page(self, request: Request) -> Response:
        """Stream the figures of one crawl to a page."""
        return await self._crawl_stream(request, await self._visitor(request))

    async def of_overview_page(self, request: Request) -> Response:
        """Stream the figures of all crawls to a page."""
        watch = self._parts.watch

        def look(sent_at: float) -> tuple[float, Any] | None:
            crawls = watch.list_all()
            seen_at = max((seen.seen_at for seen in crawls), default=0.0)
            return (seen_at, overview_event(crawls)) if seen_at > sent_at else None

        return self._stream(request, await self._visitor(request), look)

    async def _crawl_stream(self, request: Request, visitor: Visitor) -> Response:
        crawl = await run_in_threadpool(self._parts.crawls.get, request.path_params["crawl"])
        watch = self._parts.watch

        def look(sent_at: float) -> tuple[float, Any] | None:
            seen = watch.find(self._parts.crawls.get(crawl.name))
            return (seen.seen_at, crawl_event(seen)) if seen.seen_at > sent_at else None

        return self._stream(request, visitor, look)

    async def _visitor(self, request: Request) -> Visitor:
        visitor = await admit(request, self._parts)
        if visitor is None:
            raise WebProblem(401, "log in first")
        return visitor

    def _stream(self, request: Request, visitor: Visitor, look: Look) -> Response:
        held = ExitStack()
        held.enter_context(self._parts.streams.one_more(visitor.user))  # before the response begins
        return _HeldResponse(self._events(request, look), held)

    async def _events(self, request: Request, look: Look) -> AsyncIterator[bytes]:
        sent_at = 0.0
        yield b"retry: 3000\n\n"
        for turn in range(TURNS_MAX):
            if turn % CHECKED_EVERY == CHECKED_EVERY - 1 and not await self._is_welcome(request):
                return
            try:
                news = await run_in_threadpool(look, sent_at)
            except WebProblem:
                return  # the crawl was removed from this server
            if news is not None:
                sent_at = news[0]
                yield b"data: " + msgspec.json.encode(news[1]) + b"\n\n"
            else:
                yield b": still here\n\n"
            await self._parts.watch.next_turn(TURN_SECONDS)

    async def _is_welcome(self, request: Request) -> bool:
        if "authorization" in request.headers:
            try:
                await who_calls(request, self._parts)
            except WebProblem:
                return False
            return True
        return await admit(request, self._parts) is not None
