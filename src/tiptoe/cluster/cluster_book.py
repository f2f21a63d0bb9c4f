"""What must all servers of a cluster know?

Their certificate authority, the passwords they use among themselves, where they are, and who may connect.
Every server has a copy of this book; whoever takes a copy to another machine can start a server of the
cluster there.

A crawl can have an *account* of its own. NATS keeps accounts apart as if each had servers to itself: a member
of one sees no subject, stream or name of another. Permissions within one account would not be enough: anyone
who may create a stream can make it copy any other one.

Copies change in different places; `merged` combines them, in any order, with the same outcome.
"""

import secrets

import msgspec

from tiptoe.cluster.certificates import Certificate
from tiptoe.cluster.credentials import Credentials
from tiptoe.cluster.engine_names import check_crawl_name, check_name
from tiptoe.cluster.nats_server import SYSTEM_USER, ServerAccount, ServerUser
from tiptoe.cluster.reader_rights import readers_account
from tiptoe.errors import SettingsError

__all__ = ["ClusterBook", "Entrant", "ServerPlace", "new_book"]

COMMON_ACCOUNT = "crawls"
"""The account of entrants that may join any crawl without an account of its own."""

FIRST_ENTRANT = "member"
SIZES = (1, 3, 5)
REPLICAS_MAX = 3
SECRET_BYTES = 24


class ServerPlace(msgspec.Struct, frozen=True):
    """Where a server is, for members and for other servers."""

    host: str  # as others reach it
    port: int
    cluster_port: int
    revision: int = 1  # counts how often it was placed

    def is_same(self, other: "ServerPlace") -> bool:
        """Return whether two records name the same place."""
        return (self.host, self.port, self.cluster_port) == (other.host, other.port, other.cluster_port)

    @property
    def route(self) -> str:
        return f"{_bracketed(self.host)}:{self.cluster_port}"

    def address(self, *, is_encrypted: bool) -> str:
        return f"{'tls' if is_encrypted else 'nats'}://{_bracketed(self.host)}:{self.port}"


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """A name under which members may connect, or could once."""

    password: str
    crawl: str = ""  # the only one it may join; empty: all that have no account of their own
    revision: int = 1
    is_removed: bool = False
    reads_only: bool = False

    @property
    def home(self) -> str:
        """The account of its crawl, or the common one of crawls without their own."""
        return f"crawl-{self.crawl}" if self.crawl else COMMON_ACCOUNT

    @property
    def account(self) -> str:
        return readers_account(self.home) if self.reads_only else self.home


