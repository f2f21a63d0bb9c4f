"""How does a whole cluster of NATS servers run on one machine, for experiments?

On loopback, each with a directory of its own and with passwords that only the caller knows.
"""

import contextlib
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from tiptoe.cluster.nats_server import NatsServer, ServerOptions

__all__ = ["LOOPBACK", "free_ports", "local_servers", "servers_address"]

LOOPBACK = "127.0.0.1"
USER = "member"
SECRET_BYTES = 18


def free_ports(count: int) -> list[int]:
    """Return ports that are free at the moment."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return [each.getsockname()[1] for each in sockets]


@contextlib.contextmanager
def local_servers(
    directory: Path, count: int, *, password: str = "", tells_of_others: bool = True
) -> Iterator[list[NatsServer]]:
    """Run this many servers as one cluster while the context lasts."""
    ports, secret = free_ports(2 * count), secrets.token_urlsafe(SECRET_BYTES)
    password = password or secrets.token_urlsafe(SECRET_BYTES)
    routes = tuple(f"{LOOPBACK}:{port}" for port in ports[count:])
    servers = [
        NatsServer(
            ServerOptions(
                name=f"server-{number}",
                directory=directory / str(number),
                port=ports[number],
                user=USER,
                password=password,
                cluster_port=ports[count + number] if count > 1 else None,
                cluster_password=secret,
                routes=routes,
                tells_of_others=tells_of_others,
            )
        )
        for number in range(count)
    ]
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.kill()


def servers_address(servers: list[NatsServer]) -> str:
    """Return the addresses of these servers as given to members."""
    options = servers[0].options
    places = ",".join(f"{server.options.host}:{server.options.port}" for server in servers)
    return f"nats://{quote(options.user, safe='')}:{quote(options.password, safe='')}@{places}"
