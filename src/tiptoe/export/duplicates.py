"""Which text has been exported before?

Paragraphs are compared without regard to case, as 64-bit hashes: among 10^8
paragraphs one expects 0.0003 that are taken for another. The first one stays.
"""

import unicodedata
from collections.abc import Callable, Sequence

import msgspec
import xxhash
from msgspec import UnsetType

from tiptoe.export.amounts import Amounts, Omission
from tiptoe.export.seen import SeenHashes
from tiptoe.write.corpus import Document

__all__ = ["NEAR_SHARE", "Dedup", "by_document", "by_paragraph", "keep_all"]

NEAR_SHARE = 0.9
"""A document is a near-duplicate when so much of its characters stand in paragraphs exported before."""

WHOLE_TEXT = 1
"""Seed of the hashes of whole texts: one paragraph alone is not the document that consists of it."""

Dedup = Callable[[Document, SeenHashes, Amounts], Document | None]
"""Returns what is left of a document; None if nothing is."""


def keep_all(document: Document, seen: SeenHashes, amounts: Amounts) -> Document | None:
    """Leave documents as they are."""
    return document


def by_paragraph(document: Document, seen: SeenHashes, amounts: Amounts) -> Document | None:
    """Leave out every paragraph met before, and documents of which nothing is left."""
    is_new = [seen.add(number) for number in _hashes(document.paragraphs)]
    if all(is_new):
        return document
    if not any(is_new):
        amounts.omitted[Omission.DUPLICATE].add(document)
        return None
    kept = _with_paragraphs(document, is_new)
    omitted = amounts.omitted[Omission.DUPLICATE]
    omitted.paragraphs += len(document.paragraphs) - len(kept.paragraphs)
    omitted.characters += sum(map(len, document.paragraphs)) - sum(map(len, kept.paragraphs))
    return kept


def by_document(document: Document, seen: SeenHashes, amounts: Amounts) -> Document | None:
    """Leave out documents whose text, or nearly all of it, was met before; others stay whole."""
    numbers = _hashes(document.paragraphs)
    whole = xxhash.xxh3_64_intdigest(b"".join(number.to_bytes(8) for number in numbers), seed=WHOLE_TEXT)
    if whole in seen:
        amounts.omitted[Omission.DUPLICATE].add(document)
        return None
    pairs = list(zip(document.paragraphs, numbers, strict=True))
    known = sum(len(paragraph) for paragraph, number in pairs if number in seen)
    if known >= NEAR_SHARE * sum(map(len, document.paragraphs)):
        amounts.omitted[Omission.NEAR_DUPLICATE].add(document)
        return None
    for number in (whole, *numbers):
        seen.add(number)
    return document


def _hashes(paragraphs: Sequence[str]) -> list[int]:
    return [xxhash.xxh3_64_intdigest(_normal(paragraph)) for paragraph in paragraphs]


def _normal(paragraph: str) -> bytes:
    return unicodedata.normalize("NFC", paragraph).casefold().encode("utf-8", "surrogatepass")


def _with_paragraphs(document: Document, is_kept: Sequence[bool]) -> Document:
    """Return a document with some of its paragraphs, and what was said of each of these."""
    places = [place for place, kept in enumerate(is_kept) if kept]
    repeated = document.repeated
    if isinstance(repeated, list):
        known = frozenset(repeated)
        repeated = [number for number, place in enumerate(places) if place in known]
    paragraphs = [document.paragraphs[place] for place in places]
    return msgspec.structs.replace(
        document,
        paragraphs=paragraphs,
        labels=_at(places, document.labels, len(is_kept)),
        paragraph_langs=_at(places, document.paragraph_langs, len(is_kept)),
        repeated=repeated,
    )


def _at(places: list[int], said: list[str] | UnsetType, paragraphs: int) -> list[str] | UnsetType:
    """Return what was said of the paragraphs at these places."""
    if isinstance(said, list) and len(said) == paragraphs:
        return [said[place] for place in places]
    return said
