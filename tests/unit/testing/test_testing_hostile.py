"""Unkind behaviours are reproducible, so that what the crawler does about them can be tested."""

import gzip
import re
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urljoin

import brotli
import pytest
import zstandard

from simulated.hostile import BEHAVIOURS
from simulated.hostile_web import FORBIDDEN_ADDRESS, HostileWeb
from simulated.truth import reachable
from simulated.unkind import UnkindWeb
from tiptoe.testing.answer import Delivery
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

WEB = UnkindWeb(WebShape.tiny())
HOST = WEB.hosts.at(0).name


@pytest.mark.parametrize("name", sorted(BEHAVIOURS))
def test_every_behaviour_answers_anything(name: str) -> None:
    for rest in ("", "1", "x", "²", "9" * 5_000):
        assert WEB.respond(HOST, f"/hostile/{name}/{rest}").status in (200, 301, 302, 403, 429, 503)


def test_an_unknown_behaviour_is_not_found() -> None:
    assert WEB.respond(HOST, "/hostile/kindness/").status == 404


def test_the_calendar_never_ends() -> None:
    target = "/hostile/calendar/"
    seen = set()
    for _ in range(100):
        link = re.search(rb'href="(\d+)"', WEB.respond(HOST, target).body)
        assert link is not None
        target = f"/hostile/calendar/{link[1].decode()}"
        seen.add(target)
    assert len(seen) == 100


def test_the_redirect_loop_comes_back() -> None:
    target = "/hostile/redirect-loop/0"
    for _ in range(3):
        target = dict(WEB.respond(HOST, target).headers)["Location"]
    assert target == "/hostile/redirect-loop/0"


def test_redirects_lead_home_and_elsewhere() -> None:
    assert dict(WEB.respond(HOST, "/hostile/redirect-home/").headers)["Location"] == "/"
    assert dict(WEB.respond(HOST, "/hostile/redirect-elsewhere/").headers)["Location"] == WEB.home_of(1)


def test_header_piles_are_bigger_than_clients_accept() -> None:
    headers = WEB.respond(HOST, "/hostile/huge-headers/").headers
    assert sum(len(name) + len(value) + 4 for name, value in headers) > 400_000


def test_what_needs_a_socket_says_so() -> None:
    expected = {
        "infinite-body": Delivery.ENDLESS,
        "slow-body": Delivery.TRICKLE,
        "slow-head": Delivery.TRICKLE_HEAD,
        "endless-headers": Delivery.ENDLESS_HEAD,
        "wrong-length": Delivery.WRONG_LENGTH,
        "short-length": Delivery.SHORT_LENGTH,
        "reset": Delivery.RESET,
        "reset-at-once": Delivery.RESET_AT_ONCE,
        "http-09": Delivery.RAW,
        "noise": Delivery.RAW,
    }
    for name in BEHAVIOURS:
        assert WEB.respond(HOST, f"/hostile/{name}/").delivery is expected.get(name, Delivery.PLAIN)


def test_pages_link_to_traps_only_when_told() -> None:
    """The truth about reachable pages leaves the traps out."""
    shape = replace(WebShape.tiny(), hostile_share=1.0, hostile_names=("calendar",))
    web = SimulatedWeb(shape)
    assert b'href="/hostile/calendar/"' in web.respond(HOST, "/").body
    assert b"/hostile/" not in WEB.respond(HOST, "/").body
    assert reachable(web, web.homes()) == reachable(WEB, WEB.homes())


@pytest.mark.parametrize(
    "name", ["growing-path", "growing-query", "growing-value", "session-path", "session-query", "soft-404"]
)
def test_other_traps_never_end_either(name: str) -> None:
    """A trap that ends by itself would prove nothing about whoever gets out of it."""
    start = f"http://{HOST}/hostile/{name}/"
    seen = {start}
    url = start
    for _ in range(40):
        links = re.findall(rb'href="([^"]+)"', WEB.respond(HOST, url.removeprefix(f"http://{HOST}")).body)
        url = next(link for href in links if (link := urljoin(url, href.decode())) not in seen)
        seen.add(url)
    assert len(seen) == 41


@pytest.mark.parametrize(
    ("name", "unpack"),
    [
        ("gzip-bomb", lambda body: len(gzip.decompress(body))),
        ("brotli-bomb", lambda body: len(brotli.decompress(body))),
        ("zstd-bomb", lambda body: len(zstandard.ZstdDecompressor().decompressobj().decompress(body))),
    ],
)
def test_bombs_are_worth_their_name(name: str, unpack: Callable[[bytes], int]) -> None:
    body = WEB.respond(HOST, f"/hostile/{name}/").body
    assert unpack(body) > 200 * len(body)


def test_a_million_links_are_a_million() -> None:
    assert gzip.decompress(WEB.respond(HOST, "/hostile/million-links/").body).count(b"<a href=") == 1_000_000


def test_what_depends_on_the_past_does_so_only_where_somebody_counts() -> None:
    """A storm passes, rules flip, a name turns to another address; the friendly hosts stay as they are."""
    web = HostileWeb(WebShape.tiny())
    storm = [web.respond(web.host_of("storm"), "/hostile/storm/").status for _ in range(5)]
    assert storm == [503, 503, 503, 200, 200]
    rules = [web.respond(web.host_of("robots-flip"), "/robots.txt").body for _ in range(3)]
    assert [b"Disallow: /\n" in body for body in rules] == [False, True, True]
    turning = [web.addresses_of(web.host_of("dns-rebind"), 1) for _ in range(3)]
    assert turning[0] != turning[1] == turning[2] == [FORBIDDEN_ADDRESS]
    assert len(web.addresses_of(web.host_of("dns-many"), 1)) > 20
    assert web.addresses_of(HOST, 1) == [WEB.address_of(HOST, loopback=True)]
    assert web.respond(HOST, "/").body == WEB.respond(HOST, "/").body


def test_unkind_hosts_do_not_share_addresses() -> None:
    """Else one would wait for the other, and nobody could say whose fault it is."""
    addresses = list(HostileWeb(WebShape.tiny()).own_addresses())
    assert len(addresses) == len(set(addresses))
