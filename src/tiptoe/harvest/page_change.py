"""Has a page that we know changed?

Pure: the outcome of the last visit (the `LastVisit` of a request) and the new draft go in, a verdict
comes out.

    304, or the same text            unchanged: nothing is stored again
    other text, by `revisit.change`  changed: the next version of the page
    no text for the corpus any more  changed: the page has left, which is noted
    a trouble                        unknown

Rule: a page that had left, or was kept out for a reason that may end without any change of the page, is
requested without conditions, because we need its text even if the server considers it unchanged.
"""

import enum
import re
from dataclasses import dataclass
from typing import Final

from tiptoe.decide.discard import Discard
from tiptoe.fetch.http_date import http_moment
from tiptoe.fetch.outcome import Answer
from tiptoe.frontier.patience import trouble_of
from tiptoe.harvest.draft import Draft
from tiptoe.protocol.work import LastVisit, Remains
from tiptoe.write.record import sha1_label
from tiptoe.write.revisit_records import Earlier, Profile

__all__ = [
    "ChangedBy",
    "RevisitRules",
    "conditions",
    "expires_at",
    "has_left",
    "is_changed",
    "is_new_here",
    "is_not_modified",
    "profile_of",
    "still_stands",
]

NOT_MODIFIED: Final = 304
FRESH_SECONDS_MAX: Final = 365 * 86_400.0
"""Maximum time for which an answer counts as fresh: one year, as RFC 2616 advised servers."""

NOT_LEFT: Final = frozenset(
    {
        *(Discard.BROKEN_OFF, Discard.CHALLENGE, Discard.UNREADABLE),
        *(Discard.STORED_ASIDE, Discard.FILTER_FAILED, Discard.LOGIN_FAILED, Discard.AVOIDED),
    }
)
"""Reasons that say nothing about the text: it was not seen, or is known only after conversion."""

LEFT: Final = frozenset(discard.value for discard in Discard if discard not in NOT_LEFT)
BY_BODY: Final = frozenset({Discard.NO_TEXT.value, Discard.TOO_SHORT.value, Discard.NO_MAIN_TEXT.value})
"""Reasons that hold as long as the body stays the same. The others depend on headers, on rules, or on what
else is in the corpus, so they may end without any change of the page."""

DOCUMENT: Final = Discard.STORED_ASIDE.value
"""Outcome of a document: its text may be in the corpus, but was not put there by the visit itself."""

MAX_AGE: Final = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?([0-9]{1,10})", re.IGNORECASE)


class ChangedBy(enum.Enum):
    """What counts as a change."""

    DUPLICITY = "duplicity"  # too little of its text was known before
    TEXT = "text"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisitRules:
    """What a harvester needs to know about revisits."""

    is_on: bool = False
    change: ChangedBy = ChangedBy.DUPLICITY
    uses_hints: bool = False


def conditions(before: LastVisit) -> list[tuple[str, str]]:
    """Return the headers that let a server answer that nothing has changed."""
    if _is_text_missing(before):
        return []
    return [("If-None-Match", before.etag), ("If-Modified-Since", before.last_modified)]


def is_not_modified(before: LastVisit, status: int) -> bool:
    """Whether a server says that the page is unchanged, and that can be accepted.

    Some servers answer 304 even to requests without conditions.
    """
    return status == NOT_MODIFIED and not _is_text_missing(before)


def is_changed(draft: Draft, change: ChangedBy) -> bool | None:
    """Return whether a page has changed, as far as hashes show; None if that is unknown."""
    before = draft.request.last_visit
    if before is None or trouble_of(draft.status, draft.failure, draft.discard) is not None:
        return None
    if draft.status == NOT_MODIFIED:
        return has_left(draft) if is_not_modified(before, draft.status) else None
    if draft.reading.redirect:
        return draft.content_hash != before.content_hash
    if not 200 <= draft.status < 300:
        return before.outcome != f"http_{draft.status}"
    if has_left(draft) or is_new_here(draft):
        return True
    if change is ChangedBy.BYTES or not draft.text_hash:
        return draft.content_hash != before.content_hash
    return draft.text_hash != before.text_hash


def is_new_here(draft: Draft) -> bool:
    """Whether a known page has a text for the corpus now but had none at the last visit."""
    before = draft.request.last_visit
    if before is None or not _had_no_text(before):
        return False
    return draft.discard == DOCUMENT or (bool(draft.text_hash) and not draft.discard)


def has_left(draft: Draft) -> bool:
    """Whether a page's text may be in the corpus but, according to this answer, is no longer on the web."""
    before = draft.request.last_visit
    if before is None or _had_no_text(before):
        return False
    was_document = before.outcome == DOCUMENT
    if not before.version and not was_document:
        return False
    if draft.discard:
        # When the operator stops collecting documents, those already stored are not reported as gone.
        return draft.discard in LEFT and not (was_document and draft.discard == Discard.NOT_HTML.value)
    if trouble_of(draft.status, draft.failure) is not None:
        return False
    return bool(draft.reading.redirect) or not (200 <= draft.status < 300 or draft.status == NOT_MODIFIED)


def still_stands(draft: Draft, remains: Remains) -> bool:
    """Whether a page fetched again after a loss still has the text that is in the corpus."""
    return bool(remains.text_hash) and draft.text_hash == remains.text_hash and not draft.discard


def _had_no_text(before: LastVisit) -> bool:
    """Whether the last visit brought no text for the corpus."""
    outcome = before.outcome
    return outcome in LEFT or outcome == "redirect" or outcome.startswith("http_")


def _is_text_missing(before: LastVisit) -> bool:
    """Whether an unchanged page may have a text for the corpus that we do not have yet."""
    return _had_no_text(before) and (before.version > 0 or before.outcome not in BY_BODY)


def profile_of(draft: Draft, answer: Answer) -> Profile | None:
    """Return how an unchanged page is archived; None if the answer is archived in full."""
    before = draft.request.last_visit
    if before is None or not draft.is_unchanged:
        return None
    if draft.status == NOT_MODIFIED:
        return Profile.NOT_MODIFIED
    if not answer.body or not Earlier(before.payload_digest, before.stored_at).is_known:
        return None
    # Our own hashes do not count here: readers of the archive rely on its digests.
    if sha1_label(answer.body) == before.payload_digest:
        return Profile.SAME_PAYLOAD
    return Profile.UNCHANGED_TEXT if 200 <= draft.status < 300 and draft.text_hash else None


def expires_at(answer: Answer) -> float:
    """Return until when a server calls its answer fresh; 0 if it does not say, or calls it stale at once."""
    value = answer.headers.get("cache-control")
    answered_at = answer.started_at + answer.seconds
    if value:
        if "no-cache" in value or "no-store" in value:
            return 0.0
        age = MAX_AGE.search(value)
        if age:
            seconds = min(float(age[1]), FRESH_SECONDS_MAX)
            return answered_at + seconds if seconds else 0.0
    expires = answer.headers.get("expires")
    if not expires:
        return 0.0
    moment = http_moment(expires) or 0.0
    return min(moment, answered_at + FRESH_SECONDS_MAX) if moment > answered_at else 0.0
