"""What does somebody see while a crawl runs?

A small live table on a terminal, a line now and then where there is none.
"""

import time
from collections.abc import Mapping
from types import TracebackType

import msgspec
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tiptoe.cli.words import in_plain_words
from tiptoe.frontier.waiting import Waiting
from tiptoe.keeper.commands import status
from tiptoe.keeper.service import Keeper
from tiptoe.keeper.wording import waiting_said
from tiptoe.observe.amounts import counted, human_bytes, human_count, human_seconds, human_share
from tiptoe.observe.stops import Stop

__all__ = [
    "Display",
    "copies_said",
    "hindrance",
    "human_bytes",
    "human_count",
    "human_seconds",
    "waits_said",
]

LINE_SECONDS = 10.0
RATE_SECONDS = 5.0
REASONS_SHOWN = 3
"""Reasons for waiting that fit on a small terminal; `tiptoe status` has all."""

ON_THE_WAY = frozenset({"ok", "redirect", "robots_rules", "robots_moved"})
"""Outcomes with which all is well, though no page has come yet."""


class Display:
    """Shows the progress of a crawl until it is closed."""

    def __init__(self, console: Console, *, is_quiet: bool = False) -> None:
        self._console = console
        self._is_quiet = is_quiet
        self._live = (
            Live(console=console, refresh_per_second=4, transient=True) if console.is_terminal else None
        )
        self._samples: list[tuple[float, int]] = []
        self._line_at = 0.0
        self._repairs_told = 0

    def __enter__(self) -> "Display":
        if self._live is not None and not self._is_quiet:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None and not self._is_quiet:
            self._live.stop()

    def show(self, keeper: Keeper) -> None:
        """Show the figures as they are now."""
        if self._is_quiet:
            return
        self._print_notices(keeper)
        self.tell_repairs(keeper)
        figures = status(keeper)
        rate = self._rate(keeper.frontier.counters.totals.requests)
        if self._live is not None:
            self._live.update(_table(figures, rate))
        elif time.monotonic() - self._line_at >= LINE_SECONDS:
            self._line_at = time.monotonic()
            self._print(_line(figures, rate), keeper)

    def _print_notices(self, keeper: Keeper) -> None:
        notices = keeper.figures.notices
        while notices and not self._is_quiet:
            self._print(notices.popleft(), keeper)

    def tell_repairs(self, keeper: Keeper) -> None:
        """Tell what was found damaged and put right, as soon as it is known, and once."""
        found = keeper.figures.repaired
        if self._repairs_told == 0 and found:
            self._print("Repaired after a crash:", keeper)
        for line in found[self._repairs_told :]:
            self._print(f"  {line}", keeper)
        self._repairs_told = len(found)

    def _print(self, line: str, keeper: Keeper) -> None:
        try:
            # In a file one event is one line; on a terminal words are not to be broken.
            is_wide = not self._console.is_terminal
            self._console.print(line, highlight=False, markup=False, soft_wrap=is_wide)
        except BrokenPipeError:
            # As with `| head`: other tools end then, and so does a crawl, but in good order.
            self._is_quiet = True
            keeper.stop(Stop.UNREAD)

    def _rate(self, requests: int) -> float:
        now = time.monotonic()
        self._samples = [(at, n) for at, n in self._samples if now - at < RATE_SECONDS]
        self._samples.append((now, requests))
        first_at, first = self._samples[0]
        return (requests - first) / (now - first_at) if now > first_at else 0.0


def _table(figures: dict[str, object], rate: float) -> Table:
    table = Table.grid(padding=(0, 2))
    for left, right in _rows(figures, rate):
        table.add_row(Text(left, style="dim"), Text(right))
    return table


def _rows(figures: dict[str, object], rate: float) -> list[tuple[str, str]]:
    def n(name: str) -> str:
        value = figures[name]
        assert isinstance(value, int)
        return human_count(value)

    def c(name: str, noun: str) -> str:
        return counted(_number(figures[name]), noun)

    rows = [
        (
            "pages",
            f"{n('pages')}   {c('requests', 'request')}, {rate:,.0f} a second, {_size(figures['bytes'])}",
        ),
        ("text", f"{c('text_chars', 'character')} in {c('documents', 'document')}"),
        (
            "addresses",
            f"{n('queued')} waiting, {n('leased')} handed out, {n('due')} to retry; {n('urls')} known",
        ),
        ("hosts", f"{n('hosts')} known, {n('parked_hosts')} waiting, {n('open_visits')} visited now"),
        ("time", f"{human_seconds(_number(figures['seconds']))}, harvesters at work: {n('harvesters')}"),
    ]
    if figures["watched"] or figures["revisits"]:
        rows.insert(3, ("again", _again(figures)))
    if hindered := hindrance(figures):
        rows.append(("so far", hindered))
    if unjudged := _unjudged(figures):
        rows.append(("segmenter", unjudged))
    if figures["stopped_because"]:
        rows.append(("ENDING", f"{_ending(figures)}; requests under way are finished"))
    elif waits := waits_said(figures):
        rows.append(("PAUSED" if _is_held(figures) else "waits", waits))
    return rows


