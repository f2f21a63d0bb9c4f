"""Which text has already been exported?

Paragraphs are compared regardless of case, as 64-bit hashes: among 10^8 paragraphs,
0.0003 are expected to be mistaken for another. The first copy is kept.
"""

import unicodedata
from collections.abc import Callable, Sequence

import xxhash

from tiptoe.export.export_amounts import ExportAmounts, Omission
from tiptoe.export.hash_tables import SeenHashes
from tiptoe.export.main_only import keep_some
from tiptoe.write.corpus import Document

__all__ = ["NEAR_SHARE", "Dedup", "by_document", "by_paragraph", "keep_all"]

NEAR_SHARE = 0.9
"""Minimum share of characters in already exported paragraphs that makes a document a near-duplicate."""

WHOLE_TEXT = 1
"""Seed of the hashes of whole texts: one paragraph alone is not the document that consists of it."""

Dedup = Callable[[Document, SeenHashes, ExportAmounts], Document | None]
"""Returns what is left of a document; None if nothing is."""


def keep_all(document: Document, seen: SeenHashes, amounts: ExportAmounts) -> Document | None:
    """Leave documents as they are."""
    return document


def by_paragraph(document: Document, seen: SeenHashes, amounts: ExportAmounts) -> Document | None:
    """Leave out paragraphs that were exported before, and documents of which nothing is left."""
    is_new = [seen.add(number) for number in _hashes(document.paragraphs)]
    if all(is_new):
        return document
    return keep_some(document, is_new, amounts.omitted[Omission.DUPLICATE])


def by_document(document: Document, seen: SeenHashes, amounts: ExportAmounts) -> Document | None:
    """Leave out documents of which nearly all text was exported before; others stay complete."""
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
