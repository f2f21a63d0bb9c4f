"""Where on a page do its title, its authors and its day stand?

What the pass over the elements came upon (headings, `<time>`, structured data) is at hand; the rest of the
tree is searched only when somebody asks, for most pages have said it by then. What is found are strings,
bounded in number and length; what they mean is decided in `page_metadata.py`.
"""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from tiptoe.parse import element_signs
from tiptoe.parse.abstract import Abstract
from tiptoe.parse.jsonld import SCRIPT_CHARS_MAX, StructuredData
from tiptoe.parse.links import Attributes
from tiptoe.parse.tree_search import TreeSearch
from tiptoe.text.paragraphs import MARK, clean

__all__ = ["PageEvidence", "find_structured"]

EACH_MAX: Final = 20
"""Of one kind."""

FOUND_MAX: Final = 200
"""Elements that are looked at for one question."""

CHARS_MAX: Final = 500
"""Of one; an element with more than twice as much is not called after what it says."""

READ_CHARS_MAX: Final = 300_000
"""Of all that is read: elements may be nested, and each has the text of those in it."""

MICRODATA: Final = frozenset({
    "author", "datepublished", "datecreated", "datemodified", "dateupdated", "keywords", "articlesection",
    "license", "description",
})  # fmt: skip
DAYS: Final = frozenset({"datepublished", "datecreated", "datemodified", "dateupdated"})
REPLIES: Final = frozenset({"comment", "suggestedanswer", "acceptedanswer", "answer", "review"})
"""Parts of a page that were written by others, later."""
DEPTH_MAX: Final = 40
_CONTROLS: Final = frozenset({
    "body", "button", "form", "html", "input", "label", "link", "meta", "option", "script", "select", "style",
    "textarea",
})  # fmt: skip
"""Elements that are called after what somebody is to fill in, or that show nothing."""


def find_structured(scripts: Iterable[LexborNode]) -> StructuredData:
    """Return what those scripts hold that are none, but structured data."""
    found = (node for node in scripts if Abstract.is_structured(node.attributes))
    return StructuredData(node.text()[: SCRIPT_CHARS_MAX + 1] for node in found)


class PageEvidence:
    """What a tree says of its page; to be asked before anything is taken out of it."""

    def __init__(
        self,
        search: TreeSearch,
        *,
        headings: Iterable[LexborNode] = (),
        times: Iterable[LexborNode] = (),
        scripts: Iterable[LexborNode] = (),
        marks: re.Pattern[str] | None = None,
        structured: StructuredData | None = None,
    ) -> None:
        self._tree = search
        self._marks = marks
        self._headings, self._times, self._scripts = headings, times, scripts
        self._structured = structured  # if somebody has read it already
        self._bylines: list[str] | None = None
        self._chars_left = READ_CHARS_MAX

    def structured(self) -> StructuredData:
        """Return the structured data."""
        return find_structured(self._scripts) if self._structured is None else self._structured

    def headings(self) -> list[str]:
        """Return the main headings."""
        return _few(clean(self._raw(node)[:CHARS_MAX]) for node in self._headings)

    def times(self) -> list[tuple[str, str]]:
        """Return days and moments, as machines and as people read them."""
        return [
            ((node.attributes.get("datetime") or "")[:CHARS_MAX], self._text(node))
            for node in islice(self._times, EACH_MAX)
        ]

    def microdata(self) -> dict[str, list[str]]:
        """Return values of properties that a page marks, by their names in lower case."""
        found: dict[str, list[str]] = {}
        for node in self._search(element_signs.MICRODATA):
            attributes = node.attributes
            for name in (attributes.get("itemprop") or "")[:CHARS_MAX].lower().split():
                values = found.setdefault(name, []) if name in MICRODATA else None
                if values is not None and len(values) < EACH_MAX and not _is_of_reply(name, values, node):
                    values += filter(None, [self._marked(node, name, attributes)])
        return found

    def bylines(self) -> list[str]:
        """Return texts of elements that are called after authors, those that link to them first."""
        if self._bylines is None:
            self._bylines = self._find_bylines()
        return self._bylines

    def _find_bylines(self) -> list[str]:
        links: list[LexborNode] = []
        others: list[LexborNode] = []
        for node in self._search(element_signs.BYLINES):
            if node.tag not in _CONTROLS:
                attributes = node.attributes
                rels = (attributes.get("rel") or "").lower().split()
                is_link = "author" in rels or "/author/" in (attributes.get("href") or "")
                (links if is_link else others).append(node)
        return [*_few(map(self._text, links), 3), *_few(map(self._text, others), 8)]

    def dated(self) -> list[str]:
        """Return texts of elements that are called after dates."""
        nodes = self._search(element_signs.DATED)
        return _few(map(self._dated, (node for node in nodes if node.tag not in _CONTROLS)))

    # -- the tree --------------------------------------------------------

    def _search(self, signs: element_signs.Signs) -> list[LexborNode]:
        return self._tree.find(signs)[:FOUND_MAX]

    def _marked(self, node: LexborNode, name: str, attributes: Attributes) -> str:
        said = attributes.get("content") or attributes.get("datetime")
        if not said and "itemscope" in attributes:
            inner = node.css_first('[itemprop~="name"]')
            said = (inner.attributes.get("content") or self._text(inner)) if inner is not None else None
        if not said and name == "license":
            said = attributes.get("href")
        return clean((said or self._text(node))[:CHARS_MAX])

    def _dated(self, node: LexborNode) -> str:
        """Return the day in an element; blogs hide the whole of an abbreviated one in its title (hAtom)."""
        title = node.attributes.get("title") if node.tag == "abbr" else None
        return clean(title[:CHARS_MAX]) if title else self._text(node)

    def _raw(self, node: LexborNode) -> str:
        if self._chars_left <= 0:
            return ""
        text = node.text_lexbor() or ""
        self._chars_left -= len(text)
        return self._unmarked(text)

    def _unmarked(self, text: str) -> str:
        return text if self._marks is None or MARK not in text else self._marks.sub(" ", text)

    def _text(self, node: LexborNode) -> str:
        """Return the text of an element, if it is short enough for a name or a day."""
        if not 0 < len(self._raw(node)) <= 2 * CHARS_MAX:
            return ""
        # What stands side by side may have no blank between, only room.
        return clean(self._unmarked(node.text(separator=" "))[:CHARS_MAX])


def _few(texts: Iterable[str], count: int = EACH_MAX) -> list[str]:
    return list(islice(filter(None, texts), count))


def _is_of_reply(name: str, values: list[str], node: LexborNode) -> bool:
    """Tell whether a day would be the first of its kind, and is that of a comment or an answer."""
    if values or name not in DAYS:
        return False
    parent = node.parent
    for _ in range(DEPTH_MAX):
        if parent is None:
            return False
        said = parent.attributes.get("itemprop") or ""
        if said and not REPLIES.isdisjoint(said[:CHARS_MAX].lower().split()):
            return True
        parent = parent.parent
    return False
