"""A crawl by hand: hosts in turn, each URL once, outcomes counted. No code of the crawler takes part."""

import re
from collections import Counter, deque
from urllib.parse import urljoin, urlsplit

from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import Life

HREF = re.compile(rb'<a href="([^"#]*)')
PATIENCE_SECONDS = 60.0
NAMES = {301: "redirect", 302: "redirect", 303: "redirect", 307: "redirect", 308: "redirect", 404: "gone"}


class Walk:
    """Takes hosts in turn, one URL a turn, as politeness makes a crawler do."""

    def __init__(self, web: SimulatedWeb, seeds: list[str]) -> None:
        self._web = web
        self._queues: dict[str, deque[str]] = {}
        self._turns: deque[str] = deque()
        self._seen: set[str] = set()
        self.outcomes: Counter[str] = Counter()
        self.bodies_bytes: list[int] = []
        self.links: list[int] = []
        for seed in seeds:
            self._find(seed)

    def take(self, count: int) -> Counter[str]:
        """Ask for so many URLs and return what came of all so far."""
        for _ in range(count):
            host = self._turns.popleft()
            queue = self._queues[host]
            url = queue.popleft()
            if queue:
                self._turns.append(host)
            self.outcomes[self._ask(host, url)] += 1
        return self.outcomes

    def _find(self, url: str) -> None:
        if url in self._seen:
            return
        self._seen.add(url)
        host = urlsplit(url).hostname or ""
        queue = self._queues.setdefault(host, deque())
        if not queue:
            self._turns.append(host)
        queue.append(url)

    def _ask(self, name: str, url: str) -> str:
        web = self._web
        host = web.hosts.named(name)
        if host is None or host.life is not Life.ALIVE:
            return "dead"
        rules = web.respond(name, "/robots.txt")
        if rules.latency_seconds > PATIENCE_SECONDS:
            return "timeout"
        if rules.status >= 500 or not web.is_allowed(url):
            return "denied"
        answer = web.respond(name, urlsplit(url).path)
        if answer.latency_seconds > PATIENCE_SECONDS:
            return "timeout"
        if answer.status != 200:
            if answer.status in (301, 302, 303, 307, 308):
                self._find(urljoin(url, dict(answer.headers)["Location"]))
            return NAMES.get(answer.status, "error")
        links = HREF.findall(answer.body)
        self.bodies_bytes.append(len(answer.body))
        self.links.append(len(links))
        for link in links:
            self._find(urljoin(url, link.decode()))
        return "ok"
