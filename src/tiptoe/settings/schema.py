"""Which settings are there?

One class per section of the file, one declaration per setting. Settings are described
nowhere else: options, reference page and checks are derived from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tiptoe.settings import form
from tiptoe.settings.catalog_section import CatalogSettings
from tiptoe.settings.cluster_section import ClusterSettings
from tiptoe.settings.crawl_section import CrawlSettings
from tiptoe.settings.filters_section import FiltersSettings
from tiptoe.settings.revisit_section import RevisitSettings
from tiptoe.settings.scope_section import ScopeSettings
from tiptoe.settings.setting import (
    Setting,
    choice,
    count,
    duration,
    factor,
    flag,
    settings_of,
    share,
    size,
    text,
    words,
)
from tiptoe.settings.text_sections import DocumentsSettings, SegmenterSettings, TextSettings
from tiptoe.settings.units import parse_duration

# One argument a line would stretch these tables over twice their length.
# fmt: off

__all__ = [
    "SECTIONS", "SETTINGS", "CatalogSettings", "ClusterSettings", "CrawlSettings", "DocumentsSettings",
    "FetchSettings", "FiltersSettings", "FrontierSettings", "HarvestSettings", "PolitenessSettings",
    "RevisitSettings", "ScopeSettings", "SegmenterSettings", "TextSettings", "WriteSettings",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolitenessSettings:
    """How often requests to one host, or to one address, may be made."""

    req_delay: float = duration(
        "5s", at_least="1s", at_most="24h", relaxed=True, option="--req-delay", live=True,
        help="Pause between the end of an answer and the next request to the same host.",
    )
    max_hosts: int = count(
        2, unit="hosts", at_least=1, at_most=10_000, option="--max-hosts", live=True,
        help="Hosts of one IP address that are visited between two general pauses of the address.",
    )
    max_reqs: int = count(
        50, unit="requests", at_least=1, at_most=1_000_000, option="--max-reqs", live=True,
        help="Requests to one host between two general pauses of its address.",
    )
    general_pause: float = duration(
        "5m", at_least="1s", at_most="720h", relaxed=True, option="--general-pause", live=True,
        help="Rest of the whole IP address after a series of requests, even a short one.",
    )
    slow_factor: float = factor(
        2.0, at_most=100, live=True,
        help="The delay is at least this many times the host's response time: slow hosts are spared.",
    )
    delay_max: float = duration(
        "60s", at_least="1s", at_most="24h", relaxed=True, live=True,
        help="Longest delay that slow_factor alone can cause.",
    )
    retry_after_max: float = duration(
        "24h", at_least="1h", at_most="720h", relaxed=True, live=True,
        help="Longest Retry-After or Crawl-delay that is granted; longer ones are cut to this.",
    )
    robots_expiry: float = duration(
        "24h", at_least="1m", at_most="24h", relaxed=True, live=True,
        help="Age at which robots.txt is fetched again (RFC 9309 allows no more than 24 hours).",
    )
    backoff_first: float = duration(
        "60s", at_least="1s", at_most="24h", relaxed=True,
        help="First wait after 429, 503 or a failure without Retry-After. It doubles with each try of a URL, "
        "and for a host with each further page that fails.",
    )
    backoff_max: float = duration(
        "24h", at_least="1m", at_most="720h", relaxed=True,
        help="Longest wait that the doubling leads to.",
    )
    backoff_forgive: float = duration(
        "30m", at_least="1s", at_most="720h", relaxed=True,
        help="After this long without trouble the waits of a host begin at backoff_first again.",
    )
    cdn_ranges: tuple[str, ...] = words(
        each=form.be_network,
        help="Networks of content delivery services, where thousands of sites share an address: there "
        "max_hosts and general_pause count per host.",
    )
    blocked_hosts: tuple[str, ...] = words(
        each=form.be_host,
        help="Hosts and IP addresses that get no requests at all.",
    )
    slowed_hosts: tuple[str, ...] = words(
        each=form.be_slowed_host,
        help="Hosts and IP addresses with a longer delay of their own, as host=duration.",
    )

    @property
    def slowed_delays(self) -> Mapping[str, float]:
        """Delay in seconds by slowed host or address."""
        pairs = (entry.rpartition("=") for entry in self.slowed_hosts)
        return {host: parse_duration(delay) for host, _, delay in pairs}


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestSettings:
    """How many processes make requests, and how the work is divided."""

    harvesters: int = count(
        1, unit="processes", zero="auto", at_least=1, at_most=256, option="--harvesters", live=True,
        is_local=True,
        help="Harvester processes; auto follows the queue, the bandwidth and the processors.",
    )
    visits: int = count(
        1000, unit="visits", at_least=1, at_most=100_000, is_local=True,
        help="Visits that one harvester makes at the same time.",
    )
    transfers: int = count(
        500, unit="requests", at_least=1, at_most=100_000, is_local=True,
        help="Requests that one harvester has under way at the same time; with body_max it limits its "
        "memory.",
    )
    batch_count: int = count(
        0, unit="packets", zero="unlimited", at_least=1, option="--batch-count", is_local=True,
        help="A harvester ends after this many packets.",
    )
    lease: float = duration(
        "30s", at_least="1s", at_most="1h", is_local=True,
        help="A harvester that is silent for this long loses its work to others; in a cluster, at most a "
        "third of cluster.lease, so that its last request is over before another machine may make one.",
    )
    report_every: float = duration(
        0, zero="auto", at_least="1ms", at_most="10s", is_local=True,
        help="Pause between reports to the keeper; auto means 200ms, in a cluster 500ms, because there a "
        "report is written to the log of each shard it concerns.",
    )
    listen: str = text(
        "", each=form.be_listener, option="--listen", is_local=True,
        help="Where harvesters on other machines connect, as host:port; empty: nowhere. Needs token_file.",
    )
    token_file: str = text(
        "", is_local=True, help="File with the secret that harvesters on other machines have to present."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """How requests are made, and how much of an answer is read."""

    proxy: str = text(
        "", each=form.be_proxy, option="--proxy", is_local=True,
        help="Proxy for all requests, such as http://127.0.0.1:8080; empty means none.",
    )
    access: str = text(
        "", option="--access",
        help="File of rules for sites that require a login, and for proxies, certificates and source "
        "addresses of single hosts; every machine that makes requests needs it in the same place.",
    )
    nameservers: tuple[str, ...] = words(
        each=form.be_name_server, is_local=True,
        help="Name servers to ask; none means those of the system.",
    )
    allow_networks: tuple[str, ...] = words(
        each=form.be_network,
        help="Private networks that may be contacted; by default no page can lead the crawler into one. "
        "In a rehearsal without a proxy nothing else is contacted.",
    )
    connect_timeout: float = duration(
        "20s", at_least="10ms", at_most="5m",
        help="Longest wait for a connection.",
    )
    total_timeout: float = duration(
        "2m", at_least="10ms", at_most="1h",
        help="Longest time for a whole answer.",
    )
    body_max: int = size(
        "10MiB", at_least="1KiB", at_most="2GiB", option="--body-max",
        help="Bytes after which an answer is cut off.",
    )
    decoded_max: int = size(
        "30MiB", at_least="1KiB", at_most="2GiB",
        help="Bytes after which unpacking a compressed answer stops.",
    )
    header_max: int = size(
        "256KiB", at_least="8KiB", at_most="4MiB",
        help="Longest header block that is read.",
    )
    requisites: str = choice(
        "none", "none", "images", "page", "all", option="--requisites",
        help="Also archive what pages need to look right in a copy: images; page (images, style sheets, "
        "scripts and fonts); all (audio and video as well). These are requested as politely as pages, "
        "obeying robots.txt, and are never part of the corpus.",
    )
    requisites_elsewhere: bool = flag(
        True, help="Requisites may be on other hosts than their page, even out of scope."
    )
    requisites_max: int = count(
        200, unit="addresses", at_least=1, at_most=10_000,
        help="Most requisites that are requested for one page.",
    )
    requisite_body_max: int = size(
        "5MiB", at_least="1KiB", at_most="2GiB", help="Bytes after which a requisite is cut off.",
    )
    accept_language: str = text(
        "", each=form.be_header_text, option="--accept-language",
        help="Languages that servers are asked for, such as \"cs, en;q=0.5\"; empty: none.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierSettings:
    """Which hosts are abandoned for giving too little text, and how much memory the queues may use."""

    front_hosts: int = count(
        50_000, unit="hosts", at_least=100, at_most=50_000_000, is_local=True,
        help="Hosts kept ready in memory.",
    )
    block_cache: int = size(
        "64MiB", at_least="1MiB", at_most="1TiB", is_local=True, help="Memory for reading from disk."
    )
    write_buffer: int = size(
        "48MiB", at_least="1MiB", at_most="16GiB", is_local=True, help="Memory for writing to disk."
    )
    min_yield: float = share(
        0.03,
        help="A host, or a section of one, is abandoned when it gives less usable text than this share of "
        "the average, both per byte and per page; 0 = never. Only pages whose usability is known count.",
    )
    trial_pages: int = count(
        30, unit="pages", at_least=5, at_most=1_000_000,
        help="Number of pages after which that is judged.",
    )
    leave_mirrors: bool = flag(
        True, help="Give up a host that only repeats another one."
    )
    unproductive_rest: float = duration(
        "720h", zero="for good", at_least="1h", at_most="87600h",
        help="After this long, an abandoned host or section is tried again when a link leads there.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteSettings:
    """What is written, and how."""

    warc: bool = flag(True, option="--warc", help="Keep what was received as WARC files.")
    warc_size: int = size("1GB", at_least="64KiB", at_most="1TB", help="A WARC file is closed at this size.")
    warc_level: int = count(
        1, unit="level", at_least=1, at_most=12, is_local=True,
        help="Compression of WARC files: 1 is fast, 12 small.",
    )
    corpus_size: int = size(
        "1GB", at_least="64KiB", at_most="1TB",
        help="A corpus file is closed at this size.",
    )
    encoding: str = choice(
        "utf-8", "utf-8", "iso-8859-1", "iso-8859-2", "windows-1250", "windows-1252",
        fixed="a corpus has one encoding",
        help="Encoding of the corpus; characters outside it are written as JSON escapes.",
    )
    sync: bool = flag(
        False, is_local=True,
        help="Wait for the disk before a page is acknowledged: then a power cut loses nothing, but a slow "
        "disk slows the crawl down. Killed processes lose nothing either way.",
    )
    disk_free_min: int = size(
        "500MB", at_most="100TB", live=True, is_local=True,
        help="The crawl pauses while less than this is free on the disk.",
    )


SECTIONS: Final[Mapping[str, type]] = {
    "crawl": CrawlSettings,
    "politeness": PolitenessSettings,
    "scope": ScopeSettings,
    "filters": FiltersSettings,
    "harvest": HarvestSettings,
    "fetch": FetchSettings,
    "frontier": FrontierSettings,
    "write": WriteSettings,
    "documents": DocumentsSettings,
    "text": TextSettings,
    "segmenter": SegmenterSettings,
    "revisit": RevisitSettings,
    "cluster": ClusterSettings,
    "catalog": CatalogSettings,
}

SETTINGS: Final[Mapping[str, Setting]] = {
    setting.name: setting for section, cls in SECTIONS.items() for setting in settings_of(section, cls)
}
"""Every setting by its full name, in the order of the file."""
