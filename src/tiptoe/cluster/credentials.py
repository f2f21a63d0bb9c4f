"""What does a member need to reach its crawl?

One file contains all of it, as written by `tiptoe cluster server`: the addresses of the servers, a name and a
password, and the authority that vouches for the servers. Operators with NATS servers of their own give the
addresses instead.
"""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from tiptoe.cluster.engine_options import EngineOptions
from tiptoe.cluster.private_files import read_private, write_secrets
from tiptoe.cluster.reader_rights import NotAllowed
from tiptoe.errors import SettingsError

__all__ = ["Credentials", "read_credentials", "write_credentials"]

SCHEMES = ("nats", "tls")
PORT = 4222


class Credentials(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a member reaches the servers of a cluster, and how it authenticates."""

    servers: tuple[str, ...]  # nats://host:port or tls://host:port
    user: str = ""
    password: str = ""
    ca: str = ""  # certificate of the authority that signed the servers' (PEM); empty: the system's
    crawl: str = ""  # the only crawl that they are valid for; empty: any
    replicas: int = 1  # how many servers store the data of a new crawl
    reads_only: bool = False  # they permit watching the crawl, not taking part

    def __repr__(self) -> str:
        return f"<Credentials {self.user} at {','.join(self.servers)}>"  # never the password

    def options(self, crawl: str, *, member: str, replicas: int | None = None) -> EngineOptions:
        """Return how to open the engine of a crawl; with `replicas` it is created if it is missing."""
        if self.crawl and crawl != self.crawl:
            raise SettingsError(f"these credentials are for crawl {self.crawl!r}, not for {crawl!r}")
        if self.reads_only and replicas is not None:
            raise NotAllowed(crawl)
        return EngineOptions(
            servers=self.servers,
            crawl=crawl,
            replicas=replicas,
            member=member,
            user=self.user or None,
            password=self.password or None,
            ca_pem=self.ca,
            reads_only=self.reads_only,
        )


def write_credentials(path: Path, credentials: Credentials) -> None:
    """Write credentials to a file that only its owner can read."""
    write_secrets(path, credentials)


def read_credentials(given: str) -> Credentials:
    """Return the credentials given by an operator: as the path of their file, or as addresses of servers.

    Addresses look like `nats://user:password@host:port` and are separated by commas; user and password of
    the first one, and its scheme where others have none, hold for all.
    """
    if "://" not in given:
        return read_private(Path(given), Credentials)
    scheme, _, rest = given.partition("://")
    if scheme not in SCHEMES:
        raise SettingsError(
            f"{scheme}://: servers are named as nats://host:port or tls://host:port, or by a file"
        )
    try:
        places = [
            urlsplit(part if "://" in part else f"{scheme}://{part}")
            for part in given.split(",")
            if part.strip()
        ]
    except ValueError as error:
        raise SettingsError(f"{rest.rpartition('@')[2]}: {error}") from None
    user, password = unquote(places[0].username or ""), unquote(places[0].password or "")
    servers = []
    for place in places:
        try:
            port = place.port or PORT
        except ValueError as error:
            raise SettingsError(f"{rest.rpartition('@')[2]}: {error}") from None
        if not place.hostname or place.scheme not in SCHEMES or place.path not in ("", "/"):
            raise SettingsError(
                f"{rest.rpartition('@')[2]}: is no address of a server, such as {SCHEMES[0]}://host:{PORT}"
            )
        host = f"[{place.hostname}]" if ":" in place.hostname else place.hostname
        servers.append(f"{place.scheme}://{host}:{port}")
    return Credentials(servers=tuple(servers), user=user, password=password)
