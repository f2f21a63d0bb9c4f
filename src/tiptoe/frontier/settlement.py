"""What follows from a result?

A page record, new links, a retry later, a host that is left alone for a while
or for good. Harvesters report results in the order of the requests.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from tiptoe.frontier.effect import Effect
from tiptoe.frontier.finds import Finds
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.mirrors import Mirrors
from tiptoe.frontier.novelty import remember_prose
from tiptoe.frontier.page_record import WAITING, PageRecord
from tiptoe.frontier.patience import PATIENCE, CountedTry, Patience, Trouble, trouble_of
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.frontier.priority import RETRIED
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.repetition import remember_text
from tiptoe.frontier.restraint import Restraint
from tiptoe.frontier.revisit_scheduler import RevisitScheduler
from tiptoe.frontier.revisits import Revisits
from tiptoe.frontier.robots_settlement import RobotsSettlement
from tiptoe.frontier.shapes import Shapes
from tiptoe.frontier.steering import Steering
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.frontier.troubles import clear_troubles, directory_of, is_blamed, record_trouble, url_wait
from tiptoe.protocol.work import Purpose, Request, Result
from tiptoe.url.address import host_key, host_of, page_key, url_key

__all__ = ["WAITING", "PageLearners", "Settlement"]


PACE_MEMORY = 0.7
"""Weight of the past in a host's smoothed response time."""

TOO_MANY_REQUESTS = 429
COUNTED = (Purpose.RULES_REQUEST, Purpose.LOGIN)
"""Requests that a harvester makes by itself before others; their results are only counted."""
RULES = (*COUNTED, Purpose.ROBOTS)


class PageLearners(NamedTuple):
    """The parts that learn from the first visit of a page, about its host and others."""

    steering: Steering  # whether the host is worth its requests
    mirrors: Mirrors  # whether another host has the same texts
    shapes: Shapes  # which shapes of URLs lead to text


