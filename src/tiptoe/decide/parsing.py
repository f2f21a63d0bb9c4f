"""The decision point `parse`: is this answer read?

Evaluated when only the headers of an answer are known, and again if its content shows that it is a document.
Not decided here: what an answer *is*. Challenges, "not found" pages and garbled bytes are recognised in
`harvest/document.py`.
"""

from collections.abc import Collection

import msgspec

from tiptoe.decide.discard import Discard
from tiptoe.decide.point import DecisionPoint

__all__ = ["ParsePoint", "ReceivedAnswer", "parse_point"]

MEDIA_TYPES = ("image/", "audio/", "video/", "font/")
"""Media types that are never documents, and not worth reading."""


class ReceivedAnswer(msgspec.Struct, frozen=True, gc=False):
    """An answer before its content is read."""

    url: str
    media_type: str
    document: str = ""  # kind of a document that `tiptoe convert` can read, such as pdf


ParsePoint = DecisionPoint[ReceivedAnswer, Discard]


def parse_point(documents: Collection[str] | None = None) -> ParsePoint:
    """Return the point that decides whether an answer is read; `documents` are the kinds kept (None: all)."""
    if documents is None:
        return DecisionPoint(media)
    kept = frozenset(documents)

    def other_documents(answer: ReceivedAnswer) -> Discard | None:
        """Refuse documents of any other kind."""
        return Discard.NOT_HTML if answer.document and answer.document not in kept else None

    return DecisionPoint(media, other_documents)


def media(answer: ReceivedAnswer) -> Discard | None:
    """Refuse pictures, sound, film and fonts."""
    return Discard.NOT_HTML if answer.media_type.startswith(MEDIA_TYPES) else None
