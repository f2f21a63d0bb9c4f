"""Has this host had exactly this text before, under another URL?

A site that answers invalid URLs with the same page, an unknown session id, a counter without content:
whatever the reason, the same text again is worth nothing. A host remembers its last texts and the first URLs
of each. They are sent with every visit, and the harvester adds the texts of the visit just as the keeper does
when it settles them, so the answer does not depend on who computes it, or when.

Pure functions: the memory is passed in and returned. Only texts that are in the corpus, from here or
elsewhere, are remembered, so none is left out for a text that was not kept.
"""

from struct import Struct
from typing import Final

from tiptoe.decide.discard import Discard
from tiptoe.protocol.work import Request
from tiptoe.url.address import url_key

__all__ = ["FOLLOWED_MAX", "count_repeats", "remember_text"]

FOLLOWED_MAX: Final = 10
"""Maximum number of URLs with the same text whose links are followed: picture pages may have equal texts."""

TEXTS_MAX: Final = 16
"""Maximum number of texts remembered per host; above it the one least recently met is forgotten."""

IN_CORPUS: Final = frozenset({"", Discard.DUPLICATE, Discard.REPEATED_TEXT})
"""Reasons for discarding a page whose text is in the corpus; also the empty one, of a page that was kept."""

_ROW = Struct(">8s4s4sB")  # text, its first and second URL, number of its URLs
_NOBODY: Final = bytes(4)


def count_repeats(texts: bytes, text_hash: bytes, url: str) -> int:
    """Return how many other URLs had a text before this one, at most `FOLLOWED_MAX`."""
    at = _find(texts, text_hash)
    if at < 0:
        return 0
    _, first, second, count = _ROW.unpack_from(texts, at)
    address = _address_of(url)
    return 0 if address == first else 1 if address == second else count


def remember_text(texts: bytes, request: Request, text_hash: bytes, discard: str) -> bytes:
    """Return the remembered texts of a host after a page with this text, discarded or not."""
    before = request.last_visit
    if not text_hash or discard not in IN_CORPUS or (before is not None and before.text_hash == text_hash):
        return texts
    address = _address_of(request.url)
    at = _find(texts, text_hash)
    if at < 0:
        return (texts + _ROW.pack(text_hash, address, _NOBODY, 1))[-TEXTS_MAX * _ROW.size :]
    _, first, second, count = _ROW.unpack_from(texts, at)
    if address not in (first, second):
        second = second if count > 1 else address
        count = min(count + 1, FOLLOWED_MAX)
    return texts[:at] + texts[at + _ROW.size :] + _ROW.pack(text_hash, first, second, count)


def _address_of(url: str) -> bytes:
    return url_key(url)[: len(_NOBODY)]


def _find(texts: bytes, text_hash: bytes) -> int:
    at = texts.find(text_hash)
    return at if at % _ROW.size == 0 else -1
