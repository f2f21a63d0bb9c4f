"""The decision point `parse`: is this answer read?

Asked with the head of an answer alone, and again when the content of a document has shown that it is one.
Not decided here: what an answer *is*. That a wall stands before a page, that a page says "not found", that
its bytes are garbage is recognised in `harvest/document.py`.
"""

import msgspec

from tiptoe.decide.discard import Discard
from tiptoe.decide.point import DecisionPoint

__all__ = ["ParsePoint", "ReceivedAnswer", "parse_point"]

MEDIA_TYPES = ("image/", "audio/", "video/", "font/")
"""Never documents, and not worth a look."""


class ReceivedAnswer(msgspec.Struct, frozen=True, gc=False):
    """An answer before its content is read."""

    url: str
    media_type: str
    is_document: bool = False  # one that `tiptoe convert` can read


ParsePoint = DecisionPoint[ReceivedAnswer, Discard]


def parse_point(*, keeps_documents: bool = True) -> ParsePoint:
    """Return what decides whether an answer is read."""
    return DecisionPoint(media) if keeps_documents else DecisionPoint(media, documents)


def media(answer: ReceivedAnswer) -> Discard | None:
    """Refuse pictures, sound, film and fonts."""
    return Discard.NOT_HTML if answer.media_type.startswith(MEDIA_TYPES) else None


def documents(answer: ReceivedAnswer) -> Discard | None:
    """Refuse what is no page; for crawls that convert nothing."""
    return Discard.NOT_HTML if answer.is_document else None
