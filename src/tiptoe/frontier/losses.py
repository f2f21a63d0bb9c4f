"""What happens when output files lose pages?

A page whose text, archived answer or listing is gone is requested once more, like a page that was never
visited: politely, as any other request. The request carries what is left of the page (`Remains`), so that a
text that is still in the corpus is not written twice, and a lost one is not taken for a copy of itself.

Rule: only the last version can be fetched again; older versions are lost for good, and only counted.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tiptoe.frontier.dispatch import Dispatch
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.revisit_scheduler import RevisitScheduler
from tiptoe.frontier.revisits import Revisits
from tiptoe.frontier.settlement import WAITING
from tiptoe.frontier.step import Step
from tiptoe.protocol.work import Request
from tiptoe.url.address import host_of

__all__ = ["Loss", "Losses", "Verdicts"]

LOST_TRIES = -1
"""Tries noted for a lost page: fewer than those of its new request, which therefore counts as not settled."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What was lost of one page."""

    key: bytes
    version: int = 0  # of a text that was in the corpus; 0 = no text was lost
    chars: int = 0  # of that text
    stored_at: float = 0.0  # of an archived body; 0 = no body was lost
    is_listing: bool = False  # its entry in the list of documents to be converted was lost


@dataclass(slots=True)
class Verdicts:
    """How many pages can be fetched again."""

    asked: int = 0  # queued once more
    superseded: int = 0  # a later version exists elsewhere
    out_of_reach: int = 0  # their host was given up, or they are under way or unknown

    def __add__(self, other: "Verdicts") -> "Verdicts":
        return Verdicts(
            self.asked + other.asked,
            self.superseded + other.superseded,
            self.out_of_reach + other.out_of_reach,
        )


class Losses:
    """Sends pages back to the queues of their hosts."""

    def __init__(
        self, step: Step, revisits: Revisits, revisit_scheduler: RevisitScheduler, dispatch: Dispatch
    ) -> None:
        self._step = step
        self._revisits = revisits
        self._revisit_scheduler = revisit_scheduler
        self._dispatch = dispatch

    def ask_again(self, losses: Iterable[Loss], leased: Collection[str], now: float) -> Verdicts:
        """Queue the pages of these losses; each page may occur only once."""
        losses = list(losses)
        verdicts = Verdicts()
        for loss, page in zip(losses, self._step.pages.find_many([loss.key for loss in losses]), strict=True):
            if page is None or page.url in leased:
                verdicts.out_of_reach += 1
                continue
            is_text = loss.version > 0 and loss.version == page.version
            is_body = loss.stored_at > 0 and loss.stored_at == page.stored_at
            if not (is_text or is_body or loss.is_listing):
                verdicts.superseded += 1
            elif self._revisit_scheduler.is_lost(self._step.hosts.obtain(host_of(page.url))):
                verdicts.out_of_reach += 1
            else:
                self._forget_copy(loss, page, now, is_text=is_text)
                verdicts.asked += 1
        return verdicts

    def _forget_copy(self, loss: Loss, page: PageRecord, now: float, *, is_text: bool) -> None:
        step = self._step
        record = step.hosts.obtain(host_of(page.url))
        step.hosts.touch(record)
        is_queued = page.outcome == WAITING
        if page.next_visit_at and not is_queued:
            page = self._watch_no_longer(record, loss.key, page, now)
        if is_text:
            page.version -= 1
            page.text_hash = b""
            step.totals.documents -= 1
            step.totals.text_chars -= loss.chars
            record.text_chars = max(0, record.text_chars - loss.chars)
            if page.is_counted:
                page.is_counted = False
                step.totals.pages -= 1
                record.pages -= 1
        page.stored_at = 0.0
        page.payload_digest = ""
        page.outcome = WAITING
        page.is_lost = True
        if not is_queued:
            page.tries = LOST_TRIES
        step.pages.put(step.batch, loss.key, page)
        if not is_queued:
            usability = 0.0 if page.is_off_useless else 1.0
            self._dispatch.put_back(Request(page.url, depth=page.depth, usability=usability), now)

    def _watch_no_longer(self, record: HostRecord, key: bytes, page: PageRecord, now: float) -> PageRecord:
        """Remove a page from the calendar or the queue of revisits; return its record."""
        step = self._step
        if step.calendar.find(key, page.next_visit_at) is None:
            self._revisit_scheduler.put_off(record, now)
            page = step.pages.find(key) or page
        step.calendar.strike(step.batch, key, page.next_visit_at)
        self._revisits.end(record, page)
        return page
