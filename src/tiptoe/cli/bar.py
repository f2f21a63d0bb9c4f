"""How far has a long-running command got?"""

from collections.abc import Iterator
from contextlib import contextmanager

from rich import progress
from rich.console import Console

__all__ = ["Bar", "Bytes", "Count", "Share", "bar"]

Bytes, Count, Share = progress.DownloadColumn, progress.MofNCompleteColumn, progress.TaskProgressColumn
"""What a bar can show next to itself."""


class Bar:
    """A progress bar."""

    def __init__(self, shown: progress.Progress, task: progress.TaskID) -> None:
        self._shown = shown
        self._task = task

    def expect(self, total: float) -> None:
        """Set how much there is to do; 0: unknown."""
        self._shown.update(self._task, total=total or None)

    def advance(self, amount: float = 1) -> None:
        """Record that more has been done."""
        self._shown.advance(self._task, amount)


@contextmanager
def bar(
    what: str,
    amount: type[progress.ProgressColumn] | None = None,
    *,
    total: float = 0,
    is_hidden: bool = False,
) -> Iterator[Bar]:
    """Show a bar while the `with` lasts; nothing when it is hidden or the output is not a terminal."""
    columns = [progress.TextColumn(what), progress.BarColumn(), *([amount()] if amount else [])]
    columns.append(progress.TimeRemainingColumn())
    console = Console(stderr=True)
    is_hidden |= not console.is_terminal
    with progress.Progress(*columns, console=console, transient=True, disable=is_hidden) as shown:
        yield Bar(shown, shown.add_task(what, total=total or None))
