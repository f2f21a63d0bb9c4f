"""Where would words run together that stand apart on the page?

Between two links with nothing between them (`<a>One</a><a>Two</a>`: the entries of a menu), and between
two elements that nobody knows (`<my-card>`), each of which is a thing of its own. Elsewhere a word
may run across tags: `<b>O</b>nce`, `<a>wiki</a>s`.
"""

from collections.abc import Iterable
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tiptoe.text.elements import ROLES, Role

__all__ = [
    "KNOWN_TAG_ID_MAX",
    "LINK_TAG_ID",
    "PHRASES",
    "follows_link",
    "follows_unknown",
    "is_in_phrase",
    "known_numbers",
    "tag_number",
]

KNOWN_TAG_ID_MAX: Final = 1_000
"""The parser numbers the elements it knows; the number of others, like `<x-post>`, is an address in its
memory, where another unknown element may stand in the next page."""

STEPS_MAX: Final = 12
"""Maximum number of steps back to a link; inline elements are not nested deeper."""

PHRASES: Final = frozenset(
    (
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "a",
        "b",
        "i",
        "em",
        "strong",
        "span",
        "u",
        "font",
        "small",
        "label",
    )
)
"""Elements that hold phrases: in these an unknown element is taken for a part of one."""


def tag_number(tag: str) -> int:
    """Return the number by which the parser knows an element."""
    number: int = LexborHTMLParser("").create_node(tag).tag_id
    return number


def known_numbers(tags: Iterable[str]) -> frozenset[int]:
    """Return the numbers of elements, without those that the parser does not know."""
    return frozenset(number for number in map(tag_number, tags) if number <= KNOWN_TAG_ID_MAX)


_TEXT, _COMMENT = 2, 4
LINK_TAG_ID: Final = tag_number("a")
_LEFT_OUT: Final = known_numbers(tag for tag, role in ROLES.items() if role is Role.LEFT_OUT)
_DIVIDING: Final = known_numbers(tag for tag, role in ROLES.items() if role is not Role.LEFT_OUT)
_PHRASES: Final = known_numbers(PHRASES)


def follows_link(node: LexborNode) -> bool:
    """Tell whether nothing stands between a link and the one before it but tags of inline elements."""
    before = node.prev
    if before is not None and before.tag_id == _TEXT:
        return False  # as with most links: they stand in a sentence
    place: LexborNode | None = node
    for _ in range(STEPS_MAX):
        if place is None:
            return False
        before = place.prev
        if before is None:
            place = place.parent
            if place is not None and place.tag_id in _DIVIDING:
                return False
            continue
        place = before
        while place.tag_id not in _LEFT_OUT:
            if place.tag_id == LINK_TAG_ID:
                return True
            if place.tag_id == _TEXT or place.tag_id in _DIVIDING:
                return False
            child = place.last_child
            if child is None:
                break
            place = child
    return False


def follows_unknown(node: LexborNode) -> bool:
    """Tell whether nothing stands between an unknown element and one before it."""
    before = node.prev
    for _ in range(STEPS_MAX):
        if before is None or before.tag_id != _COMMENT:
            break
        before = before.prev
    return before is not None and before.tag_id > KNOWN_TAG_ID_MAX


def is_in_phrase(node: LexborNode) -> bool:
    """Tell whether an element stands in one that holds phrases."""
    parent = node.parent
    return parent is not None and parent.tag_id in _PHRASES
