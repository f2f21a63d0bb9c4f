"""How is a text recognised again?

By one hash of the whole text and one of each long paragraph, 64 bits each. A
paragraph is hashed by its letters and digits in lower case, so that different
quotation marks, dashes or spaces make no difference. Short paragraphs are left out, since
menus and captions are alike everywhere. Lengths do not depend on the script: see `density.py`.
"""

import re
import unicodedata
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final

import xxhash

from tiptoe.text.density import lengths_of

__all__ = ["HASH_BYTES", "PARAGRAPHS_MAX", "Fingerprint", "fingerprint_of"]

HASH_BYTES: Final = 8
PARAGRAPHS_MAX: Final = 200
"""Maximum number of paragraphs; of longer texts, those with the smallest hashes are taken, which are the same
in every copy."""

_LOWER: Final = bytes(range(256)).lower()
_NO_LETTERS: Final = bytes(byte for byte in range(128) if not chr(byte).isalnum() and chr(byte) != "\n")
_SIGNS_AFTER_C2: Final = frozenset(range(0x80, 0xC0))
"""U+0080 to U+00BF: « » ° §."""
_SIGNS_AFTER_E2: Final = frozenset({*range(0x80, 0xB0), 0xB8, 0xB9})
"""U+2000 to U+2BFF and U+2E00 to U+2E7F: quotation marks, dashes, symbols. The ranges between and after them
are letters: Glagolitic, Coptic, Tifinagh, parts of Chinese characters."""


def _signs_of_scripts() -> str:
    """Return the punctuation of non-Latin scripts: `。` and `、`, the danda, the Arabic comma."""
    blocks = (range(0x0500, 0x1CD0), range(0x3000, 0x3100), range(0xA8CE, 0xA8D0), range(0xFE10, 0xFF66))
    return "".join(
        [chr(code) for block in blocks for code in block if unicodedata.category(chr(code))[0] in "PSZ"]
    )


_SIGNS_OF_SCRIPTS = re.compile(f"[{re.escape(_signs_of_scripts())}]+")
_LEADS_OF_SIGNS: Final = (b"\xe3", b"\xe0", b"\xd8", b"\xe1", b"\xef", b"\xd9", b"\xdb", b"\xd6", b"\xd7")
"""First bytes of these marks in UTF-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The hashes of one text, with the lengths and places of its long paragraphs."""

    hashes: bytes  # of the whole text, then of its long paragraphs: joined, each once
    weights: list[int]  # length of each long paragraph
    places: list[int]  # index of each in the text
    echoes: list[int]  # places of long paragraphs that repeat an earlier one of this text
    text_chars: int  # length of the whole text, or of the part that the sample represents

    def __repr__(self) -> str:
        return f"<Fingerprint {self.hashes[:HASH_BYTES].hex()}, {len(self.weights)} long paragraphs>"


def fingerprint_of(paragraphs: Sequence[str], text_hash: bytes, *, chars_min: int) -> Fingerprint:
    """Return the fingerprint of a text; `chars_min` is the minimum length of a long paragraph."""
    lengths = lengths_of(paragraphs)
    long = [place for place, chars in enumerate(lengths) if chars >= chars_min]
    weights: dict[bytes, int] = {}
    places: dict[bytes, int] = {}
    echoes = []
    for place, letters in zip(long, _letters_of([paragraphs[place] for place in long]), strict=True):
        if not letters:
            continue  # a line drawn with dashes
        key = xxhash.xxh3_64_digest(letters)
        if key in weights:
            weights[key] += lengths[place]
            echoes.append(place)
        else:
            weights[key] = lengths[place]
            places[key] = place
    text_chars = sum(lengths)
    if len(weights) > PARAGRAPHS_MAX:
        whole = sum(weights.values())
        weights = {key: weights[key] for key in sorted(weights)[:PARAGRAPHS_MAX]}
        text_chars = round(text_chars * sum(weights.values()) / whole)
    return Fingerprint(
        hashes=b"".join([text_hash, *weights]),
        weights=list(weights.values()),
        places=[places[key] for key in weights],
        echoes=echoes,
        text_chars=text_chars,
    )


def _letters_of(paragraphs: list[str]) -> list[bytes]:
    """Return the letters and digits of each paragraph.

    All at once and as bytes: a regular expression over characters takes five times as long.
    """
    if not paragraphs:
        return []
    text = "\n".join(paragraphs)
    if text.isascii():
        joined = text.encode()
    else:
        joined = text.lower().encode("utf-8", "surrogatepass")
        joined = _without(joined, b"\xc2", 1, _SIGNS_AFTER_C2)
        joined = _without(joined, b"\xe2", 2, _SIGNS_AFTER_E2)
        if any(lead in joined for lead in _LEADS_OF_SIGNS):
            joined = _SIGNS_OF_SCRIPTS.sub("", joined.decode("utf-8", "surrogatepass")).encode(
                "utf-8", "surrogatepass"
            )
    letters = joined.translate(_LOWER, _NO_LETTERS).split(b"\n")
    if len(letters) != len(paragraphs):  # some paragraph contains line breaks
        return [_letters_of([paragraph.replace("\n", "")])[0] for paragraph in paragraphs]
    return letters


def _without(joined: bytes, lead: bytes, following: int, seconds: Container[int]) -> bytes:
    """Remove the characters whose first byte is `lead` and whose second is one of `seconds`."""
    if lead not in joined:
        return joined
    first, *others = joined.split(lead)
    return b"".join(
        [first, *[other[following:] if other[0] in seconds else lead + other for other in others]]
    )
