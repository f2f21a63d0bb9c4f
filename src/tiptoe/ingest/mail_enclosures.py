"""Which parts of a message body are not meant to be read?

Before MIME, and in news long after, files were embedded in the text itself: uuencoded, by yEnc, or between
the marker lines of PGP. They are removed; the text around them stays.
"""

import re
from typing import Final

__all__ = ["without_enclosures"]

SIGNS: Final = (b"begin", b"\nM", b"=ybegin", b"-----BEGIN PGP")
"""One of these is part of every enclosure."""

ENCLOSURE: Final = re.compile(
    rb"^begin [0-7]{3,4} [^\r\n]{1,200}\r?\n(?:[ -`]{1,100}+\r?\n)++(?:end[ \t]*+\r?$)?"
    rb"|(?:^M[ -`]{60}[ \t]*+\r?\n){3,}+(?:[ -`]{1,60}\r?\n)?(?:`?[ \t]*+\r?\n)?(?:end[ \t]*+\r?$)?"
    rb"|^=ybegin [^\n]{0,500}\n(?s:.*?)(?:^=yend[^\n]*+|\Z)"
    rb"|^-----BEGIN PGP (?:SIGNATURE|MESSAGE|PUBLIC KEY BLOCK)-----(?s:.*?)(?:^-----END PGP [^\n]*+|\Z)"
    rb"|^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*+\r?\n(?:[!-9;-~]{1,40}:[^\n]{0,200}\n)*+",
    re.MULTILINE,
)
"""An enclosed file. Later parts of a file that was split lack a beginning: only the form of lines tells."""


def without_enclosures(data: bytes) -> bytes:
    """Return the body of a message without enclosed files."""
    return ENCLOSURE.sub(b"", data) if any(sign in data for sign in SIGNS) else data
