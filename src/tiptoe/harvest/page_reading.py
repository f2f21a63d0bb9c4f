"""What does a page say, and does its text belong in the corpus?

Judged here by the page itself and the earlier texts of its host; comparison with the corpus comes later: see
`compare` in `journey`.
"""

from tiptoe.decide.discard import Discard
from tiptoe.fetch.outcome import Answer
from tiptoe.frontier.repetition import FOLLOWED_MAX, count_repeats
from tiptoe.harvest.document import Reading, read_document
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.page_change import is_changed
from tiptoe.harvest.request_context import RequestContext
from tiptoe.harvest.sources import read_source
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import Request
from tiptoe.text.prose import prose_of
from tiptoe.url.dropped import Dropped

__all__ = ["read_page"]

TEXTLESS = (Discard.NO_TEXT, Discard.TOO_SHORT, Discard.NO_MAIN_TEXT, Discard.REPEATED_TEXT)
"""Reasons of pages that say nothing new, whatever their host has said before."""

JUDGED = (None, *TEXTLESS, Discard.OTHER_LANGUAGE)
"""Outcomes with which a page is rated by the segmenter; texts reserved by their owner are not."""


def read_page(draft: Draft, answer: Answer, context: RequestContext, tools: Tools) -> None:
    """Read a page, and judge whether its text belongs in the corpus."""
    reading = _read_document(draft.request, answer, context, tools)
    if reading.source is not None:
        draft.reading = read_source(draft, answer, tools)
        draft.reading.source = reading.source
        return
    draft.reading = reading
    draft.text_hash, draft.text_chars = reading.text_hash, reading.text_chars
    if reading.discard is None and is_changed(draft, tools.revisit.change) is False:
        _leave_out_known_links(draft)
        return  # its text was judged when we first saw it
    if reading.discard is None:
        _apply_text_rules(draft, context.texts, tools)
    reading.is_read = reading.discard in JUDGED
    if reading.is_read and draft.request.last_visit is None:
        draft.prose = b"" if reading.discard in TEXTLESS else prose_of(reading.main_paragraphs, context.prose)


def _read_document(request: Request, answer: Answer, context: RequestContext, tools: Tools) -> Reading:
    """Decode and parse an answer according to the settings."""
    reading = read_document(
        answer,
        context.rules,
        agent=tools.agent,
        decoded_max=tools.limits.decoded_bytes_max,
        parse=tools.parse,
        store=tools.store,
        extraction=tools.extraction,
        sources=tools.sources,
        filtering=tools.filtering_of(request.depth, context.address),
        rule_book=tools.rule_book,
        needs=tools.requisites.of_page if tools.requisites is not None else None,
    )
    for rule in reading.costly_rules:
        tools.log.note("fields.too_costly", rule=rule, url=answer.url)
    return reading


def _leave_out_known_links(draft: Draft) -> None:
    """Leave out the links of a page whose bytes are the same: the keeper knows them from an earlier visit."""
    before = draft.request.last_visit
    if before is not None and draft.content_hash == before.content_hash:
        draft.reading.hrefs, draft.reading.feeds, draft.reading.requisites = [], [], []


def _apply_text_rules(draft: Draft, texts: bytes, tools: Tools) -> None:
    """Discard a text that its host repeats under many URLs, or that is in an unwanted language."""
    reading, before = draft.reading, draft.request.last_visit
    is_own_text = before is not None and before.version > 0 and before.text_hash == draft.text_hash
    if not is_own_text:
        _leave_out_repetition(draft, texts, tools)
    if tools.languages is not None and reading.paragraphs and reading.discard is None:
        reading.candidate.language = reading.recognise(tools.languages.identify_document).language
        reading.discard = tools.store.refusal(reading.candidate)


def _leave_out_repetition(draft: Draft, texts: bytes, tools: Tools) -> None:
    """Leave out a text that the host has already served under other URLs."""
    repeats = count_repeats(texts, draft.text_hash, draft.request.url)
    if not repeats:
        return
    draft.reading.candidate.repeats = repeats
    draft.reading.discard = tools.store.refusal(draft.reading.candidate)
    if repeats >= FOLLOWED_MAX and draft.reading.hrefs:
        draft.reading.losses[Dropped.REPEATED_LINKS] = len(draft.reading.hrefs)
        draft.reading.hrefs = []
