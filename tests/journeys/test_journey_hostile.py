"""No server can stop a crawl: whatever it does is bounded, has a reason, and the rest is found."""

import socket
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from journey_crawl import SMALL, Crawl, Pace, simulated_web
from journey_hostile import (
    BODY_BYTES_MAX,
    DECODED_BYTES_MAX,
    HEADER_BYTES_MAX,
    TOTAL_SECONDS,
    Aftermath,
    crawl_the_hostile_web,
    friendly_truth,
    lured,
)
from journey_servers import Talk, Visitor, html, scripted_server
from warcio.archiveiterator import ArchiveIterator

from simulated.hostile_pages import CZECH
from simulated.hostile_web import HostileWeb
from simulated.unkind import UnkindServers
from tiptoe.frontier.patience import PATIENCE, Trouble
from tiptoe.observe.meanings import MEANINGS

pytestmark = pytest.mark.journey

NOTICE_SECONDS = 0.05
"""A server on a busy machine may need so long to notice that we hung up."""

UNHURRIED = Pace(req_delay=0.08, general_pause=0.2)

BOUNDS: dict[str, Any] = {
    "fetch__total_timeout": "1s",  # enough for a handshake on a busy machine
    "politeness__slow_factor": 0,
    "fetch__connect_timeout": "1s",
    "fetch__body_max": "200kB",
    "scope__shape_pages_max": 15,
}

PLAIN: dict[str, object] = {
    "text__respect_tdm": "false",
    "text__duplicity": "false",
    "segmenter__off": "true",
    "politeness__slow_factor": 0,
}
"""Settings under which each page stands for itself."""

CRAWL_SECONDS_MAX = 80.0
KEEPER_BYTES_MAX = 200 << 20
HARVESTER_BYTES_MAX = (250 << 20) + 30 * DECODED_BYTES_MAX
"""Models of languages and of main text, and what a page may take while its outline is read."""
"""What a process needs to begin with, and room for some hostile pages at once."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What comes of one behaviour; `outcome` is that of the unkind page itself."""

    outcome: str
    counted: str  # a reason among the crawl's discards or outcomes
    stored: tuple[int, int]  # unkind pages in the corpus: at least, at most
    requests_max: int = 10  # to the whole host, robots.txt included
    gone: str = ""  # why its host was given up; then nothing of it is in the corpus


NO_RULES = "robots_unreachable"
PRIVATE = "private_address"

