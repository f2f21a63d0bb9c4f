"""Which headings does a page have?"""

from itertools import islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from tiptoe.parse.tree_search import find_all
from tiptoe.text.paragraphs import clean

__all__ = ["read_headings"]

HEADINGS_MAX: Final = 500
HEADING_CHARS_MAX: Final = 500


def read_headings(tree: LexborHTMLParser) -> list[tuple[int, str]]:
    """Return the headings of a tree in document order, each with its level."""
    found = []
    for node in islice(find_all("h1, h2, h3, h4, h5, h6", tree.root), HEADINGS_MAX):
        words = clean((node.text_lexbor() or "")[: 4 * HEADING_CHARS_MAX])[:HEADING_CHARS_MAX]
        if words and node.tag is not None:
            found.append((int(node.tag[1]), words))
    return found
