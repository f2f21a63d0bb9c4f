"""Hosts that cannot be asked: what becomes of their pages, and of those of others."""

from dataclasses import replace
from itertools import pairwise

import pytest
from vigil import DAY, HOME, RULES, UNIFORM, Watch, changed, missing, ok, refused

from tiptoe.frontier import revisit_scheduler
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.priority import REVISITS
from tiptoe.protocol.work import Report, Result

ENDLESS = replace(UNIFORM, is_endless=True)
OPTIMAL = replace(ENDLESS, strategy="optimal")
OTHER = "http://b.example/"


class TwoSites(Watch):
    """Two sites, each at its own address."""

    def found(self, host: str) -> str:
        return "192.0.2.1" if host == "a.example" else "192.0.2.2"


def host(watch: Watch, name: str = "a.example") -> HostRecord:
    record = watch.frontier.host(name)
    assert record is not None
    return record


def dead_site(days: int) -> Watch:
    """Return a watch over a site that has refused everybody for so long, and was given up."""
    watch = Watch(revisit=ENDLESS, answer=refused)
    watch.add(*(f"{HOME}{number}" for number in range(20)))
    watch.run(days * DAY)
    assert host(watch).state is HostState.GONE
    return watch


def two_sites() -> Watch:
    """Return a watch over two sites whose pages have all been visited once."""
    watch = TwoSites(revisit=OPTIMAL, answer=changed)
    watch.add(*(f"{site}{number}" for site in (HOME, OTHER) for number in range(15)))
    watch.run(0.5 * DAY)
    return watch


# -- one site must not stop the others -----------------------------------


