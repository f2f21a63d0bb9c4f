"""What kind of web is simulated?

A `WebShape` is all there is to know: two webs of one shape are the same web,
byte for byte, in any process.
"""

from dataclasses import dataclass, fields

from tiptoe.errors import SettingsError
from tiptoe.testing.words import WORDS

__all__ = ["WebShape"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebShape:
    """Size, link graph, manners and faults of a simulated web; shares go from 0 to 1."""

    seed: int = 1
    hosts: int = 100
    hosts_per_address: int = 4
    port: int = 80  # written into links when it is not 80
    languages: tuple[str, ...] = ("cs", "sk", "pl", "en", "de")

    pages_per_host: int = 50  # mean
    pages_spread: float = 0.5  # exponent of the power law; 0 = every host has exactly the mean
    pages_max: int = 10_000
    page_bytes: int = 8_000  # mean
    links_per_page: int = 30  # mean, a third of them in the navigation
    external_share: float = 0.1  # of the links in the text
    change_seconds: float = 0.0  # mean time between two changes of a page; 0 = never

    redirect_share: float = 0.0  # of pages: 301 to another page
    gone_share: float = 0.0  # of pages: 404
    error_share: float = 0.0  # of pages: 500, always
    flaky_share: float = 0.0  # of pages: 503 half of the time
    flaky_seconds: float = 10.0  # how long a flaky page stays as it is
    noindex_share: float = 0.0  # of pages: <meta name=robots content=noindex>
    nofollow_share: float = 0.0  # of pages: the same with nofollow

    dead_host_share: float = 0.0  # half have no address, half refuse connections
    robots_share: float = 0.0  # of hosts: /private/ is disallowed
    robots_missing_share: float = 0.0  # of hosts: robots.txt is 404
    robots_error_share: float = 0.0  # of hosts: robots.txt is 503
    robots_slow_share: float = 0.0  # of hosts: robots.txt takes long
    robots_huge_share: float = 0.0  # of hosts: robots.txt is bigger than anyone should read
    crawl_delay_share: float = 0.0
    crawl_delay_seconds: float = 2.0
    sitemap_share: float = 0.0
    legacy_charset_share: float = 0.0  # of hosts: windows-1250 or ISO-8859-2
    gzip_share: float = 0.0  # of hosts: compress for clients that accept it
    latency_seconds: float = 0.0  # mean
    hostile_share: float = 0.0  # of hosts: link to the paths named below
    hostile_names: tuple[str, ...] = ()  # keys of `hostile.BEHAVIOURS`

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name.endswith("_share") and not 0.0 <= value <= 1.0:
                raise SettingsError(f"{field.name} = {value}: a share goes from 0 to 1")
        for name in ("hosts", "hosts_per_address", "pages_per_host", "pages_max", "links_per_page"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} = {getattr(self, name)}: at least 1")
        if not 0.0 <= self.pages_spread < 1.0:
            raise SettingsError(f"pages_spread = {self.pages_spread}: from 0 to less than 1")
        unknown = [language for language in self.languages if language not in WORDS]
        if unknown or not self.languages:
            raise SettingsError(f"languages = {list(self.languages)}: choose from {', '.join(sorted(WORDS))}")

    @property
    def has_faulty_pages(self) -> bool:
        """True if some page answers with something else than its text."""
        return self.redirect_share + self.gone_share + self.error_share + self.flaky_share > 0.0

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
        """Return a small web as the real one is: uneven, partly broken, mostly friendly."""
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
        """Return a wide web without faults: what limits a crawl of it is the crawler."""
        return cls(
            seed=seed, hosts=20_000, hosts_per_address=1, pages_per_host=500, pages_spread=0.0,
            page_bytes=16_000, links_per_page=60,
        )  # fmt: skip
