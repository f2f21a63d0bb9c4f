"""What does a report say about one subject?

The same section can be printed on a terminal and drawn on a page.
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
    is_table_drawn: bool = False  # show the table on the page too, as it says more than the drawing
