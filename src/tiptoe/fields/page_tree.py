"""What do rules see of a page?

The tree made by the parser, what was already read from it, and the work that may still be spent on it.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tiptoe.fields.work_budget import WorkBudget
from tiptoe.parse.jsonld import StructuredData

__all__ = ["PageTree"]

META_MAX: Final = 1_000


class PageTree:
    """A page, as rules see it."""

    def __init__(
        self,
        tree: LexborHTMLParser,
        structured: StructuredData | None = None,
        *,
        url: str = "",
        budget: WorkBudget | None = None,
    ) -> None:
        self.tree = tree
        self.structured = structured or StructuredData()
        self.url = url
        self.budget = budget or WorkBudget()

    @cached_property
    def elements(self) -> int:
        """Number of elements."""
        return len(self.tree.css("*"))

    @cached_property
    def base(self) -> str:
        """The base URL of the page's relative URLs, as written in the page."""
        found = self.tree.css_first("base[href]")
        return (found.attributes.get("href") or "") if found is not None else ""

    @cached_property
    def meta(self) -> dict[str, list[str]]:
        """Contents of META tags, by name in lower case."""
        found: dict[str, list[str]] = {}
        for node in self.tree.css("meta[content]")[:META_MAX]:
            attributes = node.attributes
            name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop")
            if name and (content := attributes.get("content")):
                found.setdefault(name.strip().lower(), []).append(content)
        return found

    def in_order(self, nodes: Sequence[LexborNode]) -> list[LexborNode]:
        """Return nodes in the order of the page."""
        if len(nodes) < 2:
            return list(nodes)
        places = self._places
        return sorted(nodes, key=lambda node: places.get(node.mem_id, 0))

    @cached_property
    def _places(self) -> dict[int, int]:
        root = self.tree.root
        if root is None:
            return {}
        places = {node.mem_id: place for place, node in enumerate(root.traverse(include_text=True))}
        self.budget.spend(len(places))
        return places
