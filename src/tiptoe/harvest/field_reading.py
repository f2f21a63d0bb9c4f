"""Which fields does a page have according to the operator's rules?"""

from selectolax.lexbor import LexborHTMLParser

from tiptoe.fields.field_value import FieldValue
from tiptoe.fields.page_tree import PageTree
from tiptoe.fields.rule_book import RuleBook
from tiptoe.parse.jsonld import StructuredData

__all__ = ["FieldReading"]


class FieldReading:
    """Applies the rules to one page and keeps the values."""

    def __init__(self, book: RuleBook | None, url: str) -> None:
        self._book = book
        self._url = url
        # A page that cannot be read has all fields, all of them empty.
        self.values: dict[str, FieldValue] | None = dict.fromkeys(book.names) if book is not None else None
        self.costly_rules: list[str] = []

    def read(self, tree: LexborHTMLParser, structured: StructuredData) -> None:
        """Read the fields from a tree; if the page is parsed again, the last tree counts."""
        if self._book is not None:
            found = self._book.read(PageTree(tree, structured, url=self._url))
            self.values, self.costly_rules = found.values, found.cut_off
