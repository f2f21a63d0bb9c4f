"""Which requests does the server answer? The application, composed of pages, operations and files."""

import asyncio
import hashlib
import logging
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from argon2 import PasswordHasher
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from tiptoe.control.access_tokens import AccessTokens
from tiptoe.control.accounts import Accounts
from tiptoe.control.action_trail import ActionTrail
from tiptoe.control.admission import admit
from tiptoe.control.api.api_map import OPERATIONS
from tiptoe.control.api_operation import API_ROOT, api_endpoint, json_response, problem_response, who_calls
from tiptoe.control.control_parts import ControlParts, ControlPlace
from tiptoe.control.control_store import ControlStore
from tiptoe.control.crawl_registry import CrawlRegistry
from tiptoe.control.crawl_reports import CrawlReports
from tiptoe.control.crawl_tasks import CrawlTasks
from tiptoe.control.crawl_watch import CrawlWatch
from tiptoe.control.host_indexes import HostIndexes
from tiptoe.control.host_notes import HostNotes
from tiptoe.control.live_events import LiveEvents
from tiptoe.control.login_sessions import LoginSessions
from tiptoe.control.one_time_links import OneTimeLinks
from tiptoe.control.openapi_document import openapi_document
from tiptoe.control.page_rendering import PageRenderer
from tiptoe.control.page_route import PageVisit, page_endpoint
from tiptoe.control.pages.page_map import PAGES
from tiptoe.control.prometheus import metrics_text
from tiptoe.control.robot_endpoints import RobotEndpoints
from tiptoe.control.robot_parts import RobotParts
from tiptoe.control.tiptoe_process import TiptoeProcesses
from tiptoe.control.web_problem import WebProblem
from tiptoe.control.web_security import WebSecurity

__all__ = ["build_app", "build_parts", "go_on"]

STATIC: Final = Path(__file__).with_name("static")
LOG: Final = logging.getLogger("tiptoe.control")
AGAIN_SECONDS: Final = 10.0
TITLES: Final = {
    401: "Log in",
    403: "Not allowed",
    404: "Not found",
    409: "Not possible now",
    422: "Not accepted",
}
"""Titles that people see in place of HTTP's reason phrases."""


def build_parts(
    place: ControlPlace, *, clock: Callable[[], float] = time.time, hasher: PasswordHasher | None = None
) -> ControlParts:
    """Return the parts of a server."""
    store = ControlStore(place.directory)
    registry = CrawlRegistry(store, place.directory, place.roots)
    # Its contents can be made again; a server without a directory removes it when it ends.
    cache = place.directory / "cache" if place.directory else Path(tempfile.mkdtemp(prefix="tiptoe-control-"))
    processes = TiptoeProcesses()
    return ControlParts(
        place=place,
        store=store,
        accounts=Accounts(store, hasher),
        sessions=LoginSessions(store),
        tokens=AccessTokens(store),
        links=OneTimeLinks(store),
        trail=ActionTrail(store),
        crawls=registry,
        watch=CrawlWatch(registry, clock),
        robots=RobotParts.build(store, place.directory),
        hosts=HostIndexes(cache, time.time),
        reports=CrawlReports(cache, time.time, processes),
        processes=processes,
        notes=HostNotes(store),
        tasks=CrawlTasks(cache, clock),
        clock=clock,
    )


def build_app(parts: ControlParts) -> ASGIApp:
    """Return the application."""
    renderer = PageRenderer(parts.place.version, static_stamp())
    events = LiveEvents(parts)
    routes: list[BaseRoute] = [page_endpoint(route, parts, renderer) for route in PAGES]
    routes += [api_endpoint(operation, parts) for operation in OPERATIONS]
    routes += [
        Route("/crawls/{crawl}/events", events.of_crawl_page),
        Route("/events", events.of_overview_page),
        Route(f"{API_ROOT}/crawls/{{crawl}}/events", events.of_crawl),
        *_plain_routes(parts),
        *RobotEndpoints(parts).routes(),
        Mount("/static", _Files(directory=STATIC)),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        tasks = [
            asyncio.create_task(go_on(parts.watch.run)),
            asyncio.create_task(go_on(lambda: parts.robots.rounds.run(parts.clock))),
        ]
        yield
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await asyncio.to_thread(parts.tasks.close)
        parts.catalogs.close()
        parts.store.close()
        if parts.place.directory is None:
            shutil.rmtree(parts.hosts.folder, ignore_errors=True)

    async def on_problem(request: Request, error: Exception) -> Response:
        problem = _as_problem(error)
        if request.url.path.startswith(("/api/", "/metrics")):
            return problem_response(problem)
        return await _problem_page(request, problem, parts, renderer)

    handlers: Any = {WebProblem: on_problem, HTTPException: on_problem, Exception: on_problem}
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)
    return WebSecurity(app, parts.place)


async def go_on(run: Callable[[], Awaitable[None]], *, seconds: float = AGAIN_SECONDS) -> None:
    """Restart background work after an error such as a full disk, so that pages do not show old figures."""
    while True:
        try:
            return await run()
        except Exception:
            LOG.exception("work of the server failed, and is begun again")
        await asyncio.sleep(seconds)


def _plain_routes(parts: ControlParts) -> list[BaseRoute]:
    document = openapi_document(OPERATIONS, version=parts.place.version, url=parts.place.url)

    async def openapi(request: Request) -> Response:
        await who_calls(request, parts)
        return json_response(document)

    async def metrics(request: Request) -> Response:
        await who_calls(request, parts)
        text = await asyncio.to_thread(metrics_text, parts.watch.list_all(), events=parts.streams.open)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def health(request: Request) -> Response:
        """Answer a process supervisor: no login is needed, and nothing is revealed."""
        await asyncio.to_thread(parts.store.row, "SELECT 1")
        return PlainTextResponse("ok\n")

    return [
        Route(f"{API_ROOT}/openapi.json", openapi),
        Route("/metrics", metrics),
        Route("/healthz", health),
    ]


class _Files(StaticFiles):
    """Static files, which a browser may cache, because their URLs change when they do."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def static_stamp() -> str:
    """Return the stamp in the URLs of static files, which changes whenever one of them does."""
    digest = hashlib.sha256()
    for path in sorted(STATIC.rglob("*.*")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


def _as_problem(error: Exception) -> WebProblem:
    if isinstance(error, WebProblem):
        return error
    if isinstance(error, HTTPException):
        text = "there is no such page" if error.status_code == 404 else error.detail
        return WebProblem(error.status_code, text, headers=error.headers)
    LOG.error("a request failed", exc_info=error)
    return WebProblem(500, "something of ours went wrong; the log of the server tells what")


async def _problem_page(
    request: Request, problem: WebProblem, parts: ControlParts, renderer: PageRenderer
) -> Response:
    """Return a page about a problem; logged-in visitors get the usual navigation."""
    # After an internal error, looking up the visitor may be what fails.
    visitor = await admit(request, parts) if problem.status < 500 else None
    visit = PageVisit(parts=parts, visitor=visitor, now=parts.clock()) if visitor is not None else None
    template = "problem_part.html" if request.headers.get("hx-request") == "true" else "problem.html"
    # Notices about earlier actions are not shown beside the problem.
    shown = {"problem": problem, "notices": [], "title": TITLES.get(problem.status, problem.title)}
    response = await run_in_threadpool(
        partial(renderer.respond, template, shown, visit=visit, status=problem.status)
    )
    response.headers.update(problem.headers)
    return response
