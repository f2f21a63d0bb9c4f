"""A crawl keeps every rule of politeness, judged by what arrived at the servers."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from journey_crawl import SMALL, Pace, simulated_web

from tiptoe.frontier.patience import PATIENCE, Trouble
from tiptoe.testing.recorder import Arrival
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web_hosts import RobotsKind

pytestmark = pytest.mark.journey

CROWDED = replace(SMALL, hosts=9, hosts_per_address=3, pages_per_host=6, latency_seconds=0.01)


@pytest.mark.parametrize(
    ("pace", "harvesters"),
    [
        (Pace(max_hosts=1, max_reqs=20), 1),
        (Pace(max_hosts=2, max_reqs=3), 2),
        (Pace(max_hosts=3, max_reqs=20, req_delay=0.05, general_pause=0.2), 1),
        (Pace(max_hosts=3, max_reqs=1), 2),
    ],
    ids=["one host", "short series", "all hosts", "one request"],
)
def test_delays_series_and_pauses_are_kept(tmp_path: Path, pace: Pace, harvesters: int) -> None:
    """Hosts on one address share its patience, however many harvesters there are."""
    with simulated_web(tmp_path, CROWDED) as stage:
        crawl = stage.crawl(pace=pace, harvest__harvesters=harvesters)
        crawl.run()
    assert stage.violations(pace) == []
    assert stage.truth() == crawl.urls()


def test_the_rules_are_used_to_the_full(tmp_path: Path) -> None:
    """A crawl that is polite only because it is slow would pass the other tests too."""
    pace = Pace(max_hosts=2, max_reqs=4)
    with simulated_web(tmp_path, CROWDED) as stage:
        stage.crawl(pace=pace).run()
    busiest = max(series_in(stage.arrivals(), pace.general_pause), key=Counter.total)
    assert busiest.most_common(1)[0][1] == pace.max_reqs
    assert len(busiest) == pace.max_hosts


def series_in(arrivals: Iterable[Arrival], pause: float) -> list[Counter[str]]:
    """Return how often each host was asked in each series: what an address sees between two rests."""
    series: list[Counter[str]] = []
    rested_from: dict[str, float] = {}
    current: dict[str, Counter[str]] = {}
    for arrival in sorted(arrivals, key=lambda arrival: arrival.arrived_at):
        if arrival.arrived_at - rested_from.get(arrival.address, -math.inf) >= pause:
            current[arrival.address] = Counter()
            series.append(current[arrival.address])
        current[arrival.address][arrival.host] += 1
        rested_from[arrival.address] = max(arrival.answered_at, rested_from.get(arrival.address, 0.0))
    return series


def test_robots_txt_is_asked_first_and_obeyed(tmp_path: Path) -> None:
    """Also where it is missing (no rules), huge (its beginning counts) or asks for a delay."""
    shape = replace(
        SMALL, seed=2, hosts=12, robots_share=0.5, robots_missing_share=0.2, robots_huge_share=0.2,
        crawl_delay_share=0.4, crawl_delay_seconds=0.15, sitemap_share=0.5,
    )  # fmt: skip
    with simulated_web(tmp_path, shape) as stage:
        crawl = stage.crawl()
        crawl.run()
    assert stage.violations() == []
    assert stage.truth() == crawl.urls()
    kinds = {host.robots for host in map(stage.web.hosts.at, range(shape.hosts))}
    assert {RobotsKind.RULES, RobotsKind.MISSING, RobotsKind.HUGE} <= kinds
    first: dict[str, str] = {}
    for arrival in sorted(stage.arrivals()):
        first.setdefault(arrival.host, arrival.target)
    assert set(first.values()) == {"/robots.txt"}
    disallowed = {
        line for path in (crawl.out / "log").glob("disallowed-*") for line in path.read_text().split()
    }
    assert disallowed
    assert not any(stage.web.is_allowed(url) for url in disallowed)


def test_hosts_whose_rules_cannot_be_had_are_left_alone(tmp_path: Path) -> None:
    """robots.txt answers 503: asked for again a few times, later and later, and nothing else is."""
    shape = replace(SMALL, robots_error_share=0.4)
    with simulated_web(tmp_path, shape) as stage:
        crawl = stage.crawl()
        crawl.run()
    assert stage.violations() == []
    assert stage.truth() == crawl.urls()
    closed = {
        host.name for host in map(stage.web.hosts.at, range(shape.hosts)) if host.robots is RobotsKind.ERROR
    }
    assert closed
    asked = defaultdict(list)
    for arrival in sorted(stage.arrivals()):
        if arrival.host in closed:
            assert arrival.target == "/robots.txt"
            asked[arrival.host].append(arrival.arrived_at)
    for moments in asked.values():
        assert 2 <= len(moments) <= PATIENCE[Trouble.ROBOTS_UNREACHABLE].give_up_after
    assert set(asked) == closed


def test_hosts_that_ask_for_patience_get_it(tmp_path: Path) -> None:
    """429 and 503 with Retry-After: nothing comes before its time, and the rest is still found."""
    shape = replace(SMALL, hosts=6, hostile_share=0.5, hostile_names=("too-many", "storm"))
    pace = Pace(retry_after_max=0.4)
    with simulated_web(tmp_path, shape) as stage:
        crawl = stage.crawl(pace=pace)
        crawl.run()
    assert stage.violations(pace) == []
    assert stage.truth() == crawl.urls()
    statuses = Counter(arrival.status for arrival in stage.arrivals())
    assert statuses[429] > 1
    assert statuses[503] > 1
    assert "overloaded" in crawl.console


def test_slow_hosts_are_asked_more_slowly(tmp_path: Path) -> None:
    """A host under load is given twice the time it took, whatever the configured delay."""
    shape = WebShape(
        seed=5, hosts=2, hosts_per_address=1, pages_per_host=4, pages_spread=0.0, latency_seconds=0.1
    )
    with simulated_web(tmp_path, shape) as stage:
        stage.crawl(pace=Pace(req_delay=0.01, general_pause=0.02)).run()
    for index in range(shape.hosts):
        host = stage.web.hosts.at(index)
        seen = sorted(arrival for arrival in stage.arrivals() if arrival.host == host.name)
        gaps = [later.arrived_at - earlier.answered_at for earlier, later in itertools.pairwise(seen)]
        assert min(gaps) >= 2 * host.latency_seconds * 0.9


def test_every_request_says_who_answers_for_it(tmp_path: Path) -> None:
    with simulated_web(tmp_path, replace(SMALL, hosts=2, pages_per_host=3)) as stage:
        crawl = stage.crawl(crawl__contact="mailto:crawl@example.org", crawl__name="quietbot")
        crawl.run()
    agents = {arrival.user_agent for arrival in stage.arrivals()}
    assert len(agents) == 1
    agent = agents.pop()
    assert agent.startswith("quietbot/")
    assert "crawl@example.org" in agent


def test_sites_of_a_named_delivery_network_count_each_for_themselves(tmp_path: Path) -> None:
    """One address serves them all there; the rules of a single host still hold for each."""
    shape = replace(SMALL, hosts=8, hosts_per_address=8)
    pace = Pace(max_hosts=1, max_reqs=3, general_pause=0.4)
    with simulated_web(tmp_path, shape) as stage:
        crawl = stage.crawl(pace=pace, politeness__cdn_ranges="198.18.0.0/24")
        crawl.run()
    assert stage.truth() == crawl.urls()
    assert stage.violations(pace, cdn=("198.18.0.0/24",)) == []
    assert stage.violations(pace) != [], "hosts of the range were not asked side by side"
