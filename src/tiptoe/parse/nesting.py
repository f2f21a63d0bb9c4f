"""Can this page be parsed in bounded time?

Three things make the HTML standard's tree construction, or our parser's way of
doing it, quadratic and worse: deep nesting, unclosed formatting elements (each
new paragraph repeats all of them) and thousands of attributes on one tag.
`is_heavy` finds the pages where that could matter; for an ordinary page it only
counts. What it finds is not refused but written anew: see `flat.py`.
"""

import re
from typing import Final

__all__ = ["attribute_pattern", "is_heavy"]

LIGHT_TAGS_MAX: Final = 1_000
"""So few tags do no harm in any order."""

HEAVY_TAGS: Final = 15_000
"""From here on even plain nesting costs a quarter of a second, like the longest page read tag by tag."""

REPEATS_MAX: Final = 400_000
"""Tags times different formatting tags with attributes (of equal ones the parser repeats only three); so many
cost a tenth of a second, too."""

LIGHT_CHARS_MAX: Final = 32_768
"""So short a page has no room for attributes enough to hurt."""

LONG_CHARS: Final = 512_000
"""The longer the page, the more tags full of attributes it has room for."""

ATTRIBUTES_MAX: Final = 1_000
ATTRIBUTES_MAX_IF_LONG: Final = 200


def attribute_pattern(*, captured: bool) -> str:
    """Return a pattern for one attribute as the HTML standard's tokenizer reads it.

    Captured are the name and the value in double, single or no quotes. The
    pattern never backtracks; a value whose quote is missing runs to the end.
    """
    group = "(" if captured else "(?:"
    name = rf"{group}=[^\s/>=]*+|[^\s/>=]++)"
    values = (rf'"{group}[^"]*+)(?:"|\Z)', rf"'{group}[^']*+)(?:'|\Z)", rf"{group}[^\s>\"'][^\s>]*+)", "")
    return rf"[\s/]*+{name}(?:\s*+=\s*+(?:{'|'.join(values)}))?+"


_PLAIN: Final = r'[a-z0-9]*+(?: [a-z-]++="[^"]*+"){0,20}+>'
"""The rest of a tag as most are written: a few attributes in double quotes, which is faster to see."""


def _tag_with_attributes(count: int) -> re.Pattern[str]:
    return re.compile(rf"<[a-zA-Z](?!{_PLAIN})[^\s/>]*+(?:{attribute_pattern(captured=False)}){{{count}}}")


_MANY_ATTRIBUTES = _tag_with_attributes(ATTRIBUTES_MAX)
_MANY_ATTRIBUTES_IF_LONG = _tag_with_attributes(ATTRIBUTES_MAX_IF_LONG)
_FORMAT = re.compile(
    r"<[bBcCeEfFiIsStTuU](?:|[mMtT]|[iI][gG]|[oO][nN][tT]|[oO][dD][eE]|[mM][aA][lL][lL]"
    r"|[tT][rR][oO][nN][gG]|[tT][rR][iI][kK][eE])[\s/][^>]*"
)
"""`b`, `big`, `code`, `em`, `font` and so on, first letters first; what else fits is no element."""


def is_heavy(html: str) -> bool:
    """Tell whether parsing could take much longer than the size of the page explains."""
    tags = html.count("<")
    if tags > HEAVY_TAGS:
        return True
    if tags > LIGHT_TAGS_MAX and tags * len(set(_FORMAT.findall(html))) > REPEATS_MAX:
        return True
    if len(html) <= LIGHT_CHARS_MAX:
        return False
    crowded = _MANY_ATTRIBUTES_IF_LONG if len(html) > LONG_CHARS else _MANY_ATTRIBUTES
    return crowded.search(html) is not None
