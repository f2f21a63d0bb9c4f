"""Which sentences do translated programs contain, in each language?

    python training/language/messages.py LOCALE_FOLDER... > messages.txt

Reads message catalogs (LOCALE_FOLDER/cs/LC_MESSAGES/*.mo) and prints sentences in the form of
`big-test.txt`: a language, a tab, a sentence. Another source for checks, which includes Macedonian;
README.md says where to get it.
"""

import gettext
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

LANGUAGES = ("cs", "sk", "pl", "sl", "hr", "bg", "mk", "uk", "ru", "sr")
IN_CYRILLIC = ("bg", "mk", "uk", "ru", "sr")
SENTENCES_MAX, CHARS_MIN = 1500, 40

_MARKUP = re.compile(r"<[^>]*>|&\w+;|%\(?\w*\)?[sd]?|\$\w+|_")
_END = re.compile(r"\n+|(?<=[.!?])\s")
_CYRILLIC, _LATIN = re.compile("[\u0400-\u04ff]"), re.compile("[A-Za-z\u00c0-\u017e]")


def sentences(catalog: Path) -> Iterator[str]:
    """Yield the translated sentences of a catalog."""
    with catalog.open("rb") as file:
        messages = vars(gettext.GNUTranslations(file))["_catalog"]
    for original, message in messages.items():
        if isinstance(message, str) and original and message != original:
            for sentence in _END.split(_MARKUP.sub("", message)):
                if len(sentence.strip()) >= CHARS_MIN:
                    yield " ".join(sentence.split())


def is_in_script(sentence: str, language: str) -> bool:
    cyrillic, latin = len(_CYRILLIC.findall(sentence)), len(_LATIN.findall(sentence))
    return cyrillic > 3 * latin if language in IN_CYRILLIC else latin > 3 * cyrillic


def main(folders: list[Path]) -> None:
    """Print some sentences of each language, always the same ones."""
    for language in LANGUAGES:
        catalogs = [
            path for folder in folders for path in sorted(folder.glob(f"{language}/LC_MESSAGES/*.mo"))
        ]
        found = {text for path in catalogs for text in sentences(path) if is_in_script(text, language)}
        chosen = sorted(found)
        random.Random(1).shuffle(chosen)
        for sentence in chosen[:SENTENCES_MAX]:
            print(f"{language}\t{sentence}")


if __name__ == "__main__":
    main([Path(folder) for folder in sys.argv[1:]])
