"""Which elements of a tree have attributes worth a look?"""

from typing import Final

from selectolax.lexbor import LexborCSSSelector, LexborHTMLParser, LexborNode

from tiptoe.parse.element_signs import ALL_SIGNS, Signs

try:
    from tiptoe.parse.compiled_elements import Tree, find_signed
except ImportError:  # see setup.py
    IS_COMPILED = False
else:
    IS_COMPILED = True

__all__ = ["IS_COMPILED", "TreeSearch", "find_all"]

_SELECTOR: Final = LexborCSSSelector()  # type: ignore[no-untyped-call]
"""Shared, because each tree would otherwise make its own, which costs as much as several searches."""

_ROWS: Final = tuple(
    (*row, question, signs.in_body) for question, signs in enumerate(ALL_SIGNS) for row in signs.rows
)


class TreeSearch:
    """Searches in one tree; must be created before anything is added to the tree or removed.

    Walking the tree costs more than checking one more sign, so the compiled search looks for all of them at
    once.
    """

    def __init__(self, tree: LexborHTMLParser) -> None:
        self.root, self.body = tree.root, tree.body
        self.compiled: Tree | None = None
        """The tree for compiled passes, if there are any."""
        if IS_COMPILED and self.root is not None:
            self.compiled = Tree(self.root, tree.create_node("i"))
        self._found: list[list[LexborNode]] | None = None

    def find(self, signs: Signs) -> list[LexborNode]:
        """Return the elements with one of these signs, in the order of the page."""
        if self.compiled is None:
            found = find_all(signs.selector, self.body if signs.in_body else self.root)
            return list({node.mem_id: node for node in found}.values())  # one with two signs is found twice
        if self._found is None:
            self._found = find_signed(self.compiled, _ROWS, len(ALL_SIGNS), self.body)
        return self._found[ALL_SIGNS.index(signs)]


def find_all(selector: str, node: LexborNode | None) -> list[LexborNode]:
    """Return what a CSS selector finds within a node, in the order of the page; nothing without a node."""
    return [] if node is None else _SELECTOR.find(selector, node)