EXPECTED = {
    # behaviour                       outcome            counted                 stored   requests
    # -- pages without end
    "calendar":             Expected("ok",              "trap_shape",           (5, 24),  30),
    "growing-path":         Expected("ok",              "trap_deep_path",       (10, 21), 35),
    "repeating-path":       Expected("ok",              "trap_repeating_path",  (1, 3)),
    "growing-query":        Expected("ok",              "trap_many_parameters", (10, 17), 30),
    "growing-value":        Expected("ok",              "trap_depth",           (20, 30), 45),
    "session-path":         Expected("ok",              "trap_shape",           (5, 24),  32),
    "session-query":        Expected("ok",              "trap_shape",           (5, 24),  32),
    "redirect-loop":        Expected("redirect",        "redirect_loop",        (0, 0)),
    "redirect-itself":      Expected("redirect",        "redirect_loop",        (0, 0)),
    "redirect-chain":       Expected("redirect",        "redirect_chain",       (0, 0),   22),
    "redirect-home":        Expected("redirect",        "redirect",             (0, 0)),
    "redirect-elsewhere":   Expected("redirect",        "redirect",             (0, 0)),
    "soft-404":             Expected("ok",              "repeated_text",        (2, 2),   50),
    "soft-404-titled":      Expected("soft_404",        "soft_404",             (0, 0)),
    # -- answers that fail, hang or turn away
    "infinite-body":        Expected("no_main_text",    "body_cut",             (0, 0)),
    "slow-body":            Expected("ok",              "body_cut",             (1, 1)),
    "slow-head":            Expected("timed_out",       "timed_out",            (0, 0)),
    "huge-headers":         Expected("headers_too_big", "headers_too_big",      (0, 0)),
    "endless-headers":      Expected("headers_too_big", "headers_too_big",      (0, 0)),
    "wrong-length":         Expected("ok",              "body_cut",             (1, 1)),
    "short-length":         Expected("ok",              "ok",                   (1, 1)),
    "reset":                Expected("ok",              "broken_off",           (1, 1)),
    "reset-at-once":        Expected("reset",           "reset",                (0, 0)),
    "http-09":              Expected("bad_answer",      "bad_answer",           (0, 0)),
    "noise":                Expected("bad_answer",      "bad_answer",           (0, 0)),
    "too-many":             Expected("overloaded",      "overloaded",           (0, 0),   20),
    "too-many-silent":      Expected("overloaded",      "overloaded",           (0, 0),   20),
    "retry-after-negative": Expected("overloaded",      "overloaded",           (0, 0),   20),
    "retry-after-huge":     Expected("overloaded",      "overloaded",           (0, 0),   20),
    "retry-after-past":     Expected("overloaded",      "overloaded",           (0, 0),   20),
    "retry-after-future":   Expected("overloaded",      "overloaded",           (0, 0),   20),
    "retry-after-garbage":  Expected("overloaded",      "overloaded",           (0, 0),   20),
    "storm":                Expected("ok",              "overloaded",           (1, 1),   14),
    "challenge-200":        Expected("challenge",       "challenge",            (0, 0)),
    "challenge-quiet":      Expected("challenge",       "challenge",            (0, 0)),
    "challenge-403":        Expected("challenge",       "challenge",            (0, 0)),
    "challenge-503":        Expected("challenge",       "challenge",            (0, 0)),
    # -- pages that hurt whoever reads them
    "truncated-gzip":       Expected("ok",              "coding_broken",        (1, 1)),
    "gzip-bomb":            Expected("no_main_text",    "body_cut",             (0, 0)),
    "brotli-bomb":          Expected("no_main_text",    "body_cut",             (0, 0)),
    "zstd-bomb":            Expected("no_main_text",    "body_cut",             (0, 0)),
    "lying-charset":        Expected("ok",              "ok",                   (1, 1)),
    "deep-nesting":         Expected("ok",              "ok",                   (1, 1)),
    "million-links":        Expected("ok",              "many_links",           (10, 40), 60),
    "nul-bytes":            Expected("ok",              "ok",                   (1, 1)),
    "invalid-hrefs":        Expected("ok",              "repeated_text",        (1, 3),   14),
    "no-page-links":        Expected("ok",              "no_page",              (1, 1)),
    # -- hosts that are unkind as a whole
    "robots-huge":          Expected("ok",              "disallowed",           (0, 0)),
    "robots-flip":          Expected("ok",              "disallowed",           (5, 45),  50),
    "robots-error":         Expected("",                NO_RULES,               (0, 0),   8,  NO_RULES),
    "mirror-first":         Expected("ok",              "mirror",               (15, 45), 60),
    "mirror-second":        Expected("ok",              "mirror",               (15, 45), 60),
    "dns-private":          Expected("",                PRIVATE,                (0, 0),   0,  PRIVATE),
    "dns-mixed":            Expected("",                PRIVATE,                (0, 0),   0,  PRIVATE),
    "dns-rebind":           Expected("ok",              "private_address",      (0, 0)),
    "dns-many":             Expected("ok",              "ok",                   (0, 0)),
    "tls-fine":             Expected("ok",              "ok",                   (0, 0)),
    "tls-expired":          Expected("",                "tls_failed",           (0, 0),   0,  NO_RULES),
    "tls-wrong-name":       Expected("",                "tls_failed",           (0, 0),   0,  NO_RULES),
    "tls-self-signed":      Expected("",                "tls_failed",           (0, 0),   0,  NO_RULES),
    "tls-silent":           Expected("",                "timed_out",            (0, 0),   0,  NO_RULES),
}  # fmt: skip
"""What each behaviour comes to. One line here is what a new behaviour needs."""


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> Aftermath:
    return crawl_the_hostile_web(tmp_path_factory.mktemp("hostile"))


