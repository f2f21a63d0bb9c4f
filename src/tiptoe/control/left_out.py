"""What did a crawl leave out, for which reasons, in which runs, with which examples?

The counts are the keeper's, which every run leaves in its figures. The URLs of requested pages are in its
database, so some of them can be shown; dropped links are only counted, not kept.
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
"""Maximum runs shown separately; earlier ones are combined."""

LOOK_SECONDS: Final = 1.0
SAMPLES_MAX: Final = 20
GOOD: Final = frozenset({"ok", "redirect", "robots_rules", "unchanged"})
"""Outcomes of requests that succeeded."""


class LeftOutSample(msgspec.Struct, frozen=True, kw_only=True):
    """A page that was requested, but not stored for this reason."""

    url: str
    status: int  # HTTP status; 0: there was no answer


class LeftOutReason(msgspec.Struct, frozen=True, kw_only=True):
    """A reason, its counts, and some of the pages concerned."""

    reason: str
    meaning: str
    count: int
    by_run: list[int]  # as the runs are listed
    samples: list[LeftOutSample]


class LeftOutRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run of the crawl; the first may also stand for all earlier ones."""

    started_at: float
    ended_at: float


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """What a crawl left out."""

    runs: list[LeftOutRun]
    reasons: list[LeftOutReason]  # most frequent first
    pages_looked_at: int  # for samples
    is_whole: bool  # all pages were examined


class _PageBegin(msgspec.Struct, array_like=True, gc=False):
    """The first fields of a `PageRecord`, as far as they are needed here."""

    url: str
    status: int = 0
    outcome: str = ""


def read_left_out(directory: Path, samples: int, *, seconds: float = LOOK_SECONDS) -> LeftOut:
    """Return what was left out, with up to this many samples per reason, as found within the time."""
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
    """Return the count of each reason in each of the last runs; figures are sums over all earlier runs."""
    sums = [_sums(status) for status in statuses]
    before: list[Mapping[str, int]] = [{}, *sums]
    first = max(len(sums) - RUNS_MAX, 0)
    reasons = {reason for one in sums for reason in one}
    return {
        reason: [
            # The count is lower than before if the crawl was restarted from scratch, or lost its last
            # moments.
            max(one.get(reason, 0) - (before[place].get(reason, 0) if place > first else 0), 0)
            for place, one in enumerate(sums)
            if place >= first
        ]
        for reason in reasons
    }


def _sums(status: Status) -> dict[str, int]:
    """Return the counts of all reasons; where a reason is also an outcome, the discards."""
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
    """Yield pages in the order of their hosts' hashes, so that the first ones are a sample of all."""
    decode = msgspec.msgpack.Decoder(_PageBegin).decode
    with ReadOnlyStore(directory / DATABASE, (Table.PAGE,)) as store:
        for _, stored in store.scan(Table.PAGE):
            if stored:  # otherwise a URL that waits
                yield decode(stored)
