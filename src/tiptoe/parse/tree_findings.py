"""What does the pass over the elements of a page find, besides its text?

Links and metadata with their attributes, titles, and elements that are not text and must leave the tree.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from selectolax.lexbor import LexborNode

from tiptoe.parse.adjacency import KNOWN_TAG_ID_MAX, tag_number
from tiptoe.parse.links import Element
from tiptoe.parse.metadata import read_title
from tiptoe.parse.tokens import raw_links
from tiptoe.parse.tree_search import TreeSearch

if TYPE_CHECKING:
    from tiptoe.parse.compiled_elements import ElementMarker

__all__ = ["HEADING_TAG_ID", "READ", "SCRIPT_TAG_ID", "TreeFindings", "by_tag_id", "text_shown"]

TITLES_MAX: Final = 20
ANCESTORS_MAX: Final = 50

Entry = TypeVar("Entry")


def by_tag_id(table: Mapping[str, Entry]) -> dict[int, Entry]:
    """Return a table of elements by the parser's numbers, which are looked up twice as fast as names."""
    numbered = {tag_number(tag): entry for tag, entry in table.items()}
    return {tag_id: entry for tag_id, entry in numbered.items() if tag_id <= KNOWN_TAG_ID_MAX}


READ: Final = by_tag_id(
    {
        "area": "a",
        "link": "link",
        "meta": "meta",
        "base": "base",
        "frame": "frame",
        "iframe": "frame",
        "html": "html",
        "title": "title",
        "noframes": "noframes",
        "template": "template",
        "time": "time",
    }
)
"""Elements that are read besides links; for most, their attributes are enough."""


HEADING_TAG_ID: Final = tag_number("h1")
SCRIPT_TAG_ID: Final = tag_number("script")


@dataclass(slots=True)
class TreeFindings:
    """What the pass has found so far, in the order of the page."""

    elements: list[Element] = field(default_factory=list)  # with attributes, for links and metadata
    titles: list[LexborNode] = field(default_factory=list)
    headings: list[LexborNode] = field(default_factory=list)  # of the first level
    times: list[LexborNode] = field(default_factory=list)
    left_out: list[LexborNode] = field(default_factory=list)  # only those to be read, if the pass is compiled
    has_shadow_root: bool = False

    def read(self, node: LexborNode, tag_id: int) -> None:
        """Note an element of READ."""
        name = READ[tag_id]
        if name == "time":
            self.times.append(node)
        else:
            self.elements.append((name, node.attributes))

    @property
    def scripts(self) -> Iterator[LexborNode]:
        """The scripts of the page, some of which are structured data."""
        return (node for node in self.left_out if node.tag_id == SCRIPT_TAG_ID)

    def leave_out(self, node: LexborNode, tag_id: int) -> None:
        """Note an element that is not text, and what is still read from it."""
        self.left_out.append(node)
        if tag_id not in READ:
            return
        match node.tag:
            case "title":
                self.titles.append(node)
            case "template":
                self.has_shadow_root |= "shadowrootmode" in node.attributes
            case "noframes":
                self.elements += raw_links(node.text())
            case _:
                self.elements.append(("frame", node.attributes))

    def title(self) -> str | None:
        """Return the first title that is not part of a drawing; call it before titles leave the tree."""
        for node in self.titles[:TITLES_MAX]:
            if not _is_drawn(node):
                return read_title(node.text())
        return None


def text_shown(
    search: TreeSearch, findings: TreeFindings, hidden: Iterable[LexborNode], marker: "ElementMarker | None"
) -> str:
    """Return the text of the body, with marks in it; what is not shown leaves the tree.

    `marker` is what has put the marks, unless that was a pass in Python.
    """
    if search.body is None:
        return ""
    if marker is not None and search.compiled is not None:
        search.compiled.remove_left_out(marker.left_out)
    else:
        _take_out(findings.left_out)
    _take_out(hidden)
    # The DOM's own text content: half the cost of text(), which visits every node separately.
    return search.body.text_lexbor() or ""


def _take_out(nodes: Iterable[LexborNode]) -> None:
    for node in nodes:
        node.decompose(recursive=False)


def _is_drawn(node: LexborNode) -> bool:
    above = node.parent
    for _ in range(ANCESTORS_MAX):
        if above is None or above.tag in ("head", "body"):
            return False
        if above.tag == "svg":
            return True
        above = above.parent
    return True
