"""How is text from the web shown so that it cannot harm a page?

Titles, URLs and robots.txt come from the web. Escaping prevents them from being markup; this module prevents
everything else that is not visible text: control characters, marks that change the text direction, and lone
surrogates are replaced by their names. It is applied to whatever a template prints (`page_rendering`)."""

import re
from typing import Final

__all__ = ["shortened", "shown"]

HARMFUL: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Controls except tabs and line ends, direction marks, invisible characters, surrogates, tags."""


def shown(text: str) -> str:
    """Return text in which everything is visible."""
    return text if text.isascii() and text.isprintable() else HARMFUL.sub(_named, text)


def shortened(text: str, chars_max: int) -> str:
    """Return a text of at most this length, with an ellipsis if it was shortened."""
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"


def _named(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"
