"""Which text does a message yield?

Its own words. Quotations, the lines that introduce them, and the signature are treated like the menus of a
page: left out of the main text, labelled, or kept with everything else, as the operator wants.
"""

import re
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from tiptoe.convert.plain import read_plain
from tiptoe.convert.reading import Unreadable
from tiptoe.decide.storing import CandidateText
from tiptoe.fetch.http_blocks import made_header_block
from tiptoe.fetch.outcome import Answer
from tiptoe.harvest.document import Reading
from tiptoe.harvest.extraction import MAIN
from tiptoe.ingest.archived_answer import ArchiveNote
from tiptoe.ingest.mail_enclosures import without_enclosures
from tiptoe.ingest.mailbox import Message
from tiptoe.ingest.mime import MailPart, MailText, read_message
from tiptoe.ingest.page_intake import PageIntake, ReadText, made_id
from tiptoe.ingest.source_files import shown
from tiptoe.ingest.unread import Unread
from tiptoe.text.paragraphs import clean
from tiptoe.write.corpus import BOILERPLATE
from tiptoe.write.record import sha1_label
from tiptoe.write.warc import Place

__all__ = ["take_message"]

MAIL_TYPE: Final = "message/rfc822"
HTML: Final = "text/html"
TITLE_CHARS_MAX: Final = 500
QUOTED: Final = re.compile(rb"[ \t]{0,3}(?:>|\|[ \t]?>|[A-Z]{1,3}>)")
SIGNATURE: Final = re.compile(rb"-- ?\r?")
ATTRIBUTION: Final = re.compile(rb"[^\n]{0,300}:[ \t]*\r?")
"""The line before a quotation that says who is quoted."""


def take_message(message: Message, path: Path, intake: PageIntake) -> ReadText | str:
    """Return the text of a message, or the reason why there is none for the corpus."""
    if message.is_broken:
        return Unread.NO_MESSAGE
    mail = read_message(message.data)
    if mail.part is None:
        return Unread.NO_MESSAGE
    url = _address_of(mail, message, path)
    # Without a date, the time when the file was last written is used.
    sent_at = mail.sent_at if mail.sent_at is not None else path.stat().st_mtime
    answer = _answer(url, mail.part, sent_at, is_cut=message.is_cut)
    digest = sha1_label(message.data)
    place = Place(
        file=shown(path.name),
        offset=message.start.offset,
        length=message.end.offset - message.start.offset,
        record_id=made_id(url, digest),
        payload_digest=digest,
    )
    title = clean(mail.subject)[:TITLE_CHARS_MAX]
    if mail.part.type == HTML:
        found = intake.take(answer, place, ArchiveNote())
        if isinstance(found, ReadText):
            found.document = msgspec.structs.replace(found.document, title=title, type=MAIL_TYPE)
        return found
    reading = _plain_reading(mail.part, answer, has_labels=intake.rules.extraction is not None)
    if reading is None:
        return Unread.NO_MESSAGE
    reading.title, reading.language = title, mail.language
    extraction = intake.rules.extraction
    if extraction is not None and not extraction.keeps_boilerplate:
        pairs = zip(reading.paragraphs, reading.labels or (), strict=True)
        reading.paragraphs, reading.labels = [text for text, label in pairs if label == MAIN], None
        reading.candidate.paragraphs = reading.paragraphs
    return intake.settle(reading, answer, place, ArchiveNote(), type=MAIL_TYPE)


def _address_of(mail: MailText, message: Message, path: Path) -> str:
    """Return the URL of a message (RFC 2392, RFC 5538), or its place in the file if it has no id."""
    if mail.message_id:
        return f"{'news' if mail.is_news else 'mid'}:{quote(mail.message_id, safe='@!$&()*+,;=:/-._~')}"
    inner = f".{message.start.inner}" if message.start.inner else ""
    return f"{path.absolute().as_uri()}#{message.start.offset}{inner}"


def _answer(url: str, part: MailPart, sent_at: float, *, is_cut: bool) -> Answer:
    charset = f"; charset={part.charset}" if part.charset.isascii() and part.charset else ""
    head = made_header_block(200, content_type=f"{part.type}{charset}", length=len(part.data))
    return Answer(
        url=url,
        status=200,
        request_block=b"",
        header_block=b"",
        headers=head.headers,
        body=part.data,
        truncated="length" if is_cut else None,
        started_at=max(sent_at, 0.0),
    )


def _plain_reading(part: MailPart, answer: Answer, *, has_labels: bool) -> Reading | None:
    """Read a plain message stretch by stretch: quotations are not joined with the message's own text."""
    paragraphs: list[str] = []
    labels: list[str] = []
    charset = ""
    for is_own, data in _stretches(without_enclosures(part.data)):
        try:
            found = read_plain(data, part.charset)
        except Unreadable:
            continue
        charset = found.charset
        paragraphs += found.paragraphs
        labels += [MAIN if is_own else BOILERPLATE] * len(found.paragraphs)
    if not paragraphs:
        return None
    candidate = CandidateText(answer.url, paragraphs=paragraphs)
    return Reading(
        candidate=candidate, charset=charset, paragraphs=paragraphs, labels=labels if has_labels else None
    )


def _stretches(data: bytes) -> list[tuple[bool, bytes]]:
    """Split a message into its own text and quotations; the signature counts as a quotation."""
    stretches: list[tuple[bool, list[bytes]]] = []
    is_signature = False
    for line in data.split(b"\n"):
        is_signature = is_signature or SIGNATURE.fullmatch(line) is not None
        is_own = not is_signature and QUOTED.match(line) is None
        if not line.strip() and stretches:
            is_own = stretches[-1][0]
        if not stretches or stretches[-1][0] != is_own:
            if not is_own and stretches:
                _move_attribution(stretches, is_signature=is_signature)
            if not stretches or stretches[-1][0] != is_own:
                stretches.append((is_own, []))
        stretches[-1][1].append(line)
    return [(is_own, b"\n".join(lines)) for is_own, lines in stretches]


def _move_attribution(stretches: list[tuple[bool, list[bytes]]], *, is_signature: bool) -> None:
    """Move the line that says who is quoted to the quotation."""
    own = stretches[-1][1]
    last = next((place for place in range(len(own) - 1, -1, -1) if own[place].strip()), None)
    if is_signature or last is None or ATTRIBUTION.fullmatch(own[last]) is None:
        return
    moved = own[last:]
    del own[last:]
    stretches.append((False, moved))
