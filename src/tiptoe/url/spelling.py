"""Which spellings of an address do servers take for one?

The canonical form follows the standards alone, and it is what is asked for: a server gets the spelling
that it, or whoever links to it, has chosen. Practice goes further. Servers decode a path before they
look for a file, and read a query as a form: `(` and `%28` are the same to them, `?b` and `?b=`, `+` and
`%20` in a query. Those spellings share a *key*: the one that is met first is asked for, the others are known.

Kept apart, since servers keep them apart: `%2F`, `%3F`, `%23`, `%25`, `%3B` and `%2B` from what they
stand for; `%3D` and `%26` where they would end a name or a value; `//` and `/`; the order of parameters.
"""

import re
import string
from typing import Final

__all__ = ["one_spelling"]

_ESCAPE: Final = re.compile(r"%(?:[2-7][0-9A-F]|(?![0-9A-F]{2}))")
"""Of ASCII characters, and of nothing; those of other letters say what they mean in one way only."""


def _literally(characters: str) -> dict[str, str]:
    """Return what escapes of these characters, and a percent sign that escapes nothing, stand for.

    Behind such a sign digits may still be escaped, see `tidy_escapes`.
    """
    return {"%": "%25"} | {f"%{ord(character):02X}": character for character in characters + string.hexdigits}


_IN_PARAMETERS: Final = _literally("!$&'()*,:@[]|^`{}\"<>")
"""Of a path, behind a semicolon."""
_IN_PATH: Final = _IN_PARAMETERS | {"%3D": "="}
_IN_NAME: Final = _literally("!$'()*,:@[]|^`{}\"<>/?\\") | {"%20": "+"}
_IN_VALUE: Final = _IN_NAME | {"%3D": "="}


def one_spelling(url: str) -> str:
    """Return what all spellings of a page have in common, given one that is canonical."""
    has_escapes = "%" in url and _ESCAPE.search(url) is not None
    if not (has_escapes or "=&" in url or url[-1] in "&=" or "&&" in url or "?&" in url):
        return url
    address, _, query = url.partition("?")
    if has_escapes:
        spellings = _IN_PARAMETERS if ";" in address else _IN_PATH
        address = _ESCAPE.sub(lambda escape: spellings.get(escape[0], escape[0]), address)
    query = "&".join([_parameter(part) for part in query.split("&") if part])
    return f"{address}?{query}" if query else address


def _parameter(part: str) -> str:
    name, _, value = part.partition("=")
    if "%" in part:
        name = _ESCAPE.sub(lambda escape: _IN_NAME.get(escape[0], escape[0]), name)
        value = _ESCAPE.sub(lambda escape: _IN_VALUE.get(escape[0], escape[0]), value)
    return f"{name}={value}" if value or not name else name
