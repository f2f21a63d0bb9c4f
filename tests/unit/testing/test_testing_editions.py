"""Do pages change, and vanish, at the moments that the truth names?"""

import math
import re
from dataclasses import replace
from email.utils import parsedate_to_datetime

import pytest

from simulated.truth import reachable
from tiptoe.errors import SettingsError
from tiptoe.parse.sitemaps import read_sitemap
from tiptoe.testing.editions import BEGAN_AT, changed_at, edition_at, vanishes_at
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

REGULAR = WebShape(
    hosts=1, pages_per_host=400, pages_spread=0.0, change_seconds_min=120.0, change_seconds_max=4_800.0
)
VANISHING = WebShape(
    hosts=2, pages_per_host=200, pages_spread=0.0, vanishing_share=0.3, vanishing_seconds=50.0,
    sitemap_share=1.0,
)  # fmt: skip
HOST = SimulatedWeb(REGULAR).hosts.at(0)


def moments(number: int, count: int) -> list[float]:
    return [changed_at(REGULAR, HOST, number, edition) for edition in range(1, count + 1)]


def test_regular_changes_come_at_the_interval_of_the_page() -> None:
    """Each page has its own, evenly drawn between the bounds, and its own first moment."""
    intervals, phases = [], []
    for number in range(400):
        first, *later = moments(number, 6)
        interval = later[0] - first
        assert later == pytest.approx([first + interval * count for count in range(1, 6)])
        intervals.append(interval)
        phases.append(first / interval)
    assert min(intervals) >= 120.0
    assert max(intervals) <= 4_800.0
    assert sum(intervals) / 400 == pytest.approx(2_460.0, rel=0.1)
    assert all(0.0 <= phase < 1.0 for phase in phases)
    assert sum(phases) / 400 == pytest.approx(0.5, abs=0.05)


def test_a_page_that_changes_regularly_is_another_from_that_moment_on() -> None:
    web = SimulatedWeb(REGULAR)
    for number in range(20):
        at = moments(number, 3)[2]
        assert edition_at(REGULAR, HOST, number, at - 0.01) == 2
        assert edition_at(REGULAR, HOST, number, at + 0.01) == 3
        target = web.graph.path_of(HOST, number).decode()
        before = web.respond(HOST.name, target, now=at - 0.01)
        after = web.respond(HOST.name, target, now=at + 0.01)
        assert before.body != after.body


@pytest.mark.parametrize(
    ("least", "most"), [(0.0, 10.0), (20.0, 10.0), (-1.0, 10.0)], ids=["zero", "crossed", "negative"]
)
def test_bounds_that_cannot_be_are_refused(least: float, most: float) -> None:
    with pytest.raises(SettingsError, match="change_seconds_min"):
        WebShape(change_seconds_min=least, change_seconds_max=most)


def test_pages_vanish_for_good_at_their_moment() -> None:
    """The share that was asked for, never a home, and the truth knows it."""
    web = SimulatedWeb(VANISHING)
    host = web.hosts.at(0)
    moments = {number: vanishes_at(VANISHING, host, number) for number in range(200)}
    vanishing = {number: at for number, at in moments.items() if at < math.inf}
    assert 0.2 < len(vanishing) / 200 < 0.4
    assert 0 not in vanishing
    assert max(vanishing.values()) <= 50.0
    for number, at in vanishing.items():
        url, target = web.graph.url_of(host, number), web.graph.path_of(host, number).decode()
        assert web.respond(host.name, target, now=at - 0.01).status == 200
        assert web.respond(host.name, target, now=at).status == 404
        assert web.respond(host.name, target, now=1e9).status == 404
        assert web.true_paragraphs(url, now=at - 0.01) != []
        assert web.true_paragraphs(url, now=at) == []


def test_a_sitemap_announces_no_page_that_has_vanished() -> None:
    web = SimulatedWeb(VANISHING)
    host = web.hosts.at(0)
    left = {web.graph.url_of(host, n) for n in range(200) if vanishes_at(VANISHING, host, n) == math.inf}
    told = [read_sitemap(web.respond(host.name, "/sitemap.xml", now=now).body, 500) for now in (0.0, 51.0)]
    assert {entry.url for entry in told[0].entries} == set(web.sitemap_of(host))
    assert {entry.url for entry in told[1].entries} == left


def test_a_web_without_them_is_the_same_as_ever() -> None:
    """Shapes that do not ask for it have no page that vanishes, and links lead where they led."""
    plain = SimulatedWeb(replace(VANISHING, vanishing_share=0.0))
    assert reachable(plain, plain.homes()) == reachable(SimulatedWeb(VANISHING), plain.homes())
    assert all(vanishes_at(plain.shape, plain.hosts.at(0), number) == math.inf for number in range(200))


@pytest.mark.parametrize("dated_from", [BEGAN_AT, 1_790_000_000.0])
def test_what_hosts_say_of_changes_is_dated_from_the_beginning_of_the_web(dated_from: float) -> None:
    """A crawl on the real clock has to be able to believe it."""
    web = SimulatedWeb(replace(REGULAR, sitemap_share=1.0, pages_per_host=9), dated_from=dated_from)
    host, now = web.hosts.at(0), 9_000.0
    told = {
        entry.url: entry.lastmod
        for entry in read_sitemap(web.respond(host.name, "/sitemap.xml", now=now).body, 500).entries
    }
    for url, lastmod in told.items():
        truth = dated_from + (web.last_change_at(url, now=now) or 0.0)
        header = dict(web.respond(host.name, re.sub(r"^http://[^/]+", "", url), now=now).headers)
        assert lastmod == int(truth)
        assert parsedate_to_datetime(header["Last-Modified"]).timestamp() == pytest.approx(truth, abs=1.0)
