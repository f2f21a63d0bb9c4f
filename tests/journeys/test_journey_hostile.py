"""No server can stop a crawl: whatever it does is bounded, has a reason, and the rest is found."""

import ssl
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import trustme
from journey_crawl import SMALL, Crawl, Pace, simulated_web
from journey_servers import Visitor, html, scripted_server

from tiptoe.testing.hosts import RobotsKind
from tiptoe.testing.served import Face

pytestmark = pytest.mark.journey

UNHURRIED = Pace(req_delay=0.08, general_pause=0.2)
NOTICE_SECONDS = 0.05
"""A server on a busy machine may need so long to notice that we hung up."""

BOUNDS: dict[str, object] = {
    "fetch__total_timeout": "500ms",
    "politeness__slow_factor": 0,
    "fetch__connect_timeout": "1s",
    "fetch__body_max": "200kB",
    "scope__shape_pages_max": 15,
}


def test_a_crawl_over_real_sockets_is_whole_and_polite(tmp_path: Path) -> None:
    """What holds behind the proxy holds for servers with addresses of their own."""
    with simulated_web(tmp_path, replace(SMALL, dead_host_share=0.3, seed=4), face=Face.SERVERS) as stage:
        crawl = stage.crawl(fetch__connect_timeout="1s")
        crawl.run()
    assert stage.truth() == crawl.urls()
    assert stage.violations() == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("infinite-body", ""),
        ("slow-body", ""),
        ("huge-headers", "headers_too_big"),
        ("wrong-length", ""),
        ("reset", "reset"),
        ("redirect-loop", ""),
        ("calendar", "trap"),
    ],
)
def test_unkind_servers_do_not_keep_the_rest_from_being_found(tmp_path: Path, name: str, reason: str) -> None:
    shape = replace(SMALL, hosts=3, pages_per_host=4, hostile_share=1.0, hostile_names=(name,))
    with simulated_web(tmp_path, shape, face=Face.SERVERS) as stage:
        crawl = stage.crawl(pace=UNHURRIED, **BOUNDS)
        printed = crawl.run()
    assert [url for url in crawl.urls() if "/hostile/" not in url] == stage.truth()
    assert reason in printed
    assert any("/hostile/" in arrival.target for arrival in stage.arrivals())
    assert len(stage.arrivals()) < 200
    assert stage.violations(UNHURRIED, tolerance=NOTICE_SECONDS) == []
    assert max(entry.bytes_received for entry in crawl.requests()) < 1_000_000


def test_a_huge_robots_txt_is_read_as_far_as_it_must_be(tmp_path: Path) -> None:
    """Its rules stand at the beginning and are obeyed; the rest is not our problem."""
    shape = replace(SMALL, robots_huge_share=1.0, hosts=2, pages_per_host=5)
    with simulated_web(tmp_path, shape, face=Face.SERVERS) as stage:
        assert stage.web.hosts.at(0).robots is RobotsKind.HUGE
        crawl = stage.crawl(pace=UNHURRIED, fetch__body_max="600KiB")
        crawl.run()
    assert stage.truth() == crawl.urls()
    # The server takes it for a fault of its own that we hang up in the middle of the file.
    cut = "asked although robots.txt could not be had"
    violations = stage.violations(UNHURRIED, tolerance=NOTICE_SECONDS)
    assert [violation for violation in violations if violation.what != cut] == []


@contextmanager
def crawl_of(folder: Path, *seeds: str, **settings: object) -> Iterator[Crawl]:
    """A crawl that may reach this machine only."""
    known: dict[str, object] = {
        **Pace().settings(),
        "crawl.contact": "crawl@example.org",
        "crawl.rehearsal": "true",
        "fetch.allow_networks": "127.0.0.0/8",
    }
    known.update((name.replace("__", "."), value) for name, value in settings.items())
    crawl = Crawl(folder / "crawl", list(seeds), known)
    try:
        yield crawl
    finally:
        crawl.end()


def fall_silent(visitor: Visitor) -> None:
    visitor.say(b"H")
    visitor.wait_for_leave()


def stop_in_the_body(visitor: Visitor) -> None:
    visitor.say(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<p>Once upon a time"
    )
    visitor.wait_for_leave()


def talk_nonsense(visitor: Visitor) -> None:
    visitor.say(b"220 ready for mail\r\n\r\n")
    visitor.connection.close()


def test_answers_that_no_browser_would_survive_are_survived(tmp_path: Path) -> None:
    """Silence after a byte, half a body, another protocol, a bomb, a page a hundred thousand deep."""
    bomb = zlib.compressobj(wbits=31)
    packed = bomb.compress(b"<p>a word and another</p>" * 4_000_000) + bomb.flush()
    links = b"".join(
        b"<p><a href=/%s>an unkind page behind this link</a></p>" % name
        for name in (
            b"silent",
            b"half",
            b"nonsense",
            b"bomb",
            b"deep",
            b"wide",
            b"good",
            b"void",
            b"mad-type",
        )
    )
    scripts = {
        "/": html(b"<title>Home</title>" + links),
        "/good": html(b"<title>Good</title><p>This page is what it seems to be.</p>"),
        "/silent": fall_silent,
        "/half": stop_in_the_body,
        "/nonsense": talk_nonsense,
        "/bomb": html(packed, b"Content-Encoding: gzip"),
        "/deep": html(b"<title>Deep</title>" + b"<div>" * 100_000 + b"<p>Down here is some text.</p>"),
        "/wide": html(b"<title>Wide</title>" + b"<p>A paragraph.</p>" * 100_000),
        "/void": html(b""),
        "/mad-type": html(b"\x00\xff" * 50_000, b"Content-Encoding: gzip, br, what"),
    }
    with scripted_server(scripts) as server:
        limits = {**BOUNDS, "fetch__body_max": "2MB", "fetch__decoded_max": "3MB"}
        with crawl_of(tmp_path, server.origin + "/", **limits) as crawl:
            printed = crawl.run()
    stored = {url.removeprefix(server.origin) for url in crawl.urls()}
    assert {"/", "/good", "/deep", "/wide"} <= stored
    assert set(scripts) <= set(server.asked)
    failures = {entry.url.removeprefix(server.origin): entry.failure for entry in crawl.requests()}
    assert failures["/silent"] == "timed_out"
    assert failures["/nonsense"] == "bad_answer"
    for reason in ("timed_out", "bad_answer", "no_text"):
        assert reason in printed
    assert "lost" not in (crawl.out / "log" / "keeper.log").read_text()
    assert max(map(server.asked.count, set(server.asked))) <= 4


def test_a_wrong_certificate_is_not_accepted(tmp_path: Path) -> None:
    """Nobody knows who answers there; not even robots.txt is believed."""
    authority = trustme.CA()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("somebody.else.example").configure_cert(tls)
    with scripted_server({"/": html(b"<p>Trust me, said the page.</p>")}, tls=tls) as server:
        with crawl_of(tmp_path, server.origin + "/") as crawl:
            printed = crawl.run()
        assert server.asked == []
    assert "tls_failed" in printed
    assert crawl.urls() == []
    assert {entry.failure for entry in crawl.requests()} == {"tls_failed"}
