"""What does a pass over a tree do at each element, in numbers for the compiled module?

The tables are made from the same roles as those of the passes in Python, and are indexed by the parser's
number of an element.
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Final

from tiptoe.parse.adjacency import KNOWN_TAG_ID_MAX, LINK_TAG_ID, tag_number
from tiptoe.parse.compiled_elements import ElementMarker
from tiptoe.parse.tree_findings import HEADING_TAG_ID, READ, SCRIPT_TAG_ID
from tiptoe.text.elements import ROLES, SPACED, Role

__all__ = ["element_marker"]


class _Kind(IntEnum):
    """What a pass does at an element; the numbers are those of `compiled_elements.pyx`."""

    INLINE = 0
    BLOCK = 1
    BREAK = 2
    LINE = 3
    SPACE = 4
    LINK = 5
    VERBATIM = 6
    LEFT_OUT = 7
    LEFT_OUT_SPACED = 8
    READ = 9
    HEADING = 10


_KIND_OF_ROLE: Final = {
    Role.BLOCK: _Kind.BLOCK,
    Role.BREAK: _Kind.BREAK,
    Role.LINE: _Kind.LINE,
    Role.VERBATIM: _Kind.VERBATIM,
    Role.SPACE: _Kind.SPACE,
    Role.LEFT_OUT: _Kind.LEFT_OUT,
}


def element_marker(roles: Mapping[str, Role]) -> ElementMarker:
    """Return a marker for these roles; which elements style may change does not depend on them."""
    kinds = dict.fromkeys(READ, _Kind.READ)
    kinds |= {tag_number(tag): _KIND_OF_ROLE[role] for tag, role in roles.items()}
    kinds |= {tag_number(tag): _Kind.LEFT_OUT_SPACED for tag in SPACED}
    kinds |= {LINK_TAG_ID: _Kind.LINK, HEADING_TAG_ID: _Kind.HEADING}
    names = [""] * (KNOWN_TAG_ID_MAX + 1)
    for tag_id, name in [*((tag_number(tag), tag) for tag in roles), *READ.items()]:
        if tag_id <= KNOWN_TAG_ID_MAX:
            names[tag_id] = name
    return ElementMarker(
        bytes(kinds.get(tag_id, _Kind.INLINE) for tag_id in range(KNOWN_TAG_ID_MAX + 1)),
        names,
        dividing=_table(tag for tag, role in ROLES.items() if role is not Role.LEFT_OUT),
        left_out=_table(tag for tag, role in ROLES.items() if role is Role.LEFT_OUT),
        usual=_table(ROLES),
        asked=bytes(tag_id in READ for tag_id in range(KNOWN_TAG_ID_MAX + 1)),
        link=LINK_TAG_ID,
        script=SCRIPT_TAG_ID,
    )


def _table(tags: Iterable[str]) -> bytes:
    numbers = set(map(tag_number, tags))
    return bytes(tag_id in numbers for tag_id in range(KNOWN_TAG_ID_MAX + 1))
