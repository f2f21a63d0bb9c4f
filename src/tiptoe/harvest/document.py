"""What does an answer contain?

Pure: bytes in, text and links out. This module recognises what an answer is; the decision points `parse` and
`store` say whether it is wanted. The reason for rejecting a page is a `Discard`; everything else known about
it goes into the `Reading`.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import xxhash

from tiptoe.convert.kinds import DocumentKind, has_magic, kind_of
from tiptoe.decide.discard import Discard
from tiptoe.decide.filtering import FilteredPage
from tiptoe.decide.parsing import ParsePoint, ReceivedAnswer
from tiptoe.decide.storing import CandidateText, StorePoint
from tiptoe.fetch.coding import Decoded, decode_body
from tiptoe.fetch.outcome import Answer
from tiptoe.fetch.robots import RobotsDirectives, robots_meta
from tiptoe.fields.field_value import FieldValue
from tiptoe.fields.rule_book import RuleBook
from tiptoe.harvest.extraction import BOILERPLATE, Extraction
from tiptoe.harvest.field_reading import FieldReading
from tiptoe.harvest.line_metadata import complete
from tiptoe.harvest.mediatype import HTML, XHTML, declared_charset, find_source, is_media, media_type
from tiptoe.harvest.page_filtering import Filtering
from tiptoe.parse.charset import decode
from tiptoe.parse.html import NO_DETAILS, Details, Page, read_page
from tiptoe.parse.page_metadata import PageMetadata
from tiptoe.parse.rights import TdmRule, combine, read_reservation, tdm_reserved
from tiptoe.parse.standins import StandIn, has_challenge_field, is_challenge, stand_in
from tiptoe.parse.wide import garbage_share
from tiptoe.parse.xhtml import as_html
from tiptoe.protocol.work import Hint, Purpose, RobotsNote
from tiptoe.text.language import UND, DocumentLanguage
from tiptoe.url.address import split_url
from tiptoe.url.dropped import Dropped
from tiptoe.write.corpus import without_boilerplate

__all__ = ["NOTHING_READ", "Reading", "read_document", "read_refusal", "refused_by_head"]

HTML_TYPES = frozenset({HTML, XHTML, "application/xhtml"})
REPLACEMENT = "\ufffd"
GARBLED_SHARE = 0.3
"""Maximum share of replacement characters; above it a page is not text, whatever its charset."""

GARBAGE_SHARE = 0.15
"""The same for the text read from a page, where unassigned and private-use characters count as well."""

SAMPLED_PARAGRAPHS, SAMPLED_CHARS = 60, 1_000

NO_DIRECTIVES = RobotsDirectives()
DETAILS = {reads_headings: Details(has_headings=reads_headings) for reads_headings in (False, True)}
"""What filters are shown of a page, by whether they read its headings."""

REFUSALS = frozenset({401, 403, 405, 406, 429, 503})
"""Statuses with which challenges are served, besides 200."""

REFUSAL_BYTES_MAX = 65_536

TAIL_BYTES = 1000
"""A page with `</html` in this many bytes at its end is complete: servers may append scripts to it."""


STAND_INS = {StandIn.CHALLENGE: Discard.CHALLENGE, StandIn.NOT_FOUND: Discard.SOFT_404}


@dataclass(slots=True, kw_only=True)
class Reading:
    """What was read from one answer."""

    discard: Discard | None = None
    candidate: CandidateText = field(default_factory=CandidateText)  # what the point `store` judges
    title: str = ""
    language: str = ""
    described: PageMetadata | None = None  # as the page describes itself
    fields: dict[str, FieldValue] | None = None  # by the operator's rules; None: there are none
    costly_rules: list[str] = field(default_factory=list)  # rules that took too long and were cut off
    charset: str = ""
    paragraphs: list[str] = field(default_factory=list)
    labels: list[str] | None = None  # one for each paragraph; None: not labelled
    html_bytes: int = 0  # after content decoding
    base_href: str = ""
    hrefs: list[str] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    losses: dict[str, int] = field(default_factory=dict)  # what was left out, counted by reason
    kind: DocumentKind | None = None  # of a document that is stored to be converted later
    source: Purpose | None = None  # set if it is a sitemap or a feed; then nothing else was read
    is_nofollow: bool = False  # its links are not to be followed
    spoken: DocumentLanguage | None = None  # as recognised; None: not determined
    is_read: bool = False  # the text was read, even if it is discarded, and is worth rating
    duplicate_of: str = ""  # the page of the corpus with exactly this text, if known
    redirect: str = ""  # target of a redirect
    robots: RobotsNote | None = None  # of a request for the rules of a host
    sitemaps: list[str] = field(default_factory=list)  # further sitemaps that a sitemap lists
    sub_priority: int = -1  # class of the links of a sitemap, -1 = by depth
    hints: list[Hint] = field(default_factory=list)  # changed pages, according to a sitemap or a feed
    filtered: FilteredPage | None = None  # what the operator's filters say; None: there are none
    requisites: list[str] = field(default_factory=list)  # what is needed to display it, as written there

    @property
    def main_paragraphs(self) -> list[str]:
        """The text that the page is judged by: without paragraphs labelled as boilerplate."""
        return without_boilerplate(self.paragraphs, self.labels)

    @property
    def text_chars(self) -> int:
        return sum(map(len, self.main_paragraphs))

    def recognise(self, identify: Callable[[Sequence[str]], DocumentLanguage]) -> DocumentLanguage:
        """Identify the languages of the main text and note them; boilerplate is left undetermined."""
        main = self.main_paragraphs
        spoken = identify(main)
        if len(main) < len(self.paragraphs):
            own = iter(spoken.paragraphs)
            each = tuple(UND if label == BOILERPLATE else next(own) for label in self.labels or ())
            spoken = replace(spoken, paragraphs=each)
        self.spoken = spoken
        return spoken

    @property
    def text_hash(self) -> bytes:
        """Hash of the whole text; empty when there is none."""
        if not self.paragraphs:
            return b""
        return xxhash.xxh3_64_digest("\n".join(self.paragraphs).encode("utf-8", "surrogatepass"))


NOTHING_READ = Reading()
"""Stands for an answer that has not been read yet, or that does not exist. Shared: never write to it."""


def read_document(
    answer: Answer, rules: RobotsNote | None, *, agent: str, decoded_max: int,
    parse: ParsePoint, store: StorePoint, extraction: Extraction | None = None,
    sources: Collection[Purpose] = (), filtering: Filtering | None = None,
    rule_book: RuleBook | None = None, needs: Callable[[str], list[str]] | None = None,
) -> Reading:  # fmt: skip
    """Read the text and links of an answer, as far as its owner permits.

    Without `extraction`, all text is taken. Sitemaps and feeds listed in `sources` are recognised, not read.
    `needs` finds what is needed to display a page.
    """
    if has_challenge_field(answer.headers):
        return Reading(discard=Discard.CHALLENGE)
    declared = media_type(answer)
    unwanted = parse.refusal(ReceivedAnswer(answer.url, declared))
    if unwanted is not None:
        return Reading(discard=unwanted)
    decoded = decode_body(answer.body, answer.headers.get("content-encoding"), decoded_max)
    source = find_source(decoded.data, declared)
    if source is not None and source in sources:
        return Reading(source=source)
    if declared not in HTML_TYPES or has_magic(decoded.data):
        return _read_other(
            answer, decoded.data, declared, rules, agent=agent, parse=parse, store=store, filtering=filtering
        )
    if decoded.fault and not decoded.data:
        return Reading(discard=Discard.UNREADABLE)
    if is_media(decoded.data):
        return Reading(discard=Discard.NOT_HTML)
    text = decode(decoded.data, declared_charset(answer))
    if text.is_garbled or _is_garbled(text.text):
        return Reading(discard=Discard.NOT_HTML)
    markup = text.text if declared == HTML else as_html(text.text)
    utf8 = decoded.data if text.is_verbatim and markup is text.text else None
    details = NO_DETAILS if filtering is None else DETAILS[filtering.filters.reads_headings]
    fields = FieldReading(rule_book, answer.url)
    if rule_book is not None:
        details = replace(details, inspect=fields.read)
    page = read_page(markup, agent=agent, utf8=utf8, is_outlined=extraction is not None, details=details)
    judged = page.paragraphs if extraction is None else None  # otherwise judged after the choice
    reading = _read_text(answer, rules, page, decoded, judged, agent=agent, store=store)
    if reading.described is None:
        return reading
    if needs is not None and not reading.is_nofollow:
        reading.requisites = needs(markup)
    reading.charset = text.charset
    reading.fields, reading.costly_rules = fields.values, fields.costly_rules
    if filtering is not None:
        _apply_filters(reading, filtering.judge_page(answer, page, decoded.data, markup, reading), store)
    if extraction is not None and reading.discard is None:
        _choose(reading, page, extraction, store)
    return reading


def _read_text(
    answer: Answer, rules: RobotsNote | None, page: Page, decoded: Decoded,
    judged: list[str] | None, *,
    agent: str, store: StorePoint,
) -> Reading:  # fmt: skip
    """Return what a page says; without metadata if it is not a page, or only stands in for one."""
    fields = answer.headers.every("x-robots-tag")
    has_directives = bool(fields or page.directives)
    directives = robots_meta(fields, agent, page.directives) if has_directives else NO_DIRECTIVES
    if _is_garbage(page.paragraphs):
        return Reading(discard=Discard.NOT_HTML)
    title = page.title or ""
    if (replaced := stand_in(title, page.paragraphs, decoded.data)) is not None:
        return Reading(discard=STAND_INS[replaced], title=title)
    complete(page.described, answer)
    is_reserved = _is_reserved(answer, page.tdm_reservation, rules)
    candidate = CandidateText(answer.url, directives.noindex, is_reserved, bool(page.paragraphs))
    candidate.paragraphs = judged
    return Reading(
        discard=store.refusal(candidate),
        candidate=candidate,
        title=page.described.title or "",
        language=page.described.language or "",
        described=page.described,
        paragraphs=page.paragraphs,
        html_bytes=len(decoded.data),
        base_href=page.base_href or "",
        hrefs=[] if directives.nofollow else page.links,
        feeds=[] if directives.nofollow else page.feeds,
        losses=_losses(answer, decoded, page, is_nofollow=directives.nofollow),
        is_nofollow=directives.nofollow,
    )


def _choose(reading: Reading, page: Page, extraction: Extraction, store: StorePoint) -> None:
    """Choose among the paragraphs of a page, and judge the page by the chosen ones."""
    if page.outline is not None:
        reading.paragraphs, reading.labels = extraction.choose(page, page.outline)
    reading.candidate.paragraphs = reading.main_paragraphs
    reading.discard = store.refusal(reading.candidate)


def _apply_filters(reading: Reading, filtered: FilteredPage, store: StorePoint) -> None:
    """Let the operator's filters decide about links and text."""
    reading.filtered = filtered
    reading.candidate.filtered = filtered.text_refusal
    reading.discard = store.refusal(reading.candidate)
    reading.hrefs = list(filtered.links)
    reading.losses |= filtered.losses


