"""How frequent are words, and how are they spelled without accents?

Reads frequencies from two published packages, unpacked beforehand (see README.md).
"""

import gzip
import re
import unicodedata
from collections import defaultdict
from pathlib import Path

import msgspec

Shares = defaultdict[str, float]
"""Shares of words, or of grams, in running text."""

WORD = re.compile(r"[^\W\d_]+")

LATIN = (
    "cs", "sk", "pl", "sl", "hr", "en", "de", "hu", "ro", "it", "fr", "es", "pt", "nl", "da", "sv", "no",
    "fi", "lt", "lv", "et", "tr", "ca", "sq", "is", "id", "vi",
)  # fmt: skip
CYRILLIC = ("ru", "uk", "bg", "mk", "sr")
PLAIN = ("cs", "sk", "pl", "sl", "hr", "hu", "ro")
"""Languages often typed without accents, for which they get a second class."""

WORDFREQ_NAMES = {"hr": "sh", "sr": "sh", "no": "nb"}
RANKED_NAMES = {"et": "estonian", "sq": "albanian"}
"""Languages for which wordfreq has no list; only the order of their words is known."""

_UNMARKED = str.maketrans("łđøıßæœ", "ldoisao")
_TO_CYRILLIC = {
    "lj": "љ", "nj": "њ", "dž": "џ", "a": "а", "b": "б", "v": "в", "g": "г", "d": "д", "đ": "ђ", "e": "е",
    "ž": "ж", "z": "з", "i": "и", "j": "ј", "k": "к", "l": "л", "m": "м", "n": "н", "o": "о", "p": "п",
    "r": "р", "s": "с", "t": "т", "ć": "ћ", "u": "у", "f": "ф", "h": "х", "c": "ц", "č": "ч", "š": "ш",
}  # fmt: skip
_SERBIAN = re.compile("lj|nj|dž|.")


def without_accents(word: str) -> str:
    """Spell a word as on a keyboard that has no accents."""
    decomposed = unicodedata.normalize("NFD", word.translate(_UNMARKED))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def with_umlauts_spelled_out(word: str) -> str:
    return word.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue").replace("ß", "ss")


def in_cyrillic(word: str) -> str:
    """Spell a Serbian word in its other alphabet; empty if it has letters of neither."""
    letters = [_TO_CYRILLIC.get(letter, "") for letter in _SERBIAN.findall(word)]
    return "".join(letters) if all(letters) else ""


def frequencies(folder: Path, language: str) -> Shares:
    """Return the share of each word in running text of a language."""
    if language in RANKED_NAMES:
        return _from_ranks(folder / "most-common-words" / f"{RANKED_NAMES[language]}.txt")
    name = WORDFREQ_NAMES.get(language, language)
    shares = _from_wordfreq(folder / "wordfreq" / f"small_{name}.msgpack.gz")
    if language != "sr":
        return shares
    spelled: Shares = defaultdict(float)
    for word, share in shares.items():
        spelled[in_cyrillic(word)] += share
    spelled.pop("", None)
    return spelled


def _from_wordfreq(path: Path) -> Shares:
    """Read a list whose n-th group holds the words of frequency 10^(-n/100)."""
    shares: Shares = defaultdict(float)
    _head, *groups = msgspec.msgpack.decode(gzip.decompress(path.read_bytes()))
    for number, words in enumerate(groups, 1):
        for word in words:
            for part in WORD.findall(unicodedata.normalize("NFC", word)):
                shares[part] += 10 ** (-number / 100)
    return shares


def _from_ranks(path: Path) -> Shares:
    """Estimate frequencies from the order of words, by Zipf's law."""
    shares: Shares = defaultdict(float)
    for rank, word in enumerate(path.read_text("utf-8").lower().split(), 1):
        for part in WORD.findall(word):
            shares[part] += rank**-0.85
    total = sum(shares.values()) / 0.9
    return defaultdict(float, {word: share / total for word, share in shares.items()})
