"""What did a crawl leave out, for which reasons, in which run, and what for example?

Counts are those of the keeper, which every run leaves in its figures. Addresses of pages that were requested
stand in its database, so some of them can be shown; links that were dropped are counted, and not kept.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.keeper.database import DATABASE
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.run_figures import run_statuses
from tiptoe.protocol.status import Status
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table

__all__ = ["LeftOut", "LeftOutReason", "LeftOutRun", "LeftOutSample", "counted_by_run", "read_left_out"]

RUNS_MAX: Final = 10
"""The last runs are told apart; those before are one."""

LOOK_SECONDS: Final = 1.0
SAMPLES_MAX: Final = 20
GOOD: Final = frozenset({"ok", "redirect", "robots_rules", "unchanged"})
"""Outcomes of requests that brought what they were to bring."""


class LeftOutSample(msgspec.Struct, frozen=True, kw_only=True):
    """A page that was requested, and not stored for this reason."""

    url: str
    status: int  # of the answer; 0: there was none


class LeftOutReason(msgspec.Struct, frozen=True, kw_only=True):
    """A reason, how often it was given, and some of the pages it was given for."""

    reason: str
    meaning: str
    count: int
    by_run: list[int]  # as the runs are listed
    samples: list[LeftOutSample]


class LeftOutRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run of the crawl; the first may stand for all before, too."""

    started_at: float
    ended_at: float


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """What a crawl left out."""

    runs: list[LeftOutRun]
    reasons: list[LeftOutReason]  # the most frequent first
    pages_looked_at: int  # for samples
    is_whole: bool  # all pages were looked at


class _PageBegin(msgspec.Struct, array_like=True, gc=False):
    """As much of a `PageRecord` as is needed here."""

    url: str
    status: int = 0
    outcome: str = ""


def read_left_out(directory: Path, samples: int, *, seconds: float = LOOK_SECONDS) -> LeftOut:
    """Return what was left out, with as many samples of each reason as are found in this time."""
    statuses = run_statuses(directory)
    counts = counted_by_run(statuses)
    found, looked_at, is_whole = _samples(directory, min(samples, SAMPLES_MAX), seconds)
    last = statuses[-RUNS_MAX:]
    return LeftOut(
        runs=[LeftOutRun(started_at=one.started_at, ended_at=one.now) for one in last],
        reasons=[
            LeftOutReason(
                reason=reason, meaning=in_plain_words(reason), count=sum(by_run), by_run=by_run,
                samples=found.get(reason, []),
            )
            for reason, by_run in sorted(counts.items(), key=lambda pair: (-sum(pair[1]), pair[0]))
        ],
        pages_looked_at=looked_at,
        is_whole=is_whole,
    )  # fmt: skip


def counted_by_run(statuses: Sequence[Status]) -> dict[str, list[int]]:
    """Return how often each reason was given in each of the last runs; figures are sums over all before."""
    sums = [_sums(status) for status in statuses]
    before: list[Mapping[str, int]] = [{}, *sums]
    first = max(len(sums) - RUNS_MAX, 0)
    reasons = {reason for one in sums for reason in one}
    return {
        reason: [
            # A crawl that was begun anew, or lost its last moments, counts from less.
            max(one.get(reason, 0) - (before[place].get(reason, 0) if place > first else 0), 0)
            for place, one in enumerate(sums)
            if place >= first
        ]
        for reason in reasons
    }


def _sums(status: Status) -> dict[str, int]:
    """Return all reasons; of those that are outcomes as well, what was left out."""
    outcomes = {name: count for name, count in status.outcomes.items() if name not in GOOD}
    return {**outcomes, **status.discards}


def _samples(directory: Path, each: int, seconds: float) -> tuple[dict[str, list[LeftOutSample]], int, bool]:
    found: dict[str, list[LeftOutSample]] = {}
    looked_at = 0
    until = time.monotonic() + seconds
    if each < 1 or not (directory / DATABASE / "CURRENT").is_file():
        return found, looked_at, False
    for page in _pages(directory):
        looked_at += 1
        if page.outcome and page.outcome not in GOOD:
            some = found.setdefault(page.outcome, [])
            if len(some) < each:
                some.append(LeftOutSample(url=page.url, status=page.status))
        if not looked_at % 256 and time.monotonic() > until:
            return found, looked_at, False
    return found, looked_at, True


def _pages(directory: Path) -> Iterator[_PageBegin]:
    """Yield pages in the order of the hashes of their hosts: the first ones are a sample of all."""
    decode = msgspec.msgpack.Decoder(_PageBegin).decode
    with ReadOnlyStore(directory / DATABASE, (Table.PAGE,)) as store:
        for _, stored in store.scan(Table.PAGE):
            if stored:  # else a URL that waits
                yield decode(stored)
