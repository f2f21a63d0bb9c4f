"""When is a page visited again?

After each visit of a page its next one is entered in the calendar; from there `revisit_scheduler` moves it to
the queue of its host. A page that is *watched* is in exactly one of three places (the calendar, a queue or a
lease), and `next_visit_at` in its record is not 0.

Rule: a page that cannot be requested now stays watched; a page that is gone is requested twice more.
"""

from tiptoe.decide.discard import Discard
from tiptoe.decide.revisiting import WatchedPage
from tiptoe.frontier.calendar import Appointment
from tiptoe.frontier.freshness import aged_seconds, fresh_seconds
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.pages import renew
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.step import Step
from tiptoe.protocol.work import Hint, Purpose, Request, Result
from tiptoe.revisit.budget import Account, Optimal
from tiptoe.revisit.strategies import Adaptive, Observation, Strategy, Uniform
from tiptoe.revisit.value import Objective
from tiptoe.url.address import host_of, page_key

__all__ = ["Revisits", "account_of"]

WORTH_WATCHING = frozenset(
    ("ok", "redirect", Discard.NO_TEXT, Discard.TOO_SHORT, Discard.NO_MAIN_TEXT, Discard.NOINDEX,
     Discard.STORED_ASIDE)
)  # fmt: skip
"""Outcomes after which another visit is worthwhile: there is a text, or there are links or a redirect."""

HINTS_MAX = 10_000
SECONDS_PER_DAY = 86400.0


