"""How do the lines of a paragraph become one text again?"""

import re

__all__ = ["begins_item", "join_line"]

HYPHENS = "-\u2010\u00ad\ufffe\x02"
"""Hyphens at the end of a line; the last two are how PDFium writes one that it takes for soft."""

SOFT_HYPHENS = "\u00ad\ufffe\x02"
ITEM = re.compile(r"(?:[•▪◦‣●■–—*·]|[-+](?=\s)|\(?(?:\d{1,3}|[a-z])[.)](?=\s))")


def begins_item(line: str) -> bool:
    """Tell whether a line is an entry of a list."""
    return ITEM.match(line) is not None


def join_line(text: str, line: str) -> str:
    """Return a text with its next line; a word that was broken between the two is whole again."""
    if not text or not line:
        return text or line
    if text[-1] in HYPHENS and len(text) > 1 and text[-2].isalpha():
        if line[0].islower():
            return text[:-1] + line
        return text.rstrip(SOFT_HYPHENS) + ("-" if text[-1] in SOFT_HYPHENS else "") + line
    return f"{text} {line}"
