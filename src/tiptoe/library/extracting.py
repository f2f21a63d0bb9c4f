"""What is the text of a page?

Bytes or a string are read with the code of harvesters and `tiptoe convert`. Even what a crawl would leave out
is read, and `refusal` says why a crawl would not keep it.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final, Literal

import msgspec

from tiptoe.convert.confinement import DocumentBounds
from tiptoe.convert.kinds import DocumentKind
from tiptoe.convert.reading import Reason
from tiptoe.convert.sandbox import Sandbox
from tiptoe.decide.parsing import parse_point
from tiptoe.decide.point import DecisionPoint
from tiptoe.decide.storing import StorePoint, store_point
from tiptoe.errors import SettingsError
from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.harvest.document import Reading, read_document
from tiptoe.harvest.extraction import BALANCED, Extraction
from tiptoe.harvest.line_metadata import metadata_fields
from tiptoe.library.languages import language_identifier
from tiptoe.url.canonical import Canonicalizer
from tiptoe.write.corpus import Document, language_fields
from tiptoe.write.iso_moments import iso_moment_of
from tiptoe.write.record import sha1_label

__all__ = ["ExtractedDocument", "extract"]

BYTES_MAX: Final = 100 << 20
"""Maximum unpacked size of a page or document; above it the rest is not read."""

AGENT: Final = "tiptoe"
NOWHERE: Final = "about:blank"
HTML_TYPE: Final = "text/html"


class ExtractedDocument(Document, kw_only=True, frozen=True):
    """A document that was not written to a corpus, with further values for the caller."""

    links: list[str] = msgspec.field(default_factory=list)  # absolute if the URL of the document is known
    feeds: list[str] = msgspec.field(default_factory=list)
    refusal: str | None = None  # why a crawl would not keep it; None: it would keep it


def extract(
    html: str | bytes,
    url: str | None = None,
    *,
    extraction: Literal["marked", "main", "all"] = "marked",
    strictness: float = BALANCED,
    content_type: str | None = None,
    headers: Mapping[str, str] | None = None,
    detect_language: bool = True,
) -> ExtractedDocument:
    """Return the text of a page, paragraph by paragraph, as a crawl would store it.

    `html` is a page as text or, better, as its server sent it; bytes may also be a PDF, Word, OpenDocument,
    RTF, EPUB or plain text document, which is read in a confined process. `url` is where it comes from; if it
    is given, links are absolute. `extraction` keeps all paragraphs and labels each as `main` or `boilerplate`
    (`marked`), keeps only the main text (`main`), or keeps everything unlabelled (`all`); `strictness` is
    from 0 (rather too much text) to 1 (rather too little). `headers` are those of the answer, if there was
    one.
    """
    if not isinstance(html, str | bytes | bytearray | memoryview):
        # A path, too, can be turned into bytes: its own, and these would be taken for the page.
        text = "expected a page as str or bytes, such as Path(...).read_bytes()"
        raise TypeError(f"html: {text}, not {type(html).__name__}")
    if extraction not in ("marked", "main", "all"):
        raise SettingsError(f"extraction={extraction!r}: expected marked, main or all")
    if not 0.0 <= strictness <= 1.0:
        raise SettingsError(f"strictness={strictness!r}: expected a number from 0 to 1")
    answer = _answer(html, url, content_type, headers or {})
    reading = read_document(
        answer,
        None,
        agent=AGENT,
        decoded_max=BYTES_MAX,
        parse=parse_point(),
        store=_keep_everything(),
        extraction=None
        if extraction == "all"
        else replace(_extraction(), keeps_boilerplate=extraction == "marked", strictness=strictness),
    )
    if reading.kind is not None:
        return _read_other(answer, reading.kind, reading, detect_language=detect_language)
    # Without a candidate, it was recognised as something that is not a page.
    refusal = reading.discard or store_point().refusal(reading.candidate)
    return _document(answer, reading, refusal=refusal.value if refusal else None, detects=detect_language)


def _answer(html: str | bytes, url: str | None, content_type: str | None, given: Mapping[str, str]) -> Answer:
    """Return the answer of a server that sends this."""
    fields = [*given.items()]
    if isinstance(html, str):
        # A page that was already decoded still declares its original charset.
        fields = [field for field in fields if field[0].lower() not in ("content-type", "content-encoding")]
        kind = (content_type or HTML_TYPE).partition(";")[0]
        body = html.encode("utf-8", "replace")
        fields.insert(0, ("Content-Type", f"{kind}; charset=utf-8"))
    else:
        body = bytes(html)
        if content_type is not None or not any(name.lower() == "content-type" for name, _ in fields):
            fields.insert(0, ("Content-Type", content_type or HTML_TYPE))
    return Answer(
        url=url or NOWHERE,
        status=200,
        request_block=b"",
        header_block=b"",
        headers=Headers(fields),
        body=body,
    )


def _document(
    answer: Answer, reading: Reading, *, refusal: str | None, detects: bool, type: str = HTML_TYPE
) -> ExtractedDocument:
    spoken = reading.recognise(language_identifier().identify_document) if detects else None
    return ExtractedDocument(
        id="",
        url="" if answer.url == NOWHERE else answer.url,
        title=reading.title or None,
        language=reading.language or None,
        charset=reading.charset or None,
        fetched_at="",
        last_modified=iso_moment_of(answer.headers.get("last-modified", "")),
        depth=0,
        digest=sha1_label(answer.body),
        warc_file="",
        warc_offset=0,
        paragraphs=reading.paragraphs,
        html_bytes=reading.html_bytes,
        type=type,
        labels=reading.labels,
        links=_links(answer.url, reading.base_href, reading.hrefs),
        feeds=_links(answer.url, reading.base_href, reading.feeds),
        refusal=refusal,
        **language_fields(spoken),
        **metadata_fields(reading.described),
    )


def _read_other(
    answer: Answer, kind: DocumentKind, reading: Reading, *, detect_language: bool
) -> ExtractedDocument:
    """Read a document that is not a page with the readers of `tiptoe convert`."""
    body = decode_body(answer.body, answer.headers.get("content-encoding"), BYTES_MAX).data
    with Sandbox(DocumentBounds()) as sandbox:
        found = sandbox.read(kind, body, reading.charset)
    refusal = None
    if isinstance(found, Reason):
        refusal = found.value
    else:
        reading.title, reading.charset, reading.paragraphs = found.title, found.charset, found.paragraphs
        reading.language, reading.hrefs = found.language or reading.language, found.links
    return _document(answer, reading, refusal=refusal, detects=detect_language, type=kind.value)


def _links(url: str, base_href: str, hrefs: list[str]) -> list[str]:
    """Return canonical links without duplicates; if the page's URL is unknown, only absolute ones."""
    if not hrefs:
        return []
    canonicalizer = _canonicalizer()
    if base_href:
        url = next(iter(canonicalizer.join(url, [base_href])), url) if url != NOWHERE else base_href
    if url == NOWHERE:
        return [found for href in dict.fromkeys(hrefs) if (found := canonicalizer.canonical(href) or href)]
    return canonicalizer.join(url, hrefs)


@cache
def _extraction() -> Extraction:
    return Extraction.load(keeps_boilerplate=True)


@cache
def _canonicalizer() -> Canonicalizer:
    return Canonicalizer()


def _keep_everything() -> StorePoint:
    """Return a decision point without rules: a caller who has a page wants to see its text."""
    return DecisionPoint()
