"""What does the built-in segmenter answer to a request?

Pure: method, path and body in, status and body out. `server` handles the transport.
"""

from dataclasses import dataclass
from typing import Final

import msgspec

from tiptoe import __version__
from tiptoe.segment.scorer import Scorer
from tiptoe.segment.segmenter_protocol import (
    ABOUT_PATH,
    SEGMENT_PATH,
    About,
    Problem,
    Rating,
    Ratings,
    TextBatch,
    encode,
)

__all__ = ["SegmenterReply", "Service"]

_METHODS: Final = {ABOUT_PATH: ("GET", "HEAD"), SEGMENT_PATH: ("POST",)}
_read_batch: Final = msgspec.json.Decoder(TextBatch).decode


@dataclass(frozen=True, slots=True)
class SegmenterReply:
    """The answer to one request."""

    status: int
    body: bytes
    allow: str = ""  # methods of the path, if another one was used


class Service:
    """The built-in scorer behind the segmenter protocol."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def respond(self, method: str, path: str, body: bytes) -> SegmenterReply:
        """Return the answer to a request."""
        methods = _METHODS.get(path.partition("?")[0])
        if methods is None:
            return refusal(404, f"there is {ABOUT_PATH} and {SEGMENT_PATH}")
        if method not in methods:
            return refusal(405, f"use {methods[0]}", allow=", ".join(methods))
        if method != "POST":
            return SegmenterReply(200, encode(About("tiptoe", __version__)))
        try:
            batch = _read_batch(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            return refusal(400, str(problem))
        return SegmenterReply(200, encode(self._rate(batch)))

    def _rate(self, batch: TextBatch) -> Ratings:
        ratings = []
        for text in batch.documents:
            parts = self._scorer.rate(text.paragraphs, text.language)
            ratings.append(Rating(text.id, parts.usability, parts.annotations()))
        return Ratings(ratings)


def refusal(status: int, reason: str, *, allow: str = "") -> SegmenterReply:
    """Return an answer that says what is wrong."""
    return SegmenterReply(status, encode(Problem(reason)), allow)
