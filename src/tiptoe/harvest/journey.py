"""What happens to one URL, from the request to the corpus?

Read from top to bottom: `fetch` asks, `read` says what the answer holds, `digest` takes
it the rest of the way. In between the keeper may be asked what of it is known. A digest
never waits: what a page writes and the report that tells of it stay together.
"""

import time
from collections.abc import Collection
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

import xxhash
from msgspec import UNSET

from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.fetch.robots import parse_robots
from tiptoe.frontier.messages import Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.frontier.yields import leads_on
from tiptoe.harvest.document import Discard, Reading, read_document, read_refusal
from tiptoe.harvest.duplicity import Judgement
from tiptoe.harvest.repeats import FOLLOWED_MAX, STORED_MAX
from tiptoe.harvest.tools import Tools
from tiptoe.parse.feeds import read_feed
from tiptoe.parse.sitemaps import read_sitemap
from tiptoe.text.fingerprint import Fingerprint, fingerprint
from tiptoe.text.language import LanguageIdentifier
from tiptoe.url.address import origin_of
from tiptoe.write.corpus import Document
from tiptoe.write.documents import StoredDocument
from tiptoe.write.record import iso_date
from tiptoe.write.requestlog import RequestEntry
from tiptoe.write.warc import Place

__all__ = [
    "Circumstances",
    "Draft",
    "digest",
    "fetch",
    "log_robots",
    "rate",
    "read",
    "retry_after",
    "robots_note",
]

SITEMAP_URLS_MAX = 50_000
SITEMAP_CLASSES = ((0.8, 1), (0.3, 2), (0.0, 3))
"""A sitemap's priority, and the class of the request it makes."""

JUDGED = (None, Discard.NO_TEXT, Discard.REPEATED_TEXT, Discard.OTHER_LANGUAGE)
"""Pages whose usability is asked for; what its owner reserves is not."""


@dataclass(slots=True, kw_only=True)
class Circumstances:
    """Under which rules a request is made; the audit reads them back from the request log."""

    visit: int
    host: str
    address: str
    delay: float
    rules: RobotsNote | None = None
    decision: str = "allowed"
    errand: str = ""  # what a request for a host's rules is after


@dataclass(slots=True)
class Draft:
    """An answer that has been read, and is not written yet."""

    answer: Answer | Failed
    result: Result
    reading: Reading = field(default_factory=Reading)
    mark: Fingerprint | None = None  # of a text that is to be compared with all others
    judgement: Judgement | None = None  # what came of that
    is_rated: bool = False  # the segmenter was asked


async def fetch(request: Request, around: Circumstances, tools: Tools) -> Answer | Failed:
    """Make the request and log it, whatever comes of it."""
    headers = [("Accept-Language", tools.accept_language)] if tools.accept_language else []
    log = tools.outputs.requests
    purpose = around.errand or request.purpose.value
    place = log.begin(log.now(), around.visit, around.host, around.address, purpose, request.url)
    answer = await tools.client.fetch(request.url, address=around.address, headers=headers)
    ended_at = log.now()
    tools.activities.add("fetch", answer.seconds)
    log.write_request(_entry(request, answer, around, tools.harvester, ended_at))
    log.end(place)
    return answer


def _entry(
    request: Request, answer: Answer | Failed, around: Circumstances, harvester: str, ended_at: float
) -> RequestEntry:
    status: int | None = None
    failure: str | None = None
    wish = 0.0
    if isinstance(answer, Failed):
        failure = answer.failure.value
        size = answer.bytes_received
    else:
        status = answer.status
        wish = retry_after(answer)
        size = len(answer.header_block) + len(answer.body)
    return RequestEntry(
        started_at=ended_at - answer.seconds,
        ended_at=ended_at,
        host=around.host,
        address=around.address,
        url=request.url,
        purpose=around.errand or request.purpose.value,
        robots=around.decision,
        delay=around.delay,
        visit=str(around.visit),
        harvester=harvester,
        status=status,
        failure=failure,
        bytes_received=size,
        crawl_delay=(around.rules.crawl_delay or None) if around.rules else None,
        retry_after=wish or None,
    )


