"""What does the user see while a crawl runs?

A small live table on a terminal; elsewhere, a line now and then.
"""

import time
from collections.abc import Callable
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.overview import status_of
from tiptoe.keeper.phrases import copies_text, hindrance_text, logins_text, waiting_text
from tiptoe.observe.amounts import counted, human_bytes, human_count, human_seconds, human_share
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.stops import Stop
from tiptoe.protocol.status import Cause, Status

__all__ = ["LiveDisplay", "figure_rows", "figure_table"]

Rows = list[tuple[str, str]]  # name and value

LINE_SECONDS = 10.0
RATE_SECONDS = 5.0
REASONS_SHOWN = 3
"""Maximum number of reasons for waiting, to fit a small terminal; `tiptoe status` shows all."""


class LiveDisplay:
    """Shows the progress of a crawl until it is closed."""

    def __init__(
        self, console: Console, *, is_quiet: bool = False, beside: Callable[[], Rows] = list
    ) -> None:
        """`beside` returns further rows, for example to compare this machine with the others."""
        self._console = console
        self._beside = beside
        self._is_quiet = is_quiet
        self._live = (
            Live(console=console, refresh_per_second=4, transient=True) if console.is_terminal else None
        )
        self._samples: list[tuple[float, int]] = []
        self._line_at = 0.0
        self._repairs_told = 0

    def __enter__(self) -> "LiveDisplay":
        if self._live is not None and not self._is_quiet:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None and not self._is_quiet:
            self._live.stop()

    def show(self, keeper: Keeper) -> None:
        """Show the current figures."""
        if self._is_quiet:
            return
        self._print_notices(keeper)
        self.print_repairs(keeper)
        is_line_due = time.monotonic() - self._line_at >= LINE_SECONDS
        if self._live is None and not is_line_due:
            return  # before the figures of all shards are gathered
        status = status_of(keeper)
        rate = self._rate(status.requests)
        if self._live is not None:
            self._live.update(figure_table([*figure_rows(status, rate), *self._beside()]))
        else:
            self._line_at = time.monotonic()
            rest = "".join(f"; {name}: {one}" for name, one in self._beside())
            self._print(_line(status, rate) + rest, keeper)

    def _print_notices(self, keeper: Keeper) -> None:
        notices = keeper.figures.notices
        while notices and not self._is_quiet:
            self._print(notices.popleft(), keeper)

    def print_repairs(self, keeper: Keeper) -> None:
        """Print what was found damaged and repaired, once, as soon as it is known."""
        found = keeper.figures.repaired
        if self._repairs_told == 0 and found:
            self._print("Repaired after a crash:", keeper)
        for line in found[self._repairs_told :]:
            self._print(f"  {line}", keeper)
        self._repairs_told = len(found)

    def _print(self, line: str, keeper: Keeper) -> None:
        try:
            # In a file each event is one line; on a terminal words must not be broken.
            is_wide = not self._console.is_terminal
            self._console.print(line, highlight=False, markup=False, soft_wrap=is_wide)
        except BrokenPipeError:
            # The reader has gone, as with `| head`: other tools end then, and so does a crawl, but cleanly.
            self._is_quiet = True
            keeper.stop(Stop.UNREAD)

    def _rate(self, requests: int) -> float:
        now = time.monotonic()
        span = RATE_SECONDS if self._live is not None else 2 * LINE_SECONDS  # since the last line
        self._samples = [(at, n) for at, n in self._samples if now - at < span]
        self._samples.append((now, requests))
        first_at, first = self._samples[0]
        return (requests - first) / (now - first_at) if now > first_at else 0.0


def figure_table(rows: Rows) -> Table:
    """Return a table of figures, one row each."""
    table = Table.grid(padding=(0, 2))
    for left, right in rows:
        table.add_row(Text(left, style="dim"), Text(right))
    return table


def figure_rows(status: Status, rate: float) -> Rows:
    """Return the figures that matter while a crawl runs; `rate` is in requests per second."""
    n = human_count
    requests, chars = counted(status.requests, "request"), counted(status.text_chars, "character")
    rows = [
        ("pages", f"{n(status.pages)}   {requests}, {rate:,.0f} a second, {human_bytes(status.bytes)}"),
        ("text", f"{chars} in {counted(status.documents, 'document')}"),
        (
            "addresses",
            f"{n(status.queued)} waiting, {n(status.leased)} in progress, {n(status.due)} to retry; "
            f"{n(status.urls)} known",
        ),
        (
            "hosts",
            f"{n(status.hosts)} known, {n(status.parked_hosts)} waiting, {n(status.open_visits)} visited now",
        ),
        ("time", f"{human_seconds(status.seconds)}, harvesters at work: {n(status.harvesters)}"),
    ]
    if status.watched or status.revisits:
        rows.insert(3, ("again", _again(status)))
    if status.rounds:
        rows.append(("round", str(status.rounds + 1)))
    if hindered := hindrance_text(status):
        rows.append(("so far", hindered))
    if unjudged := _unjudged(status):
        rows.append(("segmenter", unjudged))
    if refused := logins_text(status.login_faults):
        rows.append(("logins", refused))
    if status.stopped_because:
        ending = in_plain_words(status.stopped_because)
        rows.append(("ENDING", f"{ending}; requests under way are finished"))
    elif waits := _waits(status):
        rows.append((_state(status), waits))
    return rows


def _unjudged(status: Status) -> str:
    """Return a note that the segmenter does not answer, or did not for a while; empty when it works."""
    texts = f"{counted(status.unjudged, 'text')} not judged" if status.unjudged else ""
    fault = f"does not answer ({status.segmenter})" if status.segmenter else ""
    return ", ".join(filter(None, [fault, texts]))


def _waits(status: Status) -> str:
    return waiting_text(status.waiting, status.now, reasons_max=REASONS_SHOWN)


def _again(status: Status) -> str:
    watched = counted(status.watched, "address", "addresses")
    parts = [
        f"{counted(status.revisits, 'visit')} to pages of the corpus, "
        f"{human_count(status.revisits_queued)} of {watched} due"
    ]
    if compared := status.revisits_changed + status.revisits_unchanged:
        parts.append(f"{human_share(status.revisits_changed, compared)} found a change")
    return "; ".join([*parts, *filter(None, [copies_text(status)])])


def _line(status: Status, rate: float) -> str:
    ending = f", ENDING ({in_plain_words(status.stopped_because)})" if status.stopped_because else ""
    waits = "" if ending else _waits(status)
    rest = {"so far": hindrance_text(status), "segmenter": _unjudged(status), _state(status): waits}
    again = f", {human_count(status.revisits)} visited again" if status.revisits else ""
    again += f", round {status.rounds + 1}" if status.rounds else ""
    return (
        f"{human_seconds(status.seconds)}: {counted(status.pages, 'page')}, "
        f"{counted(status.requests, 'request')} ({rate:.0f}/s), {human_count(status.queued)} waiting, "
        f"{counted(status.open_visits, 'visit')} under way{again}{ending}"
        + "".join(f"; {name}: {one}" for name, one in rest.items() if one)
    )


def _state(status: Status) -> str:
    """Return whether requests are on hold, or something keeps harvesters from writing."""
    if status.holds or status.troubles:
        return "PAUSED"
    return "IDLE" if any(reason.cause is Cause.IDLE for reason in status.waiting.reasons) else "waits"
