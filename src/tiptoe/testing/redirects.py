"""Where does a redirect lead?

To another page of the host or to another host's home; some by way of a second
redirect. A chain always leads to a far smaller page number, so it ends soon.
"""

from typing import Final

from tiptoe.testing.chance import MASK, Trait, fraction, scramble
from tiptoe.testing.graph import Graph, PageKind, page_salt
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web_hosts import Conduct, Life, WebHost, WebHosts

__all__ = ["Redirects"]

ELSEWHERE_ONE_IN: Final = 8
CHAIN_SHRINKS: Final = 4  # a second redirect has at most a quarter of the first one's number
CHAIN_REACH: Final = 64  # number of pages tried to find one
MOVE_TRIES: Final = 4


class Redirects:
    """Targets and statuses of all redirects of a web."""

    def __init__(self, shape: WebShape, hosts: WebHosts, graph: Graph) -> None:
        self._shape = shape
        self._hosts = hosts
        self._graph = graph

    def status_of(self, host: WebHost, number: int) -> int:
        """Return the status of a page of kind REDIRECT."""
        statuses = self._shape.redirect_statuses
        return statuses[(self._draw(host, number) >> 40) % len(statuses)]

    def target_of(self, host: WebHost, number: int) -> str:
        """Return where a page of kind REDIRECT leads: to a page, or to a redirect to one."""
        graph, draw = self._graph, self._draw(host, number)
        if host.conduct is Conduct.MOVED:
            return self._new_place_of(host, number)
        if self._shape.redirect_chain_share and (link := self._next_in_chain(host, number, draw)):
            return graph.url_of(host, link)
        if draw % ELSEWHERE_ONE_IN == 0:
            return graph.origin_of(self._hosts.at((draw >> 8) % self._shape.hosts)) + "/"
        target = (draw >> 8) % host.pages
        if graph.kind_of(host, target) is not PageKind.TEXT:
            target = 0
        return graph.url_of(host, target)

    def _draw(self, host: WebHost, number: int) -> int:
        return scramble(page_salt(host, number) + Trait.TARGET)

    def _next_in_chain(self, host: WebHost, number: int, draw: int) -> int | None:
        """Return the number of another redirect, if this one should lead to one and one is near."""
        if fraction(page_salt(host, number), Trait.CHAIN) >= self._shape.redirect_chain_share:
            return None
        last = number // CHAIN_SHRINKS
        for candidate in range(last, max(0, last - CHAIN_REACH), -1):
            if self._graph.kind_of(host, candidate) is PageKind.REDIRECT:
                return candidate
        return None

    def _new_place_of(self, host: WebHost, number: int) -> str:
        """Return the same page of the host that took over, or its home."""
        for step in range(MOVE_TRIES):
            draw = scramble(host.salt + Trait.TARGET + step * 0x9E3779B97F4A7C15 & MASK)
            heir = self._hosts.at(draw % self._shape.hosts)
            if heir.life is Life.ALIVE and heir.conduct is Conduct.NORMAL:
                break
        is_there = number < heir.pages and self._graph.kind_of(heir, number) is PageKind.TEXT
        return self._graph.url_of(heir, number if is_there else 0)
