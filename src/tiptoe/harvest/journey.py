"""What happens to one URL, from the request to the corpus?

Read from top to bottom: `fetch` asks, `read` says what the answer holds, `digest` what comes of it, and
`write_batch` takes it the rest of the way. Before the digest the keeper may be asked what of it is known;
from then on nothing waits for others: what a page writes and the report that tells of it stay together.
"""

import contextlib
import time
from collections.abc import Collection
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import msgspec
import xxhash

from tiptoe.errors import DiskFull
from tiptoe.fetch.coding import Decoded, decode_body
from tiptoe.fetch.limits import ROBOTS_BYTES_MIN
from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.fetch.robots import BODY_BYTES_MAX, parse_robots
from tiptoe.frontier.yields import leads_on
from tiptoe.harvest.document import (
    Discard,
    Reading,
    is_broken_off,
    read_document,
    read_refusal,
    reserved_by_head,
)
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.keeping import archive, keep_text
from tiptoe.harvest.repeats import FOLLOWED_MAX, STORED_MAX
from tiptoe.harvest.revisit import (
    Change,
    conditions,
    expires_at,
    is_changed,
    is_new_here,
    is_not_modified,
    still_stands,
)
from tiptoe.harvest.sources import read_source
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import LastVisit, Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.text.density import is_shorter
from tiptoe.text.fingerprint import fingerprint
from tiptoe.text.language import LanguageIdentifier
from tiptoe.url.address import host_of
from tiptoe.url.dropped import Dropped
from tiptoe.url.suspects import LinkingAnswer
from tiptoe.write.logentries import RequestEntry

__all__ = [
    "Circumstances",
    "digest",
    "fetch",
    "is_whole",
    "rate",
    "read",
    "retry_after",
    "robots_note",
    "write_batch",
]

ETAG_CHARS_MAX = 200
"""A longer one is not kept: a part of it would match nothing."""

SOURCES = (Purpose.SITEMAP, Purpose.FEED)
DISCARDS = frozenset(discard.value for discard in Discard)
JUDGED = (None, Discard.NO_TEXT, Discard.NO_MAIN_TEXT, Discard.REPEATED_TEXT, Discard.OTHER_LANGUAGE)
"""Pages whose usability is asked for; what its owner reserves is not."""

TEXTLESS = (Discard.NO_TEXT, Discard.NO_MAIN_TEXT, Discard.REPEATED_TEXT, Discard.DUPLICATE)


@dataclass(slots=True, kw_only=True)
class Circumstances:
    """Under which rules a request is made; the audit reads them back from the request log."""

    visit: int
    host: str
    address: str
    delay: float
    rules: RobotsNote | None = None
    decision: str = "allowed"
    rules_request: str = ""  # what a request for a host's rules is after


async def fetch(request: Request, around: Circumstances, tools: Tools) -> Answer | Failed:
    """Make the request and log it, whatever comes of it."""
    headers = [("Accept-Language", tools.accept_language)] if tools.accept_language else []
    if request.last_visit is not None:
        headers += conditions(request.last_visit)
    log = tools.outputs.requests
    purpose = around.rules_request or request.purpose.value
    place = log.begin(log.now(), around.visit, around.host, around.address, purpose, request.url)
    answer = await tools.client.fetch(request.url, address=around.address, headers=headers)
    ended_at = log.now()
    tools.activities.add("fetch", answer.seconds)
    log.write_request(_entry(purpose, answer, around, tools.harvester, ended_at))
    log.end(place)
    return answer


def _entry(
    purpose: str, answer: Answer | Failed, around: Circumstances, harvester: str, ended_at: float
) -> RequestEntry:
    status: int | None = None
    failure: str | None = None
    wish = 0.0
    truncated: str | None = None
    if isinstance(answer, Failed):
        failure = answer.failure.value
        size = answer.bytes_received
    else:
        status = answer.status
        wish = retry_after(answer)
        truncated = answer.truncated
        size = len(answer.header_block) + len(answer.body)
    return RequestEntry(
        started_at=ended_at - answer.seconds,
        ended_at=ended_at,
        host=around.host,
        address=around.address,
        url=answer.url,
        purpose=purpose,
        robots=around.decision,
        delay=around.delay,
        visit=str(around.visit),
        harvester=harvester,
        status=status,
        failure=failure,
        bytes_received=size,
        crawl_delay=(around.rules.crawl_delay or None) if around.rules else None,
        retry_after=wish or None,
        truncated=truncated,
    )


