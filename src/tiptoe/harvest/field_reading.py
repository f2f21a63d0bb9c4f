"""Which fields has a page by the operator's rules?"""

from selectolax.lexbor import LexborHTMLParser

from tiptoe.fields.field_value import FieldValue
from tiptoe.fields.page_tree import PageTree
from tiptoe.fields.rule_book import RuleBook
from tiptoe.parse.jsonld import StructuredData

__all__ = ["FieldReading"]


class FieldReading:
    """The rules, on their way through one page."""

    def __init__(self, book: RuleBook | None, url: str) -> None:
        self._book = book
        self._url = url
        # A page that cannot be looked at has all fields, and none of them filled.
        self.values: dict[str, FieldValue] | None = dict.fromkeys(book.names) if book is not None else None
        self.costly_rules: list[str] = []

    def read(self, tree: LexborHTMLParser, structured: StructuredData) -> None:
        """Look at a tree; one that is parsed anew counts in place of the one before."""
        if self._book is not None:
            found = self._book.read(PageTree(tree, structured, url=self._url))
            self.values, self.costly_rules = found.values, found.cut_off
