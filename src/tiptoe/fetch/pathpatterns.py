"""Does a path match a pattern of robots.txt?

RFC 9309, 2.2.2 and 2.2.3. Pure strings. Cost is linear in path and pattern; no pattern can make it more.

Both are compared in a normal form: an escape remains one only where it means something else than its
character. Those that do are `/ ? & = + # %`; and in a pattern `*` and `$`, which are wildcards when they
stand there themselves. In a query, `/` and `?` mean nothing in particular, so there both spellings are one.

Where the RFC and Google read escapes differently (`/%62` and `/b` are one to the first, two to the second),
Disallow is read as the RFC does, and an Allow that is written with such escapes as Google does: what either
of them would keep us from, we leave alone. In paths they mean nothing, for we ask for none that has them.
Only `~` is one with its escape everywhere: it had to be escaped once (RFC 1738, 2.2), and no other was.
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
"""Characters that nobody needs to escape, and whose escapes are read differently."""

_ESCAPE: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_QUERY_ESCAPE: Final = re.compile(r"%2F|%3F")
_QUERY_CHARACTERS: Final = {"%2F": "/", "%3F": "?"}


def _spellings(decoded: frozenset[str]) -> dict[str, str]:
    """Return how each escape is written, in whatever case it comes, when these characters need none."""
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
"""By whether it is for Allow."""


def normal_pattern(value: str, *, is_allowed: bool) -> str:
    """Return the normal form of a pattern as it is written in robots.txt."""
    if value.isascii() and "%" not in value:
        return value
    return _with_plain_query(_respelt(_escaped_beyond_ascii(value), _IN_PATTERN[is_allowed]))


def forms_for_disallow(path: str) -> tuple[str, ...]:
    """Return the forms of a path, mostly one, that Disallow is compared with."""
    return _with_query_forms(_respelt(_escaped_beyond_ascii(path), _IN_PATH[False]))


def forms_for_allow(path: str) -> tuple[str, ...]:
    """Return the forms of a path, mostly one, that Allow is compared with."""
    if "%" not in path:
        return (path,)
    as_written, plain = _respelt(path, _IN_PATH[True]), _respelt(path, _IN_PATH[False])
    forms = _with_query_forms(as_written)
    return forms if plain == as_written else (*forms, *_with_query_forms(plain))


def octets(pattern: str) -> int:
    """Return how specific a pattern is, however it is spelt."""
    return len(_respelt(pattern, _IN_PATH[False])) if "%" in pattern else len(pattern)


def is_prefix(pattern: str) -> bool:
    """Whether a pattern is nothing but the beginning of paths."""
    return "*" not in pattern and not pattern.endswith("$")


def literal(piece: str) -> str:
    """Return the text that a part of a pattern without wildcards stands for."""
    return piece.replace("%2A", "*").replace("%24", "$") if "%2" in piece else piece


def matches(pattern: str, path: str) -> bool:
    """Match from the beginning; `*` is any run of characters and a final `$` the end."""
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
    # The leftmost place for each piece leaves the most room for the rest: no need ever to go back.
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
    # A pattern without a `?` may reach into the query by a wildcard, with its escapes as they are.
    plain = _with_plain_query(path)
    return (path,) if plain == path else (path, plain)


def _with_plain_query(text: str) -> str:
    """Write slashes and question marks of a query as themselves."""
    if "%" not in text:
        return text
    path, mark, query = text.partition("?")
    return path + mark + _QUERY_ESCAPE.sub(lambda escape: _QUERY_CHARACTERS[escape[0]], query)


def _escaped_beyond_ascii(text: str) -> str:
    if text.isascii():
        return text
    # Surrogates within the escaped range are the very bytes of the file; others are noise.
    return "".join(c if c.isascii() else _escaped_character(c) for c in text)


def _escaped_character(character: str) -> str:
    try:
        octets = character.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        octets = b"\xef\xbf\xbd"
    return "".join(f"%{octet:02X}" for octet in octets)
