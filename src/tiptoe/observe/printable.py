"""Which characters of an untrusted text may be printed on a terminal?"""

from typing import Final

__all__ = ["REPLACEMENT", "printable"]

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def printable(text: str, instead: str = REPLACEMENT) -> str:
    """Return text in which everything that moves the cursor or ends a line is replaced by `instead`."""
    return text if text.isprintable() else "".join(c if c.isprintable() else instead for c in text)
