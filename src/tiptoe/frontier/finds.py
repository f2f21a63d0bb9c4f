"""Where does a page lead?

To its links, to where it is redirected, to feeds and sitemaps: requests-to-be, which the intake looks at.
"""

import zlib

from tiptoe.decide.scheduling import SOURCE_HOPS_MAX, LinkGroup, SchedulePoint
from tiptoe.frontier.find import Find
from tiptoe.frontier.priority import POOR_USABILITY, class_of
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.step import Step
from tiptoe.frontier.yields import handed_on
from tiptoe.protocol.work import Purpose, Request, Result
from tiptoe.url.address import host_of, page_key, url_key
from tiptoe.url.dropped import Dropped

__all__ = ["Finds"]

LOOP_HOPS_MAX = 50
"""Maximum redirects that are looked at for one that leads back; no longer chain is followed anyway."""


class Finds:
    """Says where results lead."""

    def __init__(
        self, step: Step, schedule: SchedulePoint, *, follows_sitemaps: bool, follows_feeds: bool
    ) -> None:
        self._step = step
        self._schedule = schedule
        self._follows_sitemaps = follows_sitemaps
        self._follows_feeds = follows_feeds

    def of(self, result: Result, host: str) -> list[Find]:
        """Return the links, redirects and sources of links that a page of a host has, to be queued if new."""
        request = result.request
        refused = self._schedule.refusal_after(request.usability, result.usability)
        if refused is not None:
            dropped = sum(len(links.urls) for links in result.links) + len(result.feeds)
            self._step.discard(refused, dropped)
            return []
        finds = self._links(result, host)
        if result.redirect:
            finds += self._redirect(result)
        if result.feeds and self._follows_feeds:
            finds += self._sources(result.feeds, Purpose.FEED, result)
        if result.sitemaps and self._follows_sitemaps:
            finds += self._sources(result.sitemaps, Purpose.SITEMAP, result)
        return finds

    @staticmethod
    def _links(result: Result, own: str) -> list[Find]:
        request = result.request
        usability = handed_on(request.usability, result.usability)
        depth = request.depth + 1
        index = class_of(Purpose.PAGE, depth, usability, result.sub_priority)
        inlink = 1 << (zlib.crc32(own.encode()) & 63) if usability >= POOR_USABILITY else 0
        finds, purpose, url = [], Purpose.PAGE, request.url
        for links in result.links:
            shared = Chunk([], purpose, depth, 0, 0, url, usability)
            is_foreign = links.host != own
            finds.append(Find(links, shared, index, inlink if is_foreign else 0, is_foreign))
        return finds

    def _sources(self, urls: list[str], purpose: Purpose, result: Result) -> list[Find]:
        request = result.request
        hops = 0
        if request.purpose is not Purpose.PAGE:
            # Of one that is visited again nobody knows how it was found: new ones in it are the last.
            hops = SOURCE_HOPS_MAX if request.last_visit is not None else request.hops + 1
        refused = self._schedule.refusal(LinkGroup(purpose=purpose, hops=hops))
        if refused is not None:
            self._step.discard(refused, len(urls))
            return []
        usability = handed_on(request.usability, result.usability)
        return [
            Find.single(Request(url, purpose, request.depth, hops, via=request.url, usability=usability))
            for url in urls
        ]

    def _redirect(self, result: Result) -> list[Find]:
        request = result.request
        if self._leads_back(result):
            self._step.discard(Dropped.REDIRECT_LOOP)
            return []
        refused = self._redirect_refusal(request)
        if refused is not None:
            self._step.discard(refused)
            return []
        target = Request(
            result.redirect,
            request.purpose,
            request.depth,
            request.hops + 1,
            via=request.url,
            usability=request.usability,
        )
        return [Find.single(target, hint=0)]

    def is_respelt(self, result: Result) -> bool:
        """Whether a redirect leads to the same page by another spelling, and not too many have led here."""
        here, there = result.request.url, result.redirect
        is_other = here != there and host_of(here) == host_of(there) and url_key(here) == url_key(there)
        return is_other and self._redirect_refusal(result.request) is None

    def _redirect_refusal(self, request: Request) -> Dropped | None:
        redirect = LinkGroup(purpose=request.purpose, hops=request.hops + 1, is_redirect=True)
        return self._schedule.refusal(redirect)

    def _leads_back(self, result: Result) -> bool:
        """Whether the redirects that are known from here on lead here again."""
        here, url = result.request.url, result.redirect
        for _ in range(LOOP_HOPS_MAX):
            if url == here:
                return True
            page = self._step.pages.find(page_key(url))
            url = page.location if page else ""
            if not url:
                return False
        return False
