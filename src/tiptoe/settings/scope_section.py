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
        help="Hosts that may be asked, as regular expressions found in the name; none means all.",
    )
    exclude: tuple[str, ...] = patterns(
        option="--exclude",
        help="Hosts that are not asked, as regular expressions; stronger than include.",
    )
    domains: tuple[str, ...] = words(
        each=form.be_domain, option="--domain",
        help="Domains that may be asked, such as example.cz, each with all names below it; none means all.",
    )
    within: str = choice(
        "anywhere", "anywhere", "site", "host", "path",
        shorthands=(
            Shorthand("--same-site", "site", "Stay on the registered domains of the seeds."),
            Shorthand("--same-host", "host", "Stay on the hosts of the seeds."),
            Shorthand("--same-path", "path", "Stay under the folders of the seeds."),
        ),
        help="How far from the seeds. site: their registered domains, as example.cz or example.co.uk, with "
        "all names below. host: their hosts. path: what lies under the folder of a seed. Whether www. stands "
        "in front, and http or https, makes no difference.",
    )
    seed_places: tuple[str, ...] = lines(
        help="What within means by the seeds, as the crawl remembers it; not for hand editing.",
    )
    prefixes: tuple[str, ...] = words(
        each=form.be_url_prefix, option="--prefix",
        help="Pages that may be asked for, by how their addresses begin, such as https://example.cz/news/; "
        "without http:// or https:// both are meant. None means all.",
    )
    include_urls: tuple[str, ...] = patterns(
        each=form.be_url_pattern, option="--include-url",
        help="Pages that may be asked for, as regular expressions (RE2) found in the address; none means "
        "all. Like prefixes, not asked about seeds, where these redirect, sitemaps and feeds.",
    )
    exclude_urls: tuple[str, ...] = patterns(
        each=form.be_url_pattern, option="--exclude-url",
        help="Addresses that are not asked for, as regular expressions (RE2); stronger than all others. "
        "Only seeds are exempt.",
    )
    follow: str = choice(
        "links", "links", "sitemaps", "feeds", "nothing",
        shorthands=(
            Shorthand("--list", "nothing", "Ask for the seeds and nothing else, but where they redirect."),
            Shorthand("--sitemaps-only", "sitemaps", "Follow no links but those of sitemaps."),
            Shorthand("--feeds-only", "feeds", "Follow no links but those of feeds."),
        ),
        help="What leads from the seeds to further pages. links: links, sitemaps and feeds. sitemaps, feeds: "
        "only what these name. nothing: the seeds are all. Redirects are followed in any case.",
    )
    follow_useless: bool = flag(
        False,
        help="Follow links also from the second page in a row without any usable text; a corpus gains "
        "little from what lies behind such pages, an archive wants it.",
    )
    depth: int = count(
        ENDLESS, unit="links", endless="unlimited", at_most=1_000_000, option="--depth",
        help="Links that may lie between a seed and a page; 0: the seeds alone.",
    )
    schemes: tuple[str, ...] = words(
        ("http", "https"), each=form.be_one_of(*SCHEMES),
        help="Protocols that are spoken.",
    )
    sitemaps: bool = flag(True, option="--sitemaps", help="Read sitemaps, named in robots.txt or met.")
    feeds: bool = flag(True, option="--feeds", help="Read feeds (RSS, Atom, JSON) wherever they are met.")
    url_bytes_max: int = size("2kB", at_least=100, at_most="64KiB", help="Longer addresses are dropped.")
    tracking_parameters: tuple[str, ...] = words(
        TRACKING_PARAMETERS,
        help="Query parameters dropped because they only track readers; a final * stands for any ending.",
    )
    session_parameters: tuple[str, ...] = words(
        SESSION_PARAMETERS,
        help="Query parameters that may name a session; dropped when the value looks like the id of one "
        "(long and random, no word or number) and the page bears it out. A final * stands for any ending.",
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
        help="Links from a seed beyond which a page looks like part of a trap, whatever depth allows.",
    )
    redirects_max: int = count(10, unit="redirects", at_most=50, help="Redirects in a row that are followed.")
