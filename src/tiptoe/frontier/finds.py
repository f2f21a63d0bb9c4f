"""Where does a page lead?

To its links, the target of a redirect, feeds and sitemaps: possible requests, which the intake examines.

Rule: the rules about single URLs are applied once to each URL, whatever leads to it. For the links of a page,
the harvester that found them has applied them; redirects, feeds and sitemaps are judged here.
"""

import zlib

from tiptoe.decide.scheduling import SOURCE_HOPS_MAX, LinkGroup, SchedulePoint
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.priority import POOR_USABILITY, class_of
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.step import Step
from tiptoe.frontier.yields import handed_on
from tiptoe.protocol.work import Purpose, Request, Result
from tiptoe.url.address import host_of, page_key, url_key
from tiptoe.url.dropped import Dropped

__all__ = ["Finds", "without_refused"]

LOOP_HOPS_MAX = 50
"""Maximum length of a redirect chain that is checked for a loop; no longer chain is followed anyway."""


class Finds:
    """Finds where results lead."""

    def __init__(
        self, step: Step, schedule: SchedulePoint, *, follows_sitemaps: bool, follows_feeds: bool
    ) -> None:
        self._step = step
        self._schedule = schedule
        self._follows_sitemaps = follows_sitemaps
        self._follows_feeds = follows_feeds

    def of(self, result: Result, host: str) -> list[LinkBatch]:
        """Return the links, redirects and sources of links of a page, to be queued if they are new."""
        request = result.request
        refused = self._schedule.refusal_after(request.usability, result.usability)
        if refused is not None:
            dropped = sum(len(links.urls) for links in result.links) + len(result.feeds)
            self._step.discard(refused, dropped + len(result.requisites))
            return []
        found_links = self._links(result, host) if result.links and self._follows(result) else []
        if result.redirect:
            found_links += self._redirect(result)
        if result.feeds and self._follows_feeds:
            found_links += self._sources(result.feeds, Purpose.FEED, result)
        if result.sitemaps and self._follows_sitemaps:
            found_links += self._sources(result.sitemaps, Purpose.SITEMAP, result)
        if result.requisites:
            found_links += self._sources(result.requisites, Purpose.REQUISITE, result)
        return found_links

    def _follows(self, result: Result) -> bool:
        """Whether the links in this result are followed; count them if not."""
        refused = self._schedule.refusal_in(result.source or result.request.purpose)
        if refused is not None:
            self._step.discard(refused, sum(len(links.urls) for links in result.links))
        return refused is None

    @staticmethod
    def _links(result: Result, own: str) -> list[LinkBatch]:
        request = result.request
        usability = handed_on(request.usability, result.usability)
        depth = request.depth + 1
        queue_class = class_of(Purpose.PAGE, depth, usability, result.sub_priority)
        inlink = 1 << (zlib.crc32(own.encode()) & 63) if usability >= POOR_USABILITY else 0
        found_links, purpose, url = [], Purpose.PAGE, request.url
        for links in result.links:
            template = Chunk([], purpose, depth, 0, 0, url, usability)
            is_foreign = links.host != own
            found_links.append(
                LinkBatch(links, template, queue_class, inlink if is_foreign else 0, is_foreign)
            )
        return found_links

    def _sources(self, urls: list[str], purpose: Purpose, result: Result) -> list[LinkBatch]:
        request = result.request
        hops = 0
        if request.purpose is not Purpose.PAGE:
            # How a revisited source was found is not recorded: allow the sources in it no further hops.
            hops = SOURCE_HOPS_MAX if request.last_visit is not None else request.hops + 1
        refused = self._schedule.refusal(LinkGroup(purpose=purpose, hops=hops))
        if refused is not None:
            self._step.discard(refused, len(urls))
            return []
        usability = handed_on(request.usability, result.usability)
        return [
            LinkBatch.single(Request(url, purpose, request.depth, hops, via=request.url, usability=usability))
            for url in without_refused(urls, self._schedule, self._step)
        ]

    def _redirect(self, result: Result) -> list[LinkBatch]:
        request = result.request
        if self._leads_back(result):
            self._step.discard(Dropped.REDIRECT_LOOP)
            return []
        refused = self._redirect_refusal(result)
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
        return [LinkBatch.single(target, hint=0)]

    def is_respelt(self, result: Result) -> bool:
        """Whether a redirect leads to another spelling of the same page, after not too many redirects."""
        here, there = result.request.url, result.redirect
        is_other = here != there and host_of(here) == host_of(there) and url_key(here) == url_key(there)
        return is_other and self._redirect_refusal(result) is None

    def _redirect_refusal(self, result: Result) -> Dropped | None:
        request, target = result.request, result.redirect
        redirect = LinkGroup(purpose=request.purpose, hops=request.hops + 1, is_redirect=True)
        # The operator means the target of a seed's redirect too; and a sitemap is not a page.
        is_lead = request.depth == 0 or request.purpose is not Purpose.PAGE
        refused = self._schedule.refusal(redirect)
        return refused or self._schedule.refused_urls([target], are_leads=is_lead).get(target)

    def _leads_back(self, result: Result) -> bool:
        """Whether the known redirects from here lead back to this URL."""
        here, url = result.request.url, result.redirect
        for _ in range(LOOP_HOPS_MAX):
            if url == here:
                return True
            page = self._step.pages.find(page_key(url))
            url = page.location if page else ""
            if not url:
                return False
        return False


def without_refused(urls: list[str], schedule: SchedulePoint, step: Step) -> list[str]:
    """Return the sitemaps or feeds that no rule about single URLs refuses; count the others."""
    refused = schedule.refused_urls(urls, are_leads=True)
    for reason in refused.values():
        step.discard(reason)
    return [url for url in urls if url not in refused] if refused else urls
