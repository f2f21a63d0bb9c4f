"""What becomes of an answer that was archived, or of a page in a file?

The same as in a harvester: the same reading, the same decisions, the same line of the corpus. The notes of
one of our crawls about its own answer (`ArchiveNote`) supply what the answer itself cannot tell: what the
host's rules reserved, which text was already known, what a segmenter said.
"""

import hashlib
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
import xxhash

from tiptoe.convert.converter import corpus_entry
from tiptoe.convert.kinds import DocumentKind
from tiptoe.convert.reading import Reason, TextDocument
from tiptoe.convert.text_judging import Candidate, Judging
from tiptoe.decide.discard import Discard
from tiptoe.decide.parsing import ParsePoint
from tiptoe.decide.storing import CandidateText, StorePoint
from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.outcome import Answer
from tiptoe.fields.rule_book import RuleBook
from tiptoe.harvest.document import Reading, read_document
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.extraction import Extraction
from tiptoe.harvest.judgement import TextJudgement
from tiptoe.harvest.keeping import document_of, stored_document_of
from tiptoe.ingest.archived_answer import ArchiveNote
from tiptoe.ingest.unread import Unread
from tiptoe.protocol.work import Purpose, Remains, Request
from tiptoe.segment.segmenter_protocol import Rating
from tiptoe.text.fingerprint import Fingerprint, fingerprint_of
from tiptoe.text.language import DocumentLanguage
from tiptoe.write.corpus import Document
from tiptoe.write.warc import Place

__all__ = ["IntakeRules", "PageIntake", "ReadText", "made_id"]

SOURCES = (Purpose.SITEMAP, Purpose.FEED)
REPEATS = 2
"""Number of other URLs of a host that are assumed to have a text if its crawl left it out as repeated."""

Rate = Callable[[Sequence[str], str], float | None]
ReadOther = Callable[[DocumentKind, bytes, str], TextDocument | Reason]


