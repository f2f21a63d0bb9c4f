"""What does a message say, and who sent it when?

Heads and bodies according to RFC 5322 and MIME, as far as needed for the text: the first text part, plain
rather than HTML, with its transfer coding undone. No library is used, because a message may be malicious:
endlessly nested parts, thousands of boundaries, endless lines. Here each level is split once, and the numbers
of levels and parts are limited.
"""

import binascii
import re
from dataclasses import dataclass
from datetime import UTC
from email.errors import HeaderParseError
from email.header import decode_header
from email.utils import parsedate_to_datetime
from typing import Final

from tiptoe.parse.charset import decode

__all__ = ["MailPart", "MailText", "read_message"]

DEPTH_MAX: Final = 8
PARTS_MAX: Final = 100
HEAD_BYTES_MAX: Final = 256 << 10
FIELD_CHARS_MAX: Final = 2000
HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
FOLD: Final = re.compile(rb"\r?\n[ \t]+")
PARAMETER: Final = re.compile(r";\s*([\w*-]{1,40})\s*=\s*(?:\"([^\"]{0,200})\"|([^\s;\"]{1,200}))")
WORD: Final = re.compile(r"=\?[\w-]{1,40}\?[bqBQ]\?[^?\s]*\?=")
RAW: Final = "surrogateescape"
"""Error handler that keeps bytes that are not UTF-8 until their charset is known."""

TEXTS: Final = ("text/plain", "text/html")


@dataclass(frozen=True, slots=True)
class MailPart:
    """One part of a message that is text."""

    type: str
    charset: str  # as declared; may be empty
    data: bytes  # transfer coding undone


@dataclass(frozen=True, slots=True)
class MailText:
    """The facts about a message."""

    subject: str
    message_id: str  # without its brackets
    language: str
    sent_at: float | None  # seconds since 1970
    is_news: bool
    part: MailPart | None  # None: it has no text


def read_message(data: bytes) -> MailText:
    """Read the head of a message, and find its text."""
    fields, body = _split(data)
    found: list[MailPart] = []
    _collect(fields, body, found, depth=0)
    part = min(found, key=lambda one: TEXTS.index(one.type), default=None)
    return MailText(
        subject=_decoded(_in_its_charset(fields.get("subject", ""), part)),
        message_id=_identifier(fields.get("message-id", "")),
        language=fields.get("content-language", "")[:40],
        sent_at=_moment(fields.get("date", "")),
        is_news="newsgroups" in fields,
        part=part,
    )


def _split(data: bytes) -> tuple[dict[str, str], bytes]:
    """Return the fields of a head, the first one of each name, and the body after it."""
    blank = HEAD_END.search(data, 0, HEAD_BYTES_MAX)
    if data[:1] in (b"\r", b"\n"):  # a part without a head
        return {}, data.lstrip(b"\r\n")
    head, body = (data[: blank.start()], data[blank.end() :]) if blank else (data[:HEAD_BYTES_MAX], b"")
    fields: dict[str, str] = {}
    for line in FOLD.sub(b" ", head).splitlines():
        name, colon, value = line.partition(b":")
        if colon:
            called = name.decode("latin-1").strip().lower()
            text = value.decode("utf-8", RAW if called == "subject" else "replace")
            fields.setdefault(called, text.strip()[:FIELD_CHARS_MAX])
    return fields, body


def _collect(fields: dict[str, str], body: bytes, found: list[MailPart], *, depth: int) -> None:
    """Add the text parts within a part to `found`."""
    declared = fields.get("content-type", "text/plain")
    kind = declared.partition(";")[0].strip().lower()
    parameters = {name.lower(): quoted or plain for name, quoted, plain in PARAMETER.findall(declared)}
    if kind.startswith("multipart/"):
        boundary = parameters.get("boundary", "")
        if boundary and depth < DEPTH_MAX:
            for part in _parts(body, boundary.encode("utf-8", "replace")):
                _collect(*_split(part), found, depth=depth + 1)
        return
    is_attached = fields.get("content-disposition", "").lower().startswith("attachment")
    if kind in TEXTS and not is_attached and len(found) < PARTS_MAX:
        plain = _unpacked(body, fields.get("content-transfer-encoding", "").strip().lower())
        if plain.strip():
            found.append(MailPart(kind, parameters.get("charset", ""), plain))


def _parts(body: bytes, boundary: bytes) -> list[bytes]:
    """Return the parts between boundaries; without a final boundary the last one ends with the message."""
    marks = re.compile(rb"(?:\A|\r?\n)--" + re.escape(boundary) + rb"(--)?[ \t]*(?=\r?\n|\Z)")
    parts, start = [], -1
    for mark in marks.finditer(body):
        if start >= 0:
            parts.append(_after_line(body[start : mark.start()]))
        start = mark.end()
        if mark[1] or len(parts) >= PARTS_MAX:
            return parts
    if start >= 0:
        parts.append(_after_line(body[start:]))
    return parts


def _after_line(part: bytes) -> bytes:
    """Return a part without the rest of the boundary's line."""
    return part[2:] if part.startswith(b"\r\n") else part[1:]


def _unpacked(body: bytes, coding: str) -> bytes:
    if coding == "quoted-printable":
        return binascii.a2b_qp(body)
    if coding == "base64":
        plain = re.sub(rb"[^A-Za-z0-9+/]", b"", body)
        try:
            return binascii.a2b_base64(plain[: len(plain) // 4 * 4] + _padded(plain))
        except binascii.Error:
            return b""
    return body


def _padded(plain: bytes) -> bytes:
    rest = plain[len(plain) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


def _in_its_charset(field: str, part: MailPart | None) -> str:
    """Return a field, decoded if it is not UTF-8 with the charset of the text, declared or detected."""
    raw = field.encode("utf-8", RAW)
    text = raw.decode("utf-8", "replace")
    if part is None or "\ufffd" not in text:
        return text
    # Together with the text, since a single line may be too short to detect the charset.
    return decode(raw + b"\n" + part.data, part.charset or None, is_html=False).text.partition("\n")[0]


def _decoded(field: str) -> str:
    """Return the text of a field with encoded words; broken ones stay unchanged."""
    if WORD.search(field) is None:
        return field
    try:
        return "".join(
            part.decode(charset or "latin-1", "replace") if isinstance(part, bytes) else part
            for part, charset in decode_header(field)
        )
    except (HeaderParseError, LookupError, ValueError):
        return field


def _identifier(field: str) -> str:
    found = re.search(r"<([^<>\s]{1,500})>", field)
    return found[1] if found else ""


def _moment(field: str) -> float | None:
    try:
        moment = parsedate_to_datetime(field[:100])
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