def read(request: Request, answer: Answer | Failed, around: Circumstances, tools: Tools) -> Draft:
    """Read one answer; nothing of it is told or written yet."""
    if isinstance(answer, Failed):
        return Draft(answer, Result(request, failure=answer.failure.value, seconds=answer.seconds))
    tools.busy.begin(request.url)
    began = time.perf_counter()
    result = _result_of(request, answer)
    draft = Draft(answer, result, _read(result, answer, around, tools))
    if request.last_visit is not None:
        result.is_changed = is_changed(result, tools.revisit.change)
    elif request.remains is not None:
        result.is_changed = False if still_stands(result, request.remains) else None
    if tools.revisit.is_on:
        result.expires_at = expires_at(answer)
    is_to_write = draft.reading.paragraphs and not result.discard and result.is_changed is not False
    if tools.duplicity is not None and is_to_write:
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
    if rating is not None:
        draft.result.usability, draft.result.has_little_text = rating.usability, rating.usability is None
    draft.is_asked_about = True


def digest(draft: Draft, tools: Tools) -> Result:
    """Say what came of an answer, and lay it on the pile of those to be written."""
    if not isinstance(draft.answer, Failed):
        _leave_out_copies(draft, tools)
        _count_usable(draft)
        draft.result.is_textless = _is_textless(draft, tools)
        tools.batch.add(draft)
        if tools.batch.is_full:
            with contextlib.suppress(DiskFull):  # the next turn of the outbox says so
                write_batch(tools)
    return draft.result


def write_batch(tools: Tools) -> None:
    """Take the pile to the corpus, in equal step; on DiskFull it stays, and the next call goes on with it."""
    began = time.perf_counter()
    for number, (activity, step) in enumerate(STEPS, 1):
        for draft in tools.batch:
            if draft.steps_done < number:
                tools.busy.begin(draft.result.request.url)
                try:
                    step(draft, tools)
                except DiskFull:
                    tools.busy.end()  # no page is to blame for that
                    raise
                draft.steps_done = number
        began = tools.activities.spent(activity, began)
    tools.busy.end()
    tools.batch.clear()


def _result_of(request: Request, answer: Answer) -> Result:
    headers = answer.headers
    etag = headers.get("etag", "")
    return Result(
        request,
        status=answer.status,
        seconds=answer.seconds,
        body_bytes=len(answer.body),
        etag=etag if len(etag) <= ETAG_CHARS_MAX else "",
        last_modified=headers.get("last-modified", "")[:100],
        content_hash=xxhash.xxh3_64_digest(answer.body),
        retry_after=retry_after(answer) if answer.status >= 300 else 0.0,
    )


def _read(result: Result, answer: Answer, around: Circumstances, tools: Tools) -> Reading:
    """Read what the answer was asked for, and note in the result what it says."""
    if result.request.purpose is Purpose.ROBOTS:  # where they moved to is part of the note
        # From here, another host than theirs, nothing but the rules themselves can be had.
        note = robots_note(answer, tools)
        is_partial = tools.respects_tdm and note.state is RobotsState.RULES
        result.robots = msgspec.structs.replace(note, is_partial=is_partial)
        return Reading()
    before = result.request.last_visit
    if before is not None and is_not_modified(before, answer.status):
        return _read_unmodified(result, before, answer, around, tools)
    if 300 <= answer.status < 400 and "location" in answer.headers:
        seen = LinkingAnswer(answer.url, cookies=answer.headers.every("set-cookie"))
        result.redirect = tools.outlinks.redirect(seen, answer.headers["location"])
        # Where it leads is what may change.
        result.content_hash = xxhash.xxh3_64_digest(result.redirect.encode())
        return Reading()
    if not 200 <= answer.status < 300:
        reading = read_refusal(answer)
        result.discard = reading.discard.value if reading.discard else ""
        return reading
    # What broke off by chance is whole the next time; what breaks off again is all there is.
    if not result.request.tries and is_broken_off(answer, decoded_max=tools.limits.decoded_bytes_max):
        result.discard = Discard.BROKEN_OFF.value
        return Reading(discard=Discard.BROKEN_OFF)
    if result.request.purpose in SOURCES:
        return read_source(result, answer, tools)
    return _read_page(result, answer, around, tools)


