"""Can this page be parsed in bounded time?

Three things make the HTML standard's tree construction, or our parser's version of
it, quadratic or worse: deep nesting, unclosed formatting elements (each new paragraph
repeats all of them) and thousands of attributes on one tag. `is_heavy` finds the pages
where that could matter; for an ordinary page it only counts. These pages are not refused
but flattened: see `flat.py`.
"""

import re
from typing import Final

try:
    from tiptoe.parse.compiled_tags import count_tags, find_formats, is_crowded
except ImportError:  # see setup.py
    IS_COMPILED = False
else:
    IS_COMPILED = True

__all__ = ["FORMAT", "IS_COMPILED", "attribute_pattern", "is_crowded_by_pattern", "is_heavy", "unusual_tag"]

LIGHT_TAGS_MAX: Final = 1_000
"""Maximum number of tags that are harmless in any order."""

HEAVY_TAGS: Final = 20_000
"""Number of tags above which a page is heavy: nested in each other, they would cost half a second. Long lists
and threads have nearly as many, and would take twice the time if they were read tag by tag."""

REPEATS_MAX: Final = 400_000
"""Maximum number of tags times different formatting tags with attributes (of equal ones the parser repeats
only three); above it they cost more than a tenth of a second."""

LIGHT_BYTES_MAX: Final = 32_768
"""Maximum length of a page that is too short for a harmful number of attributes."""

ATTRIBUTES_MAX: Final = 1_000
"""Maximum number of attributes; the parser compares each with all before it, and above this a tag costs more
than a millisecond."""

CROWDED_ATTRIBUTES: Final = 200
"""Number of attributes from which a tag does harm, if there are many such tags."""

CROWDED_TAGS_MAX: Final = 100
"""Maximum number of such tags; that many cost 150 ms. Scripts may look like a few (`i<n; i++) ...`)."""

NAME_BYTES_MAX: Final = 1_000
"""Maximum length of a name; without it, finding the ends of many overlapping ones would take long."""

SEEN_BYTES_MAX, SEEN_TIMES_MAX = 20_000_000, 8
"""Maximum that is read while looking for attributes: bytes, plus times the length of the page. The attributes
of what seems to be a tag may contain many others, each of which is examined as well, and all may run to the
end of one long value."""


def attribute_pattern(*, captured: bool) -> str:
    """Return a pattern for one attribute as the HTML standard's tokenizer reads it.

    It captures the name and the value in double, single or no quotes. The
    pattern never backtracks; a value without its closing quote runs to the end.
    """
    group = "(" if captured else "(?:"
    name = rf"{group}=[^\s/>=]*+|[^\s/>=]++)"
    values = (rf'"{group}[^"]*+)(?:"|\Z)', rf"'{group}[^']*+)(?:'|\Z)", rf"{group}[^\s>\"'][^\s>]*+)", "")
    return rf"[\s/]*+{name}(?:\s*+=\s*+(?:{'|'.join(values)}))?+"


_PLAIN: Final = r'[a-zA-Z0-9-]*+(?:[ \n]++[a-zA-Z0-9_:.@-]++(?:="[^"]*+")?+){0,20}+[ \n]*+/?>'
"""The rest of a tag as most are written, with a few attributes in double quotes: faster to recognise."""

_ATTRIBUTE: Final = attribute_pattern(captured=False)


def unusual_tag(name_max: int, crowded_from: int, attributes_max: int) -> str:
    """Return a pattern for what looks like a tag that may have many attributes.

    The attributes are only looked ahead at (`seen`), not consumed: the real tag may begin within them.
    """
    return (
        rf"<[a-zA-Z](?!{_PLAIN})[^\s/>]{{0,{name_max}}}+"
        rf"(?:(?P<endless>[^\s/>])|(?=(?P<seen>(?:{_ATTRIBUTE}){{0,{crowded_from - 1}}}+"
        rf"(?:(?P<crowded>{_ATTRIBUTE})(?:{_ATTRIBUTE}){{0,{attributes_max - crowded_from - 1}}}+"
        rf"(?P<overfull>{_ATTRIBUTE})?+)?+[\s/]*+)))"
    )


_UNUSUAL: Final = re.compile(unusual_tag(NAME_BYTES_MAX, CROWDED_ATTRIBUTES, ATTRIBUTES_MAX).encode())

FORMAT: Final = re.compile(
    rb"<[bBcCeEfFiIsStTuU](?:|[mMtT]|[iI][gG]|[oO][nN][tT]|[oO][dD][eE]|[mM][aA][lL][lL]"
    rb"|[tT][rR][oO][nN][gG]|[tT][rR][iI][kK][eE])[\s/][^>]*"
)
"""`b`, `big`, `code`, `em`, `font` and so on, by first letters; other names that match are not elements."""


def is_heavy(utf8: bytes) -> bool:
    """Tell whether parsing could take much longer than the size of the page explains."""
    tags = count_tags(utf8) if IS_COMPILED else utf8.count(b"<")
    if tags > HEAVY_TAGS:
        return True
    if tags > LIGHT_TAGS_MAX and tags * _count_formats(utf8) > REPEATS_MAX:
        return True
    return len(utf8) > LIGHT_BYTES_MAX and _is_crowded(utf8)


def _count_formats(utf8: bytes) -> int:
    """Return how many different formatting tags have attributes."""
    return len(find_formats(utf8) if IS_COMPILED else set(FORMAT.findall(utf8)))


def _is_crowded(utf8: bytes) -> bool:
    """Tell whether there are so many attributes on some tags that comparing or counting them takes long."""
    seen_max = SEEN_BYTES_MAX + SEEN_TIMES_MAX * len(utf8)
    if not IS_COMPILED:
        return is_crowded_by_pattern(utf8, _UNUSUAL, CROWDED_TAGS_MAX, seen_max)
    return is_crowded(
        utf8,
        name_max=NAME_BYTES_MAX,
        crowded_from=CROWDED_ATTRIBUTES,
        attributes_max=ATTRIBUTES_MAX,
        crowded_max=CROWDED_TAGS_MAX,
        seen_max=seen_max,
    )


def is_crowded_by_pattern(utf8: bytes, unusual: re.Pattern[bytes], crowded_max: int, seen_max: int) -> bool:
    """Tell the same without the compiled module, by a pattern for unusual tags."""
    crowded, bytes_left = 0, seen_max
    for found in unusual.finditer(utf8):
        endless, seen, crowding, overfull = found.groups()
        if seen:
            bytes_left -= len(seen)
            crowded += crowding is not None
        if endless or overfull or crowded > crowded_max or bytes_left < 0:
            return True
    return False
