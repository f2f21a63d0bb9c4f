"""How are the visits of a crawl spent where they are worth most?

Every visit has one price, the same for all pages. A page is due when its crawl value (`value.py`) reaches the
price. The price finds itself: each visit raises it a little, and time lowers it by as much as the budget
allows in that time. So the visits are those of the budget, and nothing is ever solved for all pages at once.

A host that may not be asked as often as that has its own price above that of the crawl, moved in the
same way by its own visits and what its politeness allows: its few visits go to its best pages, and the
crawl's price falls until others have what it cannot use (Kolobov et al. 2019).
"""

import math
from typing import Protocol

import msgspec

from tiptoe.revisit.evidence import Evidence, Prior, noted, rate_of
from tiptoe.revisit.strategies import Observation, Watched
from tiptoe.revisit.value import Objective, crawl_value, worth_after

__all__ = ["Account", "Allocation", "HintRecord", "Optimal"]

PAGE_MEMORY = 64.0
HOST_MEMORY = 2_000.0
CRAWL_MEMORY = 50_000.0
"""Visits after which evidence has faded: a page, a host, a web may take up other habits."""

PAGE_PRIOR = 0.5
HOST_PRIOR = 10.0
CRAWL_PRIOR = 2.0
"""Changes that the belief in a page, a host, a crawl weighs before the first visit of it."""

EAGER_VISITS = 100
"""How often all pages change is solved anew after each of the first visits, then once in so many."""

PRICE_GAIN = 2.0
"""How far, in powers of e, as many visits as there are pages move the price."""

PRICE_SPAN = 6.0
"""How far, in powers of e, a price may be from its first guess, so that it finds back in time."""

QUEUE_WEIGHT = 0.5
"""How a queue as long as all pages of a host counts against a visit too many."""

SLACK = 0.03
"""Part of an interval by which a page may be early: prices always move a little, and a table is not free."""

HINT_DOUBT = 2.0
"""Hinted visits without a change that a site is thought to have had before its first."""

HINT_TRUST_MAX = 0.99


class HintRecord(msgspec.Struct, array_like=True, gc=False):
    """How true the hints of a site have been: visits that followed one."""

    unchanged: float = 0.0  # visits that found nothing new all the same
    expected: float = 0.0  # as many as would have, had the hints been worthless


class Account(msgspec.Struct, array_like=True, gc=False):
    """What is known of the pages of a host, or of the crawl, and what their visits cost."""

    pages: int = 0  # that are to be visited again
    price: float = 0.0  # of the crawl: as a crawl value; of a host: times the crawl's, at least 1; 0 = new
    moved_at: float = 0.0
    rate: float = 0.0  # of a host: how often its pages change, as it was learned; 0 = as those of the crawl
    evidence: Evidence = msgspec.field(default_factory=Evidence)
    hints: HintRecord = msgspec.field(default_factory=HintRecord)


class Allocation(Protocol):
    """A strategy that spends one budget over all pages.

    After a visit: `learn`, note what it returns in the record, then `next_visit`. When a page seems due:
    `due_at` says whether it still is at today's price; if so, `spend` and ask for it.
    """

    def learn(self, record: Watched, visit: Observation, host: Account, now: float) -> Evidence:
        """Return the page's evidence with this visit; the record is still that of before it."""
        ...

    def next_visit(self, record: Watched, visit: Observation, host: Account, now: float) -> float:
        """Return the seconds until the next visit; the record has the last one noted."""
        ...

    def due_at(self, record: Watched, host: Account, now: float) -> float:
        """Return the moment at which the page is worth today's price."""
        ...

    def spend(self, host: Account, now: float, *, host_rate: float = math.inf, waiting: float = 0.0) -> None:
        """Note that a page of the host is about to be visited."""
        ...


