"""How is a segmenter called when it is checked?

One request at a time, as any client would. If there is no answer, or it violates the
contract, `Broken` is raised, with what was received instead.
"""

import time
from dataclasses import dataclass, field
from typing import Self

import pycurl

from tiptoe.errors import ProtocolError
from tiptoe.segment.segmenter_exchange import SegmenterExchange, fault_of
from tiptoe.segment.segmenter_protocol import (
    DOCUMENTS_MAX,
    SEGMENT_PATH,
    Rating,
    SubmittedText,
    TextBatch,
    answer_bytes_max,
    encode,
    read_ratings,
)

__all__ = ["Broken", "Caller", "Came", "ratings_of", "want"]


class Broken(Exception):
    """What was received is not what was expected."""


@dataclass(slots=True)
class Came:
    """An answer as received."""

    status: int
    body: bytes
    seconds: float
    connections: int  # opened for it


@dataclass(slots=True)
class Caller:
    """Calls one segmenter, always over the same connection."""

    url: str
    timeout_seconds: float
    exchange: SegmenterExchange = field(init=False)

    def __post_init__(self) -> None:
        self.url = self.url.rstrip("/")
        self.exchange = SegmenterExchange(
            "tiptoe-check",
            timeout_seconds=self.timeout_seconds,
            answer_bytes_max=answer_bytes_max(DOCUMENTS_MAX),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.exchange.close()

    def call(self, path: str, body: bytes | None = None, *, method: str = "") -> Came:
        """Make a request; raise Broken if no complete answer arrives in time."""
        began = time.monotonic()
        self.exchange.prepare(self.url + path, body, method=method)
        try:
            self.exchange.curl.perform()
        except pycurl.error as error:
            fault = f"no answer: {fault_of(error.args[1])}"
            why = "the answer is too long" if self.exchange.is_cut else fault
            raise Broken(why) from None
        opened = int(self.exchange.curl.getinfo(pycurl.NUM_CONNECTS))
        return Came(self.exchange.status, self.exchange.body(), time.monotonic() - began, opened)

    def segment(self, texts: list[SubmittedText]) -> dict[str, Rating]:
        """Request ratings; raise Broken unless every document gets one according to the contract."""
        return ratings_of(self.call(SEGMENT_PATH, encode(TextBatch(texts))), [text.id for text in texts])

    def again(self) -> "Caller":
        """Return another caller with a connection of its own."""
        return Caller(self.url, self.timeout_seconds)


def ratings_of(came: Came, asked: list[str]) -> dict[str, Rating]:
    """Return the ratings in an answer; raise Broken unless every document has one."""
    want(came.status == 200, f"status {came.status}: {came.body[:200].decode('utf-8', 'replace')}")
    try:
        ratings = read_ratings(came.body, asked)
    except ProtocolError as problem:
        raise Broken(str(problem)) from None
    missing = [one for one in asked if one not in ratings]
    want(not missing, f"{len(missing)} of {len(asked)} documents are not in the answer")
    return ratings


def want(holds: bool, came: str) -> None:
    """Raise Broken with what was received, unless the expectation holds."""
    if not holds:
        raise Broken(came)
