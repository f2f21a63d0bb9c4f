"""One crawl of the hostile web, and everything that is known about it afterwards.

Each behaviour has a host of its own beside friendly ones, all are crawled at once:
whatever one of them does, the others must come out whole.
"""

import contextlib
import datetime
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
import pytest
import trustme
from journey_crawl import SMALL, Crawl, Pace
from journey_servers import hostile_web

from simulated.hostile import BEHAVIOURS, PREFIX
from simulated.hostile_web import FORBIDDEN_ADDRESS, NETWORK, HostileWeb
from simulated.truth import reachable
from tiptoe.frontier.counters import Counters
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.host import HostRecord
from tiptoe.store.rocks import RocksStore
from tiptoe.testing.judge import Breach, Rules, judge
from tiptoe.testing.recorder import Arrival, read_arrivals
from tiptoe.write.logentries import RequestEntry

FRIENDLY = replace(SMALL, hosts=6)
PACE = Pace(req_delay=0.05, general_pause=0.15)
TOTAL_SECONDS = 6.0
BODY_BYTES_MAX = 1_000_000
HEADER_BYTES_MAX = 256 * 1024
DECODED_BYTES_MAX = 2_000_000
SAMPLE_SECONDS = 0.05
LIMITS: dict[str, object] = {
    "fetch.total_timeout": f"{TOTAL_SECONDS}s",
    "fetch.connect_timeout": "4s",  # for a handshake on a busy machine
    "fetch.body_max": BODY_BYTES_MAX,
    "fetch.decoded_max": DECODED_BYTES_MAX,
    "fetch.header_max": HEADER_BYTES_MAX,
    "politeness.robots_expiry": "3s",  # short, so that rules are read again and can change
    "politeness.slow_factor": 0,
    "scope.shape_pages_max": 15,
    "scope.hops_max": 30,
    "text.respect_tdm": "false",  # one request less for each host
    "text.duplicity": "false",  # many of these pages say the same; here each is looked at for itself
    "segmenter.off": "true",  # most of them have no text worth following: the traps would not be walked into
}


@dataclass(slots=True)
class Aftermath:
    """What is left of a crawl of the hostile web."""

    web: HostileWeb
    seconds: float
    console: str
    keeper_log: str
    arrivals: list[Arrival]
    requests: list[RequestEntry]
    documents: dict[str, list[dict[str, Any]]]  # by URL
    counters: Counters
    outcomes: dict[str, str]  # by URL of an unkind page
    hosts: dict[str, HostRecord | None]  # by name of a behaviour
    peak_bytes: dict[str, int] = field(default_factory=dict)  # of the keeper and of any harvester

    def page_of(self, name: str) -> str:
        """Return the address of the unkind page of a behaviour: its home where the whole host is unkind."""
        scheme = "https" if name.startswith("tls-") else "http"
        return self.web.origin_of(name, scheme) + (f"{PREFIX}{name}/" if name in BEHAVIOURS else "/")

    def arrivals_at(self, name: str) -> list[Arrival]:
        return [arrival for arrival in self.arrivals if arrival.host == self.web.host_of(name)]

    def stored_from(self, name: str) -> list[str]:
        """Return the paths on the host of a behaviour that entered the corpus."""
        origin = self.web.origin_of(name, "https" if name.startswith("tls-") else "http")
        return [url.removeprefix(origin) for url in self.documents if url.startswith(origin + "/")]

    def text_of(self, url: str) -> list[str]:
        (document,) = self.documents[url]
        return list(document["paragraphs"])

    def violations(self, tolerance: float) -> list[Breach]:
        """Return every breach of politeness that the servers saw."""
        flipping = self.web.host_of("robots-flip")
        rules = Rules(
            req_delay=PACE.req_delay,
            max_hosts=PACE.max_hosts,
            max_reqs=PACE.max_reqs,
            general_pause=PACE.general_pause,
            retry_after_max=PACE.retry_after_max,
            crawl_delays=lambda host: 0.15 if host == flipping else None,
            is_allowed=lambda url: "/private/" not in url or ".hostile." not in url,
            tolerance=tolerance,
        )
        return judge(self.arrivals, rules)


