"""What does the server tell people and programs about one page in a catalog?"""

import msgspec

from tiptoe.catalog.description import ResourceDescription, iso_moment
from tiptoe.catalog.entry import CatalogEntry, page_id
from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.tiptoe_process import TiptoeProcesses
from tiptoe.control.web_problem import WebProblem

__all__ = [
    "MOMENT_LABELS",
    "ArchivedAnswer",
    "DocumentFacts",
    "PageVisits",
    "document_facts",
    "document_fields",
    "read_answer",
    "read_visits",
]  # fmt: skip

HISTORY_SECONDS = 60.0
TEXTS = ("full_text", "partial_text")
SHOWN_ELSEWHERE = (*TEXTS, "url", "title", "other")
LABELS = {
    "rd_last_modified": "described", "rd_expires": "description expires", "content_length": "bytes",
    "content_charset": "charset", "content_language": "language",
}  # fmt: skip
"""Labels of fields that are not shown by their names."""

MOMENT_LABELS = ("last modified", "expires", "described", "description expires")


class DocumentFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A page with its text, and where it comes from."""

    id: str
    description: ResourceDescription
    fetched_at: str
    length: int  # of its text, in characters
    usability: float | None
    version: int  # of the page: 2, 3, ... when it was found changed
    record: str  # of the archive
    warc_file: str
    warc_offset: int


class SeenVisit(msgspec.Struct, frozen=True, kw_only=True):
    """One visit to a page that left a trace."""

    seen_at: str
    what: str
    status: int | None = None
    version: int | None = None  # None: its text is not in the corpus
    text_chars: int | None = None
    reason: str | None = None


class ArchivedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What the server sent for a page, as text."""

    url: str
    seen_at: str
    warc_file: str
    warc_offset: int
    status_line: str
    headers: list[tuple[str, str]]
    body_bytes: int
    charset: str
    text: str
    fault: str = ""  # why there is no text, or not all of it


class PageVisits(msgspec.Struct, frozen=True):
    """The visits to a page over time."""

    url: str
    visits: list[SeenVisit]


def document_facts(entry: CatalogEntry) -> DocumentFacts:
    """Return the facts about an entry."""
    description = entry.description
    return DocumentFacts(
        id=page_id(description.url),
        description=description,
        fetched_at=iso_moment(entry.moment),
        length=len(description.full_text),
        usability=entry.usability,
        version=entry.version,
        record=entry.record,
        warc_file=entry.warc_file,
        warc_offset=entry.warc_offset,
    )


def document_fields(description: ResourceDescription) -> list[tuple[str, list[str]]]:
    """Return the fields that have values, except URL, title and text."""
    named = [name for name in description.__struct_fields__ if name not in SHOWN_ELSEWHERE]
    found = [
        (LABELS.get(name, name.replace("_", " ")), _values(getattr(description, name))) for name in named
    ]
    own = [(f"field.{name}", list(values)) for name, values in description.other.items()]
    return [(name, values) for name, values in [*found, *own] if values]


def _values(value: object) -> list[str]:
    if isinstance(value, tuple):
        return [str(one) for one in value]
    return [] if value is None or value == "" else [str(value)]


def read_answer(processes: TiptoeProcesses, crawl: KnownCrawl, entry: CatalogEntry) -> ArchivedAnswer:
    """Read a server's answer from the archive, in a separate process, because it is as hostile as the web."""
    url = entry.described.url
    if not url.startswith(("http://", "https://")) or not entry.warc_file:
        raise WebProblem(422, "the archive holds nothing of this page: its description came from elsewhere")
    words = ["history", str(crawl.directory), url, f"--answer={entry.version}", "--json", "--local"]
    done = processes.run(words, seconds=HISTORY_SECONDS)
    try:
        return msgspec.json.decode(done.output, type=ArchivedAnswer)
    except msgspec.DecodeError:
        said = done.fault.removeprefix("tiptoe: ")
        raise WebProblem(422, said or "the archive holds nothing of this page") from None


def read_visits(processes: TiptoeProcesses, crawl: KnownCrawl, url: str) -> PageVisits:
    """Read all visits to a page from the files of its crawl, in a separate process."""
    if not url.startswith(("http://", "https://")):
        raise WebProblem(422, "only of pages of the web it is known when they were visited")
    words = ["history", str(crawl.directory), url, "--json", "--local"]
    done = processes.run(words, seconds=HISTORY_SECONDS)
    try:
        return msgspec.json.decode(done.output, type=PageVisits)
    except msgspec.DecodeError:
        raise WebProblem(422, done.fault or "the files of the crawl tell nothing of this page") from None
