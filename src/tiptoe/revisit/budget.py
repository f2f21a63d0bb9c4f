"""How are the visits of a crawl spent where they are worth most?

Every visit has a price, the same for all pages. A page is due when its crawl value (`value.py`) reaches the
price. The price adjusts itself: each visit raises it a little, and time lowers it by as much as the budget
allows. So the number of visits matches the budget, and nothing has to be solved for all pages at once.

A host that may not be visited that often has its own price, above that of the crawl. It is moved in the same
way by the visits of the host and what politeness allows, and directly by the host's queue: so its few visits
go to its best pages, and the crawl's price falls until others use what it cannot (Kolobov et al. 2019).

Before a page has been visited twice, it is assumed to be like others of its host. How often those change is
the mean of the logarithms of their rates, as far as these are known themselves.
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
"""Number of visits over which evidence fades, because a page, a host or the web may change its habits."""

FIRST_GUESSES = 6.0
"""How fast the first pages of a host fade, which were judged before anything was known about the others."""

PAGE_PRIOR = 0.5
"""Weight, in changes, of the belief about a page before its first visit: low, as rates in a host differ
much."""

MEAN_OVER_MIDDLE = -belief_of(ChangeEvidence(), Prior.of(1.0, PAGE_PRIOR)).mean_log_rate
"""Logarithm of the mean rate minus the mean of the logarithms, for rates that differ that much."""

STRIDE = 2.0
"""Factor for how far the evidence of a page has moved the belief away from that about all pages, because a
few visits move it only part of the way. The mean over many pages keeps this stable."""

HOST_PRIOR = 10.0
CRAWL_PRIOR = 2.0
"""Weight, in pages, of the belief about a host, or the crawl, before its first page."""

PRICE_GAIN = 2.0
"""How far as many visits as there are pages move the price, in powers of e."""

PRICE_SPAN = 6.0
"""Maximum distance of a price from its first guess, in powers of e, so that it can recover soon enough."""

QUEUE_PAGES, QUEUE_SHARE = 20.0, 0.05
"""Length of a queue, in pages and as a share of a host's pages, that raises its price by a power of e."""

QUEUE_WEIGHT = 0.1
"""Weight of such a queue relative to one visit too many."""

SLACK = 0.03
"""Part of its interval by which a page may be early: prices always move a little, and postponing costs
writes."""

HINT_DOUBT = 2.0
"""Number of unchanged hinted visits assumed for a site before its first one."""

HINT_TRUST_MAX = 0.99


class HintRecord(msgspec.Struct, array_like=True, gc=False):
    """How reliable the hints of a site have been, counted over visits that followed one."""

    unchanged: float = 0.0  # visits that found nothing new nevertheless
    expected: float = 0.0  # how many would have found nothing new if the hints were worthless


class Habits(msgspec.Struct, array_like=True, gc=False):
    """How often pages change: the mean of the logarithms of their rates, weighted by the time watched."""

    log_rate_seconds: float = 0.0
    seconds: float = 0.0
    visits: int = 0

    def with_page(self, log_rate: float, seconds: float, memory: float) -> "Habits":
        """Return the habits with one more page, watched for `seconds`; older pages fade a little."""
        kept = 1.0 - max(1.0 / memory, FIRST_GUESSES / (FIRST_GUESSES + self.visits))
        return Habits(
            self.log_rate_seconds * kept + log_rate * seconds, self.seconds * kept + seconds, self.visits + 1
        )

    def log_rate(self, pages: int, believed: float, weight: float) -> float:
        """Return the mean over these pages and the prior belief, which weighs as much as `weight` pages."""
        # Ten visits to one page do not count as ten pages.
        seen = min(self.visits, pages)
        if not seen or not self.seconds:
            return believed
        return (self.log_rate_seconds / self.seconds * seen + believed * weight) / (seen + weight)


class Account(msgspec.Struct, array_like=True, gc=False):
    """What is known about the watched pages of a host, or of the crawl, and what their visits cost."""

    pages: int = 0  # that are to be visited again
    price: float = 0.0  # of the crawl: a crawl value; of a host: a multiple (>= 1) of the crawl's; 0 = new
    moved_at: float = 0.0
    rate: float = 0.0  # mean over the pages of a host, as learned; 0 = that of the crawl
    habits: Habits = msgspec.field(default_factory=Habits)
    hints: HintRecord = msgspec.field(default_factory=HintRecord)
    waiting: float = 0.0  # of a host: pages in its queue when the price was moved
    room: float = 0.0  # of a host: visits per second that shorten the queue