def read(request: Request, answer: Answer | Failed, around: Circumstances, tools: Tools) -> Draft:
    """Read one answer; nothing of it is told or written yet."""
    if isinstance(answer, Failed):
        if request.purpose is Purpose.ROBOTS:
            log_robots(request, RobotsNote(RobotsState.UNREACHABLE), tools)
        return Draft(answer, Result(request, failure=answer.failure.value, seconds=answer.seconds))
    tools.busy.begin(request.url)
    began = time.perf_counter()
    result = _result_of(request, answer)
    draft = Draft(answer, result, _read(result, answer, around, tools))
    if tools.duplicity is not None and draft.reading.paragraphs and not result.discard:
        chars_min = tools.duplicity.chars_min
        draft.mark = fingerprint(draft.reading.paragraphs, result.text_hash, chars_min=chars_min)
        result.fingerprint = draft.mark.hashes
    tools.activities.spent("read", began)
    tools.busy.end()
    return draft


async def rate(draft: Draft, tools: Tools) -> None:
    """Ask the segmenter how usable the text is; no answer in time is an answer too."""
    reading = draft.reading
    if tools.segmenter is None or not reading.is_to_rate:
        return
    language = reading.spoken.language if reading.spoken else ""
    rating = await tools.segmenter.rate(draft.result.request.url, language, reading.paragraphs)
    draft.result.usability = rating.usability if rating else None
    draft.is_rated = True


def digest(draft: Draft, tools: Tools) -> Result:
    """Take what was read to the corpus, and say what came of it."""
    answer, result, reading = draft.answer, draft.result, draft.reading
    if isinstance(answer, Failed):
        return result
    tools.busy.begin(result.request.url)
    began = time.perf_counter()
    _leave_out_copies(draft, tools)
    _follow(result, reading, tools)
    began = tools.activities.spent("links", began)
    place = _archive(result, answer, reading, tools)
    _enter_corpus(draft, answer, place, tools)
    _store_aside(result, answer, reading, place, tools)
    tools.activities.spent("write", began)
    tools.busy.end()
    return result


def _result_of(request: Request, answer: Answer) -> Result:
    headers = answer.headers
    return Result(
        request,
        status=answer.status,
        seconds=answer.seconds,
        body_bytes=len(answer.body),
        etag=headers.get("etag", "")[:200],
        last_modified=headers.get("last-modified", "")[:100],
        content_hash=xxhash.xxh3_64_digest(answer.body),
        retry_after=retry_after(answer) if answer.status >= 300 else 0.0,
    )


def _read(result: Result, answer: Answer, around: Circumstances, tools: Tools) -> Reading:
    """Read what the answer was asked for, and note in the result what it says."""
    if result.request.purpose is Purpose.ROBOTS:  # where they moved to is part of the note
        result.robots = robots_note(answer, tools)
        log_robots(result.request, result.robots, tools)
        return Reading()
    if 300 <= answer.status < 400 and "location" in answer.headers:
        result.redirect = tools.outlinks.resolve(answer.url, answer.headers["location"])
        return Reading()
    if not 200 <= answer.status < 300:
        reading = read_refusal(answer)
        result.discard = reading.discard.value if reading.discard else ""
        return reading
    if result.request.purpose is Purpose.SITEMAP:
        return _read_sitemap(result, answer, tools)
    if result.request.purpose is Purpose.FEED:
        entries = read_feed(_plain_body(answer, tools), SITEMAP_URLS_MAX)
        return Reading(hrefs=[entry.url for entry in entries])
    reading = read_document(
        answer,
        around.rules,
        agent=tools.agent,
        decoded_max=tools.limits.decoded_bytes_max,
        tdm=tools.respects_tdm,
    )
    if reading.kind is not None and not tools.keeps_documents:
        reading = Reading(discard=Discard.NOT_HTML)
    result.title = reading.title
    result.text_chars = reading.text_chars
    result.text_hash = reading.text_hash
    if reading.discard is None and result.text_chars < tools.text_chars_min:
        reading.discard = Discard.NO_TEXT
    if reading.discard is None:
        _compare(result, reading, around.host, tools)
    if tools.languages is not None and reading.paragraphs and reading.discard is None:
        _tell_language(reading, tools.languages, tools.languages_wanted)
    reading.is_to_rate = reading.discard in JUDGED
    result.discard = reading.discard.value if reading.discard else ""
    return reading


