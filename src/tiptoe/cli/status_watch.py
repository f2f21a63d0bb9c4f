"""`tiptoe status --watch`: how is a crawl doing, now and over time?

Figures and plots, redrawn at intervals until the crawl ends or Ctrl-C is pressed. On a terminal they stay in
place and follow its size; elsewhere they are printed one after the other, in ASCII.
"""

import time
from collections.abc import Callable
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from tiptoe.cli.display import figure_rows, figure_table
from tiptoe.cli.terminal_plots import LABEL_COLUMNS, plot_lines
from tiptoe.observe.activity import Activity
from tiptoe.observe.activity_files import ActivityFiles
from tiptoe.protocol.status import Status

__all__ = ["plots_of", "watch_status"]

Look = Callable[[], Status | None]
"""Returns the status of a crawl; None when it has ended."""

SIDE_BY_SIDE_COLUMNS: Final = 76
GAP: Final = "   "
COLUMNS_MIN: Final = 20
COLUMNS_MAX: Final = 120
FIGURE_LINES: Final = 9
"""Approximate height of the figures above the plots."""

AROUND_LINES: Final = 3
"""Lines of a plot other than its bars: title, axis, time."""

ROWS_MAX: Final = 6
STYLES: Final = ("green", "cyan", "blue", "red")


def watch_status(
    look: Look, files: ActivityFiles, console: Console, *, every: float,
    sleep: Callable[[float], object] = time.sleep,
) -> None:  # fmt: skip
    """Show figures and plots of a running crawl until it ends."""
    activity = Activity()
    is_plain = not console.is_terminal or console.is_dumb_terminal
    earlier: Status | None = None
    with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:
        while (status := look()) is not None:
            files.follow(activity, status.encoding)
            frame = _frame(status, _rate(status, earlier), activity, console, is_plain=is_plain)
            earlier = status
            if is_plain:
                console.print(frame, "")
            else:
                live.update(frame, refresh=True)
            sleep(every)
    console.print("The crawl has ended.")


def _rate(status: Status, earlier: Status | None) -> float:
    """Return the requests per second since the last status; 0 at first."""
    if earlier is None or status.now <= earlier.now:
        return 0.0
    return (status.requests - earlier.requests) / (status.now - earlier.now)


def _frame(
    status: Status, rate: float, activity: Activity, console: Console, *, is_plain: bool
) -> RenderableType:
    is_ascii = is_plain or not console.encoding.lower().startswith("utf")
    room = console.height - FIGURE_LINES
    lines = plots_of(activity, status.now, width=console.width, height=room, is_ascii=is_ascii)
    return Group(figure_table(figure_rows(status, rate)), "", *lines)


def plots_of(
    activity: Activity, now: float, *, width: int, height: int, is_ascii: bool = False
) -> list[Text]:
    """Return all plots as lines, side by side where two fit, as high as there is room."""
    beside = 2 if width >= SIDE_BY_SIDE_COLUMNS else 1
    columns = (width - len(GAP) * (beside - 1)) // beside - LABEL_COLUMNS
    columns = min(max(columns, COLUMNS_MIN), COLUMNS_MAX)
    rows = min(max(height * beside // len(STYLES) - AROUND_LINES, 1), ROWS_MAX)
    seconds = activity.step(now, columns)
    drawn = [
        _drawn(plot_lines(plot.name, plot.values, seconds=seconds, rows=rows, is_ascii=is_ascii), style)
        for plot, style in zip(activity.plots(now, columns, seconds), STYLES, strict=True)
    ]
    if beside == 1:
        return [line for plot in drawn for line in plot]
    return [
        Text.assemble(left, " " * (LABEL_COLUMNS + columns - len(left)) + GAP, right)
        for lefts, rights in zip(drawn[::2], drawn[1::2], strict=True)
        for left, right in zip(lefts, rights, strict=True)
    ]


def _drawn(lines: list[str], style: str) -> list[Text]:
    """Return a plot with its bars in colour."""
    last = len(lines) - AROUND_LINES
    styles = ["bold", *[style] * last, "dim", "dim"]
    return [Text(line, style=style, no_wrap=True) for line, style in zip(lines, styles, strict=True)]
