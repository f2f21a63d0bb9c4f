"""A web that exists only as numbers, whose hosts and sections differ in what they yield.

Every page is a function of its URL and the seed, so each strategy crawls the same web. Kinds of hosts:

    rich    (20 %)  articles in three sections, each of some hundred pages, and a list that links to them
    mixed   (25 %)  one such section, and a section of lists without text and without end
    modest  (15 %)  short texts of middling usability
    heavy   (5 %)   good texts on pages ten times as heavy as others
    poor    (35 %)  menus, spam, catalogues: next to no usable text, pages without end

Menus, lists and catalogues have too little text to be judged: their usability is unknown (None), as with the
built-in segmenter. Spam is judged, and has 0.

Good hosts link to good hosts more often than to poor ones, and the other way round, as on the web.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import xxhash

from tiptoe.url.address import host_of

__all__ = ["Page", "YieldWeb"]

KINDS = (("rich", 0.20), ("mixed", 0.25), ("modest", 0.15), ("heavy", 0.05), ("poor", 0.35))
OWN_LINKS, FOREIGN_LINKS = 14, 2
ENDLESS = 10**7
SEEDS_SHARE = 0.05
LOYALTY = 0.7
"""Share of links to other hosts that lead to one of the same quality."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a host: how many pages it has, how good they are, and how they are linked."""

    name: str
    pages: int
    usability: float | None  # None: too little text to judge
    text_chars: int
    body_bytes: int


@dataclass(frozen=True, slots=True)
class Page:
    """The properties of one page."""

    usability: float | None
    text_chars: int
    body_bytes: int
    links: Sequence[str]

    @property
    def usable_chars(self) -> float:
        return (self.usability or 0.0) * self.text_chars


@dataclass
class YieldWeb:
    """Hosts by number; records which were visited."""

    hosts: int
    seed: int
    is_even: bool = False
    asked_hosts: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        rng = random.Random(self.seed)
        self._kinds = rng.choices([name for name, _ in KINDS], [share for _, share in KINDS], k=self.hosts)
        if self.is_even:
            self._kinds = ["rich"] * self.hosts
        self._sections = [_sections_of(kind, rng) for kind in self._kinds]
        self._good = [number for number, kind in enumerate(self._kinds) if kind != "poor"]
        self._bad = [number for number, kind in enumerate(self._kinds) if kind == "poor"] or self._good
        count = max(3, int(self.hosts * SEEDS_SHARE))
        self.seeds = [f"http://h{number}.example/" for number in rng.sample(range(self.hosts), count)]

    def page(self, url: str) -> Page:
        """Return the page at a URL."""
        host = host_of(url)
        self.asked_hosts.add(host)
        rng = random.Random(xxhash.xxh3_64_intdigest(url.encode(), seed=self.seed))
        number = int(host[1:].partition(".")[0])
        sections = self._sections[number]
        path = url.partition(".example/")[2]
        own = next((section for section in sections if path.startswith(section.name + "/")), None)
        if own is None:  # the home page: a menu, and on good hosts some words
            links = [
                _url(number, section, page) for section in sections for page in range(min(5, section.pages))
            ]
            teasers = None if self._kinds[number] == "poor" else 0.1
            return Page(teasers, 1_000, 30_000, [*links, *self._foreign(number, rng)])
        links = [self._own_link(number, own, rng) for _ in range(OWN_LINKS)]
        swing = rng.lognormvariate(0.0, 0.5)
        usability = min(1.0, max(0.0, rng.gauss(own.usability, 0.1))) if own.usability else own.usability
        return Page(
            usability, int(own.text_chars * swing), int(own.body_bytes * swing),
            [*links, *self._foreign(number, rng)],
        )  # fmt: skip

    def _own_link(self, number: int, own: Section, rng: random.Random) -> str:
        sections = self._sections[number]
        stays = rng.random() < 0.6
        target = own if stays else rng.choice(sections)
        return _url(number, target, rng.randrange(target.pages))

    def _foreign(self, number: int, rng: random.Random) -> list[str]:
        alike, others = (self._bad, self._good) if self._kinds[number] == "poor" else (self._good, self._bad)
        found = []
        for _ in range(FOREIGN_LINKS):
            target = rng.choice(alike if rng.random() < LOYALTY else others)
            deep = self._sections[target][0]
            is_deep = rng.random() < 0.4
            found.append(_url(target, deep, rng.randrange(min(50, deep.pages))) if is_deep else _home(target))
        return found


def _sections_of(kind: str, rng: random.Random) -> list[Section]:
    name = rng.choice(["news", "blog", "stories", "clanky"])
    pages = int(rng.lognormvariate(5.3, 0.8)) + 20
    good = rng.uniform(0.55, 0.9)
    listing = Section("archive", max(10, pages // 5), None, 900, 25_000)
    if kind == "rich":
        return [
            Section(name, pages, good, 4_000, 35_000),
            Section("essays", pages, good, 6_000, 40_000),
            Section("guides", pages // 2 + 10, good, 3_000, 30_000),
            listing,
        ]
    if kind == "mixed":
        endless = rng.choice(["tag", "calendar", "search", "gallery"])
        return [Section(name, pages, good, 3_500, 40_000), Section(endless, ENDLESS, None, 1_200, 40_000)]
    if kind == "modest":
        return [Section(name, pages * 2, 0.3, 1_500, 40_000), listing]
    if kind == "heavy":
        return [Section(name, pages, good, 4_000, 400_000), listing]
    return [
        Section("shop", ENDLESS, rng.choice([None, None, 0.02]), 1_500, 30_000),
        Section("offers", ENDLESS, 0.0, 2_500, 30_000),
    ]


def _url(number: int, section: Section, page: int) -> str:
    return f"http://h{number}.example/{section.name}/{page}.html"


def _home(number: int) -> str:
    return f"http://h{number}.example/"
