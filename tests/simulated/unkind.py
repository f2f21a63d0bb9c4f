"""How is a web with unkind pages put on loopback?

It serves the behaviours of `hostile.py` under `/hostile/NAME/` on all of its hosts, behind a proxy or from
servers on addresses of their own.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from nursery import start
from simulated.hostile import PREFIX, behave
from simulated.servers import bind_addresses, listen
from simulated.unkind_delivery import UnkindProxyConnection
from tiptoe.testing.answer import SimulatedAnswer
from tiptoe.testing.http_face import ServingContext
from tiptoe.testing.served import ServedWeb, SpawnedWeb, WebClosed, WebOpened
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

__all__ = ["UnkindProxy", "UnkindServers", "UnkindWeb", "spawn_unkind_web"]

CLOSING_SECONDS: Final = 20.0


class UnkindWeb(SimulatedWeb):
    """A web on which every behaviour can be met on every host."""

    def respond(
        self, host: str, target: str, *, now: float = 0.0, accepts_gzip: bool = False
    ) -> SimulatedAnswer:
        """Return what a host answers; what it has no page for may be a behaviour."""
        answer = super().respond(host, target, now=now, accepts_gzip=accepts_gzip)
        found = self.hosts.named(host)
        if found is None or answer.status != 404 or not target.startswith(PREFIX):
            return answer
        elsewhere = self.home_of((found.index + 1) % self.shape.hosts)
        return behave(target, elsewhere) or answer


class UnkindProxy(ServedWeb):
    """A web behind a proxy."""

    connection = UnkindProxyConnection


class UnkindServers(ServedWeb):
    """A web whose hosts listen on addresses of their own; as served, its links carry their port."""

    on_loopback = True

    async def _listen(self) -> None:
        sockets = bind_addresses(self.web, self.port)
        self.port = int(sockets[0].getsockname()[1])
        shape = replace(self.web.shape, port=self.port)
        self.web = type(self.web)(shape, dated_from=self.web.dated_from)
        self._context = ServingContext(self.web, self._recorder, began_at=self._began_at)
        self._servers = await listen(self._context, sockets)


@contextlib.contextmanager
def spawn_unkind_web(
    shape: WebShape, *, served: type[ServedWeb] = UnkindProxy, record: Path, seconds: float
) -> Iterator[SpawnedWeb]:
    """Run a web in its own process while the `with` lasts."""
    words = [served.__name__, "--shape", msgspec.json.encode(shape).decode()]
    words += ["--seconds", str(seconds), "--record", str(record)]
    (wanted, wants), (said, says) = os.pipe(), os.pipe()
    with open(said, "rb") as output, open(wants, "wb") as wish:
        with open(wanted, "rb") as stdin, open(says, "wb") as stdout:
            process = start(
                "simulated.unkind_serving", words, stdin=stdin, stdout=stdout, stderr=sys.__stderr__
            )
        try:
            opening = msgspec.json.decode(output.readline(), type=WebOpened)
            if served.on_loopback:
                shape = replace(shape, port=opening.port)
            web = UnkindWeb(shape, dated_from=opening.began_at)
            spawned = SpawnedWeb(web, **msgspec.structs.asdict(opening))
            yield spawned
            wish.close()  # it ends
            spawned.closing = msgspec.json.decode(output.read(), type=WebClosed)
            process.wait(CLOSING_SECONDS)
        finally:
            process.kill()
