"""What happens to one URL, from the request to the corpus?

Read from top to bottom:

    fetch    the request is made, and logged
    read     what does the answer say?
    rate     how usable is its text? asks the segmenter
    compare  how much of it stands elsewhere? asks the keeper
    digest   what comes of it?
    write    its links, the archive, the corpus: many pages together
    tell     what the keeper is to know of it

Up to `write` what is known is gathered in a `Draft`. What was told is complete, and stays as it is.
"""

import asyncio
import time
from collections.abc import Iterable

import msgspec
import xxhash

from tiptoe.decide.discard import Discard
from tiptoe.errors import DiskFull
from tiptoe.fetch.outcome import Answer, Failed, Failure
from tiptoe.frontier.repetition import FOLLOWED_MAX, count_repeats
from tiptoe.frontier.visits import shard_of_visit
from tiptoe.harvest.circumstances import Circumstances, entry_of
from tiptoe.harvest.document import Reading, is_broken_off, read_document, read_refusal, refused_by_head
from tiptoe.harvest.draft import Draft
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
from tiptoe.harvest.robots_note import robots_note
from tiptoe.harvest.sources import read_source
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import LastVisit, Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.text.fingerprint import fingerprint
from tiptoe.text.prose import prose_of
from tiptoe.url.dropped import Dropped
from tiptoe.url.suspects import LinkingAnswer
from tiptoe.write.outputs import Outputs

__all__ = ["compare", "digest", "fetch", "rate", "read", "tell", "write"]

ETAG_CHARS_MAX = 200
"""A longer one is not kept: a part of it would match nothing."""

FEEDS_MAX = 10
SOURCES = (Purpose.SITEMAP, Purpose.FEED)
DISCARDS = frozenset(discard.value for discard in Discard)
TEXTLESS = (Discard.NO_TEXT, Discard.TOO_SHORT, Discard.NO_MAIN_TEXT, Discard.REPEATED_TEXT)
"""Pages that say nothing new, whatever their host has said before."""

JUDGED = (None, *TEXTLESS, Discard.OTHER_LANGUAGE)
"""Pages whose usability is asked for; what its owner reserves is not."""


# -- fetch ---------------------------------------------------------------


async def fetch(request: Request, around: Circumstances, tools: Tools) -> Answer | Failed:
    """Make the request and log it, whatever comes of it."""
    headers = [("Accept-Language", tools.accept_language)] if tools.accept_language else []
    if request.last_visit is not None:
        headers += conditions(request.last_visit)
    log = tools.outputs.of(shard_of_visit(around.visit)).requests
    purpose = around.rules_request or request.purpose.value
    began_at = log.now()
    place = log.begin(began_at, around.visit, around.host, around.address, purpose, request.url)
    try:
        answer = await tools.client.fetch(request.url, address=around.address, headers=headers)
    except asyncio.CancelledError:
        if not around.is_revoked:
            raise  # this process ends: the request stays among those under way
        answer = Failed(
            url=request.url,
            failure=Failure.HARVESTER_LOST,
            address=around.address,
            seconds=log.now() - began_at,
        )
    ended_at = log.now()
    tools.activities.add("fetch", answer.seconds)
    log.write_request(entry_of(answer, around, purpose=purpose, harvester=tools.harvester, ended_at=ended_at))
    log.end(place)
    return answer


# -- read ----------------------------------------------------------------


def read(request: Request, answer: Answer | Failed, around: Circumstances, tools: Tools) -> Draft:
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
    _read_as_asked(draft, answer, around, tools)
    if request.last_visit is not None:
        draft.is_changed = is_changed(draft, tools.revisit.change)
    elif request.remains is not None:
        draft.is_changed = False if still_stands(draft, request.remains) else None
    if tools.revisit.is_on:
        draft.expires_at = expires_at(answer)
    paragraphs = draft.reading.paragraphs
    is_to_write = paragraphs and not draft.reading.discard and draft.is_changed is not False
    if tools.duplicity is not None and is_to_write:
        draft.mark = fingerprint(paragraphs, draft.text_hash, chars_min=tools.duplicity.chars_min)
    tools.activities.spent("read", began)
    tools.busy.end()
    return draft