def crawl_the_hostile_web(folder: Path) -> Aftermath:
    """Let the real command loose on all behaviours at once."""
    authority = trustme.CA()
    bundle = folder / "authority.pem"
    bundle.write_bytes(authority.cert_pem.bytes())
    record = folder / "arrivals.jsonl"
    # The certificates are wrong in one thing each, and our own authority has signed all but one.
    with (
        pytest.MonkeyPatch.context() as environment,
        hostile_web(FRIENDLY, record, _contexts(authority)) as served,
    ):
        environment.setenv("SSL_CERT_FILE", str(bundle))
        web = served.web
        surroundings = {
            "crawl.contact": "https://example.org/bot",
            "crawl.rehearsal": "true",
            "fetch.nameservers": served.dns_address,
            "fetch.allow_networks": f"127.18.0.0/15,{NETWORK}",
        }
        seeds = [*_friendly_homes(web), *_unkind_homes(web)]
        crawl = Crawl(folder / "crawl", seeds, {**PACE.settings(), **surroundings, **LIMITS})
        try:
            began = time.monotonic()
            crawl.start()
            with _watch(crawl) as peak_bytes:
                code = crawl.wait()
            seconds = time.monotonic() - began
        finally:
            crawl.end()
    assert code == 0, crawl.console
    return _aftermath(crawl, web, seconds, read_arrivals(record), peak_bytes)


def _aftermath(
    crawl: Crawl, web: HostileWeb, seconds: float, arrivals: list[Arrival], peak_bytes: dict[str, int]
) -> Aftermath:
    documents: dict[str, list[dict[str, Any]]] = {}
    for document in crawl.documents():
        documents.setdefault(document["url"], []).append(document)
    store = RocksStore(
        crawl.out / "state" / "frontier", block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20
    )
    try:
        frontier = Frontier(store, FrontierPolicy())
        keeper_log = (crawl.out / "log" / "keeper.log").read_text(encoding="utf-8")
        after = Aftermath(
            web, seconds, crawl.console, keeper_log, arrivals, crawl.requests(), documents,
            frontier.counters, {}, {name: frontier.host(web.host_of(name)) for name in web.names}, peak_bytes,
        )  # fmt: skip
        for url in map(after.page_of, web.names):
            page = frontier.page(url)
            after.outcomes[url] = page.outcome if page else ""
    finally:
        store.close()
    return after


def _contexts(authority: trustme.CA) -> dict[str, ssl.SSLContext]:
    long_ago = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)

    def context(name: str, signer: trustme.CA, not_after: datetime.datetime | None = None) -> ssl.SSLContext:
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        signer.issue_cert(f"{name}.hostile.test", not_after=not_after).configure_cert(made)
        return made

    return {
        "tls-fine": context("tls-fine", authority),
        "tls-expired": context("tls-expired", authority, long_ago),
        "tls-wrong-name": context("somebody-else", authority),
        "tls-self-signed": context("tls-self-signed", trustme.CA()),
    }


def _friendly_homes(web: HostileWeb) -> list[str]:
    return [web.home_of(index) for index in range(web.shape.hosts)]


def _unkind_homes(web: HostileWeb) -> list[str]:
    schemes = {name: "https" if name.startswith("tls-") else "http" for name in web.names}
    return [web.origin_of(name, scheme) + "/" for name, scheme in schemes.items()]


def friendly_truth(web: HostileWeb) -> list[str]:
    """Return the pages of the friendly hosts, sorted."""
    return sorted(reachable(web, _friendly_homes(web)))


def lured(arrivals: list[Arrival]) -> list[Arrival]:
    """Return the requests that reached the address nobody may be lured to."""
    return [arrival for arrival in arrivals if arrival.address == FORBIDDEN_ADDRESS]


@contextlib.contextmanager
def _watch(crawl: Crawl) -> Iterator[dict[str, int]]:
    """Measure the memory of the keeper and its harvesters while the `with` lasts."""
    assert crawl.process is not None
    keeper = psutil.Process(crawl.process.pid)
    peak: Counter[str] = Counter()
    over = threading.Event()

    def look() -> None:
        while not over.wait(SAMPLE_SECONDS):
            with contextlib.suppress(psutil.Error):
                peak["keeper"] = max(peak["keeper"], keeper.memory_info().rss)
                for harvester in keeper.children():
                    peak["harvester"] = max(peak["harvester"], harvester.memory_info().rss)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()
