"""What trouble do servers cause in a simulated run?

The simulated web, with trouble drawn from the seed: answers that break off, come late or
say "not now", names that cannot be looked up, pages that kill the process that reads them.
Trouble is limited so that patience suffices: each URL has it once, a host at most twice in a
row. So it does not change which pages a crawl must find.
"""

import random
from typing import Final

from simulated.inprocess import InProcessClient, InProcessResolver
from simulated.virtual import VirtualLoop
from tiptoe.fetch.approach import PLAIN_APPROACH, Approach
from tiptoe.fetch.outcome import Answer, Failed, Failure
from tiptoe.fetch.resolve import Resolution
from tiptoe.testing.answer import Delivery, SimulatedAnswer
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

__all__ = ["Client", "Names", "StormyWeb"]

TROUBLES: Final = ("reset", "late", "busy", "busy_for", "broken", "short", "poison")
ROW_MAX: Final = 2
TEXT: Final = ("Content-Type", "text/plain")


class StormyWeb(SimulatedWeb):
    """A simulated web in which a share of the URLs is in trouble once."""

    def __init__(self, shape: WebShape, chance: random.Random, trouble_share: float) -> None:
        super().__init__(shape)
        self._chance = chance
        self._share = trouble_share
        self._met: set[tuple[str, str]] = set()
        self._row: dict[str, int] = {}
        self._poisonous: set[str] = set()

    def respond(
        self, host: str, target: str, *, now: float = 0.0, accepts_gzip: bool = False
    ) -> SimulatedAnswer:
        answer = super().respond(host, target, now=now, accepts_gzip=accepts_gzip)
        trouble = self._trouble_for(host, target)
        if trouble == "reset":
            return SimulatedAnswer(200, [TEXT], b"broken off", answer.latency_seconds, Delivery.RESET)
        if trouble == "short":
            return SimulatedAnswer(200, [TEXT], b"too short", answer.latency_seconds, Delivery.WRONG_LENGTH)
        if trouble == "late":
            return SimulatedAnswer(200, [TEXT], b"late", latency_seconds=1e6)
        if trouble == "broken":
            return SimulatedAnswer(500, [TEXT], b"broken", answer.latency_seconds)
        if trouble in ("busy", "busy_for"):
            wish = [("Retry-After", str(self._chance.randint(1, 5)))] if trouble == "busy_for" else []
            return SimulatedAnswer(self._chance.choice((429, 503)), [TEXT, *wish], b"not now")
        return answer

    def _trouble_for(self, host: str, target: str) -> str:
        if (host, target) in self._met or self._chance.random() >= self._share:
            self._row[host] = 0
            return ""
        self._met.add((host, target))
        if self._row.get(host, 0) >= ROW_MAX:
            self._row[host] = 0
            return ""
        self._row[host] = self._row.get(host, 0) + 1
        trouble = self._chance.choice(TROUBLES)
        if trouble == "poison":
            self._poisonous.add(f"http://{host}{target}")
        return trouble

    def kills(self, url: str) -> bool:
        """Whether the page just read kills its reader; once."""
        if url in self._poisonous:
            self._poisonous.discard(url)
            return True
        return False


class Client:
    """A harvester's client: the servers at the other end live on when the harvester stands still."""

    def __init__(self, inner: InProcessClient, web: VirtualLoop, own: VirtualLoop) -> None:
        self._inner = inner
        self._web = web
        self._own = own
        self._under_way: dict[object, None] = {}

    async def fetch(
        self, url: str, *, address: str, headers: list[tuple[str, str]], keep: bool = True,
        approach: Approach = PLAIN_APPROACH,
    ) -> Answer | Failed:  # fmt: skip
        assert approach == PLAIN_APPROACH, "nobody here wants a login"
        task = self._web.create_task(self._inner.fetch(url, address=address, headers=headers, keep=keep))
        answered = self._own.create_future()

        def tell(_: object) -> None:
            self._under_way.pop(task, None)
            if not answered.done() and not task.cancelled():
                answered.set_result(task.result())

        self._under_way[task] = None
        task.add_done_callback(tell)
        try:
            answer: Answer | Failed = await answered
        finally:
            if not task.done():
                task.cancel()
        return answer

    async def close(self) -> None:
        """Abort all requests; they end as `HARVESTER_LOST`."""
        await self._inner.close()

    def hang_up(self) -> None:
        """Close every connection, as the kernel does for a process that is gone."""
        for task in list(self._under_way):
            task.cancel()  # type: ignore[attr-defined]


class Names:
    """A resolver that fails once for a share of the hosts."""

    def __init__(self, inner: InProcessResolver, chance: random.Random, share: float, met: set[str]) -> None:
        self._inner = inner
        self._chance = chance
        self._share = share
        self._met = met

    async def resolve(self, host: str, last_address: str = "") -> Resolution:
        found = await self._inner.resolve(host)
        if found.address == host:  # not a name, so no name server is asked
            return found
        if host not in self._met and self._chance.random() < self._share:
            self._met.add(host)
            return Resolution(None, Failure.DNS_FAILED)
        return found

    async def close(self) -> None:
        """Nothing is held."""
