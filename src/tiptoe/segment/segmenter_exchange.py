"""How is one request made to a segmenter?

A `SegmenterExchange` is a libcurl handle and the answer it has received, with limits on
time and size, so that no segmenter can delay us or fill our memory (libcurl itself
limits the head of an answer and its trailers). It follows no redirects and uses no
proxy: texts are sent only to the URL that the operator gave.
"""

import math
import re
from collections.abc import Sequence
from typing import Final

import pycurl

from tiptoe.errors import ProtocolError
from tiptoe.fetch.trust import find_ca_file
from tiptoe.segment.segmenter_protocol import Rating, read_ratings

__all__ = ["SegmenterExchange", "fault_of"]

HEADERS: Final = ["Content-Type: application/json", "Accept: application/json", "Expect:"]
"""Header fields of requests; the last keeps libcurl from waiting for "100 Continue" before a long body."""

_WAITED = re.compile(r" after \d+ (?:ms|milliseconds)\b")


def fault_of(words: str) -> str:
    """Return libcurl's message about a failure without its duration, so that equal failures compare equal."""
    return _WAITED.sub("", words)


class SegmenterExchange:
    """One handle; it keeps its connection and can be used again for the next request."""

    def __init__(self, user_agent: str, *, timeout_seconds: float, answer_bytes_max: int) -> None:
        self.curl = pycurl.Curl()
        self._pieces: list[bytes] = []
        self._room = self._answer_bytes_max = answer_bytes_max
        options = {
            pycurl.NOSIGNAL: 1,
            pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS,
            pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_1_1,
            pycurl.HTTP09_ALLOWED: 0,
            pycurl.NETRC: pycurl.NETRC_IGNORED,
            pycurl.TIMEOUT_MS: math.ceil(timeout_seconds * 1000),
            pycurl.PROXY: "",  # must be set: otherwise the environment decides
            pycurl.NOPROXY: "",
            pycurl.USERAGENT: user_agent,
            pycurl.HTTPHEADER: HEADERS,
            pycurl.WRITEFUNCTION: self._take,
        }
        for option, value in options.items():
            self.curl.setopt(option, value)

    def prepare(self, url: str, body: bytes | None = None, *, method: str = "") -> None:
        """Prepare the next request: POST with a body, GET without, or another method."""
        self._pieces.clear()
        self._room = self._answer_bytes_max
        self.curl.setopt(pycurl.URL, url)
        if url.startswith("https:"):
            self.curl.setopt(pycurl.CAINFO, find_ca_file())
        if body is None:
            self.curl.setopt(pycurl.HTTPGET, 1)
        else:
            self.curl.setopt(pycurl.POST, 1)
            self.curl.setopt(pycurl.POSTFIELDS, body)
        self.curl.setopt(pycurl.NOBODY, method == "HEAD")
        if method:
            self.curl.setopt(pycurl.CUSTOMREQUEST, method)
        else:
            self.curl.unsetopt(pycurl.CUSTOMREQUEST)

    @property
    def status(self) -> int:
        return int(self.curl.getinfo(pycurl.RESPONSE_CODE))

    @property
    def is_cut(self) -> bool:
        """Whether the answer exceeded its size limit."""
        return self._room < 0

    def body(self) -> bytes:
        return b"".join(self._pieces)

    def ratings(self, code: int, words: str, asked: Sequence[str]) -> dict[str, Rating]:
        """Return ratings by id after libcurl ended with this code; raise ProtocolError if there are none."""
        if self.is_cut:
            raise ProtocolError("the segmenter's answer is too long")
        if code:
            raise ProtocolError(f"the segmenter does not answer: {fault_of(words) or code}")
        if self.status != 200:
            raise ProtocolError(f"the segmenter answers with status {self.status}")
        return read_ratings(self.body(), asked)

    def close(self) -> None:
        self.curl.close()

    def _take(self, piece: bytes) -> int | None:
        """Keep a piece of the answer; returning a smaller count stops the transfer."""
        self._room -= len(piece)
        if self._room < 0:
            return 0
        self._pieces.append(piece)
        return None
