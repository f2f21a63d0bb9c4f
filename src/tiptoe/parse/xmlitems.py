"""Which items does a sitemap or a feed list?

An item is an element such as `url` or `entry`, with its own text and the names, attributes and texts of its
direct children. Read tag by tag, without a tree: memory does not grow with the file, whatever items contain.

Where tags do not match, the end of an item ends everything open in it, the start of a second item ends the
first, and an end tag without a start tag is ignored.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from tiptoe.parse.xmltags import HOLE, Tag, attribute, read_tags

__all__ = ["Child", "XmlItem", "read_items"]

TEXT_CHARS_MAX = 4096
"""Maximum length of a URL or a date."""

CHILDREN_MAX = 200_000
"""Maximum number of children of an item: one whose end tags are missing may hold a whole sitemap."""

OWN_CHARS_MAX = 1 << 20
"""Maximum length of an item's own text."""

DEPTH_MAX = 32
"""Maximum depth below an item; deeper elements are not told apart."""

ADDRESS = "loc"
SIBLINGS = frozenset({ADDRESS, "lastmod", "changefreq", "priority"})
"""If one of these starts within a URL, the end tag of the URL is missing."""


@dataclass(slots=True)
class Child:
    """One direct child of an item."""

    name: str  # without its prefix, lower case
    prefix: str
    attributes: str  # as written
    text: str = ""

    def attribute(self, name: str) -> str:
        """Return the value of an attribute; empty when there is none, or it contains a hole."""
        value = attribute(self.attributes, name)
        return "" if HOLE in value else value


@dataclass(slots=True)
class XmlItem:
    """One element of the list."""

    name: str  # as of a child
    prefix: str
    attributes: str
    text: str = ""
    children: list[Child] = field(default_factory=list)


def read_items(
    text: str, names: Collection[str], take: Callable[[XmlItem], bool], *, chars_max: int = TEXT_CHARS_MAX
) -> None:
    """Pass each item, with its complete parts, to `take` until that returns False.

    Children with a longer text than `chars_max` are left out.
    """
    reader = _Reader(names, chars_max)
    read, ended = reader.read, reader.ended
    for tag in read_tags(text):
        read(tag)
        if ended:
            if not all(map(take, ended)):
                return
            ended.clear()
    reader.end_item()
    all(map(take, ended))


class _Pieces:
    """A text that arrives in pieces; one that is too long ends with a hole."""

    def __init__(self, chars_max: int) -> None:
        self._chars_max = chars_max
        self._pieces: list[str] = []
        self._chars = 0

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def add(self, piece: str) -> None:
        if self._chars <= self._chars_max:
            self._chars += len(piece)
            self._pieces.append(piece)
        elif self._pieces[-1] != HOLE:
            self._pieces.append(HOLE)

    def joined(self) -> str:
        return "".join(self._pieces).strip()

    def clear(self) -> None:
        self._pieces.clear()
        self._chars = 0


class _Reader:
    """Reads items from tags; at any time it is outside an item, in an item, or in one of its children."""

    def __init__(self, names: Collection[str], chars_max: int) -> None:
        self._names = names
        self._chars_max = chars_max
        self.ended: list[XmlItem] = []
        self._item: XmlItem | None = None
        self._child: Child | None = None
        self._open: list[str] = []  # elements in the item, from the child inwards
        self._parts = _Pieces(chars_max)  # of the child's text
        self._own = _Pieces(OWN_CHARS_MAX)  # of the item's text

    def read(self, tag: Tag) -> None:
        """Take the next tag."""
        before, slash, written, attributes, content = tag
        name = written.lower()
        prefix = ""
        if ":" in name:
            prefix, _, name = name.rpartition(":")
        if content is None or slash or self._open or name in self._names:
            self._read_tag(before, slash, name, prefix, attributes)
            if content is not None and not slash:
                self._read_tag(content, "/", name, prefix, "")
        elif self._item is not None:  # most children have only text
            if before and not before.isspace():
                self._own.add(before)
            self._take(self._item, Child(name, prefix, attributes, content.strip()))

    def end_item(self) -> None:
        """End the open item, dropping the child that is still open in it."""
        if self._item is not None:
            self._item.text = self._own.joined()
            self.ended.append(self._item)
        self._item = self._child = None
        self._open.clear()

    def _read_tag(self, before: str, slash: str, name: str, prefix: str, attributes: str) -> None:
        if self._item is None:
            if name in self._names and not slash:
                self._begin_item(name, prefix, attributes)
            return
        if before and not before.isspace():
            (self._parts if self._open else self._own).add(before)
        if not name:
            self._end_child()
        elif slash:
            self._end(name)
        else:
            self._begin(name, prefix, attributes)

    def _begin_item(self, name: str, prefix: str, attributes: str) -> None:
        self._item = XmlItem(name, prefix, attributes)
        self._own.clear()
        if attributes.endswith("/"):
            self.end_item()

    def _begin(self, name: str, prefix: str, attributes: str) -> None:
        is_in_address = self._child is not None and self._child.name == ADDRESS
        if is_in_address and self._parts:
            if name in SIBLINGS or name in self._names:
                self._end_child()
                is_in_address = False
            else:
                self._parts.add(HOLE)
        if name in self._names and len(self._open) <= 1 and not is_in_address:
            self.end_item()
            self._begin_item(name, prefix, attributes)
            return
        is_child = not self._open
        if is_child:
            self._child = Child(name, prefix, attributes)
            self._parts.clear()
        if not attributes.endswith("/"):
            if len(self._open) < DEPTH_MAX:
                self._open.append(name)
        elif is_child:
            self._end_child()

    def _end(self, name: str) -> None:
        if name in self._open:
            while self._open.pop() != name:
                pass
            if not self._open:
                self._end_child()
        elif self._item is not None and name == self._item.name:
            self._end_child()
            self.end_item()

    def _end_child(self) -> None:
        child, self._child = self._child, None
        self._open.clear()
        if child is not None and self._item is not None:
            child.text = self._parts.joined()
            self._take(self._item, child)

    def _take(self, item: XmlItem, child: Child) -> None:
        is_whole = HOLE not in child.text and len(child.text) <= self._chars_max
        if is_whole and len(item.children) < CHILDREN_MAX:
            item.children.append(child)
