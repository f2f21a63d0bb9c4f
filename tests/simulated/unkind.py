"""How is a web with unkind pages put on loopback?

It answers for the behaviours of `hostile.py` under `/hostile/NAME/` on all of its hosts, behind a proxy or
from servers on addresses of their own.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from simulated.hostile import PREFIX, behave
from simulated.servers import bind_addresses, listen
from simulated.unkind_delivery import UnkindProxyConnection
from tiptoe.testing.answer import SimulatedAnswer
from tiptoe.testing.http_face import ServingContext
from tiptoe.testing.serve import main
from tiptoe.testing.served import ServedWeb, SpawnedWeb, spawn_web
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

__all__ = ["UnkindProxy", "UnkindServers", "UnkindWeb", "serve", "spawn_unkind_web"]

TESTS: Final = Path(__file__).parents[1]


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
    program = f"import sys; sys.path.insert(0, {str(TESTS)!r}); from simulated import unkind; "
    program += f"unkind.serve(unkind.{served.__name__})"
    with spawn_web(shape, record=record, seconds=seconds, program=("-c", program)) as spawned:
        if served.on_loopback:
            shape = replace(shape, port=spawned.port)
        spawned.web = UnkindWeb(shape, dated_from=spawned.began_at)
        yield spawned


def serve(served: type[ServedWeb]) -> None:
    """Serve a web by the options of the command line, until told to stop."""
    main(web_type=UnkindWeb, served_type=served)
