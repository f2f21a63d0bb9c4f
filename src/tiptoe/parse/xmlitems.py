"""Which items does a sitemap or a feed list?

An item is an element such as `url` or `entry`, with the names, attributes and
texts of its direct children. Read event by event, without a tree: memory does
not grow with the file. No entity is expanded, no DTD loaded, nothing fetched.

Not with a parser that is fed piece by piece: libxml2's takes a time that grows
with the square of what a hostile file makes it look for.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from lxml import etree

from tiptoe.parse.xmlrepair import ENTITY_MARK, readable_xml

__all__ = ["Child", "Item", "read_items"]

TEXT_CHARS_MAX = 4096
"""No address and no moment is longer."""


@dataclass(slots=True)
class Child:
    """One direct child of an item."""

    name: str  # without its namespace, lower case
    attributes: dict[str, str]
    text: str = ""


@dataclass(slots=True)
class Item:
    """One element of the list."""

    name: str
    children: list[Child] = field(default_factory=list)


def read_items(data: bytes, names: Collection[str], take: Callable[[Item], bool]) -> None:
    """Hand over each item that is complete, until the taker has had enough and says False."""
    collector = _Collector(names, take)
    parser = etree.XMLParser(
        target=collector, recover=True, resolve_entities=False, no_network=True, load_dtd=False,
        dtd_validation=False, huge_tree=False, remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        etree.fromstring(readable_xml(data), parser)
    except (etree.LxmlError, ValueError, _EnoughError):
        return  # beyond recovery from here on, or empty; what was taken stands


class _EnoughError(Exception):
    """The taker wants no more."""


class _Collector:
    """What the parser tells its events to: outside an item, in an item, or in one of its children."""

    def __init__(self, names: Collection[str], take: Callable[[Item], bool]) -> None:
        self._names = names
        self._take = take
        self._item: Item | None = None
        self._child: Child | None = None
        self._parts: list[str] = []
        self._depth = 0  # below the item

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        if name in self._names and self._depth <= 1:
            self._give()  # an item within an item: the end of the first was forgotten
            self._item = Item(name)
        elif self._item is not None:
            self._depth += 1
            if self._depth == 1:
                # Where entities are not expanded, libxml2 leaves this one as a reference.
                values = {key: value.replace("&#38;", "&") for key, value in attributes.items()}
                self._child = Child(name.lower(), values)
                self._parts.clear()
            else:
                self._child = None  # with markup in it, it is no plain value

    def data(self, text: str) -> None:
        if self._child is not None:
            self._parts.append(text)

    def end(self, tag: str) -> None:
        if self._item is None:
            return
        if self._depth == 0:
            self._give()
            return
        self._depth -= 1
        if self._depth == 0 and self._child is not None:
            text = "".join(self._parts)
            if ENTITY_MARK not in text and len(text) <= TEXT_CHARS_MAX:
                self._child.text = text.strip()
                self._item.children.append(self._child)
            self._child = None

    def close(self) -> None:
        """Nothing is made of an item that has no end."""

    def _give(self) -> None:
        item, self._item = self._item, None
        self._child, self._depth = None, 0
        if item is not None and not self._take(item):
            raise _EnoughError
