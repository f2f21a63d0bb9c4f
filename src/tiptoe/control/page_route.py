"""How does a page get its visitor, and a visitor the page?

A page is a function from a `PageVisit` to a `PageReply`: request and response, without HTTP. Before it is
called, the guard has found out who the visitor is, whether they have permission and, for a change, that the
form is one of ours. Pages run in threads, so they may read files and wait.

    ROUTES = (
        PageRoute("/crawls/{crawl}/pause", pause, role=UserRole.OPERATOR, method="POST"),
    )
"""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tiptoe.control.admission import admit, client_address
from tiptoe.control.control_parts import ControlParts
from tiptoe.control.login_sessions import WHOLE_SECONDS
from tiptoe.control.notices import Notice, Undo
from tiptoe.control.page_rendering import PageRenderer
from tiptoe.control.user_role import UserRole
from tiptoe.control.visitor import SESSION_COOKIE, Visitor
from tiptoe.control.web_problem import WebProblem, problem_of
from tiptoe.errors import CrawlerError

__all__ = ["Elsewhere", "PageReply", "PageRoute", "PageVisit", "RawPage", "ShownPage", "page_endpoint"]

FORM_FIELDS_MAX: Final = 2000
FORM_PART_BYTES_MAX: Final = 8 << 20
CSRF_FIELD: Final = "csrf"
CSRF_HEADER: Final = "x-csrf-token"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVisit:
    """One request for a page, with everything that the page can use."""

    parts: ControlParts
    visitor: Visitor | None  # None only on public pages
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    form: FormData = field(default_factory=FormData)
    headers: Mapping[str, str] = field(default_factory=dict)
    address: str = ""
    now: float = 0.0

    @property
    def who(self) -> Visitor:
        """The visitor of a page that is not public."""
        assert self.visitor is not None, "this page is for everybody"
        return self.visitor

    @property
    def is_partial(self) -> bool:
        """Whether a script requests a part of a page, to replace it."""
        return self.headers.get("hx-request") == "true"

    def field(self, name: str, default: str = "") -> str:
        """Return one field of the form as a string."""
        value = self.form.get(name, default)
        return value if isinstance(value, str) else default

    def note(self, action: str, target: str = "", detail: str = "") -> None:
        """Write a line in the trail."""
        user = self.visitor.user if self.visitor else "-"
        self.parts.trail.note(user, action, target, detail, now=self.now, address=self.address)


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A template with its values."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """Redirect to another page, which shows what was done."""

    url: str
    message: str = ""
    undo: Undo | None = None
    is_fault: bool = False
    session_key: str | None = None  # of a new session; empty: the session ends


@dataclass(frozen=True, slots=True, kw_only=True)
class RawPage:
    """A document that was made elsewhere; it is shown without privileges: no scripts, no origin."""

    content: bytes
    media_type: str = "text/html; charset=utf-8"
    download: str = ""  # the file name under which it is to be saved


PageReply = ShownPage | Elsewhere | RawPage


@dataclass(frozen=True, slots=True)
class PageRoute:
    """A page, and who may see it."""

    path: str
    page: Callable[[PageVisit], PageReply]
    role: UserRole | None = UserRole.READER  # None: public, even without login
    method: str = "GET"


def page_endpoint(route: PageRoute, parts: ControlParts, renderer: PageRenderer) -> Route:
    """Return a route of the application that guards and serves a page."""

    async def endpoint(request: Request) -> Response:
        visitor = await admit(request, parts)
        if route.role is not None:
            if visitor is None:
                return _to_login(request)
            if not visitor.may(route.role):
                raise WebProblem(403, f"this takes the role {route.role.word}; yours is {visitor.role.word}")
        try:
            form = await _form_of(request, visitor) if route.method == "POST" else FormData()
            visit = PageVisit(
                parts=parts,
                visitor=visitor,
                path=request.path_params,
                query=dict(request.query_params),
                form=form,
                headers=request.headers,
                address=client_address(request),
                now=parts.clock(),
            )
            return await run_in_threadpool(_answer, route, visit, renderer)
        finally:
            await request.close()  # closes uploaded files

    return Route(route.path, endpoint, methods=[route.method])


def _answer(route: PageRoute, visit: PageVisit, renderer: PageRenderer) -> Response:
    try:
        reply = route.page(visit)
    except CrawlerError as error:
        raise problem_of(error) from error
    match reply:
        case ShownPage():
            return renderer.respond(reply.template, reply.values, visit=visit, status=reply.status)
        case RawPage():
            return _raw(reply)
        case Elsewhere():
            return _redirect(reply, visit)


def _raw(reply: RawPage) -> Response:
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
    if reply.download:
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(reply.download, safe='')}"
    return Response(reply.content, media_type=reply.media_type, headers=headers)


def _redirect(reply: Elsewhere, visit: PageVisit) -> Response:
    session = visit.visitor.session if visit.visitor else ""
    if reply.message and session:
        visit.parts.notices.add(session, Notice(reply.message, reply.undo, reply.is_fault))
    response = RedirectResponse(reply.url, status_code=303)
    if reply.session_key is not None:
        place = visit.parts.place
        # Without accounts, a user who has closed the browser could not log in again.
        lasts = None if place.directory is not None else int(WHOLE_SECONDS)
        _set_cookie(response, reply.session_key, is_secure=place.is_secure, lasts=lasts)
    return response


def _set_cookie(response: Response, key: str, *, is_secure: bool, lasts: int | None) -> None:
    if key:
        response.set_cookie(
            SESSION_COOKIE, key, max_age=lasts, httponly=True, samesite="strict", secure=is_secure, path="/"
        )
    else:
        response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="strict", secure=is_secure, path="/")


def _to_login(request: Request) -> Response:
    if request.method not in ("GET", "HEAD") or request.headers.get("hx-request") == "true":
        raise WebProblem(401, "log in first", headers={"HX-Redirect": "/login"})
    wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"/login?to={quote(wanted, safe='')}", status_code=303)


async def _form_of(request: Request, visitor: Visitor | None) -> FormData:
    """Return the fields of a form; raise WebProblem if it is not one of ours."""
    try:
        form = await request.form(max_fields=FORM_FIELDS_MAX, max_files=4, max_part_size=FORM_PART_BYTES_MAX)
    except (MultiPartException, ValueError) as error:
        raise WebProblem(400, f"the form cannot be read: {error}") from error
    if visitor is not None:
        shown = request.headers.get(CSRF_HEADER) or form.get(CSRF_FIELD) or ""
        if not isinstance(shown, str) or not hmac.compare_digest(shown.encode(), visitor.csrf.encode()):
            raise WebProblem(403, "this form is too old, or none of ours; load the page again and repeat it")
    return form
