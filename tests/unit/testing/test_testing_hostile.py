"""Unkind behaviours are reproducible, so that what the crawler does about them can be tested."""

import re
from dataclasses import replace

import pytest

from tiptoe.testing.answer import Delivery
from tiptoe.testing.hostile import BEHAVIOURS
from tiptoe.testing.shape import WebShape
from tiptoe.testing.truth import reachable
from tiptoe.testing.web import SimulatedWeb

WEB = SimulatedWeb(WebShape.tiny())
HOST = WEB.hosts.at(0).name


@pytest.mark.parametrize("name", sorted(BEHAVIOURS))
def test_every_behaviour_answers_anything(name: str) -> None:
    for rest in ("", "1", "x", "²", "9" * 5_000):
        assert WEB.respond(HOST, f"/hostile/{name}/{rest}").status in (200, 301, 302, 429, 503)


def test_an_unknown_behaviour_is_not_found() -> None:
    assert WEB.respond(HOST, "/hostile/kindness/").status == 404


def test_the_calendar_never_ends() -> None:
    target = "/hostile/calendar/"
    seen = set()
    for _ in range(100):
        link = re.search(rb'href="(\d+)">later', WEB.respond(HOST, target).body)
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
        "wrong-length": Delivery.WRONG_LENGTH,
        "reset": Delivery.RESET,
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
