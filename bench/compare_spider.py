"""What does Scrapy run in the comparison?

Scrapy reads this module in an environment of its own without tiptoe; `compare.py` imports nothing from here.
The spider does what Scrapy's tutorial teaches: title and text by selectors, every link by `LinkExtractor`,
items as JSON lines. It writes no archive and does not clean text. It is a plain `Spider`: the rules of a
`CrawlSpider` would be a little slower.
"""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.http import Request, Response, TextResponse
from scrapy.linkextractors import LinkExtractor

SETTINGS: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    # No limits: no delay, no throttle, many requests at once.
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "RANDOMIZE_DOWNLOAD_DELAY": False,
    "CONCURRENT_REQUESTS": 100,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    # Not needed on this web, and would cost time.
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "HTTPCACHE_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REFERER_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "LOGSTATS_INTERVAL": 0,
    "LOG_LEVEL": "ERROR",
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    # Queue and seen set stay in memory (no JOBDIR), its cheapest option; they do not survive a crash.
    "FEED_EXPORT_ENCODING": "utf-8",
}
"""Scrapy at its fastest on one process; `compare_crawlers.py` tries some others on top of these."""


class Everything(scrapy.Spider):  # type: ignore[misc]  # Scrapy is not installed where types are checked
    """Follows every link and keeps URL, title and text of each page."""

    name = "everything"
    custom_settings = SETTINGS
    links = LinkExtractor()

    async def start(self) -> AsyncIterator[Request]:
        for seed in read_seeds():
            yield Request(seed)

    def parse(self, response: Response) -> Iterator[Any]:
        if not isinstance(response, TextResponse):
            return
        # One string for the whole body: a selector for each piece of text would cost much more.
        text = response.xpath("string(//body)").get()
        yield {"url": response.url, "title": response.css("title::text").get(), "text": text}
        for link in self.links.extract_links(response):
            yield Request(link.url)


def read_seeds() -> list[str]:
    return Path(os.environ["BENCH_SEEDS"]).read_text(encoding="utf-8").split()
