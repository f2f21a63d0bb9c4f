"""Which seeds come to nothing?

A mistyped seed is the likeliest mistake of all, so whoever started the crawl is told at once, not at its end.
Only some seeds are watched: of a hundred thousand, nobody wants to read of each.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.patience import PATIENCE, PATIENCE_BUDGET, CountedTry, Trouble
from tiptoe.keeper.phrases import moment_said, trouble_said
from tiptoe.url.address import host_of

__all__ = ["DeadSeed", "SeedWatch"]

WATCHED_MAX: Final = 1000
LOOKS_MAX: Final = 200
"""Seeds looked at together."""


@dataclass(frozen=True, slots=True)
class DeadSeed:
    """A seed whose host is in trouble, or was given up."""

    url: str
    trouble: str
    next_at: float  # 0 = it is not tried any more
    is_last: bool  # the next try is the last one

    def said(self, now: float) -> str:
        """Return it in words."""
        why = f"seed {self.url}: {trouble_said(self.trouble)}"
        if not self.next_at:
            return f"{why}; given up"
        once = "once more" if self.is_last else "again"
        return f"{why} (will be tried {once} at {moment_said(self.next_at, now)})"


@dataclass(slots=True)
class _Watched:
    url: str
    host: str
    met: tuple[str, bool] | None = None  # trouble, and whether it was given up, at the last look
    told: tuple[str, bool] | None = None  # what was said of it


class SeedWatch:
    """The first seeds of a crawl, as long as nothing came of them."""

    def __init__(self, seeds: Iterable[str]) -> None:
        by_host: dict[str, str] = {}
        for url in seeds:
            by_host.setdefault(host_of(url), url)
            if len(by_host) >= WATCHED_MAX:
                break
        self._open = deque(_Watched(url, host) for host, url in by_host.items())

    def __len__(self) -> int:
        return len(self._open)

    def look(self, find_host: Callable[[str], HostRecord | None]) -> list[DeadSeed]:
        """Return what is new of some seeds; those that were answered, or given up, are watched no longer."""
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


def _dead(watched: _Watched, record: HostRecord) -> DeadSeed | None:
    """Return what is to be said of a seed that was not said before."""
    is_gone = record.state is HostState.GONE
    trouble = record.gone_because if is_gone else record.trouble
    in_trouble = is_gone or record.troubles or record.robots_troubles
    if not (in_trouble and trouble) or record.pages:
        return None
    before, watched.met = watched.met, (trouble, is_gone)
    # Not at the first look: when nothing else is left, its next try is brought forward first.
    if watched.met == watched.told or not (is_gone or watched.met == before):
        return None
    watched.told = watched.met
    return DeadSeed(watched.url, trouble, 0.0 if is_gone else record.next_at, is_last=_is_last_try(record))


def _is_last_try(record: HostRecord) -> bool:
    """Whether the next trouble of this kind is the last one."""
    if record.robots_troubles or record.trouble not in {trouble.value for trouble in Trouble}:
        return False
    patience = PATIENCE[Trouble(record.trouble)]
    counts_again = patience.counted is CountedTry.EVERY_TRY
    return counts_again and record.patience_used + patience.cost >= PATIENCE_BUDGET
