"""In which form does a document enter the corpus?

One JSON line per document, paragraph by paragraph, with the place in the archive of the page it was made
from. Every line has all fields, in the same order, null if unknown: see `corpus_schema`. The main text is
included twice, by paragraph and as a whole (`text`): tools that load tables of texts want it in one column,
and a corpus is small compared to its archive. In UTF-8, or on request in an older encoding, in which missing
characters are written as JSON escapes: nothing is lost.
"""

import json
import os
from pathlib import Path
from typing import Final, TypedDict

import msgspec

from tiptoe.text.language import DocumentLanguage
from tiptoe.write.appendfile import Write
from tiptoe.write.corpus_readme import leave_readme
from tiptoe.write.output_kinds import CORPUS

__all__ = [
    "BOILERPLATE", "CorpusWriter", "Document", "MetadataSources", "encode_line",
    "language_fields", "without_boilerplate",
]  # fmt: skip

BOILERPLATE: Final = "boilerplate"
"""Label of paragraphs that are not what a page is about."""


class MetadataSources(msgspec.Struct, kw_only=True, frozen=True):
    """Where the metadata of a page was found: `jsonld`, `meta`, `microdata`, `page`, `header` or `url`."""

    title: str | None = None
    authors: str | None = None
    published: str | None = None
    modified: str | None = None
    site_name: str | None = None
    description: str | None = None
    keywords: str | None = None
    categories: str | None = None
    language: str | None = None
    license: str | None = None


class Document(msgspec.Struct, kw_only=True, frozen=True):
    """The cleaned text of one page, and where it comes from."""

    id: str  # of the WARC record
    url: str
    title: str | None
    language: str | None
    charset: str | None
    fetched_at: str  # like all moments: 2026-11-15T20:26:55.659223Z
    last_modified: str | None
    depth: int
    digest: str
    warc_file: str
    warc_offset: int
    paragraphs: list[str]
    html_bytes: int = 0  # of the page with its content coding undone
    type: str = "text/html"  # by its content
    version: int = 1  # of the page: 2, 3, ... after changes
    # What only some crawls determine; None: not examined, or not known.
    lang: str | None = None  # detected, while `language` is what the page declares
    lang_confidence: float | None = None  # 0 to 1
    lang_others: list[str] | None = None  # if the text is in several languages
    paragraph_langs: list[str] | None = None  # of each paragraph, unless all are the same
    usability: float | None = None  # 0 to 1
    labels: list[str] | None = None  # of each paragraph
    duplicity: float | None = None  # 0 to 1
    repeated: list[int] | None = None  # indexes of paragraphs that were found elsewhere before
    truncated: str | None = None  # why the page was cut off, as in the archive; None: it was not
    # What the page says about itself besides title and language; days as `2024-05-01`.
    authors: list[str] | None = None
    published: str | None = None
    modified: str | None = None
    site_name: str | None = None
    description: str | None = None
    keywords: list[str] | None = None
    categories: list[str] | None = None
    license: str | None = None  # a URL, or words
    sources: MetadataSources = MetadataSources()
    fields: dict[str, str | int | float | list[str] | None] | None = None  # by rule; None: there are no rules

    @property
    def text(self) -> str:
        """The whole text, one paragraph per line."""
        return "\n".join(self.paragraphs)

    @property
    def main_paragraphs(self) -> list[str]:
        """The paragraphs that are not labelled as boilerplate."""
        return without_boilerplate(self.paragraphs, self.labels)

    @property
    def main_text(self) -> str:
        """The main text, one paragraph per line."""
        return "\n".join(self.main_paragraphs)


def without_boilerplate(paragraphs: list[str], labels: list[str] | None) -> list[str]:
    """Return the paragraphs that are not labelled as boilerplate; all, if there are no labels for them."""
    if labels is None or len(labels) != len(paragraphs):
        return paragraphs
    pairs = zip(paragraphs, labels, strict=True)
    return [paragraph for paragraph, label in pairs if label != BOILERPLATE]


class LanguageFields(TypedDict, total=False):
    """The fields of a document that say which languages it is in."""

    lang: str
    lang_confidence: float
    lang_others: list[str]
    paragraph_langs: list[str]


def language_fields(spoken: DocumentLanguage | None) -> LanguageFields:
    """Return the fields about the languages of a text; empty if they were not detected."""
    if spoken is None:
        return {}
    fields = LanguageFields(lang=spoken.language, lang_confidence=round(spoken.confidence, 3))
    if spoken.is_mixed:
        fields["lang_others"] = list(spoken.others)
    if len(set(spoken.paragraphs)) > 1:
        fields["paragraph_langs"] = list(spoken.paragraphs)
    return fields


_encode: Final = msgspec.json.Encoder().encode


def encode_line(document: Document, *, has_boilerplate: bool = False) -> bytes:
    """Return a document as a line of JSON; its `text` is the main text, or all of it if `has_boilerplate`."""
    try:
        line, text = _encode(document), _encode(_joined(document, has_boilerplate))
    except UnicodeEncodeError:
        mended = _without_surrogates(document)
        line, text = _encode(mended), _encode(_joined(mended, has_boilerplate))
    return b'%b,"text":%b}' % (line[:-1], text)


def _joined(document: Document, has_boilerplate: bool) -> str:
    return document.text if has_boilerplate else document.main_text


class CorpusWriter:
    """Writes documents to `corpus/<prefix>-00001.jsonl` and on."""

    def __init__(
        self,
        directory: Path,
        prefix: str,
        *,
        size_max: int,
        encoding: str,
        write: Write = os.write,
    ) -> None:
        self._encoding = encoding
        self._directory = directory
        self._readme_tells_fields: bool | None = None  # None: not checked yet
        self.files = CORPUS.numbered_files(directory, prefix, size_max=size_max, write=write)

    def write_document(self, document: Document) -> int:
        """Add one document; return the checksum of its line."""
        has_fields = document.fields is not None
        if self._readme_tells_fields is None or has_fields > self._readme_tells_fields:
            leave_readme(self._directory, Document, has_fields=has_fields)
            self._readme_tells_fields = has_fields
        line = encode_line(document)
        if self._encoding != "utf-8":
            line = _recode(line.decode(), self._encoding)
        return self.files.append_line(line)


def _recode(line: str, encoding: str) -> bytes:
    """Return a JSON line in another encoding; characters that it lacks are escaped."""
    try:
        return line.encode(encoding)
    except UnicodeEncodeError:
        lacking = {ord(c): json.dumps(c)[1:-1] for c in set(line) if not _can_write(c, encoding)}
        return line.translate(lacking).encode(encoding)


def _can_write(character: str, encoding: str) -> bool:
    return bool(character.encode(encoding, "ignore"))


def _without_surrogates(document: Document) -> Document:
    """Replace what UTF-8 cannot encode: lone surrogates from broken pages."""

    def mend(value: object) -> object:
        if isinstance(value, str):
            return value.encode("utf-8", "replace").decode()
        if isinstance(value, dict):
            return {mend(name): mend(item) for name, item in value.items()}
        return [mend(item) for item in value] if isinstance(value, list) else value

    return msgspec.convert(mend(msgspec.to_builtins(document)), type(document))
