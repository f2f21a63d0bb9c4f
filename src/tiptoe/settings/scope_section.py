"""Which settings say where a crawl may go?"""

from dataclasses import dataclass

from tiptoe.settings import form
from tiptoe.settings.setting import ENDLESS, Shorthand, choice, count, flag, lines, patterns, size, words
from tiptoe.url.canonical_rules import SCHEMES, SESSION_PARAMETERS, TRACKING_PARAMETERS

# One argument a line would stretch these tables over twice their length.
# fmt: off

__all__ = ["ScopeSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSettings:
    """Which addresses belong to the crawl."""

    include: tuple[str, ...] = patterns(
        option="--include",
        help="Hosts that may be visited, as regular expressions found in the name; none means all.",
    )
    exclude: tuple[str, ...] = patterns(
        option="--exclude",
        help="Hosts that are not visited, as regular expressions; takes precedence over include.",
    )
    domains: tuple[str, ...] = words(
        each=form.be_domain, option="--domain",
        help="Domains that may be visited, such as example.cz, each with its subdomains; none means all.",
    )
    within: str = choice(
        "anywhere", "anywhere", "site", "host", "path",
        shorthands=(
            Shorthand("--same-site", "site", "Stay on the registered domains of the seeds."),
            Shorthand("--same-host", "host", "Stay on the hosts of the seeds."),
            Shorthand("--same-path", "path", "Stay under the folders of the seeds."),
        ),
        help="How far the crawl may go from the seeds. site: their registered domains, such as example.cz or "
        "example.co.uk, with all subdomains. host: their hosts. path: everything under the folder of a "
        "seed. A leading www., and http or https, make no difference.",
    )
    seed_places: tuple[str, ...] = lines(
        help="The places of the seeds that within refers to, as the crawl remembers them; not for hand "
        "editing.",
    )
    prefixes: tuple[str, ...] = words(
        each=form.be_url_prefix, option="--prefix",
        help="Pages that may be requested, by the beginning of their addresses, such as "
        "https://example.cz/news/; without http:// or https:// both are meant. None means all.",
    )
    include_urls: tuple[str, ...] = patterns(
        each=form.be_url_pattern, option="--include-url",
        help="Pages that may be requested, as regular expressions (RE2) found in the address; none means "
        "all. Like prefixes, this does not apply to seeds, the addresses they redirect to, sitemaps and "
        "feeds.",
    )
    exclude_urls: tuple[str, ...] = patterns(
        each=form.be_url_pattern, option="--exclude-url",
        help="Addresses that are not requested, as regular expressions (RE2); takes precedence over all "
        "others. Only seeds are exempt.",
    )
    follow: str = choice(
        "links", "links", "sitemaps", "feeds", "nothing",
        shorthands=(
            Shorthand("--list", "nothing", "Request only the seeds, and the addresses they redirect to."),
            Shorthand("--sitemaps-only", "sitemaps", "Follow only links in sitemaps."),
            Shorthand("--feeds-only", "feeds", "Follow only links in feeds."),
        ),
        help="How further pages are found from the seeds. links: by links, sitemaps and feeds. sitemaps, "
        "feeds: only by these. nothing: only the seeds are requested. Redirects are always followed.",
    )
    follow_useless: bool = flag(
        False,
        help="Follow links even from the second page in a row without any usable text. A corpus gains little "
        "from the pages behind such links, but an archive wants them.",
    )
    depth: int = count(
        ENDLESS, unit="links", endless="unlimited", at_most=1_000_000, option="--depth",
        help="Most links between a seed and a page; 0: only the seeds.",
    )
    schemes: tuple[str, ...] = words(
        ("http", "https"), each=form.be_one_of(*SCHEMES),
        help="Protocols that may be used.",
    )
    sitemaps: bool = flag(True, option="--sitemaps", help="Read sitemaps, whether named in robots.txt or "
    "found by links.")
    feeds: bool = flag(True, option="--feeds", help="Read feeds (RSS, Atom, JSON) wherever they are found.")
    url_bytes_max: int = size("2kB", at_least=100, at_most="64KiB", help="Longer addresses are dropped.")
    tracking_parameters: tuple[str, ...] = words(
        TRACKING_PARAMETERS,
        help="Query parameters that are removed because they only track readers; a final * stands for any "
        "ending.",
    )
    session_parameters: tuple[str, ...] = words(
        SESSION_PARAMETERS,
        help="Query parameters that may name a session; removed when the value looks like a session id (long "
        "and random, not a word or number) and the page confirms it. A final * stands for any ending.",
    )
    shape_pages_max: int = count(
        10_000, unit="pages", at_least=1,
        help="Pages of one host whose addresses differ only in numbers, and that have no new text; more than "
        "this look like a trap.",
    )
    textless_pages_max: int = count(
        1000, unit="pages", zero="no limit",
        help="Pages of one host, or of one section, without new text; more than this look like a trap. "
        "Each page with new text allows 16 more.",
    )
    hops_max: int = count(
        100, unit="links", at_least=1, at_most=1_000_000,
        help="Pages more than this many links from a seed look like part of a trap, whatever depth allows.",
    )
    redirects_max: int = count(10, unit="redirects", at_most=50, help="Redirects in a row that are followed.")
