"""The realistic web is uneven, broken and slow in the way the real one is."""

import gc
import math
import subprocess
import sys
import tracemalloc
from collections import Counter
from dataclasses import replace
from statistics import correlation, median, quantiles

import pytest
from simulated_walk import Walk

from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import Conduct, Life

WEB = SimulatedWeb(WebShape.realistic())
LIVING = [host for host in map(WEB.hosts.at, range(0, 2_000_000, 400)) if host.life is Life.ALIVE]
NORMAL = [host for host in LIVING if host.conduct is Conduct.NORMAL]
EXPECTED = {"ok": 62.0, "redirect": 7.0, "gone": 4.0, "denied": 6.0, "dead": 13.0, "broken": 8.0}
"""Shares of what a real crawl meets, in per cent."""

DIGEST = """
import hashlib
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

web = SimulatedWeb(WebShape.realistic())
digest = hashlib.sha256()
for index in range(7, 2_000_000, 40_009):
    host = web.hosts.at(index)
    for target in ("/", "/robots.txt", "/sitemap.xml", web.graph.path_of(host, host.pages - 1).decode()):
        answer = web.respond(host.name, target, now=1e7)
        digest.update(repr((host.name, web.address_of(host.name), answer)).encode())
print(digest.hexdigest())
"""


@pytest.fixture(scope="module")
def walk() -> Walk:
    """Some thousand URLs, hosts in turn, as a polite crawl takes them."""
    walk = Walk(WEB, [WEB.home_of(index) for index in range(20)])
    walk.take(5_000)
    return walk


def spread(values: list[float]) -> float:
    """Return the standard deviation of the logarithms: what log-normal sizes are measured by."""
    logs = [math.log(value) for value in values]
    mean = sum(logs) / len(logs)
    return math.sqrt(sum((log - mean) ** 2 for log in logs) / len(logs))


def tail_exponent(values: list[int], least: int) -> float:
    """Return the exponent of the power law that the values from `least` on follow (Hill's estimate)."""
    tail = [math.log(value / (least - 0.5)) for value in values if value >= least]
    return len(tail) / sum(tail)


def shares(outcomes: Counter[str]) -> dict[str, float]:
    """Return what came of the requests, in per cent."""
    summed = Counter(outcomes)
    summed["broken"] = summed.pop("error") + summed.pop("timeout")
    return {name: 100.0 * count / outcomes.total() for name, count in summed.items()}


def test_a_crawl_meets_what_real_crawls_meet(walk: Walk) -> None:
    """Figures of speed and size mean nothing on a web where everything is fine."""
    found = shares(walk.outcomes)
    assert found.keys() == EXPECTED.keys()
    assert {name: share for name, share in found.items() if abs(share - EXPECTED[name]) > 2.5} == {}


def test_the_shares_belong_to_the_shape_and_not_to_one_seed() -> None:
    web = SimulatedWeb(WebShape.realistic(seed=5))
    found = shares(Walk(web, [web.home_of(index) for index in range(20)]).take(2_500))
    assert {name: share for name, share in found.items() if abs(share - EXPECTED[name]) > 3.0} == {}


