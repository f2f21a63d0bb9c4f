"""What is known about a page besides its text: who wrote it, when, where?

Read from the places where pages say it, the most reliable first: structured data (JSON-LD), `<meta>`
(OpenGraph, Dublin Core, citation and the like), microdata, and the visible text. `sources` says which it was.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Final

from tiptoe.parse.authors import has_lead, read_authors, read_byline
from tiptoe.parse.days import read_day
from tiptoe.parse.jsonld import Node, StructuredData, types_of
from tiptoe.parse.page_evidence import PageEvidence
from tiptoe.parse.titles import TitleKind, choose_title
from tiptoe.text.paragraphs import clean

__all__ = ["META_NAMES", "PageMetadata", "describe_page", "read_top"]

JSONLD, META, MICRODATA, PAGE = "jsonld", "meta", "microdata", "page"

TEXT_CHARS_MAX: Final = 500
DESCRIPTION_CHARS_MAX: Final = 2_000
LISTED_MAX: Final = 50
LISTED_CHARS_MAX: Final = 100
LIST_CHARS_MAX: Final = 5_000
TOP_BEFORE, TOP_BYLINE, TOP_DAY = 3, 12, 40
"""Maximum numbers of paragraphs searched: before the title, after it for authors, after it for the date."""

TOP_CHARS_MAX: Final = 100
"""Longer paragraphs tell of other people and days."""

_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_MONTH_FIRST: Final = frozenset({"en", "en-us", "en-ca", "en-ph"})
"""Languages of pages where 5/1/2024 is a day in May; English without a country is mostly American."""

_TITLES: Final = ("og:title", "citation_title", "dc.title", "dcterms.title", "twitter:title")
_AUTHORS: Final = (
    "citation_author", "author", "article:author", "dc.creator", "dcterms.creator", "dc.contributor.author",
    "parsely-author", "sailthru.author", "byl", "og:author", "article:author_name", "dc:creator",
    "og:article:author", "article.author", "authors", "author_name", "shareaholic:article_author_name",
)  # fmt: skip
_PUBLISHED: Final = (
    "article:published_time", "og:published_time", "citation_publication_date", "citation_date",
    "dc.date.issued", "dcterms.issued", "dcterms.created", "dc.date.created", "dc.date", "dcterms.date",
    "datepublished", "parsely-pub-date", "sailthru.date", "pubdate", "publishdate", "publish-date",
    "publish_date", "publication_date", "date", "article.published", "cxenseparse:recs:publishtime",
    "citation_online_date", "last-published", "dc:date", "dc:created", "dc.created", "dc.date.publication",
    "og:article:published_time", "og:article:published", "og:datepublished", "og:pubdate", "og:publish_date",
    "article:published", "article:published_date", "article:post_date", "article.created", "bt:pubdate",
    "date_published", "published_date", "published_time", "published-date", "publisheddate", "publish_time",
    "originalpublicationdate", "article_date_original", "shareaholic:article_published_time", "datecreated",
    "date_created", "dateposted", "mediator_published_time", "vr:published_time", "displaydate",
)  # fmt: skip
_MODIFIED: Final = (
    "article:modified_time", "og:updated_time", "dcterms.modified", "dc.date.modified", "datemodified",
    "last-modified", "lastmod", "revised", "article.updated", "og:modified_time", "og:article:modified_time",
    "article:modified", "date_modified", "modified_time", "shareaholic:article_modified_time",
)  # fmt: skip
_SITES: Final = ("og:site_name", "application-name", "citation_journal_title", "dc.publisher")
_DESCRIPTIONS: Final = (
    "description",
    "og:description",
    "dc.description",
    "dcterms.abstract",
    "twitter:description",
)
_KEYWORDS: Final = ("keywords", "news_keywords", "article:tag", "dc.subject", "parsely-tags")
_CATEGORIES: Final = ("article:section", "parsely-section", "category")
_LICENSES: Final = ("dc.rights", "dcterms.license", "dc.rights.license")

_NAMES: Final = {
    "title": _TITLES, "authors": _AUTHORS, "published": _PUBLISHED, "modified": _MODIFIED,
    "site_name": _SITES, "description": _DESCRIPTIONS, "keywords": _KEYWORDS, "categories": _CATEGORIES,
    "license": _LICENSES,
}  # fmt: skip
"""Names of META tags for each field, the most reliable first."""

_FIELD_OF: Final = {name: what for what, names in _NAMES.items() for name in names}
META_NAMES: Final = frozenset(_FIELD_OF)
"""Names of the META tags that are read, in lower case."""

_WORKS: Final = frozenset({
    "Report", "Recipe", "Question", "HowTo", "Book", "Thesis", "CreativeWork", "VideoObject",
    "PodcastEpisode", "Dataset", "Course", "Event",
})  # fmt: skip
"""Types of objects that stand for the page, besides articles and postings of all sorts."""

_PAGES: Final = frozenset({
    "WebPage", "ItemPage", "AboutPage", "CollectionPage", "FAQPage", "QAPage", "MedicalWebPage",
    "ProfilePage", "Product",
})  # fmt: skip


@dataclass(slots=True)
class PageMetadata:
    """What a page says about itself, and where each value was found."""

    title: str | None = None
    authors: list[str] | None = None
    published: str | None = None
    modified: str | None = None
    site_name: str | None = None
    description: str | None = None
    keywords: list[str] | None = None
    categories: list[str] | None = None
    language: str | None = None
    license: str | None = None
    sources: dict[str, str] = field(default_factory=dict)

    def take(self, name: str, value: object, source: str) -> bool:
        """Keep a value and its source, if there is one; tell whether there was."""
        if value:
            setattr(self, name, value)
            self.sources[name] = source
        return bool(value)


def describe_page(
    title: str | None, named: Mapping[str, Sequence[str]], evidence: PageEvidence, *,
    language: str | None = None, license: str | None = None,
) -> PageMetadata:  # fmt: skip
    """Combine what different places say; `named` has the contents of META tags, by name.

    `license` is the URL that the page links to as its license.
    """
    page = _PageDescription(title or "", named, evidence, language, license)
    page.describe()
    return page.made


def read_top(made: PageMetadata, paragraphs: Sequence[str]) -> None:
    """Add authors and date from plain text around the title, if nothing else names them."""
    if made.authors and made.published:
        return
    top = paragraphs[:TOP_DAY]
    place = 0
    if made.title in paragraphs[: 10 * TOP_DAY]:
        place = paragraphs.index(made.title)
        top = paragraphs[max(place - TOP_BEFORE, 0) : place + TOP_DAY]
        if not made.authors:
            lines = (line for line in top[: TOP_BEFORE + TOP_BYLINE] if len(line) <= TOP_CHARS_MAX)
            found = (read_byline(line) for line in lines if has_lead(line))
            made.take("authors", next(filter(None, found), None), PAGE)
    if not made.published:
        lines = (line for line in top if len(line) <= TOP_CHARS_MAX and _YEAR.search(line))
        days = (read_day(line, is_month_first=_is_month_first(made.language)) for line in lines)
        made.take("published", next(filter(None, days), None), PAGE)


class _PageDescription:
    """A page that is being described; the search for a value ends at the first place that has it."""

    def __init__(
        self, title: str, named: Mapping[str, Sequence[str]], evidence: PageEvidence,
        language: str | None, license: str | None,
    ) -> None:  # fmt: skip
        self._title, self._named, self._evidence = title, named, evidence
        self._language, self._license = language, license
        self._said = _by_field(named)
        self._structured = evidence.structured()
        self._works = _works(self._structured)
        # Pages with structured data do not repeat it all in microdata.
        self._marked: Mapping[str, Sequence[str]] = {} if self._works else evidence.microdata()
        self._is_month_first = False
        self.made = PageMetadata()

    def describe(self) -> None:
        """Find everything; since most pages say little, fields without any source are skipped."""
        self._take_language()
        self._take_site_name()
        self._take_title()
        self._take_authors()
        self._take_published()
        self._take_modified()
        self._take_description()
        self._take_list("keywords", "keywords", "keywords")
        self._take_list("categories", "articleSection", "articlesection")
        self._take_license()

    # -- each of them ----------------------------------------------------

    def _take_language(self) -> None:
        take = self.made.take
        if not take("language", self._language, META) and self._works:
            take("language", self._text_of("inLanguage"), JSONLD)
        self._is_month_first = _is_month_first(self.made.language)

    def _take_site_name(self) -> None:
        take = self.made.take
        if self._structured.nodes and take("site_name", self._site_name(), JSONLD):
            return
        take("site_name", self._first_of("site_name"), META)

    def _take_title(self) -> None:
        named = self._said.get("title", ())
        declared = [_cut(text) for text in (*named, self._text_of("headline") or "") if text]
        headings = self._evidence.headings()
        title, kind = choose_title(self._title, declared, headings, self.made.site_name or "")
        source = PAGE if kind is not TitleKind.DECLARED else META if named else JSONLD
        self.made.take("title", title[:TEXT_CHARS_MAX], source)

    def _take_authors(self) -> None:
        """Take names from the most reliable place; the name of the site only if there is no other."""
        site_names = {name.casefold() for name in (self.made.site_name, self._text_of("publisher")) if name}
        of_site: tuple[list[str], str] = ([], "")
        for authors, source in self._named_authors():
            if authors and not site_names.issuperset(name.casefold() for name in authors):
                self.made.take("authors", authors, source)
                return
            of_site = of_site if of_site[0] else (authors, source)
        self.made.take("authors", *of_site)

    def _named_authors(self) -> Iterator[tuple[list[str], str]]:
        """Yield the names found in each place, the most reliable first."""
        if self._works:
            yield read_authors(self._people_of("author")), JSONLD
        if "authors" in self._said:
            # From the first kind of META tag that has any; others repeat some or all of them.
            lines = (read_authors(self._named[name]) for name in _AUTHORS if name in self._named)
            yield next(filter(None, lines), []), META
        if "author" in self._marked:
            # Only the first: people who reply in a forum are marked as authors, too.
            yield read_authors(self._marked["author"][:1]), MICRODATA
        yield next(filter(None, map(read_byline, self._evidence.bylines())), []), PAGE
        if self._works:
            yield read_authors(self._people_of("creator")), JSONLD

    def _take_published(self) -> None:
        take, name = self.made.take, "published"
        if self._works and take(name, self._day(self._texts_of("datePublished")), JSONLD):
            return
        if name in self._said and take(name, self._day(self._said[name]), META):
            return
        marked = (*self._marked.get("datepublished", ()), *self._marked.get("datecreated", ()))
        if marked and take(name, self._day(marked), MICRODATA):
            return
        if self._works and take(name, self._day(self._texts_of("dateCreated", "uploadDate")), JSONLD):
            return
        take(name, self._day_shown(), PAGE)

    def _take_modified(self) -> None:
        take, name = self.made.take, "modified"
        if self._works and take(name, self._day(self._texts_of("dateModified")), JSONLD):
            return
        if name in self._said and take(name, self._day(self._said[name]), META):
            return
        marked = [*self._marked.get("datemodified", ()), *self._marked.get("dateupdated", ())]
        take(name, self._day(marked), MICRODATA)

    def _take_description(self) -> None:
        take, name = self.made.take, "description"
        if take(name, self._first_of(name, DESCRIPTION_CHARS_MAX), META):
            return
        if self._works and take(name, self._text_of(name, DESCRIPTION_CHARS_MAX), JSONLD):
            return
        take(name, self._first_marked(name), MICRODATA)

    def _take_list(self, name: str, key: str, marked: str) -> None:
        take = self.made.take
        if self._works and take(name, _split_list(self._texts_of(key)), JSONLD):
            return
        if name in self._said and take(name, _split_list(self._said[name]), META):
            return
        if marked in self._marked:
            take(name, _split_list(self._marked[marked]), MICRODATA)

    def _take_license(self) -> None:
        take, name = self.made.take, "license"
        if self._works and take(name, self._text_of(name), JSONLD):
            return
        if take(name, self._first_of(name), META) or take(name, self._first_marked(name), MICRODATA):
            return
        take(name, self._license, PAGE)

    # -- structured data -------------------------------------------------

    def _texts_of(self, *keys: str) -> Iterator[str]:
        for node in self._works:
            for key in keys:
                for value in self._structured.each(node.get(key)):
                    if text := _text(value):
                        yield text

    def _text_of(self, key: str, chars_max: int = TEXT_CHARS_MAX) -> str | None:
        if not self._works:
            return None
        return next((_cut(text, chars_max) for text in self._texts_of(key)), None)

    def _people_of(self, key: str) -> list[str]:
        """Return the people in this role from the first object that names any."""
        for node in self._works:
            if found := [text for value in self._structured.each(node.get(key)) if (text := _text(value))]:
                return found
        return []

    def _site_name(self) -> str | None:
        sites = (node for node in self._structured.nodes if "WebSite" in types_of(node))
        names = (_cut(name) for node in sites if (name := _text(node.get("name"))))
        return next(names, None) or self._text_of("publisher")

    # -- meta, microdata, page -------------------------------------------

    def _first_of(self, name: str, chars_max: int = TEXT_CHARS_MAX) -> str | None:
        return next((cut for text in self._said.get(name, ()) if (cut := _cut(text, chars_max))), None)

    def _first_marked(self, name: str) -> str | None:
        return next(iter(self._marked.get(name, ())), None)

    def _day(self, texts: Iterable[str]) -> str | None:
        for text in texts:
            if day := read_day(text, is_month_first=self._is_month_first):
                return day
        return None

    def _day_shown(self) -> str | None:
        """Return the first date in a place where pages usually show theirs."""
        evidence = self._evidence
        moments = (text for pair in evidence.times() for text in pair)
        return self._day(moments) or self._day(evidence.dated()) or self._day(evidence.bylines())


def _by_field(named: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Return the contents of META tags by field, the most reliable first."""
    names: dict[str, list[str]] = {}
    for name in named:
        names.setdefault(_FIELD_OF[name], []).append(name)
    values: dict[str, Sequence[str]] = {}
    for what, used in names.items():
        if len(used) == 1:
            values[what] = named[used[0]]
        else:
            values[what] = [text for name in sorted(used, key=_NAMES[what].index) for text in named[name]]
    return values