class Revisits:
    """Plans the next visit of each page from what its visits have shown."""

    def __init__(self, step: Step, policy: RevisitPolicy) -> None:
        self._step = step
        self._policy = policy
        self.optimal = _optimal(policy, step.learned.account)
        self._strategy = _strategy(policy)

    @property
    def is_active(self) -> bool:
        """Whether any page is visited again."""
        return self._policy.strategy != "none"

    @property
    def first_seconds(self) -> float:
        """Interval of a page about which nothing is known yet."""
        return self._policy.first_seconds

    @property
    def is_priced(self) -> bool:
        """Whether a budget is spent over all pages, rather than each page judged by itself."""
        return self._strategy is None

    def allot(self, visits_per_day: float) -> None:
        """Set the part of the crawl's budget to spend from now on; 0 = unchanged."""
        if visits_per_day:
            self.optimal.visits_per_second = visits_per_day / SECONDS_PER_DAY

    def is_valued(self, page: PageRecord, appointment: Appointment) -> bool:
        """Whether a visit is made for its value: not if ordered, a retry, or a check of a missing page."""
        is_of_value = not appointment.tries and not page.misses and not appointment.is_ordered
        return self.is_priced and is_of_value

    # -- what a visit shows ----------------------------------------------

    def begin(self, record: HostRecord, page: PageRecord, request: Request, now: float) -> None:
        """Plan the second visit of a page after its first one, if there is to be one."""
        if page.outcome in WORTH_WATCHING and self.is_wanted(record, page, request.purpose):
            self._step.learned.account.pages += 1
            account_of(record).pages += 1
            self._plan(record, page, request.purpose, Observation(None), now)

    def note(self, record: HostRecord, page: PageRecord, result: Result, outcome: str, now: float) -> None:
        """Learn from a revisit of a page, and plan the next one."""
        purpose = result.request.purpose
        is_there = outcome in WORTH_WATCHING
        if is_there and result.is_changed is not None:
            observed = Observation(result.is_changed)
            page.evidence = self.optimal.learn(page, observed, account_of(record), now)
        if page.version and page.outcome == "ok":  # we have no copy of a sitemap or a redirect
            self._count(record, page, result.is_changed, now, is_there=is_there)
        renew(page, result, outcome, now, is_there=is_there)
        page.misses = 0 if is_there else page.misses + 1
        if not self.is_wanted(record, page, purpose):
            self.end(record, page)
        elif is_there:
            self._plan(record, page, purpose, Observation(result.is_changed), now)
        else:
            interval = max(page.interval, self._policy.first_seconds) * 2 ** (page.misses - 1)
            self._enter(page, purpose, now + min(interval, self._policy.max_seconds))

    def troubled(self, page: PageRecord, request: Request, retry_at: float, now: float) -> None:
        """Plan another try after trouble: at `retry_at`, or, if that is 0, after the usual interval."""
        page.visits += 1
        if retry_at:
            self._enter(page, request.purpose, retry_at, tries=request.tries + 1)
        else:
            self._enter(page, request.purpose, now + max(page.interval, self._policy.min_seconds))

    def put_off(self, page: PageRecord, request: Request, at: float) -> None:
        """Enter a page that was in a queue in the calendar again; the caller writes its record."""
        self._enter(page, request.purpose, at, tries=request.tries)

    def end(self, record: HostRecord, page: PageRecord) -> None:
        """Stop watching a page; the caller writes its record."""
        page.next_visit_at = 0.0
        self._step.learned.account.pages -= 1
        account_of(record).pages -= 1
        self._step.hosts.touch(record)

    def is_wanted(self, record: HostRecord, page: PageRecord, purpose: Purpose) -> bool:
        """Whether a page is to be visited again, by the decision point `revisit`."""
        watched = WatchedPage(page.url, record.host, purpose, page.misses, page.depth)
        return self._policy.point.refusal(watched) is None

    def _count(
        self, record: HostRecord, page: PageRecord, is_changed: bool | None, now: float, *, is_there: bool
    ) -> None:
        """Count the result of a revisit to a page of the corpus, and for how long our copy was up to date."""
        self._step.totals.revisits += 1
        self._step.totals.revisits_gone += not is_there
        if is_changed is None:
            return
        self._step.totals.revisits_changed += is_there and is_changed
        self._step.totals.revisits_unchanged += is_there and not is_changed
        seconds = max(0.0, now - page.last_visit_at)
        rate = self.optimal.rate(page.evidence, account_of(record))
        self._step.totals.watched_seconds += seconds
        self._step.totals.fresh_seconds += fresh_seconds(seconds, rate, is_changed=is_changed)
        self._step.totals.aged_seconds += aged_seconds(seconds, rate, is_changed=is_changed)

    def _plan(
        self, record: HostRecord, page: PageRecord, purpose: Purpose, visit: Observation, now: float
    ) -> None:
        if self._strategy is None:
            page.interval = self.optimal.next_visit(page, visit, account_of(record), now)
        else:
            page.interval = self._strategy.next_visit(page, visit, now)
        self._step.hosts.touch(record)
        self._enter(page, purpose, now + page.interval)

    def _enter(self, page: PageRecord, purpose: Purpose, at: float, *, tries: int = 0) -> None:
        page.next_visit_at = self._step.calendar.enter(
            self._step.batch, page_key(page.url), at, Appointment(purpose, tries)
        )

    # -- hints -----------------------------------------------------------

    def apply_hints(self, source: Result, now: float) -> None:
        """Bring visits forward where a sitemap or feed announces changes of pages of its own host."""
        if not (self.is_active and self._policy.uses_hints):
            return
        host = host_of(source.request.url)
        hints = [hint for hint in source.hints[:HINTS_MAX] if host_of(hint.url) == host]
        record = self._step.hosts.find(host)
        if record is None:
            return
        keys = [page_key(hint.url) for hint in hints]
        for hint, key, page in zip(hints, keys, self._step.pages.find_many(keys), strict=True):
            if page is not None and page.next_visit_at:
                self._apply_hint(record, hint, key, page, now)

    def _apply_hint(self, record: HostRecord, hint: Hint, key: bytes, page: PageRecord, now: float) -> None:
        if not max(page.last_visit_at, page.hinted_at) < hint.changed_at <= now:
            return
        page.hinted_at = hint.changed_at
        calendar, batch = self._step.calendar, self._step.batch
        appointment = calendar.find(key, page.next_visit_at)
        at = max(now, self._hinted_visit_at(record, page, now))
        if appointment is not None and not appointment.tries and at < page.next_visit_at:
            calendar.strike(batch, key, page.next_visit_at)
            page.next_visit_at = calendar.enter(batch, key, at, appointment)
        self._step.pages.put(batch, key, page)

    def _hinted_visit_at(self, record: HostRecord, page: PageRecord, now: float) -> float:
        account = account_of(record)
        if self._strategy is None:
            return self.optimal.due_at(page, account, now)
        doubt = 1.0 - self.optimal.trust(account)
        return page.last_visit_at + max(page.interval * doubt, self._policy.min_seconds)


def account_of(record: HostRecord) -> Account:
    """Return the account of a host; create it if there is none."""
    if record.account is None:
        record.account = Account()
    return record.account


def _strategy(policy: RevisitPolicy) -> Strategy | None:
    """Return the strategy that judges each page by itself; None if one budget is spent over all pages."""
    match policy.strategy:
        case "optimal":
            return None
        case "uniform":
            return Uniform(min(max(policy.first_seconds, policy.min_seconds), policy.max_seconds))
        case "adaptive" | "none":  # none: a revisit that an earlier run handed out may still be reported
            return Adaptive(
                first=policy.first_seconds, least=policy.min_seconds, most=policy.max_seconds,
                shrink=policy.shrink, grow=policy.grow,
            )  # fmt: skip
        case unknown:
            raise ValueError(f"unknown revisit strategy {unknown!r}: name it here too")


def _optimal(policy: RevisitPolicy, account: Account) -> Optimal:
    """Return the part that spends a budget and, under any strategy, estimates how often pages change."""
    return Optimal(
        crawl=account, first=policy.first_seconds, least=policy.min_seconds, most=policy.max_seconds,
        objective=Objective(policy.objective), visits_per_second=policy.visits_per_day / SECONDS_PER_DAY,
        uses_hints=policy.uses_hints,
    )  # fmt: skip
