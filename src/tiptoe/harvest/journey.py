"""What happens to one URL, from the request to the corpus?

Read from top to bottom:

    fetch    make the request and log it
    read     parse the answer: text, links, metadata
    rate     ask the segmenter how usable the text is
    compare  ask the keeper how much of the text is already in the corpus
    digest   decide what is kept
    write    describe, find the links, write to the archive and the corpus: many pages at a time
    report   make the result for the keeper

Until it is written, everything known is collected in a `Draft`. The `Result` made from it never changes.
"""

import asyncio
import time
from collections.abc import Iterable
from functools import partial

import msgspec
import xxhash

from tiptoe.decide.discard import Discard
from tiptoe.errors import DiskFull
from tiptoe.fetch.approach import PLAIN_APPROACH, Approach
from tiptoe.fetch.http_blocks import without_cookies
from tiptoe.fetch.outcome import Answer, Failed, Failure
from tiptoe.frontier.visits import shard_of_visit
from tiptoe.harvest.document import Reading, is_broken_off, read_refusal, refused_by_head
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.extraction import BOILERPLATE
from tiptoe.harvest.inquiry import Inquiries
from tiptoe.harvest.keeping import archive, keep_text
from tiptoe.harvest.page_change import (
    ChangedBy,
    conditions,
    expires_at,
    is_changed,
    is_new_here,
    is_not_modified,
    still_stands,
)
from tiptoe.harvest.page_reading import read_page
from tiptoe.harvest.request_context import RequestContext, entry_of
from tiptoe.harvest.robots_note import robots_note
from tiptoe.harvest.sources import read_source
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import LastVisit, Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.text.fingerprint import fingerprint_of
from tiptoe.url.suspects import LinkingAnswer
from tiptoe.write.outputs import Outputs

__all__ = ["compare", "digest", "fetch", "rate", "read", "report", "write"]

ETAG_CHARS_MAX = 200
"""Maximum length of an ETag; a longer one is not kept, because a truncated one would never match."""

FEEDS_MAX = 10
SOURCES = (Purpose.SITEMAP, Purpose.FEED)
DISCARDS = frozenset(discard.value for discard in Discard)


# -- fetch ---------------------------------------------------------------


async def fetch(
    request: Request, context: RequestContext, tools: Tools, approach: Approach | None = None
) -> Answer | Failed:
    """Make the request and log it, whatever the outcome; `approach` overrides the operator's access rules."""
    headers = [("Accept-Language", tools.accept_language)] if tools.accept_language else []
    if approach is None and tools.access is not None:
        approach = tools.access.approach_of(request.url, tools.calendar_time())
    if request.last_visit is not None:
        headers += conditions(request.last_visit)
    log = tools.outputs.of(shard_of_visit(context.visit)).requests
    purpose = context.rules_request or request.purpose.value
    began_at = log.now()
    place = log.begin(began_at, context.visit, context.host, context.address, purpose, request.url)
    ask = tools.client.fetch
    if tools.requisites is not None and request.purpose is Purpose.REQUISITE:
        ask = partial(ask, body_max=tools.requisites.bytes_max)
    try:
        answer = await ask(
            request.url, address=context.address, headers=headers, approach=approach or PLAIN_APPROACH
        )
    except asyncio.CancelledError:
        if not context.is_broken_off:
            raise  # this process is ending: in the log, the request remains under way
        answer = Failed(
            url=request.url,
            failure=Failure.HARVESTER_LOST,
            address=context.address,
            seconds=log.now() - began_at,
        )
    ended_at = log.now()
    tools.activities.add("fetch", answer.seconds)
    log.write_request(
        entry_of(answer, context, purpose=purpose, harvester=tools.harvester, ended_at=ended_at)
    )
    log.end(place)
    if approach is not None and approach.hides_cookies and isinstance(answer, Answer):
        answer = msgspec.structs.replace(answer, header_block=without_cookies(answer.header_block))
    return answer


# -- read ----------------------------------------------------------------


