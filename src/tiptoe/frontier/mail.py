"""What do shards send each other?

Letters, which are effects for hosts that live elsewhere; hosts that move, in one or several parts; and notes
saying where a host has arrived. What a step has for another shard is packed into mails of bounded size, which
are written with the step and numbered per receiver, without gaps. They are sent in this order, repeatedly if
in doubt, until they are delivered; the receiver accepts only the next number. So each is applied once.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from tiptoe.frontier.effect import Effect
from tiptoe.store.tables import Store, Table, Writes, after

__all__ = [
    "MAIL_BYTES_MAX", "RECEIVED", "SENT", "HostPart", "Letter", "MailRoom", "Parcel", "Resident", "ShardMail",
    "mail_counts", "open_mail",
]  # fmt: skip

MAIL_BYTES_MAX: Final = 400_000
"""Maximum size of a mail with several parcels. A single parcel may be larger: the rules of a host take up to
half a megabyte. The engine accepts messages of a megabyte."""

SHARD_BYTES, NUMBER_BYTES = 4, 8
SENT, RECEIVED = b"mail to ", b"mail from "
"""Prefixes of the keys in META that hold the last number sent or received; the other shard follows."""


class ShardMail(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One mail between two shards."""

    sender: int
    receiver: int
    number: int  # from 1, for each pair of shards
    payload: bytes


class Letter(msgspec.Struct, frozen=True, array_like=True, tag=0, gc=False):
    """An effect for a host that lives elsewhere."""

    effect: Effect
    moves: int  # how often the host has moved, according to the note by which the letter was sent


class Resident(msgspec.Struct, frozen=True, array_like=True, tag=1, gc=False):
    """A host has arrived in a shard: a notice to its home."""

    host: str
    shard: int
    moves: int


class HostPart(msgspec.Struct, frozen=True, array_like=True, tag=2, gc=False):
    """Some rows of a host that moves; the last part also has its record."""

    host: str
    moves: int
    rows: bytes  # Writes
    record: bytes = b""  # empty: more parts follow
    sent_at: float = 0.0  # by the clock of the shard that the host leaves


Parcel = Letter | Resident | HostPart
open_mail: Final = msgspec.msgpack.Decoder(list[Parcel]).decode


