"""What happens to one URL, from the request to the corpus?

Read from top to bottom: `fetch` asks, `digest` takes the answer the rest of
the way. A digest never waits: what a page writes and the report that tells of
it stay together.
"""

import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import xxhash

from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.fetch.robots import parse_robots
from tiptoe.frontier.messages import Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.harvest.document import Discard, Reading, read_document, read_refusal
from tiptoe.harvest.repeats import FOLLOWED_MAX, STORED_MAX
from tiptoe.harvest.tools import Tools
from tiptoe.parse.feeds import read_feed
from tiptoe.parse.sitemaps import read_sitemap
from tiptoe.url.address import origin_of
from tiptoe.write.corpus import Document
from tiptoe.write.record import iso_date
from tiptoe.write.requestlog import RequestEntry
from tiptoe.write.warc import Place

__all__ = ["Circumstances", "digest", "fetch", "log_robots", "retry_after", "robots_note"]

SITEMAP_URLS_MAX = 50_000
SITEMAP_CLASSES = ((0.8, 1), (0.3, 2), (0.0, 3))
"""A sitemap's priority, and the class of the request it makes."""


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


def digest(request: Request, answer: Answer | Failed, around: Circumstances, tools: Tools) -> Result:
    """Take one answer to the corpus, and say what came of it."""
    if isinstance(answer, Failed):
        if request.purpose is Purpose.ROBOTS:
            log_robots(request, RobotsNote(RobotsState.UNREACHABLE), tools)
        return Result(request, failure=answer.failure.value, seconds=answer.seconds)
    tools.busy.begin(request.url)
    began = time.perf_counter()
    result = _result_of(request, answer)
    reading = _read(result, answer, around, tools)
    began = tools.activities.spent("read", began)
    _follow(result, reading, tools)
    began = tools.activities.spent("links", began)
    place = _archive(result, answer, reading, tools)
    _enter_corpus(result, answer, reading, place, tools)
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
    result.title = reading.title
    result.text_chars = reading.text_chars
    result.text_hash = reading.text_hash
    if reading.discard is None and result.text_chars < tools.text_chars_min:
        reading.discard = Discard.NO_TEXT
    if reading.discard is None:
        _compare(result, reading, around.host, tools)
    result.discard = reading.discard.value if reading.discard else ""
    return reading


def _compare(result: Result, reading: Reading, host: str, tools: Tools) -> None:
    """Leave out what the host has said before under other addresses."""
    repeats = tools.repeats.count(host, result.request.url, result.text_hash)
    if repeats >= STORED_MAX:
        reading.discard = Discard.REPEATED_TEXT
    if repeats >= FOLLOWED_MAX:
        reading.hrefs = []


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
    base = result.request.url
    if reading.base_href:
        base = tools.outlinks.resolve(base, reading.base_href) or base
    if reading.hrefs:
        result.links = tools.outlinks.find(base, reading.hrefs, result.request.depth + 1)
    if reading.losses:
        tools.outlinks.discards.update(reading.losses)
    result.feeds = [url for href in reading.feeds[:10] if (url := tools.outlinks.resolve(base, href))]


def _archive(result: Result, answer: Answer, reading: Reading, tools: Tools) -> Place | None:
    if not tools.keeps_archive:
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


def _enter_corpus(
    result: Result, answer: Answer, reading: Reading, place: Place | None, tools: Tools
) -> None:
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