def _read_unmodified(
    result: Result, before: LastVisit, answer: Answer, around: Circumstances, tools: Tools
) -> Reading:
    """Note that a page is as it was; what such an answer leaves unsaid holds on."""
    result.etag = result.etag or before.etag
    result.last_modified = result.last_modified or before.last_modified
    result.content_hash, result.text_hash = before.content_hash, before.text_hash
    reserved = reserved_by_head(answer, around.rules, agent=tools.agent, tdm=tools.respects_tdm)
    if reserved is not None:
        result.discard = reserved.value
    elif before.outcome in DISCARDS:
        result.discard = before.outcome
    return Reading(discard=reserved)


def _read_page(result: Result, answer: Answer, around: Circumstances, tools: Tools) -> Reading:
    """Read a page, and say whether its text is one for the corpus."""
    reading = read_document(
        answer,
        around.rules,
        agent=tools.agent,
        decoded_max=tools.limits.decoded_bytes_max,
        tdm=tools.respects_tdm,
        extraction=tools.extraction,
        sources=tools.sources,
    )
    if reading.source is not None:
        result.source = reading.source
        return read_source(result, answer, tools)
    if reading.kind is not None and not tools.keeps_documents:
        reading = Reading(discard=Discard.NOT_HTML)
    result.title = reading.title
    result.text_chars = reading.text_chars
    result.text_hash = reading.text_hash
    if reading.discard is None and is_shorter(reading.paragraphs, tools.text_chars_min):
        reading.discard = Discard.NO_TEXT
    before = result.request.last_visit
    is_own = False  # said before, and under this address
    if before is not None and reading.discard is None:
        is_own = before.version > 0 and before.text_hash == result.text_hash
        if is_changed(result, tools.revisit.change) is False:
            if result.content_hash == before.content_hash:
                reading.hrefs, reading.feeds = [], []  # they were told when the page came first
            return reading
    if reading.discard is None and not is_own:
        _compare(result, reading, around.host, tools)
    if tools.languages is not None and reading.paragraphs and reading.discard is None:
        _tell_language(reading, tools.languages, tools.languages_wanted)
    reading.is_read = reading.is_to_rate = reading.discard in JUDGED
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
    """Leave out what stands elsewhere, or stood here before; its links are followed all the same."""
    known, result = draft.judgement, draft.result
    if known is None or known.duplicity is None or tools.duplicity is None:
        return
    if not tools.duplicity.is_copy(known.duplicity):
        return
    before = result.request.last_visit
    if before is None or not before.version:
        draft.reading.discard = Discard.DUPLICATE
        draft.reading.duplicate_of = known.copy_of
        result.discard = Discard.DUPLICATE.value
        result.is_changed = is_changed(result, tools.revisit.change)
    elif tools.revisit.change is Change.DUPLICITY and draft.has_long_paragraphs and not is_new_here(result):
        result.is_changed = False


def _count_usable(draft: Draft) -> None:
    """Say how many usable characters a page has brought: what stands elsewhere already is worth nothing."""
    result, known = draft.result, draft.judgement
    is_new = result.request.last_visit is None
    if known is None or not known.repeated or result.usability is None or not is_new:
        return
    repeated = sum(len(draft.reading.paragraphs[place]) for place in known.repeated)
    result.usable_chars = round(result.usability * (result.text_chars - repeated))


