"""What is kept of an answer, and where?

The exchange goes to the archive, the text to the corpus, a document to the list of those to be converted. For
an unchanged page, only the visit is noted; for a page that has left, that it is gone; for a page forbidden by
robots.txt, its URL.
"""

from typing import Final

from tiptoe.decide.discard import Discard
from tiptoe.fetch.outcome import Answer
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.line_metadata import metadata_fields
from tiptoe.harvest.page_change import has_left, is_new_here, profile_of
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import Purpose
from tiptoe.write.corpus import Document, language_fields
from tiptoe.write.descriptions import Description
from tiptoe.write.documents import StoredDocument
from tiptoe.write.gone import GonePage
from tiptoe.write.iso_moments import iso_moment_of
from tiptoe.write.output_kinds import DESCRIPTIONS, DOCUMENT_LIST, GONE_LIST
from tiptoe.write.outputs import Outputs
from tiptoe.write.record import iso_date, sha1_label
from tiptoe.write.revisit_records import Earlier, Profile
from tiptoe.write.warc import Place

__all__ = ["archive", "document_of", "keep_text", "stored_document_of"]

REPEATED_MAX: Final = 1000
"""Maximum number of repeated paragraphs listed in a record; a longer list is left out."""


def archive(draft: Draft, outputs: Outputs, tools: Tools) -> None:
    """Archive an exchange; if the answer itself was written, note its place in the draft."""
    answer, reading, request = draft.answer, draft.reading, draft.request
    if not isinstance(answer, Answer):
        if reading.discard is Discard.DISALLOWED:
            outputs.add_disallowed(request.url)
        return
    if draft.is_on_the_way:
        return
    if not tools.keeps_archive and (reading.kind is None or draft.is_unchanged):
        return
    if draft.rules_request:
        outputs.warc.write_exchange(answer, metadata={"purpose": draft.rules_request})
        return
    known = {
        "via": request.via,
        "hopsFromSeed": str(request.depth),
        "charsetForLinkExtraction": reading.charset,
        "outlinks": str(len(reading.hrefs)) if reading.hrefs else "",
        "discarded": draft.discard,
        "duplicateOf": reading.duplicate_of,
        **_judgements(draft),
        "filteredBy": reading.filtered.place if reading.filtered is not None else "",
    }
    before = request.last_visit
    profile = profile_of(draft, answer) if before is not None else None
    if before is None or profile is None:
        draft.place = outputs.warc.write_exchange(answer, metadata=known)
        return
    if profile is Profile.UNCHANGED_TEXT:
        known |= {"receivedBytes": str(len(answer.body)), "receivedDigest": sha1_label(answer.body)}
    earlier = Earlier(before.payload_digest, before.stored_at)
    outputs.warc.write_revisit(answer, profile, earlier, metadata=known)


def keep_text(draft: Draft, outputs: Outputs, _tools: Tools) -> None:
    """Write the line of an archived answer into the corpus or one of its lists."""
    answer, reading = draft.answer, draft.reading
    if isinstance(answer, Answer) and not draft.is_unchanged:
        if reading.paragraphs and not reading.discard:
            document = document_of(draft, answer)
            draft.line_check = outputs.corpus.write_document(document)
            if draft.fields is not None:
                described = Description(document.url, document.fetched_at, document.version, draft.fields)
                outputs.add(DESCRIPTIONS, described)
        elif reading.kind is not None and draft.place is not None:
            draft.line_check = outputs.add(DOCUMENT_LIST, stored_document_of(draft, answer, draft.place))
    if draft.request.last_visit is not None and has_left(draft):
        draft.line_check = outputs.add(GONE_LIST, _gone_page_of(draft, outputs))


def _judgements(draft: Draft) -> dict[str, str]:
    """Return what `tiptoe read` cannot tell from the answer; judgements hold for exactly this text."""
    reading, known = draft.reading, draft.judgement
    version = _version_of(draft) if reading.paragraphs and not reading.discard else 1
    values = {
        "purpose": draft.request.purpose.value if draft.request.purpose is not Purpose.PAGE else "",
        "version": str(version) if version > 1 else "",
        "gone": "yes" if draft.request.last_visit is not None and has_left(draft) else "",
    }
    if draft.text_hash:
        values["textHash"] = draft.text_hash.hex()
        values["usability"] = repr(draft.usability) if draft.usability is not None else ""
        # A list that is too long is left out and the text compared again: part of a list would be wrong.
        if known is not None and len(known.repeated) <= REPEATED_MAX:
            values["duplicity"] = repr(known.duplicity) if known.duplicity is not None else "unknown"
            values["repeated"] = " ".join(map(str, known.repeated))
    return values


def _version_of(draft: Draft) -> int:
    before = draft.request.last_visit or draft.request.remains
    return before.version + 1 if before else 1


def document_of(draft: Draft, answer: Answer) -> Document:
    """Return the corpus line of a page."""
    reading, known, place = draft.reading, draft.judgement, draft.place
    return Document(
        id=place.record_id if place else "",
        url=answer.url,
        title=reading.title or None,
        language=reading.language or None,
        charset=reading.charset or None,
        fetched_at=iso_date(answer.started_at),
        last_modified=iso_moment_of(draft.last_modified) if draft.last_modified else None,
        depth=draft.request.depth,
        digest=place.payload_digest if place else draft.content_hash.hex(),
        warc_file=place.file if place else "",
        warc_offset=place.offset if place else 0,
        paragraphs=reading.paragraphs,
        html_bytes=reading.html_bytes,
        **language_fields(reading.spoken),
        usability=draft.usability,
        labels=reading.labels,
        duplicity=known.duplicity if known else None,
        repeated=known.repeated if known and known.duplicity is not None else None,
        version=_version_of(draft),
        truncated=answer.truncated,
        **metadata_fields(reading.described),
        fields=reading.fields,
    )


def stored_document_of(draft: Draft, answer: Answer, place: Place) -> StoredDocument:
    """Return what `tiptoe convert` needs to know about a document; its bytes are in the archive."""
    reading = draft.reading
    assert reading.kind is not None
    return StoredDocument(
        id=place.record_id,
        url=answer.url,
        type=reading.kind.value,
        fetched_at=iso_date(answer.started_at),
        depth=draft.request.depth,
        digest=place.payload_digest,
        warc_file=place.file,
        warc_offset=place.offset,
        warc_length=place.length,
        coding=answer.headers.get("content-encoding", ""),
        charset=reading.charset,
        language=reading.language,
        last_modified=draft.last_modified,
        is_cut=bool(answer.truncated),
        is_nofollow=reading.is_nofollow,
        is_back=is_new_here(draft),
    )


def _gone_page_of(draft: Draft, outputs: Outputs) -> GonePage:
    """Return the note that a page's text is in the corpus but no longer on the web."""
    at = draft.answer.started_at if draft.answer is not None else outputs.requests.now()
    reason = draft.discard or ("redirect" if draft.reading.redirect else "")
    return GonePage(url=draft.request.url, gone_at=iso_date(at), status=draft.status, reason=reason)