def test_every_behaviour_is_expected() -> None:
    """A behaviour without a line in the table would be crawled and never looked at."""
    assert set(EXPECTED) == set(HostileWeb(SMALL).names)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_unkind_server_is_recognised_bounded_and_counted(after: Aftermath, name: str) -> None:
    expected = EXPECTED[name]
    assert after.outcomes[after.page_of(name)] == expected.outcome
    assert after.counters.totals.discards.get(expected.counted, 0) + after.counters.totals.outcomes.get(
        expected.counted, 0
    )
    assert expected.counted in MEANINGS
    record = after.hosts[name]
    assert record is not None
    assert record.gone_because in (expected.gone, "mirror" if name.startswith("mirror-") else expected.gone)
    assert len(after.arrivals_at(name)) <= expected.requests_max
    stored = after.stored_from(name)
    unkind = [path for path in stored if path not in ("/", "/fine")]
    assert expected.stored[0] <= len(unkind) <= expected.stored[1], unkind
    if not expected.gone:  # the rest of the host is as good as any other
        assert {"/", "/fine"} <= set(stored) or name in ("robots-flip", "mirror-first", "mirror-second")


def test_each_behaviour_is_counted_for_itself(after: Aftermath) -> None:
    """One reason that stands for ten behaviours has to be there ten times."""
    wanted = Counter(expected.counted for expected in EXPECTED.values())
    found = Counter(after.counters.totals.outcomes) | Counter(after.counters.totals.discards)
    assert {reason: count for reason, count in wanted.items() if found[reason] < count} == {}


def test_friendly_hosts_come_out_whole(after: Aftermath) -> None:
    """What others do must not cost them a page, and none is stored twice."""
    friendly = {url: stored for url, stored in after.documents.items() if ".hostile.test" not in url}
    assert sorted(friendly) == friendly_truth(after.web)
    assert {len(stored) for stored in after.documents.values()} == {1}
    for url in friendly:
        truth = after.web.true_paragraphs(url)
        assert [paragraph for paragraph in after.text_of(url) if paragraph in truth] == truth


def test_the_crawl_is_polite_to_friend_and_foe(after: Aftermath) -> None:
    violations = after.violations(NOTICE_SECONDS)
    # The server takes it for a fault of its own that we hang up in the middle of its 100 MB.
    cut = ("robots-huge.hostile.test", "requested although robots.txt could not be fetched")
    assert [str(found) for found in violations if (found.host, found.what) != cut] == []


def test_the_crawl_ends_in_time_and_within_its_memory(after: Aftermath) -> None:
    assert after.seconds < CRAWL_SECONDS_MAX
    assert 0 < after.peak_bytes["keeper"] < KEEPER_BYTES_MAX
    assert 0 < after.peak_bytes["harvester"] < HARVESTER_BYTES_MAX
    assert "lost" not in after.keeper_log


def test_no_request_takes_more_than_it_may(after: Aftermath) -> None:
    assert max(entry.bytes_received for entry in after.requests) <= BODY_BYTES_MAX + HEADER_BYTES_MAX + 16_384
    assert max(entry.ended_at - entry.started_at for entry in after.requests) < TOTAL_SECONDS + 2.0


def test_nobody_is_lured_to_an_address_that_was_not_checked(after: Aftermath) -> None:
    """Names that point, or turn, to this machine, and links that name it."""
    assert lured(after.arrivals) == []
    assert {arrival.address for arrival in after.arrivals_at("dns-rebind")} == {
        after.hosts["dns-rebind"].address  # type: ignore[union-attr]
    }


def test_a_host_with_many_addresses_is_asked_at_one(after: Aftermath) -> None:
    """Else each of its machines would be asked as often as all of them together may be."""
    assert len({arrival.address for arrival in after.arrivals_at("dns-many")}) == 1


