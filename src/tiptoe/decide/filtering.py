"""What do the operator's filters refuse?

Their lines act as rules of the decision points: of `schedule` for links (`LinkFilter`), of `fetch` for
requests, of `store` for texts (`PageFilter`). Like all rules they have no memory: limits over the whole crawl
are enforced by the frontier, or end the crawl.

A callback (`TellDenied`) is called with each refusal and the line that caused it.
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
"""Called with what was denied, and its URL."""


def untold(denied: Denied, url: str) -> None:
    """Ignore a refusal."""


class LinkRefusal(NamedTuple):
    """Why a link is not followed."""

    reason: Dropped
    is_by_depth: bool  # it would be followed if found nearer to a seed


class LinkFilter:
    """The part of the filters that judges URLs: the rules of `schedule` about single links."""

    def __init__(self, filters: RobotFilters, tell: TellDenied = untold) -> None:
        self._refuse = filters.refuse_links
        self._tell = tell

    def refused(self, urls: Sequence[str], depth: int) -> dict[str, LinkRefusal]:
        """Return which of these canonical URLs the filters deny at this depth, and why."""
        refused: dict[str, LinkRefusal] = {}
        for url, denied in self._refuse(urls, depth).items():
            self._tell(denied, url)
            reason = Dropped.LINK_FILTER_FAILED if denied.is_fault else Dropped.LINK_FILTERED
            refused[url] = LinkRefusal(reason, denied.is_by_depth)
        return refused


@dataclass(slots=True, kw_only=True)
class FilteredPage:
    """What the filters decide about an answer."""

    links: Sequence[str]  # links to follow, unless all links are refused
    link_refusal: Dropped | None = None
    text_refusal: Discard | None = None
    place: str = ""  # the line that keeps its text out
    resource: Resource | None = None  # to be described if the text is stored
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
        """Return why a request is not made although its link was followed: its IP address is known now."""
        denied = self._filters.refuses_request(url, depth, address, is_source=is_source)
        return None if denied is None else self._discard(denied, url)

    def judge(
        self, url: str, depth: int, address: str, facts: PageFacts, links: Sequence[str]
    ) -> FilteredPage:
        """Return what the filters decide about an answer."""
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
        """Note that the text of a page is in the corpus already, for which its links may be unwanted."""
        if self._filters.enumeration.drops_copies and page.link_refusal is None:
            page.link_refusal = Dropped.LINK_FILTERED

    def describe(self, page: FilteredPage, paragraphs: Sequence[str]) -> dict[str, list[str]] | None:
        """Return the fields of a page's description, given the stored text; None if there are none.

        If making the description fails, the text is refused.
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
