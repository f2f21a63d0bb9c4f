"""How is the simulated web served without a proxy? By servers on many loopback addresses.

All listen on one port, with one socket per address (never on all addresses at once); the
Host field says which of the hosts at the address is meant.
"""

import asyncio
import re
import socket
import ssl
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from simulated.unkind_delivery import UnkindConnection
from tiptoe.errors import SettingsError
from tiptoe.testing.http_face import ServingContext
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import Life, address_at

__all__ = ["ServerConnection", "addresses_of", "bind_addresses", "bind_all", "listen"]

ADDRESSES_MAX: Final = 2_000
PORT_TRIES: Final = 20
HOST: Final = re.compile(rb"\r\nhost:[ \t]*([^\r\n:]*)", re.IGNORECASE)


class ServerConnection(UnkindConnection):
    """A client of one address."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._address = str(transport.get_extra_info("sockname")[0])

    def locate(self, target: bytes, head: bytes) -> tuple[str, str, str]:
        named = HOST.search(head)
        host = named[1].decode("latin-1").strip().lower() if named else ""
        return host, target.decode("latin-1"), self._address


def bind_addresses(web: SimulatedWeb, port: int) -> list[socket.socket]:
    """Return one bound socket for each address of a living host, all on one port (0: any)."""
    return bind_all(addresses_of(web), port)


def bind_all(wanted: Iterable[str], port: int) -> list[socket.socket]:
    """Return one bound socket for each address, all on one port (0: any that is free on all of them)."""
    addresses = sorted(wanted)
    for _ in range(1 if port else PORT_TRIES):
        sockets: list[socket.socket] = []
        chosen = port
        try:
            for address in addresses:
                sockets.append(_bind(address, chosen))
                chosen = int(sockets[-1].getsockname()[1])
        except OSError:
            for bound in sockets:
                bound.close()
            continue
        return sockets
    raise SettingsError(f"port {port or 'any'}: not free on all {len(addresses)} loopback addresses")


async def listen(
    context: ServingContext,
    sockets: list[socket.socket],
    tls: Mapping[str, ssl.SSLContext] = MappingProxyType({}),
) -> list[asyncio.Server]:
    """Start a server on each socket, those at the addresses named with TLS."""
    loop = asyncio.get_running_loop()
    return [
        await loop.create_server(
            lambda: ServerConnection(context), sock=bound, ssl=tls.get(bound.getsockname()[0])
        )
        for bound in sockets
    ]


def addresses_of(web: SimulatedWeb) -> set[str]:
    addresses: set[str] = set()
    for index in range(web.shape.hosts):
        host = web.hosts.at(index)
        number = web.hosts.address_number(host)
        if host.life is Life.ALIVE and number is not None:
            addresses.add(address_at(number, loopback=True))
        if len(addresses) > ADDRESSES_MAX:
            raise SettingsError(f"more than {ADDRESSES_MAX} addresses: serve this web through the proxy")
    return addresses


def _bind(address: str, port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.setblocking(False)
        bound.bind((address, port))
    except OSError:
        bound.close()
        raise
    return bound