def _is_garbled(markup: str) -> bool:
    # Most pages have none at all, and searching for one is ten times faster than counting.
    return REPLACEMENT in markup and markup.count(REPLACEMENT) > GARBLED_SHARE * len(markup)


def _is_garbage(paragraphs: list[str]) -> bool:
    """Return whether too much of a text is garbage, as in a wrong encoding; a few icons are normal."""
    sample = "".join(islice(paragraphs, SAMPLED_PARAGRAPHS))[:SAMPLED_CHARS]
    # Paragraphs hold no ASCII control characters, so ASCII is fine, and checking for it is very cheap.
    is_fine = sample.isascii() or sample.isprintable()
    return not is_fine and garbage_share(sample) > GARBAGE_SHARE


def _read_other(
    answer: Answer, data: bytes, declared: str, rules: RobotsNote | None, *,
    agent: str, parse: ParsePoint, store: StorePoint, filtering: Filtering | None = None,
) -> Reading:  # fmt: skip
    """Read what is known of a document without converting it."""
    kind = kind_of(data, declared)
    if kind is None:
        return Reading(discard=Discard.NOT_HTML)
    # The owner's objections come first, even where no documents are wanted.
    unwanted = refused_by_head(answer, rules, agent=agent, store=store)
    unwanted = unwanted or parse.refusal(ReceivedAnswer(answer.url, declared, document=kind.name.lower()))
    if unwanted is not None:
        return Reading(discard=unwanted)
    reading = Reading(
        discard=Discard.STORED_ASIDE,
        kind=kind,
        is_nofollow=robots_meta(answer.headers.every("x-robots-tag"), agent).nofollow,
        language=answer.headers.get("content-language", ""),
        charset=declared_charset(answer) or "",
    )
    if filtering is not None:
        is_text = kind is DocumentKind.TXT and not reading.is_nofollow
        filtered = filtering.judge_document(answer, body=data, charset=reading.charset, is_text=is_text)
        reading.filtered, reading.hrefs = filtered, list(filtered.links)
        reading.is_nofollow |= not filtered.leads_on
        if filtered.text_refusal is not None:
            reading.discard = store.refusal(CandidateText(answer.url, filtered=filtered.text_refusal))
            reading.kind = None
    return reading