def _tell_language(reading: Reading, identifier: LanguageIdentifier, wanted: Collection[str]) -> None:
    """Note the language of a text, and leave it out when it is none of those wanted."""
    reading.spoken = identifier.identify_document(reading.paragraphs)
    if wanted and reading.spoken.language not in wanted:
        reading.discard = Discard.OTHER_LANGUAGE


def _compare(result: Result, reading: Reading, host: str, tools: Tools) -> None:
    """Leave out what the host has said before under other addresses."""
    repeats = tools.repeats.count(host, result.request.url, result.text_hash)
    if repeats >= STORED_MAX:
        reading.discard = Discard.REPEATED_TEXT
    if repeats >= FOLLOWED_MAX:
        reading.hrefs = []


def _leave_out_copies(draft: Draft, tools: Tools) -> None:
    """Leave out what stands elsewhere; its links are followed all the same."""
    known = draft.judgement
    if known is None or known.duplicity is None or tools.duplicity is None:
        return
    if tools.duplicity.is_copy(known.duplicity):
        draft.reading.discard = Discard.DUPLICATE
        draft.result.discard = Discard.DUPLICATE.value


def _read_sitemap(result: Result, answer: Answer, tools: Tools) -> Reading:
    """Read a sitemap: pages as links, further sitemaps as feeds of requests."""
    sitemap = read_sitemap(_plain_body(answer, tools), SITEMAP_URLS_MAX)
    best = max((entry.priority or 0.5 for entry in sitemap.entries), default=0.5)
    result.sub_priority = next(index for least, index in SITEMAP_CLASSES if best >= least)
    result.sitemaps = [url for href in sitemap.children if (url := tools.outlinks.resolve(answer.url, href))]
    return Reading(hrefs=[entry.url for entry in sitemap.entries])


def robots_note(answer: Answer, tools: Tools) -> RobotsNote:
    """Return what an answer to a request for robots.txt means (RFC 9309, 2.3.1)."""
    if 200 <= answer.status < 300:
        began = time.perf_counter()
        robots = parse_robots(_plain_body(answer, tools), tools.agent)
        tools.activities.spent("robots", began)
        sitemaps = [url for href in robots.sitemaps if (url := tools.outlinks.resolve(answer.url, href))]
        return RobotsNote(RobotsState.RULES, list(robots.rules), robots.crawl_delay or 0.0, sitemaps)
    if 300 <= answer.status < 400 and "location" in answer.headers:
        location = tools.outlinks.resolve(answer.url, answer.headers["location"])
        if location:
            return RobotsNote(RobotsState.MOVED, location=location)
    if answer.status >= 500 or answer.status == 429:
        return RobotsNote(RobotsState.UNREACHABLE, retry_after=retry_after(answer))
    return RobotsNote(RobotsState.RULES)  # it does not exist: no rules


def log_robots(request: Request, note: RobotsNote, tools: Tools) -> None:
    """Log what a robots.txt says, for the origin it speaks for."""
    tools.outputs.requests.write_robots(
        request.for_origin or origin_of(request.url),
        note.state.value,
        crawl_delay=note.crawl_delay,
        rules=note.rules,
    )


