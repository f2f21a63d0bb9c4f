"""Where would words run together that are separate on the page?

Between two links with nothing between them (`<a>One</a><a>Two</a>`: the entries of a menu), and between
two elements of unknown names (`<my-card>`), each of which is a unit of its own. Elsewhere a word may
extend across tags: `<b>O</b>nce`, `<a>wiki</a>s`.
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
"""Maximum number of a known element. The number of others, like `<x-post>`, is an address in the parser's
memory, which may stand for another unknown element on the next page."""

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
"""Elements that contain phrases: an unknown element in one of these is taken for part of a phrase."""


def tag_number(tag: str) -> int:
    """Return the parser's number of an element."""
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
    """Tell whether only tags of inline elements separate a link from the one before it."""
    before = node.prev
    if before is not None and before.tag_id == _TEXT:
        return False  # as with most links, which are part of a sentence
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
    """Tell whether an unknown element directly follows another one."""
    before = node.prev
    for _ in range(STEPS_MAX):
        if before is None or before.tag_id != _COMMENT:
            break
        before = before.prev
    return before is not None and before.tag_id > KNOWN_TAG_ID_MAX


def is_in_phrase(node: LexborNode) -> bool:
    """Tell whether the parent of an element contains phrases."""
    parent = node.parent
    return parent is not None and parent.tag_id in _PHRASES
