"""What does a reader return, and why may there be no text?"""

import enum
import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from tiptoe.text.paragraphs import clean

__all__ = ["LINKS_MAX", "TEXT_CHARS_MAX", "Reason", "TextDocument", "Unreadable", "document"]

TEXT_CHARS_MAX: Final = 20_000_000
"""Maximum length of a text; no book is longer."""

LINKS_MAX: Final = 10_000
LINK_CHARS_MAX: Final = 2_000
TITLE_CHARS_MAX: Final = 500
LANGUAGE_CHARS_MAX: Final = 40

URL = re.compile(r"(?:\bhttps?://|\bwww\.)[^\s<>\"'`{}|\\^\u2018-\u201f\u00ab\u00bb]{3,2000}", re.IGNORECASE)
OPENERS: Final = {")": "(", "]": "["}
TRAILERS: Final = ".,;:!?\u2026'*_"


class Reason(enum.Enum):
    """Why a document has no text. Why a text is not put into the corpus: see `decide/discard.py`."""

    ENCRYPTED = "encrypted"
    NO_TEXT = "no_text"  # scanned, or empty
    BROKEN = "broken"
    TOO_BIG = "too_big"  # or unpacks to something too big
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"  # the reader crashed on it
    UNSUPPORTED = "unsupported"  # a version of its format that cannot be read
    MISSING = "missing"  # not in the archive at the place given in the list


class Unreadable(Exception):
    """Ends the reading of a document; never leaves the sandbox."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class TextDocument(msgspec.Struct, array_like=True):
    """The text and links of a document; links are as written in it."""

    title: str
    language: str  # declared, not detected
    charset: str
    paragraphs: list[str]
    links: list[str]


def document(
    paragraphs: Iterable[str],
    *,
    title: str = "",
    language: str = "",
    charset: str = "",
    links: Iterable[str] = (),
) -> TextDocument:
    """Return what was read, cleaned and limited in size; Unreadable if it has no text."""
    kept = _bounded(paragraphs)
    if not kept:
        raise Unreadable(Reason.NO_TEXT)
    found = dict.fromkeys(href.strip() for href in links)
    found.update(dict.fromkeys(url for paragraph in kept for url in _urls_in(paragraph)))
    wanted = [href for href in found if href and len(href) <= LINK_CHARS_MAX and href[0] != "#"]
    return TextDocument(
        clean(title)[:TITLE_CHARS_MAX],
        clean(language)[:LANGUAGE_CHARS_MAX],
        charset,
        kept,
        wanted[:LINKS_MAX],
    )


def _bounded(paragraphs: Iterable[str]) -> list[str]:
    kept, chars = [], 0
    for paragraph in paragraphs:
        text = clean(paragraph)
        if text:
            chars += len(text)
            if chars > TEXT_CHARS_MAX:
                raise Unreadable(Reason.TOO_BIG)
            kept.append(text)
    return kept


def _urls_in(paragraph: str) -> Iterator[str]:
    """Yield the URLs that are spelled out in a text."""
    if "://" not in paragraph and "www." not in paragraph.lower():
        return
    for found in URL.findall(paragraph):
        url = found.rstrip(TRAILERS)
        while url.endswith((")", "]")) and url.count(url[-1]) > url.count(OPENERS[url[-1]]):
            url = url[:-1].rstrip(TRAILERS)
        yield url if "://" in url[:8] else f"http://{url}"