def _is_textless(draft: Draft, tools: Tools) -> bool:
    """Whether a page that was read for its text has none that is new on its host."""
    result, reading = draft.result, draft.reading
    if not reading.is_read or result.request.last_visit is not None:
        return False
    return reading.discard in TEXTLESS or not tools.novelty.is_new(
        host_of(result.request.url), reading.paragraphs
    )


def robots_note(answer: Answer, tools: Tools) -> RobotsNote:
    """Return what an answer to a request for robots.txt means (RFC 9309, 2.3.1)."""
    if 200 <= answer.status < 300:
        text = _rules_text(answer, tools)
        if text is None:
            return RobotsNote(RobotsState.UNREACHABLE)
        began = time.perf_counter()
        robots = parse_robots(text, tools.agent)
        tools.activities.spent("robots", began)
        sitemaps = [url for href in robots.sitemaps if (url := tools.outlinks.resolve(answer.url, href))]
        return RobotsNote(RobotsState.RULES, list(robots.rules), robots.crawl_delay or 0.0, sitemaps)
    if 300 <= answer.status < 400 and "location" in answer.headers:
        location = tools.outlinks.redirect(LinkingAnswer(answer.url), answer.headers["location"])
        if location:
            return RobotsNote(RobotsState.MOVED, location=location)
    if answer.status >= 500 or answer.status == 429:
        return RobotsNote(RobotsState.UNREACHABLE, retry_after=retry_after(answer))
    return RobotsNote(RobotsState.RULES)  # it does not exist: no rules


def _rules_text(answer: Answer, tools: Tools) -> bytes | None:
    """Return the text of a robots.txt, as much of it as counts; None when a part of that is missing."""
    bytes_max = max(tools.limits.decoded_bytes_max, ROBOTS_BYTES_MIN)
    decoded = decode_body(answer.body, answer.headers.get("content-encoding"), bytes_max)
    is_enough = len(decoded.data) > BODY_BYTES_MAX and b"\0" not in decoded.data
    return decoded.data if is_whole(answer, decoded) or is_enough else None


def is_whole(answer: Answer, decoded: Decoded) -> bool:
    """Whether nothing of a file is missing: neither cut by anybody nor lost in its coding."""
    # Many announce a coding and send plain text all the same: then nothing is missing.
    is_readable = decoded.complete or (decoded.data == answer.body and _is_utf8(answer.body))
    return is_readable and answer.truncated is None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _follow(draft: Draft, tools: Tools) -> None:
    """Find the links that lead on."""
    result, reading = draft.result, draft.reading
    if reading.losses:
        tools.outlinks.discards.update(reading.losses)
    if not leads_on(result.request.usability, result.usability):
        # Not even told: a link that was told is not told again when a better page has it.
        tools.outlinks.discards[Dropped.ZERO_USABILITY] += len(reading.hrefs)
        return
    base = result.request.url
    if reading.base_href:
        base = tools.outlinks.resolve(base, reading.base_href) or base
    seen = _surroundings(result, draft.answer, reading.hrefs)
    if reading.hrefs:
        result.links = tools.outlinks.find(base, reading.hrefs, result.request.depth + 1, seen)
    if reading.feeds:
        result.feeds = tools.outlinks.resolve_all(base, reading.feeds[:10], seen)


def _surroundings(result: Result, answer: Answer | Failed, hrefs: list[str]) -> LinkingAnswer | None:
    """Return the page around its links; None for sitemaps and feeds, which name addresses on purpose."""
    request = result.request
    if isinstance(answer, Failed) or request.purpose in SOURCES or result.source is not None:
        return None
    redirected_from = request.via if request.hops else ""
    return LinkingAnswer(request.url, hrefs, answer.headers.every("set-cookie"), redirected_from)


STEPS = (("links", _follow), ("write", archive), ("write", keep_text))
"""What is done with everything on the pile, and the activity that it counts as."""


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
