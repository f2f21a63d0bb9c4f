"""Which URLs are never requested again because their owners want to be forgotten?

Each wish is a row of META, written before anything is removed. From then on links that it covers are dropped
(`forgotten`) before they are stored, and queued requests when their host has its turn. Without wishes nothing
is checked.

In a crawl with several frontiers, wishes are numbered. A frontier notes the last one that was erased from its
tables, and if a host that another frontier had not erased yet has arrived since then.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from tiptoe.protocol.work import HostLinks
from tiptoe.store.tables import Ranges, Rows, Store, Table, Writes, after
from tiptoe.url.address import KEY_BYTES
from tiptoe.url.wish import Reach, Wish, read_wish

__all__ = [
    "ERASED", "ERASE_AGAIN", "WISH", "NotedWish", "NumberedWish", "OwnersWishes", "StandingWishes",
    "hosts_to_erase_again", "last_erased", "note_erased", "note_guest", "note_wish", "noted_wishes",
    "wish_covering",
]  # fmt: skip

WISH: Final = b"forget "
"""Prefix of the keys in META of wishes; what a wish is about follows."""

ERASED: Final = b"erased"
"""Key in META of the number of the last wish that was carried out in these tables."""

ERASE_AGAIN: Final = b"erase again "
"""Prefix of the keys in META of hosts of which covered rows have come from another frontier since then."""

NUMBER_BYTES: Final = 8


class NotedWish(msgspec.Struct, frozen=True, array_like=True):
    """A wish as it is stored."""

    target: str
    reason: str
    wished_at: float


class NumberedWish(NamedTuple):
    """A wish that concerns several frontiers, with its place among the operator's commands."""

    number: int
    wish: NotedWish


class StandingWishes:
    """All numbered wishes, as far as this process knows them; its frontiers share them."""

    def __init__(self) -> None:
        self._wishes: list[NumberedWish] = []
        self.covered = OwnersWishes(())

    def __len__(self) -> int:
        return len(self._wishes)

    @property
    def last(self) -> int:
        """The number of the last wish; 0 when there is none."""
        return self._wishes[-1].number if self._wishes else 0

    def know(self, wishes: Iterable[NumberedWish]) -> None:
        """Replace the wishes by these."""
        self._wishes = sorted(wishes)
        self.covered = OwnersWishes(read_wish(one.wish.target) for one in self._wishes)

    def to_erase(self, store: Ranges) -> list[NumberedWish]:
        """Return the wishes that are to be carried out in these tables."""
        done, hosts = last_erased(store), hosts_to_erase_again(store)
        return [one for one in self._wishes if one.number > done or (hosts and _touches(one.wish, hosts))]


def last_erased(store: Rows) -> int:
    """Return the number of the last wish that was carried out in these tables."""
    return int.from_bytes(store.get(Table.META, ERASED) or b"", "big")


def note_erased(batch: Writes, number: int, again: Iterable[str] = ()) -> None:
    """Note that the wishes up to this number have been carried out, also for hosts that came again."""
    batch.put(Table.META, ERASED, number.to_bytes(NUMBER_BYTES, "big"))
    for host in again:
        batch.delete(Table.META, ERASE_AGAIN + host.encode())


def note_guest(batch: Writes, host: str) -> None:
    """Note that covered rows of a host have come from another frontier."""
    batch.put(Table.META, ERASE_AGAIN + host.encode(), b"")


def hosts_to_erase_again(store: Ranges) -> list[str]:
    """Return the hosts of which covered rows have come since the last wish was carried out."""
    rows = store.scan(Table.META, ERASE_AGAIN, after(ERASE_AGAIN))
    return [key[len(ERASE_AGAIN) :].decode() for key, _ in rows]


def _touches(noted: NotedWish, hosts: Iterable[str]) -> bool:
    wishes = OwnersWishes([read_wish(noted.target)])
    return any(wishes.touches(host) for host in hosts)


def note_wish(batch: Writes, noted: NotedWish) -> None:
    """Store a wish."""
    batch.put(Table.META, WISH + noted.target.encode(), msgspec.msgpack.encode(noted))


def noted_wishes(rows: Iterable[tuple[bytes, bytes]]) -> Iterator[NotedWish]:
    """Yield the wishes among rows of META."""
    decode = msgspec.msgpack.Decoder(NotedWish).decode
    for key, stored in rows:
        if key.startswith(WISH):
            yield decode(stored)


def wish_covering(store: Ranges, host: str, url: str) -> NotedWish | None:
    """Return the first wish that covers a host or, unless the URL is empty, a page of it."""
    for noted in noted_wishes(store.scan(Table.META, WISH, after(WISH))):
        wish = read_wish(noted.target)
        if wish.covers_host(host) or (url and wish.covers(url)):
            return noted
    return None


class OwnersWishes:
    """All wishes, as of when the frontier was opened; a check costs O(labels of the host's name)."""

    def __init__(self, wishes: Iterable[Wish]) -> None:
        self._whole: set[str] = set()
        self._domains: set[str] = set()
        self._parts: dict[str, list[Wish]] = {}
        for wish in wishes:
            if wish.reach is Reach.HOST:
                self._whole.add(wish.host)
            elif wish.reach is Reach.DOMAIN:
                self._domains.add(wish.host)
            else:
                self._parts.setdefault(wish.host, []).append(wish)

    @classmethod
    def of(cls, store: Store) -> "OwnersWishes":
        """Return the wishes in a database."""
        rows = store.scan(Table.META, WISH, after(WISH))
        return cls(read_wish(noted.target) for noted in noted_wishes(rows))

    def __bool__(self) -> bool:
        return bool(self._whole or self._domains or self._parts)

    def covers(self, host: str, url: str) -> bool:
        """Whether this URL of a host must not be requested."""
        return self.covers_host(host) or any(wish.covers(url) for wish in self._parts.get(host, ()))

    def touches(self, host: str) -> bool:
        """Whether anything of this host is covered."""
        return host in self._parts or self.covers_host(host)

    def covers_host(self, host: str) -> bool:
        """Whether nothing may be requested from this host."""
        if host in self._whole:
            return True
        while self._domains and host:
            if host in self._domains:
                return True
            host = host.partition(".")[2]
        return False

    def without(self, links: HostLinks) -> HostLinks:
        """Return those of these links that may be followed."""
        host = links.host
        if self.covers_host(host):
            return HostLinks(host, [], b"")
        parts = self._parts.get(host, ())
        kept = [place for place, url in enumerate(links.urls) if not any(one.covers(url) for one in parts)]
        if len(kept) == len(links.urls):
            return links
        size = 2 * KEY_BYTES
        keys = b"".join(links.keys[place * size : (place + 1) * size] for place in kept)
        return HostLinks(host, [links.urls[place] for place in kept], keys)
