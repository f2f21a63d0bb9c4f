"""What stands in the body of a message and is not meant to be read?

Before MIME, and in news for long after, files were written into the text itself: uuencoded, by yEnc, or
between the lines of PGP. They go; what is said around them stays.
"""

import re
from typing import Final

__all__ = ["without_enclosures"]

SIGNS: Final = (b"begin", b"\nM", b"=ybegin", b"-----BEGIN PGP")
"""Without one of these there is nothing to look for."""

ENCLOSURE: Final = re.compile(
    rb"^begin [0-7]{3,4} [^\r\n]{1,200}\r?\n(?:[ -`]{1,100}+\r?\n)++(?:end[ \t]*+\r?$)?"
    rb"|(?:^M[ -`]{60}[ \t]*+\r?\n){3,}+(?:[ -`]{1,60}\r?\n)?(?:`?[ \t]*+\r?\n)?(?:end[ \t]*+\r?$)?"
    rb"|^=ybegin [^\n]{0,500}\n(?s:.*?)(?:^=yend[^\n]*+|\Z)"
    rb"|^-----BEGIN PGP (?:SIGNATURE|MESSAGE|PUBLIC KEY BLOCK)-----(?s:.*?)(?:^-----END PGP [^\n]*+|\Z)"
    rb"|^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*+\r?\n(?:[!-9;-~]{1,40}:[^\n]{0,200}\n)*+",
    re.MULTILINE,
)
"""A part of a file that was posted in several has no beginning: its lines are known by their form."""


def without_enclosures(data: bytes) -> bytes:
    """Return the body of a message without what is no text."""
    return ENCLOSURE.sub(b"", data) if any(sign in data for sign in SIGNS) else data
