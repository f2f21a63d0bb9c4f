"""What is one subject of a report?

Made once, it is printed on a terminal, drawn on a page, or both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tiptoe.observe.amounts import Cell

__all__ = ["ReportSection"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    """One subject: a table, and how it is drawn on a page."""

    heading: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    drawing: str = ""  # HTML
    caption: str = ""  # about the drawing
    is_table_drawn: bool = False  # the table says more than the drawing, so the page has both