def read(request: Request, answer: Answer | Failed, context: RequestContext, tools: Tools) -> Draft:
    """Read one answer."""
    draft = Draft(request, answer)
    if isinstance(answer, Failed):
        return draft
    tools.busy.begin(request.url)
    began = time.perf_counter()
    etag = answer.headers.get("etag", "")
    draft.etag = etag if len(etag) <= ETAG_CHARS_MAX else ""
    draft.last_modified = answer.headers.get("last-modified", "")[:100]
    draft.content_hash = xxhash.xxh3_64_digest(answer.body)
    _read_as_asked(draft, answer, context, tools)
    if request.last_visit is not None:
        draft.is_changed = is_changed(draft, tools.revisit.change)
    elif request.remains is not None and still_stands(draft, request.remains):
        draft.is_changed = False
    if tools.revisit.is_on:
        draft.expires_at = expires_at(answer)
    paragraphs = draft.reading.paragraphs
    is_to_write = paragraphs and not draft.reading.discard and not draft.is_unchanged
    if tools.duplicity is not None and is_to_write:
        draft.fingerprint = fingerprint_of(paragraphs, draft.text_hash, chars_min=tools.duplicity.chars_min)
    tools.activities.spent("read", began)
    tools.busy.end()
    return draft


def _read_as_asked(draft: Draft, answer: Answer, context: RequestContext, tools: Tools) -> None:
    """Read an answer according to the purpose of its request."""
    request, before = draft.request, draft.request.last_visit
    if request.purpose is Purpose.ROBOTS:  # first, since a redirect is part of the note
        draft.reading = Reading(robots=_note_for_another_host(answer, tools))
    elif before is not None and is_not_modified(before, answer.status):
        _read_unmodified(draft, before, answer, context, tools)
    elif 300 <= answer.status < 400 and "location" in answer.headers:
        linking_answer = LinkingAnswer(answer.url, cookies=answer.headers.every("set-cookie"))
        target = tools.outlinks.redirect(linking_answer, answer.headers["location"])
        if target and not tools.outlinks.wanted([target], request.depth):
            target = ""
        draft.reading = Reading(redirect=target)
        draft.content_hash = xxhash.xxh3_64_digest(target.encode())  # revisits compare the target
    elif not 200 <= answer.status < 300:
        draft.reading = read_refusal(answer)
    elif request.purpose is Purpose.REQUISITE:
        draft.reading = tools.requisites.of_answer(answer) if tools.requisites is not None else Reading()
    # A truncated page is fetched once more, and accepted the second time.
    elif not request.tries and is_broken_off(
        answer, decoded_max=tools.limits.decoded_bytes_max, parse=tools.parse
    ):
        draft.reading = Reading(discard=Discard.BROKEN_OFF)
    elif request.purpose in SOURCES:
        draft.reading = read_source(draft, answer, tools)
    else:
        read_page(draft, answer, context, tools)


def _note_for_another_host(answer: Answer, tools: Tools) -> RobotsNote:
    """Read the robots.txt of another host, which had moved here; its reservation is not read from here."""
    note = robots_note(answer, tools)
    is_partial = tools.respects_tdm and note.state is RobotsState.RULES
    return msgspec.structs.replace(note, is_partial=is_partial)


def _read_unmodified(
    draft: Draft, before: LastVisit, answer: Answer, context: RequestContext, tools: Tools
) -> None:
    """Note that a page is as it was; whatever the answer does not say is taken from the last visit."""
    draft.etag = draft.etag or before.etag
    draft.last_modified = draft.last_modified or before.last_modified
    draft.content_hash, draft.text_hash = before.content_hash, before.text_hash
    discard = refused_by_head(answer, context.rules, agent=tools.agent, store=tools.store)
    if discard is None and before.outcome in DISCARDS:
        discard = Discard(before.outcome)
    draft.reading = Reading(discard=discard)


# -- rate, compare -------------------------------------------------------


