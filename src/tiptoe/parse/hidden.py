"""Which parts of a parsed page does nobody see?"""

from selectolax.lexbor import LexborNode

from tiptoe.text.blocks import HIDDEN_SELECTOR, hides

__all__ = ["find_hidden"]


def find_hidden(body: LexborNode, utf8: bytes) -> list[LexborNode]:
    """Return the elements that the page, given as `utf8`, hides by attributes."""
    if not _may_hide(utf8):
        return []
    return [node for node in body.css(HIDDEN_SELECTOR) if hides(node.tag or "", node.attributes)]


def _may_hide(utf8: bytes) -> bool:
    """Tell whether the selector could find anything: asking it costs more than looking for its words."""
    # Nearly every page has one of these words in its scripts: then there is no need to search any further.
    if b"none" in utf8 or b"hidden" in utf8:
        return True
    lower = utf8.lower()
    # A numeric reference can spell the value of a style; names of elements and attributes stand as they are.
    return b"hidden" in lower or b"none" in lower or b"<dialog" in lower or b"&#" in lower
