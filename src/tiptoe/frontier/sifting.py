"""Which requests of a queue are no longer wanted when their turn comes?

Those in sections that yielded nothing, and those that are outside the bounds of the crawl by now, because
bounds may change from one run to the next. They are removed from the sieve, so that they may be found again.
"""

from collections.abc import Mapping

from tiptoe.decide.scheduling import SchedulePoint
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.sections import UNPRODUCTIVE
from tiptoe.frontier.steering import Steering
from tiptoe.frontier.step import Step
from tiptoe.protocol.work import Purpose, Request
from tiptoe.url.address import page_key
from tiptoe.url.dropped import Dropped

__all__ = ["Sifting"]

SOURCES = frozenset({Purpose.SITEMAP, Purpose.FEED})


class Sifting:
    """Drops requests before they are handed out."""

    def __init__(self, step: Step, schedule: SchedulePoint, steering: Steering) -> None:
        self._step = step
        self._schedule = schedule
        self._steering = steering

    def wanted(self, record: HostRecord, requests: list[Request], now: float) -> list[Request]:
        """Return the requests of a host that are still wanted."""
        if self._schedule.bounds_urls and requests:
            requests = self._without(requests, self._refused(requests))
        shifts = self._steering.shifts(record, now)
        if shifts is None:
            return requests
        useless = [url for url in _pages(requests) if shifts.of(url) == UNPRODUCTIVE]
        return self._without(requests, dict.fromkeys(useless, Dropped.NO_YIELD))

    def _refused(self, requests: list[Request]) -> dict[str, Dropped]:
        """Return the URLs outside the bounds, with the reasons; seeds are never outside."""
        sources = [request.url for request in requests if request.purpose in SOURCES]
        pages = self._schedule.refused_urls(_pages(requests))
        return pages | self._schedule.refused_urls(sources, are_leads=True)

    def _without(self, requests: list[Request], refused: Mapping[str, Dropped]) -> list[Request]:
        if not refused:
            return requests
        kept = []
        for request in requests:
            if request.url not in refused:
                kept.append(request)
                continue
            self._step.sieve.forget(self._step.batch, page_key(request.url))
            self._step.totals.urls -= 1
            self._step.discard(refused[request.url])
        return kept


def _pages(requests: list[Request]) -> list[str]:
    """Return the URLs of those requests that are for pages and not seeds."""
    return [request.url for request in requests if request.depth and request.purpose is Purpose.PAGE]
