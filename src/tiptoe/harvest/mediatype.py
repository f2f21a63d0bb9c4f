"""What is the media type of an answer?

The declared one, if it can be believed: many servers declare nothing useful or misspell it, and
browsers show their pages all the same. A few send pictures as pages.
"""

import re
from typing import Final

from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.outcome import Answer
from tiptoe.parse.feeds import FEED_ROOTS
from tiptoe.parse.sitemaps import GZIP_MAGIC, SITEMAP_ROOTS, inflated
from tiptoe.parse.xmltags import decode_xml, root_name
from tiptoe.protocol.work import Purpose

__all__ = ["HTML", "XHTML", "declared_charset", "find_source", "is_media", "media_type"]

HTML: Final = "text/html"
XHTML: Final = "application/xhtml+xml"

LOOK_BYTES: Final = 512
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

VAGUE: Final = frozenset({
    "", "*/*", "html", "text", "text/htm", "unknown/unknown", "application/unknown", "application/html",
    "text/xml", "application/xml",
})  # fmt: skip
"""Types that say too little: the start of the body decides, as in a browser."""

PAGE_NAMES: Final = (b"!doctype html", b"html", b"head", b"title", b"body", b"p", b"div", b"table", b"h1")
_PAGE: Final = re.compile(rb"(?i)<(?:%s)[\s/>]" % b"|".join(PAGE_NAMES))
_PAGE_IN_XML: Final = re.compile(rb"(?i)(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)?<(?:!doctype )?html[\s>]")
COMMENT_START: Final = b"<!--"

MEDIA_STARTS: Final = (
    b"\xff\xd8\xff", b"\x89PNG\r\n", b"GIF8", b"RIFF", b"\0\0\x01\0", b"II*\0", b"MM\0*",  # pictures
    b"ID3", b"\xff\xfb", b"OggS", b"fLaC", b"FLV\x01", b"\x1aE\xdf\xa3",  # sound and film
    b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"(\xb5/\xfd",  # archives
    b"\x7fELF", b"MZ\x90\0", b"wOFF", b"wOF2",  # programs and fonts
)  # fmt: skip
FILM_MARK: Final = b"ftyp"
"""Bytes 4 to 8 of MP4 and related formats."""
NEVER_IN_TEXT: Final = bytes(range(9))

SOURCE_BYTES: Final = 8_192
"""Number of bytes within which every sitemap or feed shows its root element."""
SOURCE_STARTS: Final = (
    b"<?xml", b"<rss", b"<feed", b"<rdf", b"<RDF", b"<urlset", b"<sitemapindex", GZIP_MAGIC,
    b"\xff\xfe<\0", b"\xfe\xff\0<",
)  # fmt: skip
JSON_TYPES: Final = frozenset({"application/feed+json", "application/json", "text/json"})
JSON_FEED_MARK: Final = b"jsonfeed.org/version"
RSS_IN_RDF: Final = (b"/rss/", b"netscape.com/rdf")
"""Parts of the namespace names of RSS 1.0: most RDF is something else."""

_TYPE: Final = re.compile(r"\s*([^\s;,]*)")
_CHARSET: Final = re.compile(r"(?i)[;,\s]charset\s*=\s*[\"']?([^\s\"';,]+)")


def media_type(answer: Answer) -> str:
    """Return the declared type, or, if it is vague, HTML if the first bytes look like it."""
    found = _TYPE.match(answer.headers.get("content-type", ""))
    declared = found[1].lower() if found else ""
    if declared not in VAGUE:
        return declared
    start = decode_body(answer.body, answer.headers.get("content-encoding"), LOOK_BYTES).data
    return HTML if _looks_like_page(start, is_xml=declared.endswith("/xml")) else declared


def _looks_like_page(start: bytes, *, is_xml: bool) -> bool:
    start = start[:LOOK_BYTES].removeprefix(BYTE_ORDER_MARK).lstrip()
    if _PAGE_IN_XML.match(start) is not None:
        return True
    # In XML, a comment at the start does not help: a feed may have one too.
    return not is_xml and (start.startswith(COMMENT_START) or _PAGE.match(start) is not None)


def find_source(data: bytes, declared: str) -> Purpose | None:
    """Return whether this is a sitemap or a feed, by type and content; None if it is neither.

    A plain-text list of URLs is not recognised here: it counts as a sitemap only if it was requested as one.
    """
    if declared in JSON_TYPES:
        return Purpose.FEED if JSON_FEED_MARK in data[:SOURCE_BYTES].replace(b"\\", b"") else None
    start = data[:LOOK_BYTES].removeprefix(BYTE_ORDER_MARK).lstrip()
    if not start.startswith(SOURCE_STARTS) and not (declared.endswith("xml") and start.startswith(b"<")):
        return None
    head = inflated(data[: 4 * SOURCE_BYTES], SOURCE_BYTES)
    root = root_name(decode_xml(head))
    if root in SITEMAP_ROOTS:
        return Purpose.SITEMAP
    if root == "rdf" and not any(mark in head for mark in RSS_IN_RDF):
        return None
    return Purpose.FEED if root in FEED_ROOTS else None


def is_media(data: bytes) -> bool:
    """Return whether these bytes start like a picture, a film or an archive, which hold no text."""
    start = data[:LOOK_BYTES]
    has_mark = start.startswith(MEDIA_STARTS) or start[4:8] == FILM_MARK
    return has_mark and len(start.translate(None, NEVER_IN_TEXT)) < len(start)


def declared_charset(answer: Answer) -> str | None:
    """Return the charset of the Content-Type field."""
    found = _CHARSET.search(answer.headers.get("content-type", ""))
    return found[1] if found else None
