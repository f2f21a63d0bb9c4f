"""What of a stranger's text may go to a terminal?"""

from typing import Final

__all__ = ["REPLACEMENT", "printable"]

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def printable(text: str, instead: str = REPLACEMENT) -> str:
    """Return text without anything that moves a cursor or ends a line; something else stands in its place."""
    return text if text.isprintable() else "".join(c if c.isprintable() else instead for c in text)