def _unjudged(figures: Mapping[str, object]) -> str:
    """Return that the segmenter does not answer, or did not; empty when all is well with it."""
    unjudged = _number(figures["unjudged"])
    texts = f"{counted(unjudged, 'text')} not judged" if unjudged else ""
    fault = f"does not answer ({figures['segmenter']})" if figures["segmenter"] else ""
    return ", ".join(filter(None, [fault, texts]))


def waits_said(figures: Mapping[str, object], *, reasons_max: int | None = REASONS_SHOWN) -> str:
    """Return what a crawl waits for, by its figures; empty when that is nothing."""
    waiting = msgspec.convert(figures["waiting"], Waiting)
    return waiting_said(waiting, _number(figures["now"]), reasons_max=reasons_max)


def copies_said(figures: Mapping[str, object]) -> str:
    """Return how good our copies of pages were between two visits, as far as one can tell; empty if not."""
    watched, fresh, aged = (_number(figures[f"{name}_seconds"]) for name in ("watched", "fresh", "aged"))
    if not watched:
        return ""
    return f"{human_share(fresh, watched)} up to date, {human_seconds(aged / watched)} behind, mean"


def _again(figures: Mapping[str, object]) -> str:
    revisits = counted(_number(figures["revisits"]), "visit")
    queued = human_count(_number(figures["revisits_queued"]))
    watched = counted(_number(figures["watched"]), "address", "addresses")
    parts = [f"{revisits} to pages of the corpus, {queued} of {watched} due"]
    changed, unchanged = _number(figures["revisits_changed"]), _number(figures["revisits_unchanged"])
    if changed + unchanged:
        parts.append(f"{human_share(changed, changed + unchanged)} found a change")
    return "; ".join([*parts, *filter(None, [copies_said(figures)])])


def _ending(figures: Mapping[str, object]) -> str:
    return in_plain_words(str(figures["stopped_because"]))


def _line(figures: dict[str, object], rate: float) -> str:
    unjudged = f"; segmenter: {said}" if (said := _unjudged(figures)) else ""
    word = "PAUSED" if _is_held(figures) else "waits"
    waits = f"; {word}: {said}" if (said := waits_said(figures)) and not figures["stopped_because"] else ""
    ending = f", ENDING ({_ending(figures)})" if figures["stopped_because"] else ""
    hindered = f"; so far: {said}" if (said := hindrance(figures)) else ""
    again = f", {human_count(_number(figures['revisits']))} visited again" if figures["revisits"] else ""
    pages, requests, visits = (
        counted(_number(figures[name]), noun)
        for name, noun in (("pages", "page"), ("requests", "request"), ("open_visits", "visit"))
    )
    return (
        f"{human_seconds(_number(figures['seconds']))}: {pages}, {requests} ({rate:.0f}/s), "
        f"{human_count(_number(figures['queued']))} waiting, {visits} under way"
        f"{again}{ending}{hindered}{unjudged}{waits}"
    )


def _is_held(figures: Mapping[str, object]) -> bool:
    """Whether nothing may be asked for, or something keeps harvesters from writing."""
    return bool(figures["holds"] or figures["troubles"])


def hindrance(figures: Mapping[str, object]) -> str:
    """Return what came instead of pages while there is none: a mistyped name, a line that is down."""
    outcomes = figures["outcomes"]
    if figures["pages"] or not isinstance(outcomes, dict):
        return ""
    met = [(count, name) for name, count in outcomes.items() if name not in ON_THE_WAY]
    return ", ".join(
        f"{in_plain_words(name) or name}: {human_count(count)}" for count, name in sorted(met)[:-3:-1]
    )


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return value


def _size(value: object) -> str:
    return human_bytes(_number(value))
