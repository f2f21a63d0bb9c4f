"""Does a path match a pattern of robots.txt?

RFC 9309, 2.2.2 and 2.2.3. String operations only. The cost is linear in path and pattern, whatever the
pattern.

Both are compared in a normal form: an escape is kept only if it means something else than its character. That
applies to `/ ? & = + # %`; and in a pattern to `*` and `$`, which are wildcards if not escaped. In a query,
`/` and `?` have no special meaning, so both spellings are equivalent there.

The RFC and Google treat some escapes differently (`/%62` and `/b` are the same to the former, different to
the latter). We read Disallow as the RFC does, and an Allow with such escapes as Google does: so we leave
alone what either of them would forbid. In paths this makes no difference, because we request none with such
escapes. Only `~` is always the same as its escape, because only `~` had to be escaped in the past (RFC 1738,
2.2).
"""

import re
from string import hexdigits
from typing import Final

from tiptoe.url.escapes import UNRESERVED

__all__ = [
    "forms_for_allow",
    "forms_for_disallow",
    "is_prefix",
    "literal",
    "matches",
    "normal_pattern",
    "octets",
]

STRUCTURE: Final = frozenset("/?&=+#%")
WILDCARDS: Final = frozenset("*$")
PRINTABLE: Final = frozenset(map(chr, range(0x20, 0x7F)))
IN_DOUBT: Final = UNRESERVED - {"~"}
"""Characters that need no escape, and whose escapes are treated differently by the RFC and Google."""

_ESCAPE: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_QUERY_ESCAPE: Final = re.compile(r"%2F|%3F")
_QUERY_CHARACTERS: Final = {"%2F": "/", "%3F": "?"}


def _spellings(decoded: frozenset[str]) -> dict[str, str]:
    """Return the normal form of each escape, in upper or lower case, if these characters need no escape."""
    codes = ((first + second, chr(int(first + second, 16))) for first in hexdigits for second in hexdigits)
    return {
        "%" + code: character if character in decoded else "%" + code.upper() for code, character in codes
    }


_IN_PATH: Final = {
    False: _spellings(PRINTABLE - STRUCTURE),
    True: _spellings(PRINTABLE - STRUCTURE - IN_DOUBT),
}
_IN_PATTERN: Final = {
    False: _spellings(PRINTABLE - STRUCTURE - WILDCARDS),
    True: _spellings(PRINTABLE - STRUCTURE - WILDCARDS - IN_DOUBT),
}
"""Normal forms of escapes; the key says whether they are for Allow."""


def normal_pattern(value: str, *, is_allowed: bool) -> str:
    """Return the normal form of a pattern from a robots.txt."""
    if value.isascii() and "%" not in value:
        return value
    return _with_plain_query(_respelt(_escaped_beyond_ascii(value), _IN_PATTERN[is_allowed]))


def forms_for_disallow(path: str) -> tuple[str, ...]:
    """Return the forms of a path (usually one) with which Disallow is compared."""
    return _with_query_forms(_respelt(_escaped_beyond_ascii(path), _IN_PATH[False]))


def forms_for_allow(path: str) -> tuple[str, ...]:
    """Return the forms of a path (usually one) with which Allow is compared."""
    if "%" not in path:
        return (path,)
    as_written, plain = _respelt(path, _IN_PATH[True]), _respelt(path, _IN_PATH[False])
    forms = _with_query_forms(as_written)
    return forms if plain == as_written else (*forms, *_with_query_forms(plain))


def octets(pattern: str) -> int:
    """Return how specific a pattern is: its length in octets, whatever its spelling."""
    return len(_respelt(pattern, _IN_PATH[False])) if "%" in pattern else len(pattern)


def is_prefix(pattern: str) -> bool:
    """Whether a pattern is a plain prefix of paths."""
    return "*" not in pattern and not pattern.endswith("$")


def literal(piece: str) -> str:
    """Return the text that a part of a pattern without wildcards matches."""
    return piece.replace("%2A", "*").replace("%24", "$") if "%2" in piece else piece


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern matches a path from its beginning; `*` matches any run, a final `$` the end."""
    if is_prefix(pattern):
        return path.startswith(literal(pattern))
    is_anchored = pattern.endswith("$")
    pieces = (pattern[:-1] if is_anchored else pattern).split("*")
    if "%2" in pattern:
        pieces = [literal(piece) for piece in pieces]
    first = pieces[0]
    if not path.startswith(first):
        return False
    if len(pieces) == 1:
        return len(path) == len(first)
    at = len(first)
    last = pieces[-1]
    # The leftmost match of each piece leaves the most room for the rest, so no backtracking is needed.
    for piece in pieces[1:-1]:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if is_anchored:
        return path.endswith(last) and len(path) - len(last) >= at
    return path.find(last, at) >= 0


def _respelt(text: str, spellings: dict[str, str]) -> str:
    return _ESCAPE.sub(lambda escape: spellings[escape[0]], text)


def _with_query_forms(path: str) -> tuple[str, ...]:
    # A pattern without a `?` may match part of the query by a wildcard; its escapes are then unchanged.
    plain = _with_plain_query(path)
    return (path,) if plain == path else (path, plain)


def _with_plain_query(text: str) -> str:
    """Return a text with slashes and question marks in its query unescaped."""
    if "%" not in text:
        return text
    path, mark, query = text.partition("?")
    return path + mark + _QUERY_ESCAPE.sub(lambda escape: _QUERY_CHARACTERS[escape[0]], query)


def _escaped_beyond_ascii(text: str) -> str:
    if text.isascii():
        return text
    # Surrogates in the range of `surrogateescape` are bytes of the file; others are invalid.
    return "".join(c if c.isascii() else _escaped_character(c) for c in text)


def _escaped_character(character: str) -> str:
    try:
        octets = character.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        octets = b"\xef\xbf\xbd"
    return "".join(f"%{octet:02X}" for octet in octets)
