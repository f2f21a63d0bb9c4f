"""Which lines, separated by single line breaks, belong to one sentence?

`<br>` ends the lines of addresses, verse and lists, and it also breaks sentences where an author wanted a
line to end. The characters on both sides decide, in any language: a sentence continues after a comma, or with
a lower-case letter; in a text with sentences, also after a line so long that the next word had no room. A
line that ends a sentence ends its paragraph.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from tiptoe.text.density import DENSE_FROM, length_of
from tiptoe.text.punctuation import CLOSERS, ENDS

__all__ = ["go_on", "join", "joint"]

FEW_LINES: Final = 3
"""Maximum number of lines of a headline, which has no full stop; more lines are a list."""

FULL_LENGTH: Final = 40
"""Minimum length of a line that counts as full."""

VERSE_LINES: Final = 4
VERSE_SHARE: Final = 0.9
"""Minimum share of lines that begin with a capital, in verse; in broken sentences few lines do, even in
German."""

_COMMAS: Final = frozenset(",，、､،፣၊")
_LABEL_ENDS: Final = frozenset("!?:：") | (ENDS - {"."})
_OPENERS: Final = "\"'(«»“”„‚‘’‹›「『（［《〈¿¡"
_MARKER = re.compile(r"[^\w\"'(«»“”„‚‘’‹›「『（［《〈¿¡]|\d{1,3}[.)](?:\s|\Z)|\w[.)]\s")
"""The start of a list entry: a bullet, a dash, a number or a letter with a full stop."""

_SENTENCE_END = re.compile(rf"[.!?][\"')\]»“”’]*(?:\s|\Z)|[{re.escape(''.join(sorted(ENDS - set('.!?'))))}]")


def go_on(lines: Sequence[str]) -> list[bool]:
    """Tell for each line whether it continues the sentence of the line before; no line may be empty."""
    # The last line is checked first, since it usually ends a sentence.
    has_sentences = any(map(_SENTENCE_END.search, reversed(lines)))
    is_headline = len(lines) <= FEW_LINES and not any(line[-1] in ":：" for line in lines)
    is_text = has_sentences and not _is_verse(lines)
    width = max(map(len, lines)) if is_text else 0
    joined = [False]
    for before, line in pairwise(lines):
        last = before[-2:][0] if before[-1] in CLOSERS else before[-1]
        if _MARKER.match(line):
            joined.append(False)
        elif last in _COMMAS:
            joined.append(True)
        elif line.lstrip(_OPENERS)[:1].islower():
            joined.append(last not in _LABEL_ENDS and (has_sentences or is_headline))
        elif last in ENDS or last in ":：;；" or not is_text:
            joined.append(False)
        else:
            joined.append(_is_full(before, line, width))
    return joined


def join(lines: Sequence[str]) -> Iterator[str]:
    """Yield the paragraphs made up of these lines, none of which may be empty."""
    pieces: list[str] = []
    for line, goes_on in zip(lines, go_on(lines), strict=True):
        if pieces and not goes_on:
            yield "".join(pieces)
            pieces.clear()
        elif pieces:
            pieces.append(joint(pieces[-1], line))
        pieces.append(line)
    yield "".join(pieces)


def joint(before: str, after: str) -> str:
    """Return what separates two lines of a sentence: nothing between Chinese characters, else a space."""
    return "" if _is_wide(before[-1]) and _is_wide(after[0]) else " "


def _is_wide(char: str) -> bool:
    return "\u3000" <= char <= "\u9fff" or "\uff00" <= char <= "\uff9f"


def _is_verse(lines: Sequence[str]) -> bool:
    if len(lines) < VERSE_LINES:
        return False
    capitals = sum(line.lstrip(_OPENERS)[:1].isupper() for line in lines)
    return capitals >= VERSE_SHARE * len(lines)


def _is_full(before: str, line: str, width: int) -> bool:
    """Tell whether the first word of a line would not have fitted on the line before."""
    if len(before) < FULL_LENGTH and (before[-1] < DENSE_FROM or length_of(before) < FULL_LENGTH):
        return False
    word = line.split(" ", 1)[0] if before[-1] < DENSE_FROM else line[0]
    return len(before) + 1 + len(word) > width