def _read_as_asked(draft: Draft, answer: Answer, around: Circumstances, tools: Tools) -> None:
    """Read an answer as what it was asked for."""
    request, before = draft.request, draft.request.last_visit
    if request.purpose is Purpose.ROBOTS:  # where they moved to is part of the note
        draft.reading = Reading(robots=_note_for_another_host(answer, tools))
    elif before is not None and is_not_modified(before, answer.status):
        _read_unmodified(draft, before, answer, around, tools)
    elif 300 <= answer.status < 400 and "location" in answer.headers:
        seen = LinkingAnswer(answer.url, cookies=answer.headers.every("set-cookie"))
        target = tools.outlinks.redirect(seen, answer.headers["location"])
        draft.reading = Reading(redirect=target)
        draft.content_hash = xxhash.xxh3_64_digest(target.encode())  # where it leads is what may change
    elif not 200 <= answer.status < 300:
        draft.reading = read_refusal(answer)
    # What broke off by chance is whole the next time; what breaks off again is all there is.
    elif not request.tries and is_broken_off(
        answer, decoded_max=tools.limits.decoded_bytes_max, parse=tools.parse
    ):
        draft.reading = Reading(discard=Discard.BROKEN_OFF)
    elif request.purpose in SOURCES:
        draft.reading = read_source(draft, answer, tools)
    else:
        _read_page(draft, answer, around, tools)


def _note_for_another_host(answer: Answer, tools: Tools) -> RobotsNote:
    """Read rules that had moved here; nothing but the rules themselves can be had from here."""
    note = robots_note(answer, tools)
    is_partial = tools.respects_tdm and note.state is RobotsState.RULES
    return msgspec.structs.replace(note, is_partial=is_partial)


def _read_unmodified(
    draft: Draft, before: LastVisit, answer: Answer, around: Circumstances, tools: Tools
) -> None:
    """Note that a page is as it was; what such an answer leaves unsaid holds on."""
    draft.etag = draft.etag or before.etag
    draft.last_modified = draft.last_modified or before.last_modified
    draft.content_hash, draft.text_hash = before.content_hash, before.text_hash
    discard = refused_by_head(answer, around.rules, agent=tools.agent, store=tools.store)
    if discard is None and before.outcome in DISCARDS:
        discard = Discard(before.outcome)
    draft.reading = Reading(discard=discard)


def _read_page(draft: Draft, answer: Answer, around: Circumstances, tools: Tools) -> None:
    """Read a page, and say whether its text is one for the corpus."""
    reading = read_document(
        answer,
        around.rules,
        agent=tools.agent,
        decoded_max=tools.limits.decoded_bytes_max,
        parse=tools.parse,
        store=tools.store,
        extraction=tools.extraction,
        sources=tools.sources,
    )
    if reading.source is not None:
        draft.reading = read_source(draft, answer, tools)
        draft.reading.source = reading.source
        return
    draft.reading = reading
    draft.text_hash, draft.text_chars = reading.text_hash, reading.text_chars
    before = draft.request.last_visit
    is_own = False  # said before, and under this address
    if before is not None and reading.discard is None:
        is_own = before.version > 0 and before.text_hash == draft.text_hash
        if is_changed(draft, tools.revisit.change) is False:
            if draft.content_hash == before.content_hash:
                reading.hrefs, reading.feeds = [], []  # they were told when the page came first
            return
    if reading.discard is None and not is_own:
        _leave_out_repetition(draft, around.texts, tools)
    if tools.languages is not None and reading.paragraphs and reading.discard is None:
        reading.spoken = tools.languages.identify_document(reading.paragraphs)
        reading.candidate.language = reading.spoken.language
        reading.discard = tools.store.refusal(reading.candidate)
    reading.is_read = reading.discard in JUDGED
    if reading.is_read and before is None:
        draft.prose = b"" if reading.discard in TEXTLESS else prose_of(reading.paragraphs, around.prose)


def _leave_out_repetition(draft: Draft, texts: bytes, tools: Tools) -> None:
    """Leave out what the host has said before under other addresses."""
    repeats = count_repeats(texts, draft.text_hash, draft.request.url)
    if not repeats:
        return
    draft.reading.candidate.repeats = repeats
    draft.reading.discard = tools.store.refusal(draft.reading.candidate)
    if repeats >= FOLLOWED_MAX and draft.reading.hrefs:
        draft.reading.losses[Dropped.REPEATED_LINKS] = len(draft.reading.hrefs)
        draft.reading.hrefs = []


# -- rate, compare -------------------------------------------------------


async def rate(draft: Draft, tools: Tools) -> None:
    """Ask the segmenter how usable the text is; no answer in time is an answer too."""
    reading = draft.reading
    if tools.segmenter is None or not reading.is_read:
        return
    language = reading.spoken.language if reading.spoken else ""
    draft.rating = await tools.segmenter.rate(draft.request.url, language, reading.paragraphs)