def test_rules_that_change_are_obeyed_from_then_on(after: Aftermath) -> None:
    """Also for what was queued when they were kinder (POL-5)."""
    arrivals = after.arrivals_at("robots-flip")
    read_at = [arrival.answered_at for arrival in arrivals if arrival.target == "/robots.txt"]
    assert len(read_at) >= 2
    assert [arrival.target for arrival in arrivals if arrival.arrived_at > read_at[1]] == ["/robots.txt"] * (
        len(read_at) - 2
    )


def test_one_of_two_mirrors_stays(after: Aftermath) -> None:
    gone = [after.hosts[name].gone_because for name in ("mirror-first", "mirror-second")]  # type: ignore[union-attr]
    assert sorted(gone) == ["", "mirror"]


def test_a_wrong_certificate_is_not_accepted(after: Aftermath) -> None:
    """Nobody knows who answers there; not even robots.txt is believed. One thing wrong is enough."""
    for name in ("tls-expired", "tls-wrong-name", "tls-self-signed"):
        failures = {entry.failure for entry in after.requests if entry.host == after.web.host_of(name)}
        assert failures == {"tls_failed"}


def test_what_was_not_meant_for_the_corpus_is_not_in_it(after: Aftermath) -> None:
    """Another answer hidden in the first, walls that want to see a browser, what robots.txt forbids."""
    text = "\n".join(paragraph for url in after.documents for paragraph in after.text_of(url))
    for phrase in ("Smuggled", "One more step", "Please enable JS", "Nobody should read", "\0"):
        assert phrase not in text


def test_text_in_another_charset_than_announced_is_read(after: Aftermath) -> None:
    assert after.text_of(after.page_of("lying-charset")) == [CZECH, CZECH.upper()]


def test_session_ids_with_a_known_name_make_no_new_pages(after: Aftermath) -> None:
    for name in ("session-path", "session-query"):
        targets = [arrival.target for arrival in after.arrivals_at(name)]
        assert targets.count(f"/hostile/{name}/known") == 1
        assert not any("sess" in target.removeprefix(f"/hostile/{name}/") for target in targets)


def test_a_crawl_over_real_sockets_is_whole_and_polite(tmp_path: Path) -> None:
    """What holds behind the proxy holds for servers with addresses of their own."""
    with simulated_web(tmp_path, replace(SMALL, dead_host_share=0.3, seed=4), served=UnkindServers) as stage:
        crawl = stage.crawl(fetch__connect_timeout="1s")
        crawl.run()
    assert stage.truth() == crawl.urls()
    assert stage.violations() == []


def test_unkind_pages_among_kind_ones_do_no_harm(tmp_path: Path) -> None:
    """Most of them do not have a host of their own but stand somewhere on a good one."""
    names = (
        "calendar",
        "redirect-loop",
        "infinite-body",
        "slow-body",
        "huge-headers",
        "wrong-length",
        "reset",
    )
    shape = replace(SMALL, hosts=3, pages_per_host=4, hostile_share=1.0, hostile_names=names)
    with simulated_web(tmp_path, shape, served=UnkindServers) as stage:
        # Rated, an empty calendar would be left at its second page, before it is known for a trap.
        crawl = stage.crawl(pace=UNHURRIED, segmenter__off="true", **BOUNDS)
        printed = crawl.run()
    assert [url for url in crawl.urls() if "/hostile/" not in url] == stage.truth()
    arrivals = stage.arrivals()
    for name in names:
        assert any(arrival.target.startswith(f"/hostile/{name}/") for arrival in arrivals)
    for reason in ("trap_shape", "redirect_loop", "body_cut", "headers_too_big", "broken_off"):
        assert reason in printed
    assert len(arrivals) < 400
    assert stage.violations(UNHURRIED, tolerance=NOTICE_SECONDS) == []
    assert max(entry.bytes_received for entry in crawl.requests()) < 1_000_000


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


