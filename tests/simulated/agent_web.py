"""A small web of hosts on shared addresses, with a known number of pages."""

import random
from dataclasses import dataclass

from tiptoe.experiment.frontier_player import links_to
from tiptoe.protocol.work import Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.url.address import host_of, url_key

__all__ = ["PAGE_BYTES", "SmallWeb"]

PAGE_BYTES = 900


@dataclass(frozen=True)
class SmallWeb:
    """Everything follows from the seed."""

    seed: int
    hosts: int = 12

    def _chance(self, *salt: object) -> random.Random:
        return random.Random(repr((self.seed, salt)))

    def address_of(self, host: str) -> str:
        """Answer as its name server does."""
        return f"198.18.{self.seed % 200}.{self._chance('dns', host).randrange(max(2, self.hosts // 4))}"

    def _pages(self, host: int) -> int:
        return self._chance("pages", host).randint(2, 14)

    def _links(self, url: str) -> list[str]:
        chance = self._chance("links", url)
        hosts = [chance.randrange(self.hosts) for _ in range(chance.randint(1, 6))]
        links = [f"http://h{host}.example/p{chance.randrange(self._pages(host))}" for host in hosts]
        if url.endswith("/p0"):  # so there are visits that last
            links += [f"{url[:-1]}{page}" for page in range(self._pages(int(host_of(url)[1:].split(".")[0])))]
        return links

    def seeds(self) -> list[str]:
        return [f"http://h{host}.example/p0" for host in range(3)]

    def pages(self) -> set[str]:
        """Return all that can be found."""
        found = set(self.seeds())
        new = list(found)
        while new:
            links = [link for link in self._links(new.pop()) if link not in found]
            found.update(links)
            new += dict.fromkeys(links)
        return found

    def answer(self, request: Request) -> Result:
        """Answer a request."""
        if request.purpose is Purpose.ROBOTS:
            return Result(request, status=404, robots=RobotsNote(RobotsState.RULES))
        if request.last_visit is not None:
            return Result(request, status=304, is_changed=False)
        links = links_to(self._links(request.url))
        text = url_key(request.url + host_of(request.url))
        return Result(request, status=200, body_bytes=PAGE_BYTES, text_chars=300, text_hash=text, links=links)
