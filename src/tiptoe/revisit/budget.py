"""How are the visits of a crawl spent where they are worth most?

Every visit has one price, the same for all pages. A page is due when its crawl value (`value.py`) reaches the
price. The price finds itself: each visit raises it a little, and time lowers it by as much as the budget
allows in that time. So the visits are those of the budget, and nothing is ever solved for all pages at once.

A host that may not be asked as often as that has its own price above that of the crawl, moved in the
same way by its own visits and what its politeness allows, and at once by its queue: its few visits go to its
best pages, and the crawl's price falls until others have what it cannot use (Kolobov et al. 2019).

Before a page has been visited twice, it is thought to be like others of its host. How often those change is
the mean over them of the logarithm of their rates, as far as these are known themselves.
"""

import math

import msgspec

from tiptoe.revisit.belief import belief_of, mean_value, worth_after
from tiptoe.revisit.change_evidence import ChangeEvidence, Prior, noted, rate_of
from tiptoe.revisit.strategies import Observation, Watched
from tiptoe.revisit.value import Objective

__all__ = ["Account", "Habits", "HintRecord", "Optimal"]

PAGE_MEMORY = 64.0
HOST_MEMORY = 300.0
CRAWL_MEMORY = 2_000.0
HINT_MEMORY = 2_000.0
"""Visits after which evidence has faded: a page, a host, a web may take up other habits."""

FIRST_GUESSES = 6.0
"""How fast the first pages of a host fade: they were judged while nothing was known of the others."""

PAGE_PRIOR = 0.5
"""Changes that the belief in a page weighs before its first visit: rates within a host lie far apart."""

MEAN_OVER_MIDDLE = -belief_of(ChangeEvidence(), Prior.of(1.0, PAGE_PRIOR)).mean_log_rate
"""Logarithm of the mean rate, less the mean of the logarithms, of rates that lie so far apart."""

STRIDE = 2.0
"""By how much the way counts that a page leads away from what was believed of all: few visits lead only part
of it. The mean over many pages keeps it steady."""

HOST_PRIOR = 10.0
CRAWL_PRIOR = 2.0
"""Pages that the belief in a host and a crawl weighs before its first."""

PRICE_GAIN = 2.0
"""How far, in powers of e, as many visits as there are pages move the price."""

PRICE_SPAN = 6.0
"""How far, in powers of e, a price may be from its first guess, so that it finds back in time."""

QUEUE_PAGES, QUEUE_SHARE = 20.0, 0.05
"""Length of a queue, in pages and as a share of a host's pages, that raises its price by a power of e."""

QUEUE_WEIGHT = 0.1
"""How such a queue counts against a visit too many."""

SLACK = 0.03
"""Part of an interval by which a page may be early: prices always move a little, and a table is not free."""

HINT_DOUBT = 2.0
"""Hinted visits without a change that a site is thought to have had before its first."""

HINT_TRUST_MAX = 0.99


class HintRecord(msgspec.Struct, array_like=True, gc=False):
    """How true the hints of a site have been: visits that followed one."""

    unchanged: float = 0.0  # visits that found nothing new all the same
    expected: float = 0.0  # as many as would have, had the hints been worthless


class Habits(msgspec.Struct, array_like=True, gc=False):
    """How often pages change: the mean of the logarithm of the rate, each for as long as it was watched."""

    log_rate_seconds: float = 0.0
    seconds: float = 0.0
    visits: int = 0

    def with_page(self, log_rate: float, seconds: float, memory: float) -> "Habits":
        """Return the habits with a page that was watched for some time, the oldest faded a little."""
        kept = 1.0 - max(1.0 / memory, FIRST_GUESSES / (FIRST_GUESSES + self.visits))
        return Habits(
            self.log_rate_seconds * kept + log_rate * seconds, self.seconds * kept + seconds, self.visits + 1
        )

    def log_rate(self, pages: int, believed: float, weight: float) -> float:
        """Return the mean over these pages and what was believed before, which weighs as much as some."""
        # The tenth visit to a page is no tenth page.
        seen = min(self.visits, pages)
        if not seen or not self.seconds:
            return believed
        return (self.log_rate_seconds / self.seconds * seen + believed * weight) / (seen + weight)