def refused_by_head(
    answer: Answer, rules: RobotsNote | None, *, agent: str, store: StorePoint
) -> Discard | None:
    """Return why the headers or the host's rules keep an answer out of the corpus; None if they do not."""
    is_noindex = robots_meta(answer.headers.every("x-robots-tag"), agent).noindex
    is_reserved = _is_reserved(answer, None, rules)
    return store.refusal(CandidateText(answer.url, is_noindex=is_noindex, is_reserved=is_reserved))


def is_broken_off(answer: Answer, *, decoded_max: int, parse: ParsePoint) -> bool:
    """Whether the connection broke before the end of a page; some servers only announce a wrong length."""
    if answer.truncated != "disconnect":
        return False
    if parse.refusal(ReceivedAnswer(answer.url, media_type(answer))) is not None:
        return False  # it will not be read anyway
    decoded = decode_body(answer.body, answer.headers.get("content-encoding"), decoded_max)
    has_packed_end = decoded.complete and decoded.data != answer.body
    return not has_packed_end and b"</html" not in decoded.data[-TAIL_BYTES:].lower()


def read_refusal(answer: Answer) -> Reading:
    """Read an answer whose status is an error: it may be a challenge."""
    if answer.status not in REFUSALS:
        return Reading()
    coding = answer.headers.get("content-encoding")
    markup = decode_body(answer.body, coding, REFUSAL_BYTES_MAX).data
    return Reading(discard=Discard.CHALLENGE if is_challenge(answer.headers, markup) else None)


def _losses(answer: Answer, decoded: Decoded, page: Page, *, is_nofollow: bool) -> dict[str, int]:
    """Count what was left out of a page, by reason; usually nothing."""
    losses: dict[str, int] = {}
    if answer.truncated or decoded.is_cut:
        losses[Dropped.BODY_CUT] = 1
    elif not decoded.complete:
        losses[Dropped.CODING_BROKEN] = 1
    if page.is_cut:
        losses[Dropped.PAGE_CUT] = 1
    if page.no_page_links:
        losses[Dropped.NO_PAGE] = page.no_page_links
    if page.links_beyond:
        losses[Dropped.MANY_LINKS] = page.links_beyond
    if unfollowed := page.nofollow_links + (len(page.links) if is_nofollow else 0):
        losses[Dropped.UNFOLLOWED] = unfollowed
    return losses


def _is_reserved(answer: Answer, meta: bool | None, rules: RobotsNote | None) -> bool:
    header = read_reservation(answer.headers.get("tdm-reservation", ""))
    if rules is None or not rules.tdm:
        return combine(header, meta, None)
    known = [TdmRule(pattern, reserved) for pattern, reserved in rules.tdm]
    return combine(header, meta, tdm_reserved(known, split_url(answer.url).path))
