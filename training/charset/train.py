"""Which letter follows which, in each language that has single-byte encodings?

    python training/charset/train.py FOLDER

FOLDER holds the word lists that `training/language/get_sources` fetches. Writes `letters.json` beside
`src/tiptoe/parse/alphabets.py`: for each language, each letter and the space between words, it
lists which letters come next, the likeliest first.
"""

import argparse
import json
import math
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "language"))

from sources import frequencies

LANGUAGES = (
    "cs", "sk", "pl", "sl", "hr", "hu", "ro", "sq", "en", "de", "it", "fr", "es", "pt", "nl", "da", "sv",
    "no", "fi", "is", "ca", "tr", "lt", "lv", "et", "vi", "el", "ru", "uk", "bg", "sr", "mk",
    "he", "ar",
)  # fmt: skip

STEPS = 3
"""Groups of letters per nat of cost: the n-th group costs n thirds of a nat."""

COST_MAX = 9.0
"""Maximum cost of a pair of letters, in nats; pairs above it come from foreign words and typing errors, and
are left out."""

ANY = ""
"""Stands for any previous letter: the cost of a letter if nothing is known about the pair."""

AS_ENCODED = str.maketrans("șțȘȚ", "şţŞŢ")
"""The old encodings had only these letters for Romanian."""

TONES = frozenset("\u0300\u0301\u0303\u0309\u0323")
"""Vietnamese tones, which windows-1258 has as separate characters."""

Shares = Mapping[str, float]


def spellings(word: str, language: str) -> Iterator[str]:
    """Yield the spellings of a word in single-byte encodings."""
    if language != "vi":
        yield word.translate(AS_ENCODED)
        return
    for is_composed in (False, True):
        yield "".join(_with_tone(letter, is_composed) for letter in word)


def _with_tone(letter: str, is_composed: bool) -> str:
    """Put the tone after the letter, always or only where the encoding has no combined character."""
    marks = unicodedata.normalize("NFD", letter)
    tone = next((mark for mark in marks if mark in TONES), "")
    if not tone or (is_composed and _is_in_1258(letter)):
        return letter
    return unicodedata.normalize("NFC", marks.replace(tone, "")) + tone


def _is_in_1258(letter: str) -> bool:
    try:
        return len(letter.encode("windows-1258")) == 1
    except UnicodeEncodeError:
        return False


def pairs_of(folder: Path, language: str) -> dict[str, Counter[str]]:
    """Count which letter follows which in words outside ASCII; only such words are judged later."""
    followers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word, share in frequencies(folder, language).items():
        for spelled in spellings(word.lower(), language):
            if spelled.isascii():
                continue
            for before, letter in pairwise(f" {spelled} "):
                followers[before][letter] += share
                followers[ANY][letter] += share
    return followers


def groups(followers: Counter[str]) -> str:
    """Return letters grouped by cost, one group per step."""
    total = followers.total()
    grouped: defaultdict[int, str] = defaultdict(str)
    for letter, share in sorted(followers.items()):
        step = round(-STEPS * math.log(share / total))
        if step <= STEPS * COST_MAX:
            grouped[step] += letter
    return "|".join(grouped[step] for step in range(max(grouped, default=-1) + 1))


def main() -> None:
    """Write the table, one language per line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args().folder
    lines = []
    for language in LANGUAGES:
        followers = pairs_of(folder, language)
        table = {ANY: groups(followers[ANY])}
        table |= {letter: groups(followers[letter]) for letter in sorted(table[ANY].replace("|", ""))}
        lines.append(f'"{language}": {json.dumps(table, ensure_ascii=False)}')
    path = Path(__file__).parents[2] / "src" / "tiptoe" / "parse" / "letters.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{path}: {path.stat().st_size} bytes, {len(lines)} languages")


if __name__ == "__main__":
    main()
