"""How is everything visited once more?

A round goes through all pages that were ever visited and gives each a visit now, whatever its strategy says:
it is entered in the calendar as *ordered*, and from there goes the way of every revisit. Pages that wait for
a repeated try, in a queue or with a harvester are visited anyway. Some pages a step, so that nobody waits
for the rest; how far a round has come is stored with each step, so it goes on after a crash.
"""

from collections.abc import Callable
from itertools import islice
from typing import Final

import msgspec

from tiptoe.frontier.calendar import Appointment
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.revisits import WORTH_WATCHING, Revisits, account_of
from tiptoe.frontier.step import Step
from tiptoe.protocol.work import Purpose
from tiptoe.store.tables import Table
from tiptoe.url.address import host_of

__all__ = ["ROUND_KEY", "Rounds"]

ROUND_KEY: Final = b"round"
PAGES_AT_ONCE: Final = 500
"""Rows looked at in one step."""

PAST_SECONDS: Final = 1.0
"""A visit is entered this long before the round began: due at once, also within the same millisecond."""


class Round(msgspec.Struct, array_like=True):
    """How far a round has come."""

    began_at: float = 0.0
    cursor: bytes = b""  # key of the next page to look at
    is_open: bool = False  # not all pages have been looked at
    pages: int = 0  # that get a visit


class Rounds:
    """The rounds of a crawl, one after the other; how many there were is counted among the totals."""

    def __init__(self, step: Step, revisits: Revisits, *, entered: Callable[[], None]) -> None:
        """`entered` is called when pages have become due."""
        self._step = step
        self._revisits = revisits
        self._entered = entered
        stored = step.store.get(Table.META, ROUND_KEY)
        self._round = msgspec.msgpack.decode(stored, type=Round) if stored else Round()

    @property
    def is_open(self) -> bool:
        """Whether pages have yet to be looked at."""
        return self._round.is_open

    @property
    def is_possible(self) -> bool:
        """Whether there can be another one: pages are visited again, and the last one had some."""
        return self._revisits.is_active and (not self._round.began_at or self._round.pages > 0)

    def begin(self, now: float) -> None:
        """Visit everything once more; a step of its own."""
        self._round = Round(began_at=now, is_open=True)
        self._step.totals.rounds += 1
        self._write()
        self._step.commit()

    def tick(self, now: float) -> None:
        """Look at the next pages; in a step of the caller."""
        if not self._round.is_open or not self._revisits.is_active:
            return
        rows = list(islice(self._step.store.scan(Table.PAGE, self._round.cursor), PAGES_AT_ONCE))
        before = self._round.pages
        for key, stored in rows:
            if stored:  # else it was met, and not visited
                self._round.pages += self._order(key, self._step.pages.decode(stored))
        if len(rows) == PAGES_AT_ONCE:
            self._round.cursor = rows[-1][0] + b"\0"
        else:
            self._round.is_open = False
        if self._round.pages > before:
            self._entered()
        self._write()

    def _order(self, key: bytes, page: PageRecord) -> bool:
        """Give a page a visit now; False when it has had one, gets one anyway, or is not to have one."""
        # What this step has brought to a queue is not as it was read.
        page = self._step.pages.find(key) or page
        if page.last_visit_at >= self._round.began_at:
            return False
        calendar, batch = self._step.calendar, self._step.batch
        purpose = Purpose.PAGE
        if page.next_visit_at:
            found = calendar.find(key, page.next_visit_at)
            if found is None or found.tries:
                return False
            purpose = found.purpose
            calendar.strike(batch, key, page.next_visit_at)
        elif not self._watch(page):
            return False
        at = self._round.began_at - PAST_SECONDS
        page.next_visit_at = calendar.enter(batch, key, at, Appointment(purpose, is_ordered=True))
        self._step.pages.put(batch, key, page)
        return True

    def _watch(self, page: PageRecord) -> bool:
        """Have a page watched that was visited while none was; False when it is not to be."""
        record = self._step.hosts.obtain(host_of(page.url))
        is_worth = page.outcome in WORTH_WATCHING and self._revisits.is_wanted(record, page, Purpose.PAGE)
        if is_worth:
            self._step.learned.account.pages += 1
            account_of(record).pages += 1
            self._step.hosts.touch(record)
        return is_worth

    def _write(self) -> None:
        self._step.batch.put(Table.META, ROUND_KEY, msgspec.msgpack.encode(self._round))
