"""How is one server of a small cluster run from the command line, and what does it print?

Separate from the declaration of its command, which works without the libraries that this module needs.
"""

import asyncio
import shlex
import socket
import sys
from pathlib import Path
from typing import Final

import msgspec
import uvloop

from tiptoe.cli.cluster_server_command import CLUSTER_PORT, LOOPBACK, PORT
from tiptoe.cli.exits import Exit
from tiptoe.cli.printer import Printer
from tiptoe.cluster.cluster_book import ClusterBook, ServerPlace
from tiptoe.cluster.cluster_server import ClusterServer
from tiptoe.cluster.nats_server_link import ServerSeen
from tiptoe.cluster.private_files import read_private
from tiptoe.cluster.server_directory import EVERYWHERE, OwnServer, ServerDirectory
from tiptoe.errors import SettingsError
from tiptoe.observe.amounts import counted, human_bytes
from tiptoe.observe.printable import printable
from tiptoe.observe.process import stopping_signals
from tiptoe.settings.units import parse_size
from tiptoe.url.loopback import is_loopback

__all__ = ["ServerFlags", "serve"]

PORT_MAX: Final = 65_535
MEMBERS_SHOWN: Final = 8


def serve(
    directory: Path, flags: "ServerFlags", *,
    servers: int, join_file: Path | None, routes: tuple[str, ...], replaces: bool, is_plain: bool,
) -> int:  # fmt: skip
    """Run the server of a directory until it is stopped; create the directory if it does not exist."""
    if ServerDirectory.is_there(directory):
        if join_file is not None or replaces or servers or is_plain:
            raise SettingsError(
                f"--dir {directory}: there is a server here, which goes on as it was begun; "
                "leave out --join-file, --replace, --servers and --plain"
            )
        home = ServerDirectory.open(directory)
        home.replace_own(flags.changed(home.own))
    elif join_file is not None:
        if servers or is_plain:
            raise SettingsError("--servers, --plain: the first server of the cluster has said that")
        book = read_private(join_file, ClusterBook)
        home = ServerDirectory.join(directory, flags.new(), book, replaces=replaces)
    else:
        if replaces:
            raise SettingsError("--replace: in which cluster? Give its --join-file, too")
        home = ServerDirectory.create(directory, flags.new(), size=servers or 1, is_encrypted=not is_plain)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_serve(home, routes))


class ServerFlags(msgspec.Struct, frozen=True):
    """What the command line says about one server."""

    host: str
    advertise: str
    port: int
    cluster_port: int
    name: str
    storage_max: str

    def new(self) -> OwnServer:
        """Return a new server with these options, and defaults for the rest."""
        host, port = self.host or LOOPBACK, self.port or PORT
        place = ServerPlace(self._reached_as(host), port, self.cluster_port or CLUSTER_PORT)
        name = self.name or f"{place.host}-{port}".replace(":", "-")
        return self._checked(
            OwnServer(name=name, host=host, place=place, storage_bytes_max=self._storage(None))
        )

    def changed(self, own: OwnServer) -> OwnServer:
        """Return the server with the options given this time changed."""
        if self.name and self.name != own.name:
            raise SettingsError(f"--name {self.name}: this server is {own.name!r}, and stays so")
        host = self.host or own.host
        place = ServerPlace(
            self.advertise or (self._reached_as(host) if self.host else own.place.host),
            self.port or own.place.port,
            self.cluster_port or own.place.cluster_port,
        )
        storage = self._storage(own.storage_bytes_max)
        return self._checked(OwnServer(name=own.name, host=host, place=place, storage_bytes_max=storage))

    def _reached_as(self, host: str) -> str:
        if self.advertise or host not in EVERYWHERE:
            return self.advertise or host
        name = socket.getfqdn()
        if name.partition(".")[0] == "localhost" or is_loopback(name):
            raise SettingsError(f"--host {host}: by what name do others reach this machine? Say --advertise")
        return name

    def _storage(self, before: int | None) -> int | None:
        if not self.storage_max:
            return before
        try:
            return parse_size(self.storage_max)
        except ValueError as error:
            raise SettingsError(f"--storage-max {self.storage_max}: {error}") from None

    def _checked(self, own: OwnServer) -> OwnServer:
        for option, port in (("--port", own.place.port), ("--cluster-port", own.place.cluster_port)):
            if not 0 < port <= PORT_MAX:
                raise SettingsError(f"{option} {port}: from 1 to {PORT_MAX}")
        if own.place.port == own.place.cluster_port:
            raise SettingsError(f"--port {own.place.port}: members and servers need different ports")
        if own.place.host in EVERYWHERE:
            raise SettingsError(f"--advertise {own.place.host}: nobody can connect there")
        return own