class ReadText(msgspec.Struct, array_like=True):
    """A text for the corpus, with what is needed to compare it with earlier ones."""

    document: Document
    hashes: bytes = b""  # of a fingerprint, see `text/fingerprint.py`; empty: texts are not compared
    weights: list[int] = []
    places: list[int] = []
    echoes: list[int] = []
    text_chars: int = 0
    is_judged: bool = False  # its own crawl has already compared it

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint(
            hashes=self.hashes,
            weights=self.weights,
            places=self.places,
            echoes=self.echoes,
            text_chars=self.text_chars,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeRules:
    """What the operator decides about texts."""

    agent: str  # the name by which pages address our robot
    decoded_bytes_max: int
    parse: ParsePoint
    store: StorePoint
    extraction: Extraction | None
    identify: Callable[[Sequence[str]], DocumentLanguage] | None
    rate: Rate | None
    compared_chars_min: int = 0  # of a paragraph; 0: texts are not compared
    rule_book: RuleBook | None = None  # for fields


class PageIntake:
    """Reads answers one by one; `read_other` reads documents that are not pages."""

    def __init__(self, rules: IntakeRules, read_other: ReadOther) -> None:
        self.rules = rules
        self._read_other = read_other

    def take(self, answer: Answer, place: Place, note: ArchiveNote) -> ReadText | str:
        """Return the text of an answer, or the reason why there is none for the corpus."""
        if not 200 <= answer.status < 300:
            return Unread.NOT_OK
        if note.purpose:
            return Unread.LINK_SOURCE if note.purpose in [one.value for one in SOURCES] else Unread.RULES
        if note.discarded == Discard.BROKEN_OFF:
            return note.discarded
        rules = self.rules
        reading = read_document(
            answer,
            None,
            agent=rules.agent,
            decoded_max=rules.decoded_bytes_max,
            parse=rules.parse,
            store=rules.store,
            extraction=rules.extraction,
            sources=SOURCES,
            rule_book=rules.rule_book,
        )
        if reading.source is not None:
            return Unread.LINK_SOURCE
        if reading.kind is not None:
            return self._take_other(answer, reading, place, note, reading.kind)
        return self.settle(reading, answer, place, note)

    def settle(
        self, reading: Reading, answer: Answer, place: Place, note: ArchiveNote, *, type: str = ""
    ) -> ReadText | str:
        """Judge a text by itself; return its line of the corpus, or the reason against it."""
        if reading.discard is not None:
            return reading.discard
        candidate = reading.candidate
        text_hash = reading.text_hash
        is_known = note.text_hash == text_hash
        candidate.is_reserved |= note.discarded == Discard.TDM_RESERVED
        candidate.repeats = REPEATS if is_known and note.discarded == Discard.REPEATED_TEXT else 0
        if self.rules.identify is not None:
            candidate.language = reading.recognise(self.rules.identify).language
        if is_known and note.discarded == Discard.DUPLICATE:
            candidate.duplicity = 1.0
        refused = self.rules.store.refusal(candidate)
        if refused is not None:
            return refused
        draft = Draft(
            Request(answer.url, depth=note.depth, remains=Remains(note.version - 1)),
            answer,
            reading,
            last_modified=answer.headers.get("last-modified", "")[:100],
            text_hash=text_hash,
            place=place,
        )
        usability = note.usability if is_known else None
        if usability is None and self.rules.rate is not None:
            language = reading.spoken.language if reading.spoken else ""
            usability = self.rules.rate(reading.main_paragraphs, language)
        if usability is not None:
            draft.rating = Rating("", usability, {})
        is_judged = is_known and note.is_compared and bool(self.rules.compared_chars_min)
        if is_judged:
            draft.judgement = TextJudgement(note.duplicity, note.repeated)
        document = document_of(draft, answer)
        if type:
            document = msgspec.structs.replace(document, type=type)
        return self._marked(document, text_hash, is_judged=is_judged)

    def _take_other(
        self, answer: Answer, reading: Reading, place: Place, note: ArchiveNote, kind: DocumentKind
    ) -> ReadText | str:
        """Read a document that is not a page, as `tiptoe convert` does."""
        rules = self.rules
        refused = rules.store.refusal(
            CandidateText(answer.url, is_reserved=note.discarded == Discard.TDM_RESERVED)
        )
        if refused is not None:
            return refused
        draft = Draft(
            Request(answer.url, depth=note.depth),
            answer,
            reading,
            last_modified=answer.headers.get("last-modified", "")[:100],
        )
        stored = stored_document_of(draft, answer, place)
        decoded = decode_body(answer.body, stored.coding, rules.decoded_bytes_max)
        if decoded.is_cut:
            return Reason.TOO_BIG.value
        found = self._read_other(kind, decoded.data, stored.charset)
        if isinstance(found, Reason):
            is_whole = found is not Reason.BROKEN or not stored.is_cut
            return found.value if is_whole else Reason.TOO_BIG.value
        judging = Judging(
            store=rules.store, identify=rules.identify, rate=self._rate_all if rules.rate else None
        )
        (verdict,) = judging([(stored, found)])
        if verdict.reason is not None:
            return verdict.reason
        whole = xxhash.xxh3_64_digest("\n".join(found.paragraphs).encode("utf-8", "surrogatepass"))
        return self._marked(corpus_entry(stored, found, verdict), whole, is_judged=False)

    def _rate_all(self, candidates: list[Candidate]) -> list[float | None]:
        assert self.rules.rate is not None
        spoken = [one.spoken.language if one.spoken else "" for one in candidates]
        texts = [one.text.paragraphs for one in candidates]
        return [self.rules.rate(text, language) for text, language in zip(texts, spoken, strict=True)]

    def _marked(self, document: Document, whole: bytes, *, is_judged: bool) -> ReadText:
        if not self.rules.compared_chars_min:
            return ReadText(document)
        fingerprint = fingerprint_of(document.paragraphs, whole, chars_min=self.rules.compared_chars_min)
        return ReadText(
            document,
            fingerprint.hashes,
            fingerprint.weights,
            fingerprint.places,
            fingerprint.echoes,
            fingerprint.text_chars,
            is_judged,
        )


def made_id(url: str, digest: str) -> str:
    """Return an id for a document without one: the same for the same bytes at the same place."""
    name = hashlib.sha1(f"{url}\n{digest}".encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return f"urn:uuid:{uuid.UUID(bytes=name[:16], version=5)}"