class Optimal:
    """Estimates how often each page changes, and asks for it when a visit is worth the price.

    `crawl` is the account of the whole crawl; the caller keeps `pages` right, and stores it. With a budget
    of 0 there are as many visits as if every page were visited once per `first`. Before anything has been
    seen, pages are believed to change once per `first`.
    """

    def __init__(
        self,
        *,
        crawl: Account,
        first: float,
        least: float,
        most: float,
        objective: Objective = Objective.FRESHNESS,
        visits_per_second: float = 0.0,
        uses_hints: bool = True,
    ) -> None:
        self.crawl = crawl
        self.first = first
        self.least = least
        self.most = most
        self.objective = objective
        self.visits_per_second = visits_per_second
        self.uses_hints = uses_hints
        self._learned = 0
        self._crawl_rate = self._solved_crawl_rate()

    def __repr__(self) -> str:
        return (
            f"<Optimal {self.objective} {self.crawl.pages} pages, {self.budget * 86400:.0f} visits a day, "
            f"price {self.crawl.price:.3g}>"
        )

    # -- what a visit shows -------------------------------------------------

    def learn(self, record: Watched, visit: Observation, host: Account, now: float) -> Evidence:
        """Return the page's evidence with this visit; host and crawl learn too."""
        if visit.is_changed is None or record.visits < 1:
            return record.evidence
        seconds = max(0.0, now - record.last_visit_at)
        quiet = 0.0
        if self.uses_hints and record.last_visit_at < record.hinted_at <= now:
            self._judge_hint(record, visit.is_changed, host, seconds)
            if visit.is_changed:
                # Had it changed earlier, the hint would say so: what came before it was quiet.
                quiet = record.hinted_at - record.last_visit_at
        for account, memory in ((host, HOST_MEMORY), (self.crawl, CRAWL_MEMORY)):
            account.evidence = noted(
                account.evidence, quiet_seconds=quiet, open_seconds=seconds - quiet,
                is_changed=visit.is_changed, memory=memory,
            )  # fmt: skip
        self._learned += 1
        # Later it is learned from so many visits that it need not be solved anew for each.
        if self._learned < EAGER_VISITS or self._learned % EAGER_VISITS == 0:
            self._crawl_rate = self._solved_crawl_rate()
        host.rate = rate_of(host.evidence, Prior.of(self._crawl_rate, HOST_PRIOR))
        return noted(
            record.evidence, quiet_seconds=quiet, open_seconds=seconds - quiet,
            is_changed=visit.is_changed, memory=PAGE_MEMORY,
        )  # fmt: skip

    def rate(self, evidence: Evidence, host: Account) -> float:
        """Return how often a page of the host changes, as far as is known, per second."""
        return rate_of(evidence, self.prior(host))

    def prior(self, host: Account) -> Prior:
        """Return what is believed of a page of the host before its first visit."""
        return Prior.of(host.rate or self._crawl_rate, PAGE_PRIOR)

    # -- when to come back --------------------------------------------------

    def next_visit(self, record: Watched, visit: Observation, host: Account, now: float) -> float:
        """Return the seconds until the next visit; the record has the last one noted."""
        return max(self.least, self.due_at(record, host, now) - now)

    def due_at(self, record: Watched, host: Account, now: float) -> float:
        """Return the moment at which the page is worth today's price; now, if that is near."""
        rate = self.rate(record.evidence, host)
        wait = worth_after(self.objective, rate, self.price(host, now))
        if self.uses_hints and record.hinted_at > record.last_visit_at:
            wait -= -math.log1p(-self.trust(host)) / rate
        wait = min(max(wait, self.least), self.most)
        due_at = record.last_visit_at + wait
        return now if now < due_at <= now + SLACK * wait else due_at

    def trust(self, host: Account) -> float:
        """Return how likely a hint of this site tells of a change, from 0 to below 1."""
        hints = host.hints
        wrong = (hints.unchanged + HINT_DOUBT) / (hints.expected + HINT_DOUBT)
        return min(max(0.0, 1.0 - wrong), HINT_TRUST_MAX)

    # -- what it costs ------------------------------------------------------

    @property
    def budget(self) -> float:
        """Visits per second."""
        return self.visits_per_second or max(1, self.crawl.pages) / self.first

    def price(self, host: Account, now: float) -> float:
        """Return the price of a visit to the host."""
        return self._crawl_price(now) * max(1.0, host.price)

    def spend(self, host: Account, now: float, *, host_rate: float = math.inf, waiting: float = 0.0) -> None:
        """Note that a page of the host is about to be visited, and move the prices.

        `host_rate` is the most visits per second that the host's politeness has room for, `waiting` the
        pages of the host that are due and have not been visited yet.
        """
        crawl = self.crawl
        guess = self._first_price()
        moved = math.log(self._crawl_price(now) / guess) + PRICE_GAIN / max(1, crawl.pages)
        crawl.price = guess * math.exp(min(max(-PRICE_SPAN, moved), PRICE_SPAN))
        crawl.moved_at = max(now, crawl.moved_at)
        if math.isfinite(host_rate):
            self._move_host_price(host, now, host_rate, waiting)

    def _move_host_price(self, host: Account, now: float, host_rate: float, waiting: float) -> None:
        pages = max(1, host.pages)
        if host.price <= 0.0:
            even = crawl_value(self.objective, self.prior(host).rate, pages / host_rate)
            host.price = even / self._crawl_price(now)
            host.moved_at = now
        room = host_rate * max(0.0, now - host.moved_at)
        # Visits beyond what the host has room for raise the price; so does, slowly, what still waits of them,
        # or the queue would never get shorter.
        beyond = 1.0 - room + QUEUE_WEIGHT * waiting / pages
        raised = math.log(max(1.0, host.price)) + PRICE_GAIN / pages * beyond
        host.price = math.exp(min(max(0.0, raised), PRICE_SPAN))
        host.moved_at = now

    def _crawl_price(self, now: float) -> float:
        """Return the crawl's price: it falls while time passes without a visit."""
        crawl = self.crawl
        if crawl.price <= 0.0:
            crawl.price = self._first_price()
            crawl.moved_at = now
        # Of a crawl that was down for a month only one round counts: what was missed is not made up.
        rounds = min(1.0, self.budget * max(0.0, now - crawl.moved_at) / max(1, crawl.pages))
        return crawl.price * math.exp(-PRICE_GAIN * rounds)

    def _first_price(self) -> float:
        """Return the price that would be right if all pages changed alike."""
        seconds = max(1, self.crawl.pages) / self.budget
        return crawl_value(self.objective, self._crawl_rate, seconds)

    def _solved_crawl_rate(self) -> float:
        return rate_of(self.crawl.evidence, Prior.of(1.0 / self.first, CRAWL_PRIOR))

    def _judge_hint(self, record: Watched, is_changed: bool, host: Account, seconds: float) -> None:
        hints = host.hints
        kept = 1.0 - 1.0 / HOST_MEMORY
        unchanged_chance = math.exp(-self.rate(record.evidence, host) * seconds)
        host.hints = HintRecord(
            unchanged=hints.unchanged * kept + (0.0 if is_changed else 1.0),
            expected=hints.expected * kept + unchanged_chance,
        )