class ClusterBook(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every server of one cluster knows, and nobody else."""

    name: str
    size: int  # how many servers it is to have
    ca: str  # PEM; empty: nothing is encrypted
    ca_key: str
    cluster_password: str
    system_password: str
    entrants: dict[str, Entrant]
    servers: dict[str, ServerPlace]

    def __repr__(self) -> str:
        return f"<ClusterBook {self.name} {len(self.servers)} of {self.size} servers>"  # never the secrets

    @property
    def is_encrypted(self) -> bool:
        return bool(self.ca)

    @property
    def is_alone(self) -> bool:
        return self.size == 1

    @property
    def authority(self) -> Certificate:
        return Certificate(self.ca, self.ca_key)

    def with_server(self, name: str, place: ServerPlace) -> "ClusterBook":
        """Return the book with a server at this place."""
        before = self.servers.get(name)
        if before is not None:
            is_same = before.is_same(place)
            place = before if is_same else msgspec.structs.replace(place, revision=before.revision + 1)
        return msgspec.structs.replace(self, servers={**self.servers, name: place})

    def with_entrant(self, name: str, *, crawl: str = "", reads_only: bool = False) -> "ClusterBook":
        """Return the book with a new name that may connect."""
        before = self.entrants.get(_check_entrant(name))
        if before is not None and not before.is_removed:
            raise SettingsError(f"there is a user {name!r} already; remove it first for a new password")
        if crawl:
            check_crawl_name(crawl)
        revision = before.revision + 1 if before else 1
        entrant = Entrant(password=_new_secret(), crawl=crawl, revision=revision, reads_only=reads_only)
        return msgspec.structs.replace(self, entrants={**self.entrants, name: entrant})

    def without_entrant(self, name: str) -> "ClusterBook":
        """Return the book without a name; servers disconnect those that use it."""
        before = self.entrants.get(name)
        if before is None or before.is_removed:
            raise SettingsError(f"there is no user {name!r}")
        gone = msgspec.structs.replace(before, password="", revision=before.revision + 1, is_removed=True)
        return msgspec.structs.replace(self, entrants={**self.entrants, name: gone})

    def merged(self, other: "ClusterBook") -> "ClusterBook":
        """Return the combination of two copies."""
        if (self.name, self.system_password) != (other.name, other.system_password):
            raise SettingsError(f"cluster {other.name!r} is another one than {self.name!r}")
        entrants = dict(self.entrants)
        for name, entrant in other.entrants.items():
            entrants[name] = max(entrants.get(name, entrant), entrant, key=_later)
        places = {**self.servers}
        for name, place in other.servers.items():
            places[name] = max(places.get(name, place), place, key=_later_place)
        return msgspec.structs.replace(self, entrants=entrants, servers=places)

    def credentials(self, name: str) -> Credentials:
        """Return the credentials of a member that connects under this name."""
        entrant = self.entrants[name]
        places = (self.servers[server] for server in sorted(self.servers))
        return Credentials(
            servers=tuple(place.address(is_encrypted=self.is_encrypted) for place in places),
            user=name,
            password=entrant.password,
            ca=self.ca,
            crawl=entrant.crawl,
            replicas=min(self.size, REPLICAS_MAX),
            reads_only=entrant.reads_only,
        )

    def accounts(self) -> tuple[ServerAccount, ...]:
        """Return the accounts with the users that may connect."""
        # An account stays, with what is stored in it, when its users are removed. Each has an account for
        # readers from the beginning: a running server admits new users of an account, but gives a new account
        # no access to what others have exported.
        homes = {COMMON_ACCOUNT: None} | {one.home: None for _, one in sorted(self.entrants.items())}
        read = {readers_account(home): home for home in homes}
        users: dict[str, list[ServerUser]] = {account: [] for account in (*homes, *read)}
        for name, entrant in sorted(self.entrants.items()):
            if not entrant.is_removed:
                users[entrant.account].append(ServerUser(name, entrant.password))
        return tuple(
            ServerAccount(account, tuple(some), read.get(account, "")) for account, some in users.items()
        )

    def routes(self, own: str) -> tuple[str, ...]:
        """Return where a server finds others; itself first, because the first server must wait for others."""
        if self.is_alone:
            return ()
        return tuple(self.servers[name].route for name in sorted(self.servers, key=lambda name: name != own))


def new_book(name: str, size: int, authority: Certificate | None) -> ClusterBook:
    """Return the book of a new cluster, with one name that may connect."""
    if size not in SIZES:
        raise SettingsError(
            f"{size} servers: a cluster has 1, 3 or 5; with an even number one more server adds no safety"
        )
    book = ClusterBook(
        name=check_name(name),
        size=size,
        ca=authority.certificate if authority else "",
        ca_key=authority.key if authority else "",
        cluster_password=_new_secret(),
        system_password=_new_secret(),
        entrants={},
        servers={},
    )
    return book.with_entrant(FIRST_ENTRANT)


def _later(entrant: Entrant) -> tuple[int, bool, str, bool]:
    """Return the sort key for two copies of one entrant; a removal outranks a concurrent change."""
    return entrant.revision, entrant.is_removed, entrant.password, entrant.reads_only


def _later_place(place: ServerPlace) -> tuple[int, str, int, int]:
    return place.revision, place.host, place.port, place.cluster_port


def _check_entrant(name: str) -> str:
    if name == SYSTEM_USER:
        raise SettingsError(f"{name!r} is the name of the servers themselves")
    try:
        return check_name(name)
    except ValueError as error:
        raise SettingsError(f"user {error}") from None


def _new_secret() -> str:
    return secrets.token_urlsafe(SECRET_BYTES)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
