"""Which hosts are unkind, and what are their addresses?

Every behaviour of `hostile.py` has a host of its own besides the friendly hosts of a
simulated web, with a home page, a good page, and the unkind one between them. Other hosts
are unkind as a whole: by their robots.txt, as a mirror, or by what their name resolves to.
Addresses are in 127.66.0.0/16, one per host, so that no other host shares their trouble.

The only state is how often each URL was requested before.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from simulated.hostile import BEHAVIOURS, PREFIX, behave
from simulated.hostile_asked import page, word
from tiptoe.testing.answer import Delivery, SimulatedAnswer
from tiptoe.testing.dns import TYPE_A
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

__all__ = ["FORBIDDEN_ADDRESS", "MIRRORED_PAGES", "NETWORK", "HostileWeb"]

DOMAIN: Final = ".hostile.test"
NETWORK: Final = "127.66.0.0/16"
FORBIDDEN_ADDRESS: Final = "127.0.0.1"
TEXT: Final = ("Content-Type", "text/plain; charset=utf-8")
RULES: Final = b"User-agent: *\nDisallow: /private/\n"
PADDING: Final = b"# nothing to see here, and a lot of it\n" * 25_000
HUGE_BYTES: Final = 100_000_000
FLIPPING: Final = b"User-agent: *\nCrawl-delay: 0.15\n"
FLIPPING_PAGES: Final = 60
MIRRORED_PAGES: Final = 45
ADDRESSES: Final = 24

WHOLE: Final = (
    *("robots-huge", "robots-flip", "robots-error"),
    *("mirror-first", "mirror-second"),
    *("dns-private", "dns-mixed", "dns-rebind", "dns-many"),
    *("tls-fine", "tls-expired", "tls-wrong-name", "tls-self-signed", "tls-silent"),
)
"""Hosts that are unkind as a whole; those of TLS are plain servers until somebody gives them certificates."""


class HostileWeb(SimulatedWeb):
    """A friendly web, and a host for each way to be unkind."""

    def __init__(self, shape: WebShape) -> None:
        super().__init__(shape)
        self.names: tuple[str, ...] = (*BEHAVIOURS, *WHOLE)
        self._numbers = {name: number for number, name in enumerate(self.names, 1)}
        self._asked: Counter[str] = Counter()
        self._looked_up: Counter[str] = Counter()

    def host_of(self, name: str) -> str:
        """Return the host of a behaviour."""
        return name + DOMAIN

    def origin_of(self, name: str, scheme: str = "http") -> str:
        """Return how addresses on the host of a behaviour begin."""
        return f"{scheme}://{self.host_of(name)}:{self.shape.port}"

    def own_addresses(self) -> Iterator[str]:
        """Yield the addresses at which the unkind hosts listen."""
        for name in self.names:
            yield from self._addresses_of(name)

    def addresses_of(self, host: str, kind: int) -> list[str]:
        """Return what a name leads to this time; none: there is no such name."""
        name = host.removesuffix(DOMAIN)
        if host == name or name not in self._numbers:
            friendly = self.address_of(host, loopback=True)
            return [friendly] if friendly else []
        if kind == TYPE_A:
            self._looked_up[name] += 1
        if name == "dns-private" or (name == "dns-rebind" and self._looked_up[name] > 1):
            return [FORBIDDEN_ADDRESS]
        also = [FORBIDDEN_ADDRESS] if name == "dns-mixed" else []
        return self._addresses_of(name) + also

    def _addresses_of(self, name: str) -> list[str]:
        number = self._numbers[name]
        if name == "dns-many":
            return [f"127.66.{number}.{last}" for last in range(1, ADDRESSES + 1)]
        return [f"127.66.{number}.1"]

    def respond(
        self, host: str, target: str, *, now: float = 0.0, accepts_gzip: bool = False
    ) -> SimulatedAnswer:
        """Return what a host answers, unkind or not."""
        name = host.removesuffix(DOMAIN)
        if name == host or name not in self._numbers:
            return super().respond(host, target, now=now, accepts_gzip=accepts_gzip)
        times = self._asked[host + target]
        self._asked[host + target] += 1
        if target == "/robots.txt":
            return _robots(name, times)
        if target.startswith(PREFIX):
            return behave(target, self.home_of(0), times=times) or _missing()
        return self._own_page(name, target)

    def _own_page(self, name: str, target: str) -> SimulatedAnswer:
        """Answer for the pages that make a host look like any other."""
        if target == "/":
            return page(f"Home of {name}", f"A host called {name} says hello.", links=self._links_of(name))
        if target == "/fine":
            return page(f"Fine page of {name}", f"Nothing is wrong with this page of {name}.")
        first, _, last = target[1:].partition("/")
        if first == "private":
            return page("Private", f"Nobody should read {last} of {name}.")
        if first == "flip":
            return page(f"Page {last}", f"This is page {last} of a host that may change its mind.")
        if first == "mirror":
            return page(f"Page {last}", f"This is what stands on page {last}, here and elsewhere.")
        return _missing()

    def _links_of(self, name: str) -> tuple[str, ...]:
        own: Mapping[str, tuple[str, ...]] = {
            "robots-huge": ("/private/1",),
            "robots-flip": tuple(f"/flip/{word(number)}" for number in range(FLIPPING_PAGES)),
            "mirror-first": tuple(f"/mirror/{word(number)}" for number in range(MIRRORED_PAGES)),
            "mirror-second": tuple(f"/mirror/{word(number)}" for number in range(MIRRORED_PAGES)),
            "dns-rebind": (f"http://{FORBIDDEN_ADDRESS}:{self.shape.port}/secret",),
        }
        unkind = (f"{PREFIX}{name}/",) if name in BEHAVIOURS else ()
        return (*unkind, *own.get(name, ()), "/fine")


def _robots(name: str, times: int) -> SimulatedAnswer:
    if name == "robots-error":
        return SimulatedAnswer(503, [TEXT], b"come back later\n")
    if name == "robots-huge":
        body = RULES + PADDING
        return SimulatedAnswer(
            200, [TEXT], body, delivery=Delivery.REPEATED, repeats=HUGE_BYTES // len(body) + 1
        )
    if name == "robots-flip":
        return SimulatedAnswer(200, [TEXT], FLIPPING + (b"Disallow: /\n" if times else b"Disallow:\n"))
    return _missing()


def _missing() -> SimulatedAnswer:
    return SimulatedAnswer(404, [TEXT], b"not here\n")
