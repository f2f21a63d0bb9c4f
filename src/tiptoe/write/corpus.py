"""In which form does a document enter the corpus?

One JSON line per document, paragraph by paragraph, with the place of the page
it was made from in the archive. Every line has all fields, in one order, null where nobody knows: whoever
reads the first lines knows the form of all. In UTF-8, or on request in an older encoding,
where a character that it lacks stands as a JSON escape: nothing is lost.
"""

import json
import os
from pathlib import Path
from typing import TypedDict

import msgspec

from tiptoe.text.language import DocumentLanguage
from tiptoe.write.appendfile import Write
from tiptoe.write.output_kinds import CORPUS

__all__ = ["CorpusWriter", "Document", "language_fields"]


class Document(msgspec.Struct, kw_only=True, frozen=True):
    """The clean text of one page, and where it comes from."""

    id: str  # of the WARC record
    url: str
    title: str
    language: str
    charset: str
    fetched_at: str  # ISO 8601, UTC
    last_modified: str
    depth: int
    digest: str
    warc_file: str
    warc_offset: int
    paragraphs: list[str]
    html_bytes: int = 0  # of the page with its content coding undone
    type: str = "text/html"  # by its content
    version: int = 1  # of the page: 2, 3, ... when it was found changed
    # What only some crawls find out; None: nobody looked, or could say.
    lang: str | None = None  # detected, where `language` is what the page says
    lang_confidence: float | None = None  # 0 to 1
    lang_others: list[str] | None = None  # of a text in several languages
    paragraph_langs: list[str] | None = None  # of each paragraph, unless all are alike
    usability: float | None = None  # 0 to 1
    labels: list[str] | None = None  # what each paragraph is taken for
    duplicity: float | None = None  # 0 to 1
    repeated: list[int] | None = None  # places of the paragraphs that stood elsewhere before
    truncated: str | None = None  # what cut the page, as in the archive; None: nothing did


class LanguageFields(TypedDict, total=False):
    """The fields of a document that say which languages it is in."""

    lang: str
    lang_confidence: float
    lang_others: list[str]
    paragraph_langs: list[str]


def language_fields(spoken: DocumentLanguage | None) -> LanguageFields:
    """Return what a line says of the languages of its text; nothing when nobody looked."""
    if spoken is None:
        return {}
    fields = LanguageFields(lang=spoken.language, lang_confidence=round(spoken.confidence, 3))
    if spoken.is_mixed:
        fields["lang_others"] = list(spoken.others)
    if len(set(spoken.paragraphs)) > 1:
        fields["paragraph_langs"] = list(spoken.paragraphs)
    return fields


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
        self.files = CORPUS.numbered_files(directory, prefix, size_max=size_max, write=write)
        self._encoder = msgspec.json.Encoder()

    def write_document(self, document: Document) -> int:
        """Add one document; return the checksum of its line."""
        try:
            line = self._encoder.encode(document)
        except UnicodeEncodeError:
            line = self._encoder.encode(_without_surrogates(document))
        if self._encoding != "utf-8":
            line = _recode(line.decode(), self._encoding)
        return self.files.append_line(line)


def _recode(line: str, encoding: str) -> bytes:
    """Return a JSON line in another encoding; what it cannot write is escaped."""
    try:
        return line.encode(encoding)
    except UnicodeEncodeError:
        lacking = {ord(c): json.dumps(c)[1:-1] for c in set(line) if not _can_write(c, encoding)}
        return line.translate(lacking).encode(encoding)


def _can_write(character: str, encoding: str) -> bool:
    return bool(character.encode(encoding, "ignore"))


def _without_surrogates(document: Document) -> Document:
    """Replace what UTF-8 cannot write: halves of characters from broken pages."""

    def mend(value: object) -> object:
        if isinstance(value, str):
            return value.encode("utf-8", "replace").decode()
        return [mend(item) for item in value] if isinstance(value, list) else value

    known = msgspec.structs.asdict(document).items()
    fields = {name: mend(value) for name, value in known}
    return msgspec.convert(fields, Document)
