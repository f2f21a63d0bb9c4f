"""What do a request and an answer look like as bytes?

Builds the request block as libcurl sends it, finds the final header block in
what libcurl received, and makes header blocks for protocols that have none.

Rule: a block describes the body that is stored with it. libcurl removes the
transfer coding, so `Transfer-Encoding` is renamed: a WARC reader that saw it
would try to decode the chunks again, and fail.
"""

import re
from collections.abc import Iterable
from email.utils import formatdate
from http import HTTPStatus
from typing import Final, NamedTuple

from tiptoe.fetch.outcome import Headers

__all__ = [
    "HeaderBlock",
    "Target",
    "made_header_block",
    "read_header_block",
    "request_block",
    "split_url",
    "without_cookies",
]

URL: Final = re.compile(
    r"(?P<scheme>https?|ftp|file)://"
    r"(?P<host>[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\]|(?=/))(?::(?P<port>\d{0,5}))?"
    r"(?P<path>[/?][!-\"$-~]*)?(?:#.*)?"
)
DEFAULT_PORTS: Final = {"http": "80", "https": "443", "ftp": "21", "file": ""}
STATUS_LINE: Final = re.compile(rb"HTTP/(\d(?:\.\d)?) +(\d{3})")
BLANK_LINE: Final = re.compile(rb"(?<=\n)\r?\n")
FOLD: Final = re.compile(r"[ \t]*\r?\n[ \t]+")  # a folded line continues the one before
TRANSFER_ENCODING: Final = re.compile(rb"^transfer-encoding(?=[ \t]*:)", re.IGNORECASE | re.MULTILINE)
COOKIE_LINE: Final = re.compile(
    rb"^set-cookie2?[ \t]*:.*(?:\n|\Z)(?:[ \t].*(?:\n|\Z))*", re.IGNORECASE | re.MULTILINE
)
"""A Set-Cookie field with its folded lines."""
PROTOCOLS: Final = {b"1.0": "http/1.0", b"2": "h2"}


class Target(NamedTuple):
    """The parts of a URL that a request needs."""

    scheme: str
    host: str  # in brackets if it is an IPv6 address
    port: str  # empty if it is the default one
    path: str  # with the query; never empty

    @property
    def authority(self) -> str:
        """Host and port as in the Host field."""
        return f"{self.host}:{self.port}" if self.port else self.host


class HeaderBlock(NamedTuple):
    """The final header block of an answer."""

    status: int
    protocol: str
    block: bytes
    headers: Headers


def split_url(url: str) -> Target | None:
    """Return the parts of a canonical URL, or None if it cannot be requested.

    Credentials, spaces, control and non-ASCII characters are refused.
    """
    match = URL.fullmatch(url)
    if match is None:
        return None
    scheme, host, port, path = match.group("scheme", "host", "port", "path")
    if (not host) != (scheme == "file") and host != "localhost":
        return None
    path = path or "/"
    port = port or ""
    return Target(
        scheme,
        host,
        "" if port == DEFAULT_PORTS[scheme] else port,
        path if path[0] == "/" else f"/{path}",
    )


def request_target(target: Target, *, proxy: str) -> str:
    """Return the target in the request line: the path or, for an HTTP proxy, the URL."""
    if proxy.startswith("http") and target.scheme != "https":  # https goes through a tunnel
        return f"{target.scheme}://{target.authority}{target.path}"
    return target.path


def request_block(
    request_target: str, authority: str, lines: Iterable[bytes], *, is_posted: bool = False
) -> bytes:
    """Return the block as libcurl sends it over HTTP/1.1; HTTP/2 requests are shown in the same form."""
    method = "POST" if is_posted else "GET"
    start = f"{method} {request_target} HTTP/1.1\r\nHost: {authority}".encode("ascii")
    return b"\r\n".join((start, *lines, b"", b""))


def read_header_block(received: bytes) -> HeaderBlock | None:
    """Find the final header block: after interim ones and a proxy's, before the trailers."""
    is_one_block = received.find(b"\n\r\n") + 3 == len(received) and b"\n\n" not in received
    block = received if is_one_block else _final_block(received)
    match = STATUS_LINE.match(block)
    if match is None:
        return None
    version, status = match.groups()
    if not version.startswith(b"1."):
        # WARC readers do not know HTTP/2 status lines.
        block = b"HTTP/1.1" + block[len(b"HTTP/") + len(version) :]
    headers = Headers(_fields(block))
    if "transfer-encoding" in headers:
        block = TRANSFER_ENCODING.sub(b"X-Archive-Orig-Transfer-Encoding", block)
        headers = Headers(_fields(block))
    return HeaderBlock(int(status), PROTOCOLS.get(version, "http/1.1"), block, headers)


def without_cookies(block: bytes) -> bytes:
    """Return a header block without its Set-Cookie fields."""
    return COOKIE_LINE.sub(b"", block)


def made_header_block(
    status: int,
    *,
    content_type: str | None,
    length: int,
    modified_at: float | None = None,
    location: str | None = None,
) -> HeaderBlock:
    """Make the block that an HTTP server would have sent with a file or a directory."""
    fields = [("Content-Length", str(length))]
    if content_type is not None:
        fields.insert(0, ("Content-Type", content_type))
    if modified_at is not None:
        fields.append(("Last-Modified", formatdate(modified_at, usegmt=True)))
    if location is not None:
        fields.append(("Location", location))
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        *(f"{name}: {value}" for name, value in fields),
    ]
    return HeaderBlock(
        status, "http/1.1", ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"), Headers(fields)
    )


def _final_block(received: bytes) -> bytes:
    """Return the last complete block that begins with a status line; empty if there is none."""
    blocks = BLANK_LINE.split(received)[:-1]
    for block in reversed(blocks):
        if STATUS_LINE.match(block):
            return block + b"\r\n"
    return b""


def _fields(block: bytes) -> list[tuple[str, str]]:
    text = block.decode("latin-1")
    if "\n " in text or "\n\t" in text:
        text = FOLD.sub(" ", text)
    parted = [line.partition(":") for line in text.split("\n")[1:]]
    return [(name.strip(), value.strip()) for name, colon, value in parted if colon]
