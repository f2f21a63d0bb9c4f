"""Which paragraphs of a document are exported?"""

from collections.abc import Sequence

import msgspec

from tiptoe.export.export_amounts import ExportAmounts, Omission, TextAmount
from tiptoe.write.corpus import BOILERPLATE, Document

__all__ = ["keep_some", "main_only"]


def main_only(document: Document, amounts: ExportAmounts) -> Document | None:
    """Return a document without paragraphs labelled as boilerplate; None if it has no others."""
    labels = document.labels
    if not isinstance(labels, list) or len(labels) != len(document.paragraphs) or BOILERPLATE not in labels:
        return document
    is_kept = [label != BOILERPLATE for label in labels]
    return keep_some(document, is_kept, amounts.omitted[Omission.BOILERPLATE])


def keep_some(document: Document, is_kept: Sequence[bool], omitted: TextAmount) -> Document | None:
    """Return a document with the kept paragraphs, None if there are none; count the others."""
    if not any(is_kept):
        omitted.add(document)
        return None
    kept = _with_paragraphs(document, is_kept)
    omitted.paragraphs += len(document.paragraphs) - len(kept.paragraphs)
    omitted.characters += sum(map(len, document.paragraphs)) - sum(map(len, kept.paragraphs))
    return kept


def _with_paragraphs(document: Document, is_kept: Sequence[bool]) -> Document:
    """Return a document with some of its paragraphs and the values that belong to them."""
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


def _at(places: list[int], said: list[str] | None, paragraphs: int) -> list[str] | None:
    """Return the values for the paragraphs at these places."""
    if isinstance(said, list) and len(said) == paragraphs:
        return [said[place] for place in places]
    return said
