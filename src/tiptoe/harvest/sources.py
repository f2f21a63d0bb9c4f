"""What do sitemaps and feeds say about a site's pages?

Where they are, and when they changed. A source that has not changed since our last visit says nothing new.
The content shows whether it is a sitemap or a feed: robots.txt may name a feed, and a page may link to a
sitemap.
"""

from tiptoe.fetch.coding import Decoded, decode_body
from tiptoe.fetch.outcome import Answer
from tiptoe.fetch.robots import robots_meta
from tiptoe.harvest.document import Reading
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.hints import find_hints
from tiptoe.harvest.mediatype import find_source, media_type
from tiptoe.harvest.tools import Tools
from tiptoe.parse.feeds import read_feed
from tiptoe.parse.sitemaps import inflated, read_sitemap
from tiptoe.protocol.work import Purpose

__all__ = ["read_source"]

SITEMAP_URLS_MAX = 50_000
SITEMAP_CLASSES = ((0.8, 1), (0.3, 2), (0.0, 3))
"""Minimum priority of the best page of a sitemap, and the class of requests for its pages."""


def read_source(draft: Draft, answer: Answer, tools: Tools) -> Reading:
    """Read a sitemap or a feed: its pages become links, and their dates hints of changes."""
    before = draft.request.last_visit
    if before is not None and draft.content_hash == before.content_hash:
        return Reading()
    if robots_meta(answer.headers.every("x-robots-tag"), tools.agent).nofollow:
        return Reading()
    body = _plain_body(answer, tools)
    reading = Reading()
    purpose = find_source(body.data, media_type(answer)) or draft.request.purpose
    if purpose is Purpose.FEED:
        feed = inflated(body.data, tools.limits.decoded_bytes_max)
        dates = [(entry.url, entry.updated_at) for entry in read_feed(feed, SITEMAP_URLS_MAX)]
    else:
        dates = _read_sitemap(reading, answer, body, tools)
    if before is not None and tools.revisit.uses_hints:
        now = answer.started_at
        reading.hints = find_hints(dates, answer.url, before, now, tools.outlinks.resolve)
    reading.hrefs = [url for url, _ in dates]
    return reading


def _read_sitemap(
    reading: Reading, answer: Answer, body: Decoded, tools: Tools
) -> list[tuple[str, float | None]]:
    """Read a sitemap: its pages with their dates; further sitemaps become requests."""
    is_cut = answer.truncated is not None or not body.complete
    sitemap = read_sitemap(body.data, SITEMAP_URLS_MAX, is_cut=is_cut)
    best = max((0.5 if entry.priority is None else entry.priority for entry in sitemap.entries), default=0.5)
    reading.sub_priority = next(index for least, index in SITEMAP_CLASSES if best >= least)
    reading.sitemaps = [url for href in sitemap.children if (url := tools.outlinks.resolve(answer.url, href))]
    return [(entry.url, entry.lastmod) for entry in sitemap.entries]


def _plain_body(answer: Answer, tools: Tools) -> Decoded:
    """Return the body with its content coding undone, as far as that goes."""
    coding = answer.headers.get("content-encoding")
    if not coding:
        return Decoded(answer.body, complete=True)
    return decode_body(answer.body, coding, tools.limits.decoded_bytes_max)
