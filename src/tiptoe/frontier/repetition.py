"""Has this host said exactly that before, under another address?

A site that answers nonsense with the same page, a session id nobody knows, a counter without content:
whatever the reason, the same text again is worth nothing. A host remembers its last texts, each with its
first addresses. They travel with every visit, and the harvester adds the texts of the visit just as the
keeper does when it settles them: so the answer is the same whoever asks, and when.

Pure: what is remembered goes in and comes out. Only texts that stand in the corpus, here or elsewhere, are
remembered: none is left out for one that nobody has.
"""

from struct import Struct
from typing import Final

from tiptoe.decide.discard import Discard
from tiptoe.protocol.work import Request
from tiptoe.url.address import url_key

__all__ = ["FOLLOWED_MAX", "count_repeats", "remember_text"]

FOLLOWED_MAX: Final = 10
"""Maximum of addresses with a text whose links are followed: pages of pictures may differ in nothing else."""

TEXTS_MAX: Final = 16
"""Maximum of texts of a host; above it those go that were met longest ago."""

IN_CORPUS: Final = frozenset({"", Discard.DUPLICATE, Discard.REPEATED_TEXT})
"""Reasons for discarding a page whose text stands in the corpus, and none: then it is there itself."""

_ROW = Struct(">8s4s4sB")  # text, its first and second address, how many addresses it has
_NOBODY: Final = bytes(4)


def count_repeats(texts: bytes, text_hash: bytes, url: str) -> int:
    """Return how many other addresses had a text before this one, as far as that matters."""
    at = _find(texts, text_hash)
    if at < 0:
        return 0
    _, first, second, count = _ROW.unpack_from(texts, at)
    address = _address_of(url)
    return 0 if address == first else 1 if address == second else count


def remember_text(texts: bytes, request: Request, text_hash: bytes, discard: str) -> bytes:
    """Return the texts of a host after a page with this one, which was discarded or not."""
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
