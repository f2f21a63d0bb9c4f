"""Which messages do a crawler and a segmenter exchange?

JSON over HTTP; the contract for implementers is docs/protocols/segmenter.md. Readers
ignore unknown fields, so that new ones can be added.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from tiptoe.errors import ProtocolError

__all__ = [
    "ABOUT_PATH",
    "ANNOTATIONS_BYTES_MAX",
    "DOCUMENTS_MAX",
    "PROTOCOL_VERSION",
    "REQUEST_BYTES_MAX",
    "SEGMENT_PATH",
    "TEXT_CHARS_MAX",
    "About",
    "Annotations",
    "Problem",
    "Rating",
    "Ratings",
    "SubmittedText",
    "TextBatch",
    "answer_bytes_max",
    "cut_text",
    "encode",
    "in_batches",
    "read_ratings",
]  # fmt: skip

PROTOCOL_VERSION: Final = 1
ABOUT_PATH: Final = "/v1/about"
SEGMENT_PATH: Final = "/v1/segment"

DOCUMENTS_MAX: Final = 1000
"""Maximum number of documents in one request."""

TEXT_CHARS_MAX: Final = 1_000_000
"""Maximum length of all documents in one request; a longer document is cut, since its beginning is enough
to judge it."""

REQUEST_BYTES_MAX: Final = 8 << 20
"""Maximum size of a request: enough for a million characters of any kind."""

ID_CHARS_MAX: Final = 200
ANNOTATIONS_BYTES_MAX: Final = 4096
"""Maximum size of the annotations of a document; above it they are dropped, but the usability is kept."""

Id: TypeAlias = Annotated[str, msgspec.Meta(max_length=ID_CHARS_MAX)]
Plain: TypeAlias = str | int | float | bool | None
Annotations: TypeAlias = Mapping[str, Plain | list[Plain]]
"""Annotations have no further levels: deeply nested values can be read but not written."""


class SubmittedText(msgspec.Struct, frozen=True, gc=False):
    """One document to be rated."""

    id: Id
    url: str = ""
    language: str = ""  # as detected
    paragraphs: list[str] = []


class TextBatch(msgspec.Struct, frozen=True):
    """Request: documents to be rated."""

    documents: Annotated[list[SubmittedText], msgspec.Meta(max_length=DOCUMENTS_MAX)]


class Rating(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a segmenter says of one document."""

    id: Id
    usability: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] | None = None  # None: too little text to judge
    annotations: Annotations = {}


class Ratings(msgspec.Struct, frozen=True):
    """Answer: a rating for each document, in any order."""

    documents: list[Rating]


class About(msgspec.Struct, frozen=True):
    """Who is this, and which protocol does it speak?"""

    name: str
    version: str
    protocol: int = PROTOCOL_VERSION


class Problem(msgspec.Struct, frozen=True):
    """Answer when a request cannot be served."""

    error: str


_read_ratings: Final = msgspec.json.Decoder(Ratings).decode


def encode(message: TextBatch | Ratings | About | Problem) -> bytes:
    """Return a message as JSON; lone surrogates, which UTF-8 cannot encode, are replaced."""
    try:
        return msgspec.json.encode(message)
    except UnicodeEncodeError:
        return msgspec.json.encode(_mend(msgspec.to_builtins(message)))


def read_ratings(body: bytes, asked: Sequence[str]) -> dict[str, Rating]:
    """Return the ratings of an answer by id; raise ProtocolError if it violates the contract.

    Documents that are not in the answer are simply not rated. One that was not
    sent means that answers were mixed up: then none of the ratings counts.
    """
    try:
        ratings = _read_ratings(body).documents
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise ProtocolError(f"the segmenter's answer cannot be read: {problem}") from None
    found = {rating.id: _bounded(rating) for rating in ratings}
    if len(found) != len(ratings):
        raise ProtocolError("the segmenter rates a document twice")
    if not found.keys() <= set(asked):
        raise ProtocolError("the segmenter rates a document that it was not asked about")
    return found


def answer_bytes_max(documents: int) -> int:
    """Return the maximum size of an answer."""
    return 65_536 + documents * 2 * ANNOTATIONS_BYTES_MAX


def cut_text(paragraphs: list[str]) -> list[str]:
    """Return the beginning of a text, as much as may be sent."""
    left = TEXT_CHARS_MAX
    if sum(map(len, paragraphs)) <= left:
        return paragraphs
    kept = []
    for paragraph in paragraphs:
        kept.append(paragraph[:left])
        left -= len(kept[-1])
        if not left:
            break
    return kept


def in_batches(texts: Iterable[SubmittedText], documents_max: int) -> Iterator[list[SubmittedText]]:
    """Yield batches of texts that may be sent together."""
    batch: list[SubmittedText] = []
    chars = 0
    for text in texts:
        size = sum(map(len, text.paragraphs))
        if batch and (len(batch) >= documents_max or chars + size > TEXT_CHARS_MAX):
            yield batch
            batch, chars = [], 0
        batch.append(text)
        chars += size
    if batch:
        yield batch


def _bounded(rating: Rating) -> Rating:
    if rating.annotations and len(msgspec.json.encode(rating.annotations)) > ANNOTATIONS_BYTES_MAX:
        return Rating(rating.id, rating.usability)
    return rating


def _mend(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_mend(item) for item in value]
    if isinstance(value, dict):
        return {_mend(name): _mend(item) for name, item in value.items()}
    return value
