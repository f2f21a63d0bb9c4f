"""What is done when only hosts are left that never answered."""

import pytest

from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.patience import Trouble
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState
from tiptoe.store.memory import MemoryStore

RULES = Politeness(req_delay=2.0, max_hosts=2, max_reqs=50, general_pause=300.0, backoff_first=60.0)
CERTAIN = frozenset({Trouble.NO_SUCH_HOST, Trouble.DNS_FAILED, Trouble.REFUSED})
MINUTE = 60.0


def frontier_of(*urls: str, **policy: object) -> Frontier:
    frontier = Frontier(MemoryStore(), FrontierPolicy(politeness=RULES, **policy))  # type: ignore[arg-type]
    frontier.add([Request(url) for url in urls], 0.0)
    return frontier


def play(
    frontier: Frontier,
    failures: dict[str, str],
    *,
    certain: frozenset[Trouble] = CERTAIN,
    until: float = 24 * 3600.0,
) -> tuple[float, list[tuple[float, str]]]:
    """Look names up, and visit those that have an address, until nothing is left; return when that was.

    A host fails as it is said, at its robots.txt if it has an address; with "" it answers and links to
    another. Also returned is who was tried when.
    """
    now, tried = 0.0, []
    while now <= until:
        frontier.tick(now, certain)
        for host in frontier.new_hosts(100):
            if failures[host] in ("no_such_host", "dns_failed"):
                tried.append((now, host))
                frontier.resolved_all([(host, "", failures[host])], now)
            else:
                frontier.resolved_all([(host, f"192.0.2.{1 + len(host)}", "")], now)
        for visit in frontier.visits(10, "h1", now):
            (work,) = visit.hosts
            tried.append((now, work.host))
            rules_request = Request(f"http://{work.host}/robots.txt", Purpose.RULES_REQUEST)
            rules = Request(f"http://{work.host}/robots.txt", Purpose.ROBOTS)
            found = links_to(["http://gone.example/"])
            results = [
                Result(rules, robots=RobotsNote(RobotsState.RULES)),
                Result(work.requests[0], status=200, body_bytes=9, links=found),
            ]
            if not failures[work.host]:
                frontier.report([Report(visit.id, results, is_done=True, wants_more=False)], {}, now)
                continue
            results = [
                Result(rules_request, failure=failures[work.host]),
                Result(rules, robots=RobotsNote(RobotsState.UNREACHABLE)),
            ]
            report = Report(visit.id, results, work.requests, is_done=True, wants_more=False)
            frontier.report([report], {}, now)
        frontier.check()
        if frontier.is_finished():
            break
        now += 5.0
    return now, tried


@pytest.mark.parametrize(("failure", "tries", "minutes"), [("no_such_host", 2, 1), ("dns_failed", 3, 3)])
def test_a_crawl_of_dead_names_ends_soon(failure: str, tries: int, minutes: int) -> None:
    """Half an hour of standing still, only to give up what was mistyped."""
    frontier = frontier_of("http://a.example/", "http://bb.example/")
    ended_at, tried = play(frontier, {"a.example": failure, "bb.example": failure})
    assert minutes * MINUTE <= ended_at <= (minutes + 1) * MINUTE
    assert len(tried) == 2 * tries
    assert frontier.counters.gauges.gone_hosts == {failure: 2}
    assert frontier.given_up == {"a.example": failure, "bb.example": failure}
    assert frontier.waiting(ended_at).reasons == []


def test_a_host_that_never_let_us_in_is_tried_three_times() -> None:
    """Its address rests in between, as after any visit."""
    frontier = frontier_of("http://a.example/")
    ended_at, tried = play(frontier, {"a.example": "refused"})
    assert [at for at, _ in tried] == [0.0, 300.0, 600.0]
    assert ended_at <= 610.0
    assert frontier.counters.gauges.gone_hosts == {"refused": 1}


@pytest.mark.parametrize("failure", ["no_such_host", "dns_failed", "refused"])
def test_what_may_be_our_own_fault_is_waited_for(failure: str) -> None:
    """A line or name server of ours that is down must not cost a crawl its hosts."""
    frontier = frontier_of("http://a.example/")
    ended_at, _ = play(frontier, {"a.example": failure}, certain=frozenset())
    assert ended_at >= 30 * MINUTE


def test_one_host_that_is_worth_waiting_for_keeps_the_patience_with_all() -> None:
    """While something else is to come, waiting for a name costs nothing."""
    frontier = frontier_of("http://a.example/", "http://bb.example/")
    certain = CERTAIN - {Trouble.REFUSED}
    _, tried = play(frontier, {"a.example": "no_such_host", "bb.example": "refused"}, certain=certain)
    first, second = [at for at, host in tried if host == "a.example"]
    assert second - first >= 30 * MINUTE


