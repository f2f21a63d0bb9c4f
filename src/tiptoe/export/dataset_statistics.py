"""What is in a dataset, in figures for its potential users?

Counted while documents are exported. Memory is limited, whatever pages give as their language or licence.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import xxhash

from tiptoe.export.hash_tables import SeenHashes
from tiptoe.export.selection import LANGUAGE, language_of
from tiptoe.url.address import host_of
from tiptoe.write.corpus import Document

__all__ = ["DatasetStatistics"]

KINDS_MAX: Final = 1000
"""Maximum number of values counted separately, such as licences; above it they count as others."""
LABEL_CHARS_MAX: Final = 100
OTHERS: Final = "others"


@dataclass(slots=True)
class DatasetStatistics:
    """Sums over the documents of a dataset."""

    seen_hosts: SeenHashes
    documents: int = 0
    paragraphs: int = 0
    characters: int = 0
    hosts: int = 0
    languages: Counter[str] = field(default_factory=Counter)  # documents; "" if unknown
    licenses: Counter[str] = field(default_factory=Counter)  # documents whose page names one
    types: Counter[str] = field(default_factory=Counter)
    first_at: str = ""
    last_at: str = ""

    def add(self, document: Document) -> None:
        """Count a document."""
        self.documents += 1
        self.paragraphs += len(document.paragraphs)
        self.characters += sum(map(len, document.paragraphs))
        host = host_of(document.url)
        self.hosts += self.seen_hosts.add(xxhash.xxh3_64_intdigest(host.encode("utf-8", "replace")))
        language = language_of(document)
        _count(self.languages, language if LANGUAGE.fullmatch(language) else "")
        _count(self.types, document.type)
        if document.license:
            _count(self.licenses, document.license)
        if document.fetched_at:
            self.first_at = min(self.first_at or document.fetched_at, document.fetched_at)
            self.last_at = max(self.last_at, document.fetched_at)


def _count(counter: Counter[str], label: str) -> None:
    label = label[:LABEL_CHARS_MAX]
    counter[label if label in counter or len(counter) < KINDS_MAX else OTHERS] += 1
