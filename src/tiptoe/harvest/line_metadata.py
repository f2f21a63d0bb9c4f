"""What does a line of the corpus say about a page, besides its text?

What the page says about itself; where it says nothing, what its server and its URL say.
"""

import contextlib
from typing import Final, TypedDict
from urllib.parse import urljoin

from tiptoe.fetch.outcome import Answer
from tiptoe.parse.days import day_in_url
from tiptoe.parse.page_metadata import PageMetadata
from tiptoe.parse.titles import without_host
from tiptoe.write.corpus import MetadataSources

__all__ = ["MetadataFields", "complete", "metadata_fields", "settle_day", "settle_title"]

HEADER, URL, SHOWN = "header", "url", "page"
LANGUAGE_CHARS_MAX: Final = 100


class MetadataFields(TypedDict, total=False):
    """The fields of a document that describe it."""

    authors: list[str] | None
    published: str | None
    modified: str | None
    site_name: str | None
    description: str | None
    keywords: list[str] | None
    categories: list[str] | None
    license: str | None
    sources: MetadataSources


def complete(described: PageMetadata, answer: Answer) -> None:
    """Fill in metadata from the headers and the URL; a relative URL of a license is made absolute."""
    if described.license and described.license.startswith(("/", "./", "../")):
        with contextlib.suppress(ValueError):  # raised for invalid URLs
            described.license = urljoin(answer.url, described.license)
    if not described.language:
        value = answer.headers.get("content-language", "")[:LANGUAGE_CHARS_MAX]
        described.take("language", value, HEADER)
    settle_day(described, answer.url)
    settle_title(described, answer.url)


def settle_title(described: PageMetadata, url: str) -> None:
    """Leave the host name out of a title, for pages that do not state the name of their site."""
    if described.title:
        # The URL may come from a caller of the library, in any spelling.
        authority = url.partition("://")[2].partition("/")[0].rpartition("@")[2]
        described.title = without_host(described.title, authority.partition(":")[0].lower())


def settle_day(described: PageMetadata, url: str) -> None:
    """Take the day from the URL unless metadata state one: a day in the visible text may mean anything."""
    if described.sources.get("published", SHOWN) == SHOWN:
        described.take("published", day_in_url(url), URL)


def metadata_fields(described: PageMetadata | None) -> MetadataFields:
    """Return the metadata fields of a line; none for what is not a page."""
    if described is None:
        return {}
    return MetadataFields(
        authors=described.authors,
        published=described.published,
        modified=described.modified,
        site_name=described.site_name,
        description=described.description,
        keywords=described.keywords,
        categories=described.categories,
        license=described.license,
        sources=MetadataSources(**described.sources),
    )