class Account(msgspec.Struct, array_like=True, gc=False):
    """What is known of the pages of a host, or of the crawl, and what their visits cost."""

    pages: int = 0  # that are to be visited again
    price: float = 0.0  # of the crawl: as a crawl value; of a host: times the crawl's, at least 1; 0 = new
    moved_at: float = 0.0
    rate: float = 0.0  # mean over the pages of a host, as it was learned; 0 = as those of the crawl
    habits: Habits = msgspec.field(default_factory=Habits)
    hints: HintRecord = msgspec.field(default_factory=HintRecord)
    waiting: float = 0.0  # of a host: pages in its queue when the price was moved
    room: float = 0.0  # and the visits per second that shorten it


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
        self._crawl_rate = self._learned_crawl_rate()

    def __repr__(self) -> str:
        return (
            f"<Optimal {self.objective} {self.crawl.pages} pages, {self.budget * 86400:.0f} visits a day, "
            f"price {self.crawl.price:.3g}>"
        )

    # -- what a visit shows -------------------------------------------------

    def learn(self, record: Watched, visit: Observation, host: Account, now: float) -> ChangeEvidence:
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
        evidence = noted(
            record.evidence, quiet_seconds=quiet, open_seconds=seconds - quiet,
            is_changed=visit.is_changed, memory=PAGE_MEMORY,
        )  # fmt: skip
        self._learn_habits(evidence, host, seconds)
        return evidence

    def _learn_habits(self, evidence: ChangeEvidence, host: Account, seconds: float) -> None:
        """Take a page as an example of its host and of the crawl.

        It counts for as long as it was watched: pages that are visited often are no better examples.
        """
        prior = self.prior(host)
        before = math.log(prior.rate) - MEAN_OVER_MIDDLE
        log_rate = before + STRIDE * (belief_of(evidence, prior).mean_log_rate - before)
        crawl = self.crawl
        crawl.habits = crawl.habits.with_page(log_rate, seconds, CRAWL_MEMORY)
        host.habits = host.habits.with_page(log_rate, seconds, HOST_MEMORY)
        self._crawl_rate = self._learned_crawl_rate()
        believed = math.log(self._crawl_rate) - MEAN_OVER_MIDDLE
        host.rate = math.exp(host.habits.log_rate(host.pages, believed, HOST_PRIOR) + MEAN_OVER_MIDDLE)

    def _learned_crawl_rate(self) -> float:
        believed = -math.log(self.first) - MEAN_OVER_MIDDLE
        crawl = self.crawl
        return math.exp(crawl.habits.log_rate(crawl.pages, believed, CRAWL_PRIOR) + MEAN_OVER_MIDDLE)

    def rate(self, evidence: ChangeEvidence, host: Account) -> float:
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
        belief = belief_of(record.evidence, self.prior(host))
        price = self.price(host, now)
        told_seconds = self._told_seconds(record, host)
        elapsed = max(0.0, now - record.last_visit_at)
        if elapsed > self.least and (
            elapsed >= self.most
            or mean_value(self.objective, belief, elapsed / (1.0 - SLACK) + told_seconds) >= price
        ):
            return now
        near = record.interval or self.first
        wait = worth_after(self.objective, belief, price, near=near, most=self.most) - told_seconds
        return record.last_visit_at + min(max(wait, self.least), self.most)

    def _told_seconds(self, record: Watched, host: Account) -> float:
        """Return how much time a hint counts for."""
        if not self.uses_hints or record.hinted_at <= record.last_visit_at:
            return 0.0
        return -math.log1p(-self.trust(host)) / self.rate(record.evidence, host)

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
        """Return the price of a visit to the host; a queue raises it until it is short again."""
        price = self._crawl_price(now) * max(1.0, host.price)
        waiting = host.waiting - host.room * max(0.0, now - host.moved_at)
        return price * math.exp(waiting / _long_queue(host)) if waiting > 0.0 else price

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
            self.charge_host(host, now, host_rate, waiting)

    def charge_host(self, host: Account, now: float, host_rate: float, waiting: float) -> None:
        """Move the price of a host alone: one of its pages is wanted, whether or not it can be visited."""
        visits = 1.0 - host_rate * max(0.0, now - host.moved_at) if host.price else 1.0
        # Visits beyond what the host has room for raise the price; so does, slowly, what still waits of them,
        # or the queue would never get shorter.
        beyond = visits + QUEUE_WEIGHT * waiting / _long_queue(host)
        raised = math.log(max(1.0, host.price)) + PRICE_GAIN / max(1, host.pages) * beyond
        host.price = math.exp(min(max(0.0, raised), PRICE_SPAN))
        host.moved_at = now
        host.waiting, host.room = waiting + 1.0, host_rate

    def _crawl_price(self, now: float) -> float:
        """Return the crawl's price: it falls while time passes without a visit."""
        crawl = self.crawl
        if crawl.price <= 0.0:
            crawl.price = self._first_price()
            crawl.moved_at = now
        # Of a crawl that was down for a month only one round counts: what was missed is not made up.
        rounds = min(1.0, self.budget * max(0.0, now - crawl.moved_at) / max(1, crawl.pages))
        price = crawl.price * math.exp(-PRICE_GAIN * rounds)
        if rounds == 1.0:
            # Nothing was worth the price for a whole round: in the next one it goes on falling.
            lowest = self._first_price() * math.exp(-PRICE_SPAN)
            price = crawl.price = max(price, min(crawl.price, lowest))
            crawl.moved_at = now
        return price

    def _first_price(self) -> float:
        """Return the price that would be right while nothing is known of single pages."""
        belief = belief_of(ChangeEvidence(), Prior.of(self._crawl_rate, PAGE_PRIOR))
        return mean_value(self.objective, belief, max(1, self.crawl.pages) / self.budget)

    def _judge_hint(self, record: Watched, is_changed: bool, host: Account, seconds: float) -> None:
        hints = host.hints
        kept = 1.0 - 1.0 / HINT_MEMORY
        unchanged_chance = math.exp(-self.rate(record.evidence, host) * seconds)
        host.hints = HintRecord(
            unchanged=hints.unchanged * kept + (0.0 if is_changed else 1.0),
            expected=hints.expected * kept + unchanged_chance,
        )


def _long_queue(host: Account) -> float:
    """Return the pages of a queue that is too long by a power of e."""
    return QUEUE_PAGES + QUEUE_SHARE * host.pages
