"""When do two percent-escapes mean the same?

Used both for the canonical form and for robots.txt, which must agree on it.
"""

import re

__all__ = ["UNRESERVED", "tidy_escapes"]

ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
HEX_DIGITS = frozenset("0123456789ABCDEFabcdef")
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")  # RFC 3986


LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def tidy_escapes(text: str) -> str:
    """Return a text with escapes in upper case, and unescaped where no escape is needed."""
    if "%" not in text:
        return text
    # An unescaped digit after a percent sign that escapes nothing could turn that into an escape.
    is_lone = LONE_PERCENT.search(text) is not None
    return ESCAPE.sub(_upper_but_digits if is_lone else _tidy_escape, text)


def _tidy_escape(escape: re.Match[str]) -> str:
    character = chr(int(escape[0][1:], 16))
    return character if character in UNRESERVED else escape[0].upper()


def _upper_but_digits(escape: re.Match[str]) -> str:
    tidy = _tidy_escape(escape)
    return escape[0].upper() if tidy in HEX_DIGITS else tidy
