"""Who pays for trouble: the URL that is in it, its host, or nobody? Played in virtual time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from rehearsal import Rehearsal

from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.host import ORIGINS_MAX, HostRecord, HostState
from tiptoe.frontier.origins import note_missing_rules
from tiptoe.frontier.patience import PATIENCE, Trouble, trouble_of
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.troubles import LEAST_WAITS, SPREAD_URLS, clear_troubles, record_trouble
from tiptoe.protocol.work import Purpose, Report, Request, Result

MINUTE = 60.0
HOUR = 3600.0
RULES = Politeness(req_delay=2.0, max_hosts=2, max_reqs=50, general_pause=60.0)
HOME = "http://a.example/"

FAULTS: dict[str, dict[str, object]] = {
    "500": {"status": 500},
    "502": {"status": 502},
    "503": {"status": 503},
    "429": {"status": 429},
    "503 for 100 s": {"status": 503, "retry_after": 100.0},
    "challenge": {"status": 200, "discard": "challenge"},
    **{
        failure: {"failure": failure}
        for failure in (
            "timed_out", "too_slow", "reset", "bad_answer", "headers_too_big", "refused", "unreachable",
            "tls_failed",
        )
    },
}  # fmt: skip
"""What a server may do instead of giving a page."""

Fault = Callable[[str, float], dict[str, object] | None]
"""What is wrong with a page at a moment; None: nothing."""


@dataclass
class Site:
    """A home page that links to all others, the bad ones first, and what became of them."""

    good: int
    bad: int
    fault: Fault
    policy: FrontierPolicy = field(default_factory=lambda: FrontierPolicy(politeness=RULES))
    fetched: list[tuple[float, str]] = field(default_factory=list)
    failed: list[tuple[float, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.stage = Rehearsal({}, {"a.example": "192.0.2.1"}, self.policy, answer=self.answer)

    def crawl(self, *seeds: str) -> "Site":
        self.began_at = self.stage.now
        self.stage.run([HOME, *seeds])
        return self

    def answer(self, request: Request, now: float) -> Result:
        kinds = [f"{HOME}bad/{number}" for number in range(self.bad)]
        kinds += [f"{HOME}good/{number}" for number in range(self.good)]
        fault = self.fault(request.url, now)
        if fault is not None:
            self.failed.append((now, request.url))
            return Result(request, **fault)  # type: ignore[arg-type]
        self.fetched.append((now, request.url))
        found = links_to(kinds) if request.url == HOME else []
        return Result(request, status=200, text_chars=100, body_bytes=1000, links=found)

    @property
    def pages(self) -> int:
        """Good pages that were fetched."""
        return len({url for _, url in self.fetched if "/good/" in url})

    @property
    def record(self) -> HostRecord:
        record = self.stage.frontier.host("a.example")
        assert record is not None
        return record

    @property
    def seconds(self) -> float:
        """How long the crawl took."""
        return self.stage.now - self.began_at

    @property
    def seconds_to_last_page(self) -> float:
        return max(at for at, url in self.fetched if "/good/" in url) - self.began_at


def bad_pages(kind: str) -> Fault:
    return lambda url, now: FAULTS[kind] if "/bad/" in url else None


def all_but_home(kind: str) -> Fault:
    return lambda url, now: FAULTS[kind] if url != HOME else None


def patience_with(kind: str) -> tuple[Trouble, int]:
    fault = Result(Request(HOME), **FAULTS[kind])  # type: ignore[arg-type]
    trouble = trouble_of(fault.status, fault.failure, fault.discard)
    assert trouble is not None
    return trouble, PATIENCE[trouble].tries


# -- one URL -------------------------------------------------------------


@pytest.mark.parametrize("kind", FAULTS)
def test_one_bad_page_costs_its_host_some_pauses_and_no_page(kind: str) -> None:
    """It is tried its number of times, at moments of its own, while all others are fetched."""
    site = Site(100, 1, bad_pages(kind)).crawl()
    undisturbed = Site(100, 0, bad_pages(kind)).crawl()
    trouble, tries = patience_with(kind)
    assert site.pages == 100
    assert len(site.failed) == tries
    pauses = tries * (2.2 * PATIENCE[trouble].hold * MINUTE + 2 * RULES.general_pause)
    assert site.seconds_to_last_page <= undisturbed.seconds_to_last_page + pauses
    assert site.seconds <= 2 * HOUR
    assert (site.record.gone_because, site.stage.frontier.counters.gauges.due) == ("", 0)
    assert site.stage.frontier.counters.totals.discards == {trouble.value: 1}


@pytest.mark.parametrize("kind", FAULTS)
def test_the_tries_of_a_url_come_later_each_time(kind: str) -> None:
    site = Site(0, 1, bad_pages(kind)).crawl()
    trouble, tries = patience_with(kind)
    gaps = [later - at for (at, _), (later, _) in pairwise(site.failed)]
    firsts = [PATIENCE[trouble].first_wait * MINUTE * 2**number for number in range(tries - 1)]
    assert len(gaps) == tries - 1
    assert all(gap >= least - 1.0 for gap, least in zip(gaps, firsts, strict=True))


def test_a_page_that_is_overloaded_for_a_while_is_fetched_in_the_end() -> None:
    site = Site(10, 1, lambda url, now: FAULTS["503"] if "/bad/" in url and now < 1000.0 + 600.0 else None)
    site.crawl()
    assert (site.pages, len(site.fetched)) == (10, 12)
    assert site.stage.frontier.counters.totals.discards == {}


def test_an_overloaded_page_is_not_the_first_to_be_asked_for_again() -> None:
    """Else each visit would end with it, before the others had their turn."""
    site = Site(200, 3, bad_pages("503")).crawl()
    first, again = [at for at, url in site.failed if url.endswith("/0")][:2]
    assert sum(first < at < again for at, _ in site.fetched) > 40


@pytest.mark.parametrize("purpose", [Purpose.SITEMAP, Purpose.FEED])
def test_a_sitemap_that_cannot_be_had_costs_no_page(purpose: Purpose) -> None:
    site = Site(60, 0, lambda url, now: FAULTS["503"] if url.endswith(".xml") else None)
    site.stage.frontier.add([Request(f"{HOME}source.xml", purpose)], site.stage.now)
    site.crawl()
    assert (site.pages, len(site.failed)) == (60, PATIENCE[Trouble.OVERLOADED].tries)


# -- some URLs of a live host --------------------------------------------


@pytest.mark.parametrize("kind", FAULTS)
def test_many_bad_pages_do_not_cost_a_host_its_good_ones(kind: str) -> None:
    """Fourteen of 134, all found before the others: more in a row than any patience."""
    site = Site(120, 14, bad_pages(kind)).crawl()
    assert (site.pages, site.record.gone_because) == (120, "")
    assert len(site.failed) <= 14 * patience_with(kind)[1]


@pytest.mark.parametrize("bad", [30, 150])
@pytest.mark.parametrize("kind", ["500", "503", "reset", "timed_out"])
def test_a_section_that_fails_is_not_its_host(kind: str, bad: int) -> None:
    """Its pages were found together and come in a row; sooner or later another one is tried."""
    site = Site(120, bad, bad_pages(kind)).crawl()
    assert site.pages == 120


@pytest.mark.parametrize("kind", FAULTS)
def test_a_host_that_fails_every_other_time_is_never_given_up(kind: str) -> None:
    count = [0]

    def every_other(url: str, now: float) -> dict[str, object] | None:
        count[0] += 1
        return FAULTS[kind] if count[0] % 2 == 0 else None

    site = Site(60, 0, every_other).crawl()
    assert site.record.gone_because == ""
    assert max(site.record.backoff_level, site.record.troubles) <= 1
    assert site.pages >= 60 * (PATIENCE[patience_with(kind)[0]].tries > 1) * 0.6


# -- the whole host ------------------------------------------------------


@pytest.mark.parametrize("kind", FAULTS)
def test_a_host_that_fails_with_everything_is_given_up(kind: str) -> None:
    """After a number of requests and a time that have their bounds; then nobody waits for it any longer."""
    site = Site(300, 0, all_but_home(kind)).crawl()
    trouble, _ = patience_with(kind)
    assert (site.record.state, site.record.gone_because) == (HostState.GONE, trouble.value)
    assert len(site.failed) <= 3 * PATIENCE[trouble].give_up_after
    assert LEAST_WAITS * MINUTE <= site.seconds <= 24 * HOUR
    counters = site.stage.frontier.counters
    assert (counters.gauges.due, counters.gauges.queued) == (0, 0)
    dropped = counters.totals.discards.get(trouble.value, 0) + counters.totals.discards["host_gone"]
    assert dropped == 300
    assert site.stage.now - site.failed[-1][0] < 1.0, "the crawl ends with its last request"


@pytest.mark.parametrize("kind", FAULTS)
def test_a_small_host_that_fails_with_everything_comes_to_an_end(kind: str) -> None:
    """It has not as many pages as patience wants to see: each is tried its number of times."""
    site = Site(5, 0, all_but_home(kind)).crawl()
    assert len(site.failed) <= 5 * patience_with(kind)[1]
    assert site.seconds <= 24 * HOUR
    assert site.stage.frontier.is_finished()


def test_the_waits_of_an_overloaded_host_grow_with_each_page_that_says_so() -> None:
    site = Site(300, 0, all_but_home("503")).crawl()
    gaps = [later - at for (at, _), (later, _) in pairwise(site.failed)]
    assert all(later > 1.5 * gap for gap, later in pairwise(gaps[1:]))
    assert len({url for _, url in site.failed}) == len(site.failed), "another one each time"


@pytest.mark.parametrize("hours", [0.5, 1, 3, 6])
def test_a_host_under_maintenance_is_fetched_whole_afterwards(hours: float) -> None:
    """Hours of 503 for everything: its queue is still there."""

    def closed(url: str, now: float) -> dict[str, object] | None:
        return FAULTS["503"] if url != HOME and now < 1000.0 + hours * HOUR else None

    site = Site(120, 0, closed).crawl()
    assert (site.pages, site.record.gone_because) == (120, "")
    assert site.seconds < 2.5 * hours * HOUR + HOUR


def test_a_broken_application_is_asked_for_one_page_at_a_time() -> None:
    """Enough in a row have failed at once; from then on it is left alone in between."""
    site = Site(300, 0, all_but_home("500")).crawl()
    moments = [at for at, _ in site.failed]
    assert moments[SPREAD_URLS - 1] - moments[0] < SPREAD_URLS * 5.0
    later = moments[SPREAD_URLS - 1 :]
    assert all(after - at >= RULES.backoff_first for at, after in pairwise(later))


def test_a_host_that_recovers_is_crawled_at_its_usual_pace_at_once() -> None:
    """One good answer ends the trial: the visit goes on."""
    site = Site(200, 0, lambda url, now: FAULTS["500"] if url != HOME and now < 1000.0 + 600.0 else None)
    site.crawl()
    assert site.pages == 200
    first = min(at for at, url in site.fetched if "/good/" in url)
    assert site.seconds_to_last_page - (first - site.began_at) < 30 * MINUTE


@pytest.mark.parametrize("end", FAULTS)
@pytest.mark.parametrize("before", ["500", "bad_answer"])
def test_nobody_waits_for_what_was_put_off_when_its_host_is_gone(before: str, end: str) -> None:
    """Pages failed and wait for later; then the host dies, in whatever way. The crawl ends with the host."""

    def dies(url: str, now: float) -> dict[str, object] | None:
        if now > 1000.0 + 90.0:
            return FAULTS[end]
        return FAULTS[before] if "/bad/" in url else None

    site = Site(60, 9, dies).crawl()
    assert site.record.gone_because
    assert site.stage.now == pytest.approx(site.failed[-1][0], abs=1.0)
    assert site.stage.frontier.counters.gauges.due == 0


# -- rules that cannot be had --------------------------------------------


def elsewhere(number: int) -> str:
    return f"https://a.example/{number}"


def test_an_origin_whose_rules_cannot_be_had_costs_the_others_of_its_host_nothing() -> None:
    """Many sites are linked by https that have none, or by a port where nobody is."""
    site = Site(100, 0, lambda url, now: None)
    site.stage.has_rules = lambda origin, now: not origin.startswith("https")
    site.crawl(*map(elsewhere, range(20)))
    assert (site.pages, site.record.gone_because) == (100, "")
    assert site.seconds_to_last_page < HOUR
    asked = [asked.url for asked in site.stage.asked]
    assert (
        asked.count("https://a.example/robots.txt") <= 2 * PATIENCE[Trouble.ROBOTS_UNREACHABLE].give_up_after
    )
    assert not [url for url in asked if url.startswith("https") and not url.endswith("robots.txt")]
    assert site.seconds < 12 * HOUR
    assert (site.stage.frontier.counters.gauges.due, site.stage.frontier.counters.gauges.queued) == (0, 0)


def test_an_origin_whose_rules_come_later_is_crawled_then() -> None:
    site = Site(100, 0, lambda url, now: None)
    site.stage.has_rules = lambda origin, now: not origin.startswith("https") or now > 1000.0 + HOUR
    site.crawl(*map(elsewhere, range(20)))
    assert {url for _, url in site.fetched} >= {*map(elsewhere, range(20))}
    assert site.record.shut_origins == {}


def test_a_host_without_any_rules_is_given_up_with_what_it_has() -> None:
    site = Site(100, 0, lambda url, now: None)
    site.stage.has_rules = lambda origin, now: False
    site.crawl(elsewhere(1))
    assert (site.fetched, site.record.gone_because) == ([], "robots_unreachable")
    assert len(site.stage.asked) == PATIENCE[Trouble.ROBOTS_UNREACHABLE].give_up_after
    assert site.seconds <= 6 * HOUR


def test_the_origins_that_are_remembered_are_bounded() -> None:
    record = HostRecord("a.example")
    for port in range(1000):
        note_missing_rules(record, f"http://a.example:{port}", RULES, 0.0)
    note_missing_rules(record, "http://a.example:999", RULES, 0.0)
    assert len(record.shut_origins) == ORIGINS_MAX
    assert record.shut_origins["http://a.example:999"].troubles == 2


# -- the arithmetic ------------------------------------------------------


def test_no_mixture_of_troubles_outlasts_patience() -> None:
    """Each kind for itself would start anew whenever another one comes between."""
    record, now = HostRecord("a.example"), 0.0
    kinds = [Trouble.OVERLOADED, Trouble.TIMED_OUT, Trouble.RESET, Trouble.REFUSED]
    for number in range(100):
        measures = record_trouble(record, kinds[number % 4], RULES, now, is_news=True)
        if measures.gives_up:
            break
        now += max(measures.wait, 1.0)
    assert number < 10
    assert now >= LEAST_WAITS * MINUTE


def test_a_good_answer_clears_a_host_and_halves_its_waits() -> None:
    record = HostRecord("a.example")
    for number in range(6):
        record_trouble(record, Trouble.OVERLOADED, RULES, number * HOUR / 4, is_news=True)
    assert (record.troubles, record.backoff_level) == (6, 6)
    clear_troubles(record, HOME)
    assert (record.troubles, record.patience_used, record.backoff_level) == (0, 0, 3)


def test_what_says_nothing_new_makes_no_wait_longer() -> None:
    record = HostRecord("a.example")
    waits = [
        record_trouble(record, Trouble.OVERLOADED, RULES, number * MINUTE, is_news=number == 0).wait
        for number in range(5)
    ]
    assert max(waits) <= 1.1 * RULES.backoff_first
    assert min(waits) >= RULES.backoff_first
    assert record.troubles == 1


def test_a_page_that_is_not_asked_for_clears_nobody() -> None:
    """What robots.txt forbids is settled without a request."""
    site = Site(3, 0, all_but_home("503"))
    stage, private = site.stage, Request(f"{HOME}private")
    stage.add(HOME)
    while not site.record.troubles:
        stage.step()
    before = site.record.troubles
    stage.frontier.add([private], stage.now)
    while not (visits := stage.take()):
        stage.now += MINUTE
    ((work,),) = [visit.hosts for visit in visits]
    assert private in work.requests
    left = [request for request in work.requests if request != private]
    stage.tell([Report(visits[0].id, [Result(private, discard="disallowed")], left, is_done=True)])
    assert site.record.troubles == before