async def compare(draft: Draft, inquiries: Inquiries | None) -> None:
    """Ask the keeper how much of the text stands elsewhere."""
    request = draft.request
    # A text that was lost would be found a copy of itself.
    if draft.mark is None or inquiries is None or request.remains is not None:
        return
    is_revisit = request.last_visit is not None and request.last_visit.version > 0
    draft.judgement = await inquiries.judge(request.url, draft.mark, is_revisit=is_revisit)


# -- digest --------------------------------------------------------------


def digest(draft: Draft, tools: Tools) -> None:
    """Say what comes of an answer, by all that is known of it now."""
    if draft.judgement is not None:
        _leave_out_copy(draft, tools)
        draft.usable_chars = _usable_chars(draft)


def _leave_out_copy(draft: Draft, tools: Tools) -> None:
    """Leave out what stands elsewhere, or stood here before; its links are followed all the same."""
    known = draft.judgement
    if known is None:
        return
    draft.reading.candidate.duplicity = known.duplicity
    refused = tools.store.refusal(draft.reading.candidate)
    if refused is None:
        return
    before = draft.request.last_visit
    is_measured = tools.revisit.change is ChangedBy.DUPLICITY and draft.has_long_paragraphs
    if before is None or not before.version:
        draft.reading.discard = refused
        draft.reading.duplicate_of = known.copy_of
        draft.prose = b"" if before is None else None
        draft.is_changed = is_changed(draft, tools.revisit.change)
    elif is_measured and not is_new_here(draft):
        draft.is_changed = False


def _usable_chars(draft: Draft) -> int | None:
    """Return how many usable characters a page has brought: what stands elsewhere is worth nothing."""
    known, usability = draft.judgement, draft.usability
    if known is None or not known.repeated or usability is None or draft.request.last_visit is not None:
        return None
    repeated = sum(len(draft.reading.paragraphs[place]) for place in known.repeated)
    return round(usability * (draft.text_chars - repeated))


# -- write ---------------------------------------------------------------


def write(drafts: Iterable[tuple[int, Draft]], tools: Tools) -> None:
    """Write what is to be kept of drafts, each with its visit: each step for all before the next.

    On DiskFull call again with the same drafts: each goes on from where it was.
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
                    tools.busy.end()  # no page is to blame for that
                    raise
                draft.steps_done = number
        began = tools.activities.spent(activity, began)
    tools.busy.end()


def _follow(draft: Draft, _outputs: Outputs, tools: Tools) -> None:
    """Find the links that lead on."""
    request, reading = draft.request, draft.reading
    if reading.losses:
        tools.outlinks.discards.update(reading.losses)
    if tools.outlinks.refuses_page(request.usability, draft.usability, len(reading.hrefs)):
        return  # not even told: a link that was told is not told again when a better page has it
    base = request.url
    if reading.base_href:
        base = tools.outlinks.resolve(base, reading.base_href) or base
    seen = _surroundings(draft)
    if reading.hrefs:
        draft.links = tools.outlinks.find(base, reading.hrefs, request.depth + 1, seen)
    if reading.feeds:
        draft.feeds = tools.outlinks.resolve_all(base, reading.feeds[:FEEDS_MAX], seen)


def _surroundings(draft: Draft) -> LinkingAnswer | None:
    """Return the page around its links; None for sitemaps and feeds, which name addresses on purpose."""
    request, answer, reading = draft.request, draft.answer, draft.reading
    if not isinstance(answer, Answer) or request.purpose in SOURCES or reading.source is not None:
        return None
    redirected_from = request.via if request.hops else ""
    return LinkingAnswer(request.url, reading.hrefs, answer.headers.every("set-cookie"), redirected_from)


STEPS = (("links", _follow), ("write", archive), ("write", keep_text))
"""What is done with a batch, and the activity that it counts as."""


# -- tell ----------------------------------------------------------------


def tell(draft: Draft) -> Result:
    """Return what the keeper is to know of a request, when everything of it is written."""
    request, answer, reading, place = draft.request, draft.answer, draft.reading, draft.place
    if not isinstance(answer, Answer):
        return Result(
            request,
            failure=draft.failure,
            discard=draft.discard,
            seconds=answer.seconds if answer is not None else 0.0,
            robots=reading.robots,
            line_check=draft.line_check,
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
        fingerprint=draft.mark.hashes if draft.mark is not None else b"",
        is_changed=draft.is_changed,
        payload_digest=place.payload_digest if place is not None else "",
        stored_at=answer.started_at if place is not None else 0.0,
        expires_at=draft.expires_at,
        hints=reading.hints,
        has_little_text=draft.rating is not None and draft.rating.usability is None,
        prose=draft.prose,
        source=reading.source,
        line_check=draft.line_check,
    )
