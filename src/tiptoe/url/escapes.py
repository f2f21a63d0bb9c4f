"""When do two percent-escapes mean the same?

Shared by the canonical form and by robots.txt, which must agree on it.
"""

import re

__all__ = ["UNRESERVED", "tidy_escapes"]

ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")  # RFC 3986


def tidy_escapes(text: str) -> str:
    """Write escapes in upper case, and characters that need none as themselves."""
    return ESCAPE.sub(_tidy_escape, text) if "%" in text else text


def _tidy_escape(escape: re.Match[str]) -> str:
    character = chr(int(escape[0][1:], 16))
    return character if character in UNRESERVED else escape[0].upper()
