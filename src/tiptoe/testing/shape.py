"""What kind of web is simulated?

A `WebShape` determines everything: two webs of the same shape are identical, byte
for byte, in any process.
"""

from dataclasses import dataclass, fields
from typing import Final

from tiptoe.errors import SettingsError
from tiptoe.testing.vocabulary import WORDS

__all__ = ["WebShape"]

SIGMA_MAX: Final = 3.0
REDIRECT_STATUSES: Final = frozenset((301, 302, 303, 307, 308))


@dataclass(frozen=True, slots=True, kw_only=True)
class WebShape:
    """Size, link graph, manners and faults of a simulated web; shares go from 0 to 1."""

    seed: int = 1
    hosts: int = 100
    hosts_per_address: int = 4
    shared_address_share: float = 0.0  # of hosts: on unevenly shared addresses, others alone; 0: all evenly
    port: int = 80  # written into links when it is not 80
    languages: tuple[str, ...] = ("cs", "sk", "pl", "en", "de")  # a language listed twice is twice as common

    pages_per_host: int = 50  # mean
    pages_spread: float = 0.5  # exponent of the power law; 0 = every host has exactly the mean
    pages_max: int = 10_000
    page_bytes: int = 8_000  # mean
    size_spread: float = 0.0  # sigma of the log-normal text length; 0 = half to one and a half of the mean
    links_per_page: int = 30  # mean, a third of them in the navigation
    list_share: float = 0.0  # of pages: end with a list of links
    list_links: int = 60  # mean of those lists, from a power law
    external_share: float = 0.1  # of the links in the text
    popularity_exponent: float = 0.5  # links to the n-th host fall like n to minus this
    change_seconds: float = 0.0  # mean time between two changes of a page; 0 = never
    change_seconds_min: float = 0.0  # with the next: pages change regularly, each at an
    change_seconds_max: float = 0.0  # interval drawn evenly from between the two; 0 = see above
    static_share: float = 0.0  # of pages: never change, whatever is set above
    vanishing_share: float = 0.0  # of pages other than homes: 404 from some moment on
    vanishing_seconds: float = 60.0  # latest such moment; each page has its own

    redirect_share: float = 0.0  # of pages: to another page
    redirect_statuses: tuple[int, ...] = (301,)
    redirect_chain_share: float = 0.0  # of redirects: by way of another redirect, if one is near
    gone_share: float = 0.0  # of pages: 404
    error_share: float = 0.0  # of pages: 500, always
    flaky_share: float = 0.0  # of pages: 503 half of the time
    flaky_seconds: float = 10.0  # how long a flaky page stays as it is
    silent_share: float = 0.0  # of pages: no answer at all
    reset_share: float = 0.0  # of pages: the connection breaks in the middle
    noindex_share: float = 0.0  # of pages: <meta name=robots content=noindex>
    nofollow_share: float = 0.0  # of pages: the same with nofollow
    copy_share: float = 0.0  # of pages other than homes: text shared with others
    articles: int = 50  # number of shared texts in each language

    dead_host_share: float = 0.0  # half have no address, half refuse connections
    moved_host_share: float = 0.0  # every page redirects to another host
    forbidding_host_share: float = 0.0  # every page is 403
    broken_host_share: float = 0.0  # every page is 500
    silent_host_share: float = 0.0  # nothing is ever answered
    robots_share: float = 0.0  # of hosts: /private/ is disallowed
    robots_patterns_share: float = 0.0  # of hosts: wildcards, and Allow within Disallow
    robots_named_share: float = 0.0  # of hosts: a group for `tiptoe`, others are kept out
    robots_closed_share: float = 0.0  # of hosts: everything is disallowed
    robots_html_share: float = 0.0  # of hosts: robots.txt is a page, not rules
    robots_moved_share: float = 0.0  # of hosts: robots.txt redirects to the rules
    robots_missing_share: float = 0.0  # of hosts: robots.txt is 404
    robots_error_share: float = 0.0  # of hosts: robots.txt is 503
    robots_slow_share: float = 0.0  # of hosts: robots.txt takes long
    robots_huge_share: float = 0.0  # of hosts: robots.txt is excessively large
    crawl_delay_share: float = 0.0
    crawl_delay_seconds: float = 2.0
    sitemap_share: float = 0.0
    sitemap_index_share: float = 0.0  # of hosts with a sitemap: an index, also of gzip files
    legacy_charset_share: float = 0.0  # of hosts: windows-1250 or ISO-8859-2
    charset_undeclared_share: float = 0.0  # of hosts: neither header nor page name the charset
    charset_wrong_header_share: float = 0.0  # of hosts: the header names another one, the page the right one
    charset_wrong_meta_share: float = 0.0  # of hosts: the page names another one, the header none
    gzip_share: float = 0.0  # of hosts: compress for clients that accept it
    latency_seconds: float = 0.0  # mean
    latency_spread: float = 0.0  # sigma of the log-normal latency; 0 = half to one and a half of the mean
    terse_host_share: float = 0.0  # of hosts: short lines only, but for one long notice
    hostile_share: float = 0.0  # of hosts: link to /hostile/NAME/ for each name below
    hostile_names: tuple[str, ...] = ()  # 404, unless a test serves them

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name.endswith("_share") and not 0.0 <= value <= 1.0:
                raise SettingsError(f"{field.name} = {value}: a share goes from 0 to 1")
        for name in (
            "hosts",
            "hosts_per_address",
            "pages_per_host",
            "pages_max",
            "links_per_page",
            "list_links",
            "articles",
        ):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} = {getattr(self, name)}: at least 1")
        for name, limit in (("pages_spread", 1.0), ("popularity_exponent", 1.0), ("size_spread", SIGMA_MAX)):
            if not 0.0 <= getattr(self, name) < limit:
                raise SettingsError(f"{name} = {getattr(self, name)}: from 0 to less than {limit:g}")
        if not 0.0 <= self.latency_spread < SIGMA_MAX:
            raise SettingsError(f"latency_spread = {self.latency_spread}: from 0 to less than {SIGMA_MAX:g}")
        if self.change_seconds_max and not 0.0 < self.change_seconds_min <= self.change_seconds_max:
            least, most = self.change_seconds_min, self.change_seconds_max
            raise SettingsError(f"change_seconds_min = {least}: more than 0, at most the maximum, {most:g}")
        if not self.redirect_statuses or not set(self.redirect_statuses) <= REDIRECT_STATUSES:
            known = ", ".join(map(str, sorted(REDIRECT_STATUSES)))
            raise SettingsError(f"redirect_statuses = {list(self.redirect_statuses)}: choose from {known}")
        unknown = [language for language in self.languages if language not in WORDS]
        if unknown or not self.languages:
            raise SettingsError(f"languages = {list(self.languages)}: choose from {', '.join(sorted(WORDS))}")

    @property
    def has_changes(self) -> bool:
        """True if some page may change."""
        return bool(self.change_seconds or self.change_seconds_max)

    @property
    def has_faulty_pages(self) -> bool:
        """True if some page answers with something other than its text."""
        faults = self.redirect_share + self.gone_share + self.error_share + self.flaky_share
        return faults + self.silent_share + self.reset_share > 0.0

    @classmethod
    def tiny(cls, seed: int = 1) -> "WebShape":
        """Return a handful of hosts with a bit of everything finite, for tests."""
        return cls(
            seed=seed, hosts=6, hosts_per_address=2, pages_per_host=12, pages_spread=0.0,
            page_bytes=4_000, links_per_page=15, external_share=0.25,
            redirect_share=0.05, gone_share=0.05, robots_share=0.5, sitemap_share=0.3,
            legacy_charset_share=0.3,
        )  # fmt: skip

    @classmethod
    def demo(cls, seed: int = 1) -> "WebShape":
        """Return a small web like the real one: uneven, partly broken, mostly friendly."""
        return cls(
            seed=seed, hosts=400, hosts_per_address=3, pages_per_host=12, pages_spread=0.5, pages_max=80,
            page_bytes=10_000, links_per_page=40, external_share=0.15,
            redirect_share=0.03, gone_share=0.03, error_share=0.005, flaky_share=0.005,
            noindex_share=0.01, nofollow_share=0.01, dead_host_share=0.04,
            robots_share=0.4, robots_missing_share=0.2, robots_error_share=0.01,
            crawl_delay_share=0.05, crawl_delay_seconds=0.4, flaky_seconds=1.0,
            sitemap_share=0.3, legacy_charset_share=0.1, gzip_share=0.3,
            latency_seconds=0.05,
        )  # fmt: skip

    @classmethod
    def bench(cls, seed: int = 1) -> "WebShape":
        """Return a wide web without faults: the crawler itself limits the speed of a crawl."""
        return cls(
            seed=seed, hosts=20_000, hosts_per_address=1, pages_per_host=500, pages_spread=0.0,
            page_bytes=16_000, links_per_page=60,
        )  # fmt: skip

    @classmethod
    def realistic(cls, seed: int = 1) -> "WebShape":
        """Return a web as big and as uneven as the real one; most of what is requested exists.

        A polite crawl that takes hosts in turn finds about 62 % pages, 7 % redirects,
        4 % pages that are gone, 6 % denials by robots.txt and 13 % dead hosts. With few
        hosts the popular ones weigh more, and fewer dead ones are found.
        """
        return cls(
            seed=seed, hosts=2_000_000, hosts_per_address=12, shared_address_share=0.5,
            languages=("cs", "cs", "cs", "en", "en", "de", "de", "pl", "sk"),
            pages_per_host=60, pages_spread=0.8, pages_max=20_000,
            page_bytes=16_000, size_spread=0.9, links_per_page=45, list_share=0.1, list_links=60,
            external_share=0.12, popularity_exponent=0.75, change_seconds=30 * 86_400.0, static_share=0.4,
            redirect_share=0.095, redirect_statuses=(301, 301, 301, 302, 302, 303, 307, 308),
            redirect_chain_share=0.2, gone_share=0.11, error_share=0.035, flaky_share=0.01,
            flaky_seconds=60.0, silent_share=0.01, reset_share=0.005, noindex_share=0.02, nofollow_share=0.02,
            dead_host_share=0.18, moved_host_share=0.075, forbidding_host_share=0.04, broken_host_share=0.025,
            silent_host_share=0.025,
            robots_share=0.25, robots_patterns_share=0.15, robots_named_share=0.03, robots_closed_share=0.045,
            robots_missing_share=0.25, robots_html_share=0.03, robots_moved_share=0.02,
            robots_error_share=0.02, robots_slow_share=0.005, robots_huge_share=0.002,
            crawl_delay_share=0.05, crawl_delay_seconds=5.0, sitemap_share=0.4, sitemap_index_share=0.3,
            legacy_charset_share=0.1, charset_undeclared_share=0.04, charset_wrong_header_share=0.01,
            charset_wrong_meta_share=0.02, gzip_share=0.6, latency_seconds=0.4, latency_spread=0.9,
        )  # fmt: skip
