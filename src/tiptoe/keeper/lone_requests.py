"""Which hosts got requests while no keeper ran, and may a host get one now?

A single page may be requested by itself, to see how filters judge it (`tiptoe filters explain --fetch`). That
is polite only if the crawl knows about it: the host is recorded in `state/asked-apart.json` before the first
request, and the next run of the crawl leaves those addresses alone until they have rested.
"""

from pathlib import Path

import msgspec

from tiptoe.frontier.gate import GateKeys
from tiptoe.frontier.locator import WHEREABOUTS_TABLES, find_address, find_host
from tiptoe.frontier.runs import ENDED, RUN_KEY, stored_timing
from tiptoe.frontier.wishes import wish_covering
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.directory import LONE_REQUESTS
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table
from tiptoe.write.replacing import replace_durably

__all__ = [
    "CrawlLeave",
    "LoneRequest",
    "Moment",
    "clear_requests",
    "leave_of",
    "note_request",
    "read_requests",
]


class Moment(msgspec.Struct, frozen=True):
    """The time according to the clocks of one machine."""

    wall: float
    count: float  # seconds that the machine has counted,
    boot: str  # since which boot; empty if that is unknown


class LoneRequest(msgspec.Struct, frozen=True):
    """An address that must rest because a single page was requested from it."""

    host: str  # that got the request
    address: str
    asked: Moment  # when this was noted
    rest_seconds: float  # from then on

    def seconds_left(self, now: Moment) -> float:
        """Return how much of its rest is left; setting the clock does not shorten it."""
        is_counted = bool(now.boot) and now.boot == self.asked.boot
        passed = now.count - self.asked.count if is_counted else now.wall - self.asked.wall
        return max(0.0, self.rest_seconds - max(0.0, passed))


class CrawlLeave(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a crawl that is not running allows a request to a host."""

    hindrance: str = ""  # why no request may be made now
    slowed_to: float = 0.0  # least pause between requests, in seconds


def read_requests(directory: Path) -> list[LoneRequest]:
    """Return the recorded addresses; some of them may have rested by now."""
    try:
        return msgspec.json.decode((directory / LONE_REQUESTS).read_bytes(), type=list[LoneRequest])
    except FileNotFoundError:
        return []


def note_request(directory: Path, asked: LoneRequest) -> None:
    """Record a host at its address, replacing its earlier entry; drop entries that have rested."""
    # By host too: in the range of a delivery network each host of an address rests for itself.
    place = (asked.address, asked.host)
    others = [one for one in read_requests(directory) if (one.address, one.host) != place]
    others = [one for one in others if one.seconds_left(asked.asked)]
    replace_durably(directory / LONE_REQUESTS, msgspec.json.encode([*others, asked]))


def clear_requests(directory: Path) -> None:
    """Delete the record: the crawl has taken it over."""
    (directory / LONE_REQUESTS).unlink(missing_ok=True)


def leave_of(
    directory: Path, url: str, host: str, address: str, now: Moment, *,
    general_pause: float, cdn_ranges: tuple[str, ...],
) -> CrawlLeave:  # fmt: skip
    """Return whether a page may be requested now, according to what the crawl knows of host and address."""
    gates = GateKeys(cdn_ranges)
    gate = gates.key(address, host)
    for asked in read_requests(directory):
        # A host stays the same when its name resolves to another address.
        is_meant = asked.host == host or gates.key(asked.address, asked.host) == gate
        if is_meant and (left := asked.seconds_left(now)):
            return CrawlLeave(hindrance=_resting(asked.address, left))
    if not (directory / DATABASE).exists():
        return CrawlLeave()
    with ReadOnlyStore(directory / DATABASE, WHEREABOUTS_TABLES) as store:
        run = store.get(Table.META, RUN_KEY)
        if run not in (None, ENDED):
            return CrawlLeave(
                hindrance="the last run of the crawl did not end in good order, so nobody knows whom it "
                "asked last; its next start puts that right"
            )
        timing = stored_timing(store)
        moment = now.count + timing.offset_on(now.boot, count=now.count, wall=now.wall)
        if wish_covering(store, host, url) is not None:
            return CrawlLeave(hindrance=f"{host}: its owner wants to be left alone, see forgotten.jsonl")
        there, whole = find_address(store, gate), find_address(store, address)
        known = find_host(store, host, unproductive_rest=0.0)
        if there.is_blocked or whole.is_blocked or (known is not None and known.is_blocked):
            return CrawlLeave(hindrance=f"{host} is blocked")
        rested_at = max(there.free_at, there.left_at + general_pause if there.left_at else 0.0)
        slowed_to = max(there.slowed_to, whole.slowed_to)
        if known is not None:
            rested_at = max(rested_at, known.next_at, known.held_until)
            slowed_to = max(slowed_to, known.slowed_to)
        if rested_at > moment:
            return CrawlLeave(hindrance=_resting(address, rested_at - moment))
    return CrawlLeave(slowed_to=slowed_to)


def _resting(address: str, seconds: float) -> str:
    return f"{address} rests for another {seconds:.0f} s since it was asked last; try again then"
