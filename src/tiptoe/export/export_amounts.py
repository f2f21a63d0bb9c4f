"""How much text was read, written, and left out for which reason?"""

from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum

from tiptoe.write.corpus import Document

__all__ = ["ExportAmounts", "Omission", "TextAmount"]


class Omission(Enum):
    """Why a document, or a paragraph, is not exported."""

    OTHER_LANGUAGE = "other_language"
    LOW_USABILITY = "low_usability"
    UNKNOWN_USABILITY = "unknown_usability"
    NO_TEXT = "no_text"
    BOILERPLATE = "boilerplate"
    COPY = "copy"  # the same version of the same page, written by two agents
    DUPLICATE = "duplicate"  # a document with the same text, or a paragraph that was exported before
    NEAR_DUPLICATE = "near_duplicate"
    LATER = "later"  # fetched after the given moment
    REPLACED = "replaced"  # by a later version of the same page
    GONE = "gone"  # the page no longer existed


@dataclass(slots=True)
class TextAmount:
    """An amount of text; paragraphs may be left out of documents that are kept."""

    documents: int = 0
    paragraphs: int = 0
    characters: int = 0

    def add(self, document: Document) -> None:
        """Count a whole document."""
        self.documents += 1
        self.paragraphs += len(document.paragraphs)
        self.characters += sum(map(len, document.paragraphs))


@dataclass(slots=True)
class ExportAmounts:
    """The counts of an export: everything that was read is either written or omitted."""

    read: TextAmount = field(default_factory=TextAmount)
    written: TextAmount = field(default_factory=TextAmount)
    omitted: defaultdict[Omission, TextAmount] = field(default_factory=lambda: defaultdict(TextAmount))
    unreadable_lines: int = 0
    later_versions: int = 0  # documents read that are not the first version of their page
    written_bytes: int = 0

    def omissions(self) -> list[tuple[Omission, TextAmount]]:
        """Return what was left out, by reason."""
        return [(reason, self.omitted[reason]) for reason in Omission if reason in self.omitted]

    def check(self) -> None:
        """Raise AssertionError if anything read is neither written nor omitted."""
        for name in TextAmount.__slots__:
            parts = [self.written, *self.omitted.values()]
            assert getattr(self.read, name) == sum(getattr(part, name) for part in parts), name