def test_a_host_that_has_given_pages_is_not_given_up_sooner() -> None:
    """It was there: a server that is started anew needs more than a minute."""
    frontier = frontier_of("http://a.example/", "http://a.example/2")
    frontier.resolved_all([(frontier.new_hosts(1)[0], "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(1, "h1", 0.0)
    rules = Request("http://a.example/robots.txt", Purpose.ROBOTS)
    results = [
        Result(rules, status=404, robots=RobotsNote(RobotsState.RULES)),
        Result(Request("http://a.example/"), status=200, body_bytes=9),
        Result(rules, robots=RobotsNote(RobotsState.UNREACHABLE)),
        Result(Request("http://a.example/robots.txt", Purpose.RULES_REQUEST), failure="refused"),
    ]
    returned = [Request("http://a.example/2")]
    frontier.report([Report(visit.id, results, returned, is_done=True, wants_more=False)], {}, 0.0)
    before = frontier.next_at()
    frontier.tick(10.0, CERTAIN)
    assert frontier.next_at() == before


def test_the_peace_that_a_host_asked_for_is_kept() -> None:
    frontier = frontier_of("http://a.example/")
    frontier.resolved_all([(frontier.new_hosts(1)[0], "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(1, "h1", 0.0)
    rules_request = Request("http://a.example/robots.txt", Purpose.RULES_REQUEST)
    results = [
        Result(rules_request, status=301, retry_after=20_000.0),
        Result(rules_request, failure="refused"),
        Result(
            Request("http://a.example/robots.txt", Purpose.ROBOTS), robots=RobotsNote(RobotsState.UNREACHABLE)
        ),
    ]
    report = Report(visit.id, results, visit.hosts[0].requests, is_done=True, wants_more=False)
    frontier.report([report], {}, 0.0)
    frontier.tick(10.0, CERTAIN)
    frontier.check()
    assert frontier.next_at() == 20_000.0


def test_a_crawl_that_watches_pages_does_not_hurry() -> None:
    """It goes on anyway, and a name may come back."""
    frontier = frontier_of(
        "http://a.example/",
        "http://dead.example/",
        revisit=RevisitPolicy(strategy="uniform", is_endless=True),
    )
    for host in frontier.new_hosts(2):
        address = "" if host == "dead.example" else "192.0.2.1"
        frontier.resolved_all([(host, address, "" if address else "no_such_host")], 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(1, "h1", 0.0)
    results = [
        Result(Request("http://a.example/robots.txt", Purpose.ROBOTS), robots=RobotsNote(RobotsState.RULES)),
        Result(Request("http://a.example/"), status=200, body_bytes=9, text_chars=90),
    ]
    frontier.report([Report(visit.id, results, is_done=True, wants_more=False)], {}, 0.0)
    before = frontier.host("dead.example").next_at  # type: ignore[union-attr]
    frontier.tick(10.0, CERTAIN)
    frontier.tick(20.0, CERTAIN)
    assert frontier.host("dead.example").next_at == before  # type: ignore[union-attr]


def test_dead_links_of_a_living_site_do_not_hold_its_crawl_up() -> None:
    """Nearly every site links to a name that is gone."""
    frontier = frontier_of("http://a.example/")
    ended_at, tried = play(frontier, {"a.example": "", "gone.example": "no_such_host"})
    assert [host for _, host in tried] == ["a.example", "gone.example", "gone.example"]
    assert ended_at <= 2 * MINUTE


def test_thousands_of_dead_names_are_brought_forward_in_steps() -> None:
    names = [f"n{number}.example" for number in range(2500)]
    frontier = frontier_of(*(f"http://{name}/" for name in names))
    frontier.resolved_all([(host, "", "no_such_host") for host in frontier.new_hosts(3000)], 0.0)
    for second in range(10):
        frontier.tick(float(second), CERTAIN)
        frontier.check()
    frontier.tick(61.0, CERTAIN)
    frontier.tick(62.5, CERTAIN)
    frontier.tick(64.0, CERTAIN)
    assert frontier.counters.gauges.new_hosts == 2500


def test_names_whose_minute_has_passed_when_the_last_page_comes_are_tried_at_once() -> None:
    """The commonest case: a crawl of an hour, and dead links that it met at its beginning."""
    frontier = frontier_of("http://a.example/", "http://dead.example/")
    frontier.resolved_all(
        [(host, "" if "dead" in host else "192.0.2.1", "no_such_host") for host in frontier.new_hosts(2)], 0.0
    )
    frontier.tick(0.0, CERTAIN)
    (visit,) = frontier.visits(1, "h1", 0.0)
    results = [
        Result(Request("http://a.example/robots.txt", Purpose.ROBOTS), robots=RobotsNote(RobotsState.RULES)),
        Result(Request("http://a.example/"), status=200, body_bytes=9),
    ]
    frontier.tick(600.0, CERTAIN)
    assert frontier.new_hosts(1) == []
    frontier.report([Report(visit.id, results, is_done=True, wants_more=False)], {}, 601.0)
    for now in (602.0, 602.1):
        frontier.tick(now, CERTAIN)
        frontier.check()
    assert frontier.new_hosts(1) == ["dead.example"]
    frontier.resolved_all([("dead.example", "", "no_such_host")], 603.0)
    frontier.tick(604.2, CERTAIN)
    assert frontier.is_finished()
