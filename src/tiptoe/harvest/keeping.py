"""What is kept of an answer, and where?

The exchange in the archive, the text in the corpus, a document on the list of those to be converted. Of a
page that is as it was, only that it was visited; of one that has left, that it is gone.
"""

from tiptoe.fetch.outcome import Answer
from tiptoe.harvest.document import Reading
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.revisit import has_left, is_new_here, profile_of
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import Result
from tiptoe.write.corpus import Document, language_fields
from tiptoe.write.documents import StoredDocument
from tiptoe.write.gone import GonePage
from tiptoe.write.output_kinds import DOCUMENT_LIST, GONE_LIST
from tiptoe.write.record import iso_date, sha1_label
from tiptoe.write.revisit_records import Earlier, Profile
from tiptoe.write.warc import Place

__all__ = ["archive", "keep_text", "note_if_gone"]


def archive(draft: Draft, tools: Tools) -> None:
    """Keep an exchange; the draft learns where the answer lies, if it was kept itself."""
    answer, result, reading = draft.answer, draft.result, draft.reading
    assert isinstance(answer, Answer)
    if not tools.keeps_archive and (reading.kind is None or result.is_changed is False):
        return
    request = result.request
    if draft.rules_request:
        tools.outputs.warc.write_exchange(answer, metadata={"purpose": draft.rules_request})
        return
    known = {
        "via": request.via,
        "hopsFromSeed": str(request.depth),
        "charsetForLinkExtraction": reading.charset,
        "outlinks": str(len(reading.hrefs)) if reading.hrefs else "",
        "discarded": result.discard,
        "duplicateOf": reading.duplicate_of,
    }
    profile = profile_of(result, answer) if request.last_visit is not None else None
    if profile is not None:
        _archive_revisit(result, answer, profile, known, tools)
        return
    draft.place = place = tools.outputs.warc.write_exchange(answer, metadata=known)
    result.payload_digest = place.payload_digest
    result.stored_at = answer.started_at


def _archive_revisit(
    result: Result, answer: Answer, profile: Profile, known: dict[str, str], tools: Tools
) -> None:
    """Keep that nothing has changed, instead of an answer."""
    before = result.request.last_visit
    assert before is not None
    if profile is Profile.UNCHANGED_TEXT:
        known |= {"receivedBytes": str(len(answer.body)), "receivedDigest": sha1_label(answer.body)}
    earlier = Earlier(before.payload_digest, before.stored_at)
    tools.outputs.warc.write_revisit(answer, profile, earlier, metadata=known)


def keep_text(draft: Draft, tools: Tools) -> None:
    """Write what the corpus and its lists are to say of an answer that was archived."""
    answer, result = draft.answer, draft.result
    assert isinstance(answer, Answer)
    _enter_corpus(draft, answer, draft.place, tools)
    _store_aside(result, answer, draft.reading, draft.place, tools)
    note_if_gone(result, answer.started_at, tools)


def _enter_corpus(draft: Draft, answer: Answer, place: Place | None, tools: Tools) -> None:
    """Write a text, unless it is none for the corpus or stands there already."""
    result, reading, known = draft.result, draft.reading, draft.judgement
    if result.discard or not reading.paragraphs or result.is_changed is False:
        return
    before = result.request.last_visit or result.request.remains
    result.line_check = tools.outputs.corpus.write_document(
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
            **language_fields(reading.spoken),
            usability=result.usability,
            labels=reading.labels,
            duplicity=known.duplicity if known else None,
            repeated=known.repeated if known and known.duplicity is not None else None,
            version=before.version + 1 if before else 1,
            truncated=answer.truncated,
        )
    )


def _store_aside(result: Result, answer: Answer, reading: Reading, place: Place | None, tools: Tools) -> None:
    """List a document for `tiptoe convert`; its bytes lie in the archive."""
    if reading.kind is None or place is None or result.is_changed is False:
        return
    result.line_check = tools.outputs.add(
        DOCUMENT_LIST,
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
            is_back=is_new_here(result),
        ),
    )


def note_if_gone(result: Result, at: float, tools: Tools) -> None:
    """Note that the text of a page stands in the corpus and no longer on the web."""
    if result.request.last_visit is None or not has_left(result):
        return
    reason = result.discard or ("redirect" if result.redirect else "")
    result.line_check = tools.outputs.add(
        GONE_LIST, GonePage(url=result.request.url, gone_at=iso_date(at), status=result.status, reason=reason)
    )
