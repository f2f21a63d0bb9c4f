"""What does the directory of a cluster server contain?

    join.json       the book of the cluster: whoever has it can start a server of the cluster
    members/        credentials, a file for each user, as given to `tiptoe crawl --cluster`
    server.json     the options that this server was started with
    ca.pem, server.pem, server-key.pem, server.conf    created at every start
    jetstream/, server.log, server.pid                 written by the server itself

Only the owner may read any of it.
"""

import datetime
import socket
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tiptoe.cluster.certificates import make_authority, make_server_certificate
from tiptoe.cluster.cluster_book import ClusterBook, ServerPlace, new_book
from tiptoe.cluster.credentials import Credentials, write_credentials
from tiptoe.cluster.nats_server import SYSTEM_USER, ServerOptions
from tiptoe.cluster.private_files import read_private, write_private, write_secrets
from tiptoe.errors import SettingsError

__all__ = ["EVERYWHERE", "OwnServer", "ServerDirectory"]

LOOPBACK = ("127.0.0.1", "::1", "localhost")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  # as an operator may write it


class OwnServer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options that one server was started with."""

    name: str
    host: str  # where it listens
    place: ServerPlace
    storage_bytes_max: int | None = None


class ServerDirectory:
    """The files of one server, and their contents."""

    def __init__(self, path: Path, own: OwnServer, book: ClusterBook) -> None:
        self.path = path
        self.own = own
        self.book = book

    def __repr__(self) -> str:
        return f"<ServerDirectory {self.path} {self.own.name}>"

    @classmethod
    def is_there(cls, path: Path) -> bool:
        """Return whether there is a server in a directory."""
        return (path / "server.json").exists()

    @classmethod
    def open(cls, path: Path) -> "ServerDirectory":
        """Read the files of a directory."""
        if not cls.is_there(path):
            raise SettingsError(f"{path}: no server was started here; see `tiptoe cluster server --help`")
        own = read_private(path / "server.json", OwnServer)
        return cls(path, own, read_private(path / "join.json", ClusterBook))

    @classmethod
    def create(cls, path: Path, own: OwnServer, *, size: int, is_encrypted: bool) -> "ServerDirectory":
        """Create a cluster with its first server."""
        now = datetime.datetime.now(datetime.UTC)
        book = new_book("tiptoe", size, make_authority(own.place.host, now) if is_encrypted else None)
        return cls._begin(path, own, book)

    @classmethod
    def join(
        cls, path: Path, own: OwnServer, book: ClusterBook, *, replaces: bool = False
    ) -> "ServerDirectory":
        """Add a server to a cluster whose book was copied here, or replace a lost one."""
        if book.is_alone:
            raise SettingsError("that server is to stay alone; start the first one with `--servers 3`")
        before = book.servers.get(own.name)
        if before is not None and not replaces:
            raise SettingsError(
                f"the cluster has a server {own.name!r} already; give this one another --name, "
                "or say --replace if that one is lost with its disk"
            )
        if replaces and before is None:
            there = ", ".join(sorted(book.servers))
            raise SettingsError(f"--replace: the cluster has no server {own.name!r}, only {there}")
        if len(book.servers.keys() | {own.name}) > book.size:
            raise SettingsError(f"the cluster has its {book.size} servers: {', '.join(sorted(book.servers))}")
        return cls._begin(path, own, book)

    @classmethod
    def _begin(cls, path: Path, own: OwnServer, book: ClusterBook) -> "ServerDirectory":
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = cls(path, own, book)
        found.update(book.with_server(own.name, own.place))
        write_secrets(path / "server.json", own)  # last: it marks the directory as a server's
        return found

    def update(self, book: ClusterBook) -> None:
        """Store another version of the book, and the credentials that follow from it."""
        members = self.path / "members"
        for name, entrant in book.entrants.items():
            if entrant.is_removed:
                (members / f"{name}.json").unlink(missing_ok=True)
            else:
                write_credentials(members / f"{name}.json", book.credentials(name))
        write_secrets(self.path / "join.json", book)
        self.book = book

    def replace_own(self, own: OwnServer) -> None:
        """Listen elsewhere from now on."""
        write_secrets(self.path / "server.json", own)
        self.own = own
        self.update(self.book.with_server(own.name, own.place))

    def make_certificate(self) -> None:
        """Write a new certificate for this server, if the cluster is encrypted."""
        if self.book.is_encrypted:
            names = _names(self.own)
            made = make_server_certificate(self.book.authority, names, datetime.datetime.now(datetime.UTC))
            write_private(self.path / "ca.pem", self.book.ca)
            write_private(self.path / "server-key.pem", made.key)
            write_private(self.path / "server.pem", made.certificate)

    def options(self, routes: Sequence[str] = ()) -> ServerOptions:
        """Return the options for starting or reloading the server."""
        book, own = self.book, self.own
        path = self.path.absolute()
        certificate, key, ca = (path / name for name in ("server.pem", "server-key.pem", "ca.pem"))
        return ServerOptions(
            name=own.name,
            directory=path,
            host=own.host,
            port=own.place.port,
            advertised=own.place.host,
            accounts=book.accounts(),
            system_password=book.system_password,
            certificate_file=certificate if book.is_encrypted else None,
            key_file=key if book.is_encrypted else None,
            ca_file=ca if book.is_encrypted else None,
            cluster_port=None if book.is_alone else own.place.cluster_port,
            routes=(*book.routes(own.name), *routes),
            cluster_password=book.cluster_password,
            cluster_name=book.name,
            storage_bytes_max=own.storage_bytes_max,
            # With several servers no power cut destroys all copies of a message; a single one must have it on
            # its disk.
            is_synced=book.is_alone,
        )

    def system_credentials(self) -> Credentials:
        """Return the credentials for inspecting the servers themselves, through this one."""
        place = msgspec.structs.replace(self.own.place, host=_near(self.own.host))
        return Credentials(
            servers=(place.address(is_encrypted=self.book.is_encrypted),),
            user=SYSTEM_USER,
            password=self.book.system_password,
            ca=self.book.ca,
        )


def _near(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104


def _names(own: OwnServer) -> list[str]:
    """Return the names by which this server may be reached, beginning with the one given to others."""
    listens = [] if own.host in EVERYWHERE else [own.host]
    return list(dict.fromkeys([own.place.host, *listens, socket.gethostname(), *LOOPBACK]))