async def rate(draft: Draft, tools: Tools) -> None:
    """Ask the segmenter how usable the text is; without an answer in time, the text is not rated."""
    reading = draft.reading
    if tools.segmenter is None or not reading.is_read:
        return
    language = reading.spoken.language if reading.spoken else ""
    draft.rating = await tools.segmenter.rate(draft.request.url, language, reading.main_paragraphs)


async def compare(draft: Draft, inquiries: Inquiries | None) -> None:
    """Ask the keeper how much of the text is already in the corpus."""
    request = draft.request
    # A text fetched again after a loss would be judged a copy of itself.
    if draft.fingerprint is None or inquiries is None or request.remains is not None:
        return
    is_revisit = request.last_visit is not None and request.last_visit.version > 0
    draft.judgement = await inquiries.judge(request.url, draft.fingerprint, is_revisit=is_revisit)


# -- digest --------------------------------------------------------------


def digest(draft: Draft, tools: Tools) -> None:
    """Decide what is kept of an answer, given the judgement of its text."""
    if draft.judgement is not None:
        _leave_out_copy(draft, tools)
        draft.usable_chars = _usable_chars(draft)


def _leave_out_copy(draft: Draft, tools: Tools) -> None:
    """Leave out a text that is already in the corpus, from any page; its links are still followed."""
    judgement = draft.judgement
    if judgement is None:
        return
    draft.reading.candidate.duplicity = judgement.duplicity
    refused = tools.store.refusal(draft.reading.candidate)
    if refused is None:
        return
    before = draft.request.last_visit
    is_measured = tools.revisit.change is ChangedBy.DUPLICITY and draft.has_long_paragraphs
    if before is None or not before.version:
        draft.reading.discard = refused
        draft.reading.duplicate_of = judgement.copy_of
        if tools.filters is not None and draft.reading.filtered is not None:
            tools.filters.refuse_copy(draft.reading.filtered)
        draft.prose = b"" if before is None else None
        draft.is_changed = is_changed(draft, tools.revisit.change)
    elif is_measured and not is_new_here(draft):
        draft.is_changed = False


def _usable_chars(draft: Draft) -> int | None:
    """Return how many usable characters a page has added to the corpus; repeated paragraphs do not count.

    None if nothing is to be subtracted, or on a revisit: the keeper then goes by usability and length alone.
    """
    judgement, usability = draft.judgement, draft.usability
    if judgement is None or not judgement.repeated or usability is None:
        return None
    if draft.request.last_visit is not None:
        return None
    paragraphs, labels = draft.reading.paragraphs, draft.reading.labels
    counted = (place for place in judgement.repeated if labels is None or labels[place] != BOILERPLATE)
    repeated = sum(len(paragraphs[place]) for place in counted)
    return round(usability * (draft.text_chars - repeated))


# -- write ---------------------------------------------------------------


def write(drafts: Iterable[tuple[int, Draft]], tools: Tools) -> None:
    """Write what is kept of drafts, each given with its visit; each step is done for all before the next.

    After DiskFull, call again with the same drafts: each continues where it stopped.
    """
    began = time.perf_counter()
    to_write = [
        (draft, tools.outputs.of(shard_of_visit(visit)))
        for visit, draft in drafts
        if not isinstance(draft.answer, Failed)
    ]
    for number, (activity, step) in enumerate(STEPS, 1):
        for draft, outputs in to_write:
            if draft.steps_done < number:
                if draft.answer is not None:
                    tools.busy.begin(draft.request.url)
                try:
                    step(draft, outputs, tools)
                except DiskFull:
                    tools.busy.end()  # not the fault of a page
                    raise
                draft.steps_done = number
        began = tools.activities.spent(activity, began)
    tools.busy.end()


def _describe(draft: Draft, _outputs: Outputs, tools: Tools) -> None:
    """Let the operator's filters describe a page that will be stored; they may still refuse it."""
    reading, filters = draft.reading, tools.filters
    if filters is None or reading.filtered is None or reading.filtered.resource is None:
        return
    if not reading.paragraphs or reading.discard or draft.is_unchanged:
        return
    draft.fields = filters.describe(reading.filtered, reading.paragraphs)
    if draft.fields is None and reading.filtered.text_refusal is not None:
        reading.candidate.filtered = reading.filtered.text_refusal
        reading.discard = tools.store.refusal(reading.candidate)


