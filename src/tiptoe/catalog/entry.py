"""What does a catalog store about a page, and how is the page found?

`CatalogEntry` is what is stored. `index_terms` gives the words, values and numbers by which an index finds,
counts and sorts it: the same for every index.
"""

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import msgspec

from tiptoe.catalog.description import (
    VALUES_MAX,
    ResourceDescription,
    iso_moment,
    merge_fields,
    moment_of,
)
from tiptoe.catalog.plain_text import composed, line_ends
from tiptoe.catalog.query import OWN_FIELD_PREFIX
from tiptoe.catalog.query_parser import MILLIONTHS
from tiptoe.catalog.words import BREAK, Analysis, analyse, folded_words
from tiptoe.write.corpus import BOILERPLATE, Document, without_boilerplate
from tiptoe.write.ratings import Share

__all__ = [
    "FACETS", "CatalogEntry", "CorpusText", "IndexTerms", "TextPlace", "entry_of_description",
    "entry_of_document", "index_terms", "main_text", "page_id", "page_number",
]  # fmt: skip

FACETS: Final = ("language", "site", "type", "date", "usability")
"""The facets by which pages are counted."""

PARTIAL_CHARS: Final = 400
LABELS_MAX: Final = 10
FIELD_CHARS_MAX: Final = 20_000
VALIDITY_DAYS: Final = 90
HOUR_MILLISECONDS: Final = 3600 * 1000
DAY_MILLISECONDS: Final = 24 * HOUR_MILLISECONDS
SCHEME_CHARS_MAX: Final = len("https://")
BANDS: Final = ("0.0–0.2", "0.2–0.4", "0.4–0.6", "0.6–0.8", "0.8–1.0")
_decode_paragraphs: Final = msgspec.json.Decoder(list[str]).decode
_USUAL_ORIGIN: Final = re.compile(r"https?://([a-z0-9.-]+)(?::\d+)?/?", re.ASCII)
"""Of most URLs; the library takes several times as long to find the host."""