@pytest.mark.parametrize("how", ["host", "address", "dead"])
def test_a_site_that_cannot_be_asked_does_not_stop_the_others(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pages would fill the room for revisits, and nobody would ever make them."""
    monkeypatch.setattr(revisit_scheduler, "BACKLOG_MIN", 10)
    watch = two_sites()
    if how == "host":
        watch.frontier.block("a.example", watch.now)
    elif how == "address":
        watch.frontier.block_address("192.0.2.1")
    else:
        watch.answer = lambda request, now: (
            refused(request, now) if HOME in request.url else changed(request, now)
        )
    watch.run(10 * DAY)
    late = watch.run(10 * DAY)
    assert sum(OTHER in request.url for _, request in late) > 100
    assert host(watch).waiting[REVISITS] == 0
    assert watch.frontier.counters.learned.account.pages == 30, "its pages stay watched"


@pytest.mark.parametrize("how", ["host", "address"])
def test_what_is_stuck_in_a_queue_is_not_counted(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site may be blocked when its pages wait in the queue already; so they do after a restart."""
    monkeypatch.setattr(revisit_scheduler, "BACKLOG_MIN", 10)
    watch = two_sites()
    while not (stuck := host(watch).waiting[REVISITS]):
        watch.now += 600.0
        watch.frontier.tick(watch.now)
    if how == "host":
        watch.frontier.block("a.example", watch.now)
    else:
        watch.frontier.block_address("192.0.2.1")
    monkeypatch.setattr(revisit_scheduler, "BACKLOG_MIN", stuck)
    watch.start(OPTIMAL)
    watch.run(5 * DAY)
    late = watch.run(5 * DAY)
    assert host(watch).waiting[REVISITS] == stuck
    assert sum(OTHER in request.url for _, request in late) > 50


def test_a_site_that_is_no_longer_blocked_is_visited_again() -> None:
    watch = two_sites()
    watch.frontier.block("a.example", watch.now)
    assert not any(HOME in request.url for _, request in watch.run(10 * DAY))
    watch.frontier.block("a.example", watch.now, is_blocked=False)
    assert len({request.url for _, request in watch.run(10 * DAY) if HOME in request.url}) == 15


def test_a_page_that_is_postponed_costs_the_crawl_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the price would rise with every look, until nothing is worth it."""
    watch = two_sites()
    account = watch.frontier.counters.learned.account
    before = account.price, account.moved_at
    monkeypatch.setattr(revisit_scheduler, "BACKLOG_MIN", 0)
    monkeypatch.setattr(revisit_scheduler, "BACKLOG_SECONDS", 0.0)
    while watch.now < 1000.0 + 1.4 * DAY:
        watch.now += 600.0
        watch.frontier.tick(watch.now)
    assert watch.frontier.counters.gauges.revisits_queued == 0
    assert account.price <= before[0]


# -- hosts that were given up --------------------------------------------


def test_a_host_that_was_down_for_some_hours_is_visited_again_on_the_same_day() -> None:
    """It was watched, so it is known to be there."""
    hourly = replace(ENDLESS, first_seconds=3600.0)
    watch = Watch(revisit=hourly)
    watch.add(*(f"{HOME}{number}" for number in range(3)))
    watch.run(DAY)
    watch.answer = refused
    watch.run(3 * 3600.0)
    assert host(watch).state is HostState.GONE
    watch.answer = ok
    assert len({request.url for _, request in watch.run(6 * 3600.0)}) == 3
    assert host(watch).chances == 0


def test_the_revisits_of_a_host_that_was_given_up_wait_in_the_calendar() -> None:
    """Also those that were handed out and not made: nobody would take them from its queue."""
    watch = Watch(revisit=ENDLESS)
    watch.add(*(f"{HOME}{number}" for number in range(8)))
    watch.run(0.5 * DAY)
    watch.now += DAY
    (visit,) = watch.take()
    requests = visit.hosts[0].requests
    results = [Result(request, failure="private_address") for request in requests[:3]]
    watch.frontier.report([Report(visit.id, results)], {}, watch.now)
    assert host(watch).state is HostState.GONE
    watch.frontier.tick(watch.now)
    watch.frontier.report([Report(visit.id, [], requests[3:], is_done=True)], {}, watch.now)
    assert host(watch).waiting[REVISITS] == 5
    watch.frontier.tick(watch.now)
    watch.frontier.check()
    assert (host(watch).waiting[REVISITS], watch.frontier.counters.gauges.revisits_queued) == (0, 0)
    assert watch.frontier.counters.learned.account.pages == 8


def test_a_host_that_never_answered_gets_another_chance_after_a_long_time() -> None:
    """A crawl that never ends must not lose every host that was down for a day."""
    watch = dead_site(5)
    watch.answer = ok
    assert watch.run(20 * DAY) == []
    asked = watch.run(15 * DAY)
    assert len({request.url for _, request in asked}) >= 10
    assert host(watch).chances == 0


def test_a_host_that_stays_down_is_given_up_in_the_end() -> None:
    """At growing intervals, up to a month; then nothing is asked any more."""
    watch = Watch(revisit=ENDLESS)
    watch.add(HOME)
    watch.run(60.0)
    watch.answer = refused
    asked = [at for at, _ in watch.run(2000 * DAY)]
    waits = [round(later - at) for at, later in pairwise(asked) if later - at > 0.5 * DAY]
    assert waits == sorted(waits)
    assert waits[-1] == pytest.approx(30 * DAY, rel=0.01)
    assert len(asked) <= 4 * 14
    assert asked[-1] < 1000.0 + 300 * DAY
    assert watch.frontier.counters.learned.account.pages == 0


# -- when a crawl ends ---------------------------------------------------


def test_an_endless_crawl_waits_for_hosts_that_are_to_get_another_chance() -> None:
    """A site that is down at the start is no reason to go home."""
    watch = dead_site(3)
    assert watch.frontier.counters.learned.account.pages == 0
    assert not watch.frontier.is_finished()
    watch.start(UNIFORM)
    watch.run(60.0)
    assert watch.frontier.is_finished(), "told to stop, it comes back when it is run again"


def test_an_endless_crawl_ends_when_there_is_nothing_to_come_back_for() -> None:
    """A seed that is not found says what a crawl cannot mend by waiting."""
    watch = Watch(revisit=ENDLESS, answer=missing)
    watch.add(HOME)
    watch.run(DAY)
    assert watch.frontier.is_finished()


def limited_watch() -> Watch:
    """Return a watch that has all the pages it may have, and is run again when addresses have expired."""
    watch = Watch(rest=FrontierPolicy(politeness=RULES, pages_max=1))
    watch.add(HOME)
    watch.run(60.0)
    assert watch.frontier.is_finished()
    watch.now += 2 * DAY
    watch.start(UNIFORM)
    watch.frontier.tick(watch.now)
    assert watch.frontier.visits(10, "h1", watch.now) == []
    assert host(watch).state is HostState.NEW
    return watch


def test_a_crawl_at_its_limit_waits_for_the_addresses_of_hosts_with_revisits() -> None:
    """Run again after two days, it would end before its first request."""
    watch = limited_watch()
    assert not watch.frontier.is_finished()
    assert not watch.frontier.is_finished(), "also when asked again"
    assert len(watch.run(60.0)) == 1
    assert watch.frontier.is_finished()


def test_a_crawl_at_its_limit_does_not_wait_for_other_addresses() -> None:
    """What was never visited is not to be asked for any more."""
    watch = limited_watch()
    watch.frontier.block("a.example", watch.now)
    watch.add(OTHER)
    assert watch.frontier.counters.gauges.new_hosts == watch.frontier.counters.gauges.revisits_queued == 1
    assert watch.frontier.is_finished()
