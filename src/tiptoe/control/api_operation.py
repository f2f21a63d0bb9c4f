"""How is an operation of the API declared, guarded and answered?

One declaration has everything: method, path, role, query, body and reply. The guard, the decoding of
requests, the problem details of errors and the OpenAPI document follow from it.

    OPERATIONS = (
        ApiOperation("POST", "/crawls/{crawl}/pause", pause, role=UserRole.OPERATOR, reply=Done, summary="…"),
    )
"""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tiptoe.control.admission import admit, admit_token
from tiptoe.control.control_parts import ControlParts
from tiptoe.control.user_role import UserRole
from tiptoe.control.visitor import Visitor
from tiptoe.control.web_problem import WebProblem, problem_of
from tiptoe.errors import CrawlerError

__all__ = ["API_ROOT", "ApiCall", "ApiOperation", "NoBody", "api_endpoint", "json_response"]

API_ROOT: Final = "/api/v1"
PROBLEM_TYPE: Final = "application/problem+json"


class NoBody(msgspec.Struct):
    """Nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """One request to the API, checked against the declaration of its operation."""

    parts: ControlParts
    visitor: Visitor
    path: Mapping[str, str]
    query: Any  # an instance of the operation's `query`
    body: Any  # an instance of the operation's `body`
    now: float

    def note(self, action: str, target: str = "", detail: str = "") -> None:
        """Write a line in the trail."""
        self.parts.trail.note(
            self.visitor.user, action, target, detail, now=self.now, address=self.visitor.address
        )


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """One operation that programs can call."""

    method: str
    path: str
    run: Callable[[ApiCall], Any]
    summary: str = field(kw_only=True)
    reply: Any = field(kw_only=True)  # what `run` returns
    role: UserRole = field(default=UserRole.READER, kw_only=True)
    query: type[msgspec.Struct] = field(default=NoBody, kw_only=True)
    body: type[msgspec.Struct] = field(default=NoBody, kw_only=True)
    status: int = field(default=200, kw_only=True)
    tag: str = field(default="crawls", kw_only=True)

    @property
    def id(self) -> str:
        """A name that a client library can use for a function."""
        words = [part.strip("{}") for part in self.path.split("/") if part]
        return "_".join([self.method.lower(), *words]).replace("-", "_")


def api_endpoint(operation: ApiOperation, parts: ControlParts) -> Route:
    """Return a route of the application that guards and answers an operation."""

    async def endpoint(request: Request) -> Response:
        visitor = await who_calls(request, parts)
        if not visitor.may(operation.role):
            raise WebProblem(403, f"this takes the role {operation.role.word}; yours is {visitor.role.word}")
        call = ApiCall(
            parts=parts,
            visitor=visitor,
            path=request.path_params,
            query=_query_of(request, operation),
            body=_body_of(await request.body(), request, operation),
            now=parts.clock(),
        )
        return await run_in_threadpool(_answer, operation, call)

    return Route(API_ROOT + operation.path, endpoint, methods=[operation.method])


async def who_calls(request: Request, parts: ControlParts) -> Visitor:
    """Return the caller: a program with a token, or a page of ours with a session; raise WebProblem else."""
    if "authorization" in request.headers:
        visitor = await admit_token(request, parts)
    else:
        visitor = await admit(request, parts)
        if visitor is not None and request.method not in ("GET", "HEAD"):
            shown = request.headers.get("x-csrf-token", "")
            if not hmac.compare_digest(shown.encode(), visitor.csrf.encode()):
                raise WebProblem(
                    403, "with a session, changes need the header X-CSRF-Token; use a token instead"
                )
    if visitor is None:
        raise WebProblem(
            401, "show a token: Authorization: Bearer tiptoe_…; see Users in the browser",
            headers={"WWW-Authenticate": 'Bearer realm="tiptoe"'},
        )  # fmt: skip
    return visitor


def json_response(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return any struct as JSON."""
    return Response(
        msgspec.json.encode(value),
        status_code=status,
        headers=dict(headers or {}),
        media_type="application/json",
    )


def problem_response(problem: WebProblem) -> Response:
    """Return problem details."""
    return Response(
        msgspec.json.encode(problem.details), status_code=problem.status, headers=problem.headers,
        media_type=PROBLEM_TYPE,
    )  # fmt: skip


def _answer(operation: ApiOperation, call: ApiCall) -> Response:
    try:
        reply = operation.run(call)
    except CrawlerError as error:
        raise problem_of(error) from error
    return json_response(reply, status=operation.status)


def _query_of(request: Request, operation: ApiOperation) -> msgspec.Struct:
    given: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in operation.query.__struct_fields__:
            raise WebProblem(422, "the request has a parameter that nobody knows", errors={name: "unknown"})
        if name in given:
            raise WebProblem(422, "the request has a parameter twice", errors={name: "given twice"})
        given[name] = value
    try:
        return msgspec.convert(given, operation.query, strict=False)
    except msgspec.ValidationError as error:
        raise _invalid(error) from error


def _body_of(content: bytes, request: Request, operation: ApiOperation) -> msgspec.Struct:
    if operation.body is NoBody:
        return NoBody()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise WebProblem(415, "the body has to be JSON, with Content-Type: application/json")
    try:
        return msgspec.json.decode(content, type=operation.body)
    except msgspec.ValidationError as error:
        raise _invalid(error) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WebProblem(400, f"the body is not JSON: {error}") from error


def _invalid(error: msgspec.ValidationError) -> WebProblem:
    said, _, where = str(error).partition(" - at `")
    name = where.rstrip("`").removeprefix("$").removeprefix(".") or "request"
    return WebProblem(422, f"{name}: {said}", errors={name: said})
