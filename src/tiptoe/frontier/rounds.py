"""How is everything visited once more?

A round goes through all pages that were ever visited and gives each a visit now, whatever its strategy says:
it is entered in the calendar as *ordered* and treated like any other revisit from then on. Pages that are due
for another try, queued or leased are visited anyway. Each step handles some pages, so that other work does
not wait; how far a round has come is stored with each step, so it continues after a crash.
"""

from collections.abc import Callable, Iterable
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

__all__ = ["ROUND_KEY", "Round", "Rounds", "united_rounds"]

ROUND_KEY: Final = b"round"
PAGES_AT_ONCE: Final = 500
"""Maximum number of rows examined in one step."""

PAST_SECONDS: Final = 1.0
"""Visits are entered this long before the round began, so that they are due even in the same millisecond."""


class Round(msgspec.Struct, array_like=True):
    """How far a round has come."""

    began_at: float = 0.0
    cursor: bytes = b""  # key of the next page to examine
    is_open: bool = False  # not all pages have been examined
    pages: int = 0  # pages that got a visit
    number: int = 0  # the first is 1


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Round).decode


class Rounds:
    """The rounds of a crawl, one after the other; how many have begun is one of the totals."""

    def __init__(
        self, step: Step, revisits: Revisits, *, is_counted: bool, entered: Callable[[], None]
    ) -> None:
        """`entered` is called when pages have become due.

        Of the shards of a crawl, which all begin the same rounds, only one counts them (`is_counted`).
        """
        self._step = step
        self._revisits = revisits
        self._is_counted = is_counted
        self._entered = entered
        stored = step.store.get(Table.META, ROUND_KEY)
        self._round = _decode(stored) if stored else Round()

    @property
    def number(self) -> int:
        """The number of the last round that has begun, 0 if there was none."""
        return self._round.number

    @property
    def is_open(self) -> bool:
        """Whether pages are still to be examined; not if revisits were turned off since the round began."""
        return self._round.is_open and self._revisits.is_active

    @property
    def is_possible(self) -> bool:
        """Whether another round makes sense: revisits are on, and the last round had pages."""
        return self._revisits.is_active and (not self._round.began_at or self._round.pages > 0)

    def begin(self, now: float) -> None:
        """Begin the next round; a step of its own."""
        self.join(self._round.number + 1, now)

    def join(self, number: int, now: float) -> None:
        """Begin the round of this number, unless it has begun before; a step of its own."""
        if number <= self._round.number:
            return
        self._round = Round(began_at=now, is_open=True, number=number)
        self._step.totals.rounds += self._is_counted
        self._write()
        self._step.commit()

    def tick(self, now: float) -> None:
        """Examine the next pages, within a step of the caller."""
        if not self.is_open:
            return
        rows = list(islice(self._step.store.scan(Table.PAGE, self._round.cursor), PAGES_AT_ONCE))
        before = self._round.pages
        for key, stored in rows:
            if stored:  # an empty row is a page that was seen but not visited
                self._round.pages += self._order(key, self._step.pages.decode(stored))
        if len(rows) == PAGES_AT_ONCE:
            self._round.cursor = rows[-1][0] + b"\0"
        else:
            self._round.is_open = False
        if self._round.pages > before:
            self._entered()
        self._write()

    def _order(self, key: bytes, page: PageRecord) -> bool:
        """Give a page a visit now; return False if it had one, gets one anyway, or is not to have one."""
        # The open step may have moved the page to a queue, so its record may be newer than what was read.
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
        """Watch a page that was visited while revisits were off; return False if it is not worth it."""
        record = self._step.hosts.obtain(host_of(page.url))
        is_worth = page.outcome in WORTH_WATCHING and self._revisits.is_wanted(record, page, Purpose.PAGE)
        if is_worth:
            self._step.learned.account.pages += 1
            account_of(record).pages += 1
            self._step.hosts.touch(record)
        return is_worth

    def _write(self) -> None:
        self._step.batch.put(Table.META, ROUND_KEY, _encode(self._round))


def united_rounds(stored: Iterable[bytes]) -> bytes | None:
    """Return the last rounds of several shards as that of one frontier; None if there were none.

    What only some shards have examined is examined again: a page that was visited in the round is left out.
    """
    rounds = [_decode(row) for row in stored]
    if not rounds:
        return None
    last = max(each.number for each in rounds)
    rounds = [each for each in rounds if each.number == last]
    is_open = any(each.is_open for each in rounds)
    return _encode(
        Round(
            began_at=min(each.began_at for each in rounds),
            cursor=min(each.cursor for each in rounds if each.is_open) if is_open else b"",
            is_open=is_open,
            pages=sum(each.pages for each in rounds),
            number=last,
        )
    )
