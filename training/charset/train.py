"""How frequent is each letter of each language that is written in Latin script?

    python training/charset/train.py FOLDER

FOLDER holds the word lists that `training/language/get_sources` fetches. Writes `letters.json` beside
`src/tiptoe/parse/alphabets.py`: of each language the letters and their shares of running text.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "language"))

from sources import frequencies

LANGUAGES = (
    "cs", "sk", "pl", "sl", "hr", "hu", "ro", "sq", "en", "de", "it", "fr", "es", "pt", "nl", "da", "sv",
    "no", "fi", "is", "ca", "tr", "lt", "lv", "et",
)  # fmt: skip
UNIT = 100_000
"""Shares are written as parts of this."""

LEAST = 2
"""Rarer letters come from foreign words."""

AS_ENCODED = str.maketrans("șțȘȚ", "şţŞŢ")
"""The encodings of the time had only these for Romanian."""


def letters_of(folder: Path, language: str) -> dict[str, int]:
    """Return the shares of a language's letters, the most frequent first."""
    shares: defaultdict[str, float] = defaultdict(float)
    for word, share in frequencies(folder, language).items():
        for letter in word.lower().translate(AS_ENCODED):
            if letter.isalpha():
                shares[letter] += share
    total = sum(shares.values())
    counted = {letter: round(UNIT * share / total) for letter, share in shares.items()}
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return {letter: count for letter, count in ranked if count >= LEAST}


def main() -> None:
    """Write the table, a language a line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args().folder
    tables = {language: letters_of(folder, language) for language in LANGUAGES}
    lines = [f'"{name}": {json.dumps(table, ensure_ascii=False)}' for name, table in tables.items()]
    path = Path(__file__).parents[2] / "src" / "tiptoe" / "parse" / "letters.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{path}: {sum(map(len, tables.values()))} letters of {len(tables)} languages")


if __name__ == "__main__":
    main()
