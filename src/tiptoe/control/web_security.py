"""Which rules and limits apply to every request?

- A request must name this server (against DNS rebinding), and a change must come from a page of ours.
- Request bodies are limited in size and time, answers in time: a slow client delays only itself.
- No page loads or runs anything that is not a file of ours, and none can be framed.
"""

import asyncio
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tiptoe.control.control_parts import ControlPlace

__all__ = ["WebSecurity"]

BODY_BYTES_MAX: Final = 16 << 20
BODY_SECONDS: Final = 60.0
SEND_SECONDS: Final = 30.0
"""Longest wait for a client to take the next piece of an answer."""

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
SECURE_HEADER: Final = ("Strict-Transport-Security", "max-age=31536000")


class _TooMuch(Exception):
    """The body is too long, or takes too long."""


class WebSecurity:
    """The middleware in front of the application."""

    def __init__(self, app: ASGIApp, place: ControlPlace) -> None:
        self.app = app
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # only HTTP is supported
        headers = Headers(scope=scope)
        if refusal := self._refusal(scope["method"], headers):
            status, said = refusal
            await PlainTextResponse(said + "\n", status)(scope, receive, self._sender(send))
            return
        has_begun = False

        async def begun(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await self._sender(send)(message)

        try:
            await self.app(scope, _bounded(receive), begun)
        except _TooMuch as error:
            if not has_begun:
                await PlainTextResponse(f"{error}\n", 413)(scope, receive, self._sender(send))
        except TimeoutError:
            return  # the client does not read: the server closes the connection

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        """Return why a request is refused before it reaches the application."""
        if _name_in(headers.get("host", "")) not in self._place.names:
            return 421, "this server is not called so; see --name of `tiptoe control serve`"
        if method in SAFE_METHODS:
            return None
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            return 403, "a page of another site has sent this"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "a page of another site has sent this"
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > BODY_BYTES_MAX:
            return 413, f"more than {BODY_BYTES_MAX} bytes are not taken"
        return None

    def _sender(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
                if self._place.is_secure:
                    headers.setdefault(*SECURE_HEADER)
            async with asyncio.timeout(SEND_SECONDS):
                await send(message)

        return sending


def _bounded(receive: Receive) -> Receive:
    """Return a receiver that fails when the body is too long or too slow."""
    left = BODY_BYTES_MAX
    loop = asyncio.get_running_loop()
    until = loop.time() + BODY_SECONDS
    is_whole = False

    async def receiving() -> Message:
        nonlocal left, is_whole
        if is_whole:
            return await receive()  # waits for the client to disconnect
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError:
            raise _TooMuch(f"the request took more than {BODY_SECONDS:g} s") from None
        left -= len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        if left < 0:
            raise _TooMuch(f"more than {BODY_BYTES_MAX} bytes are not taken")
        return message

    return receiving


def _name_in(host: str) -> str:
    """Return the name in a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
