"""How is the hostile web put on loopback?

Servers at all addresses on one port, including the one that clients must not be lured to,
a name server that cooperates with them, and TLS as bad as the given contexts.
"""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from simulated.hostile import behave
from simulated.hostile_asked import PREFIX
from simulated.hostile_pages import PAGES
from simulated.hostile_web import FORBIDDEN_ADDRESS, HostileWeb
from simulated.servers import addresses_of, bind_all, listen
from tiptoe.testing.dns import answer_with
from tiptoe.testing.http_face import ServingContext
from tiptoe.testing.recorder import Recorder
from tiptoe.testing.shape import WebShape

__all__ = ["ServedHostileWeb", "serve_hostile_web"]

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class ServedHostileWeb:
    """A hostile web that can be visited."""

    web: HostileWeb
    dns_address: str


class _Dns(asyncio.DatagramProtocol):
    def __init__(self, web: HostileWeb) -> None:
        self._web = web
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        answer = answer_with(self._web.addresses_of, data)
        if answer is not None and self._transport:
            self._transport.sendto(answer, addr)


class _Silence(asyncio.Protocol):
    """Lets clients in and never says a word."""


@contextlib.asynccontextmanager
async def serve_hostile_web(
    shape: WebShape, recorder: Recorder, tls: Mapping[str, ssl.SSLContext]
) -> AsyncIterator[ServedHostileWeb]:
    """Serve while the `async with` lasts; `tls` has a context for each behaviour that speaks it."""
    web = HostileWeb(shape)
    sockets = bind_all({*addresses_of(web), *web.own_addresses(), FORBIDDEN_ADDRESS}, 0)
    web = HostileWeb(replace(shape, port=int(sockets[0].getsockname()[1])))
    for name in PAGES:  # what takes long to make is made before anybody waits for it
        behave(f"{PREFIX}{name}/", "/")
    context = ServingContext(web, recorder)
    where = {name: web.addresses_of(web.host_of(name), 0)[0] for name in (*tls, "tls-silent")}
    silent = [bound for bound in sockets if bound.getsockname()[0] == where["tls-silent"]]
    talking = [bound for bound in sockets if bound not in silent]
    servers = await listen(context, talking, {where[name]: context for name, context in tls.items()})
    loop = asyncio.get_running_loop()
    servers += [await loop.create_server(_Silence, sock=bound) for bound in silent]
    dns, _ = await loop.create_datagram_endpoint(lambda: _Dns(web), local_addr=(LOOPBACK, 0))
    try:
        yield ServedHostileWeb(web, f"{LOOPBACK}:{dns.get_extra_info('sockname')[1]}")
    finally:
        for server in servers:
            server.close()
        for connection in list(context.connections):
            connection.abort()
        dns.close()
        # One turn of the loop, in which the closed connections are told so and recorded.
        await asyncio.sleep(0)
