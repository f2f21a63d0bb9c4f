"""How is a concordance printed?

Each line has the words found in the middle and the URL at its end. Piped, or with a width that was asked for,
lines are as long as they need to be; on a terminal they get less context if that makes them fit.
"""

from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from tiptoe.catalog.search import Concordance, ConcordanceLine
from tiptoe.observe.amounts import counted, human_count
from tiptoe.observe.printable import printable

__all__ = ["DEFAULT_WIDTH", "print_concordance"]

DEFAULT_WIDTH: Final = 40
"""Characters of context on either side."""

WIDTH_MIN: Final = 8
URL_COLUMNS: Final = 24
"""How much of a URL is shown on a narrow terminal, at least."""

FOUND: Final = "bold yellow"


def print_concordance(console: Console, found: Concordance, width: int | None = None) -> None:
    """Print lines with this much context; without a width, with as much as fits."""
    middle = max((cell_len(printable(line.match, " ")) for line in found.lines), default=0)
    is_fitted = width is None and console.is_terminal
    width = DEFAULT_WIDTH if width is None else width
    if is_fitted:
        room = console.width - middle - URL_COLUMNS - 2
        width = max(min(room // 2, width), WIDTH_MIN)
    for line in found.lines:
        shown = _line(line, width, middle)
        if is_fitted:
            shown.truncate(console.width, overflow="ellipsis")
        console.print(shown, soft_wrap=True)
    console.print(f"\n{_amounts(found)}")


def _line(line: ConcordanceLine, width: int, middle: int) -> Text:
    left, match, right = (printable(part, " ") for part in (line.left, line.match, line.right))
    return Text.assemble(
        _last_cells(left, width), (match, FOUND), " " * (middle - cell_len(match)),
        set_cell_size(right, width), "  ", (printable(line.url), "dim"),
    )  # fmt: skip


def _last_cells(text: str, columns: int) -> str:
    """Return the end of a text, filled with blanks on the left."""
    kept = text
    while cell_len(kept) > columns:
        kept = kept[max(len(kept) - columns, 1) :]
    return " " * (columns - cell_len(kept)) + kept


def _amounts(found: Concordance) -> str:
    """Return which lines are shown, out of how many, and from how many of the pages found."""
    before = (found.page - 1) * found.limit
    last = before + len(found.lines)
    is_part = 0 < len(found.lines) < found.total
    shown = f"{human_count(before + 1)} to {human_count(last)} of " if is_part else ""
    pages = counted(found.documents_read, "page")
    if found.is_partial:
        read, all_of_them = human_count(found.documents_read), human_count(found.documents)
        pages = f"a sample of {read} of the {all_of_them} pages with this in their text"
    more = [f"--page {found.page + 1} shows more"] if is_part and last < found.total else []
    more += ["--all shows every line"] if found.is_partial else []
    return "; ".join([f"{shown}{counted(found.total, 'line')}, from {pages}", *more])
