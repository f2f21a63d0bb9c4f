"""Which parts of a parsed page does nobody see?

What its attributes hide; unless that is nearly all there is to read. Such a page
is shown by a script when it has loaded, and its readers see all of it.
"""

from collections.abc import Sequence
from typing import Final

from selectolax.lexbor import LexborCSSSelector, LexborNode

from tiptoe.parse.tokens import may_hide, read_attributes
from tiptoe.text.blocks import HIDDEN_SELECTOR, hides

__all__ = ["find_hidden", "is_hidden_tag", "is_little", "stays_hidden", "waits_for_script"]

_SELECTOR: Final = LexborCSSSelector()  # type: ignore[no-untyped-call]
"""A tree makes one for itself when it is first asked, which costs as much as the search."""

LITTLE_PARAGRAPHS: Final = 50
LITTLE_CHARS: Final = 1_000
SHOWN_SHARE_MIN: Final = 0.1
"""Of menus, dialogs and variants pages hide a lot, but with less left than this there is nothing to read."""

REVEALED_CHARS_MIN: Final = 500
"""Less than this is a notice rather than the page."""


def find_hidden(body: LexborNode, utf8: bytes) -> list[LexborNode]:
    """Return the elements that the page, given as `utf8`, hides by attributes."""
    if not _may_hide(utf8):
        return []
    return [node for node in _SELECTOR.find(HIDDEN_SELECTOR, body) if hides(node.tag or "", node.attributes)]


def is_hidden_tag(name: str, attributes: str, *, is_revealed: bool) -> bool:
    """Tell whether a tag with these attributes, as written, begins something that is not read."""
    if is_revealed and not stays_hidden(name):
        return False
    return may_hide(name, attributes) and hides(name, read_attributes(attributes))


def is_little(shown: Sequence[str]) -> bool:
    """Tell whether a page shows so little that it is worth while to look at what it hides."""
    return len(shown) <= LITTLE_PARAGRAPHS and sum(map(len, shown)) <= LITTLE_CHARS


def stays_hidden(tag: str | None) -> bool:
    """Tell whether such an element, when hidden, is shown only to those who ask for it."""
    return tag == "dialog"


def waits_for_script(shown: Sequence[str], revealed: Sequence[str]) -> bool:
    """Tell whether a page with these paragraphs, and these when nothing is hidden, is shown by a script."""
    chars = sum(map(len, revealed))
    return chars >= REVEALED_CHARS_MIN and sum(map(len, shown)) < SHOWN_SHARE_MIN * chars


def _may_hide(utf8: bytes) -> bool:
    """Tell whether the selector could find anything: asking it costs more than looking for its words."""
    # Nearly every page has one of these words in its scripts: then there is no need to search any further.
    if b"none" in utf8 or b"hidden" in utf8:
        return True
    lower = utf8.lower()
    # A numeric reference can spell the value of a style; names of elements and attributes stand as they are.
    return b"hidden" in lower or b"none" in lower or b"<dialog" in lower or b"&#" in lower
