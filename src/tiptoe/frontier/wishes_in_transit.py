"""Is anything that is to be forgotten on its way from one frontier to another?

Mail is not changed once it is written, because it may have been delivered. A frontier that receives something
covered drops links, and notes that rows of a host have to be erased again. One that has sent some is free of
it when it is delivered; only then may a snapshot replace its log for good.
"""

from collections.abc import Iterable

import msgspec

from tiptoe.frontier.covered_rows import has_covered_rows
from tiptoe.frontier.effect import Downloaded, RulesWanted
from tiptoe.frontier.host_moves import LEAVING, Departure
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.mail import HostPart, Letter, Parcel, open_mail
from tiptoe.frontier.routing import ARRIVING
from tiptoe.frontier.text_outbox import read_texts
from tiptoe.frontier.wishes import OwnersWishes
from tiptoe.store.tables import Ranges, Table, Writes, after
from tiptoe.url.address import host_of

__all__ = ["is_free_of"]

_departure = msgspec.msgpack.Decoder(Departure).decode


def is_free_of(store: Ranges, wishes: OwnersWishes) -> bool:
    """Whether nothing covered is on its way from a frontier with these tables, nor perhaps to it."""
    return not (
        _has_any(store.scan(Table.META, ARRIVING, after(ARRIVING)))  # it is not known yet which hosts
        or any(
            wishes.touches(_departure(stored).host)
            for _, stored in store.scan(Table.META, LEAVING, after(LEAVING))
        )
        or any(
            _is_covered(parcel, wishes)
            for _, payload in store.scan(Table.OUTBOX)
            for parcel in open_mail(payload)
        )
        or any(
            wishes.covers(host_of(text.url), text.url)
            for _, stored in store.scan(Table.TEXT)
            for text in read_texts(stored)
        )
    )


def _has_any(rows: Iterable[tuple[bytes, bytes]]) -> bool:
    return next(iter(rows), None) is not None


def _is_covered(parcel: Parcel, wishes: OwnersWishes) -> bool:
    """Whether a parcel contains anything that is covered."""
    if isinstance(parcel, HostPart):
        return has_covered_rows(parcel.host, Writes.decode(parcel.rows), wishes)
    if not isinstance(parcel, Letter):
        return False
    effect = parcel.effect
    if isinstance(effect, LinkBatch):
        return len(wishes.without(effect.links).urls) < len(effect.links.urls)
    if isinstance(effect, RulesWanted):
        return wishes.covers(host_of(effect.request.url), effect.request.url)
    if isinstance(effect, Downloaded):
        return any(wishes.covers(effect.host, url) for url in effect.urls)
    return wishes.covers_host(effect.host)