def fail(visitor: Visitor) -> None:
    visitor.say(b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")


def announcing(length: int, body: bytes) -> Talk:
    """Answer with a page of another length than announced, and hang up."""

    def talk(visitor: Visitor) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
        visitor.say(head % length + body)
        visitor.connection.shutdown(socket.SHUT_RDWR)

    return talk


def listing(*paths: str) -> Talk:
    links = "".join(f"<p><a href={path}>Here begins the page {path}</a></p>" for path in paths)
    return html(f"<title>Home</title>{links}".encode())


def an_article(name: str) -> bytes:
    return f"<title>{name}</title><p>The page {name} has a text that no other page has: {name}.</p>".encode()


def test_pages_that_fail_do_not_cost_their_host_the_others(tmp_path: Path) -> None:
    """Fourteen pages of 134 say 500, and stand before all others."""
    bad = [f"/bad/{number}" for number in range(14)]
    good = [f"/good/{number}" for number in range(120)]
    scripts = {"/": listing(*bad, *good), **dict.fromkeys(bad, fail)}
    scripts |= {path: html(an_article(path)) for path in good}
    with scripted_server(scripts) as server, crawl_of(tmp_path, server.origin + "/", **PLAIN) as crawl:
        printed = crawl.run()
    stored = {url.removeprefix(server.origin) for url in crawl.urls()}
    assert set(good) <= stored
    assert {server.asked.count(path) for path in good} == {1}
    assert {server.asked.count(path) for path in bad} == {PATIENCE[Trouble.SERVER_ERROR].tries}
    assert "server_error" in printed


def test_pages_of_another_length_than_announced_are_kept_and_marked(tmp_path: Path) -> None:
    """Whole ones at once, others after a second look; none of them costs another page."""
    whole, half = [f"/whole/{number}" for number in range(5)], [f"/half/{number}" for number in range(3)]
    wrong = {path: announcing(5000, an_article(path) + b"</body></html>") for path in whole}
    wrong |= {path: announcing(5000, an_article(path)) for path in half}
    long = announcing(len(an_article("long")), an_article("long") + b"<p>What nobody has announced.</p>")
    good = [f"/good/{number}" for number in range(20)]
    scripts = {"/": listing(*wrong, "/long", *good), **wrong, "/long": long}
    scripts |= {path: html(an_article(path)) for path in good}
    with scripted_server(scripts) as server, crawl_of(tmp_path, server.origin + "/", **PLAIN) as crawl:
        crawl.run()
    documents = {document["url"].removeprefix(server.origin): document for document in crawl.documents()}
    assert {"/long", *good} <= set(documents)
    assert {path for path in documents if documents[path]["truncated"]} == set(wrong)
    assert {documents[path]["truncated"] for path in wrong} == {"disconnect"}
    assert "nobody has announced" not in str(documents["/long"]["paragraphs"])
    asked = {path: server.asked.count(path) for path in wrong}
    assert asked == dict.fromkeys(whole, 1) | dict.fromkeys(half, 2)
    marks = {entry.url.removeprefix(server.origin) for entry in crawl.requests() if entry.truncated}
    assert marks == set(wrong)
    archived: dict[str, str] = {}
    for name in (crawl.out / "warc").glob("*.warc.gz"):
        with name.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response" and record.rec_headers.get_header("WARC-Truncated"):
                    url = record.rec_headers.get_header("WARC-Target-URI").removeprefix(server.origin)
                    archived[url] = record.rec_headers.get_header("WARC-Truncated")
    assert archived == dict.fromkeys(wrong, "disconnect")


def test_links_to_an_origin_where_nobody_is_cost_their_host_nothing(tmp_path: Path) -> None:
    """https where there is none: it is this origin that is dead, not the host."""
    good = [f"/good/{number}" for number in range(60)]
    dead = [f"https://127.77.0.1/{number}" for number in range(10)]
    scripts = {"/": listing(*dead, *good), **{path: html(an_article(path)) for path in good}}
    with scripted_server(scripts) as server, crawl_of(tmp_path, server.origin + "/", **PLAIN) as crawl:
        printed = crawl.run()
    assert {url.removeprefix(server.origin) for url in crawl.urls()} >= set(good)
    assert "robots_unreachable" in printed
    tried = [entry.url for entry in crawl.requests() if entry.url.startswith("https:")]
    assert set(tried) == {"https://127.77.0.1/robots.txt"}
    assert len(tried) <= 2 * PATIENCE[Trouble.ROBOTS_UNREACHABLE].give_up_after