class Optimal:
    """Estimates how often each page changes, and says when a visit is worth the price.

    `crawl` is the account of the whole crawl; the caller keeps `pages` correct, and stores it. With a budget
    of 0 there are as many visits as if every page were visited once per `first`. Before anything is known,
    pages are believed to change once per `first`.
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
                # An earlier change would have been hinted too, so there was none before the hint.
                quiet = record.hinted_at - record.last_visit_at
        evidence = noted(
            record.evidence, quiet_seconds=quiet, open_seconds=seconds - quiet,
            is_changed=visit.is_changed, memory=PAGE_MEMORY,
        )  # fmt: skip
        self._learn_habits(evidence, host, seconds)
        return evidence

    def _learn_habits(self, evidence: ChangeEvidence, host: Account, seconds: float) -> None:
        """Learn from a page as an example of its host and of the crawl.

        Weighted by the time watched, because pages that are visited more often are not better examples.
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
        """Return the belief about a page of the host before its first visit."""
        return Prior.of(host.rate or self._crawl_rate, PAGE_PRIOR)

    # -- when to come back --------------------------------------------------

    def next_visit(self, record: Watched, visit: Observation, host: Account, now: float) -> float:
        """Return the seconds until the next visit; the record has the last one noted."""
        return max(self.least, self.due_at(record, host, now) - now)

    def due_at(self, record: Watched, host: Account, now: float) -> float:
        """Return when a visit to the page is worth the current price; `now` if that is near."""
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
        """Return how many seconds of waiting a hint is worth."""
        if not self.uses_hints or record.hinted_at <= record.last_visit_at:
            return 0.0
        return -math.log1p(-self.trust(host)) / self.rate(record.evidence, host)

    def trust(self, host: Account) -> float:
        """Return the probability that a hint of this site is true, from 0 to below 1."""
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
        """Move the prices, because a page of the host is about to be visited.

        `host_rate` is the maximum number of visits per second that politeness allows for the host, `waiting`
        the number of its pages that are due but not visited yet.
        """
        crawl = self.crawl
        guess = self._first_price()
        moved = math.log(self._crawl_price(now) / guess) + PRICE_GAIN / max(1, crawl.pages)
        crawl.price = guess * math.exp(min(max(-PRICE_SPAN, moved), PRICE_SPAN))
        crawl.moved_at = max(now, crawl.moved_at)
        if math.isfinite(host_rate):
            self.charge_host(host, now, host_rate, waiting)

    def charge_host(self, host: Account, now: float, host_rate: float, waiting: float) -> None:
        """Move only the price of a host: one of its pages is due, whether or not it can be visited."""
        visits = 1.0 - host_rate * max(0.0, now - host.moved_at) if host.price else 1.0
        # Visits above what the host has room for raise the price. So does, slowly, its queue; otherwise the
        # queue would never get shorter.
        beyond = visits + QUEUE_WEIGHT * waiting / _long_queue(host)
        raised = math.log(max(1.0, host.price)) + PRICE_GAIN / max(1, host.pages) * beyond
        host.price = math.exp(min(max(0.0, raised), PRICE_SPAN))
        host.moved_at = now
        host.waiting, host.room = waiting + 1.0, host_rate

    def _crawl_price(self, now: float) -> float:
        """Return the crawl's price, which falls while time passes without a visit."""
        crawl = self.crawl
        if crawl.price <= 0.0:
            crawl.price = self._first_price()
            crawl.moved_at = now
        # Even if the crawl was down for a month, only one round counts: missed visits are not made up.
        rounds = min(1.0, self.budget * max(0.0, now - crawl.moved_at) / max(1, crawl.pages))
        price = crawl.price * math.exp(-PRICE_GAIN * rounds)
        if rounds == 1.0:
            # Nothing was worth the price for a whole round, so it continues to fall in the next one.
            lowest = self._first_price() * math.exp(-PRICE_SPAN)
            price = crawl.price = max(price, min(crawl.price, lowest))
            crawl.moved_at = now
        return price

    def _first_price(self) -> float:
        """Return the price that would be right if nothing were known about single pages."""
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
    """Return the length of a queue that multiplies the price by e."""
    return QUEUE_PAGES + QUEUE_SHARE * host.pages
