"""How do the sections of a report look on a terminal, and where is its page written?"""

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tiptoe.errors import SettingsError
from tiptoe.observe.amounts import cell_text
from tiptoe.observe.section import ReportSection

__all__ = ["print_sections", "write_page"]


def print_sections(console: Console, sections: Iterable[ReportSection]) -> None:
    """Print each section as a table under its heading."""
    for section in sections:
        console.print(f"\n[bold]{section.heading}[/bold]")
        if section.note:
            console.print(f"[dim]{escape(section.note)}[/dim]", soft_wrap=True)
        console.print(_table(section))


def write_page(path: Path, page: str) -> None:
    """Write a page to the path given with `--html`."""
    try:
        path.write_text(page, encoding="utf-8", errors="replace")
    except OSError as problem:
        raise SettingsError(f"--html {path}: cannot be written: {problem.strerror}") from None


def _table(section: ReportSection) -> Table:
    table = Table(box=None, show_header=len(section.head) > 2, header_style="dim", padding=(0, 2, 0, 0))
    for column, name in enumerate(section.head):
        is_text = any(isinstance(row[column], str) and row[column] != "-" for row in section.rows)
        table.add_column(name, justify="left" if is_text else "right", overflow="fold")
    for row in section.rows:
        table.add_row(*(escape(cell_text(cell)) for cell in row))
    return table
