"""What must be put right in the XML of strangers before a parser sees it?

A parser that recovers from faults guesses, and its guesses become addresses
that nobody wrote. Three faults are common, and are put right here instead:

    a file that breaks off    the parser would complete its last address
    a bare `&` in an address  it would drop what follows, up to the next sign
    UTF-16                    markup is sought as ASCII

An entity that is not one of XML's own is never expanded; it is replaced by a
mark, so that a text with a hole in it can be told from one without.
"""

import re

__all__ = ["ENTITY_MARK", "XML_STARTS", "readable_xml"]

ENTITY_MARK = "\ufffc"

WIDE_STARTS = (
    (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"),
)  # fmt: skip
XML_STARTS = (b"<", *(start for start, _ in WIDE_STARTS))
"""How a file of XML can begin, white space and the mark of UTF-8 aside."""

DECLARATION = re.compile(r"<\?xml[^<>]*\?>")
BARE_AMPERSAND = re.compile(rb"&(?![A-Za-z][A-Za-z0-9]{0,30};|#[0-9]{1,7};|#x[0-9A-Fa-f]{1,6};)")
UNKNOWN_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z][A-Za-z0-9]{0,30};")
MARK_REFERENCE = b"&#%d;" % ord(ENTITY_MARK)
LITERAL_START, LITERAL_END = b"<![CDATA[", b"]]>"
ELEMENT_END = re.compile(rb"</(?:[^\s<>:/]{1,100}:)?(?:url|sitemap|item|entry)[ \t\r\n]*>")


def readable_xml(data: bytes) -> bytes:
    """Return the part of a sitemap or feed that is whole, without the commonest faults."""
    return _with_escapes(_up_to_last_element(_narrow(data)))


def _narrow(data: bytes) -> bytes:
    """Return UTF-16 as UTF-8, and without the declaration that would deny it."""
    for start, encoding in WIDE_STARTS:
        if data.startswith(start):
            text = data.decode(encoding, "replace").lstrip("\ufeff")
            return DECLARATION.sub("", text, count=1).encode("utf-8", "replace")
    return data


def _up_to_last_element(data: bytes) -> bytes:
    at = len(data)
    while (at := data.rfind(b"</", 0, at)) >= 0:
        if end := ELEMENT_END.match(data, at):
            return data[: end.end()]
    return b""


def _with_escapes(data: bytes) -> bytes:
    if b"&" not in data:
        return data
    plain, *literals = data.split(LITERAL_START)
    parts = [_escaped(plain)]
    for part in literals:
        literal, end, rest = part.partition(LITERAL_END)
        parts += [LITERAL_START, literal, end, _escaped(rest)]
    return b"".join(parts)


def _escaped(plain: bytes) -> bytes:
    return UNKNOWN_ENTITY.sub(MARK_REFERENCE, BARE_AMPERSAND.sub(b"&amp;", plain))