class MailRoom:
    """The mail of one shard: what it has to send, and how far it has read the mail of others."""

    def __init__(self, store: Store, shard: int) -> None:
        self._store = store
        self._shard = shard
        self._sent = _numbers(store, SENT)
        self._received = _numbers(store, RECEIVED)
        self._delivered = {receiver: self._first(receiver) - 1 for receiver in self._sent}
        self._parcels: dict[int, list[bytes]] = {}  # of the open step
        self._parts: dict[int, list[bytes]] = {}
        self._encode = msgspec.msgpack.Encoder().encode

    def _first(self, receiver: int) -> int:
        rows = self._store.scan(Table.OUTBOX, _shard(receiver), after(_shard(receiver)))
        first = next((int.from_bytes(key[SHARD_BYTES:], "big") for key, _ in rows), None)
        return self._sent[receiver] + 1 if first is None else first

    def __len__(self) -> int:
        return sum(last - self._delivered.get(receiver, 0) for receiver, last in self._sent.items())

    def put(self, receiver: int, parcel: Letter | Resident) -> None:
        """Send a letter or notice with the open step."""
        self._parcels.setdefault(receiver, []).append(self._encode(parcel))

    def put_host(self, receiver: int, part: HostPart) -> int:
        """Send a part of a host with the open step, before all letters.

        Returns an upper bound for the number of the mail that will contain it.
        """
        parts = self._parts.setdefault(receiver, [])
        parts.append(self._encode(part))
        return self._sent.get(receiver, 0) + len(parts)

    def is_delivered(self, receiver: int, number: int) -> bool:
        """Whether this mail to a shard has been delivered."""
        return self._delivered.get(receiver, 0) >= number

    def write(self, batch: Writes) -> None:
        """Write what this step sends into the batch: mails with hosts first, then mails with the rest."""
        if not (self._parts or self._parcels):
            return
        for parcels in (self._parts, self._parcels):
            for receiver, encoded in parcels.items():
                for some in _in_mails(encoded):
                    number = self._sent[receiver] = self._sent.get(receiver, 0) + 1
                    payload = self._encode([msgspec.Raw(parcel) for parcel in some])
                    batch.put(Table.OUTBOX, _key(receiver, number), payload)
        for receiver in self._parts.keys() | self._parcels.keys():
            batch.put(Table.META, SENT + _shard(receiver), _number(self._sent[receiver]))
        self._parts.clear()
        self._parcels.clear()

    def outgoing(self, sent: Mapping[int, int], mails_max: int) -> list[ShardMail]:
        """Return the next mails to each shard, after the number that was sent there last."""
        mails = []
        for receiver, last in self._sent.items():
            first = max(self._delivered.get(receiver, 0), sent.get(receiver, 0)) + 1
            if first > last:
                continue
            numbers = range(first, min(last, first + mails_max - 1) + 1)
            rows = self._store.get_many(Table.OUTBOX, [_key(receiver, number) for number in numbers])
            for number, payload in zip(numbers, rows, strict=True):
                assert payload is not None, f"mail {number} to shard {receiver} is missing"
                mails.append(ShardMail(self._shard, receiver, number, payload))
        return mails

    def delivered(self, batch: Writes, numbers: Mapping[int, int]) -> None:
        """Delete the mails to each shard up to this number: the engine has stored them safely."""
        for receiver, number in numbers.items():
            last = min(number, self._sent.get(receiver, 0))
            for done in range(self._delivered.get(receiver, 0) + 1, last + 1):
                batch.delete(Table.OUTBOX, _key(receiver, done))
                self._delivered[receiver] = done

    def take(self, batch: Writes, mail: ShardMail) -> bool:
        """Whether a mail is the next one of its sender; if so, note it as read."""
        assert mail.receiver == self._shard, f"mail for shard {mail.receiver} came to {self._shard}"
        if mail.number != self.received(mail.sender) + 1:
            return False
        self._received[mail.sender] = mail.number
        batch.put(Table.META, RECEIVED + _shard(mail.sender), _number(mail.number))
        return True

    def received(self, sender: int) -> int:
        """Return the number of the last mail from a shard that was read."""
        return self._received.get(sender, 0)

    def check(self) -> None:
        """State every invariant; between steps only."""
        there = [key for key, _ in self._store.scan(Table.OUTBOX)]
        assert there == sorted(
            _key(receiver, number)
            for receiver, last in self._sent.items()
            for number in range(self._delivered.get(receiver, 0) + 1, last + 1)
        ), "mail is missing"


def mail_counts(store: Store) -> tuple[int, int]:
    """Return how many mails a shard has sent since it began, and how many it has read."""
    return sum(_numbers(store, SENT).values()), sum(_numbers(store, RECEIVED).values())


def _in_mails(parcels: list[bytes]) -> Iterator[list[bytes]]:
    some: list[bytes] = []
    size = 0
    for parcel in parcels:
        if some and size + len(parcel) > MAIL_BYTES_MAX:
            yield some
            some, size = [], 0
        some.append(parcel)
        size += len(parcel)
    yield some


def _numbers(store: Store, prefix: bytes) -> dict[int, int]:
    rows = store.scan(Table.META, prefix, after(prefix))
    return {int.from_bytes(key[len(prefix) :], "big"): int.from_bytes(number, "big") for key, number in rows}


def _key(receiver: int, number: int) -> bytes:
    return _shard(receiver) + _number(number)


def _shard(shard: int) -> bytes:
    return shard.to_bytes(SHARD_BYTES, "big")


def _number(number: int) -> bytes:
    return number.to_bytes(NUMBER_BYTES, "big")