_ADDRESS: Final = re.compile(r"[\d.]+|.*:.*")

Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""An integer that an index can store; a corpus line with a larger one is invalid."""


class TextPlace(msgspec.Struct, frozen=True):
    """Where the corpus has the text of a page: a file, relative to the crawl, and a line in it."""

    file: str
    offset: int
    length: int


class CatalogEntry(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """The stored data of a page: its description, the quality of its text, and its origin."""

    described: ResourceDescription  # as the page itself has it
    moment: int  # when it was fetched, in milliseconds since 1970
    given: dict[str, tuple[str, ...]] = {}  # fields that filters have given it
    given_at: int = 0
    usability: float | None = None
    record: str = ""  # of the archive
    warc_file: str = ""
    warc_offset: int = 0
    version: int = 1
    text_at: TextPlace | None = None

    @property
    def description(self) -> ResourceDescription:
        """The description with the fields given by filters."""
        return merge_fields(self.described, self.given) if self.given else self.described


class IndexTerms(NamedTuple):
    """The terms by which an entry is found, counted and sorted."""

    text: str  # found by its words, folded and as spelt
    title: Analysis
    words: dict[str, str]  # of other fields: folded, separated by blanks
    own: list[str]  # words of other fields, each with the name of its field
    values: dict[str, list[str]]
    numbers: dict[str, int]
    facets: dict[str, str]


def page_number(url: str) -> int:
    """Return the number of a page in an index; nobody can make a URL for a given number."""
    digest = hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def page_id(url: str) -> str:
    """Return the id of a page in a catalog."""
    return f"{page_number(url):016x}"


class CorpusText(msgspec.Struct, kw_only=True, frozen=True):
    """The part of a corpus line that a catalog decodes; fewer fields are faster."""

    id: str
    url: str
    title: str | None
    language: str | None
    charset: str | None
    fetched_at: str
    last_modified: str | None
    depth: Whole
    warc_file: str
    warc_offset: Whole
    paragraphs: msgspec.Raw  # decoded only if the line has no joined text
    html_bytes: Whole = 0
    type: str = "text/html"
    version: Whole = 1
    lang: str | None = None
    usability: Share | None = None
    labels: list[str] | None = None
    authors: list[str] | None = None
    description: str | None = None
    keywords: list[str] | None = None
    categories: list[str] | None = None
    text: str | None = None


def entry_of_document(document: CorpusText | Document, text_at: TextPlace | None = None) -> CatalogEntry:
    """Return the entry of a corpus document."""
    text = main_text(document)
    moment = moment_of(document.fetched_at) or 0
    modified = moment_of(document.last_modified) if document.last_modified else None
    described = ResourceDescription(
        url=document.url,
        title=composed(document.title or ""),
        author=_values(document.authors),
        description=composed(document.description or "")[:FIELD_CHARS_MAX],
        keywords=_values(document.keywords),
        classification=_values(document.categories),
        partial_text=text[:PARTIAL_CHARS],
        full_text=text,
        content_type=document.type,
        content_length=document.html_bytes or None,
        content_charset=document.charset or "",
        content_language=document.lang or document.language or "",
        last_modified=iso_moment(modified) if modified is not None else "",
        depth=document.depth,
        rd_last_modified=iso_moment(moment),
        rd_expires=iso_moment(moment + VALIDITY_DAYS * DAY_MILLISECONDS),
    )
    return CatalogEntry(
        described=described, moment=moment, usability=document.usability, record=document.id,
        warc_file=document.warc_file, warc_offset=document.warc_offset, version=document.version,
        text_at=text_at,
    )  # fmt: skip


def main_text(document: CorpusText | Document) -> str:
    """Return the text without boilerplate, one paragraph per line, in normal form."""
    return composed(_kept_text(document))


def _kept_text(document: CorpusText | Document) -> str:
    if isinstance(document, Document):
        return _joined(document.paragraphs, document.labels)
    text, labels = document.text, document.labels
    # Crawls may be set to write all paragraphs there; the number of lines shows which was done.
    if text is not None and labels and line_ends(text) + 1 == len(labels) - labels.count(BOILERPLATE):
        return text
    return _joined(_decode_paragraphs(document.paragraphs), labels)


def _joined(paragraphs: list[str], labels: list[str] | None) -> str:
    kept = without_boilerplate(paragraphs, labels)
    text = "\n".join(kept)
    if text.count("\n") < len(kept) or not kept:
        return text
    return "\n".join(paragraph.replace("\n", " ") for paragraph in kept)


def _values(values: list[str] | None) -> tuple[str, ...]:
    return tuple(map(composed, values[:VALUES_MAX])) if values else ()


def entry_of_description(described: ResourceDescription, moment: int) -> CatalogEntry:
    """Return the entry of a description that came without a document."""
    text = composed(described.full_text)
    return CatalogEntry(described=msgspec.structs.replace(described, full_text=text), moment=moment)


def index_terms(entry: CatalogEntry) -> IndexTerms:
    """Return the terms by which an entry is found."""
    page = entry.description
    words = {"url": " ".join(folded_words(page.url))}
    lists = {"author": page.author, "keywords": page.keywords, "classification": page.classification}
    for field, values in {**lists, "description": (page.description,)}.items():
        if joined := "\n".join(values)[:FIELD_CHARS_MAX]:
            words[field] = analyse(joined).folded
    host, sites = _place(page.url[: page.url.find("/", SCHEME_CHARS_MAX) + 1] or page.url)
    types = _types(page.content_type)
    language = page.content_language.lower().replace("_", "-").partition("-")[0].strip()[:16]
    modified = moment_of(page.last_modified) if page.last_modified else None
    known = {
        "date": entry.moment, "modified": modified, "length": len(page.full_text), "depth": page.depth,
        "usability": None if entry.usability is None else round(entry.usability * MILLIONTHS),
    }  # fmt: skip
    return IndexTerms(
        text=page.full_text or page.partial_text,
        title=analyse(page.title[:FIELD_CHARS_MAX]),
        words=words,
        own=_own_words(page.other),
        values={
            "lang": [language] if language else [],
            "site": sites,
            "type": types,
        },
        numbers={name: max(value, 0) for name, value in known.items() if value is not None},
        facets=_facets(entry, language, host, types),
    )


def _own_words(other: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the words of fields with other names; phrases do not span two fields."""
    found: list[str] = []
    for name, values in other.items():
        for value in values:
            found += [f"{OWN_FIELD_PREFIX}{name}={word}" for word in folded_words(value[:FIELD_CHARS_MAX])]
            found.append(BREAK)
    return found


def _facets(entry: CatalogEntry, language: str, host: str, types: list[str]) -> dict[str, str]:
    facets = {
        "language": language,
        "site": host.removeprefix("www."),
        "type": types[0] if types else "",
        "date": _month(entry.moment // HOUR_MILLISECONDS),
    }
    if entry.usability is not None:
        facets["usability"] = BANDS[min(max(int(entry.usability * len(BANDS)), 0), len(BANDS) - 1)]
    return {name: value for name, value in facets.items() if value}


@lru_cache(maxsize=64)
def _month(hour: int) -> str:
    """Return the month of an hour since 1970; cached, because pages come in order of time."""
    return iso_moment(hour * HOUR_MILLISECONDS)[:7]


@lru_cache(maxsize=1024)
def _place(origin: str) -> tuple[str, list[str]]:
    """Return the host of a URL, and all domains it belongs to; cached, because many pages share one."""
    usual = _USUAL_ORIGIN.fullmatch(origin)
    try:
        host = (usual[1] if usual else urlsplit(origin).hostname or "")[:253]
    except ValueError:
        host = ""
    return host, _sites(host)


def _sites(host: str) -> list[str]:
    """Return a host and all domains it belongs to."""
    if not host or _ADDRESS.fullmatch(host):
        return [host] if host else []
    labels = host.split(".")
    first = max(len(labels) - LABELS_MAX, 0)
    return list(dict.fromkeys([host, *(".".join(labels[place:]) for place in range(first, len(labels)))]))


@lru_cache(maxsize=256)
def _types(content_type: str) -> list[str]:
    """Return a media type, and its subtype, by which people know it."""
    name = content_type.partition(";")[0].strip().lower()[:100]
    return [name, name.partition("/")[2]] if "/" in name else [name] if name else []
