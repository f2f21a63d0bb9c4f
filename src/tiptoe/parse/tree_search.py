"""Which elements of a tree does a CSS selector find?"""

from typing import Final

from selectolax.lexbor import LexborCSSSelector, LexborNode

__all__ = ["find_all"]

_SELECTOR: Final = LexborCSSSelector()  # type: ignore[no-untyped-call]
"""A tree makes one for itself when it is first asked, which costs as much as several searches."""


def find_all(selector: str, node: LexborNode | None) -> list[LexborNode]:
    """Return the elements within a node, in the order of the page; none where there is no node."""
    return [] if node is None else _SELECTOR.find(selector, node)
