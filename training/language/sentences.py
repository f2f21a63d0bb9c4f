"""On which sentences is the model tuned and judged?

`big-test.txt` of eld 1.0.6 (see README.md): a thousand sentences of web and news prose in
each of sixty languages, none of them seen in training. The first 300 of a language are used
for calibration, the other 700 for the check.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TUNED_ON = 300
LONG_CHARS = 100


def sentences(path: Path) -> dict[str, list[str]]:
    """Return the sentences of each language, in order."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        language, _, sentence = line.partition("\t")
        found[language].append(sentence)
    return found


def cut(sentence: str, chars: int) -> str:
    """Return whole words from the middle of a sentence, at most `chars` long; empty if it is too short."""
    words = sentence.split()
    piece = ""
    for word in words[len(words) // 4 :]:
        if piece and len(piece) + 1 + len(word) > chars:
            break
        piece = f"{piece} {word}".strip()
    return piece[:chars] if len(piece) >= 0.7 * chars else ""


def pieces(texts: list[str], chars: int) -> Iterator[str]:
    """Yield texts of about `chars` characters, or the whole texts from 100 characters on."""
    if chars >= LONG_CHARS:
        yield from (text for text in texts if len(text) >= LONG_CHARS)
    else:
        yield from filter(None, (cut(text, chars) for text in texts))
