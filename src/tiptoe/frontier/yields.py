"""How much usable text do requests yield?

The *productivity* of a host or section is what its judged pages have cost and yielded. The *expected* yield
is between that and the average of the crawl's hosts: the more pages there are, the more their own
productivity counts. How much more is learned too, from how much hosts differ.

Menus and lists have too little text to be judged: they have cost something and
yielded nothing. That counts for the order of hosts and sections, but not in
deciding whether one is *unproductive*.

Arithmetic only. Pages that no segmenter has judged are not part of any productivity.
"""

import msgspec

__all__ = [
    "Experience",
    "Productivity",
    "cost_of",
    "expected_yield",
    "handed_on",
    "is_unproductive",
    "usable_chars",
]  # fmt: skip

REQUEST_COST = 4_000
"""Fixed cost of a request, in bytes: a pause, a connection and headers, however short the answer."""

PRODUCTIVITY_PAGES_MAX = 512
"""Maximum number of pages counted; above it all counts are halved, so that recent pages count more."""

MET_FACTOR = 4
"""Maximum of `met`, in multiples of a trap's limit; above it counts are halved, so that old pages fade."""

PAGES_PER_TEXT = 16
"""Maximum number of pages requested per new text. Texts behind many lists are in a lower class, which gets at
least one request in fifteen: see `priority.quotas`."""

FIRST_PAGES = 16
"""Maximum number of pages per host that the crawl learns from, so that an endless host counts like others."""

HOSTS_MIN = 5
"""Minimum number of hosts from which their differences can be estimated."""

CREDENCE_PAGES = 4.0
CREDENCE_PAGES_MIN, CREDENCE_PAGES_MAX = 0.5, 8.0


class Productivity(msgspec.Struct, array_like=True, gc=False):
    """What pages have cost and yielded; old ones fade."""

    pages: float = 0.0
    cost: float = 0.0  # bytes
    chars: float = 0.0  # usable characters, and a share of those that its links led to
    judged: float = 0.0  # pages with enough text to be judged
    judged_cost: float = 0.0
    met: float = 0.0  # pages, judged or not
    texts: float = 0.0  # those of them with new text, and those that its links led to

    def add(self, cost: float, chars: float | None) -> None:
        """Count one page; `chars` is None if it had too little text to be judged."""
        self.pages += 1
        self.cost += cost
        if chars is not None:
            self.chars += chars
            self.judged += 1
            self.judged_cost += cost
        if self.pages > PRODUCTIVITY_PAGES_MAX:
            self.pages /= 2
            self.cost /= 2
            self.chars /= 2
            self.judged /= 2
            self.judged_cost /= 2

    def meet(self, *, has_text: bool, textless_max: int) -> None:
        """Count one page, judged or not, by whether it had new text."""
        self.met += 1
        self.texts += has_text
        if self.met > MET_FACTOR * textless_max:
            self.met /= 2
            self.texts /= 2

    def is_hollow(self, textless_max: int) -> bool:
        """Whether there are too many pages for the number of new texts among them."""
        return textless_max > 0 and self.met >= textless_max + PAGES_PER_TEXT * self.texts

    @property
    def share(self) -> float:
        """Usable characters per byte of cost."""
        return self.chars / self.cost if self.cost else 0.0


class Experience(msgspec.Struct, array_like=True, gc=False):
    """What the first pages of all hosts have yielded: the standard by which each host is judged."""

    pages: int = 0
    chars: float = 0.0
    share_sum: float = 0.0  # over pages
    share_squares: float = 0.0
    hosts: int = 0
    host_sum: float = 0.0  # over hosts, each with its first pages
    host_squares: float = 0.0

    def learn(self, productivity: Productivity, cost: float, chars: float) -> None:
        """Learn from one more page of a host; `productivity` is that of the host, including this page."""
        if productivity.pages > FIRST_PAGES:
            return
        share = chars / cost
        self.pages += 1
        self.chars += chars
        self.share_sum += share
        self.share_squares += share * share
        if productivity.pages == FIRST_PAGES:
            self.hosts += 1
            self.host_sum += productivity.share
            self.host_squares += productivity.share * productivity.share

    @property
    def share(self) -> float:
        """Average of the hosts' usable characters per byte."""
        if self.hosts >= HOSTS_MIN:
            return self.host_sum / self.hosts
        return self.share_sum / self.pages if self.pages else 0.0

    @property
    def page_chars(self) -> float:
        """Usable characters of an average page."""
        return self.chars / self.pages if self.pages else 0.0

    @property
    def credence_pages(self) -> float:
        """The number of pages with which a productivity counts as much as the average (Bühlmann credibility).

        Low if hosts differ much and the pages of each are alike, high in the opposite case.
        """
        if self.hosts < HOSTS_MIN:
            return CREDENCE_PAGES
        of_pages = self.share_squares / self.pages - (self.share_sum / self.pages) ** 2
        of_hosts = self.host_squares / self.hosts - (self.host_sum / self.hosts) ** 2
        between = of_hosts - of_pages / FIRST_PAGES
        within = max(of_pages - between, 0.0)
        if within >= between * CREDENCE_PAGES_MAX:
            return CREDENCE_PAGES_MAX
        return max(within / between, CREDENCE_PAGES_MIN)


def cost_of(body_bytes: int) -> float:
    """Return what a page costs, in bytes."""
    return REQUEST_COST + body_bytes


def usable_chars(usability: float, text_chars: int, counted: int | None, discard: str) -> float:
    """Return how many usable characters a judged page has; its harvester may have `counted` them."""
    if discard:
        return 0.0
    return float(counted) if counted is not None else usability * text_chars


def expected_yield(productivity: Productivity, average: float, credence_pages: float) -> float:
    """Return how many usable characters per byte to expect, given this productivity."""
    return (productivity.pages * productivity.share + credence_pages * average) / (
        productivity.pages + credence_pages
    )


def is_unproductive(
    productivity: Productivity, experience: Experience, *, min_yield: float, trial_pages: int
) -> bool:
    """Whether there is next to no yield after a fair trial.

    Both per byte *and* per page: a site of heavy pages with good text yields little per byte, one of very
    short pages little per page, and neither is unproductive.
    """
    return (
        productivity.judged >= trial_pages
        and productivity.chars / productivity.judged_cost < min_yield * experience.share
        and productivity.chars / productivity.judged < min_yield * experience.page_chars
    )


def handed_on(parent_usability: float, usability: float | None) -> float:
    """Return the usability to pass on with the links of a document: its own, or its parent's if unknown."""
    return parent_usability if usability is None else usability
