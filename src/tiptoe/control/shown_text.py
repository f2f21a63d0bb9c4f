"""How is a stranger's text shown so that it can do no harm to a page?

Titles, addresses and robots.txt come from the web. Escaping keeps them from being markup; this keeps them
from being anything else than letters: control characters, marks that turn the direction of what follows,
and halves of characters are replaced by their names. It is applied to whatever a template prints
(`page_rendering`)."""

import re
from typing import Final

__all__ = ["shortened", "shown"]

HARMFUL: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Controls but for tabs and line ends, marks of direction, invisible characters, surrogates, tags."""


def shown(text: str) -> str:
    """Return text in which everything can be seen."""
    return text if text.isascii() and text.isprintable() else HARMFUL.sub(_named, text)


def shortened(text: str, chars_max: int) -> str:
    """Return a text that is not longer than this; what is left out is told by an ellipsis."""
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"


def _named(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"