def _plain_body(answer: Answer, tools: Tools) -> bytes:
    """Return the body with its content coding undone, as far as that goes."""
    coding = answer.headers.get("content-encoding")
    return decode_body(answer.body, coding, tools.limits.decoded_bytes_max).data if coding else answer.body


def _follow(result: Result, reading: Reading, tools: Tools) -> None:
    """Find the links that lead on."""
    if reading.losses:
        tools.outlinks.discards.update(reading.losses)
    if not leads_on(result.request.usability, result.usability):
        # Not even told: a link that was told is not told again when a better page has it.
        tools.outlinks.discards["zero_usability"] += len(reading.hrefs)
        return
    base = result.request.url
    if reading.base_href:
        base = tools.outlinks.resolve(base, reading.base_href) or base
    if reading.hrefs:
        result.links = tools.outlinks.find(base, reading.hrefs, result.request.depth + 1)
    result.feeds = [url for href in reading.feeds[:10] if (url := tools.outlinks.resolve(base, href))]


def _archive(result: Result, answer: Answer, reading: Reading, tools: Tools) -> Place | None:
    if not tools.keeps_archive and reading.kind is None:
        return None
    request = result.request
    known = {
        "via": request.via,
        "hopsFromSeed": str(request.depth),
        "fetchTimeMs": str(round(answer.seconds * 1000)),
        "charsetForLinkExtraction": reading.charset,
        "outlinks": str(len(reading.hrefs)) if reading.hrefs else "",
        "discarded": result.discard,
    }
    return tools.outputs.warc.write_exchange(
        answer, metadata={name: said for name, said in known.items() if said}
    )


def _enter_corpus(draft: Draft, answer: Answer, place: Place | None, tools: Tools) -> None:
    result, reading, known = draft.result, draft.reading, draft.judgement
    spoken = reading.spoken
    if result.discard or not reading.paragraphs:
        return
    tools.outputs.corpus.write_document(
        Document(
            id=place.record_id if place else "",
            url=answer.url,
            title=reading.title,
            language=reading.language,
            charset=reading.charset,
            fetched_at=iso_date(answer.started_at),
            last_modified=result.last_modified,
            depth=result.request.depth,
            digest=place.payload_digest if place else result.content_hash.hex(),
            warc_file=place.file if place else "",
            warc_offset=place.offset if place else 0,
            paragraphs=reading.paragraphs,
            html_bytes=reading.html_bytes,
            lang=spoken.language if spoken else UNSET,
            lang_confidence=round(spoken.confidence, 3) if spoken else UNSET,
            lang_others=list(spoken.others) if spoken and spoken.is_mixed else UNSET,
            paragraph_langs=list(spoken.paragraphs) if spoken and len(set(spoken.paragraphs)) > 1 else UNSET,
            usability=result.usability if draft.is_rated else UNSET,
            duplicity=known.duplicity if known else UNSET,
            repeated=known.repeated if known and known.duplicity is not None else UNSET,
        )
    )


def _store_aside(result: Result, answer: Answer, reading: Reading, place: Place | None, tools: Tools) -> None:
    """List a document for `tiptoe convert`; its bytes lie in the archive."""
    if reading.kind is None or place is None:
        return
    tools.outputs.documents.add(
        StoredDocument(
            id=place.record_id,
            url=answer.url,
            type=reading.kind.value,
            fetched_at=iso_date(answer.started_at),
            depth=result.request.depth,
            digest=place.payload_digest,
            warc_file=place.file,
            warc_offset=place.offset,
            warc_length=place.length,
            coding=answer.headers.get("content-encoding", ""),
            charset=reading.charset,
            language=reading.language,
            last_modified=result.last_modified,
            is_cut=bool(answer.truncated),
            is_nofollow=reading.is_nofollow,
        )
    )


def retry_after(answer: Answer) -> float:
    """Return how many seconds a server wants us to stay away; 0 when it does not say."""
    value = answer.headers.get("retry-after", "").strip()
    if not value:
        return 0.0
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return max(0.0, moment - answer.started_at)