class Settlement:
    """Turns results into page records, retries and further requests."""

    def __init__(
        self,
        step: Step,
        policy: FrontierPolicy,
        transitions: Transitions,
        restraint: Restraint,
        robots: RobotsSettlement,
        learners: PageLearners,
        revisits: Revisits,
        revisit_scheduler: RevisitScheduler,
    ) -> None:
        self._step = step
        self._rules = policy.politeness
        self._transitions = transitions
        self._restraint = restraint
        self._robots = robots
        self._steering, self._mirrors, self._shapes = learners
        self._revisits = revisits
        self._revisit_scheduler = revisit_scheduler
        self._finds = Finds(
            step,
            policy.schedule,
            follows_sitemaps=policy.follows_sitemaps,
            follows_feeds=policy.follows_feeds,
        )

    def expect(self, results: Iterable[Result]) -> None:
        """Look up at once what settling these results will need one by one."""
        self._mirrors.expect(dict.fromkeys(result.text_hash for result in results if result.text_hash))

    def settle(self, result: Result, now: float) -> list[Effect]:
        """Record one result; return its effects on hosts, above all its links."""
        if result.source is not None:  # it turned out to be a sitemap or feed and is treated as such
            request = msgspec.structs.replace(result.request, purpose=result.source)
            result = msgspec.structs.replace(result, request=request)
        purpose = result.request.purpose
        record = self._step.hosts.obtain(host_of(result.request.url))
        self._step.hosts.touch(record)
        if result.status or result.failure:
            self._count_request(record, result)
        if result.retry_after > 0:  # applies to every kind of answer
            self._restraint.leave_alone(record, now + min(result.retry_after, self._rules.retry_after_max))
        if purpose in RULES:
            self._hold_if_in_trouble(record, result, now)
        if purpose in COUNTED:
            return []
        if result.robots is not None:
            return [self._robots.settle(result.request, result.robots)]
        if purpose is Purpose.ROBOTS:
            return [self._robots.settle_lost(result.request)]
        trouble = trouble_of(result.status, result.failure, result.discard)
        if trouble is not None:
            self._settle_trouble(record, result, trouble, now)
            return []
        if result.status:  # 0: the request was not made
            clear_troubles(record, result.request.url)
        record.texts = remember_text(record.texts, result.request, result.text_hash, result.discard)
        if result.request.last_visit is not None:
            return self._settle_revisit(record, result, now)
        return self._settle_answer(record, result, now)

    # -- answers ---------------------------------------------------------

    def _count_request(self, record: HostRecord, result: Result) -> None:
        self._step.totals.requests += 1
        self._step.totals.body_bytes += result.body_bytes
        self._step.totals.seconds_answering += result.seconds
        record.requests += 1
        # The yield per byte is measured at first visits only, of answers that may contain text.
        if result.request.last_visit is None and result.request.purpose is not Purpose.REQUISITE:
            record.body_bytes += result.body_bytes
        if record.response_seconds:
            past = PACE_MEMORY * record.response_seconds
            record.response_seconds = past + (1 - PACE_MEMORY) * result.seconds
        else:
            record.response_seconds = result.seconds

    def _settle_answer(self, record: HostRecord, result: Result, now: float) -> list[Effect]:
        outcome = _outcome_of(result)
        self._step.outcome(outcome)
        if result.redirect and self._finds.is_respelt(result):
            self._ask_respelt(record, result, now)
            return []
        if result.discard:
            self._step.discard(result.discard)
        effects: list[Effect] = []
        is_page = _is_page(result)
        page = self._page(result, outcome, now)
        if is_page and not page.is_counted:
            self._count_page(record, result)
            if result.text_hash:
                self._mirrors.compare(record, result.text_hash, effects)
            if not page.is_lost:  # a lost page was judged when it was first fetched
                has_text = _has_new_text(record, result)
                self._judge(record, result, now, effects, has_text=has_text)
                if has_text:
                    self._shapes.redeem(self._step.batch, result.request, record.requests)
        if result.fingerprint:
            url, is_kept = result.request.url, not result.discard
            self._step.texts.learn(
                self._step.batch, url, result.fingerprint, is_kept=is_kept, is_revisit=page.is_lost
            )
        page.is_counted |= is_page
        if is_page and outcome == "ok" and result.text_chars > 0 and not result.is_unchanged:
            page.version += 1
        page.is_lost = False
        if self._revisits.is_active:
            self._revisits.begin(record, page, result.request, now)
        key = host_key(record.host) + url_key(page.url)
        self._step.holdings.note(key, page, result)
        self._step.pages.put(self._step.batch, key, page)
        effects += self._finds.of(result, record.host)
        return effects

    def _ask_respelt(self, record: HostRecord, result: Result, now: float) -> None:
        """Queue a page again with the spelling its server insists on; directly, as the sieve knows it."""
        request = result.request
        self._keep_waiting(result, now)
        respelt = msgspec.structs.replace(
            request, url=result.redirect, hops=request.hops + 1, tries=request.tries + 1
        )
        self._transitions.enqueue(record, 0, Chunk.of(respelt), now)

    def _settle_revisit(self, record: HostRecord, result: Result, now: float) -> list[Effect]:
        """Settle a revisit; the yield of a host is judged by the first visits of its pages only."""
        outcome = _outcome_of(result)
        self._step.outcome(outcome)
        if result.discard:
            self._step.discard(result.discard)
        url = result.request.url
        key = page_key(url)
        page = self._step.pages.find(key)
        assert page is not None, f"{url} is visited again and unknown"
        if _is_page(result) and not page.is_counted:
            self._count_page(record, result)
            page.is_counted = True
        texts = self._step.texts
        if result.fingerprint:
            is_kept = not result.discard and not result.is_unchanged
            texts.learn(self._step.batch, url, result.fingerprint, is_kept=is_kept, is_revisit=True)
        else:
            texts.release(url)
        self._revisits.note(record, page, result, outcome, now)
        self._step.holdings.note(key, page, result)
        self._step.pages.put(self._step.batch, key, page)
        return [*self._finds.of(result, record.host)]

    def _judge(
        self, record: HostRecord, result: Result, now: float, effects: list[Effect], *, has_text: bool
    ) -> None:
        """Note the yield of a page, with new text or not; its host may turn out to be unproductive."""
        reason = self._steering.note(record, result, now, effects, has_text=has_text)
        if reason is not None and record.state is HostState.VISITED:
            self._transitions.mark_unproductive(record, now)
            self._step.outcome(reason)

    def _count_page(self, record: HostRecord, result: Result) -> None:
        record.pages += 1
        self._step.totals.pages += 1
        if result.text_chars and not result.discard:  # only such pages are in the corpus
            record.text_chars += result.text_chars
            self._step.totals.documents += 1
            self._step.totals.text_chars += result.text_chars

    def _page(self, result: Result, outcome: str, now: float) -> PageRecord:
        """Return the record of a page after its first visit, or an attempt at it."""
        request = result.request
        is_known = request.tries > 0 or request.remains is not None
        page = self._step.pages.find(page_key(request.url)) if is_known else None
        page = page or PageRecord(request.url, first_visit_at=now)
        if page.is_lost and not _is_page(result):
            # Keep what is left of a lost page, so that its text is recognised when it is fetched at last.
            page.outcome, page.tries, page.last_visit_at = outcome, request.tries, now
            page.visits += 1
            return page
        page.url = request.url  # the last spelling requested
        page.status = result.status
        page.outcome = outcome
        page.title = result.title
        page.depth = request.depth
        page.usability = result.usability
        page.tries = request.tries
        page.visits += 1
        page.last_visit_at = now
        page.changed_at = now
        page.etag = result.etag
        page.last_modified = result.last_modified
        page.content_hash = result.content_hash
        page.text_hash = result.text_hash
        page.location = result.redirect
        page.payload_digest = result.payload_digest
        page.stored_at = result.stored_at
        page.expires_at = result.expires_at
        page.is_off_useless = request.usability <= 0.0
        return page

    def _write_page(self, result: Result, outcome: str, now: float) -> None:
        page = self._page(result, outcome, now)
        self._step.pages.put(self._step.batch, page_key(page.url), page)

    # -- trouble ---------------------------------------------------------

    def _settle_trouble(self, record: HostRecord, result: Result, trouble: Trouble, now: float) -> None:
        patience = PATIENCE[trouble]
        self._step.outcome(trouble.value)
        is_news = self._is_news(record, result, patience, now)
        measures = record_trouble(record, trouble, self._rules, now, is_news=is_news)
        if patience.give_up_after:
            record.troubled_directory = directory_of(result.request.url)
        retry_after = min(result.retry_after, self._rules.retry_after_max)
        if measures.wait:
            self._restraint.hold(record, patience, now + max(measures.wait, retry_after))
        request = msgspec.structs.replace(result.request, tries=result.request.tries + 1)
        is_over = request.tries >= patience.tries
        retry_at = now + max(url_wait(self._rules, trouble, result.request.tries, request.url), retry_after)
        if request.last_visit is not None:
            is_over |= measures.gives_up or record.state is HostState.GONE
            self._revisit_later(record, result, trouble, 0.0 if is_over else retry_at, now)
            if measures.gives_up:
                self._restraint.give_up(record, trouble.value, now)
        elif record.state is HostState.GONE:
            self._drop_url(result, trouble, now)
        elif measures.gives_up:
            self._restraint.give_up(record, trouble.value, now)
            self._drop_or_keep(record, result, request, trouble, now)
        elif is_over:
            self._drop_url(result, trouble, now)
        else:
            self._keep_waiting(result, now)
            self._restraint.defer(request, retry_at)

    def _is_news(self, record: HostRecord, result: Result, patience: Patience, now: float) -> bool:
        """Whether a trouble says something new about the host since its last good answer."""
        request = result.request
        if record.troubled_at > record.left_at and record.held_until > now:
            return False  # the host already had trouble in this visit and is held for it
        if is_blamed(record, request.url):
            return False
        if not request.tries:
            return True
        counts_again = patience.counted is CountedTry.EVERY_TRY
        is_about_host = counts_again or result.status == TOO_MANY_REQUESTS or result.retry_after > 0
        if request.last_visit is not None:
            return is_about_host
        page = self._step.pages.find(page_key(request.url))
        was_in_row = record.troubles > 0 and page is not None and page.last_visit_at >= record.troubled_since
        # If not in a row, the host has answered others since this URL's last try: the URL is to blame.
        return was_in_row and is_about_host

    def _drop_or_keep(
        self, record: HostRecord, result: Result, request: Request, trouble: Trouble, now: float
    ) -> None:
        """Drop the URL of a host that was given up, unless the host gets another chance."""
        if self._revisit_scheduler.is_lost(record):
            self._drop_url(result, trouble, now)
        else:
            self._keep_waiting(result, now)
            self._transitions.enqueue(record, RETRIED, Chunk.of(request), now)

    def _revisit_later(
        self, record: HostRecord, result: Result, trouble: Trouble, retry_at: float, now: float
    ) -> None:
        """Keep watching a page whose revisit failed; `retry_at` 0 means that it is not tried again soon."""
        key = page_key(result.request.url)
        page = self._step.pages.find(key)
        assert page is not None, f"{result.request.url} is visited again and unknown"
        if trouble is Trouble.HARVESTER_LOST and not retry_at:
            page.visits += 1
            self._revisits.end(record, page)
        else:
            self._revisits.troubled(page, result.request, retry_at, now)
        self._step.texts.release(page.url)
        self._step.pages.put(self._step.batch, key, page)

    def _hold_if_in_trouble(self, record: HostRecord, result: Result, now: float) -> None:
        """Hold a host if a request for rules, its own or another's, had trouble.

        This does not count towards giving it up; whether rules were fetched is settled with the rules.
        """
        if result.failure:
            self._step.outcome(result.failure)
        trouble = trouble_of(result.status, result.failure)
        if trouble is not None and not record.troubles:
            record.trouble = trouble.value  # do not overwrite the kind of troubles that are being counted
        if trouble is not None and PATIENCE[trouble].host_waits:
            patience = PATIENCE[trouble]
            retry_after = min(result.retry_after, self._rules.retry_after_max)
            record.troubled_at = now
            own_wait = patience.hold * self._rules.backoff_first
            self._restraint.hold(record, patience, now + max(own_wait, retry_after))

    def _drop_url(self, result: Result, trouble: Trouble, now: float) -> None:
        self._step.discard(trouble.value)
        self._write_page(result, trouble.value, now)

    def _keep_waiting(self, result: Result, now: float) -> None:
        self._write_page(result, WAITING, now)


def _has_new_text(record: HostRecord, result: Result) -> bool:
    """Whether a page has prose that is new on its host; if its prose was not extracted, assume so."""
    if result.prose is None:
        return True
    record.prose, is_new = remember_prose(record.prose, result.prose)
    return is_new


def _is_page(result: Result) -> bool:
    return 200 <= result.status < 300 and result.request.purpose is Purpose.PAGE


def _outcome_of(result: Result) -> str:
    if result.discard:
        return result.discard
    if result.redirect:
        return "redirect"
    is_unmodified = result.status == 304 and result.request.last_visit is not None
    if 200 <= result.status < 300 or is_unmodified:
        return "ok"
    return f"http_{result.status}"