def _is_month_first(language: str | None) -> bool:
    return (language or "").lower() in _MONTH_FIRST


def _works(structured: StructuredData) -> list[Node]:
    """Return the objects that stand for the page, the most reliable first."""
    articles, pages = [], []
    for node in structured.nodes:
        types = types_of(node)
        if any(one in _WORKS or one.endswith(("Article", "Posting")) for one in types):
            articles.append(node)
        elif any(one in _PAGES for one in types):
            pages.append(node)
    return articles[:1] + pages[:1]


def _text(value: object) -> str:
    """Return a text, or the name of an object, or else its URL; empty if there is none."""
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value") or value.get("url") or value.get("@id")
        if isinstance(value, list):
            value = next(iter(value), None)
    return clean(unescape(value[:DESCRIPTION_CHARS_MAX])) if isinstance(value, str) else ""


def _cut(text: str, chars_max: int = TEXT_CHARS_MAX) -> str:
    return clean(text[: 2 * chars_max])[:chars_max].rstrip()


def _split_list(texts: Iterable[str]) -> list[str]:
    """Return the listed values, each once; one text may contain several."""
    found: dict[str, str] = {}
    for text in texts:
        for part in text[:LIST_CHARS_MAX].replace(";", ",").split(","):
            value = clean(part)
            if value and len(value) <= LISTED_CHARS_MAX and len(found) < LISTED_MAX:
                found.setdefault(value.casefold(), value)
    return list(found.values())