async def _serve(home: ServerDirectory, routes: tuple[str, ...]) -> int:
    server = ClusterServer(home, routes=routes)
    stopped = asyncio.Event()
    for number in stopping_signals():
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    server.start()
    printer = Printer(highlight=False)
    try:
        for line in greeting(home):
            print(line, flush=True)
        looking = asyncio.create_task(server.look_after(_Display(home, printer).show))
        stopping = asyncio.create_task(stopped.wait())
        await asyncio.wait([looking, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if looking.done():
            print(f"the NATS server has ended: {looking.result()}", file=sys.stderr, flush=True)
            return Exit.FAULT
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        print("stopping the server", flush=True)
        return Exit.DONE
    finally:
        server.stop()


def greeting(home: ServerDirectory) -> list[str]:
    """Return what an operator has to know about a server that has just started."""
    book, own = home.book, home.own
    address = own.place.address(is_encrypted=book.is_encrypted)
    lines = [f"server {own.name} listens at {address}"]
    if not book.is_encrypted and not is_loopback(own.host):
        lines.append("WARNING: nothing is encrypted, passwords neither; for a network that is yours alone")
    if not book.is_alone:
        lines += [
            "",
            f"The cluster needs {book.size} servers. Copy {home.path / 'join.json'} to the next machine,",
            "keep it secret (whoever has it can join as a server), and run there:",
            f"    {join_line(home)}",
        ]
    return [
        *lines,
        "",
        f"Members need {home.path / 'members' / 'member.json'}, on each machine that crawls:",
        "    tiptoe crawl SEEDS --cluster member.json --crawl-name NAME --contact CONTACT --out DIR",
        "",
        "Ctrl-C stops this server; the same command with --dir alone starts it again.",
        "",
    ]


def join_line(home: ServerDirectory) -> str:
    """Return the command that starts the next server."""
    own, number, path = home.own, len(home.book.servers), home.path
    words = ["tiptoe", "cluster", "server", "--dir"]
    if not is_loopback(own.host):
        return shlex.join([*words, str(path), "--host", "ITS-NAME", "--join-file", "join.json"])
    # The servers share a machine.
    beside = path.with_name(f"{path.name.removesuffix(f'-{number}')}-{number + 1}")
    ports = ["--port", str(own.place.port + 1), "--cluster-port", str(own.place.cluster_port + 1)]
    return shlex.join([*words, str(beside), *ports, "--join-file", str(path / "join.json")])


class _Display:
    """Prints the state of the servers when it has changed."""

    def __init__(self, home: ServerDirectory, printer: Printer) -> None:
        self._home = home
        self._printer = printer
        self._said = ""

    def show(self, seen: list[ServerSeen]) -> None:
        """Print a line, unless it is the same as the last one."""
        line = summary(self._home.own.name, self._home.book.size, seen)
        if line != self._said:
            self._said = line
            self._printer.print(line, markup=False, soft_wrap=True)


def summary(own: str, size: int, seen: list[ServerSeen]) -> str:
    """Return one line: which servers there are, who is connected, and what is stored here."""
    names = ", ".join(server.name for server in seen)
    members = sorted({name for server in seen for name in server.members if name != "tiptoe-server"})
    shown = ", ".join(printable(name) for name in members[:MEMBERS_SHOWN])
    more = f" and {len(members) - MEMBERS_SHOWN} more" if len(members) > MEMBERS_SHOWN else ""
    stored = human_bytes(next((server.storage_bytes for server in seen if server.name == own), 0))
    lacks = len(seen) < size
    if size > 1 and not any(server.leader for server in seen):
        state = "waiting for more servers" if lacks else "choosing a leader"
    else:
        behind = ", ".join(server.name for server in seen if not server.is_whole)
        # Only when it is ready may another server be stopped.
        state = "lacks a server" if lacks else f"catching up: {behind}" if behind else "ready"
    connected = f"{counted(len(members), 'member')}{': ' if members else ''}{shown}{more}"
    return f"{len(seen)} of {counted(size, 'server')} ({names}), {state}; {connected}; {stored} stored here"
