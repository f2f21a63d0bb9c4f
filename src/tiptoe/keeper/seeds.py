"""Which seeds yield nothing?

A mistyped seed is the most likely mistake of all, so the operator is told at once, not at the end of the
crawl: about a host that does not answer, and about a page that its host does not deliver or that robots.txt
forbids. Only some seeds are watched: nobody wants to read about each of a hundred thousand.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.page_record import WAITING, PageRecord
from tiptoe.frontier.patience import PATIENCE, PATIENCE_BUDGET, CountedTry, Trouble
from tiptoe.keeper.phrases import moment_text, trouble_text
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.outcomes import status_text
from tiptoe.url.address import host_of, page_key

__all__ = ["DeadSeed", "SeedWatch", "VainSeed"]

WATCHED_MAX: Final = 1000
LOOKS_MAX: Final = 200
"""Maximum number of seeds checked at a time."""

VAIN_TOLD_MAX: Final = 20
"""Maximum number of pages reported one by one; the summary counts all of them."""

TROUBLES: Final = frozenset(trouble.value for trouble in Trouble)
UNASKED: Final = frozenset({"disallowed", "avoided"})


@dataclass(frozen=True, slots=True)
class DeadSeed:
    """A seed whose host is in trouble, or was given up."""

    url: str
    trouble: str
    next_at: float  # 0 = it is not tried again
    is_last: bool  # the next try is the last one

    def describe(self, now: float) -> str:
        """Return a line for the operator."""
        why = f"seed {self.url}: {trouble_text(self.trouble)}"
        if not self.next_at:
            return f"{why}; given up"
        once = "once more" if self.is_last else "again"
        return f"{why} (will be tried {once} at {moment_text(self.next_at, now)})"


@dataclass(frozen=True, slots=True)
class VainSeed:
    """A seed whose host answers, but that yields no page."""

    url: str
    outcome: str
    status: int = 0

    def describe(self) -> str:
        """Return a line for the operator."""
        if self.status:
            return f"seed {self.url}: {self.status} {status_text(f'http_{self.status}')}"
        return f"seed {self.url}: {in_plain_words(self.outcome) or self.outcome}"


@dataclass(slots=True)
class _Watched:
    url: str
    host: str
    met: tuple[str, bool] | None = None  # trouble at the last check, and whether the host was given up
    told: tuple[str, bool] | None = None  # the same when it was last reported


class SeedWatch:
    """The first seeds of a crawl, until something comes of them."""

    def __init__(self, seeds: Iterable[str]) -> None:
        by_host: dict[str, str] = {}
        self._pages: deque[str] = deque()
        for url in seeds:
            by_host.setdefault(host_of(url), url)
            if len(self._pages) < WATCHED_MAX:
                self._pages.append(url)
            if len(by_host) >= WATCHED_MAX:
                break
        self._vain_told = 0
        self._open = deque(_Watched(url, host) for host, url in by_host.items())

    def __len__(self) -> int:
        return len(self._open)

    def look(self, find_host: Callable[[str], HostRecord | None]) -> list[DeadSeed]:
        """Return what is new about some seeds; stop watching those that were answered or given up."""
        news = []
        for _ in range(min(len(self._open), LOOKS_MAX)):
            watched = self._open.popleft()
            record = find_host(watched.host)
            dead = None if record is None else _dead(watched, record)
            if dead is not None:
                news.append(dead)
            if record is None or not (record.pages or record.state is HostState.GONE):
                self._open.append(watched)
        return news

    def look_at_pages(
        self, find_page: Callable[[bytes], PageRecord | None],
        find_host: Callable[[str], HostRecord | None],
    ) -> list[VainSeed]:  # fmt: skip
        """Return what is new about some pages; those with a result are no longer watched."""
        news = []
        for _ in range(min(len(self._pages), LOOKS_MAX)):
            url = self._pages.popleft()
            page = find_page(page_key(url))
            if page is None or page.outcome in ("", WAITING):
                self._pages.append(url)
            elif self._vain_told < VAIN_TOLD_MAX and _is_in_vain(page, find_host(host_of(url))):
                self._vain_told += 1
                news.append(VainSeed(url, page.outcome, page.status))
        return news


def _is_in_vain(page: PageRecord, record: HostRecord | None) -> bool:
    """Whether a page cannot be obtained; if its host was given up, that is reported for the host instead."""
    if page.outcome in TROUBLES:
        return record is not None and record.state is not HostState.GONE
    return page.outcome in UNASKED or page.outcome.startswith("http_")


def _dead(watched: _Watched, record: HostRecord) -> DeadSeed | None:
    """Return what to report about a seed, unless it was reported before."""
    is_gone = record.state is HostState.GONE
    trouble = record.gone_because if is_gone else record.trouble
    in_trouble = is_gone or record.troubles or record.robots_troubles
    if not (in_trouble and trouble) or record.pages:
        return None
    before, watched.met = watched.met, (trouble, is_gone)
    # Not at the first check: its next try may be brought forward if nothing else is left.
    if watched.met == watched.told or not (is_gone or watched.met == before):
        return None
    watched.told = watched.met
    return DeadSeed(watched.url, trouble, 0.0 if is_gone else record.next_at, is_last=_is_last_try(record))


def _is_last_try(record: HostRecord) -> bool:
    """Whether the next trouble of this kind is the last one."""
    if record.robots_troubles or record.trouble not in TROUBLES:
        return False
    patience = PATIENCE[Trouble(record.trouble)]
    counts_again = patience.counted is CountedTry.EVERY_TRY
    return counts_again and record.patience_used + patience.cost >= PATIENCE_BUDGET
