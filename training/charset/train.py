"""Which letter follows which in each language whose letters a byte can say?

    python training/charset/train.py FOLDER

FOLDER holds the word lists that `training/language/get_sources` fetches. Writes `letters.json` beside
`src/tiptoe/parse/alphabets.py`: of each language, for each letter and for the space between words, which
letters come next, the likely ones first.
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
"""Groups per nat: the n-th group of letters costs n thirds of one."""

COST_MAX = 9.0
"""What is rarer comes from foreign words and typing errors."""

ANY = ""
"""Stands for any letter before: what a letter costs where nothing is known of the pair."""

AS_ENCODED = str.maketrans("șțȘȚ", "şţŞŢ")
"""The encodings of the time had only these for Romanian."""

TONES = frozenset("\u0300\u0301\u0303\u0309\u0323")
"""Of Vietnamese: windows-1258 has them as characters of their own."""

Shares = Mapping[str, float]


def spellings(word: str, language: str) -> Iterator[str]:
    """Yield how a word was written in encodings of one byte."""
    if language != "vi":
        yield word.translate(AS_ENCODED)
        return
    for is_composed in (False, True):
        yield "".join(_with_tone(letter, is_composed) for letter in word)


def _with_tone(letter: str, is_composed: bool) -> str:
    """Put the tone behind the letter, where the encoding does not have both in one, or always."""
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
    """Count which letter follows which in words that are not in ASCII; those alone are asked later."""
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
    """Write letters by cost, a group for each step."""
    total = followers.total()
    grouped: defaultdict[int, str] = defaultdict(str)
    for letter, share in sorted(followers.items()):
        step = round(-STEPS * math.log(share / total))
        if step <= STEPS * COST_MAX:
            grouped[step] += letter
    return "|".join(grouped[step] for step in range(max(grouped, default=-1) + 1))


def main() -> None:
    """Write the table, a language a line."""
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
