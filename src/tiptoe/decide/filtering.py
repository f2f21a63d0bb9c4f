"""What do the operator's filters refuse?

Their lines are rules of the decision points, like others: `schedule` asks about links (`LinkFilter`), `fetch`
about requests, `store` about texts (`PageFilter`). Without memory, as all rules: whatever a filter counts
over a whole crawl is refused by the frontier, or ends the crawl.

Whoever wants to know which line it was is told with each refusal.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tiptoe.decide.discard import Discard
from tiptoe.filters.filter_chain import Denied
from tiptoe.filters.resource import PageFacts, Resource
from tiptoe.filters.robot_filters import RobotFilters
from tiptoe.url.dropped import Dropped

__all__ = ["FilteredPage", "LinkFilter", "LinkRefusal", "PageFilter", "TellDenied"]

TellDenied = Callable[[Denied, str], None]
"""Hears what was denied, and which address it was."""


def untold(denied: Denied, url: str) -> None:
    """Tell nobody."""


class LinkRefusal(NamedTuple):
    """Why a link is not followed."""

    reason: Dropped
    is_by_depth: bool  # found nearer to a seed it may be


class LinkFilter:
    """The part of the filters that looks at addresses: the rules of `schedule` about single links."""

    def __init__(self, filters: RobotFilters, tell: TellDenied = untold) -> None:
        self._refuse = filters.refuse_links
        self._tell = tell

    def refused(self, urls: Sequence[str], depth: int) -> dict[str, LinkRefusal]:
        """Return which of these canonical URLs both filters deny at this depth."""
        refused: dict[str, LinkRefusal] = {}
        for url, denied in self._refuse(urls, depth).items():
            self._tell(denied, url)
            reason = Dropped.LINK_FILTER_FAILED if denied.is_fault else Dropped.LINK_FILTERED
            refused[url] = LinkRefusal(reason, denied.is_by_depth)
        return refused


@dataclass(slots=True, kw_only=True)
class FilteredPage:
    """What comes of an answer by the filters."""

    links: Sequence[str]  # that are followed, if links are not refused altogether
    link_refusal: Dropped | None = None
    text_refusal: Discard | None = None
    place: str = ""  # the line that keeps its text out
    resource: Resource | None = None  # of which a description is made, if the text is stored
    leads_on: bool = True  # of a document: whether its links are followed when it is converted
    losses: dict[str, int] = field(default_factory=dict)  # links that were left out, by reason


class PageFilter:
    """The part of the filters that looks at requests and answers."""

    def __init__(self, filters: RobotFilters, tell: TellDenied = untold) -> None:
        self._filters = filters
        self._tell = tell
        self.reads_headings = filters.reads_headings
        self.describes = filters.describes

    def refuses_request(self, url: str, depth: int, address: str, *, is_source: bool) -> Discard | None:
        """Return why a request is not made, though its link was followed: since then its address is known."""
        denied = self._filters.refuses_request(url, depth, address, is_source=is_source)
        return None if denied is None else self._discard(denied, url)

    def judge(
        self, url: str, depth: int, address: str, facts: PageFacts, links: Sequence[str]
    ) -> FilteredPage:
        """Say what comes of an answer."""
        verdict = self._filters.judge(url, depth, address, facts, links)
        page = FilteredPage(
            links=links if verdict.links is None else verdict.links, resource=verdict.resource
        )
        if verdict.links_denied is not None:
            self._tell(verdict.links_denied, url)
            is_fault = verdict.links_denied.is_fault
            page.link_refusal = Dropped.LINK_FILTER_FAILED if is_fault else Dropped.LINK_FILTERED
        elif len(page.links) < len(links):
            page.losses[Dropped.LINK_FILTERED] = len(links) - len(page.links)
        if verdict.text_denied is not None:
            page.text_refusal = self._discard(verdict.text_denied, url)
            page.place = verdict.text_denied.place
        return page

    def refuse_copy(self, page: FilteredPage) -> None:
        """Note that the text of a page stands in the corpus already: its links may be unwanted for that."""
        if self._filters.enumeration.drops_copies and page.link_refusal is None:
            page.link_refusal = Dropped.LINK_FILTERED

    def describe(self, page: FilteredPage, paragraphs: Sequence[str]) -> dict[str, list[str]] | None:
        """Return the fields of a page's description, by the text that is stored; None when there are none.

        When that failed, its text is refused.
        """
        if page.resource is None:
            return None
        if page.resource.facts is not None and not page.resource.facts.is_partial:
            page.resource.facts.paragraphs = paragraphs
        made = self._filters.describe(page.resource)
        if isinstance(made, Denied):
            page.text_refusal, page.place = self._discard(made, page.resource.url), made.place
            return None
        return made

    def _discard(self, denied: Denied, url: str) -> Discard:
        self._tell(denied, url)
        return Discard.FILTER_FAILED if denied.is_fault else Discard.FILTERED
