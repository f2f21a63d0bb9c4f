"""Which links of a page are worth telling the keeper about?

Those that are valid, wanted by the decision point `schedule`, and not told recently:
most links of a page are on every page of its site. They are resolved and canonical.

Rule: only files lead to files. An operator who lets us read this machine's disk does
not let strangers choose what we read there.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from tiptoe.decide.scheduling import LinkGroup, SchedulePoint
from tiptoe.protocol.work import HostLinks, Purpose
from tiptoe.url.address import host_of, origin_of, page_keys
from tiptoe.url.canonical import Canonicalizer
from tiptoe.url.dropped import Dropped
from tiptoe.url.suspects import LinkingAnswer

__all__ = ["Outlinks"]


MENUS_MAX = 5000
"""Maximum origins of which the last page's links are remembered; above it the oldest is forgotten."""

MENU_CHARS_MAX = 32_000_000
"""Maximum total characters of these links; above it the oldest page is forgotten. Some have 10,000 links."""

NO_MENU: frozenset[str] = frozenset()


class Outlinks:
    """Turns the hrefs of a page into links grouped by host.

    Remembers the links told last, in two generations, so that its memory is
    bounded by `remembered_max` URLs. A forgotten link is merely told once more.
    """

    def __init__(
        self,
        canonicalizer: Canonicalizer,
        schedule: SchedulePoint,
        *,
        remembered_max: int = 200_000,
    ) -> None:
        self._canonicalizer = canonicalizer
        self._reads_files = "file" in canonicalizer.rules.schemes
        self._schedule = schedule
        self._remembered_max = remembered_max
        self._told: set[str] = set()
        self._told_before: set[str] = set()
        self._menus: dict[
            str, tuple[frozenset[str], int]
        ] = {}  # with their characters, by origin, oldest first
        self._menu_chars = 0
        self.discards: Counter[str] = Counter()

    def take_discards(self) -> dict[str, int]:
        """Return how many links were dropped since the last call, by reason."""
        taken, self.discards = dict(self.discards), Counter()
        return taken

    def refuses_page(
        self, parent_usability: float, usability: float | None, count: int, filtered: Dropped | None = None
    ) -> bool:
        """Whether links of a page of this usability are not wanted; if so, count `count` drops."""
        refused = self._schedule.refusal_after(parent_usability, usability)
        if refused is None and filtered is not None:
            refused = self._schedule.refusal(LinkGroup(filtered=filtered))
        return self._is_refused(refused, count)

    def refuses_links(self, source: Purpose, count: int) -> bool:
        """Whether links from such a source are not wanted; if so, count `count` drops."""
        return self._is_refused(self._schedule.refusal_in(source), count)

    def _is_refused(self, refused: Dropped | None, count: int) -> bool:
        if refused is None:
            return False
        self.discards[refused] += count
        return True

    def resolve(self, base: str, href: str) -> str:
        """Return one link as a canonical URL, or "" if it is not something we could fetch."""
        found = self.resolve_all(base, [href])
        return found[0] if found else ""

    def resolve_all(
        self, base: str, hrefs: Sequence[str], linking_answer: LinkingAnswer | None = None
    ) -> list[str]:
        """Return links as canonical URLs, without those that are not something we could fetch."""
        return self._without_files(base, self._canonicalizer.join(base, hrefs, None, linking_answer))

    def redirect(self, linking_answer: LinkingAnswer, location: str) -> str:
        """Return the target of a redirect as a canonical URL, or "" if it is not something we could fetch."""
        target = self._canonicalizer.redirect(linking_answer, location)
        return next(iter(self._without_files(linking_answer.url, [target])), "") if target else ""

    def find(
        self, base: str, hrefs: Sequence[str], depth: int, linking_answer: LinkingAnswer | None = None
    ) -> list[HostLinks]:
        """Return the links of a page, at this depth, that the keeper may not know yet."""
        if self._is_refused(self._schedule.refusal_at(None, depth), len(hrefs)):
            return []
        told, told_before = self._told, self._told_before
        origin = origin_of(base)
        # Told URLs are canonical: a link with the same spelling is recognised without parsing it.
        unknown = [
            href
            for href in self._changed(origin, hrefs)
            if (url := origin + href if href[:1] == "/" else href) not in told and url not in told_before
        ]
        bad: list[str] = []
        suspicious: list[str] = []
        fresh = [
            url
            for url in self._canonicalizer.join(base, unknown, bad, linking_answer, suspicious)
            if url not in told and url not in told_before
        ]
        if suspicious:  # judged anew on each page, so the menu must not hide them
            self._keep_menu(origin, self._forget_menu(origin).difference(suspicious))
        if bad:
            self.discards[Dropped.BAD_HREF] += len(bad)
        fresh = self.wanted(self._without_files(base, fresh), depth, origin)
        if not fresh:
            return []
        self._remember(fresh)
        unwanted = self._schedule.refused_urls(fresh)
        if unwanted:
            self.discards.update(unwanted.values())
            fresh = [url for url in fresh if url not in unwanted]
        found, looks_at_hosts = _by_host(fresh, base), self._schedule.looks_at_hosts
        return [
            HostLinks(host, urls, page_keys(host, urls))
            for host, urls in found.items()
            if not (looks_at_hosts and self._is_refused(self._schedule.refusal_at(host, 0), len(urls)))
        ]

    def wanted(self, urls: list[str], depth: int, origin: str = "") -> list[str]:
        """Return those of these canonical URLs that the operator's filters accept at this depth."""
        if self._schedule.link_filter is None or not urls:
            return urls
        denied = self._schedule.link_filter.refused(urls, depth)
        if not denied:
            return urls
        self.discards.update(refusal.reason for refusal in denied.values())
        # A link that is too deep may be found again closer to a seed, so it must not count as told.
        self._remember([url for url, refusal in denied.items() if not refusal.is_by_depth])
        if any(refusal.is_by_depth for refusal in denied.values()):
            self._forget_menu(origin)
        return [url for url in urls if url not in denied]

    def _without_files(self, base: str, urls: list[str]) -> list[str]:
        """Leave out links to files of this machine, unless the linking page is such a file."""
        if not self._reads_files:
            return urls
        refused = self._schedule.refused_files(base, urls)
        self.discards.update(refused.values())
        return [url for url in urls if url not in refused]

    def _changed(self, origin: str, hrefs: Sequence[str]) -> Sequence[str]:
        """Return the links that were not on the last page of this origin, so that menus are told once."""
        before = self._forget_menu(origin)
        self._keep_menu(origin, frozenset(hrefs))
        if not before:
            return hrefs
        # Relative links are kept: their targets depend on the page.
        return [href for href in hrefs if href not in before or not (href[:1] == "/" or "://" in href)]

    def _keep_menu(self, origin: str, menu: frozenset[str]) -> None:
        chars = sum(map(len, menu))
        self._menus[origin] = menu, chars
        self._menu_chars += chars
        while len(self._menus) > MENUS_MAX or self._menu_chars > MENU_CHARS_MAX:
            self._forget_menu(next(iter(self._menus)))

    def _forget_menu(self, origin: str) -> frozenset[str]:
        menu, chars = self._menus.pop(origin, (NO_MENU, 0))
        self._menu_chars -= chars
        return menu

    def _remember(self, urls: list[str]) -> None:
        self._told.update(urls)
        if len(self._told) > self._remembered_max // 2:
            self._told_before = self._told
            self._told = set()


def _by_host(urls: Iterable[str], base: str) -> dict[str, list[str]]:
    """Group canonical URLs by host; most have the host of the page itself."""
    home, own_host = origin_of(base) + "/", host_of(base)
    found: defaultdict[str, list[str]] = defaultdict(list)
    for url in urls:
        found[own_host if url.startswith(home) else host_of(url)].append(url)
    return found