def _follow(draft: Draft, _outputs: Outputs, tools: Tools) -> None:
    """Find the links, feeds and requisites that the keeper is told about."""
    request, reading = draft.request, draft.reading
    if reading.losses:
        tools.outlinks.discards.update(reading.losses)
    filtered = reading.filtered.link_refusal if reading.filtered is not None else None
    if tools.outlinks.refuses_page(request.usability, draft.usability, len(reading.hrefs), filtered):
        return  # not passed to `find`, which would skip them when a better page has the same links
    base = request.url
    if reading.base_href:
        base = tools.outlinks.resolve(base, reading.base_href) or base
    linking_answer = _linking_answer(draft)
    if reading.hrefs and not tools.outlinks.refuses_links(
        reading.source or request.purpose, len(reading.hrefs)
    ):
        draft.links = tools.outlinks.find(base, reading.hrefs, request.depth + 1, linking_answer)
    if reading.feeds:
        feeds = tools.outlinks.resolve_all(base, reading.feeds[:FEEDS_MAX], linking_answer)
        draft.feeds = tools.outlinks.wanted(feeds, request.depth)
    if reading.requisites and tools.requisites is not None:
        needed = tools.outlinks.resolve_all(base, reading.requisites, linking_answer)
        draft.requisites = tools.requisites.fresh(tools.outlinks.wanted(needed, request.depth), request.url)


def _linking_answer(draft: Draft) -> LinkingAnswer | None:
    """Return where links were found; None for sitemaps and feeds, whose URLs are never suspicious."""
    request, answer, reading = draft.request, draft.answer, draft.reading
    if not isinstance(answer, Answer) or request.purpose in SOURCES or reading.source is not None:
        return None
    redirected_from = request.via if request.hops else ""
    return LinkingAnswer(request.url, reading.hrefs, answer.headers.every("set-cookie"), redirected_from)


STEPS = (("write", _describe), ("links", _follow), ("write", archive), ("write", keep_text))
"""The steps of writing a batch, each with the activity under which its time is counted."""


# -- report ----------------------------------------------------------------


def report(draft: Draft) -> Result:
    """Return the result for the keeper, once everything about the request is written."""
    request, answer, reading, place = draft.request, draft.answer, draft.reading, draft.place
    if not isinstance(answer, Answer):
        return Result(
            request,
            failure=draft.failure,
            discard=draft.discard,
            seconds=answer.seconds if answer is not None else 0.0,
            robots=reading.robots,
            line_check=draft.line_check,
            detail=draft.detail,
        )
    return Result(
        request,
        status=answer.status,
        discard=draft.discard,
        seconds=answer.seconds,
        body_bytes=len(answer.body),
        text_chars=draft.text_chars,
        title=reading.title,
        etag=draft.etag,
        last_modified=draft.last_modified,
        content_hash=draft.content_hash,
        text_hash=draft.text_hash,
        usability=draft.usability,
        redirect=reading.redirect,
        retry_after=draft.retry_after,
        links=draft.links,
        sub_priority=reading.sub_priority,
        robots=reading.robots,
        feeds=draft.feeds,
        sitemaps=reading.sitemaps,
        usable_chars=draft.usable_chars,
        fingerprint=draft.fingerprint.hashes if draft.fingerprint is not None else b"",
        is_changed=draft.is_changed,
        payload_digest=place.payload_digest if place is not None else "",
        stored_at=answer.started_at if place is not None else 0.0,
        expires_at=draft.expires_at,
        hints=reading.hints,
        has_little_text=draft.rating is not None and draft.rating.usability is None,
        prose=draft.prose,
        source=reading.source,
        line_check=draft.line_check,
        requisites=draft.requisites,
    )
