"""Which spellings of a URL do servers treat as the same?

The canonical form follows the standards only, and it is what is requested: a server gets the spelling chosen
by itself or by whoever links to it. In practice more spellings are equivalent. Servers decode a path before
they look for a file, and parse a query as a form: `(` and `%28` are the same to them, as are `?b` and `?b=`,
and `+` and `%20` in a query. Such spellings share a *key*: the first one found is requested, the others count
as known.

Kept distinct, because servers distinguish them: `%2F`, `%3F`, `%23`, `%25`, `%3B` and `%2B` from the
characters they encode; `%3D` and `%26` where they would end a name or a value; `//` and `/`; the order of
parameters.
"""

import re
import string
from typing import Final

__all__ = ["one_spelling"]

_ESCAPE: Final = re.compile(r"%(?:[2-7][0-9A-F]|(?![0-9A-F]{2}))")
"""Escapes of ASCII characters, and percent signs that escape nothing. Escapes of other characters have only
one spelling."""


def _literally(characters: str) -> dict[str, str]:
    """Return the meanings of escapes of these characters, and of a percent sign that escapes nothing.

    After such a sign, digits may still be escaped: see `tidy_escapes`.
    """
    return {"%": "%25"} | {f"%{ord(character):02X}": character for character in characters + string.hexdigits}


_IN_PARAMETERS: Final = _literally("!$&'()*,:@[]|^`{}\"<>")
"""For a path with parameters (after a semicolon)."""
_IN_PATH: Final = _IN_PARAMETERS | {"%3D": "="}
_IN_NAME: Final = _literally("!$'()*,:@[]|^`{}\"<>/?\\") | {"%20": "+"}
_IN_VALUE: Final = _IN_NAME | {"%3D": "="}


def one_spelling(url: str) -> str:
    """Return the one spelling that represents all spellings of a page, given a canonical one."""
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
