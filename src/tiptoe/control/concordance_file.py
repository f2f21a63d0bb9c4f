"""How are lines of a concordance saved for other programs?

As tab-separated values: what spreadsheets, R and Python read without settings. The texts come from the web: a
cell must not begin like a formula, which a spreadsheet would compute.
"""

from collections.abc import Iterable
from typing import Final

from tiptoe.catalog.search import ConcordanceLine

__all__ = ["concordance_file"]

HEADINGS: Final = ("left", "match", "right", "url", "title")
FORMULA_SIGNS: Final = ("=", "+", "-", "@")


def concordance_file(lines: Iterable[ConcordanceLine]) -> bytes:
    """Return lines as a file, with headings."""
    rows = [HEADINGS, *((line.left, line.match, line.right, line.url, line.title) for line in lines)]
    text = "".join("\t".join(map(_cell, row)) + "\n" for row in rows)
    return text.encode("utf-8", "replace")


def _cell(text: str) -> str:
    """Return a text on one line without tabs; an apostrophe makes a spreadsheet take it for a text."""
    cell = " ".join(text.split())
    return f"'{cell}" if cell.startswith(FORMULA_SIGNS) else cell
