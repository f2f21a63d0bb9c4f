"""Which settings say when a page is visited again?"""

from dataclasses import dataclass

from tiptoe.settings.setting import choice, count, duration, flag, patterns, share

# One argument a line would stretch these tables over twice their length.
# fmt: off

__all__ = ["RevisitSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisitSettings:
    """When a page is visited again, and what counts as a change."""

    strategy: str = choice(
        "none", "none", "uniform", "adaptive", "optimal", option="--revisit",
        help="none: every page is visited once. uniform: every page is visited again after the same "
        "interval. adaptive: sooner if it had changed, later if not. optimal: estimates how often each page "
        "changes, and spends a given number of requests where they keep the collection freshest.",
    )
    first: float = duration(
        "120h", at_least="1m", at_most="87600h", relaxed=True, option="--revisit-first",
        help="Interval between the first visit to a page and the second; for uniform, every interval.",
    )
    min: float = duration(
        "1h", at_least="1m", at_most="87600h", relaxed=True, option="--revisit-min",
        help="Shortest interval that a strategy may choose.",
    )
    max: float = duration(
        "4320h", at_least="1m", at_most="87600h", relaxed=True, option="--revisit-max",
        help="Longest interval that a strategy may choose.",
    )
    shrink: float = share(0.2, help="Share by which adaptive shortens the interval of a page that has "
    "changed.")
    grow: float = share(0.2, help="Share by which adaptive lengthens the interval of a page that has not.")
    objective: str = choice(
        "freshness", "freshness", "changes", "age",
        help="What optimal aims for: many pages up to date, many changes caught, or copies of low age.",
    )
    budget: int = count(
        0, unit="visits a day", zero="every page once per `first`", at_most=10_000_000_000,
        option="--revisit-budget",
        help="Revisits a day that optimal may spend, over all pages.",
    )
    share: float = share(
        0.3, option="--revisit-share",
        help="Share of requests kept for revisits while new pages wait, too, overall and per host; new pages "
        "get the rest. What one side cannot use goes to the other.",
    )
    include: tuple[str, ...] = patterns(
        help="Addresses that are visited again, as regular expressions found in the URL; none means all.",
    )
    exclude: tuple[str, ...] = patterns(
        help="Addresses that are not visited again, as regular expressions; takes precedence over include.",
    )
    change: str = choice(
        "duplicity", "duplicity", "text", "bytes",
        help="What counts as a change. duplicity: less than text.duplicity_max of the long paragraphs were "
        "in the corpus before. text: any difference in the text. bytes: any difference at all.",
    )
    hints: bool = flag(
        True,
        help="Let dates in sitemaps and feeds bring visits forward, to the degree that the site's dates have "
        "proved true.",
    )