def test_pages_are_small_and_some_are_huge(walk: Walk) -> None:
    """Bytes are log-normal: the mean lies far above the median, the top far above both."""
    sizes = sorted(walk.bodies_bytes)
    mean = sum(sizes) / len(sizes)
    assert 13_000 < mean < 19_000
    assert median(sizes) < 0.8 * mean
    assert sizes[len(sizes) // 100] < 5_000
    assert sizes[-len(sizes) // 100] > 55_000


def test_text_lengths_are_log_normal() -> None:
    counts = [WEB.graph.paragraph_count(host, 0) for host in NORMAL]
    deciles = quantiles(counts, n=10)
    half = deciles[4]
    # Of a log-normal law the outer deciles lie 1.28 sigma from the median, on a logarithmic scale.
    assert 0.75 < math.log(deciles[8] / half) / 1.2816 < 1.05
    assert 0.75 < math.log(half / deciles[0]) / 1.2816 < 1.05


def test_links_are_mostly_internal_and_their_number_has_a_long_tail(walk: Walk) -> None:
    links = sorted(walk.links)
    assert 35 < sum(links) / len(links) < 60
    assert median(links) < 45
    assert links[-len(links) // 100] > 150
    hrefs = [href for host in NORMAL[:400] for href in WEB.graph.all_links(host, 0)]
    external = sum(href.startswith(b"http") for href in hrefs) / len(hrefs)
    assert 0.04 < external < 0.12


def test_bytes_and_links_are_not_one_figure(walk: Walk) -> None:
    """A page may be long without linking much: lists of links see to it."""
    assert correlation(walk.bodies_bytes, walk.links) < 0.97


def test_hosts_have_pages_by_a_power_law() -> None:
    pages = [host.pages for host in LIVING]
    assert 10 <= median(pages) <= 30
    assert max(pages) > 2_000
    assert 1.1 < tail_exponent(pages, 30) < 1.4


def test_popular_hosts_get_more_links_by_a_power_law() -> None:
    """The n-th host gets links like n^-3/4: a hundred times the rank, a thirtieth of the links."""
    web = SimulatedWeb(replace(WebShape.realistic(), hosts=20_000))
    indegree = Counter(
        int(href[8:14])
        for host in map(web.hosts.at, range(0, 20_000, 5))
        for href in web.graph.links_in_text(host, 0)
        if href.startswith(b"http")
    )
    first, later = (
        sum(indegree[index] for index in ranks) for ranks in (range(10, 110), range(1_000, 11_000))
    )
    per_host = (first / 100) / (later / 10_000)
    assert 25 < per_host < 45


def test_most_addresses_have_one_host_and_some_have_hundreds() -> None:
    web = SimulatedWeb(replace(WebShape.realistic(), hosts=20_000))
    hosts = Counter(
        web.address_of(host.name) for host in map(web.hosts.at, range(20_000)) if host.life is Life.ALIVE
    )
    alone = sum(count == 1 for count in hosts.values())
    assert alone > 0.8 * len(hosts)
    assert 100 < max(hosts.values()) < 1_000


def test_latencies_are_log_normal_by_host() -> None:
    latencies = [host.latency_seconds for host in LIVING]
    assert 0.35 < sum(latencies) / len(latencies) < 0.45
    assert 0.8 < spread(latencies) < 1.0
    assert max(latencies) <= 10.0


def test_common_languages_are_common() -> None:
    languages = Counter(host.language for host in LIVING)
    assert languages.keys() == {"cs", "en", "de", "pl", "sk"}
    assert 0.30 < languages["cs"] / len(LIVING) < 0.37


def test_some_pages_never_change_and_the_others_do() -> None:
    year = 365 * 86_400.0
    changed = [WEB.last_change_at(WEB.graph.url_of(host, 0), now=year) for host in NORMAL[:1_000]]
    still = sum(moment == 0.0 for moment in changed)
    assert 0.35 < still / 1_000 < 0.45
    assert all(moment is not None and moment < year for moment in changed)


def test_every_process_sees_the_same_web() -> None:
    """Hash seeds and the order of questions must not matter."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_two_million_hosts_are_stored_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the caches are full (small ones here, for speed), more hosts cost no more memory."""
    monkeypatch.setattr("tiptoe.testing.web_hosts.HOSTS_REMEMBERED", 200)
    monkeypatch.setattr("tiptoe.testing.web_pages.FRAMES_REMEMBERED", 200)
    web = SimulatedWeb(WebShape.realistic(seed=3))

    def visit(count: int, start: int) -> int:
        for index in range(start, 2_000_000, 2_000_000 // count):
            web.respond(web.hosts.at(index).name, "/")
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    visit(100, 1)  # makes what is made once for every language
    tracemalloc.start()
    try:
        full = visit(600, 2)
        later = visit(1_500, 3)
    finally:
        tracemalloc.stop()
    assert later - full < 100_000
