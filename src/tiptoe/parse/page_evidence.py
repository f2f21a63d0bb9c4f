"""Where on a page are its title, its authors and its date?

The pass over the elements has already found headings, `<time>` and structured data; the rest of the tree is
searched only on request, since these are enough for most pages. The results are strings, bounded in number
and length; what they mean is decided in `page_metadata.py`.
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
"""Maximum number of strings of one kind."""

FOUND_MAX: Final = 200
"""Maximum number of elements examined for one question."""

CHARS_MAX: Final = 500
"""Maximum length of one string. An element with more than twice as much text is ignored: it only happens to
have such a name."""

READ_CHARS_MAX: Final = 300_000
"""Maximum length of all text read: elements may be nested, and each has the text of those within it."""

MICRODATA: Final = frozenset({
    "author", "datepublished", "datecreated", "datemodified", "dateupdated", "keywords", "articlesection",
    "license", "description",
})  # fmt: skip
DAYS: Final = frozenset({"datepublished", "datecreated", "datemodified", "dateupdated"})
REPLIES: Final = frozenset({"comment", "suggestedanswer", "acceptedanswer", "answer", "review"})
"""Parts of a page that were written by other people, later."""
DEPTH_MAX: Final = 40
_CONTROLS: Final = frozenset({
    "body", "button", "form", "html", "input", "label", "link", "meta", "option", "script", "select", "style",
    "textarea",
})  # fmt: skip
"""Elements named after what a reader fills in, or that show nothing."""


def find_structured(scripts: Iterable[LexborNode]) -> StructuredData:
    """Return the structured data in those scripts that contain such."""
    found = (node for node in scripts if Abstract.is_structured(node.attributes))
    return StructuredData(node.text()[: SCRIPT_CHARS_MAX + 1] for node in found)


class PageEvidence:
    """What a tree says about its page; must be used before anything is removed from the tree."""

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
        self._structured = structured  # if it has already been read
        self._bylines: list[str] | None = None
        self._chars_left = READ_CHARS_MAX

    def structured(self) -> StructuredData:
        """Return the structured data."""
        return find_structured(self._scripts) if self._structured is None else self._structured

    def headings(self) -> list[str]:
        """Return the main headings."""
        return _few(clean(self._raw(node)[:CHARS_MAX]) for node in self._headings)

    def times(self) -> list[tuple[str, str]]:
        """Return dates and times, each as written for machines and for people."""
        return [
            ((node.attributes.get("datetime") or "")[:CHARS_MAX], self._text(node))
            for node in islice(self._times, EACH_MAX)
        ]

    def microdata(self) -> dict[str, list[str]]:
        """Return the values of microdata properties, by their names in lower case."""
        found: dict[str, list[str]] = {}
        for node in self._search(element_signs.MICRODATA):
            attributes = node.attributes
            for name in (attributes.get("itemprop") or "")[:CHARS_MAX].lower().split():
                values = found.setdefault(name, []) if name in MICRODATA else None
                if values is not None and len(values) < EACH_MAX and not _is_of_reply(name, values, node):
                    values += filter(None, [self._marked(node, name, attributes)])
        return found

    def bylines(self) -> list[str]:
        """Return texts of elements named after authors; those that link to authors come first."""
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
        """Return texts of elements named after dates."""
        nodes = self._search(element_signs.DATED)
        return _few(map(self._dated, (node for node in nodes if node.tag not in _CONTROLS)))

    # -- the tree --------------------------------------------------------

    def _search(self, signs: element_signs.Signs) -> list[LexborNode]:
        return self._tree.find(signs)[:FOUND_MAX]

    def _marked(self, node: LexborNode, name: str, attributes: Attributes) -> str:
        value = attributes.get("content") or attributes.get("datetime")
        if not value and "itemscope" in attributes:
            inner = node.css_first('[itemprop~="name"]')
            value = (inner.attributes.get("content") or self._text(inner)) if inner is not None else None
        if not value and name == "license":
            value = attributes.get("href")
        return clean((value or self._text(node))[:CHARS_MAX])

    def _dated(self, node: LexborNode) -> str:
        """Return the date in an element; of an abbreviated one, the title has the full form (hAtom)."""
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
        # Texts side by side may be separated only by layout, without a space.
        return clean(self._unmarked(node.text(separator=" "))[:CHARS_MAX])


def _few(texts: Iterable[str], count: int = EACH_MAX) -> list[str]:
    return list(islice(filter(None, texts), count))


def _is_of_reply(name: str, values: list[str], node: LexborNode) -> bool:
    """Tell whether this is the date of a comment or an answer, and none of its kind was found before."""
    if values or name not in DAYS:
        return False
    parent = node.parent
    for _ in range(DEPTH_MAX):
        if parent is None:
            return False
        value = parent.attributes.get("itemprop") or ""
        if value and not REPLIES.isdisjoint(value[:CHARS_MAX].lower().split()):
            return True
        parent = parent.parent
    return False
