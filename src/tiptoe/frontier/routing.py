"""Does this concern a host that lives here?

Effects and links for other hosts are sent to the shards where they live, if known here, otherwise to their
homes. Letters for a host that has left are forwarded; letters for a host that is still on its way here wait
for it. Hosts that live elsewhere look like unknown ones to this shard. So a redirect that leads back to a
page of another shard is not recognised as a loop, but ends because its target has been seen there; and
mirrors are compared only if they are in one shard, as hosts at one address are.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from tiptoe.frontier.effect import Downloaded, Effect
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.mail import Letter, MailRoom
from tiptoe.frontier.residence import Residences
from tiptoe.frontier.step import Step
from tiptoe.protocol.work import HostLinks
from tiptoe.store.tables import Store, Table, Writes, after
from tiptoe.url.address import KEY_BYTES, host_key, host_of
from tiptoe.url.dropped import Dropped

__all__ = ["ARRIVING", "Routing"]

LINKS_MAX: Final = 200
"""Maximum number of links in a letter, so that none is larger than a mail may be; above it they are split."""

ARRIVING: Final = b"arriving "
"""Prefix of the keys in META of hosts that are on their way here; the key of the host follows."""

SEQUENCE_BYTES: Final = 8


class Routing:
    """Keeps effects for hosts of this shard, and sends the others to the shards of their hosts."""

    def __init__(self, store: Store, residences: Residences, mail: MailRoom) -> None:
        self._store = store
        self._residences = residences
        self._mail = mail
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Letter).decode
        begun = store.scan(Table.META, ARRIVING, after(ARRIVING))
        self.arriving = {key[len(ARRIVING) :] for key, _ in begun}
        residences.in_transit |= self.arriving
        self._awaited = {key[:KEY_BYTES] for key, _ in store.scan(Table.AWAITED)}
        letters = (int.from_bytes(key[KEY_BYTES:], "big") for key, _ in store.scan(Table.AWAITED))
        self._last = max(letters, default=0)

    @classmethod
    def of(cls, step: Step) -> "Routing | None":
        """Return the routing of a frontier, or None if it is the only one."""
        if step.residences is None or step.mail is None:
            return None
        return cls(step.store, step.residences, step.mail)

    def is_here(self, key: bytes, host: str) -> bool:
        """Whether a host lives here and has arrived completely."""
        is_ours = self._residences.of(key, host).shard == self._residences.shard
        return is_ours and key not in self.arriving

    def concerns(self, host: str) -> bool:
        """Whether this shard carries out an order about a host: if it lives here, or has its home here."""
        is_home = self._residences.home(host) == self._residences.shard
        return is_home or self.is_here(host_key(host), host)

    def keep(self, batch: Writes, found_links: Sequence[LinkBatch]) -> list[LinkBatch]:
        """Return the links to hosts that live here; send the others."""
        keys = [found.links.keys[:KEY_BYTES] for found in found_links]
        self._residences.fetch({key: found.links.host for key, found in zip(keys, found_links, strict=True)})
        kept = []
        for found, key in zip(found_links, keys, strict=True):
            if self.is_here(key, found.links.host):
                kept.append(found)
            else:
                self._send(batch, key, found)
        return kept

    def keeps(self, batch: Writes, effect: Effect) -> bool:
        """Whether an effect is for a host that lives here; if not, send it."""
        key = _key_of(effect)
        if self.is_here(key, effect.host):
            return True
        self._send(batch, key, effect)
        return False

    def keep_downloaded(self, batch: Writes, urls: Iterable[str]) -> list[str]:
        """Return those of these URLs whose hosts live here; send the others."""
        hosts: dict[str, list[str]] = {}
        for url in urls:
            hosts.setdefault(host_of(url), []).append(url)
        effects = (
            Downloaded(host, some[start : start + LINKS_MAX])
            for host, some in hosts.items()
            for start in range(0, len(some), LINKS_MAX)
        )
        return [url for effect in effects if self.keeps(batch, effect) for url in effect.urls]

    def open(self, batch: Writes, letter: Letter) -> Dropped | Effect | None:
        """Return the effect in a letter if its host lives here; None if it was forwarded, or has to wait.

        A letter that would go in circles, which can only happen after damage, is dropped.
        """
        key = _key_of(letter.effect)
        if self.is_here(key, letter.effect.host):
            return letter.effect
        residence = self._residences.of(key, letter.effect.host)
        if key in self.arriving:
            self._keep_waiting(batch, key, letter)
        elif residence.moves > letter.moves:
            self._mail.put(residence.shard, Letter(letter.effect, residence.moves))
        else:
            return Dropped.ASTRAY
        return None

    def _send(self, batch: Writes, key: bytes, effect: Effect) -> None:
        residence = self._residences.of(key, effect.host)
        for part in _in_parts(effect):
            letter = Letter(part, residence.moves)
            if key in self.arriving:
                self._keep_waiting(batch, key, letter)
            else:
                self._mail.put(residence.shard, letter)

    # -- letters to hosts that are on their way ---------------------------

    def expect(self, batch: Writes, key: bytes) -> None:
        """Note that a part of a host has arrived, and more will follow."""
        self.arriving.add(key)
        self._residences.in_transit.add(key)
        batch.put(Table.META, ARRIVING + key, b"")

    def arrived(self, batch: Writes, key: bytes) -> None:
        """Note that the last part of a host has arrived."""
        if key in self.arriving:
            self.arriving.remove(key)
            self._residences.in_transit.remove(key)
            batch.delete(Table.META, ARRIVING + key)

    def _keep_waiting(self, batch: Writes, key: bytes, letter: Letter) -> None:
        self._last += 1
        self._awaited.add(key)
        row = key + self._last.to_bytes(SEQUENCE_BYTES, "big")
        batch.put(Table.AWAITED, row, self._encode(letter))

    def awaited(self, batch: Writes) -> Iterator[Letter]:
        """Remove and yield the letters kept for hosts that have arrived; at the start of a step only."""
        for key in [key for key in self._awaited if key not in self.arriving]:
            self._awaited.remove(key)
            for row, stored in self._store.scan(Table.AWAITED, key, after(key)):
                batch.delete(Table.AWAITED, row)
                yield self._decode(stored)


def _key_of(effect: Effect) -> bytes:
    return effect.links.keys[:KEY_BYTES] if type(effect) is LinkBatch else host_key(effect.host)


def _in_parts(effect: Effect) -> Iterator[Effect]:
    """Split links that are too many for one letter."""
    if type(effect) is not LinkBatch or len(effect.links.urls) <= LINKS_MAX:
        yield effect
        return
    links = effect.links
    for start in range(0, len(links.urls), LINKS_MAX):
        keys = links.keys[2 * KEY_BYTES * start : 2 * KEY_BYTES * (start + LINKS_MAX)]
        some = HostLinks(links.host, links.urls[start : start + LINKS_MAX], keys)
        yield msgspec.structs.replace(effect, links=some)
